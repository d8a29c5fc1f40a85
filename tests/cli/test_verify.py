"""`prd-ralph verify`: no agent, every distinct command once, and each flag held against what the commands say."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusal import fingerprint
from tests.support.project import Done, Project, make_project, story
from tests.support.waiting import end, pids_in, started

LATE = {"name": "late", "run": "false", "when": "land"}


def told(done: Done) -> dict[str, Any]:
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def states(done: Done) -> dict[str, str]:
    return {each["id"]: each["state"] for each in told(done)["stories"]}


def true(story_id: str, *commands: object, **fields: object) -> dict[str, Any]:
    """A story that says of itself that it passes."""
    made = story(story_id, *commands, **{"passes": True, **fields})
    return made if commands else {key: value for key, value in made.items() if key != "verificationCommands"}


def test_each_flag_is_told_for_what_it_is_worth(tmp_path: Path) -> None:  # C012
    stories = [
        true("proved", "true"),
        true("claimed", "true", "false"),
        true("unprovable"),
        true("approved", approved={"by": "Ann", "at": "2031-03-01T08:00:00Z"}),
        true("replaced", "false"),
        true("late", LATE),
        story("provable", "test -f README.md"),
        story("open", "false"),
        story("held", "true", skip=True),
        true("replaces", "true", supersedes=["replaced"]),
    ]
    project = make_project(tmp_path, stories)
    before = fingerprint(project.root)
    done = project("verify", "--json")
    assert done.code == 1
    assert states(done) == {
        "proved": "proved",
        "claimed": "claimed",
        "unprovable": "unprovable",
        "approved": "approved",
        "replaced": "superseded",
        "late": "left_out",
        "provable": "provable",
        "open": "open",
        "held": "skipped",
        "replaces": "proved",
    }
    assert fingerprint(project.root) == before
    assert states(project("verify", "--json", "--all"))["late"] == "claimed"


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (true("A", "true"), 0),
        (story("A", "false"), 0),
        (story("A", "true"), 0),
        (true("A", "false"), 1),
        (true("A"), 1),
        (true("A", LATE), 0),
    ],
)
def test_it_fails_where_a_flag_says_more_than_can_be_shown(
    tmp_path: Path, made: dict[str, Any], code: int
) -> None:  # C020
    assert make_project(tmp_path, [made])("verify").code == code


def test_what_is_shown_to_people(tmp_path: Path) -> None:  # C021
    stories = [
        true(
            "US-001", {"name": "unit", "run": "echo ran 3; echo no such thing; exit 4"}, acceptanceCriteria=["a", "b"]
        ),
        true("US-002", "echo 'Ran 0 tests in 0.0s'", acceptanceCriteria=["a"]),
    ]
    done = make_project(tmp_path, stories)("verify")
    lines = done.out.splitlines()
    assert lines[0] == "prd.json: 2 stories · 1 proved · 1 claimed"
    assert lines[1] == "  ✗ US-001 Title of US-001 · claimed, but fails · 2 criteria / 1 command"
    assert lines[2].startswith("      ✗ unit exit 4 · ")
    assert lines[3:5] == ["          ran 3", "          no such thing"]
    assert lines[5] == "  ✓ US-002 Title of US-002 · proved · 1 criterion / 1 command"
    assert lines[6].startswith("      ? echo 'Ran 0 tests in 0.0s' · unittest: no tests ran")
    assert "✗ unit exit 4" in done.err


def test_a_strict_look_takes_no_suspect_pass(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "echo 'Ran 0 tests in 0.0s'")])
    assert project("verify").code == 0
    assert states(project("verify", "--json", "--strict")) == {"US-001": "claimed"}


def test_a_command_of_many_stories_runs_once(tmp_path: Path) -> None:
    """Three distinct ones, whatever they are called and however many stories have them."""
    count = f"echo x >> {tmp_path}/count"
    stories = [
        true(f"US-{number:03}", {"name": f"of {number}", "run": f"{count}; true {number % 2}"}) for number in range(40)
    ]
    project = make_project(tmp_path, stories, verificationCommands=[count])
    done = project("verify", "--json")
    assert done.code == 0
    assert (tmp_path / "count").read_text().count("x") == 3
    assert [each["name"] for each in told(done)["stories"][7]["commands"]] == [count[:60], "of 7"]


def test_a_command_that_asks_for_the_story_runs_for_each(tmp_path: Path) -> None:
    named = f"echo $PRD_RALPH_STORY_ID >> {tmp_path}/seen; test $PRD_RALPH_STORY_ID != US-002"
    done = make_project(tmp_path, [true("US-001", named), true("US-002", named)])("verify", "--json")
    assert states(done) == {"US-001": "proved", "US-002": "claimed"}
    assert (tmp_path / "seen").read_text().split() == ["US-001", "US-002"]


def test_commands_that_may_run_beside_others_do(tmp_path: Path) -> None:
    """Each waits for the other: one after another they would never end."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()

    def meets(mine: str, other: str) -> dict[str, object]:
        run = f"touch {tmp_path}/{mine}/here; while ! test -f {tmp_path}/{other}/here; do sleep 0.01; done"
        return {"run": run, "parallel": True, "timeout": 60}

    stories = [true("US-001", meets("one", "two"), "true"), true("US-002", meets("two", "one"))]
    done = make_project(tmp_path, stories)("verify", "--json")
    assert states(done) == {"US-001": "proved", "US-002": "proved"}
    assert [each["name"] for each in told(done)["stories"][0]["commands"]][1] == "true"


