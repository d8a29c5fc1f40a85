"""What an adversary is: a few lines of shell a story and attempt, which earn a flag that is not true."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.adversaries.shop import MINIMAL, UNIT
from tests.support.project import story

HARD = "US-001"
EASY = "US-002"


class Kind(StrEnum):
    """What an adversary touches to be believed."""

    WORDS = "words"
    PRD = "prd.json"
    CONFIG = "settings"
    GIT = "git"
    STATE = "records"
    PROCESS = "processes"
    GROUND = "ground"
    LEFT_OUT = "left out"
    TESTS = "tests"
    """The project's own tests, or what they import."""
    CODE = "code"
    """The product alone, so that the commands hold wherever they run: no command can tell."""


@dataclass(frozen=True, slots=True)
class Adversary:
    """`plays`: by story, its attempts, each some lines of shell (see `prelude.sh`); the last one repeats.

    `command` judges US-001, the story that none of them does. `easy`: there is a US-002 beside it, which is done with
    a file `two.txt`. `files` are committed beside the shop's; `setup` is shell that the person has run in the project
    before the commit. `starts`: how often the person starts the run, because the adversary kills it.
    """

    name: str
    kind: Kind
    plays: Mapping[str, tuple[str, ...]]
    command: Any = UNIT
    easy: bool = False
    files: Mapping[str, str] = field(default_factory=lambda: MINIMAL)
    setup: str = ""
    starts: int = 1

    @property
    def stories(self) -> list[dict[str, Any]]:
        """The stories as prd.json has them at first, and as the truth is judged by."""
        return [story(HARD, self.command), *([story(EASY, "test -f two.txt")] if self.easy else [])]

    @property
    def attempts(self) -> int:
        return max(map(len, self.plays.values()))


def adversary(name: str, kind: Kind, *plays: str, **options: Any) -> Adversary:
    """One that plays at US-001 alone, an attempt a text."""
    return Adversary(name, kind, {HARD: plays}, **options)


def beside_the_easy(name: str, kind: Kind, hard: str, easy: str = ":", **options: Any) -> Adversary:
    """One that does US-002 honestly, and earns US-001's flag beside it."""
    return Adversary(name, kind, {HARD: (hard,), EASY: (f"{easy}\ntouch two.txt",)}, easy=True, **options)
