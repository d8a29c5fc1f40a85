"""Hidden checks are run and counted, and an agent finds nothing of them where it may look."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.run.test_feedback import prompts_of
from tests.run.told import last, outcomes, stopped
from tests.support.project import Project, make_project, story

SECRET, SAID = "zebra", "giraffe"
RED = f"echo {SAID}; echo 'expected {SAID}' >&2; grep -q {SECRET} a.txt"
"""A command that an agent would know by its first word, and its output by the second."""


def hide(project: Project, tables: dict[str, Sequence[object]]) -> Path:
    """A file with hidden checks beside the project, and the project's environment that names it."""
    path = project.root.parent / "hidden.toml"
    blocks = (
        f"[{json.dumps(story_id)}]\ncommands = {_toml(list(commands))}\n" for story_id, commands in tables.items()
    )
    path.write_text("\n".join(blocks))
    (project.root / "prd-ralph.toml").write_text(f"hidden_checks = {json.dumps(str(path))}\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "settings")
    return path


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def seen_by_agents(project: Project) -> bytes:
    """All that a run has written anywhere: the work tree, git, the state folder."""
    files = [path.read_bytes() for path in project.root.rglob("*") if path.is_file() and path.name != "hidden.toml"]
    return b"\n".join([*files, project.git("log", "--all", "--format=%B").encode()])


def hash_of(command: str) -> str:
    return f"sha256:{hashlib.sha256(command.encode()).hexdigest()[:12]}"


def test_a_red_hidden_check_refuses_and_nothing_of_it_is_told(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")])
    hide(project, {"US-001": [RED, {"name": "style", "run": ["grep", "-q", SECRET, "a.txt"]}], "*": ["true"]})
    done, prompts = prompts_of(project, "--max-attempts", "2", line="date +%N >> a.txt")

    assert stopped(done) == ("exhausted", 1)
    assert [(e["name"], e["status"]) for e in done.of("check_finished")][:4] == [
        ("test -f a.txt", "passed"),
        ("hidden-3", "passed"),
        ("hidden-1", "failed"),
        ("style", "failed"),
    ]
    event = next(each for each in done.of("check_finished") if each["name"] == "hidden-1")
    assert (event["command"], event["excerpt"], event["hidden"], event["own"]) == (hash_of(RED), "", True, True)
    assert "$ hidden checks\nThey are not shown to you.\n[2 failed]" in prompts[1]
    for word in (SECRET, SAID):
        assert word.encode() not in seen_by_agents(project)
        assert word not in done.out + done.err + "".join(prompts)
    assert "hidden-1" not in prompts[1]
    assert prompts[1].count("\n- hidden checks: 2 of 3 failed\n") == 1  # in progress.txt
    assert "✗ hidden-1 exit 1" in done.err
    shown = project("show", "US-001", "--checks")
    assert hash_of(RED) in shown.out and SAID not in shown.out
    assert shown.err == ""


def test_green_hidden_checks_count_and_are_named_in_the_commit(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt"), story("US-002", "test -f a.txt")])
    green = f"grep -q {SECRET} a.txt"
    hide(project, {"US-001": [green]})
    done, prompts = prompts_of(project, line="printf '%s' ze >> a.txt; echo bra >> a.txt; echo $$ >> a.txt")

    assert outcomes(done) == {"US-001": "passed", "US-002": "passed"}
    assert SECRET not in "".join(prompts)
    first = project.git("log", "--format=%B", "--grep=Prd-Ralph-Story: US-001")
    assert f"Prd-Ralph-Check: hidden-1 {hash_of(green)}" in first
    assert "hidden" not in project.git("log", "--format=%B", "--grep=Prd-Ralph-Story: US-002")
    assert {event["name"] for event in done.of("check_finished") if event["hidden"]} == {"hidden-1"}


def test_a_hidden_check_that_is_none_runs_once(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"default": []})
    hide(project, {"US-001": ["true"], "*": ["true"]})
    done = project.run()

    assert [(event["name"], event["hidden"]) for event in done.of("check_finished")] == [("true", False)]


def test_a_hidden_check_that_is_the_storys_own_decides_where_nothing_was_changed(tmp_path: Path) -> None:
    """As any command of the story's own would: that of every story would not."""
    stories = [{"id": name, "title": name, "passes": False} for name in ("US-001", "US-002")]
    project = make_project(tmp_path, stories, {"default": []}, verificationCommands=["true"])
    hide(project, {"US-001": ["true"], "*": ["test -f README.md"]})
    done = project.run("--max-attempts", "1")

    assert outcomes(done) == {"US-001": "passed", "US-002": "no_change"}


def test_a_doubt_about_a_hidden_check_says_nothing_of_its_output(tmp_path: Path) -> None:
    written = {"write": "a.txt", "text": "a\n"}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], {"default": [written]})
    hide(project, {"US-001": ["echo 'no tests ran in 0.01s'"]})
    done = project.run("--strict", "--max-attempts", "1")

    assert last(done, "judged")["US-001"]["reason"] == "suspect"
    assert done.of("check_finished")[-1]["suspect"] == "its output says that the exit status 0 proves nothing"


def test_too_few_tests_in_a_hidden_check_are_not_counted_out(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"default": [{"write": "a.txt", "text": "a\n"}]})
    hide(project, {"*": [{"run": "echo 1 passed in 0.01s", "minTests": 2}]})
    done = project.run("--max-attempts", "1")

    assert outcomes(done) == {"US-001": "failed"}
    assert done.of("check_finished")[-1]["excerpt"] == ""


