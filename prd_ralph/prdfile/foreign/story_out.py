"""One story as it is written to our prd.json: our keys first, then what is the other tool's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prd_ralph.prdfile.foreign.commands import OURS
from prd_ralph.prdfile.foreign.reading import ReadStory
from prd_ralph.prdfile.foreign.references import as_written
from prd_ralph.prdfile.foreign.shapes import DEPENDENCIES, FLAGS, is_empty
from prd_ralph.prdfile.foreign.words import Standing, standing
from prd_ralph.prdfile.keys import PRIVATE, STORY_KEYS, meant_by
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.source import Object, id_of

ASIDE = "x-imported"
# Ours too, but only a file that is judged as ours means by them what we do.
_STEERING = ("agent", "model", "supersedes")


@dataclass(frozen=True, slots=True)
class Style:
    """How stories are written: `file` is named where a claim is kept, `keep_flags` leaves it as the flag.

    `ours`: the file is judged as ours, so that all our keys mean what they mean to us.
    """

    file: str
    keep_flags: bool = False
    ours: bool = False


def written(story: ReadStory, commands: Sequence[Json], style: Style) -> Object:
    """`commands` are adopted ones, added to the story's own."""
    fields = _fields(story, commands, style)
    kept, aside = _rest(story, fields, style)
    return {**fields, **kept, **with_aside(kept, aside)}


def with_aside(kept: Mapping[str, Json], aside: Mapping[str, Json]) -> Object:
    """What has no place under its own name, together with what an earlier import has put there.

    Where both have a key, what was there goes one level deeper as a whole.
    """
    if not aside:
        return {}
    before = kept.get(ASIDE, {})
    beside = isinstance(before, dict) and not before.keys() & aside.keys()
    return {ASIDE: {**(before if isinstance(before, dict) and beside else {ASIDE: before}), **aside}}


def _fields(story: ReadStory, commands: Sequence[Json], style: Style) -> Object:
    texts, raw = story.texts, story.raw
    passes = story.claim.passes and style.keep_flags
    fields: Object = {"id": story.id, "title": texts.title}
    if texts.description or "description" in raw:
        fields["description"] = texts.description
    fields |= {"acceptanceCriteria": list(texts.criteria), "priority": story.priority}
    if story.depends_on or "dependsOn" in raw:
        fields["dependsOn"] = list(story.depends_on)
    if commands or OURS in raw:
        fields[OURS] = joined(raw.get(OURS), commands)
    fields |= {"passes": passes, "notes": _notes(story, passes, style)}
    if story.claim.held or (passes and raw.get("skip") is True):
        fields["skip"] = True
    return fields


def joined(own: Json, adopted: Sequence[Json]) -> Json:
    """Commands of our key, as they are, and those that were adopted; doubles are not added."""
    if own is not None and not isinstance(own, list):
        return own  # for the check of the whole file to refuse
    commands = list(own or ())
    for command in adopted:
        if command not in commands:
            commands.append(command)
    return commands


def _notes(story: ReadStory, passes: bool, style: Style) -> str:
    notes = _plain_notes(story.raw)
    if passes or not story.claim.passes:
        return notes
    return f"{notes}\n{claim_note(style.file)}" if notes else claim_note(style.file)


def claim_note(file: str) -> str:
    """What is kept of a flag that was reset."""
    return f"claimed as done by {file}"


def _plain_notes(story: Object) -> str:
    notes = story.get("notes")
    if isinstance(notes, list) and all(isinstance(line, str) for line in notes):
        return "\n".join(map(str, notes))
    return notes if isinstance(notes, str) else ""


def _rest(story: ReadStory, fields: Object, style: Style) -> tuple[Object, Object]:
    """What keeps its name, and what can't: it was read otherwise than it stands, or would be misread."""
    kept: Object = {}
    aside: Object = {}
    texts = story.texts
    read = {texts.title_key: "title", texts.description_key: "description"}
    read |= {texts.criteria_key.split("/")[0]: "acceptanceCriteria"}
    for key, value in story.raw.items():
        field = key if key in STORY_KEYS else read.get(key)
        if _is_told(story, key, field, value, fields):
            continue
        steers = field in _STEERING and style.ours
        goes = not steers and (field is not None or _is_misread(story, key, value, fields))
        (aside if goes and key != ASIDE else kept)[key] = value
    return kept, aside


def _is_told(story: ReadStory, key: str, field: str | None, value: Json, fields: Object) -> bool:
    """Whether our keys say all that this one says."""
    match key:
        case "skip" | "blocked":
            return value is (fields.get("skip") is True)
        case "notes":
            return is_empty(value) or _plain_notes(story.raw) != ""
        case "id":
            return story.entry.key is None or id_of(story.raw) == story.id
        case _ if key in DEPENDENCIES:
            return set(as_written(value)) <= set(story.depends_on)
        case _ if key == story.claim.key:
            return isinstance(value, bool)
    return field is not None and ((is_empty(value) and key in STORY_KEYS) or value == fields.get(field))


def _is_misread(story: ReadStory, key: str, value: Json, fields: Object) -> bool:
    """Whether it would be taken for something else if it stayed where it is."""
    if key in DEPENDENCIES or key == story.claim.key:
        return True
    if key in (*FLAGS, "blocked") and isinstance(value, bool):
        return value
    if key == "status" and isinstance(value, str) and value.strip():
        return story.claim.passes or standing(value) is not Standing.OPEN
    return is_near_ours(key, STORY_KEYS, fields)


def is_near_ours(key: str, ours: tuple[str, ...], present: Iterable[str]) -> bool:
    """Whether our own check would take it for a misspelling."""
    return not key.startswith(PRIVATE) and meant_by(key, ours, present) is not None
