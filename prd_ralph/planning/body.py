"""What a story says, once it is read."""

from dataclasses import dataclass

from prd_ralph.planning.commands import once
from prd_ralph.planning.dependencies import depends_of
from prd_ralph.planning.ids import Index


@dataclass(frozen=True, slots=True)
class Body:
    """`unknown`: lines with a dependency that no story has, and what they name. `areas` are for conditional gates."""

    description: str = ""
    criteria: tuple[str, ...] = ()
    priority: int | None = None
    depends_on: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    unknown: tuple[tuple[int, str], ...] = ()
    unplaced: tuple[int, ...] = ()

    @classmethod
    def depending(cls, value: str, line: int, index: Index) -> "Body":
        """What a value of *depends* in this line says; unplaced where it can't be read."""
        found = depends_of(value, index)
        if found is None:
            return cls(unplaced=(line,))
        return cls(depends_on=found.ids, unknown=tuple((line, written) for written in found.unknown))

    def plus(self, other: "Body") -> "Body":
        """Both, one after the other: texts and lists are appended, of two priorities the second counts."""
        return Body(
            "\n\n".join(filter(None, (self.description, other.description))),
            self.criteria + other.criteria,
            self.priority if other.priority is None else other.priority,
            once(self.depends_on + other.depends_on),
            once(self.commands + other.commands),
            self.notes + other.notes,
            self.areas + other.areas,
            self.unknown + other.unknown,
            self.unplaced + other.unplaced,
        )


NOTHING = Body()
