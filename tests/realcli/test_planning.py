"""The real programs, asked for a plan, against the mock: no tool is offered, and only a plan is taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.realcli.conftest import Ended, SetStage
from tests.realcli.mock.scenarios import NO_PLAN
from tests.realcli.programs import PROGRAMS, Program
from tests.realcli.stage import Seen, Stage, Told

pytestmark = pytest.mark.realcli

EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
PROSE = "# Hello\n\nA file greets its reader. `hello.txt` says hello.\n"
PRD = """\
# PRD: Hello

## User Stories

### US-001: Say hello

**Acceptance Criteria:**
- [ ] `hello.txt` says hello
- [ ] It says so in one line

**Verify:** `grep -q hello hello.txt`
"""


def ended_with(code: int) -> Seen:
    """Nothing is recorded of planning."""
    return Seen("", "", False, "", code)


def prompts(stage: Stage) -> list[str]:
    """The bodies of the requests that asked for a plan."""
    return [
        entry.body.decode() for entry in stage.mock.journal if b"Turn the PRD below" in entry.body and entry.streamed
    ]


def assert_planned(stage: Stage, told: Told, attempts: int) -> None:
    """Written is what the mock said, but that it passes; what it took is told as far as it is known."""
    document: Any = json.loads(stage.project.prd_path.read_bytes())
    (story,) = document["userStories"]
    assert (story["id"], story["passes"]) == ("US-001", False)
    assert story["verificationCommands"] == ["grep -q hello hello.txt"]
    read = 1234 if stage.program.name == "claude" else 234  # what came from the cache is counted apart
    assert f"{read * attempts} tokens in, {56 * attempts} out" in told.err
    assert ("cost unknown" in told.err) is not stage.program.tells_cost
    assert f"{stage.program.name} {stage.program.pin.version} · {attempts} attempt" in told.err
    assert not stage.file.exists()


def kept(told: Told) -> str:
    """The reply that is kept where none was a plan; its file goes."""
    (name,) = [line.partition(" is kept: ")[2] for line in told.err.splitlines() if " is kept: " in line]
    text = Path(name).read_text(encoding="utf-8")
    Path(name).unlink()
    return text


@EACH
@pytest.mark.parametrize("scenario", ["plan", "plan-fenced"])
def test_a_plan(program: Program, scenario: str, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, scenario)
    told = stage.plan(PROSE)
    assert ended(stage, scenario, told) == ended_with(0)
    assert_planned(stage, told, attempts=1)
    assert "added US-001: Say hello (0 of 1 criteria its own)" in told.err
    assert len(prompts(stage)) == 1
    if program.name == "claude":
        assert {entry.tools for entry in stage.mock.journal} <= {()}


@EACH
def test_what_it_lost_is_listed(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "plan")
    told = stage.plan(PRD)
    assert ended(stage, "plan-lost", told) == ended_with(0)
    assert "warning: prd.md:9: a criterion of US-001 is lost: It says so in one line" in told.err


@EACH
def test_a_plan_that_is_mended(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "plan-repaired")
    told = stage.plan(PROSE)
    assert ended(stage, "plan-repaired", told) == ended_with(0)
    assert_planned(stage, told, attempts=3)
    first, second, third = prompts(stage)
    assert "What was wrong" not in first
    assert "the reply holds no JSON object" in second
    assert "passes" in third.split("What was wrong")[1]


@EACH
def test_never_a_plan(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "plan-never")
    before = stage.project.prd_path.read_bytes()
    told = stage.plan(PROSE)
    assert ended(stage, "plan-never", told) == ended_with(2)
    assert "gave no plan in 3 attempts" in told.err
    assert kept(told).strip() == NO_PLAN
    assert stage.project.prd_path.read_bytes() == before


@EACH
def test_nothing_can_be_written(program: Program, set_stage: SetStage, ended: Ended) -> None:
    """The model knows where the project is and would write there: one program offers no tool, one does not let it."""
    stage = set_stage(program, "plan-writes")
    told = stage.plan(f"{PROSE}\nMOCK_FILE={stage.file}\nMOCK_PIDS={stage.pids}\n")
    assert ended(stage, "plan-writes", told) == ended_with(2 if program.name == "claude" else 0)
    assert len(stage.requests) == (0 if program.name == "claude" else 2)
    if program.name == "claude":
        kept(told)
    assert not stage.file.exists()
    assert not stage.project.git("status", "--porcelain", "--", ":!prd.json", ":!prd.md")


@EACH
def test_a_failure(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "401")
    told = stage.plan(PROSE)
    assert ended(stage, "plan-401", told) == ended_with(3)
    assert "failed: auth" in told.err
    assert "log in" in told.err
    assert len(told.err.split("asking ")) == 2
