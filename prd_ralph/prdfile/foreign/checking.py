"""What our own check says of a file that was made, told where it stands in the file that was read."""

from collections.abc import Iterable, Iterator

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prdfile.foreign.reading import Reading, ReadStory
from prd_ralph.prdfile.foreign.shapes import DEPENDENCIES
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.reading import parse
from prd_ralph.prdfile.source import Source
from prd_ralph.prdfile.text import SIZE_LIMIT


def own_problems(data: bytes, file: str) -> tuple[Problem, ...]:
    """All that our own check finds; nothing where it finds none."""
    try:
        parse(data, file)
    except ProblemsError as error:
        return error.problems
    return ()


def checked(made: bytes, source: Source, reading: Reading) -> Iterator[Problem]:
    """`made` is what import would write; `reading` what it was made of."""
    if len(made) > SIZE_LIMIT:
        limit = f"{SIZE_LIMIT >> 20} MiB"
        yield source.problem((), f"the prd.json made of it would be larger than {limit}", "split it into several files")
        return
    for problem in own_problems(made, source.file):
        yield source.problem(_origin(problem.pointer or "", source, reading), problem.message, problem.hint)


def _origin(pointer: str, source: Source, reading: Reading) -> Path:
    """Where that stands, or what it was read from; the nearest place where it is not there as such."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    if len(steps) > 1 and steps[0] == "userStories":
        story = reading.stories[int(steps[1])]
        return _deeper(source, story.entry.path, [*_renamed(story, steps[2:3]), *steps[3:]])
    in_wrapper = bool(steps) and steps[0] not in source.root.children
    return _deeper(source, reading.found.path[:-1] if in_wrapper else (), steps)


def _deeper(source: Source, path: Path, steps: Iterable[str]) -> Path:
    for step in steps:
        node = source.root.nearest(path)
        following = int(step) if step.isdecimal() and isinstance(node.value, list) else step
        if following not in node.children:
            break
        path = (*path, following)
    return path


def _renamed(story: ReadStory, field: list[str]) -> list[str]:
    """The key that became our field."""
    if field == ["dependsOn"]:
        return [next((key for key in DEPENDENCIES if story.raw.get(key)), "dependsOn")]
    return field
