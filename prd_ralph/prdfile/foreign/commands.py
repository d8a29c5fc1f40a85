"""Keys that look like commands: shown, never run, and copied only when that is asked for."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from prd_ralph.prdfile.foreign.finding import Found
from prd_ralph.prdfile.foreign.shapes import ASSERTIONS, is_empty
from prd_ralph.prdfile.positions import Json, Path, Step
from prd_ralph.prdfile.source import Object, pointer_of

OURS = "verificationCommands"
_COMMAND_LIKE = re.compile(
    r".*commands?|verify|verifications?|verificationsteps|validate|validations?|teststeps|qualitygates|gates"
    r"|checks?|tests?|grader"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A key that looks like a command; `pattern` is its pointer with `*` for what only this story has."""

    path: Path
    pattern: str
    value: Json


def seen_at_the_top(top: Json, found: Found) -> Iterator[Seen]:
    """In the file itself, and in the objects in it; where the stories are is looked at story by story."""
    if isinstance(top, dict):
        yield from _seen(top, (), "", found.path[:1] if len(found.path) == 1 else ())


def seen_in_story(path: Path, story: Object, pointer: str, criteria_key: str) -> Iterator[Seen]:
    """In a story and the objects in it, but what its criteria were read from. `pointer` is that of the stories."""
    used = criteria_key.split("/")
    for each in _seen(story, path, pointer, [key for key in used[:1] if key != ASSERTIONS[0]]):
        if each.path != (*path, used[0]):
            yield each


def _seen(holder: Object, path: Path, pointer: str, passed_over: Container[Step]) -> Iterator[Seen]:
    for key, value in holder.items():
        if key in passed_over:
            continue
        if key != OURS and _looks_like_commands(key, value):
            yield Seen((*path, key), pointer + pointer_of((key,)), value)
        for inner, deeper in _inside(value):
            if _looks_like_commands(inner, deeper):
                yield Seen((*path, key, inner), pointer + pointer_of((key, inner)), deeper)


def _inside(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, Mapping):
        yield from value.items()


def _looks_like_commands(key: str, value: Json) -> bool:
    plain = key.replace("_", "").replace("-", "").lower()
    return not isinstance(value, bool) and not is_empty(value) and _COMMAND_LIKE.fullmatch(plain) is not None
