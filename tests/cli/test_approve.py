"""`prd-ralph approve`: a person's word, by name, marked as such everywhere; and `reset`, which ends it."""

import json
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusal import fingerprint
from tests.support.project import Project, make_project, story
from tests.support.waiting import end, pids_in, started

PERSON = "Person <person@example.invalid>"


def by_hand(story_id: str, **fields: object) -> dict[str, Any]:
    """A story that no command proves."""
    made = story(story_id, acceptanceCriteria=["it looks right"], **fields)
    return {key: value for key, value in made.items() if key != "verificationCommands"}


def word(project: Project, story_id: str = "US-001") -> dict[str, str] | None:
    stories = {each["id"]: each for each in json.loads(project.prd_path.read_bytes())["userStories"]}
    found = stories[story_id].get("approved")
    assert found is None or isinstance(found, dict)
    return found


def assert_refused(project: Project, *args: str, code: int, message: str, **env: str) -> None:
    before = fingerprint(project.root)
    done = project("approve", *args, cwd=None, **env)
    assert (done.code, done.out) == (code, ""), done.err
    assert message in done.err
    assert fingerprint(project.root) == before


def test_a_word_is_kept_committed_alone_and_marked_everywhere(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001"), story("US-002", "true")], branchName="ralph/x")
    (project.root / "README.md").write_text("the person's own work\n")
    (project.root / "staged").write_text("x\n")
    project.git("add", "staged")
    done = project("approve", "US-001", "--note", "seen\nin Firefox")
    assert (done.code, done.out, done.err) == (0, "", f"US-001: approved by {PERSON}\n")

    given = word(project)
    assert given is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", given.pop("at"))
    assert given == {"by": PERSON, "note": "seen in Firefox"}
    assert project.passes() == {"US-001": True, "US-002": False}
    assert project.git("show", "--format=", "--name-only", "HEAD") == "prd.json"
    assert project.git("status", "--porcelain").splitlines() == [" M README.md", "A  staged"]
    assert project.git("log", "-1", "--format=%B").splitlines() == [
        f"chore: US-001 approved by {PERSON}",
        "",
        "seen in Firefox",
        "",
        "Prd-Ralph-Story: US-001",
        "Prd-Ralph-Prd: prd.json ralph/x",
        "Prd-Ralph-Proof: approved",
        f"Prd-Ralph-Approved-By: {PERSON}",
    ]

    status = json.loads(project("status", "--json").out)
    assert [each["proof"] for each in status["stories"]] == ["approved", None]
    assert "US-001 Title of US-001 · passed · approved by a person" in project("status").out
    assert "1 passing (1 approved by a person)" in project("validate").err
    verified = json.loads(project("verify", "--json").out)["stories"][0]
    assert (verified["state"], verified["approved"]["by"]) == ("approved", PERSON)
    assert (verified["receipt"]["proof"], verified["receipt"]["by"]) == ("approved", PERSON)
    told = project("verify")
    assert f"✓ US-001 Title of US-001 · approved by a person ({PERSON}, " in told.out
    assert told.code == 0


def test_a_clone_without_the_file_still_knows(tmp_path: Path) -> None:
    """The trailers say it where git ignores prd.json."""
    project = make_project(tmp_path, [by_hand("US-001")])
    assert project("approve", "US-001", "--by", "Ann").code == 0
    trailers = project.git("log", "-1", "--format=%(trailers:key=Prd-Ralph-Approved-By,valueonly)")
    assert trailers.strip() == "Ann"


def test_a_run_names_what_was_approved(tmp_path: Path) -> None:
    steps = {"stories": {"US-002": [[{"write": "a.txt", "text": "x\n"}]]}}
    project = make_project(tmp_path, [by_hand("US-001"), story("US-002", "test -f a.txt")], steps)
    assert project("approve", "US-001").code == 0
    done = project("run")
    assert done.code == 0, done.err
    assert "✓ US-001 Title of US-001 · passed · approved by a person" in done.err
    (line,) = (each for each in done.err.splitlines() if "US-002 Title" in each and "✓" in each)
    assert "approved" not in line


def test_where_another_branch_counts_it_is_said(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001")], branchName="ralph/x")
    project.git("branch", "ralph/x")
    done = project("approve", "US-001")
    assert "note: runs work on ralph/x, where the prd.json of that branch counts\n" in done.err


def test_commands_have_to_hold(tmp_path: Path) -> None:
    late = {"name": "late", "run": "echo too bad; exit 4", "when": "land"}
    project = make_project(tmp_path, [story("US-001", {"name": "early", "run": "true"}, late)])
    assert_refused(project, "US-001", code=1, message="error: US-001 cannot be approved: late fails (exit 4)\n")
    project.prd_path.write_text(project.prd_path.read_text().replace("exit 4", "exit 0"))
    project.git("commit", "-qam", "mended")
    done = project("approve", "US-001")
    assert done.code == 0
    assert [line.split(" ")[:2] for line in done.err.splitlines()[:2]] == [["✓", "early"], ["✓", "late"]]
    assert json.loads(project("verify", "--json").out)["stories"][0]["state"] == "approved"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("US-009",), 2, "no story US-009\n  hint: there are: US-001"),
        (("US-001", "--by", "  "), 2, "error: --by: a name is missing\n"),
        (("US-001", "--by", ""), 2, "error: --by: a name is missing\n"),
    ],
)
def test_what_is_refused(tmp_path: Path, args: tuple[str, ...], code: int, message: str) -> None:
    assert_refused(make_project(tmp_path, [by_hand("US-001")]), *args, code=code, message=message)


