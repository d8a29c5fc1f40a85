"""What a shell line consists of."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from prd_ralph.prdfile.shell.tokens import Token


@dataclass(frozen=True, slots=True)
class Simple:
    """A program with its arguments, or a `[[ … ]]`; redirections are left out."""

    words: tuple[Token, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Pipe:
    """`a | b`: two parts at least."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """`! a`."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class Chain:
    """`a && b || c`: from the left; `rest` are operators with what follows them."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """`a; b & c`: each with whether it is put into the background."""

    parts: tuple[tuple["Node", bool], ...]


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their branches; `otherwise` is None without an `else`."""

    branches: tuple[tuple["Node", "Node"], ...]
    otherwise: "Node | None"


@dataclass(frozen=True, slots=True)
class Loop:
    """`while`, `until` (with a condition) or `for`."""

    condition: "Node | None"
    body: "Node"


Node: TypeAlias = Simple | Pipe | Not | Chain | Series | If | Loop


@dataclass(frozen=True, slots=True)
class Place:
    """A simple command, and where it stands: below a `!`, in a condition, within a pipe, in the background."""

    simple: Simple
    negated: bool = False
    condition: bool = False
    piped: bool = False
    background: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        return self.simple.texts


def simples(node: Node, place: Place | None = None) -> Iterator[Place]:
    """Every simple command, in the line's order."""
    at = place or Place(Simple(()))
    if isinstance(node, Simple):
        yield replace(at, simple=node)
    elif isinstance(node, Pipe):
        for part in node.parts:
            yield from simples(part, replace(at, piped=True))
    elif isinstance(node, Not):
        yield from simples(node.part, replace(at, negated=not at.negated))
    elif isinstance(node, Chain):
        yield from simples(node.first, at)
        for _, part in node.rest:
            yield from simples(part, at)
    elif isinstance(node, Series):
        for part, background in node.parts:
            yield from simples(part, replace(at, background=at.background or background))
    elif isinstance(node, If):
        for condition, branch in node.branches:
            yield from simples(condition, replace(at, condition=True))
            yield from simples(branch, at)
        if node.otherwise is not None:
            yield from simples(node.otherwise, at)
    else:
        if node.condition is not None:
            yield from simples(node.condition, replace(at, condition=True))
        yield from simples(node.body, at)
