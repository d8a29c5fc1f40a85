"""What the model does in each scenario: a table, and the turn that follows from it."""

import re
import shlex
from dataclasses import dataclass
from enum import Enum

from tests.realcli.mock.tools import Line, Writing, call_for
from tests.realcli.mock.turn import Answer, Asked, Refusal

HELLO = "hello from the mock\n"
WORKING = "Doing it now."
DONE = "All stories are done.\n\n<promise>COMPLETE</promise>"
ASIDE = "A title"
IDLE = "I looked around."
SPOKEN = "sk-ant-" + "api03-" + "x1Y2" * 12
"""A token that the model says, of a well-known shape; in pieces here, so that nobody takes it for a true one."""

_PLAN = re.compile(r"Turn the PRD below into user stories")
_ATTEMPT = re.compile(r"This is attempt (\d) of \d")
_REVIEW = re.compile(r'<verdict nonce=\\?"([0-9a-f]+)\\?">VERDICT-WORD')
_FILE = re.compile(r"MOCK_FILE=(/[\w./-]+)")
_PIDS = re.compile(r"MOCK_PIDS=(/[\w./-]+)")
_STATUS = re.compile(r"(\d{3})(?:x(\d+))?")
_SLEEP = re.compile(r"sleep(\d+)")
_MESSAGES = {
    400: "mock bad request",
    401: "invalid x-api-key (mock)",
    429: "Rate limit reached (mock). Please try again later.",
    529: "Overloaded (mock)",
}


@dataclass(frozen=True, slots=True)
class Places:
    """What the prompt says the model is to write: the file of the story, and the one for pids of what it starts."""

    file: str
    pids: str


class Flow(Enum):
    """Whether an answer comes in full. The others show only where it is streamed; `LOST` answers break either way."""

    WHOLE = "whole"
    CUT = "cut"
    LOST = "lost"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Scenario:
    """`line`: what the first turn has the shell do, `{file}` and `{pids}` in it; `writes`: that it writes the file.

    With neither nothing is done and `final` said at once. `plans`: what is said to a prompt that asks for a plan, at
    each of its attempts, the last one again and again. `verdict`: the word that is said to one that asks for a review.
    `refused`: so many of the story's requests meet the refusal, then no more; None: all.
    """

    writes: bool = False
    line: str = ""
    final: str = DONE
    flow: Flow = Flow.WHOLE
    refusal: Refusal | None = None
    refused: int | None = None
    plans: tuple[str, ...] = ()
    verdict: str = ""


RESET_IN_S = 2400
"""When the limit of `limit-reset` ends: from when it was met."""

PLAN = """\
{
  "project": "Hello",
  "userStories": [
    {
      "id": "US-001",
      "title": "Say hello",
      "description": "As a reader, I want a greeting.",
      "acceptanceCriteria": ["`hello.txt` says hello"],
      "verificationCommands": ["grep -q hello hello.txt"],
      "passes": true
    }
  ]
}"""
FINDING = "hello.txt:1 is to be in one line."
NO_PLAN = "I would begin with {the greeting}, and need to know more."

_SCENARIOS = {
    "ok": Scenario(writes=True),
    "refuse": Scenario(),
    "idle": Scenario(final=IDLE),
    "cut": Scenario(writes=True, flow=Flow.CUT),
    "lost": Scenario(writes=True, flow=Flow.LOST),
    "stall": Scenario(writes=True, flow=Flow.STALLED),
    "orphan": Scenario(
        line="nohup sleep 600 > /dev/null 2>&1 & echo $! >> {pids}; echo hello > {file}",
    ),
    "secret": Scenario(
        line='echo "$DEPLOY_TOKEN"; printf %s "${{DEPLOY_TOKEN%??????}}"; sleep 0.1; echo "${{DEPLOY_TOKEN#???????}}"; '
        "echo hello > {file}",
        final=f"The token is {SPOKEN}.",
    ),
    "plan": Scenario(plans=(PLAN,)),
    "plan-fenced": Scenario(
        plans=(f'Here it is, after {{"some": "thought"}}:\n\n```json\n{PLAN[:-2]},\n}}\n```\nIt serves.',)
    ),
    "plan-repaired": Scenario(plans=(NO_PLAN, PLAN.replace("passes", "done"), PLAN)),
    "plan-writes": Scenario(writes=True, final=PLAN),
    "plan-never": Scenario(plans=(NO_PLAN,)),
    "review-approve": Scenario(verdict="APPROVE"),
    "review-reject": Scenario(verdict="REJECT"),
    "limit-reset": Scenario(writes=True, refusal=Refusal(429, _MESSAGES[429], reset_in_s=RESET_IN_S), refused=1),
    "quota": Scenario(refusal=Refusal(429, "You exceeded your current quota (mock), check your plan.", quota=True)),
}


def scenario(name: str) -> Scenario:
    """By name: one of the table, an HTTP status that answers everything, or the first N requests (`529xN`, then it is
    as `ok`), or `sleepN`, a tool that runs N seconds.

    Raises KeyError for any other.
    """
    if found := _STATUS.fullmatch(name):
        status, refused = int(found[1]), int(found[2]) if found[2] else None
        return Scenario(writes=True, refusal=Refusal(status, _MESSAGES.get(status, "mock error")), refused=refused)
    if found := _SLEEP.fullmatch(name):
        return Scenario(line=f"echo $$ >> {{pids}}; sleep {found[1]}; echo late > {{file}}")
    return _SCENARIOS[name]


def places(body: str) -> Places | None:
    """What the markers MOCK_FILE and MOCK_PIDS in a request say; None for one that has none: it is no story's."""
    file, pids = _FILE.search(body), _PIDS.search(body)
    return Places(file[1], pids[1]) if file and pids else None


def plan(playing: Scenario, body: str) -> Answer | None:
    """The answer to a prompt that asks for a plan; None for other prompts and scenarios."""
    if not playing.plans or not _PLAN.search(body):
        return None
    found = _ATTEMPT.search(body)
    number = int(found[1]) if found else 1
    return Answer(playing.plans[min(number, len(playing.plans)) - 1])


def review(playing: Scenario, body: str) -> Answer | None:
    """The answer to a prompt that asks for a review; None for other prompts and scenarios."""
    found = _REVIEW.search(body) if playing.verdict else None
    return Answer(f'{FINDING}\n\n<verdict nonce="{found[1]}">{playing.verdict}</verdict>') if found else None


def turn(playing: Scenario, asked: Asked, where: Places | None) -> Answer:
    """The model's turn. It knows where it is by counting the tools' answers."""
    if where is None or not asked.tools:
        return Answer(ASIDE)
    deed = None if asked.results else _deed(playing, where)
    call = deed and call_for(deed, asked.tools)
    return Answer(WORKING, call) if call else Answer(playing.final)


def _deed(playing: Scenario, where: Places) -> Writing | Line | None:
    if playing.line:
        return Line(playing.line.format(file=shlex.quote(where.file), pids=shlex.quote(where.pids)))
    return Writing(where.file, HELLO) if playing.writes else None
