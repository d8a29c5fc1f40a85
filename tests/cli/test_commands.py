"""Every command as a person or a script meets it: what it prints where, its exit code, what it leaves alone."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prd_ralph import __version__
from tests.cli.conftest import COMMANDS
from tests.cli.refusal import fingerprint, with_env
from tests.support.project import LIMIT_S, Done, Project, make_project, story

Worked = tuple[Project, Done]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "prd"
NATIVE = ("01-exact", "02-ralph", "13-foreign", "14-priorities", "15-300", "16-unicode")
COUNTS = ("total", "passed", "failing", "blocked", "skipped")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One open story, and an agent that does it."""
    fresh = make_project(tmp_path, [story("US-001", "test -f a.txt")])
    return with_env(fresh, PRD_RALPH_AGENT_COMMAND="touch a.txt")


# --- help, version, usage ---


def test_version_needs_no_git(tmp_path: Path) -> None:
    here = Project(tmp_path, {"PATH": str(tmp_path)})
    assert here("--version").out == f"prd-ralph {__version__}\n"
    assert here("-V", "status").out == f"prd-ralph {__version__}\n"
    assert here("status", "--version").code == 2


def test_help_has_an_example_of_every_command(helps: dict[str, Done]) -> None:
    assert {done.code for done in helps.values()} == {0}
    for name in COMMANDS:
        assert re.search(rf"\n  Example: (PRD_RALPH_\w+=\S+ )?prd-ralph {name}", helps[name].out)
        assert f"\n  {name} " in helps[""].out


@pytest.mark.parametrize(
    ("arguments", "told", "hint"),
    [
        (["frob"], "No such command 'frob'", "prd-ralph --help"),
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?\n", "prd-ralph --help"),
        (["run", "--frob"], "No such option '--frob'", "prd-ralph run --help"),
        (["run", "--max-attempts"], "requires an argument", "prd-ralph run --help"),
        (["show", "run", "US-001", "two"], "not a valid integer", "prd-ralph show --help"),
        (["reset"], "Missing argument 'ID'", "prd-ralph reset --help"),
    ],
)
def test_a_command_line_that_cannot_be_understood(tmp_path: Path, arguments: list[str], told: str, hint: str) -> None:
    done = Project(tmp_path, {})(*arguments)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("error: ")
    assert told.lower() in f"{first}\n".lower()
    assert second == f"  hint: {hint}"


def test_nothing_asked_shows_what_there_is(tmp_path: Path) -> None:
    done = Project(tmp_path, {})()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: prd-ralph")


def test_a_bug_of_ours_is_one_line_and_a_log(project: Project, tmp_path: Path) -> None:
    """Provoked by a broken installation: a library that is not what it should be."""
    (tmp_path / "broken" / "jsonschema").mkdir(parents=True)
    (tmp_path / "broken" / "jsonschema" / "__init__.py").touch()
    done = project("status", PYTHONPATH=str(tmp_path / "broken"), TMPDIR=str(tmp_path))
    assert done.code == 70
    first, second = done.err.splitlines()
    assert first.startswith("error: a bug in prd-ralph: ImportError: ")
    assert "Traceback" in Path(second.split()[-1]).read_text()


def test_a_reader_that_has_seen_enough_is_no_error(project: Project) -> None:
    for command in ("status", "prompt"):
        read, write = os.pipe()
        os.close(read)
        with subprocess.Popen(
            project.command(command), cwd=project.root, env=project.environment(), stdout=write, stderr=subprocess.PIPE
        ) as process:
            os.close(write)
            assert process.communicate(timeout=LIMIT_S)[1] == b""
            assert process.returncode == 1


def test_ctrl_c_ends_any_command_by_that_signal(project: Project, tmp_path: Path) -> None:
    """Here `status`, which waits for a git that is slow."""
    started = tmp_path / "started"
    os.mkfifo(started)
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\necho >{started}\nexec sleep 300\n")
    slow.chmod(0o755)
    env = project.environment(PATH=f"{slow.parent}:{os.environ['PATH']}")
    with subprocess.Popen(project.command("status"), cwd=project.root, env=env, stderr=subprocess.PIPE) as process:
        started.read_bytes()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=LIMIT_S)[1] == b""
    assert process.returncode == -signal.SIGINT


