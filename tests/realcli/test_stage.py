"""What the bench rests on: that it would see what a run leaves alive, and starts nothing with the developer's keys."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from prd_ralph.model import MARK_VARIABLE
from tests.realcli.mock import MockModel
from tests.realcli.programs import PROGRAMS
from tests.realcli.stage import Stage, Told, set_the_stage

RUN = "20310301T080000Z-4f2a"


@pytest.fixture
def stage(mock: MockModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "the developer's")
    monkeypatch.setenv("OPENAI_API_KEY", "the developer's")
    return set_the_stage(PROGRAMS[0], mock, "ok", tmp_path / "cli", tmp_path / "scratch")


def found(stage: Stage, cwd: Path, env: Mapping[str, str]) -> bool:
    """Whether a process with this folder and environment is seen to be left, once it is up."""
    wait = ["sh", "-c", "echo up; read _"]
    full = {"PATH": os.environ["PATH"], **env}
    pipe = subprocess.PIPE
    with subprocess.Popen(wait, cwd=cwd, env=full, stdin=pipe, stdout=pipe) as process:
        try:
            assert process.stdout and process.stdout.readline() == b"up\n"
            return psutil.Process(process.pid) in stage.left()
        finally:
            process.kill()


def test_whatever_is_left_is_seen(stage: Stage, tmp_path: Path) -> None:
    (stage.project.root / ".git/prd-ralph/runs" / RUN).mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert stage.left() == []
    assert found(stage, elsewhere, {"HOME": str(stage.home)})
    assert found(stage, stage.project.root, {})
    assert found(stage, elsewhere, {MARK_VARIABLE: f"outer:{RUN}.US-001.1"})
    assert not found(stage, elsewhere, {"HOME": str(elsewhere), MARK_VARIABLE: "another.US-001.1"})


def test_the_environment_holds_nothing_of_the_developers(stage: Stage) -> None:
    assert stage.env["ANTHROPIC_API_KEY"] == "dummy"
    assert "OPENAI_API_KEY" not in stage.env
    assert stage.env["HOME"] == str(stage.home)


def test_what_a_run_did_not_tell_is_empty(stage: Stage) -> None:
    seen = Told(2, "error: no", ()).seen(left=0)
    assert (seen.failure, seen.outcome, seen.stop, seen.exit) == ("", "", "", 2)
