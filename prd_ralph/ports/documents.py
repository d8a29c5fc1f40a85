"""What is read and written of documents: the prompt, `progress.txt`, prd.json."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from prd_ralph.errors import Problem
from prd_ralph.model import AttemptRecord, Check, CheckResult, Prd, Story
from prd_ralph.stalls import Stall


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What a prompt template may use; the names in a template are REFERENCE's.

    `stall`: attempts before were alike. `nonce`: the word of the tag by which the agent says that it is stuck.
    """

    prd: Prd
    story: Story
    checks: tuple[Check, ...]
    attempt: int
    max_attempts: int
    last: AttemptRecord | None = None
    progress: str = ""
    patterns: str = ""
    commits: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    stall: Stall | None = None
    nonce: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """`warning` says that the template could not be used as it is now, and the last good one was. `shows_context`:
    the template has a place for what the person added.
    """

    text: str
    warning: str = ""
    shows_context: bool = True


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What the template for planning may use: the PRD's files (name, text) and the stories that rules read in them.

    `faults`: what was wrong with `reply`, the one before this attempt.
    """

    files: tuple[tuple[str, str], ...]
    stories: tuple[Story, ...]
    attempt: int
    max_attempts: int
    reply: str = ""
    faults: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePatch:
    """How one file was changed, as `git diff` tells it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What a reviewer sees of a change. `cut`: paths of which it sees a part, `unseen`: those of which it sees none."""

    patches: tuple[FilePatch, ...]
    cut: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What the template for a review may use. `results`: how the commands ended, where they have run.

    `more_results`: how many others did that are not to be named. `left_out`: files of the work tree that no commit
    takes up, each with the reason. `form`: the line that the reviewer is to end with.
    """

    prd: Prd
    story: Story
    checks: tuple[Check, ...]
    change: ShownChange
    form: str
    results: tuple[CheckResult, ...] = ()
    more_results: int = 0
    left_out: tuple[str, ...] = ()


class Prompts(Protocol):
    def render(self, context: PromptContext) -> RenderedPrompt:
        """Reads the template anew and renders it. Raises RalphError when no good one is known."""
        ...

    def changed(self) -> Path | None:
        """The person's template, where it is another than when this was asked last."""
        ...


class Memory(Protocol):
    """`progress.txt`, the memory between iterations."""

    def append(self, entry: str) -> None:
        """Adds one entry at the end."""
        ...

    def recall(self) -> tuple[str, str]:
        """The bounded tail, and the bounded `Codebase Patterns` head."""
        ...

    def compact(self) -> str:
        """Moves older entries of a large memory away, for good; what was done, in one line, or ""."""
        ...


class Context(Protocol):
    """What the person added for the next prompt (`prd-ralph add-context`)."""

    def read(self) -> str:
        """All that has been added since, "" for nothing."""
        ...

    def take(self) -> None:
        """What `read` gave last has been shown: it is gone. What was added after it stays."""
        ...

    def skip(self) -> bool:
        """What `read` gave last could not be shown; whether that is news."""
        ...


class NoContext:
    """Nobody adds anything."""

    def read(self) -> str:
        return ""

    def take(self) -> None:
        """There is nothing to take."""

    def skip(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class PrdDocument:
    """prd.json as it lies on disk, and what it means. `warnings` are lenient findings."""

    data: bytes
    prd: Prd
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardedPrd:
    """What the guard made of an agent's prd.json.

    `data` is to be on disk, `tampered` names each difference that was put back (`"/userStories/0/passes"`…),
    `proposals` the new stories' titles, `added` these stories as they were written. `reformatted`: nothing was tampered
    with, but other bytes were put back.
    """

    data: bytes
    tampered: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    reformatted: bool = False
    added: tuple[Mapping[str, Any], ...] = ()


class PrdFile(Protocol):
    """prd.json: read strictly, edited in place, guarded."""

    @property
    def path(self) -> Path: ...

    def load(self) -> PrdDocument:
        """Raises ProblemsError with all that is wrong with it."""
        ...

    def read(self) -> bytes | None:
        """The bytes as they are, or None where there is no regular file."""
        ...

    def flipped(self, data: bytes, story_id: str, passes: bool) -> bytes:
        """`data` with that story's flag set, every other byte as it was; where it is false no person's word is left."""
        ...

    def guard(self, before: bytes, after: bytes | None, story_id: str) -> GuardedPrd:
        """Keeps of `after` only that story's notes, spliced into the bytes of `before`."""
        ...

    def extended(self, data: bytes, proposals: Sequence[Mapping[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
        """`data` with these as stories at its end, every other byte as it was; and the ids that they have got.

        Raises ProblemsError with all that is wrong with them.
        """
        ...

    def write(self, data: bytes, expected: bytes | None) -> None:
        """Replaces the file in one step; ForeignChangeError where it no longer holds `expected` (None: don't look)."""
        ...