def test_streams_that_the_parent_has_closed(project: Project) -> None:
    for closed in ("2>&-", "<&- >&- 2>&-"):
        command = f'"$@" {closed}'
        for arguments in (("status",), ("run", "--json", "--once")):
            argv = ["sh", "-c", command, "sh", *project.command(*arguments)]
            assert subprocess.run(argv, cwd=project.root, env=project.environment(), timeout=LIMIT_S).returncode == 0
    assert project.passes() == {"US-001": True}
    assert project.git("status", "--porcelain") == ""


# --- init, config, agents ---


def without_nonce(prompt: str) -> str:
    """A prompt less the word that is another one each time."""
    return re.sub("stuck-[0-9a-f]+", "stuck-NONCE", prompt)


def test_init_writes_settings_that_load(project: Project) -> None:
    done = project("init", "--templates")
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "found none of claude, codex on PATH: set agent_command, or install one\n"
        "wrote prd-ralph.toml\nwrote .prd-ralph/templates/prompt.md.j2\nwrote .prd-ralph/templates/plan.md.j2\n"
        "wrote .prd-ralph/templates/review.md.j2\n"
    )
    assert "(prd-ralph.toml" not in project("config").out  # every line is an example
    shipped = without_nonce(project("prompt").out)
    template = project.root / ".prd-ralph" / "templates" / "prompt.md.j2"
    template.write_text("Mine: {{ story.id }}\n" + template.read_text())
    assert without_nonce(project("prompt").out) == "Mine: US-001\n" + shipped


def test_init_overwrites_nothing(project: Project) -> None:
    (project.root / "prd-ralph.toml").write_text("strict = true\n")
    before = fingerprint(project.root)
    done = project("init")
    assert done.code == 2
    assert "prd-ralph.toml exists already" in done.err
    assert fingerprint(project.root) == before
    (project.root / "prd-ralph.toml").unlink()
    (project.root / "prd-ralph.toml").symlink_to("elsewhere")
    assert project("init").code == 2
    assert not (project.root / "elsewhere").exists()
    (project.root / "prd-ralph.toml").unlink()
    (project.root / ".prd-ralph").write_text("a file\n")
    done = project("init", "--templates")
    assert done.code == 3
    assert "cannot be written" in done.err


def test_config_tells_every_source(project: Project) -> None:
    (project.root / "prd-ralph.toml").write_text('timeout = "20m"\nstrict = true\n')
    done = project("config", "--json", PRD_RALPH_MAX_ATTEMPTS="5", PRD_RALPH_STRICT="no")
    settings = json.loads(done.out)["settings"]
    assert settings["timeout"] == {"value": 1200.0, "source": "prd-ralph.toml:1"}
    assert settings["strict"] == {"value": False, "source": "PRD_RALPH_STRICT"}
    assert settings["max_attempts"] == {"value": 5, "source": "PRD_RALPH_MAX_ATTEMPTS"}
    assert settings["fail_fast"] == {"value": False, "source": "default"}
    lines = project("config", PRD_RALPH_MAX_ATTEMPTS="5").out.splitlines()
    assert [line.split()[0] for line in lines] == list(settings)
    assert any(line.split() == ["max_attempts", "5", "(PRD_RALPH_MAX_ATTEMPTS)"] for line in lines)
    assert any(line.split() == ["max_time", '"24h"', "(default)"] for line in lines)
    assert any(line.split() == ["timeout", '"20m"', "(prd-ralph.toml:1)"] for line in lines)
    assert project("config", PRD_RALPH_AGENTT="x").code == 2


def test_agents_are_listed(tmp_path: Path) -> None:
    here = Project(tmp_path, {})
    names = [agent["name"] for agent in json.loads(here("agents", "--json").out)["agents"]]
    assert names == ["claude", "codex", "command", "scripted"]
    assert [line.split()[0] for line in here("agents").out.splitlines()] == names


# --- validate ---


