"""Title, description and criteria of a story, each from the first key that has it."""

from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.prdfile.foreign.finding import Entry
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.prose import criteria_from, title_from
from prd_ralph.prdfile.foreign.shapes import (
    ASSERTIONS,
    CRITERIA,
    DESCRIPTIONS,
    FLAGS,
    TITLES,
    assertions,
    has_text_tasks,
    is_empty,
)
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object

_CRITERION_TEXTS = ("text", "description", "title", "name")
_CRITERION_FLAGS = frozenset(("passes", *FLAGS, "status"))


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts, and the keys that they were read from; `""` where there is none, or where it was made up."""

    title: str
    title_key: str
    description: str
    description_key: str
    criteria: tuple[str, ...]
    criteria_key: str


def texts_of(entry: Entry, story: Object, pointer: str, findings: Findings) -> Texts:
    """`pointer` is that of the stories, for what is told once for all of them."""
    description, description_key = _first(story, DESCRIPTIONS)
    title, title_key = _first(story, TITLES)
    if not is_empty(story.get("title")) and not isinstance(story["title"], str):
        findings.wrong((*entry.path, "title"), "title must be a text", "say in a few words what is to be done")
    elif not title and (title := title_from(description)):
        findings.warn("title_from_description", pointer)
    elif not title:
        path = (*entry.path, "title") if "title" in story else entry.path
        findings.wrong(path, "'title' is missing, and there is no description", "say in a few words what is to be done")
    criteria, criteria_key = _criteria(entry, story, pointer, findings)
    return Texts(title or "?", title_key, description, description_key, criteria, criteria_key)


def _first(story: Object, keys: tuple[str, ...]) -> tuple[str, str]:
    return next(((text, key) for key in keys if (text := _text(story.get(key))).strip()), ("", ""))


def _text(value: Json) -> str:
    """A text, lines of text, or the three parts of a user story."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        said = (("As a", value.get("as_a")), ("I want", value.get("i_want")), ("so that", value.get("so_that")))
        return ", ".join(_part(lead, text.strip()) for lead, text in said if isinstance(text, str) and text.strip())
    return value if isinstance(value, str) else ""


def _part(lead: str, text: str) -> str:
    """The lead is not said twice."""
    return text if text.lower().startswith(f"{lead.lower()} ") else f"{lead} {text}"


def _criteria(entry: Entry, story: Object, pointer: str, findings: Findings) -> tuple[tuple[str, ...], str]:
    for key, value in _candidates(story):
        strict = key in CRITERIA[:2]
        if is_empty(value) or not (strict or all(_criterion(each) for each in _listed(value))):
            continue
        if isinstance(value, str):
            return tuple(criteria_from(value)), key
        if isinstance(value, list):
            if any(_has_flag(each) for each in value):
                findings.warn("criterion_flags", f"{pointer}/{key}")
            path = (*entry.path, *key.split("/"))
            return tuple(_checked(value, path, findings)), key
    return (), ""


def _candidates(story: Object) -> Iterator[tuple[str, Json]]:
    yield from ((key, story.get(key)) for key in CRITERIA)
    yield "/".join(ASSERTIONS), assertions(story)
    if has_text_tasks(story):
        yield "tasks", story["tasks"]


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _checked(value: list[Json], path: Path, findings: Findings) -> Iterator[str]:
    for index, each in enumerate(value):
        if text := _criterion(each):
            yield text
        elif not isinstance(each, str):
            findings.wrong((*path, index), "a criterion must be a text", "write a sentence, or remove it")


def _criterion(value: Json) -> str:
    """A criterion's sentence; of an object without one, all that it says."""
    if isinstance(value, dict):
        found = next((text for key in _CRITERION_TEXTS if (text := _text(value.get(key)).strip())), "")
        said = (f"{key}: {text}" for key, text in value.items() if isinstance(text, str) and text.strip())
        return found or "; ".join(said)
    return value if isinstance(value, str) and value.strip() else ""


def _has_flag(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    return any(key in _CRITERION_FLAGS or isinstance(flag, bool) for key, flag in value.items() if flag is not None)