def test_a_program_that_is_missing_is_said_as_that(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "no-such-tool --x")])
    told = "US-001 cannot be approved: no-such-tool --x fails: command not found (exit 127)\n"
    assert_refused(project, "US-001", code=1, message=told)


def test_an_agent_cannot_approve(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001")])
    assert_refused(
        project, "US-001", code=2, message="an agent cannot approve", PRD_RALPH_ATTEMPT="20310301T080000Z-4f2a.US-001.1"
    )


def test_an_agent_that_tries_wins_nothing(tmp_path: Path) -> None:
    """Not by the command, and not where it hides whose it is: the run holds the lock."""
    tool = f"{sys.executable} -m prd_ralph approve US-002 --by Ann"
    steps = {"stories": {"US-001": [[{"run": f"{tool}; env -u PRD_RALPH_ATTEMPT {tool}; true"}]]}}
    project = make_project(tmp_path, [story("US-001", "false"), by_hand("US-002", skip=True)], steps)
    before = project.prd_path.read_bytes()
    done = project.run("--max-attempts", "1")
    assert done.code == 1
    assert "an agent cannot approve" in done.of("agent_finished")[0]["tail"]
    assert "another prd-ralph is at work here" in done.of("agent_finished")[0]["tail"]
    assert project.prd_path.read_bytes() == before


def test_an_agent_that_writes_a_word_is_found_out(tmp_path: Path) -> None:
    claim = {"prd": {"set": {"/userStories/0/approved": {"by": "Ann", "at": "x"}, "/userStories/0/passes": True}}}
    steps = {"stories": {"US-001": [[claim]]}}
    project = make_project(tmp_path, [story("US-001", "false")], steps)
    done = project.run("--max-attempts", "1")
    assert "/userStories/0/approved: added" in done.of("tampered")[0]["what"]
    assert (word(project), project.passes()) == (None, {"US-001": False})


def test_without_an_identity_a_name_has_to_be_given(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001")])
    (tmp_path / "home").mkdir()
    nobody = {"HOME": str(tmp_path / "home"), "GIT_CONFIG_COUNT": "1"}
    nobody |= {"GIT_CONFIG_KEY_0": "user.useConfigOnly", "GIT_CONFIG_VALUE_0": "true"}
    assert_refused(project, "US-001", code=2, message="who approves it? git knows no user.name", **nobody)
    done = project("approve", "US-001", "--by", "Ann", cwd=None, **nobody)
    assert done.code == 0
    assert "not committed, it stands in prd.json alone: git refuses the commit" in done.err
    given = word(project)
    assert given is not None
    assert given["by"] == "Ann"


def dirty(project: Project) -> None:
    project.prd_path.write_text(project.prd_path.read_text() + "\n")


def ignored(project: Project) -> None:
    project.git("rm", "-q", "--cached", "prd.json")
    (project.root / ".git/info/exclude").write_text("prd.json\n")
    project.git("commit", "-qm", "away")


def merging(project: Project) -> None:
    (project.root / ".git/MERGE_HEAD").write_text(project.git("rev-parse", "HEAD") + "\n")


def unborn(project: Project) -> None:
    project.git("checkout", "-q", "--orphan", "new")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (dirty, "the file has other changes that are not committed"),
        (ignored, "git ignores the file"),
        (merging, "a merge or rebase is going on"),
        (unborn, "there is no commit yet"),
    ],
)
def test_where_it_cannot_be_committed_it_stands_in_the_file(tmp_path: Path, spoil: Any, why: str) -> None:
    project = make_project(tmp_path, [by_hand("US-001")])
    spoil(project)
    before = project.git("rev-parse", "-q", "--verify", "main")
    done = project("approve", "US-001")
    assert done.code == 0
    assert f"not committed, it stands in prd.json alone: {why}\n" in done.err
    assert project.passes() == {"US-001": True}
    assert project.git("rev-parse", "main") == before
    assert json.loads(project("status", "--json").out)["stories"][0]["proof"] == "approved"


