"""`prd-ralph proposals`: a person's yes or no to what agents want added."""

import json
from pathlib import Path

import pytest

from tests.run.test_proposals import OPEN, WISH, WORK, says, stories
from tests.support.project import Project, make_project

BARE = {"title": "Tidy up", "description": "All\nof it \x1b[31mnow"}


@pytest.fixture
def proposed(tmp_path: Path) -> Project:
    """A project whose run has ended, with two wishes, one of them told twice."""
    script = {"stories": {"US-001": [[says(WISH, BARE)], [WORK, says({**WISH, "notes": "again"})]]}}
    project = make_project(tmp_path, [OPEN], script)
    assert project.run().code == 0
    return project


def names(project: Project) -> dict[str, str]:
    """The listed proposals' names, by title."""
    told = json.loads(project("proposals", "--json").out)
    return {each["story"]["title"]: each["name"] for each in told["proposals"]}


def test_the_list_shows_all_that_is_to_be_decided_on(proposed: Project) -> None:
    done = proposed("proposals")
    name = names(proposed)["Cache it"]
    run = json.loads(proposed("proposals", "--json").out)["proposals"][0]["run"]
    assert done.out == (
        f"{name}  Cache it   (US-001 attempt 1 of {run}, 2 times)\n"
        "    So that it is fast.\n"
        "    - It is cached\n"
        "    $ test -f cache.txt\n"
        f"{names(proposed)['Tidy up']}  Tidy up   (US-001 attempt 1 of {run})\n"
        "    All\n"
        "    of it now\n"
    )
    assert done.err == "prd-ralph proposals accept NAME…, reject NAME…, or either with --all\n"


def test_json_has_each_as_it_was_written(proposed: Project) -> None:
    told = json.loads(proposed("proposals", "--json").out)
    first = told["proposals"][0]
    assert (told["v"], told["prd"]) == (1, "prd.json")
    assert (first["from"], first["attempt"], first["times"], first["story"]) == ("US-001", 1, 2, WISH)


def test_accepting_adds_an_open_story_and_no_other_byte(proposed: Project) -> None:
    before, name = proposed.prd_path.read_text(), names(proposed)["Cache it"]
    done = proposed("proposals", "accept", name)
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"{name}: added as US-002: Cache it\n  $ test -f cache.txt\nprd.json is changed, not committed\n"
    )
    assert stories(proposed)[1] == {"id": "US-002", **WISH, "passes": False}
    assert proposed.prd_path.read_text().startswith(before.rstrip().removesuffix("\n  ]\n}"))
    assert set(names(proposed)) == {"Tidy up"}
    assert proposed("validate").code == 0


def test_what_was_accepted_is_not_asked_again_when_it_was_edited(proposed: Project) -> None:
    proposed("proposals", "accept", names(proposed)["Cache it"])
    proposed.prd_path.write_text(proposed.prd_path.read_text().replace("Cache it", "Cache all of it"))
    assert set(names(proposed)) == {"Tidy up"}


def test_rejecting_forgets_it_for_good(proposed: Project) -> None:
    before, name = proposed.prd_path.read_bytes(), names(proposed)["Tidy up"]
    done = proposed("proposals", "reject", name)
    assert (done.code, done.err) == (0, f"{name}: rejected: Tidy up\n")
    assert proposed.prd_path.read_bytes() == before
    assert set(names(proposed)) == {"Cache it"}
    assert proposed("proposals", "reject", name).code == 2


def test_all_of_them(proposed: Project) -> None:
    done = proposed("proposals", "accept", "--all")
    assert done.code == 0
    assert "  warning: it has no verificationCommands, and a run refuses it until it has\n" in done.err
    assert [each["id"] for each in stories(proposed)] == ["US-001", "US-002", "US-003"]
    assert proposed("proposals", "accept", "--all").err == "no proposals: nothing to do\n"
    assert proposed("proposals").err == "no proposals\n"


def test_one_that_is_a_story_already_is_not_listed(proposed: Project) -> None:
    text = proposed.prd_path.read_text()
    mine = json.dumps({"id": "MINE", "title": "CACHE IT", "description": "so that it is  fast.", "passes": False})
    proposed.prd_path.write_text(text.rstrip().removesuffix("\n  ]\n}") + f",\n    {mine}\n  ]\n}}\n")
    assert set(names(proposed)) == {"Tidy up"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("accept",), "which proposals to accept?"),
        (("accept", "p000000"), "no proposal p000000"),
        (("reject", "--all", "p000000"), "both names and --all are given"),
        (("take", "p000000"), "proposals take: no such thing to do"),
    ],
)
def test_what_is_refused_changes_nothing(proposed: Project, words: tuple[str, ...], told: str) -> None:
    before = proposed.prd_path.read_bytes()
    done = proposed("proposals", *words)
    assert done.code == 2
    assert told in done.err
    assert "hint: " in done.err
    assert proposed.prd_path.read_bytes() == before
    assert len(names(proposed)) == 2


def test_no_agent_says_yes(proposed: Project) -> None:
    done = proposed("proposals", "accept", "--all", PRD_RALPH_ATTEMPT="x")
    assert (done.code, len(stories(proposed))) == (2, 1)
    assert "an agent cannot accept a proposal" in done.err


def test_what_can_be_no_story_is_named_and_nothing_is_added(tmp_path: Path) -> None:
    bad = {"title": "Bad", "verificationCommands": [{"run": "true", "cwd": "../.."}]}
    project = make_project(tmp_path, [OPEN], {"default": [WORK, says(bad, WISH)]})
    project.run()
    done = project("proposals", "accept", "--all")
    assert done.code == 2
    assert "cwd" in done.err
    assert len(stories(project)) == 1
    assert len(names(project)) == 2


def test_those_of_another_branch_are_not_this_prds(tmp_path: Path) -> None:
    project = make_project(tmp_path, [OPEN], {"default": [WORK, says(WISH)]}, branchName="one")
    project.run()
    assert set(names(project)) == {"Cache it"}
    project.prd_path.write_text(project.prd_path.read_text().replace('"one"', '"two"'))
    assert names(project) == {}


def test_what_lies_in_the_state_folder_is_read_with_care(proposed: Project) -> None:
    state = proposed.root / ".git" / "prd-ralph"
    (state / "proposals.jsonl").write_text('garbage\n[1]\n{"prd": 7}\n')
    (ledger,) = state.glob("runs/*/events.jsonl")
    run = ledger.parent.name
    made = {"v": 1, "run": run, "seq": 99, "at": "x", "kind": "proposed", "story": "US-001", "attempt": 1}
    with ledger.open("a") as stream:
        for stories_told in ([{"title": 7}], "x", [WISH, 3], None):
            stream.write(json.dumps({**made, "stories": stories_told}) + "\n")
    assert set(names(proposed)) == {"Cache it", "Tidy up"}


def test_without_a_repository_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text(json.dumps({"project": "P", "userStories": [OPEN]}))
    done = Project(tmp_path, {})("proposals")
    assert (done.code, done.out, done.err) == (0, "", "no proposals\n")
