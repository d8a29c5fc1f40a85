"""Installing: once, by npm, and loudly nothing where that does not work. npm is a few lines of shell here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.realcli.install import bin_of, folder_of, install, is_there
from tests.realcli.pins import PINS, Pin
from tests.realcli.table import Row, lines

PIN = Pin("agent", "@vendor/agent", "1.2.3")
PROJECT = Path(__file__).parents[2]
GOOD = """
mkdir -p "$3/node_modules/.bin"
printf '#!/bin/sh\\necho agent %s\\n' "${4##*@}" > "$3/node_modules/.bin/agent"
chmod +x "$3/node_modules/.bin/agent"
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """npm, first on PATH; each start of it is a line of the file `starts` beside it."""
    file = tmp_path / "bin/npm"
    file.parent.mkdir()
    monkeypatch.setenv("PATH", f"{file.parent}{os.pathsep}{os.environ['PATH']}")
    _write(file, GOOD)
    return file


def _write(npm: Path, lines: str) -> None:
    npm.write_text(f'#!/bin/sh\necho "$@" >> {npm.parent}/starts\n{lines}')
    npm.chmod(0o755)


def starts(npm: Path) -> list[str]:
    return npm.with_name("starts").read_text().splitlines()


def test_what_is_missing_is_installed_once(npm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache/cli"
    assert install(folder, [PIN]) == {}
    assert is_there(folder, PIN)
    assert install(folder, [PIN]) == {}
    assert [line.split()[3] for line in starts(npm)] == ["@vendor/agent@1.2.3"]


def test_another_version_takes_the_place_of_the_old_one(npm: Path, tmp_path: Path) -> None:
    install(tmp_path, [PIN])
    newer = Pin(PIN.name, PIN.package, "1.3.0")
    assert install(tmp_path, [newer]) == {}
    assert (is_there(tmp_path, PIN), is_there(tmp_path, newer)) == (False, True)


def test_a_program_that_is_half_installed_is_installed_anew(npm: Path, tmp_path: Path) -> None:
    program = bin_of(tmp_path, PIN) / PIN.name
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 1.2.3; exit 1\n")
    program.chmod(0o755)
    assert install(tmp_path, [PIN]) == {}
    assert len(starts(npm)) == 1


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo code EAI_AGAIN >&2; exit 1", "npm: exit 1\ncode EAI_AGAIN"),
        ("true", "npm was content, but `agent --version` does not say 1.2.3"),
    ],
)
def test_why_one_is_not_there(npm: Path, tmp_path: Path, script: str, why: str) -> None:
    _write(npm, script)
    assert install(tmp_path, [PIN]) == {PIN: why}


def test_a_folder_that_cannot_be_made(npm: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "Not a directory" in install(tmp_path / "file/cli", [PIN])[PIN]


def test_where_the_programs_are() -> None:
    assert folder_of({"PRD_RALPH_CLI_DIR": "/cli", "XDG_CACHE_HOME": "/cache"}) == Path("/cli")
    assert folder_of({"XDG_CACHE_HOME": "/cache"}) == Path("/cache/prd-ralph/cli")
    assert folder_of({}) == Path.home() / ".cache/prd-ralph/cli"


def test_without_npm_it_says_so_loudly_and_is_content(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.realcli"],
        cwd=PROJECT,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), "PRD_RALPH_CLI_DIR": str(tmp_path / "cli")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr.count("\n") > len(PINS) * 3
    if sys.platform == "linux":
        assert [f"{pin.name} {pin.version} was NOT tried" in done.stderr for pin in PINS] == [True] * len(PINS)
        assert "npm is not on PATH" in done.stderr


def test_the_table() -> None:
    rows = [Row(("codex", "401", "auth", "agent_error auth", "no", "auth", "3", "0"), holds=False)]
    rows.append(Row(("claude", "success", "-", "passed", "yes", "complete", "0", "0"), holds=True))
    assert lines(rows) == [
        "program  case     class  outcome           charged  stop      exit  left",
        "claude   success  -      passed            yes      complete  0     0     ok",
        "codex    401      auth   agent_error auth  no       auth      3     0     MISMATCH",
    ]
