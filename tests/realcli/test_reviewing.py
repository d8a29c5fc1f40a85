"""The real programs, asked for a review, against the mock: what they say last is an approval, or it is none."""

import pytest

from tests.realcli.conftest import Ended, SetStage
from tests.realcli.mock.scenarios import FINDING
from tests.realcli.programs import PROGRAMS, Program
from tests.realcli.stage import Seen

pytestmark = pytest.mark.realcli


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize(("scenario", "code"), [("review-approve", 0), ("review-reject", 1)])
def test_a_review(program: Program, scenario: str, code: int, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, scenario)
    stage.file.write_text("hello\n", encoding="utf-8")
    told = stage.review()
    assert ended(stage, scenario, told) == Seen("", "", False, "", code)
    assert told.err.startswith(f"{FINDING}\n{program.name} {program.pin.version} ")
    (asked,) = [entry for entry in stage.mock.journal if b"VERDICT-WORD" in entry.body and entry.streamed]
    assert b"+hello" in asked.body
    if program.name == "claude":
        assert {entry.tools for entry in stage.mock.journal} <= {()}
