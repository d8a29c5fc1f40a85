"""Re-planning: what the PRD said, what it says now, and what prd.json says. The decisions, and the document of them."""

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.planning.merging import merged
from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file
from prd_ralph.planning.replan import Choice, Decision, Replan, What, replanned
from prd_ralph.planning.values import Plan

Document = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A story as a PRD tells it."""

    id: str
    title: str = "Title"
    criteria: tuple[str, ...] = ("it holds",)
    verify: str = "make check"
    more: tuple[str, ...] = ()

    def __str__(self) -> str:
        items = "\n".join(f"- {each}" for each in self.criteria)
        command = f"\n\n**Verify:** `{self.verify}`" if self.verify else ""
        rest = "".join(f"\n\n{each}" for each in self.more)
        return f"### {self.id}: {self.title}\n\n**Acceptance Criteria:**\n{items}{command}{rest}\n"


@dataclass(frozen=True)
class Paper:
    """A PRD."""

    stories: tuple[Told, ...]
    title: str = "Pond"
    about: str = "All about ponds."
    gates: str = ""

    def plan(self) -> Plan:
        gates = f"## Quality Gates\n\n{self.gates}\n\n" if self.gates else ""
        text = f"# {self.title}\n\n{self.about}\n\n{gates}## User Stories\n\n" + "\n".join(map(str, self.stories))
        return plan_file("prd.md", text.encode())

    def but(self, at: int, **changes: Any) -> "Paper":
        stories = list(self.stories)
        stories[at] = replace(stories[at], **changes)
        return replace(self, stories=tuple(stories))


PAPER = Paper((Told("US-001"), Told("US-002"), Told("US-003")))


@dataclass
class Scene:
    """A prd.json that was planned of `before`, then edited, and what a merge of `after` makes of it."""

    before: Paper = PAPER
    document: Document = field(default_factory=dict)
    replan: Replan = field(default_factory=lambda: Replan((), ()))

    def __post_init__(self) -> None:
        self.document = prd_json(self.before.plan(), "prd.md")
        for story in self.stories.values():
            story["passes"] = True

    @property
    def stories(self) -> dict[str, Document]:
        return {story["id"]: story for story in self.document["userStories"]}

    def merge(self, after: Paper, **choice: bool) -> "Scene":
        plan = after.plan()
        was = copy.deepcopy(self.document)
        self.replan = replanned(self.document, plan, Choice(**choice))
        result = merged(self.document, plan, "prd.md", self.replan)
        assert self.document == was, "the old one is left alone"
        self.document = result
        again = replanned(result, plan, Choice(**choice))
        assert merged(result, plan, "prd.md", again) == result, "twice changes nothing"
        return self

    def decided(self, story: str) -> Decision:
        (found,) = (each for each in self.replan.stories if each.story == story)
        return found

    def what(self) -> dict[str, str]:
        return {each.story: str(each.what) for each in self.replan.stories if each.what is not What.KEPT}


def same_but_source(left: Document, right: Document) -> bool:
    return {**left, "source": None} == {**right, "source": None}


# --- the PRD is the same ---


def test_nothing_changed_changes_nothing() -> None:
    scene = Scene()
    before = copy.deepcopy(scene.document)
    scene.merge(PAPER)
    assert scene.document == before
    assert scene.what() == {}


def test_whatever_a_person_edited_stays() -> None:
    scene = Scene()
    scene.stories["US-001"].update(title="Mine", notes="n", agent="codex", priority=7, skip=True, **{"x-own": [1]})
    scene.stories["US-002"]["verificationCommands"] = ["mine"]
    del scene.stories["US-003"]["description"]
    scene.document.update(description="mine", setup=["npm ci"], **{"x-top": {}})
    before = copy.deepcopy(scene.document)
    assert scene.merge(PAPER).document == before


@pytest.mark.parametrize("change", [{"id": "US-2"}, {"id": "US-0002"}])
def test_an_id_that_is_written_otherwise_is_the_same(change: dict[str, str]) -> None:
    """C061."""
    scene = Scene().merge(PAPER.but(1, **change))
    assert list(scene.stories) == ["US-001", "US-002", "US-003"]
    assert scene.stories["US-002"]["passes"] is True


def test_another_look_of_the_same_story_is_no_change() -> None:
    looks = PAPER.but(1, more=("<!-- a comment -->",))
    assert Scene().merge(looks).what() == {}


# --- the PRD has changed ---


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        ({"title": "New"}, "title", "New"),
        ({"criteria": ("it holds", "it shines")}, "acceptanceCriteria", ["it holds", "it shines"]),
        ({"verify": "make all"}, "verificationCommands", ["make all"]),
        ({"more": ("**Description:** As a frog I jump.",)}, "description", "As a frog I jump."),
    ],
)
def test_what_must_hold_has_changed(change: dict[str, Any], key: str, value: Any) -> None:
    """Exactly that story is open again, and says why."""
    scene = Scene()
    scene.stories["US-002"].update(notes="an agent's", **{"x-own": 1})
    wanted = copy.deepcopy(scene.document)
    wanted["userStories"][1] = {**wanted["userStories"][1], key: value, "passes": False}
    scene.merge(PAPER.but(1, **change))
    assert same_but_source(scene.document, wanted)
    decision = scene.decided("US-002")
    assert (decision.what, decision.changed, decision.reset) == (What.CHANGED, (key,), True)
    assert decision.place is not None


def test_an_open_story_is_not_reset() -> None:
    scene = Scene()
    scene.stories["US-002"]["passes"] = False
    assert not scene.merge(PAPER.but(1, title="New")).decided("US-002").reset


@pytest.mark.parametrize(
    ("more", "key", "value"),
    [
        ("**Priority:** low", "priority", 4),
        ("**Depends on:** US-001", "dependsOn", ["US-001"]),
        ("**Notes:** x", "notes", "x"),
    ],
)
def test_order_and_notes_leave_the_flag(more: str, key: str, value: Any) -> None:
    scene = Scene(replace(PAPER, stories=PAPER.stories[:2]))
    scene.merge(scene.before.but(1, more=(more,)))
    assert (scene.stories["US-002"][key], scene.stories["US-002"]["passes"]) == (value, True)


def test_a_command_that_goes_takes_its_key_along() -> None:
    scene = Scene().merge(PAPER.but(1, verify=""))
    assert "verificationCommands" not in scene.stories["US-002"]
    scene.merge(PAPER)
    assert list(scene.stories["US-002"])[5:8] == ["dependsOn", "verificationCommands", "passes"]


def test_both_sides_say_the_same_now() -> None:
    """The flag was earned with the old text."""
    scene = Scene()
    scene.stories["US-002"]["title"] = "New"
    scene.merge(PAPER.but(1, title="New"))
    assert scene.decided("US-002").reset
    assert not scene.replan.conflicts


def test_commands_that_only_a_person_gave_are_no_conflict() -> None:
    paper = PAPER.but(1, verify="")
    scene = Scene(paper)
    scene.stories["US-002"]["verificationCommands"] = ["mine"]
    scene.merge(paper.but(1, title="New"))
    assert scene.decided("US-002").reset
    assert scene.stories["US-002"]["verificationCommands"] == ["mine"]


# --- both have changed ---


def test_a_conflict_is_told_and_prd_json_is_kept() -> None:
    scene = Scene()
    scene.stories["US-002"]["title"] = "Mine"
    before = copy.deepcopy(scene.document)
    after = PAPER.but(1, criteria=("it shines",))
    scene.merge(after)
    decision = scene.decided("US-002")
    assert (decision.what, decision.changed, decision.edited) == (What.CONFLICT, ("acceptanceCriteria",), ("title",))
    assert scene.document == before, "and so validate still says that the PRD has moved on"
    scene.merge(after, theirs=True)
    assert scene.stories["US-002"] == {**prd_json(after.plan(), "")["userStories"][1], "passes": False}  # type: ignore[index,dict-item]
    assert scene.document["source"]["sha256"] == after.plan().sha256
    assert scene.merge(after).what() == {}


def test_a_conflict_is_over_once_the_two_say_the_same() -> None:
    scene = Scene()
    scene.stories["US-002"]["title"] = "Mine"
    after = PAPER.but(1, title="New")
    assert scene.merge(after).replan.conflicts
    scene.stories["US-002"]["title"] = "New"
    assert not scene.merge(after).replan.conflicts


def test_the_others_go_on_beside_a_conflict() -> None:
    scene = Scene()
    scene.stories["US-002"]["title"] = "Mine"
    scene.merge(PAPER.but(1, title="New").but(2, title="New"))
    assert (scene.stories["US-002"]["title"], scene.stories["US-003"]["title"]) == ("Mine", "New")


def test_order_that_both_have_changed_stays_and_is_told_once() -> None:
    scene = Scene()
    scene.stories["US-002"]["priority"] = 9
    after = PAPER.but(1, more=("**Priority:** low",))
    scene.merge(after)
    assert (scene.stories["US-002"]["priority"], scene.decided("US-002").stays) == (9, ("priority",))
    assert scene.merge(after).decided("US-002").stays == ()
    scene = Scene()
    scene.stories["US-002"]["priority"] = 9
    assert scene.merge(after, theirs=True).stories["US-002"]["priority"] == 4


# --- stories come and go ---


def test_new_ones_stand_where_the_prd_has_them() -> None:
    first, second, third = PAPER.stories
    paper = replace(PAPER, stories=(Told("A-1"), first, second, Told("A-2"), Told("A-3"), third))
    scene = Scene().merge(paper)
    assert list(scene.stories) == ["A-1", "US-001", "US-002", "A-2", "A-3", "US-003"]
    assert scene.what()["A-1"] == "new"
    assert [story["priority"] for story in scene.stories.values()] == [1, 2, 3, 4, 5, 6]
    assert [story["passes"] for story in scene.stories.values()] == [False, True, True, False, False, True]


def test_another_order_in_the_prd_moves_no_story() -> None:
    """C075."""
    scene = Scene().merge(replace(PAPER, stories=PAPER.stories[::-1]))
    assert {story_id: story["priority"] for story_id, story in scene.stories.items()} == {
        "US-001": 3,
        "US-002": 2,
        "US-003": 1,
    }


def test_what_vanished_is_kept_until_it_is_pruned() -> None:
    paper = replace(PAPER, stories=PAPER.stories[:2])
    scene = Scene()
    scene.document["userStories"].append({"id": "MY-1", "title": "mine", "passes": False})
    scene.merge(paper)
    assert scene.what() == {"US-003": "vanished"}
    assert list(scene.stories) == ["US-001", "US-002", "US-003", "MY-1"]
    scene.merge(paper, prune=True)
    assert list(scene.stories) == ["US-001", "US-002", "MY-1"]
    assert list(scene.document["source"]["stories"]) == ["US-001", "US-002"]


def test_one_that_vanished_comes_back_as_it_was() -> None:
    scene = Scene().merge(replace(PAPER, stories=PAPER.stories[:2])).merge(PAPER)
    assert (scene.what(), scene.stories["US-003"]["passes"]) == ({}, True)


def test_what_a_person_removed_stays_removed() -> None:
    scene = Scene()
    del scene.document["userStories"][1]
    scene.merge(PAPER.but(1, title="New"))
    assert scene.what() == {"US-002": "removed"}
    assert list(scene.stories) == ["US-001", "US-003"]
    scene.merge(PAPER, theirs=True)
    assert list(scene.stories) == ["US-001", "US-002", "US-003"]


def boxes(*titles: str) -> Plan:
    """Stories without ids."""
    items = "\n".join(f"- [ ] {title}\n  - {title} holds" for title in titles)
    return plan_file("prd.md", f"# P\n\n## Tasks\n\n{items}\n".encode())


def test_stories_without_ids_are_recognised_by_their_text() -> None:
    """C075: inserting one at the top renumbers none."""
    document: Document = prd_json(boxes("wash", "dry"), "prd.md")
    document["userStories"][1]["passes"] = True
    plan = boxes("soak", "wash", "dry")
    result: Document = merged(document, plan, "prd.md", replanned(document, plan))
    found = [(story["id"], story["title"], story["passes"]) for story in result["userStories"]]
    assert found == [("US-003", "soak", False), ("US-001", "wash", False), ("US-002", "dry", True)]
    assert merged(result, plan, "prd.md", replanned(result, plan)) == result


def test_stories_without_ids_and_with_another_text_are_recognised_by_their_title() -> None:
    document: Document = prd_json(boxes("wash", "dry"), "prd.md")
    plan = plan_file(
        "prd.md", b"# P\n\n## Tasks\n\n- [ ] soak\n  - wet\n- [ ] wash\n  - clean\n- [ ] dry\n  - dry holds\n"
    )
    replan = replanned(document, plan)
    assert [(each.story, str(each.what)) for each in replan.stories] == [
        ("US-003", "new"),
        ("US-001", "changed"),
        ("US-002", "changed"),
    ]
    assert replan.stories[1].changed == ("acceptanceCriteria", "priority")


def test_numbers_that_are_taken_are_given_to_nobody() -> None:
    document: Document = prd_json(boxes("a", "b", "c"), "prd.md")
    plan = boxes("x", "y", "a", "z", "v", "b")
    found = [each.story for each in replanned(document, plan).stories]
    assert len(set(found)) == len(found)
    assert found[2] == "US-001"
    assert found[5] == "US-002"


# --- the top keys ---


def test_changed_gates_keep_the_flags_and_want_verifying() -> None:
    scene = Scene().merge(replace(PAPER, gates="- `make lint`"))
    assert scene.document["verificationCommands"] == ["make lint"]
    assert list(scene.document).index("verificationCommands") == list(scene.document).index("userStories") - 1
    assert all(story["passes"] for story in scene.stories.values())
    assert [each.unproved for each in scene.replan.top] == [False, False, False, True]
    assert not any(each.unproved for each in scene.merge(replace(PAPER, gates="- `make lint`")).replan.top)


def test_gates_of_some_stories_keep_their_flags_too() -> None:
    paper = PAPER.but(1, title="Show [UI]")
    scene = Scene(paper).merge(replace(paper, gates="For UI stories:\n\n- `make shots`"))
    assert scene.stories["US-002"]["verificationCommands"] == ["make check", "make shots"]
    decision = scene.decided("US-002")
    assert (decision.unproved, decision.reset, scene.stories["US-002"]["passes"]) == (True, False, True)


def test_gates_that_both_have_changed_are_a_conflict() -> None:
    scene = Scene(replace(PAPER, gates="- `a`"))
    scene.document["verificationCommands"] = ["mine"]
    after = replace(PAPER, gates="- `b`")
    scene.merge(after)
    assert [each.changed for each in scene.replan.conflicts] == [("verificationCommands",)]
    assert scene.document["verificationCommands"] == ["mine"]
    assert scene.merge(after, theirs=True).document["verificationCommands"] == ["b"]
    assert "verificationCommands" not in scene.merge(PAPER).document


def test_gates_of_a_person_alone_stay() -> None:
    scene = Scene()
    scene.document["verificationCommands"] = ["mine"]
    scene.merge(replace(PAPER, about="Other."))
    assert scene.document["verificationCommands"] == ["mine"]
    assert scene.document["description"] == "Other."


def test_the_branch_stays_once_a_story_passes_on_it() -> None:
    after = replace(PAPER, title="Lake")
    scene = Scene().merge(after)
    assert (scene.document["project"], scene.document["branchName"]) == ("Lake", "ralph/pond")
    assert [each.stays for each in scene.replan.top if each.stays] == [("branchName",)]
    assert not any(each.stays for each in scene.merge(after).replan.top), "told once"
    scene = Scene()
    for story in scene.stories.values():
        story["passes"] = False
    assert scene.merge(after).document["branchName"] == "ralph/lake"
    assert Scene().merge(after, theirs=True).document["branchName"] == "ralph/lake"


# --- files of other origins ---


def without(document: Document, *keys: str) -> Document:
    return {**document, "source": {key: value for key, value in document["source"].items() if key not in keys}}


def test_a_file_that_was_written_by_hand_is_taken_up() -> None:
    scene = Scene()
    del scene.document["source"]
    scene.stories["US-002"]["title"] = "Mine"
    scene.document["name"] = scene.document.pop("project")
    scene.merge(PAPER)
    assert scene.what() == {"US-002": "conflict"}
    assert list(scene.document["source"]["stories"]) == ["US-001", "US-003"]
    assert "sha256" not in scene.document["source"]
    assert "project" not in scene.document
    scene.merge(replace(PAPER, title="Lake"), theirs=True)
    assert scene.document["name"] == "Lake"
    assert scene.stories["US-002"]["title"] == "Title"


def test_a_source_that_is_a_text_is_the_path() -> None:
    scene = Scene()
    scene.document["source"] = "old.md"
    plan = PAPER.plan()
    found: Document = merged(scene.document, plan, None, replanned(scene.document, plan))
    assert found["source"]["path"] == "old.md"
    assert found["source"]["sha256"] == plan.sha256


def test_a_source_with_the_hashes_of_the_texts_alone_is_enough_where_the_prd_is_the_same() -> None:
    scene = Scene()
    stamps = scene.document["source"]["stories"]
    scene.document = without(scene.document, "top")
    scene.document["source"]["stories"] = {key: value.split("-")[0] for key, value in stamps.items()}
    scene.stories["US-001"]["title"] = "Mine"
    scene.document["description"] = "mine"
    scene.merge(PAPER)
    assert scene.what() == {}
    assert re.fullmatch("[0-9a-f]{64}-[0-9a-f]{64}", scene.document["source"]["stories"]["US-001"])
    assert (scene.stories["US-001"]["title"], scene.document["description"]) == ("Mine", "mine")


@pytest.mark.parametrize("broken", [None, 7, "x", {"US-001": 7, "US-002": "abc"}, []])
def test_a_source_that_nobody_can_read_is_none(broken: Any) -> None:
    scene = Scene()
    scene.document["source"] = {"stories": broken, "x-own": 1}
    scene.merge(PAPER)
    assert scene.what() == {}
    assert scene.document["source"]["x-own"] == 1
    assert len(scene.document["source"]["stories"]) == 3


def test_whole_numbers_are_ids() -> None:
    scene = Scene()
    scene.document["userStories"].append({"id": 7, "title": "mine", "passes": True})
    scene.document["userStories"].append({"id": 8.0, "title": "mine", "passes": True})
    assert len(scene.merge(PAPER).document["userStories"]) == 5


# --- whatever happens ---

PAPERS = st.builds(
    Paper,
    st.lists(
        st.builds(
            Told,
            st.sampled_from(["US-001", "US-002", "US-003", "A-4"]),
            st.sampled_from(["One", "Two [UI]"]),
            st.sampled_from([("a",), ("a", "b")]),
            st.sampled_from(["", "make", "test"]),
            st.sampled_from([(), ("**Priority:** low",), ("**Notes:** n",), ("Stray words.",)]),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda told: told.id,
    ).map(tuple),
    st.sampled_from(["Pond", "Lake"]),
    st.sampled_from(["About.", "Around."]),
    st.sampled_from(["", "- `make lint`", "For UI stories:\n\n- `make shots`"]),
)
EDITS: list[Callable[[Document], Any]] = [
    lambda story: story.update(title="Mine"),
    lambda story: story.update(verificationCommands=["mine"]),
    lambda story: story.pop("verificationCommands", None),
    lambda story: story.update(passes=False),
    lambda story: story.update(notes="mine", **{"x-own": None}),
    lambda story: story.update(priority=0),
    lambda story: story.update(skip=True),
]


@given(PAPERS, PAPERS, st.data())
def test_of_any_two_papers_and_any_edits(before: Paper, after: Paper, data: st.DataObject) -> None:
    """Twice changes nothing (in `merge`); what neither side touched is as it was; what is theirs is the PRD's."""
    scene = Scene(before)
    for story in scene.stories.values():
        for edit in data.draw(st.lists(st.sampled_from(EDITS), max_size=2)):
            edit(story)
    was = copy.deepcopy(scene.stories)
    choice = {key: data.draw(st.booleans()) for key in ("theirs", "prune")}
    scene.merge(after, **choice)
    for decision in scene.replan.stories:
        old, new = was.get(decision.story), scene.stories.get(decision.story)
        if decision.what in (What.KEPT, What.CONFLICT, What.VANISHED):
            assert new == old or decision.taken
        assert decision.what is not What.CONFLICT or not choice["theirs"]
        assert (new is None) == (decision.what is What.PRUNED)
        if old and new and decision.what is What.CHANGED:
            assert new["passes"] is (old["passes"] and not decision.reset)
            assert {key: new.get(key) for key in ("x-own",)} == {key: old.get(key) for key in ("x-own",)}
    assert {*scene.stories} >= {told.id for told in after.stories}


@given(PAPERS, PAPERS)
def test_an_unedited_file_follows_the_prd(before: Paper, after: Paper) -> None:
    """But for the flags, the branch that they were earned on, and what vanished."""
    scene = Scene(before).merge(after, prune=True)
    wanted: Document = prd_json(after.plan(), "prd.md")
    assert not scene.replan.conflicts
    found = {key: {**story, "passes": False} for key, story in scene.stories.items()}
    assert found == {story["id"]: story for story in wanted["userStories"]}
    assert [scene.document[key] for key in ("project", "description")] == [wanted["project"], wanted["description"]]
    assert scene.document.get("verificationCommands") == wanted.get("verificationCommands")