@pytest.mark.parametrize("name", NATIVE)
def test_validate_tells_what_it_read(tmp_path: Path, name: str) -> None:
    """The published form: `dialect stories commands_seen warnings`; our own findings stand beside them."""
    (file,) = (path for path in FIXTURES.glob(f"{name}*.json") if "expected" not in path.name)
    shutil.copy(file, tmp_path / "prd.json")
    done = Project(tmp_path, {})("validate", "--json")
    assert done.code == 0
    found: dict[str, Any] = json.loads(done.out)
    wanted = json.loads(file.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert found.pop("findings") is not None
    for key in ("commands_seen", "warnings"):
        assert sorted(found.pop(key)) == sorted(wanted.pop(key))
    assert found == wanted


def test_validate_warns_of_what_proves_nothing(tmp_path: Path) -> None:
    """C017 and others: without --strict a warning, with it exit 1."""
    masked = ["pytest || true", "pytest; echo ok", "pytest &", "true", "make\nexit 0"]
    honest = ["pytest -q | tail -5", "test -f a && echo ok", "a || b", "x >log 2>&1", "[ a = b ]; test -f c"]
    stories = [
        story("US-001", *masked, *honest, priority=1, status="done"),
        {"id": "US-002", "title": "t", "passes": False, "dependsOn": ["us 1"], "ChecK_": ["x"]},
    ]
    prd = {"project": "p", "userStories": stories, "tasks": [{"title": "t", "done": False}], "setup": ["true"]}
    (tmp_path / "prd.json").write_text(json.dumps(prd))
    here = Project(tmp_path, {})
    stories[1]["dependsOn"] = ["us-1"]
    (tmp_path / "prd.json").write_text(json.dumps(prd))
    done = here("validate")
    assert done.code == 0
    assert done.err.count("can be masked") == len(masked)
    assert done.err.splitlines()[-1].startswith("prd.json: valid, 2 stories, 0 passing, ")
    found = json.loads(here("validate", "--json").out)
    assert set(found["warnings"]) == {
        "passes_over_status /userStories/0",
        "no_criteria /userStories/0",
        "no_criteria /userStories/1",
        "priority_missing /userStories/1",
        "dependency_prose /userStories/1/dependsOn",
        "also_found /tasks",
    }
    assert found["commands_seen"] == ["/userStories/*/ChecK_"]
    assert {finding["story"] for finding in found["findings"]} == {"US-001", "US-002"}
    assert here("validate", "--strict").code == 2  # a reference that is only read so is an error then
    stories[1]["dependsOn"] = []
    (tmp_path / "prd.json").write_text(json.dumps(prd))
    assert here("validate", "--strict").code == 1


def test_validate_tells_errors_as_data(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text('{"project": "p",\n"userStories": [{"id": 1, "title": "", "passes": null}]}')
    done = Project(tmp_path, {})("validate", "tasks.json", "--json")
    assert done.code == 2
    assert done.err == ""
    errors = json.loads(done.out)["errors"]
    assert [(error["line"], error["pointer"], error["story"]) for error in errors] == [
        (2, "/userStories/0/passes", "1"),
        (2, "/userStories/0/title", "1"),
    ]
    assert all(error["message"] and error["hint"] for error in errors)


# --- status ---


def test_status_adds_up(worked: Worked) -> None:
    project, _ = worked
    before = fingerprint(project.root)
    found = json.loads(project("status", "--json").out)
    assert fingerprint(project.root) == before
    assert list(found) == [
        "v",
        "basis",
        "prd",
        "branch",
        *COUNTS,
        "unproven",
        "forecast",
        "run",
        "stories",
        "proposals",
    ]
    assert [found[name] for name in COUNTS] == [3, 1, 0, 1, 1]
    assert (found["v"], found["prd"], found["branch"], found["run"]) == (1, "prd.json", None, None)
    assert found["unproven"] == 0
    first, second, third = found["stories"]
    assert first == {
        "id": "US-001",
        "title": "Title of US-001",
        "passes": True,
        "state": "passed",
        "reason": None,
        "attempts": 2,
        "cost_usd": 0.5,
        "proof": "proved",
    }
    assert (second["state"], second["reason"]) == ("blocked", "waits for US-003")
    assert (third["state"], third["attempts"], third["cost_usd"]) == ("skipped", 0, None)
    lines = project("status").out.splitlines()
    assert lines[0] == "prd.json: 3 stories · 1 passed · 0 failing · 1 blocked · 1 skipped   (as recorded)"
    assert lines[1] == "  ✓ US-001 Title of US-001 · passed · 2 attempts"
    assert re.fullmatch(r"last run: \S+ · \S+Z · blocked · branch \w+", lines[-1])


def test_status_counts_by_the_limits_of_the_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "false"), story("US-002", "true")])
    assert "· ready · not tried yet\n" in project("status").out
    project.run("--max-attempts", "1", "--only", "US-001", "--agent-command", "touch a")
    told = project("status").out.splitlines()
    assert told[1:3] == [
        "  ✗ US-001 Title of US-001 · exhausted · 1 attempt used up · 1 attempt",
        "  · US-002 Title of US-002 · ready · not tried yet",
    ]
    assert " · exhausted · branch " in told[3]


