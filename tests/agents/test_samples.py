"""What true programs printed, through the parsers: text, tokens, cost, calls and class of each sample."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents.jsonlines import JsonEvents
from prd_ralph.agents.presets import PRESETS
from prd_ralph.agents.told import result_of
from prd_ralph.model import AgentAction, AgentResult, FailureClass, ProcessEnd, ProcessResult, Tokens

SAMPLES = Path(__file__).with_name("samples")
DONE = "All stories are done.\n\n<promise>COMPLETE</promise>"
WRITING = "Writing the file now."
TWO_TURNS = Tokens(2468, 112, 2000)
CACHED_WITHIN = Tokens(468, 112, 2000)  # codex counts what it read from the cache as input too


@dataclass(frozen=True)
class Expected:
    """`error`: how it begins. Cost in US dollars; None is unknown."""

    failure: FailureClass | None = None
    error: str = ""
    text: str = ""
    tokens: Tokens | None = None
    cost: float | None = None
    calls: int | None = None


def claude(failure: FailureClass | None = None, error: str = "", text: str = "", **known: Any) -> Expected:
    values: dict[str, Any] = {"tokens": Tokens(), "cost": 0.0, "calls": 0} | known
    return Expected(failure, error, text, **values)


OK: dict[str, Any] = {"text": DONE, "tokens": TWO_TURNS, "cost": 0.012512, "calls": 1}
EXPECTED = {
    "claude": {
        "400": claude(FailureClass.ERROR, "API Error: 400 mock bad request"),
        "401": claude(FailureClass.AUTH, "Invalid API key"),
        "403": claude(FailureClass.AUTH, "Failed to authenticate. API Error: 403"),
        "429-json": claude(FailureClass.USAGE_LIMIT, "API Error: Request rejected (429)", calls=None),
        "429-r1": claude(FailureClass.USAGE_LIMIT, "API Error: Request rejected (429)"),
        "500-r1": claude(FailureClass.TRANSIENT, "API Error: 500 mock internal error"),
        "529-r1": claude(FailureClass.TRANSIENT, "API Error: 529 Overloaded"),
        "529x2": claude(**OK),
        "badurl": claude(FailureClass.TRANSIENT, "API Error: Connection refused"),
        "cut": claude(**(OK | {"tokens": Tokens(7404, 140, 6000), "cost": 0.033616})),
        "int-stall": claude(
            FailureClass.ERROR, "[ede_diagnostic]", WRITING[:-1], tokens=Tokens(1234, 7, 1000), cost=0.005276
        ),
        "max-turns": claude(
            FailureClass.ERROR, "Reached maximum number of turns (2)", **(OK | {"calls": 2, "text": WRITING})
        ),
        "no-perm": claude(FailureClass.NO_WORK, **(OK | {"calls": 0})),
        "nokey": claude(FailureClass.AUTH, "Not logged in"),
        "ok-json-stdin": claude(**(OK | {"calls": None})),
        "ok-stream-stdin": claude(**OK),
        "sse_overload": claude(
            FailureClass.TRANSIENT,
            "API Error: Server error mid-response",
            DONE,
            tokens=Tokens(6170, 5, 5000),
            cost=0.02578,
            calls=1,
        ),
        "t-ok": claude(**OK),
    },
    "codex": {
        "400": Expected(FailureClass.ERROR, "mock bad request", calls=0),
        "401": Expected(FailureClass.AUTH, "unexpected status 401 Unauthorized", calls=0),
        "429": Expected(FailureClass.USAGE_LIMIT, "exceeded retry limit, last status: 429", calls=0),
        "500": Expected(FailureClass.TRANSIENT, "We’re currently experiencing high demand", calls=0),
        "529": Expected(FailureClass.TRANSIENT, "unexpected status 529", calls=0),
        "cut": Expected(FailureClass.TRANSIENT, "stream disconnected before completion", calls=0),
        "int-stall": Expected(FailureClass.ERROR, "WARNING: proceeding"),
        "no-perm": Expected(FailureClass.NO_WORK, "", DONE, CACHED_WITHIN, None, 0),
        "nokey": Expected(FailureClass.AUTH, "Missing environment variable", calls=0),
        "nomodel": Expected(None, "", DONE, CACHED_WITHIN, None, 1),
        "ok-json-stdin": Expected(None, "", DONE, CACHED_WITHIN, None, 1),
        "quota": Expected(FailureClass.CREDITS, "Quota exceeded. Check your plan and billing", calls=0),
        "sse_overload": Expected(FailureClass.USAGE_LIMIT, "rate limit exceeded", DONE, None, None, 1),
    },
}
CASES = [(family, case) for family, cases in EXPECTED.items() for case in cases]


def process_of(family: str, case: str) -> ProcessResult:
    """The sample as the process that printed it."""
    codes = dict(line.split() for line in (SAMPLES / family / "exit-codes.txt").read_text().splitlines())
    [stdout] = [path.read_bytes() for path in (SAMPLES / family).glob(f"{case}.json*")]
    stderr = SAMPLES / family / f"{case}.stderr"
    said = stderr.read_bytes() if stderr.exists() else b""
    return ProcessResult(ProcessEnd.EXITED, int(codes[case]), 1.0, stdout, said)


def read(family: str, process: ProcessResult, size: int, actions: list[AgentAction] | None = None) -> AgentResult:
    """What is made of it when it comes in pieces of `size` bytes."""
    stream = PRESETS[family].stream((actions if actions is not None else []).append)
    events = JsonEvents(stream.take)
    for start in range(0, len(process.stdout), size):
        events.feed(process.stdout[start : start + size])
    events.close()
    return result_of(process, stream.told)


@pytest.mark.parametrize(("family", "case"), CASES)
def test_a_sample_is_read(family: str, case: str) -> None:
    expected, process = EXPECTED[family][case], process_of(family, case)
    result = read(family, process, 1000)
    print(f"{family:<6} {case:<16} {result.failure or 'ok':<12} {result.tokens} {result.cost_usd} {result.error[:60]}")
    assert (result.failure, result.text, result.tokens, result.tool_calls) == (
        expected.failure,
        expected.text,
        expected.tokens,
        expected.calls,
    )
    assert result.error.startswith(expected.error)
    assert result.cost_usd == expected.cost
    assert result.session
    assert read(family, process, 7) == result


def test_no_sample_is_left_out() -> None:
    there = {(family, path.stem) for family in EXPECTED for path in (SAMPLES / family).glob("*.json*")}
    assert there == set(CASES)