def test_more_commands_may_be_given(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001"), true("US-002", passes=False)])
    done = project("verify", "--json", "--check", "test -f README.md")
    assert states(done) == {"US-001": "proved", "US-002": "open"}  # what all share proves no story to be done
    assert states(project("verify", "--json", "--check", "false"))["US-001"] == "claimed"


def test_some_stories_alone(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true"), true("US-002", "false")])
    done = project("verify", "US-001", "US-001", "--json")
    assert (done.code, states(done)) == (0, {"US-001": "proved"})
    unknown = project("verify", "US-009", "US-001", "US-008")
    assert (unknown.code, unknown.err) == (
        2,
        "error: no story US-009, US-008\n  hint: there are: US-001, US-002\n",
    )


# --- --write ---------------------------------------------------------------------------------------

MIXED = [
    true("US-001", "false"),
    story("US-002", "true"),
    true("US-003"),
    true("US-004", passes=False),
    true("US-005", "false", approved={"by": "Ann", "at": "x"}),
]


def test_the_flags_become_what_was_proved(tmp_path: Path) -> None:
    project = make_project(tmp_path, MIXED)
    before = project.prd_path.read_text()
    done = project("verify", "--write", "--json")
    assert done.code == 1
    passes = {"US-001": False, "US-002": True, "US-003": True, "US-004": False, "US-005": False}
    assert project.passes() == passes
    assert {each["id"]: each["passes"] for each in told(done)["stories"]} == passes
    now = {"US-001": "open", "US-002": "proved", "US-003": "unprovable", "US-004": "open", "US-005": "open"}
    assert states(done) == now
    assert told(done)["counts"] == {"proved": 1, "unprovable": 1, "open": 3}
    assert told(done)["stories"][4]["approved"] is None
    assert done.err.endswith("\nprd.json is changed, not committed\n")
    assert "US-001: passes is false again\nUS-002: passes is true\n" in done.err
    after = json.loads(project.prd_path.read_text())
    for each in json.loads(before)["userStories"]:
        kept = {key: value for key, value in each.items() if key != "approved"}
        assert kept | {"passes": passes[each["id"]]} in after["userStories"]
    assert project("verify").code == 1  # US-003 is still without any command


def test_where_no_flag_is_written_nothing_is_said_of_it(tmp_path: Path) -> None:
    done = make_project(tmp_path, [true("US-001", "true")])("verify", "--write")
    assert (done.code, "committed" in done.err) == (0, False)


def test_a_flag_that_was_taken_back_is_a_failure_and_shown_as_open(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "false")])
    done = project("verify", "--write")
    assert (done.code, done.out.splitlines()[:2]) == (
        1,
        ["prd.json: 1 story · 1 open", "  · US-001 Title of US-001 · open · 0 criteria / 1 command"],
    )
    assert project("verify").code == 0


