"""One turn of a conversation, whatever the dialect: what is asked, what is answered, and how each dialect says it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]

INPUT, CACHED, OUTPUT = 1234, 1000, 56
"""Tokens of every answer; `CACHED` are those of the input that were read from a cache, or come beside it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the program offers to the model. `schema`: JSON Schema of its arguments, empty where it has none."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """The model's wish that a tool be run."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, read. `results`: how many tools have answered in this conversation, which tells the turn."""

    model: str
    streamed: bool
    tools: tuple[Tool, ...]
    results: int


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error in place of an answer. `quota`: what was paid for is used up. `reset_in_s`: that it is a
    subscription's limit of five hours, and when it ends."""

    status: int
    message: str
    quota: bool = False
    reset_in_s: int | None = None

    def headers(self, now: float) -> dict[str, str]:
        """Those by which a subscription's limit is told; `now` is Unix time."""
        if self.reset_in_s is None:
            return {}
        word, end = "anthropic-ratelimit-unified", str(int(now) + self.reset_in_s)
        claim = {f"{word}-representative-claim": "five_hour"}
        return (
            claim
            | {f"{word}{of}-status": "rejected" for of in ("", "-5h")}
            | {f"{word}{of}-reset": end for of in ("", "-5h")}
        )


class Dialect(Protocol):
    """How a vendor's API says all this. `path` is the end of the address; `number` makes names that recur nowhere."""

    @property
    def path(self) -> str: ...

    def read(self, body: Json) -> Asked: ...

    def refuse(self, refusal: Refusal) -> Json: ...

    def whole(self, asked: Asked, answer: Answer, number: int) -> Json:
        """The answer in one piece."""
        ...

    def stream(self, asked: Asked, answer: Answer, number: int) -> Iterator[Json]:
        """The answer as events; the `type` of each is the event's name, and of pieces of text it ends in `delta`."""
        ...


def pieces(text: str, size: int = 20) -> Iterator[str]:
    """The text as a model streams it."""
    return (text[start : start + size] for start in range(0, len(text), size))
