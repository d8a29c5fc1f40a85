"""The document: stories, and the commands that hold them to what they say."""

import hashlib
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

EVERY_STORY = "*"
"""Of hidden commands: the key of those that judge every story."""
LAST_PRIORITY = float("inf")
STORY_VARIABLE = "PRD_RALPH_STORY_ID"
LANDED_VARIABLE = "PRD_RALPH_LANDED"
MARK_VARIABLE = "PRD_RALPH_ATTEMPT"
PRIVATE_VARIABLES = frozenset({"PRD_RALPH_HIDDEN_CHECKS", "PRD_RALPH_NOTIFY", "PRD_RALPH_NOTIFY_COMMAND"})
"""Where the hidden checks are, and whom notices go to, is neither an agent's business nor its code's."""


@dataclass(frozen=True, slots=True)
class Check:
    """A verification command: a string is a shell line, a tuple is an argv that meets no shell.

    `cwd` is relative to the project root, `timeout_s` in seconds (None: the run's `check_timeout`). `when` land: left
    out of baseline and regressions. `hidden`: no agent is to read it, or what it says.
    """

    run: str | tuple[str, ...]
    name: str = ""
    cwd: str = "."
    timeout_s: float | None = None
    env: tuple[tuple[str, str], ...] = ()
    retries: int = 0
    when: Literal["always", "land"] = "always"
    min_tests: int | None = None
    parallel: bool = False
    hidden: bool = False

    @property
    def text(self) -> str:
        """The command on one line, as a person would write it; of a hidden one a hash."""
        if self.hidden:
            return f"sha256:{hashlib.sha256(self._line.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        return self._line

    @property
    def _line(self) -> str:
        return self.run if isinstance(self.run, str) else " ".join(self.run)

    @property
    def label(self) -> str:
        """The name, or else the command's first 60 characters."""
        return self.name or " ".join(self.text.split())[:60]

    def identity(self, story_id: str) -> tuple[object, ...]:
        """Equal for two commands that are the same command when `story_id` is attempted."""
        return (self.run, self.cwd, self.env, self.timeout_s, story_id if STORY_VARIABLE in self._line else "")


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's word for what no command can prove: who gave it, and when (UTC, as `2031-03-01T08:00:00Z`)."""

    by: str
    at: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """A unit of work. `priority`: lower is sooner, a missing one is last; ties go by file order.

    `approved`: of a story that passes by a person's word.
    """

    id: str
    title: str
    passes: bool
    description: str = ""
    criteria: tuple[str, ...] = ()
    priority: float = LAST_PRIORITY
    depends_on: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: str = ""
    skip: bool = False
    agent: str | None = None
    model: str | None = None
    supersedes: tuple[str, ...] = ()
    approved: Approval | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Prd:
    """The document. `checks` are for every story, `setup` runs before the first attempt."""

    project: str
    stories: tuple[Story, ...]
    description: str = ""
    branch: str | None = None
    base_branch: str | None = None
    source: str | None = None
    setup: tuple[Check, ...] = ()
    checks: tuple[Check, ...] = ()
    protect: tuple[str, ...] | Literal["auto"] = ()

    def story(self, story_id: str) -> Story:
        """The story with this id, letter for letter. Raises KeyError."""
        for story in self.stories:
            if story.id == story_id:
                return story
        raise KeyError(story_id)

    def with_passing(self, story_id: str) -> "Prd":
        """The same document, but that this story passes, and so is not held."""
        stories = (replace(story, passes=True, skip=False) if story.id == story_id else story for story in self.stories)
        return replace(self, stories=tuple(stories))

    def checks_for(self, story: Story, extra: Iterable[Check] = (), hidden: Iterable[Check] = ()) -> tuple[Check, ...]:
        """The PRD's commands, then `extra` (the run's and the config's), the story's own, then `hidden`; each once."""
        unique: dict[tuple[object, ...], Check] = {}
        for check in (*self.checks, *extra, *story.checks, *hidden):
            unique.setdefault(check.identity(story.id), check)
        return tuple(unique.values())

    def lines(self, extra: Iterable[Check] = ()) -> tuple[str, ...]:
        """Every command of the document's and of `extra` as a shell line."""
        checks = (*self.checks, *extra, *(check for story in self.stories for check in story.checks))
        lines = (check.run if isinstance(check.run, str) else shlex.join(check.run) for check in checks)
        return tuple(dict.fromkeys(lines))