def test_status_of_a_fresh_shallow_clone(worked: Worked, tmp_path: Path) -> None:
    project, _ = worked
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", str(tmp_path / "clone"))
    found = json.loads(Project(tmp_path / "clone", {})("status", "--json").out)
    assert [found[name] for name in COUNTS] == [3, 1, 0, 1, 1]
    assert found["unproven"] is None  # older landings may lie beyond what was fetched
    assert found["stories"][0]["attempts"] == 0
    assert found["stories"][0]["cost_usd"] is None


def test_status_without_a_repository(worked: Worked, tmp_path: Path) -> None:
    project, _ = worked
    shutil.copy(project.prd_path, tmp_path)
    found = json.loads(Project(tmp_path, {})("status", "--json").out)
    assert [found[name] for name in COUNTS] == [3, 1, 0, 1, 1]
    assert (found["unproven"], found["run"], found["stories"][0]["attempts"]) == (None, None, None)


# --- prompt, show ---


def test_prompt_is_what_a_run_would_begin_with(project: Project) -> None:
    (project.root / "CLAUDE.md").write_text("Be brief.\n")
    (project.root / "progress.txt").write_text("## Codebase Patterns\n\n- all is text\n\n## Yesterday\nIt rained.\n")
    project.git("add", "CLAUDE.md", "progress.txt")
    project.git("commit", "-q", "-m", "what is known")
    told = project("prompt").out
    sent = project.run("--once").events
    begun = project("show", sent[0]["run"], "US-001", "--prompt").out
    tags = [re.findall("<stuck-([0-9a-f]{16})>", text) for text in (told, begun)]
    assert tags[0] != tags[1]  # each prompt has a nonce of its own, and nothing else differs
    assert begun.replace(tags[1][0], tags[0][0]) == told
    for text in ("US-001", "test -f a.txt", "CLAUDE.md", "all is text", "It rained.", "first"):
        assert text in told


def test_prompt_of_a_story_that_is_named(worked: Worked) -> None:
    project, _ = worked
    assert "Implement story US-003" in project("prompt", "US-003").out
    done = project("prompt")
    assert (done.code, done.out) == (1, "")
    assert "no story is ready" in done.err
    done = project("prompt", "US-9")
    assert done.code == 2
    assert "US-001, US-002, US-003" in done.err


def test_show_a_run_a_story_an_attempt(worked: Worked) -> None:
    project, ran = worked
    run = ran.events[0]["run"]
    told = project("show").out.splitlines()
    branch = project.git("branch", "--show-current")
    assert re.fullmatch(rf"run {run} · \d{{4}}-\S+Z · blocked · branch {branch}", told[0])
    assert re.fullmatch(r"US-001 attempt 1 · failed · [\d.]+s", told[1])
    assert re.fullmatch(r"  agent: exit 0 · [\d.]+s", told[2])
    assert told[3] == "  right: failed (exit 1)"
    assert told[4].startswith("US-001 attempt 2 · passed · ")
    for arguments in ((run, "US-001", "1"), ("US-001", "1")):
        assert project("show", *arguments).out.splitlines() == told[:4]
    assert project("show", "US-001").out.splitlines() == told
    both = project("show", "US-001", "--prompt", "--diff").out
    assert both.startswith("Implement story US-001")
    assert "\n+right\n" in both
    assert project("show", run, "US-001", "--transcript").out.startswith("says  second try\n")
    assert project("show", run, "US-001", "1", "--transcript").out.startswith("says  first try\n")
    assert "\x1b[31m" in project("show", run, "US-001", "1", "--raw").out
    assert "wrong" in project("show", run, "US-001", "1", "--checks").out
    assert project("show", run, "US-001", "1", "--prompt").out.startswith("Implement story US-001")
    beyond = (run, "US-001", "9")
    for wrong in (("no-such-run",), (run, "US-9"), beyond, beyond[1:], ("US-001", "x"), ("US-9", "1")):
        assert project("show", *wrong).code == 2