def test_what_failed_is_told_alike_after_a_restart(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")])
    hide(project, {"US-001": [RED]})
    _, prompts = prompts_of(project, "--once")
    agent = f"sh {tmp_path}/agent.sh"
    project.run("--agent-command", agent, "--once")

    (second,) = [each.read_text() for each in (tmp_path / "prompts").iterdir() if each.name == "1"]
    assert "[1 failed]" in second and SECRET not in second and "hidden-1:" not in second.partition("progress.txt")[0]
    assert len(prompts) == 1


# --- what is refused ------------------------------------------------------------------------------

BAD: dict[str, tuple[str, list[str]]] = {
    "no TOML": ("commands = [", ["is not TOML"]),
    "empty": ("", ["holds no command"]),
    "no table": ('"US-001" = ["true"]\n"US-002" = 3\n', ["US-001: is no table", "US-002: is no table"]),
    "no commands": (
        '["US-001"]\n["*"]\ncommands = "true"\n',
        ["US-001: commands is no list", "*: commands is no list"],
    ),
    "another key": ('["US-001"]\ncommands = ["true"]\nprotect = "auto"\n', ["unknown key 'protect'"]),
    "bad commands": (
        '["US-001"]\ncommands = ["", {run = "true", tiemout = 3}]\n["*"]\ncommands = [3]\n',
        ["/commands/0 US-001", "did you mean 'timeout'?", "/commands/0 *"],
    ),
    "a folder that leads out": ('["*"]\ncommands = [{run = "true", cwd = "../.."}]\n', ["/commands/0/cwd *"]),
    "a story that is none": (
        '["US-009"]\ncommands = ["true"]\n',
        ["hidden checks of US-009: no such story in prd.json"],
    ),
    "a file as a folder": (
        '["US-001"]\ncommands = [{run = "true", cwd = "README.md"}]\n',
        ["cwd README.md is not a folder"],
    ),
}


@pytest.mark.parametrize(
    ("name", "command"), [*((name, "run") for name in BAD), ("no TOML", "doctor"), ("a story that is none", "doctor")]
)
def test_a_file_that_cannot_be_used_is_refused_before_any_agent(tmp_path: Path, name: str, command: str) -> None:
    text, problems = BAD[name]
    project = make_project(tmp_path, [story("US-001", "true")], {"default": [{"write": "a.txt", "text": "a\n"}]})
    path = hide(project, {"*": ["true"]})
    path.write_text(text)
    done = project(command)

    assert done.code == (2 if command == "run" else 3)
    for problem in problems:
        assert problem in done.out + done.err
    assert not (project.root / "a.txt").exists()


PLACES: dict[str, tuple[str, str]] = {
    "in the tree": ("inside.toml", "an agent can read it there"),
    "in git's folder": (".git/inside.toml", "an agent can read it there"),
    "by a link that lies there": ("link-out.toml", "an agent can read it there"),
    "by a folder that is a link": ("folder-out/hidden.toml", "an agent can read it there"),
    "by a link from outside": ("../link-in.toml", "an agent can read it there"),
    "by a way that leads out again": ("folder/../../hidden.toml", "an agent can read it there"),
    "missing": ("../none.toml", "cannot be read: No such file or directory"),
    "a folder": ("..", "must be in a regular file"),
    "a FIFO": ("../pipe", "must be in a regular file"),
    "a circle": ("../circle", "cannot be read: Too many levels of symbolic links"),
    "not UTF-8": ("../latin.toml", "is not UTF-8"),
}


@pytest.mark.parametrize("name", PLACES)
def test_it_lies_outside_and_can_be_read(tmp_path: Path, name: str) -> None:
    place, problem = PLACES[name]
    project = make_project(tmp_path, [story("US-001", "true")], {"default": []}, {"folder/a.txt": "a\n"})
    good = hide(project, {"*": ["true"]})
    (project.root / "inside.toml").write_bytes(good.read_bytes())
    (project.root / ".git/inside.toml").write_bytes(good.read_bytes())
    (project.root / "link-out.toml").symlink_to(good)
    (project.root / "folder-out").symlink_to(tmp_path)
    (tmp_path / "link-in.toml").symlink_to(project.root / "inside.toml")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    done = project.run(PRD_RALPH_HIDDEN_CHECKS=place)

    assert done.code == 2
    assert problem in done.err
    assert done.err.count("hint: ") == 1


def test_a_relative_path_is_the_projects_and_no_agent_gets_the_variable(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")])
    hide(project, {"*": ["false"]})
    agent = tmp_path / "agent.sh"
    agent.write_text("cat > /dev/null; env > env.txt\n")
    done = project.run(
        "--max-attempts", "1", "--agent-command", f"sh {agent}", PRD_RALPH_HIDDEN_CHECKS="../hidden.toml"
    )
    given = project.git("show", f"{last(done, 'set_aside')['US-001']['ref']}:env.txt")

    assert last(done, "check_finished")["US-001"]["name"] == "hidden-1"
    assert "PRD_RALPH_STORY_ID=US-001" in given and "HIDDEN_CHECKS" not in given
    (start,) = done.of("run_started")
    assert start["kept_from_agent"] == start["kept_from_commands"] == ["PRD_RALPH_HIDDEN_CHECKS"]


def test_only_the_path_is_shown(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"default": []})
    path = hide(project, {"US-001": [RED]})
    shown: list[Any] = [project("config"), project("doctor"), project("run", "--dry-run"), project("prompt")]

    assert str(path) in shown[0].out
    assert not [done for done in shown if SECRET in done.out + done.err]
