"""Tests that an agent may not change: it may do what it likes to them, the commands never see it."""

from pathlib import Path
from typing import Any

import pytest

from tests.run.told import changed_by, last, outcomes, stopped, tree
from tests.support.project import Project, make_project, story

CHECK = "tests/acceptance/check.sh"
TEST = "grep -q done one.txt\ngrep -q better a.txt\n"
FILES = {CHECK: f"set -e\n{TEST}", "tests/acceptance/data.txt": "data\n", "a.txt": "good\n", "tests/unit.sh": "true\n"}
WORK = "echo done > one.txt; echo better > a.txt"
COMMAND = f"sh {CHECK}"

CHEATS = {
    "deletes it": f"rm {CHECK}",
    "empties it": f": > {CHECK}",
    "removes an assertion": f"sed -i '/better/d' {CHECK}",  # C042
    "leaves at its start": f"sed -i '1i exit 0' {CHECK}",
    "links it": f"ln -sf /bin/true {CHECK}",
    "links its folder": "mv tests ../old; mkdir -p ../l/acceptance; echo > ../l/acceptance/check.sh; ln -s ../l tests",
    "moves its folder": f"mv tests/acceptance tests/old; mkdir tests/acceptance; echo > {CHECK}",
    "commits it": f": > {CHECK}; git commit -qam 'test: mend'",
    "hides it": f"git update-index --assume-unchanged {CHECK}; : > {CHECK}",
    "skips it": f"git update-index --skip-worktree {CHECK}; : > {CHECK}",
    "ignores it": f"git rm -q --cached {CHECK}; echo tests > .gitignore; : > {CHECK}",
    "filters it": f"echo '*.sh working-tree-encoding=UTF-16' > .gitattributes; : > {CHECK}",
}


def _project(folder: Path, lines: dict[str, str], command: str = COMMAND, **fields: Any) -> Project:
    """A story for each of the lines, all judged by one command; its agent runs the line."""
    script = {"stories": {name: [[{"run": line}]] for name, line in lines.items()}}
    return make_project(folder, [story(name, command) for name in lines], script, FILES, **fields)


PROTECT = pytest.mark.parametrize("protect", [["tests/acceptance/**"], "auto"], ids=["pattern", "auto"])


@PROTECT
def test_no_test_is_passed_by_damaging_it(tmp_path: Path, protect: object) -> None:  # C031 C042
    lines = {name: f"echo done > one.txt; {line}" for name, line in CHEATS.items()}
    project = _project(tmp_path, lines, protect=protect)
    before = tree(project)
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == dict.fromkeys(CHEATS, "failed")
    told = last(done, "tampered")
    assert {name for name, event in told.items() if CHECK in event["what"]} == set(CHEATS)
    assert {event["reason"] for event in done.of("judged")} == {"tampered"}
    assert stopped(done) == ("exhausted", 1)
    assert tree(project) == before
    assert CHECK in done.err


@PROTECT
def test_work_that_passes_the_true_test_lands_and_strict_refuses_it(tmp_path: Path, protect: object) -> None:  # C031
    lines = {"US-001": f"{WORK}; {CHEATS['deletes it']}"}
    project = _project(tmp_path / "plain", lines, protect=protect)
    done = project.run("--max-attempts", "1")
    assert (outcomes(done), stopped(done)) == ({"US-001": "passed"}, ("complete", 0))
    assert last(done, "tampered")["US-001"]["what"] == [CHECK]
    assert changed_by(project, "US-001") == {"one.txt", "a.txt", "prd.json", "progress.txt"}
    strict = _project(tmp_path / "strict", lines, protect=protect)
    done = strict.run("--max-attempts", "1", "--strict")
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == ("failed", "tampered")
    assert strict.passes() == {"US-001": False}


def test_new_files_where_no_agent_may_write(tmp_path: Path) -> None:
    line = f"{WORK}; echo 'exit 0' > tests/acceptance/0.sh; echo x > tests/more.sh"
    command = "for each in tests/acceptance/*.sh; do . ./$each; done"
    project = _project(tmp_path, {"US-001": line}, command, protect=["tests/acceptance/"])
    done = project.run()
    assert outcomes(done) == {"US-001": "passed"}
    assert last(done, "tampered")["US-001"]["what"] == ["tests/acceptance/0.sh (new: moved away)"]
    assert changed_by(project, "US-001") == {"one.txt", "a.txt", "tests/more.sh", "prd.json", "progress.txt"}


@PROTECT
@pytest.mark.parametrize("stage", ["agent_ended", "guarded", "frozen"])
def test_after_a_killed_run_too(tmp_path: Path, protect: object, stage: str) -> None:
    line = f"{WORK}; : > {CHECK}; mkdir -p tests/acceptance/new; echo x > tests/acceptance/new/x.sh"
    project = _project(tmp_path, {"US-001": line}, f"{COMMAND} && grep -q better {CHECK}", protect=protect)
    (project.root / "tests/acceptance/mine.txt").write_text("the person's\n")
    assert project.run(PRD_RALPH_FAULT=stage).code == -9
    done = project.run()
    assert outcomes(done) == {"US-001": "passed"}
    assert not done.of("agent_started")
    if stage == "agent_ended":
        assert CHECK in last(done, "tampered")["US-001"]["what"]
    assert (project.root / CHECK).read_text() == FILES[CHECK]
    assert (project.root / "tests/acceptance/mine.txt").read_text() == "the person's\n"
    assert (project.root / "tests/acceptance/new/x.sh").exists() is (protect == "auto")
    assert CHECK not in changed_by(project, "US-001")


