"""Any tool's file as a prd.json of ours, that our own check accepts; or all that is wrong with it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prdfile.dialect import refusal_to_read
from prd_ralph.prdfile.foreign.adoption import Candidate, candidates
from prd_ralph.prdfile.foreign.checking import checked, own_problems
from prd_ralph.prdfile.foreign.file_out import Adopted, document, encoded, unwritable
from prd_ralph.prdfile.foreign.reading import Reading, read_stories
from prd_ralph.prdfile.foreign.story_out import ASIDE, Style
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.source import Object, Source


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read, and the bytes of the prd.json that was made of it.

    `candidates` are the commands in foreign keys; those that fit were copied where that was asked for. `aside` counts
    the keys that could not keep their names.
    """

    reading: Reading
    data: bytes
    candidates: tuple[Candidate, ...]
    aside: Mapping[str, int]


def imported(data: bytes, file: str, keep_flags: bool = False, adopt: bool = False) -> Imported:
    """`file` is its name in messages; the note that keeps a claim names it without its folder.

    Raises ProblemsError with all faults, those among them that our own check would find in what was made.
    """
    source = read_source(data, file)
    reading = reading_of(source)
    seen = candidates(reading)
    style = Style(PurePath(file).name, keep_flags, reading.found.at_the_top)
    made = document(source.root.value, reading, _adopted(seen) if adopt else {}, style)
    problems = merged(
        own_problems(data, file) if reading.dialect == "native" else (),
        source.duplicate_keys(),
        reading.problems,
        (source.problem(path, "the number is too large to be kept", "write it as a text") for path in _lost(source)),
    )
    if reading.stories and not any(_lost(source)):
        problems = merged(problems, checked(encoded(made), source, reading))
    if problems:
        raise ProblemsError(problems)
    return Imported(reading, encoded(made), seen, _aside(made))


def facts(data: bytes, file: str) -> Reading:
    """What a file of ours says, that was loaded without an error."""
    return reading_of(read_source(data, file))


def examined(data: bytes, file: str, errors: Iterable[Problem]) -> tuple[Reading | None, tuple[Problem, ...]]:
    """Of a file in which our own check found `errors`: what it says all the same, and what is wrong with it.

    One with `userStories` at its top is judged as ours and by the rules for others'; of another's, `errors` is but
    that it is none of ours. None where it cannot be imported.
    """
    try:
        return imported(data, file).reading, tuple(errors)
    except ProblemsError as error:
        others = () if _is_anothers(data, file) else errors
        return None, merged(others, error.problems)


def reading_of(source: Source) -> Reading:
    """The stories. Raises ProblemsError where there is no list of any."""
    reading = read_stories(source)
    if reading is None:
        raise ProblemsError(merged(source.duplicate_keys(), (refusal_to_read(source),)))
    return reading


def merged(*groups: Iterable[Problem]) -> tuple[Problem, ...]:
    """In the file's order; of a place that an earlier group tells of, later ones say nothing."""
    found: list[Problem] = []
    for group in groups:
        known = {problem.pointer for problem in found}
        found += [problem for problem in group if problem.pointer not in known]
    return tuple(sorted(found, key=lambda problem: (problem.line or 0, problem.pointer or "")))


def _is_anothers(data: bytes, file: str) -> bool:
    try:
        top = read_source(data, file).root.value
    except ProblemsError:
        return True
    return not isinstance(top, dict) or "userStories" not in top


def _lost(source: Source) -> Iterator[Path]:
    return unwritable(source.root.value)


def _adopted(seen: tuple[Candidate, ...]) -> Adopted:
    found: dict[Path, list[Json]] = {}
    for each in seen:
        if each.fits:
            found.setdefault(each.story, []).append(each.command)
    return found


def _aside(made: Object) -> Counter[str]:
    stories = made["userStories"]
    holders = (made, *(stories if isinstance(stories, list) else ()))
    moved = (holder.get(ASIDE) for holder in holders if isinstance(holder, dict))
    return Counter(key for keys in moved if isinstance(keys, dict) for key in keys)
