"""Asking an agent for a plan until a reply is one, so and so many times at most.

The agent is handed in as what asks it, and the reader as what raises for a document that is none: nothing of an agent's
is taken but an object that the reader accepts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import AgentResult, FailureClass, Prd, ProcessEnd, Tokens
from prd_ralph.planning.replies import objects_in

ATTEMPTS = 3
# Who only answers calls no tool, which is no failure here.
_ANSWERED = (None, FailureClass.NO_WORK)

Ask = Callable[[int, str, tuple[Problem, ...]], AgentResult]
"""Asks once: the attempt's number from 1, the reply before and what was wrong with it."""
Read = Callable[[bytes], Prd]
"""The document, or ProblemsError."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was answered, in order. `prd` is what the last reply holds; None: it holds none, as `faults` say, or the
    agent failed before it had answered."""

    results: tuple[AgentResult, ...]
    prd: Prd | None = None
    faults: tuple[Problem, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the agent failed, so that it is of no use to ask it again."""
        return self.results[-1].failure not in _ANSWERED

    @property
    def stopped(self) -> bool:
        """Whether the person ended it."""
        return self.results[-1].process.end is ProcessEnd.STOPPED

    @property
    def tokens(self) -> Tokens | None:
        """Those of all attempts; None where one did not tell."""
        told = [result.tokens for result in self.results]
        known = [tokens for tokens in told if tokens is not None]
        return reduce(Tokens.plus, known) if len(known) == len(told) else None

    @property
    def cost_usd(self) -> float | None:
        """That of all attempts; None where one did not tell."""
        known = [result.cost_usd for result in self.results if result.cost_usd is not None]
        return sum(known) if len(known) == len(self.results) else None


def converse(ask: Ask, read: Read, attempts: int = ATTEMPTS) -> Conversation:
    """Asks until a reply holds a document, the agent fails, or the attempts are used up."""
    results: list[AgentResult] = []
    reply = ""
    faults: tuple[Problem, ...] = ()
    while len(results) < attempts:
        results.append(ask(len(results) + 1, reply, faults))
        so_far = Conversation(tuple(results))
        if so_far.failed or so_far.stopped:
            return so_far
        reply = results[-1].text
        prd, faults = document_in(reply, read)
        if prd is not None:
            return replace(so_far, prd=prd)
    return Conversation(tuple(results), None, faults)


def document_in(reply: str, read: Read) -> tuple[Prd | None, tuple[Problem, ...]]:
    """The last object of a reply that the reader accepts; or else what is wrong with the one that comes nearest."""
    found = objects_in(reply)
    refused: list[tuple[str, tuple[Problem, ...]]] = []
    for text in reversed(found):
        try:
            return read(text.encode("utf-8", "replace")), ()
        except ProblemsError as error:
            refused.append((text, error.problems))
    return None, _nearest(refused)


def _nearest(refused: Sequence[tuple[str, tuple[Problem, ...]]]) -> tuple[Problem, ...]:
    """Of several objects the last that has stories, or else the last."""
    if not refused:
        return (Problem("the reply holds no JSON object", "answer with the object itself, whole, and nothing else"),)
    return next((faults for text, faults in refused if '"userStories"' in text), refused[0][1])