def test_commands_that_are_kept_for_landings_are_counted(tmp_path: Path) -> None:
    late = {"name": "review", "run": "test 1", "when": "land"}
    stories = [true("US-001", "true", late), true("US-002", late, LATE), story("US-003", LATE, skip=True)]
    project = make_project(tmp_path, stories)
    told = "not run: 2 commands kept for landings; --all runs them\n"
    for args in ((), ("--at", "HEAD")):
        assert told in project("verify", *args).err
    assert "not run: 1 command kept for landings; --all runs them\n" in project("verify", "US-001").err
    assert "not run" not in project("verify", "--all").err


def test_without_write_nothing_is_written(tmp_path: Path) -> None:
    project = make_project(tmp_path, MIXED)
    before = project.prd_path.read_bytes()
    project("verify")
    assert project.prd_path.read_bytes() == before


def test_a_command_that_writes_flags_itself_wins_nothing(tmp_path: Path) -> None:
    flips = 'sed -i \'s/"passes": false/"passes": true/\' prd.json; false'
    project = make_project(tmp_path, [story("US-001", flips), story("US-002", "true")])
    done = project("verify", "--write")
    assert done.code == 1
    assert "prd.json was changed by somebody else" in done.err
    project.git("checkout", "-q", "prd.json")
    looked = project("verify", "--json")
    assert told(looked)["changed"] == ["prd.json"]
    assert "warning: the commands have changed prd.json" in looked.err


def test_while_a_run_goes_on_no_flag_is_written(tmp_path: Path) -> None:
    agent = {"stories": {"US-001": [[{"run": f"echo $$ >> {tmp_path}/pids; sleep 600"}]]}}
    project = make_project(tmp_path, [story("US-001", "false"), true("US-002", "true")], agent)
    with started(project, "run") as process:
        pids_in(tmp_path / "pids")
        refused = project("verify", "--write")
        assert refused.code == 3
        assert "another prd-ralph is at work here" in refused.err
        looked = project("verify", "US-002", "--json")
        assert (looked.code, states(looked)) == (0, {"US-002": "proved"})
        assert "the work of US-001 attempt 1 lies in the tree, and the commands see it" in looked.err
        end(process, signal.SIGKILL)
    left = project("verify", "--write")
    assert (left.code, "prd-ralph reset US-001 sets it aside" in left.err) == (3, True)


def test_what_is_not_committed_is_told(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "grep -q better README.md")])
    (project.root / "README.md").write_text("better\n")
    done = project("verify")
    assert done.code == 0
    assert done.err.startswith("warning: the commands see what is not committed: README.md\n")


def test_tracked_files_that_a_command_changed_are_named(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "echo more >> README.md; touch cache")])
    done = project("verify", "--json")
    assert told(done)["changed"] == ["README.md"]
    assert "warning: the commands have changed README.md\n" in done.err


# --- --at -------------------------------------------------------------------------------------------


def test_a_commit_is_judged_in_a_checkout_of_it(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "test -f made && ! test -f later")], setup=["touch made"])
    first = project.git("rev-parse", "HEAD")
    (project.root / "later").write_text("x\n")
    project.prd_path.write_text("{")
    project.git("add", "later")
    project.git("commit", "-qm", "later")
    before = fingerprint(project.root)
    done = project("verify", "--at", "HEAD", "--json")
    assert (done.code, states(done)) == (1, {"US-001": "claimed"})
    done = project("verify", "--at", "HEAD~1", "--json")
    assert (done.code, told(done)["at"], states(done)) == (0, first, {"US-001": "proved"})
    assert fingerprint(project.root) == before
    assert project.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert not (project.root / "made").exists()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--at", "nowhere"), 2, "error: --at nowhere: no such commit\n"),
        (("--at", "HEAD~1"), 2, "error: the commit HEAD~1 has no prd.json\n"),
        (("--at", "HEAD", "--write"), 2, "error: --write sets the flags of the work tree, --at looks at a commit\n"),
    ],
)
def test_what_cannot_be_looked_at(tmp_path: Path, args: tuple[str, ...], code: int, message: str) -> None:
    done = make_project(tmp_path, [true("US-001", "true")])("verify", *args)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message)