def test_show_lists_what_an_attempt_left_out_and_why_it_is_odd(tmp_path: Path) -> None:
    project = with_env(make_project(tmp_path, [story("US-001", "true"), story("US-002", "true")]))
    first = project.run("--once", "--agent-command", "sh -c 'touch .env a; exit 3'").events[0]["run"]
    second = project.run("--once", "--agent-command", "touch b").events[0]["run"]
    told = project("show", "US-001").out
    assert told.startswith(f"run {first} · ")
    assert " · once · " in told.splitlines()[0]
    assert "\n  agent: exit 3 · error · " in told
    assert "\n  left out of the commit: .env" in told
    assert "\n  warning: the agent ended with exit 3, yet every command passes\n" in told
    plain = project("show").out.splitlines()
    assert plain[0].startswith(f"run {second} · ")
    assert plain[-1] == f"name another run: {first}"


def test_show_says_where_set_aside_work_is(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "false")])
    project("run", "--max-attempts", "1", "--agent-command", "touch a")
    (ref,) = re.findall(r"^  set aside: (\S+) holds it$", project("show").out, re.MULTILINE)
    project.git("restore", f"--source={ref}", "--", "a")
    assert (project.root / "a").exists()


def test_show_where_nothing_is_recorded(project: Project, tmp_path: Path) -> None:
    assert "no run is recorded here" in project("show").err
    assert Project(tmp_path, {})("show").code == 3
    idle = project.run("--skip", "US-001").events[0]["run"]
    assert f"no attempt in run {idle}" in project("show").err
    run = project.run("--once").events[0]["run"]
    assert f"name another run: {run}" in project("show", idle).err
    (folder,) = (project.root / ".git" / "prd-ralph" / "runs").glob("*/US-001/1")
    (folder / "transcript.log").unlink()
    ledger = folder.parents[1] / "events.jsonl"
    bare = {"run": run, "at": "", "kind": ""}
    kinds = ("judged", "check_finished", "tampered", "agent_finished", "run_finished")
    foreign = [{**bare, "kind": kind, **more} for kind in kinds for more in ({}, {"story": "US-001", "attempt": 1})]
    ledger.write_text(ledger.read_text() + "\n".join([*map(json.dumps, foreign), '{"v":1,"torn']))
    assert project("show").code == 0
    assert json.loads(project("status", "--json").out)["passed"] == 1
    done = project("show", run, "US-001", "1", "--transcript")
    assert done.code == 0
    assert "not recorded, or deleted since: transcript.log" in done.err
    assert "1 lines of the ledger cannot be read" in done.err


# --- run ---


def test_help_says_what_strict_and_baseline_do(helps: dict[str, Done]) -> None:
    told = {name: " ".join(helps[name].out.split()) for name in ("run", "verify", "audit")}
    assert "Refuse passes that are suspect or unproven." in told["run"]
    assert "Where a story's commands are green already: warn, skip the agent, or off: don't look." in told["run"]
    assert "A command fails, too, whose output makes its pass suspect." in told["verify"]
    assert "Exit with 1 for suspicions too." in told["audit"]


def test_run_shows_as_much_as_is_asked_for(project: Project) -> None:
    done = project("run")
    assert (done.code, done.out) == (0, "")
    assert "\x1b" not in done.err
    assert "[1/23] US-001 Title of US-001 · attempt 1/3" in done.err
    assert "stopped: complete · exit 0\n1 of 1 " in done.err
    project("reset", "US-001")
    project.git("commit", "-q", "-a", "-m", "again")
    quiet = project("run", "--quiet")
    assert "[1/" not in quiet.err
    assert "stopped: complete" in quiet.err
    project("reset", "US-001")
    project.git("commit", "-q", "-a", "-m", "again")
    loud = project("run", "--json", "--verbose")
    assert "prompt " in loud.err
    assert [event["seq"] for event in loud.events] == list(range(1, len(loud.events) + 1))
    assert loud.events[-1]["kind"] == "run_finished"