def test_what_a_killed_agent_did_is_held_against_it_under_strict(tmp_path: Path) -> None:
    project = _project(tmp_path, {"US-001": f"{WORK}; rm {CHECK}"}, protect="auto")
    assert project.run("--strict", PRD_RALPH_FAULT="agent_ended").code == -9
    done = project.run("--strict", "--max-attempts", "1")
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == ("failed", "tampered")


def test_weakened_in_one_attempt_and_profited_from_in_none(tmp_path: Path) -> None:
    plays = [[{"run": f": > {CHECK}; echo done > one.txt"}], [{"run": "echo x > b.txt"}]]
    project = make_project(
        tmp_path, [story("US-001", COMMAND)], {"stories": {"US-001": plays}}, FILES, protect=["tests/acceptance/**"]
    )
    done = project.run("--max-attempts", "2")
    assert [event["outcome"] for event in done.of("judged")] == ["failed", "failed"]
    assert (project.root / CHECK).read_text() == FILES[CHECK]


HONEST = {
    "adds a test": "echo 'test -f one.txt' > tests/more.sh",
    "adds to a test": "echo 'test -d .' >> tests/unit.sh",
    "renames a test": "git mv tests/unit.sh tests/one.sh",
    "commits itself": "git add -A; git commit -qm 'feat: all of it'",
    "tells of it": "echo '# For agents' > AGENTS.md",
    "adds a snapshot": "mkdir -p tests/__snapshots__; echo a > tests/__snapshots__/a.snap",
    "changes a snapshot": "echo b > tests/__snapshots__/a.snap",
    "finds it done": "true",
}


def test_honest_agents_lose_nothing_by_auto(tmp_path: Path) -> None:
    lines = {name: f"{WORK}; {line}" for name, line in HONEST.items()}
    project = _project(tmp_path, lines, protect="auto")
    done = project.run()
    assert outcomes(done) == dict.fromkeys(HONEST, "passed")
    assert not done.of("tampered")
    assert stopped(done) == ("complete", 0)


def test_a_pattern_that_names_nothing_is_told(tmp_path: Path) -> None:
    project = _project(tmp_path, {"US-001": WORK}, protect=["test/acceptance/**", "tests/acceptance/", "!tests/x"])
    warned = [event["message"] for event in project.run().of("warning")]
    told = [message for message in warned if "protect" in message]
    assert told == ["prd.json: protect: the pattern test/acceptance/** matches no file that git tracks"]


GREET = "import sys\nif not sys.argv[1:]:\n    sys.exit('usage: greet.py NAME')\nprint(f'Hello, {sys.argv[1]}!')\n"
NOTES = 'if test "$1" = add; then echo "$2" >> notes; else cat notes; fi\n'
PROGRAMS = {
    "US-001": ("greet.py", "print('hello')\n", GREET, ["python3 greet.py Ada | diff - <(echo 'Hello, Ada!')"]),
    "US-002": (
        "usage.py",
        "print('hello')\n",
        GREET,
        ["test \"$(python3 usage.py 2>&1)\" = 'usage: greet.py NAME'", "python3 usage.py; test $? = 1"],
    ),
    "US-003": ("notes.sh", "true\n", NOTES, ["sh notes.sh add milk && sh notes.sh list | grep -q milk"]),
}


def _programs(folder: Path, commands: dict[str, list[str]]) -> Project:
    """A story a program, which is there and is changed to what the commands want of it."""
    plays = {name: [[{"write": path, "text": after}]] for name, (path, _, after, _) in PROGRAMS.items()}
    files = {path: before for path, before, _, _ in PROGRAMS.values()} | {".gitignore": "notes\n"}
    return make_project(folder, [story(name, *each) for name, each in commands.items()], {"stories": plays}, files)


def test_a_story_may_change_the_program_that_its_commands_look_at(tmp_path: Path) -> None:
    project = _programs(tmp_path, {name: commands for name, (_, _, _, commands) in PROGRAMS.items()})
    done = project.run("--strict")
    assert (outcomes(done), stopped(done)) == (dict.fromkeys(PROGRAMS, "passed"), ("complete", 0))
    assert [event["suspects"] for event in done.of("judged")] == [[], [], []]


def test_a_program_whose_exit_status_is_the_verdict_is_suspect(tmp_path: Path) -> None:
    project = _programs(tmp_path, {"US-001": ["grep -q Hello greet.py && python3 greet.py Ada"]})
    judged = last(project.run("--strict", "--max-attempts", "1"), "judged")["US-001"]
    assert judged["outcome"] == "failed"
    assert judged["suspects"] == ["greet.py: was changed, and a command's verdict is its exit status"]
