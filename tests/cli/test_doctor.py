"""`doctor` as a person or a script meets it: everything in one list, whatever is broken, and nothing changed."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.clock import SystemClock
from prd_ralph.state import StateFolder
from tests.cli.refusal import with_env
from tests.support.programs import program
from tests.support.project import LIMIT_S, Done, Project, make_project, story

KEY = "sk-never-to-be-shown"
TOOLS = ("git", "bash", "sh", "env", "test", "cat")
CHECKS = {"python", "git", "shell", "system", "session", "disk", "settings", "prd", "repository", "lock"}
CHECKS |= {"agent", "login", "autonomy", "commands"}


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """The whole PATH: what prd-ralph needs, and a claude."""
    folder = tmp_path / "bin"
    program(folder, "claude", "echo '2.1.332 (Claude Code)'")
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


@pytest.fixture
def project(tmp_path: Path, bin_folder: Path) -> Project:
    """Nothing is wrong with it."""
    made = make_project(tmp_path, [story("US-001", "test -f a.txt", acceptanceCriteria=["a.txt is there"])])
    return with_env(made, PATH=str(bin_folder), ANTHROPIC_API_KEY=KEY, IS_SANDBOX="1")


def files(root: Path) -> dict[str, bytes]:
    """Every file, git's own too."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def doctor(project: Project, *args: str, cwd: Path | None = None, **env: str) -> Done:
    """`doctor`, which changes nothing and gives nothing away."""
    before = files(project.root)
    done = project("doctor", *args, cwd=cwd, **env)
    assert files(project.root) == before
    assert KEY not in done.out + done.err
    assert "Traceback" not in done.err
    assert "a bug in prd-ralph" not in done.err
    return done


def findings(project: Project, **env: str) -> list[dict[str, str]]:
    """All of them, once it is sure that code, JSON and lines agree."""
    done = doctor(project, "--json", cwd=None, **env)
    told: dict[str, Any] = json.loads(done.out)
    found: list[dict[str, str]] = told["findings"]
    assert list(told) == ["v", "ok", "findings"]
    assert done.code == (0 if told["ok"] else 3)
    assert told["ok"] == all(each["level"] != "blocker" for each in found)
    assert {each["check"] for each in found} <= CHECKS
    assert all(each["what"] and (each["fix"] or each["level"] == "ok") for each in found)
    levels = [each["level"] for each in found]
    assert levels == sorted(levels, key=["ok", "warning", "blocker"].index)
    return found


def bad(project: Project, **env: str) -> list[tuple[str, str, str]]:
    """What is not fine: level, check, what."""
    return [(f["level"], f["check"], f["what"]) for f in findings(project, **env) if f["level"] != "ok"]


def test_a_project_that_is_ready(project: Project, bin_folder: Path) -> None:
    done = doctor(project)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert all(line.startswith("✓ ") for line in lines[:-1]), done.out
    assert lines[-1] == "nothing is in the way"
    for line in (
        f"✓ shell lines run with {bin_folder / 'bash'}",
        "✓ no prd-ralph.toml: the defaults hold",
        "✓ prd.json: valid, 1 story, 0 passing",
        f"✓ {project.root}: nothing is in the way, commits can be made",
        f"✓ claude 2.1.332 ({bin_folder / 'claude'})",
        "✓ claude: ANTHROPIC_API_KEY",
    ):
        assert line in lines
    assert project.run("--dry-run").code == 0


def test_a_project_in_which_all_is_wrong(project: Project, bin_folder: Path) -> None:
    (bin_folder / "claude").unlink()
    (project.root / "prd-ralph.toml").write_text("max_attempts = 0\nagent = 'claude'\n")
    project.prd_path.write_text('{"project": "p",\n"userStories": [{"id": 1, "title": "", "passes": null}]}')
    project.git("config", "commit.gpgsign", "true")
    project.git("config", "gpg.program", "false")
    done = doctor(project, ANTHROPIC_API_KEY="")
    assert done.code == 3
    lines = done.out.splitlines()
    blockers = [line for line in lines if line.startswith("✗ ")]
    wanted = [
        "✗ prd-ralph.toml:1: max_attempts: 0 is no count",
        "✗ prd.json:2 /userStories/0/passes 1: ",
        "✗ prd.json:2 /userStories/0/title 1: ",
        "✗ commits are to be signed, and cannot be",
        "✗ agent not found: claude (looked on PATH)",
        "✗ claude: neither a key nor a login is seen",
    ]
    assert len(blockers) == len(wanted), done.out
    for text, line in zip(wanted, blockers, strict=True):
        assert line.startswith(text)
    assert lines.index(blockers[0]) > max(number for number, line in enumerate(lines) if line.startswith("✓"))
    assert lines[-1] == f"{len(blockers)} blockers"
    fixes = [line for line in lines if line.startswith("  fix: ")]
    assert len(fixes) == len(blockers)


