"""Who set a flag, by the versions of its file."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.auditing.flags import Flags, flags_of
from prd_ralph.auditing.values import Setting


@dataclass(frozen=True)
class Made:
    """A version, as short as a test can write it."""

    commit: str
    parents: tuple[str, ...]
    claims: dict[str, bool] | None
    is_oldest: bool = False
    trailers: dict[str, str] = field(default_factory=dict)
    at: str = "2031-03-01T08:00:00Z"

    @property
    def subject(self) -> str:
        return f"subject of {self.commit}"


def line(*claims: dict[str, bool] | None) -> list[Made]:
    """A history without branches: `claims` are the oldest first, and the commits are called 0, 1, …"""
    made = [Made(str(at), (str(at - 1),) if at else (), each) for at, each in enumerate(claims)]
    return made[::-1]


def by(flags: Flags) -> dict[str, str | None]:
    """By story, the commit that set its flag."""
    return {key: setting.commit if setting else None for key, setting in flags.settings.items()}


def setting(flags: Flags, key: str) -> Setting:
    found = flags.settings[key]
    assert found is not None
    return found


def test_the_commit_that_made_it_true() -> None:
    flags = flags_of(
        line({"a": False, "b": False}, {"a": True, "b": False}, {"a": True, "b": True}, {"a": True, "b": True})
    )
    assert by(flags) == {"a": "1", "b": "2"}
    assert flags.now == {"a": True, "b": True}
    assert setting(flags, "a") == Setting("1", "2031-03-01T08:00:00Z", "subject of 1")


def test_no_history_at_all() -> None:
    assert flags_of([]) == Flags({}, {})


def test_several_at_once_and_the_first_version() -> None:
    flags = flags_of(line({"a": True, "b": False, "c": False}, {"a": True, "b": True, "c": True, "d": True}))
    assert setting(flags, "a").is_first
    assert (setting(flags, "b").is_first, setting(flags, "b").others) == (False, ("c", "d"))


def test_taken_back_and_set_again() -> None:
    flags = flags_of(line({"a": False}, {"a": True}, {"a": False}, {"a": True}, {"a": True, "b": True}))
    assert (setting(flags, "a").commit, setting(flags, "a").returned) == ("3", True)
    assert not setting(flags, "b").returned


def test_what_is_not_claimed_now_is_nobodys() -> None:
    assert by(flags_of(line({"a": False}, {"a": True}, {"a": False}))) == {}
    assert by(flags_of(line({"a": True}, {}))) == {}


def test_a_version_that_cannot_be_read_changes_nothing() -> None:
    flags = flags_of(line({"a": True}, None, {"a": True}))
    assert (setting(flags, "a").commit, setting(flags, "a").returned) == ("0", False)
    assert flags_of(line({"a": True}, None)).now == {"a": True}
    assert flags_of(line(None, {"a": True})).now == {"a": True}


def test_a_story_that_was_away_for_a_while_was_set_when_it_came_back() -> None:
    flags = flags_of(line({"a": True}, {}, {"a": True}))
    assert (setting(flags, "a").commit, setting(flags, "a").returned) == ("2", False)


def test_a_merge_sets_only_what_no_side_had() -> None:
    base = Made("base", (), {"a": False, "b": False, "c": False})
    left = Made("left", ("base",), {"a": True, "b": False, "c": False})
    right = Made("right", ("base",), {"a": False, "b": True, "c": False})
    merge = Made("merge", ("left", "right"), {"a": True, "b": True, "c": True})
    flags = flags_of([merge, right, left, base])
    assert by(flags) == {"a": "left", "b": "right", "c": "merge"}
    assert not any(setting(flags, key).returned for key in "abc")


def test_a_merge_that_chooses_takes_nothing_back() -> None:
    base = Made("base", (), {"a": False})
    left, right = Made("left", ("base",), {"a": True}), Made("right", ("base",), {"a": False, "b": False})
    merge, again = Made("merge", ("left", "right"), {"a": False, "b": False}), Made("again", ("merge",), {"a": True})
    flags = flags_of([again, merge, right, left, base])
    assert (setting(flags, "a").commit, setting(flags, "a").returned) == ("again", False)


def test_what_was_set_before_what_is_known() -> None:
    versions = [Made("2", ("1",), {"a": True, "b": True}), Made("1", ("0",), {"a": True, "b": False}, is_oldest=True)]
    flags = flags_of(versions)
    assert by(flags) == {"a": None, "b": "2"}


def test_a_receipt_is_that_of_the_story_alone() -> None:
    trailers = {"Story": "a", "Proof": "proved"}
    versions = [Made("1", ("0",), {"a": True, "b": True}, trailers=trailers), Made("0", (), {"a": False, "b": False})]
    flags = flags_of(versions)
    assert (setting(flags, "a").receipt, setting(flags, "b").receipt) == (trailers, {})


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=8))
def test_every_claim_has_the_last_commit_that_made_it_true(claims: list[dict[str, bool]]) -> None:
    flags = flags_of(line(*claims))
    assert set(flags.settings) == {key for key, claimed in claims[-1].items() if claimed}
    for key, found in flags.settings.items():
        assert found is not None
        at = int(found.commit)
        assert all(each.get(key) for each in claims[at:])
        assert at == 0 or not claims[at - 1].get(key)
        assert found.is_first == (at == 0)
        others = {other for other, claimed in claims[at].items() if claimed and not (at and claims[at - 1].get(other))}
        assert {key, *found.others} == others
