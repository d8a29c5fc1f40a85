"""What commands said of which tree, within one run: it saves baseline and regression runs, never a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from prd_ralph.model import Check, CheckResult

Identity = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Landing:
    """A landing of this run; `content` names what its tree holds beside prd.json and progress.txt."""

    story: str
    commit: str
    content: str


@dataclass(slots=True)
class Known:
    """Grows as the run goes on. `content`: see `ports.Workspace.content`; identities are those of `Check.identity`.

    `start` is the content that the run began with.
    """

    start: str = ""
    landings: list[Landing] = field(default_factory=list)
    waiting: list[Identity] = field(default_factory=list)
    """Commands for which there was no time before the last landing; they come first before the next."""
    _results: dict[tuple[str, Identity], CheckResult] = field(default_factory=dict)
    _seconds: dict[Identity, float] = field(default_factory=dict)

    def note(self, content: str, story: str, results: Iterable[CheckResult]) -> None:
        """`story` is whose command it was run as."""
        for result in results:
            identity = result.check.identity(story)
            self._results[content, identity] = result
            self._seconds[identity] = result.duration_s

    def said(self, content: str, check: Check, story: str) -> CheckResult | None:
        """What the command said of this content; None where it has not been run on it."""
        return self._results.get((content, check.identity(story)))

    def seconds(self, identity: Identity) -> float:
        """How long it took the last time; 0 where it has not been run."""
        return self._seconds.get(identity, 0.0)

    @property
    def broken(self) -> frozenset[Identity]:
        """The commands that have failed on anything."""
        return frozenset(identity for (_, identity), result in self._results.items() if not result.passed)

    def suspects(self, identity: Identity) -> tuple[Landing, ...]:
        """The landings of which one must have broken the command: after the last that it was green on, up to the first
        that it was red on.
        """
        contents = (self.start, *(landing.content for landing in self.landings))
        said = [self._results.get((content, identity)) for content in contents]
        green = [number for number, result in enumerate(said) if result and result.passed]
        first = green[-1] if green else 0
        red = [number for number, result in enumerate(said) if number >= first and result and not result.passed]
        return tuple(self.landings[first : red[0] if red else None])