def test_no_key_is_shown(project: Project) -> None:
    key = "sk-" + "ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z" * 2
    wrong = {"PRD_RALPH_TIMEOUT": key, "PRD_RALPH_AUTONOMY_CLAUDE": f'["--key", "{key}"]', "ANTHROPIC_API_KEY": key}
    for args in ((), ("--json",)):
        done = doctor(project, *args, cwd=None, **wrong)
        assert done.code == 3
        assert "aB3dE6gH9jK2" not in done.out + done.err
        assert "***" in done.out


def write_stories(project: Project, *stories: dict[str, Any]) -> None:
    project.prd_path.write_text(json.dumps({"project": "p", "userStories": stories}))


def broken_template(project: Project) -> None:
    folder = project.root / ".prd-ralph" / "templates"
    folder.mkdir(parents=True)
    (folder / "prompt.md.j2").write_text("{{ story.nonsense }}")


BROKEN: dict[str, Callable[[Project], object]] = {
    "toml": lambda project: (project.root / "prd-ralph.toml").write_text("= = ="),
    "toml is a folder": lambda project: (project.root / "prd-ralph.toml").mkdir(),
    "prd.json": lambda project: project.prd_path.write_bytes(b"\xff{"),
    "no prd.json": lambda project: project.prd_path.unlink(),
    "prd.json is elsewhere": lambda project: project.prd_path.rename(project.root.parent / "prd.json"),
    "HEAD": lambda project: (project.root / ".git" / "HEAD").write_text("nonsense\n"),
    "index": lambda project: (project.root / ".git" / "index").write_bytes(b"nonsense"),
    "config": lambda project: (project.root / ".git" / "config").write_text("[core\n"),
    "objects": lambda project: shutil.rmtree(project.root / ".git" / "objects"),
    "no repository": lambda project: shutil.rmtree(project.root / ".git"),
    "state": lambda project: (project.root / ".git" / "prd-ralph").write_text(""),
    "template": broken_template,
    "settings' commands": lambda project: (project.root / "prd-ralph.toml").write_text("check = [{run = ''}]"),
    "no command": lambda project: project.prd_path.write_text(
        json.dumps({"project": "p", "userStories": [story("1")]})
    ),
    "current": lambda project: project.git("update-ref", "refs/worktree/prd-ralph/current", "HEAD"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_whatever_is_broken_is_a_blocker_in_the_list(project: Project, what: str) -> None:
    BROKEN[what](project)
    found = findings(project)
    assert found[-1]["level"] == "blocker"
    assert any("claude 2.1.332" in each["what"] for each in found)


def test_no_home(project: Project) -> None:
    argv = ["env", "-u", "HOME", *project.command("doctor", "--json")]
    done = subprocess.run(argv, cwd=project.root, env=project.environment(), capture_output=True, timeout=LIMIT_S)
    assert done.stderr == b""
    assert any("claude 2.1.332" in found["what"] for found in json.loads(done.stdout)["findings"])


def test_a_folder_that_is_gone(project: Project) -> None:
    gone = project.root / "gone"
    gone.mkdir()
    argv = ["sh", "-c", f'{shutil.which("rmdir")} {gone}; "$@"', "sh", *project.command("doctor")]
    done = subprocess.run(argv, cwd=gone, env=project.environment(), capture_output=True, text=True, timeout=LIMIT_S)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: the working folder is no longer there\n  hint: cd to one that is\n"


def test_no_git(project: Project, bin_folder: Path) -> None:
    (bin_folder / "git").unlink()
    assert bad(project) == [("blocker", "git", "git is not on PATH")]


@pytest.mark.parametrize(
    ("script", "told"),
    [("exit 1", "does not say its version"), ("echo hm", "does not say its"), ("echo git version 2.30.9", "too old")],
)
def test_a_git_that_will_not_do(project: Project, bin_folder: Path, script: str, told: str) -> None:
    (bin_folder / "git").unlink()
    program(bin_folder, "git", script)
    ((level, check, what),) = bad(project)
    assert (level, check) == ("blocker", "git")
    assert told in what


def test_without_bash(project: Project, bin_folder: Path) -> None:
    (bin_folder / "bash").unlink()
    ((level, check, what),) = bad(project)
    assert (level, check) == ("warning", "shell")
    assert "a failure within a pipe goes unnoticed" in what
    assert doctor(project).out.splitlines()[-1] == "1 warning"


def test_the_commands_get_their_own_path(project: Project) -> None:
    found = bad(project, PRD_RALPH_CHECK_ENV_EXCLUDE="PATH")
    assert not [each for each in found if each[1] in ("git", "agent")]


# --- the repository ---


def test_what_preflight_refuses(project: Project) -> None:
    (project.root / "README.md").write_text("changed\n")
    project.git("add", "README.md")
    (project.root / ".git" / "MERGE_HEAD").write_text(project.git("rev-parse", "HEAD") + "\n")
    assert bad(project) == [
        ("blocker", "repository", "a merge is going on"),
        ("blocker", "repository", "staged but not committed: README.md"),
    ]


def test_no_identity(project: Project) -> None:
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    assert bad(project) == [("blocker", "repository", "git does not know whose commits these are to be")]


def test_a_signer_that_works_leaves_nothing(project: Project, tmp_path: Path) -> None:
    lines = ("cat >/dev/null", "echo '[GNUPG:] SIG_CREATED ' >&2", "echo signature")
    signer = program(tmp_path / "signer", "gpg", "\n".join(lines))
    project.git("config", "commit.gpgsign", "true")
    project.git("config", "gpg.program", str(signer))
    assert bad(project) == []


def test_a_repository_with_no_commit_yet(tmp_path: Path, project: Project) -> None:
    shutil.rmtree(project.root / ".git")
    project.git("init", "-q")
    assert bad(project) == []


def test_what_a_run_that_was_killed_has_left(project: Project) -> None:
    assert project.run("--agent-command", "sh -c 'echo x > b.txt'", PRD_RALPH_FAULT="checked:1").code == -9
    (project.root / "README.md").write_text("changed\n")
    assert bad(project) == []
    whats = [found["what"] for found in findings(project) if found["check"] == "repository"]
    assert "the work of US-001 attempt 1 lies in the tree; a run takes it up" in whats


def test_another_run_that_is_going_on(project: Project) -> None:
    with StateFolder(project.root / ".git" / "prd-ralph", SystemClock()).lock("main"):
        ((level, check, what),) = bad(project)
    assert (level, check) == ("warning", "lock")
    assert f"pid {os.getpid()}" in what


# --- the agents ---


def test_no_agent_at_all(project: Project, bin_folder: Path) -> None:
    (bin_folder / "claude").unlink()
    ((level, check, what),) = bad(project)
    assert (level, check) == ("blocker", "agent")
    assert "none is on PATH" in what
    assert bad(project, PRD_RALPH_AGENT_COMMAND="test -f x") == []


def test_the_agent_that_is_configured_and_missing(project: Project) -> None:
    assert ("blocker", "agent", "agent not found: codex (looked on PATH)") in bad(project, PRD_RALPH_AGENT="codex")
    assert ("blocker", "agent", "unknown agent: claud") in bad(project, PRD_RALPH_AGENT="claud")
    assert ("blocker", "agent", "not a model's name: '--evil'") in bad(project, PRD_RALPH_MODEL="--evil")


def test_the_agents_that_stories_name(project: Project, bin_folder: Path) -> None:
    write_stories(project, story("US-001", "test -f a", agent="codex"), story("US-002", "test -f b", agent="nobody"))
    told = bad(project)
    assert ("blocker", "agent", "unknown agent: nobody") in told
    assert ("blocker", "agent", "agent not found: codex (looked on PATH)") in told
    assert ("blocker", "login", "codex: neither a key nor a login is seen") in told
    program(bin_folder, "codex", "echo codex-cli 0.171.0")
    whats = [found["what"] for found in findings(project, CODEX_API_KEY=KEY, PRD_RALPH_AGENT="claude")]
    assert f"codex 0.171.0 ({bin_folder / 'codex'})" in whats
    assert "codex: CODEX_API_KEY" in whats


def test_an_agent_that_is_there_and_not_used_needs_no_login(project: Project, bin_folder: Path) -> None:
    program(bin_folder, "codex", "echo codex-cli 0.171.0")
    assert bad(project, PRD_RALPH_AGENT="claude") == []
    ((level, check, what),) = bad(project)
    assert (level, check) == ("blocker", "agent")
    assert "there are several: claude, codex" in what


def test_an_agent_that_is_no_program(project: Project, bin_folder: Path) -> None:
    (bin_folder / "claude").chmod(0o644)
    told = bad(project, PRD_RALPH_AGENT="claude")
    assert ("blocker", "agent", "agent not found: claude (looked on PATH)") in told
    assert ("warning", "agent", f"claude: {bin_folder / 'claude'} is not executable") in told


@pytest.mark.parametrize("script", ["exit 1", "echo hello", f"echo {KEY}"])
def test_an_agent_that_does_not_say_its_version(project: Project, bin_folder: Path, script: str) -> None:
    program(bin_folder, "claude", script)
    assert bad(project) == [("warning", "agent", f"claude ({bin_folder / 'claude'}) does not say its version")]


def test_no_login(project: Project) -> None:
    assert bad(project, ANTHROPIC_API_KEY="") == [("blocker", "login", "claude: neither a key nor a login is seen")]
    (Path.home() / ".claude").mkdir()
    (Path.home() / ".claude" / ".credentials.json").write_text(KEY)
    assert bad(project, ANTHROPIC_API_KEY="") == []


def test_a_key_that_is_kept_from_the_agent_is_none(project: Project) -> None:
    (finding,) = [f for f in findings(project, PRD_RALPH_ENV_EXCLUDE="*_KEY") if f["level"] != "ok"]
    assert finding["what"].startswith("claude: ANTHROPIC_API_KEY is kept from the agent")
    assert finding["fix"].startswith('env.pass = ["ANTHROPIC_API_KEY"]')
    assert bad(project, PRD_RALPH_ENV_EXCLUDE="*_KEY", PRD_RALPH_ENV_PASS="ANTHROPIC_*") == []


def test_a_session_of_an_agent(project: Project) -> None:
    (found,) = [f for f in findings(project, CLAUDECODE="1", CURSOR_AGENT="1") if f["check"] == "session"]
    assert found["level"] == "ok"
    assert found["what"].endswith(": CLAUDECODE, CURSOR_AGENT")


def test_an_agent_without_flags(project: Project) -> None:
    (project.root / "prd-ralph.toml").write_text("autonomy.claude = []\n")
    ((level, check, what),) = bad(project)
    assert (level, check) == ("warning", "autonomy")
    assert "what it must ask for is refused" in what


# --- prd.json and its commands ---


def test_what_is_doubtful_in_prd_json(project: Project) -> None:
    write_stories(project, story("US-001", "test -f a || true", acceptanceCriterea=["x"]))
    told = [(level, check) for level, check, _ in bad(project)]
    assert told == [("warning", "prd"), ("warning", "prd")]
    assert "/userStories/0/verificationCommands/0" in "".join(what for *_, what in bad(project))


def test_a_prd_json_that_is_named(project: Project) -> None:
    (project.root / "docs").mkdir()
    project.git("mv", "prd.json", "docs/mine.json")
    project.git("commit", "-q", "-m", "elsewhere")
    assert doctor(project).code == 3
    assert "✓ docs/mine.json: valid, 1 story" in doctor(project, "--prd", "docs/mine.json").out


def test_programs_that_the_commands_begin_with(project: Project) -> None:
    (project.root / "tools").mkdir()
    program(project.root / "tools", "look.sh")
    commands = (
        "nosuch-tool --all",
        "nosuch-tool --more",
        ["nosuch-argv", "x"],
        "./tools/look.sh",
        "./tools/lok.sh",
        {"run": "./look.sh", "cwd": "tools"},
        {"run": "./nowhere.sh", "cwd": "later"},
        {"run": ["private"], "env": {"PATH": str(project.root / "private")}},
        "if true; then false; fi",
        "! grep x y",
        "FOO=1 nosuch-assigned",
        "(nosuch-sub)",
        "nosuch-pipe|cat",
        "cd tools && ./look.sh",
    )
    program(project.root / "private", "private")
    write_stories(
        project, story("US-001", *commands), story("US-002", "nosuch-tool"), story("US-003", "nosuch-done", passes=True)
    )
    told = [what for level, check, what in bad(project) if check == "commands" and level == "warning"]
    assert told == [
        "nosuch-tool is not on PATH: a verification command of US-001, US-002 begins with it",
        "nosuch-argv is not on PATH: a verification command of US-001 begins with it",
        "./tools/lok.sh is not in .: a verification command of US-001 begins with it",
    ]
