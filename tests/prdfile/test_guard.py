"""Of an agent's prd.json only the notes of its story survive."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile.guard import NOTES_LIMIT, guarded
from prd_ralph.prdfile.text import SIZE_LIMIT
from tests.prdfile.strategies import files, foreign, words
from tests.prdfile.support import data_of, prd, story

BEFORE = prd(
    story("US-001", notes="", priority=1, verificationCommands=["make"]),
    story("US-002", notes="old"),
    story("US-003", passes=True),
    verificationCommands=["true"],
)
DATA = data_of(BEFORE)


def _changed(change: Callable[[Any, list[Any]], object]) -> bytes:
    value = json.loads(DATA)
    change(value, value["userStories"])
    return data_of(value)


TAMPERING: dict[str, tuple[Callable[[Any, list[Any]], object], tuple[str, ...]]] = {
    "own flag": (lambda p, s: s[0].update(passes=True), ("/userStories/0/passes: false -> true",)),
    "all flags": (
        lambda p, s: [item.update(passes=True) for item in s],
        ("/userStories/0/passes: false -> true", "/userStories/1/passes: false -> true"),
    ),
    "a flag taken back": (lambda p, s: s[2].update(passes=False), ("/userStories/2/passes: true -> false",)),
    "a flag that is a number": (lambda p, s: s[2].update(passes=1), ("/userStories/2/passes: true -> 1",)),
    "command": (
        lambda p, s: s[0].update(verificationCommands=["true"]),
        ("/userStories/0/verificationCommands: changed",),
    ),
    "command removed": (lambda p, s: p.pop("verificationCommands"), ("/verificationCommands: removed",)),
    "key added": (lambda p, s: p.update(setup=["rm -rf /"]), ("/setup: added",)),
    "title": (lambda p, s: s[1].update(title="easy"), ('/userStories/1/title: "Do it" -> "easy"',)),
    "another story's notes": (lambda p, s: s[1].update(notes="x"), ('/userStories/1/notes: "old" -> "x"',)),
    "another story's new notes": (lambda p, s: s[2].update(notes="x"), ("/userStories/2/notes: added",)),
    "own notes removed": (lambda p, s: s[0].pop("notes"), ("/userStories/0/notes: removed",)),
    "own notes of another type": (lambda p, s: s[0].update(notes=None), ("/userStories/0/notes: not a text",)),
    "endless notes": (
        lambda p, s: s[0].update(notes="x" * (NOTES_LIMIT + 1)),
        (f"/userStories/0/notes: longer than {NOTES_LIMIT} characters",),
    ),
    "story removed": (lambda p, s: s.pop(1), ("/userStories/1: story US-002 removed",)),
    "own story removed": (lambda p, s: s.pop(0), ("/userStories/0: story US-001 removed",)),
    "id renamed": (
        lambda p, s: s[1].update(id="US-009"),
        ("/userStories/1: story US-002 removed", "/userStories/1: story US-009 added"),
    ),
    "reordered": (lambda p, s: s.reverse(), ("/userStories: reordered",)),
    "own story twice": (
        lambda p, s: s.append({**s[0], "notes": "mine"}),
        ("/userStories/3: story US-001 added",),
    ),
    "own story twice, with other notes": (
        lambda p, s: s.insert(0, {**s[0], "notes": "mine"}),
        ("/userStories/1: story US-001 added",),
    ),
    "no object": (lambda p, s: s.append(3), ("/userStories/3: an entry without an id added",)),
    "no id": (lambda p, s: s.append({"title": "x"}), ("/userStories/3: an entry without an id added",)),
    "no list": (lambda p, s: p.update(userStories={}), ("/userStories: not a list any more",)),
    "no stories": (lambda p, s: p.pop("userStories"), ("/userStories: not a list any more",)),
    "a key with a slash": (lambda p, s: p.update({"a/b~\n": 1}), ("/a~1b~0\\n: added",)),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_what_was_changed_is_put_back_and_named(name: str) -> None:
    change, named = TAMPERING[name]
    found = guarded(DATA, _changed(change), "US-001")
    assert found.data == DATA
    assert found.tampered == named
    assert not found.reformatted


HOSTILE = {
    "deleted": None,
    "empty": b"",
    "truncated": DATA[:-40],
    "a flag twice": DATA.replace(b'"passes": false', b'"passes": false, "passes": true', 1),
    "binary": bytes(range(256)),
    "utf-16": DATA.decode().encode("utf-16"),
    "50 MB": b'["' + b"x" * (50 << 20) + b'"]',
    "deep": b"[" * 1_000_000,
    "deep and closed": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep enough for a reader": data_of(BEFORE)[:-1] + b', "a": ' + b"[" * 900 + b"]" * 900 + b"}",
    "nan": DATA.replace(b'"priority": 1', b'"priority": NaN'),
    "a list": b"[]",
    "null": b"null",
    "merge markers": b"<<<<<<< HEAD\n" + DATA,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_lies_there_the_file_is_put_back(name: str) -> None:
    found = guarded(DATA, HOSTILE[name], "US-001")
    assert found.data == DATA
    assert len(found.tampered) == 1
    assert found.tampered[0].startswith("/a: added" if name == "deep enough for a reader" else "prd.json: ")


def test_a_file_that_has_grown_beyond_any_honest_edit_is_not_even_read() -> None:
    after = DATA[:-1] + b', "x": [' + b"0, " * 700_000 + b"0]}"
    assert guarded(DATA, after, "US-001").tampered == (f"prd.json: grown from {len(DATA)} to {len(after)} bytes",)


def test_notes_that_would_make_the_file_too_large_to_be_read_again_are_refused() -> None:
    before = data_of(prd(story("US-001", notes=""), story("US-002"), x=""))
    before = before.replace(b'"x": ""', b'"x": "' + b" " * (SIZE_LIMIT - len(before) - 3) + b'"')
    fits, too_long = (before.replace(b'"notes": ""', b'"notes": "%s"' % (b"n" * count)) for count in (3, 4))
    assert guarded(before, fits, "US-001").data == fits
    compact = json.dumps(json.loads(too_long), separators=(",", ":")).encode()
    found = guarded(before, compact, "US-001")
    assert (found.data, found.tampered) == (before, ("prd.json: larger than 4 MiB with the new notes",))


def test_huge_numbers_and_half_characters_do_no_harm() -> None:
    after = DATA.replace(b'"priority": 1', b'"priority": ' + b"9" * 5000).replace(b'"notes": ""', b'"notes": "\\ud800"')
    found = guarded(DATA, after, "US-001")
    assert found.tampered == ("/userStories/0/priority: 1 -> Infinity",)
    assert found.data == DATA.replace(b'"notes": ""', '"notes": "\ufffd"'.encode())


def test_an_id_that_became_a_text_is_still_the_same_story() -> None:
    before = data_of(prd(story(7)))
    found = guarded(before, before.replace(b'"id": 7', b'"id": "7"'), "7")
    assert (found.data, found.tampered) == (before, ('/userStories/0/id: 7 -> "7"',))


def test_untouched_bytes_stay() -> None:
    found = guarded(DATA, DATA, "US-001")
    assert (found.data, found.tampered, found.proposals, found.reformatted) == (DATA, (), (), False)


def test_notes_survive_beside_tampering() -> None:
    after = _changed(lambda p, s: (s[0].update(passes=True, notes="seen: é"), s[1].update(notes="x")))
    found = guarded(DATA, after, "US-001")
    assert found.data == DATA.replace(b'"notes": ""', '"notes": "seen: é"'.encode())
    assert len(found.tampered) == 2


def test_notes_alone_are_no_tampering() -> None:
    found = guarded(DATA, _changed(lambda p, s: s[2].update(notes="learnt")), "US-003")
    assert (found.tampered, found.reformatted) == ((), False)
    assert json.loads(found.data)["userStories"][2]["notes"] == "learnt"


@pytest.mark.parametrize("notes", ["", "mine"])
def test_a_reformatted_file_is_put_back_without_blame(notes: str) -> None:
    value = json.loads(DATA)
    value["userStories"][0]["notes"] = notes
    value["userStories"][0]["priority"] = 1.0
    after = json.dumps(dict(reversed(value.items()))).encode()
    found = guarded(DATA, after, "US-001")
    assert found.data == DATA.replace(b'"notes": ""', f'"notes": "{notes}"'.encode())
    assert (found.tampered, found.reformatted) == ((), True)


def test_new_stories_are_proposals() -> None:
    after = _changed(lambda p, s: s.extend([story("n", title="Also\x1b do\nthis"), {"id": 8}, story("o", title=[])]))
    found = guarded(DATA, after, "US-001")
    assert found.proposals == ("Also\\u001b do this", "8", "o")
    assert len(found.tampered) == 3
    assert found.data == DATA


def test_what_is_named_is_bounded() -> None:
    found = guarded(DATA, _changed(lambda p, s: s.extend(story(f"n{i}") for i in range(500))), "US-001")
    assert len(found.tampered) == len(found.proposals) == 51
    assert found.tampered[-1] == found.proposals[-1] == "… and more"


def test_a_start_that_is_no_json_is_our_callers_fault() -> None:
    with pytest.raises(ProblemsError):
        guarded(b"{", b"{}", "US-001")


@given(files(), st.data())
def test_nothing_but_the_notes_ever_gets_through(file: tuple[dict[str, Any], bytes], data: st.DataObject) -> None:
    document, before = file
    attempted = data.draw(st.sampled_from(document["userStories"]))["id"]
    value = json.loads(json.dumps(document))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([value, *value["userStories"]]))
        key = data.draw(st.sampled_from([*(key for key in place if key != "userStories"), "notes", "passes", "new"]))
        place[key] = data.draw(foreign | words)
    if data.draw(st.booleans()):
        value["userStories"] = data.draw(st.permutations(value["userStories"]))
    found = guarded(before, json.dumps(value).encode(), attempted)
    kept = json.loads(found.data.decode("utf-8-sig"))
    for old, new in zip(document["userStories"], kept["userStories"], strict=True):
        free = {"notes"} if old["id"] == attempted else set()
        assert {k: v for k, v in old.items() if k not in free} == {k: v for k, v in new.items() if k not in free}
    assert {**kept, "userStories": 0} == {**document, "userStories": 0}
    if not found.tampered:
        assert _without_notes(value, attempted) == _without_notes(document, attempted)


def _without_notes(value: Any, attempted: str) -> Any:
    stories = [{**item, "notes": ""} if item["id"] == attempted else item for item in value["userStories"]]
    return {**value, "userStories": stories}


@given(st.binary() | st.text().map(str.encode))
def test_arbitrary_bytes_change_nothing(after: bytes) -> None:
    assert guarded(DATA, after, "US-001").data == DATA