def on_a_terminal(project: Project, *arguments: str, **env: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {"TERM": "xterm", **project.environment(**env)}
    with subprocess.Popen(
        project.command(*arguments), cwd=project.root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        seen = bytearray()
        while select.select([ours], [], [], LIMIT_S)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the last writer has gone
                break
            if not piece:
                break
            seen += piece
        process.wait(LIMIT_S)
    os.close(ours)
    return seen.decode()


def test_colour_on_a_terminal_alone_and_never_against_the_persons_wish(worked: Worked) -> None:
    project, ran = worked
    assert "\x1b[" in on_a_terminal(project, "run")
    assert "\x1b[" not in on_a_terminal(project, "run", NO_COLOR="1")
    shown = on_a_terminal(project, "show", ran.events[0]["run"], "US-001", "1", "--transcript")
    assert "first try" in shown
    assert "\x1b" not in shown
    assert on_a_terminal(project, "show", ran.events[0]["run"], "US-001", "1", "--raw") == "first try\r\n"


def test_dry_run_changes_nothing(project: Project) -> None:
    before = fingerprint(project.root)
    done = project("run", "--dry-run")
    assert done.code == 0
    assert done.out.splitlines() == [
        "agent command touch a.txt, branch as it is, at most 23 iterations",
        "3 attempts a story, 1h each",
        "1. US-001 Title of US-001",
        "   $ test -f a.txt",
    ]
    found = json.loads(project("run", "--dry-run", "--json", "--check", "make").out)
    assert found["stories"] == [{"id": "US-001", "title": "Title of US-001", "commands": ["make", "test -f a.txt"]}]
    assert (found["agent"], found["branch"], found["max_iterations"]) == ("command touch a.txt", None, 23)
    assert fingerprint(project.root) == before
    assert not (project.root / ".git" / "prd-ralph").exists()


def test_a_run_tells_before_it_starts_what_proves_nothing(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f a || true", "true"), story("US-002", "true", skip=True)]
    odd = {**stories[0], "acceptanceCriterias": ["x"]}
    project = make_project(tmp_path, [odd, stories[1]], verificationCommands=["make; echo ok"])
    flags = ("--agent-command", "touch a", "--check", "a || :")
    dry = project("run", "--dry-run", *flags)
    assert dry.code == 0
    told = dry.err.splitlines()
    assert len(told) == 5
    assert told[0].startswith("warning: prd.json:")
    assert told[0].endswith("may begin with `x-` or `_`)")
    for line, command in zip(told[1:], ("make; echo ok", "a || :", "test -f a || true", "true"), strict=True):
        assert f'the exit status of "{command}" can be masked: ' in line
        assert line.endswith(" (let the command's own exit status be the last word)")
    assert re.match(r"warning: prd\.json:\d+ US-001: the exit status", told[3])
    done = project("run", "--once", *flags)
    assert [line for line in done.err.splitlines() if line.startswith("warning: ")][:5] == told


def test_dry_run_with_nothing_to_do(project: Project) -> None:
    done = project("run", "--dry-run", "--skip", "US-001", PRD_RALPH_AGENT_COMMAND="no-such-agent")
    assert (done.code, done.err) == (0, "")
    assert "agent none" in done.out


def test_what_a_run_that_goes_on_is_like(tmp_path: Path) -> None:
    """`status` tells of it, `stop` asks it to end, a second `run` is refused, and Ctrl-C ends it by that signal."""
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], {"stories": {"US-001": [[{"sleep": 300}]]}})
    with subprocess.Popen(
        project.command("run", "--json"), cwd=project.root, env=project.environment(), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        started = next(event for line in process.stdout if (event := json.loads(line))["kind"] == "agent_started")
        run = json.loads(project("status", "--json").out)["run"]
        assert (run["id"], run["pid"]) == (started["run"], process.pid)
        assert (run["story"], run["attempt"]) == ("US-001", 1)
        assert re.search(r"is going on \(pid \d+\): US-001 attempt 1, for [\d.]+s\n", project("status").out)
        second = project("run")
        assert second.code == 3
        assert f"another prd-ralph is at work here (pid {process.pid}" in second.err
        assert project("stop").code == 0
        process.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in process.stdout]
    assert process.returncode == -signal.SIGINT
    assert (rest[-1]["stop"], rest[-1]["exit"]) == ("signal", 130)


def test_stop_without_a_run(project: Project, tmp_path: Path) -> None:
    for _ in ("no state folder yet", "no folder"):
        done = project("stop")
        assert (done.code, done.out) == (1, "")
        assert "no run is going on here" in done.err
        (project.root / ".git" / "prd-ralph").touch()
    assert project("run").code == 3
    assert Project(tmp_path, {})("stop").code == 3


# --- as a module, and installed ---


def test_the_module_and_the_script_are_the_same(tmp_path: Path, helps: dict[str, Done]) -> None:
    script = Path(sys.executable).with_name("prd-ralph")
    told = subprocess.run([script, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert told.stdout == helps[""].out
