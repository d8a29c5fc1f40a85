"""What the rules look at: the document, and the little of the world around it that they need to know."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from prd_ralph.model import Check, Prd, Story
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.shell import Mode, Node, Place, Simple, Token, parsed, simples


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands outside of prd.json.

    `extra`: the run's own commands, for every story. `is_missing`: whether a command could not find this program;
    without it nothing is missed. `landed`: ids that landed for an earlier branch of this file, with the branch.
    `pipefail`: whether a pipe fails with any of its parts (there is a bash).
    """

    extra: tuple[Check, ...] = ()
    is_missing: Callable[[str, Check], bool] = lambda _word, _check: False
    landed: Mapping[str, str] = field(default_factory=dict)
    pipefail: bool = True


NOTHING_AROUND = Surroundings()


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found: where, why it matters, and what to write instead."""

    path: Path
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Command:
    """A verification command, where it stands, and its story; None for those of all stories."""

    path: Path
    check: Check
    story: Story | None = None

    @property
    def tree(self) -> Node | None:
        """As a shell reads it; None for a list, which meets no shell, and for what is not understood."""
        return parsed(self.check.run) if isinstance(self.check.run, str) else None

    @property
    def places(self) -> tuple[Place, ...]:
        """The programs that it starts; a list is one."""
        if not isinstance(self.check.run, str):
            return (Place(Simple(tuple(Token(word, is_word=True) for word in self.check.run))),)
        return tuple(simples(self.tree)) if self.tree else ()

    @property
    def programs(self) -> tuple[tuple[str, ...], ...]:
        """The same as words."""
        return tuple(place.words for place in self.places)


@dataclass(frozen=True, slots=True)
class Subject:
    """A valid document with its surroundings."""

    prd: Prd
    around: Surroundings = NOTHING_AROUND

    @property
    def mode(self) -> Mode:
        """How shell lines are run."""
        return Mode(pipefail=self.around.pipefail)

    @property
    def shared(self) -> tuple[Check, ...]:
        """The commands of all stories."""
        return (*self.prd.checks, *self.around.extra)

    def open(self) -> Iterator[tuple[Path, Story]]:
        """The stories that are still to be done and not held."""
        for index, story in enumerate(self.prd.stories):
            if not (story.passes or story.skip):
                yield ("userStories", index), story

    def commands(self) -> Iterator[Command]:
        """Every verification command of the file; those of stories that pass are still run, as regressions."""
        for index, check in enumerate(self.prd.checks):
            yield Command(("verificationCommands", index), check)
        for number, story in enumerate(self.prd.stories):
            for index, check in enumerate(story.checks):
                yield Command(("userStories", number, "verificationCommands", index), check, story)