def test_a_setup_that_fails_there_is_told(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true")], setup=["echo cannot; exit 5"])
    done = project("verify", "--at", "HEAD")
    assert done.code == 3
    assert "setup failed in a fresh checkout: echo cannot; exit 5 (exit 5)\ncannot" in done.err


def test_a_setup_that_fails_at_that_commit_alone_is_told_too(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true")], setup=["test -f tool"])
    (project.root / "tool").touch()
    project.git("add", "tool")
    project.git("commit", "-qm", "tool")
    assert project("verify", "--at", "HEAD").code == 0
    done = project("verify", "--at", "HEAD~1")
    assert (done.code, done.out) == (3, "")
    assert "setup failed in a fresh checkout: test -f tool (exit 1)" in done.err


def test_what_makes_a_checkout_less_than_clean_is_told(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true")])
    done = project("verify", "--at", "HEAD", VIRTUAL_ENV="/nowhere/venv")
    assert done.code == 0
    assert "warning: not clean: no `setup`, and the virtual environment /nowhere/venv is in use\n" in done.err


def test_an_interruption_leaves_no_checkout(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true")], setup=[f"echo $$ >> {tmp_path}/pids; sleep 600"])
    with started(project, "verify", "--at", "HEAD") as process:
        pids_in(tmp_path / "pids")
        assert end(process, signal.SIGTERM) == -signal.SIGTERM
    assert project.git("worktree", "list", "--porcelain").count("worktree ") == 1


# --- what else is told ------------------------------------------------------------------------------


def test_receipts_are_shown_and_prove_nothing(tmp_path: Path) -> None:
    steps = {"stories": {"US-001": [[{"write": "a.txt", "text": "right\n"}]]}}
    project = make_project(tmp_path, [story("US-001", "grep -q right a.txt")], steps)
    assert project.run().code == 0
    landing = project.git("log", "--format=%H", "--grep=^Prd-Ralph-Story")
    (project.root / "a.txt").write_text("wrong\n")
    done = project("verify", "--json")
    assert (done.code, states(done)) == (1, {"US-001": "claimed"})
    receipt = told(done)["stories"][0]["receipt"]
    assert (receipt["commit"], receipt["attempt"]) == (landing, 1)
    assert receipt["agent"].startswith("scripted")
    assert receipt["run"] in project.git("log", "-1", "--format=%B", landing)
    assert f"landed {landing[:9]}" in project("verify").out
    assert states(project("verify", "--at", "HEAD", "--json")) == {"US-001": "proved"}


def test_secrets_are_masked(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "echo $API_TOKEN; false")])
    done = project("verify", API_TOKEN="s3cr3t-value-of-mine")
    assert done.code == 1
    assert "s3cr3t" not in done.out + done.err
    assert "***" in done.out


def test_it_works_outside_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text(
        json.dumps({"project": "P", "userStories": [true("US-001", "test -f prd.json")]})
    )
    here = Project(tmp_path, {})
    assert states(here("verify", "--json")) == {"US-001": "proved"}
    for args in (["--write"], ["--at", "HEAD"]):
        assert here("verify", *args).code == 3


def test_an_interruption_ends_it_and_writes_nothing(tmp_path: Path) -> None:
    slow = f"echo $$ >> {tmp_path}/pids; sleep 600"
    stories = [story("US-001", "true"), story("US-002", {"run": slow, "parallel": True})]
    project = make_project(tmp_path, stories)
    with started(project, "verify", "--write") as process:
        pids_in(tmp_path / "pids")
        assert end(process, signal.SIGINT) == -signal.SIGINT
    assert project.passes() == {"US-001": False, "US-002": False}


def test_a_prd_json_that_is_none_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path, [true("US-001", "true")])
    project.prd_path.write_text("{")
    assert project("verify").code == 2
