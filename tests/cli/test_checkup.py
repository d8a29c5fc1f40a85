"""The doctor's rooms, where a command line cannot bring about what they look at: time, other systems, other users."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from prd_ralph.agents import login, registry
from prd_ralph.cli.checkup import machine
from prd_ralph.cli.checkup.agents import User, agents
from prd_ralph.cli.checkup.bounded import BoundedProcesses
from prd_ralph.cli.checkup.findings import Finding, Level
from prd_ralph.cli.checkup.repository import repository
from prd_ralph.cli.doctor import examined
from prd_ralph.cli.project import Project, look_at_project
from prd_ralph.ports import Opening
from prd_ralph.process import StopSignals, SupervisedProcesses
from tests.conftest import git
from tests.support.programs import program
from tests.support.project import make_project, story
from tests.support.unprivileged import unprivileged

FOREVER = "exec sleep 300"
PERSON = User("linux", is_root=False)


@pytest.fixture
def processes() -> Iterator[BoundedProcesses]:
    with SupervisedProcesses(StopSignals()) as supervised:
        yield BoundedProcesses(supervised, limit_s=60.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path, [story("US-001", "test -f a.txt")]).root


def opened(root: Path, **env: str) -> Project:
    """With a `bin` beside it in front of PATH."""
    path = f"{root.parent / 'bin'}:{os.environ['PATH']}"
    return look_at_project({}, root, {"HOME": str(Path.home()), "PATH": path, **env})


def bad(found: Iterator[Finding]) -> list[tuple[str, str, str]]:
    return [(str(f.level), f.check, f.what) for f in found if f.level is not Level.OK]


def test_an_agent_that_hangs_is_not_waited_for(root: Path, processes: BoundedProcesses) -> None:
    claude = program(root.parent / "bin", "claude", FOREVER)
    project = opened(root, ANTHROPIC_API_KEY="x")
    assert bad(agents(project, replace(processes, limit_s=0.3), (), PERSON)) == [
        ("warning", "agent", f"claude ({claude}) does not say its version")
    ]


@pytest.mark.parametrize("when", ["*", "status"])
def test_a_git_that_hangs_is_not_waited_for(root: Path, processes: BoundedProcesses, when: str) -> None:
    script = f'case " $* " in *" {when} "*) {FOREVER};; esac\nexec {shutil.which("git")} "$@"'
    program(root.parent / "bin", "git", FOREVER if when == "*" else script)
    slow = replace(processes, limit_s=0.3 if when == "*" else 5.0)
    found = bad(examined(opened(root, PRD_RALPH_AGENT_COMMAND="true"), slow, PERSON))
    assert [each[:2] for each in found] == [("blocker", "git" if when == "*" else "repository")]


def test_a_signer_that_hangs_is_not_waited_for(root: Path, processes: BoundedProcesses) -> None:
    signer = program(root.parent / "signer", "gpg", FOREVER)
    git(root, "config", "commit.gpgsign", "true")
    git(root, "config", "gpg.program", str(signer))
    slow = replace(processes, limit_s=5.0)
    ((level, check, what),) = bad(examined(opened(root, PRD_RALPH_AGENT_COMMAND="true"), slow, PERSON))
    assert (level, check) == ("blocker", "repository")
    assert "the signer did not answer within 5 s" in what


def test_a_lock_that_may_not_be_read(root: Path, processes: BoundedProcesses) -> None:
    lock = root / ".git" / "prd-ralph" / "lock-main"
    lock.parent.mkdir()
    lock.touch(mode=0)
    opening = Opening("prd.json", ("prd.json",), None, None, ())
    with unprivileged(root):
        found = next(repository(opened(root), processes, opening))
    assert (found.level, found.check) == (Level.BLOCKER, "lock")
    assert (f"{lock} cannot be read" in found.what, bool(found.fix)) == (True, True)


def test_no_temporary_file_can_be_made(
    root: Path, processes: BoundedProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(root / "nowhere"))
    ((level, check, what),) = bad(examined(opened(root, PRD_RALPH_AGENT_COMMAND="true"), processes, PERSON))
    assert (level, check) == ("blocker", "repository")
    assert what.startswith("no temporary file can be made")


def test_what_is_not_promised_on_macos(root: Path, processes: BoundedProcesses) -> None:
    assert list(machine.system("linux")) == []
    assert [finding.level for finding in machine.system("darwin")] == [Level.WARNING]
    program(root.parent / "bin", "claude", "echo 2.1.332")
    found = bad(agents(opened(root), processes, (), User("darwin", is_root=False)))
    assert found == [
        ("warning", "login", "claude: neither a key nor a login is seen; what the keychain holds cannot be")
    ]


def test_room_on_the_disk(tmp_path: Path) -> None:
    assert machine.disk(tmp_path, 1).level is Level.OK
    full = machine.disk(tmp_path, 1 << 80)
    assert (full.level, "GiB free" in full.what) == (Level.WARNING, True)
    assert machine.disk(tmp_path / "nowhere").level is Level.WARNING


@pytest.mark.parametrize(
    ("env", "levels"),
    [({}, []), ({"IS_SANDBOX": "1"}, []), ({"IS_SANDBOX": "yes"}, ["warning"]), ({"IS_SANDBOX": "true"}, ["warning"])],
)
def test_claude_as_root(root: Path, processes: BoundedProcesses, env: Mapping[str, str], levels: list[str]) -> None:
    program(root.parent / "bin", "claude", "echo 2.1.332")
    project = opened(root, ANTHROPIC_API_KEY="x", **env)
    found = list(agents(project, processes, (), User("linux", is_root=True)))
    assert any(each.what.startswith("claude as root acts without asking: --") for each in found)
    assert [str(each.level) for each in found if "IS_SANDBOX is set but not to 1" in each.what] == levels


def test_every_agent_that_we_know_has_its_keys() -> None:
    assert set(login.KEYS) == set(registry.presets())


def test_neither_bash_nor_sh() -> None:
    assert machine.shell({"PATH": "/nowhere"}).level is Level.BLOCKER