def test_a_second_word_changes_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001")])
    project("approve", "US-001", "--by", "Ann")
    before = fingerprint(project.root)
    done = project("approve", "US-001", "--by", "Bob")
    assert (done.code, done.err.startswith("US-001: Ann has approved it already, ")) == (0, True)
    assert fingerprint(project.root) == before


def test_a_flag_that_nothing_proves_can_be_approved(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001", passes=True)])
    assert project("verify").code == 1
    assert project("approve", "US-001").code == 0
    assert project("verify").code == 0


def test_work_that_is_in_no_commit_is_not_approved(tmp_path: Path) -> None:
    steps = {"stories": {"US-001": [[{"write": "a.txt", "text": "x\n"}]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt && test -f b.txt")], steps)
    assert project.run("--once").code == 1
    (project.root / "b.txt").write_text("x\n")
    assert_refused(project, "US-001", code=3, message="the work of US-001 attempt 1 lies in the tree")


def test_a_signal_ends_it_without_a_word(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", f"echo $$ >> {tmp_path}/pids; sleep 600")])
    with started(project, "approve", "US-001") as process:
        pids_in(tmp_path / "pids")
        assert end(process, signal.SIGINT) == -signal.SIGINT
    assert (word(project), project.passes()) == (None, {"US-001": False})


# --- reset ------------------------------------------------------------------------------------------


def test_reset_ends_a_persons_word(tmp_path: Path) -> None:
    project = make_project(tmp_path, [by_hand("US-001")])
    before = project.prd_path.read_bytes()
    project("approve", "US-001")
    done = project("reset", "US-001")
    assert (done.code, done.err) == (0, "US-001: passes is false again\nprd.json is changed, not committed\n")
    assert project.prd_path.read_bytes() == before


def test_reset_of_an_open_story_leaves_the_file_alone(tmp_path: Path) -> None:
    done = make_project(tmp_path, [story("US-001", "true")])("reset", "US-001")
    assert (done.code, "changed" in done.err) == (0, False)


def test_a_story_that_has_landed_can_be_opened_and_lands_again(tmp_path: Path) -> None:
    steps = {"stories": {"US-001": [[{"append": "a.txt", "text": "x\n"}]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], steps)
    before = project.prd_path.read_bytes()
    assert project.run().code == 0
    assert project("reset", "US-001").code == 0
    assert project.prd_path.read_bytes() == before
    assert json.loads(project("status", "--json").out)["stories"][0]["state"] == "ready"
    assert project.run().code == 0
    assert project.landings() == ["US-001", "US-001"]


def test_a_story_that_says_something_else_now_is_approved_no_more(tmp_path: Path) -> None:
    (tmp_path / "prd.md").write_text("# P\n\n### US-001: One\n\n- [ ] it looks right\n")
    here = Project(tmp_path, {})
    assert here("plan", "prd.md").code == 0
    prd = json.loads(here.prd_path.read_text())
    prd["userStories"][0] |= {"passes": True, "approved": {"by": "Ann", "at": "2031-03-01T08:00:00Z"}}
    here.prd_path.write_text(json.dumps(prd, indent=2) + "\n")
    (tmp_path / "prd.md").write_text("# P\n\n### US-001: One\n\n- [ ] it looks quite different\n")
    assert here("plan", "prd.md", "--merge").code == 0
    assert "approved" not in here.prd_path.read_text()
    assert here.passes() == {"US-001": False}
