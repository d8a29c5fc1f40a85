"""Stories that an agent wants added: read, made plain, told apart, and made stories of a file. Pure.

A proposal is a JSON object with keys of prd.json (`KEPT`), as its agent wrote them. It is never more than a wish: it
has no flag, holds nobody up, and its commands are only commands once somebody has taken it up.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prd_ralph.excerpt import cut

Proposal = Mapping[str, Any]

KEPT = (
    *("id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "verificationCommands"),
    "notes",
)
SIZE_LIMIT = 16 << 10
COUNT_LIMIT = 20
_TITLE_LIMIT = 200
_SHOWN = 60
_LARGEST = 1_000_000
_BLOCK = re.compile(r"<story>\s*(?:```\w*\s*)?(\{.*?)(?:\s*```\s*)?(?:</story>|\Z)", re.DOTALL)
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)
_LISTS = ("acceptanceCriteria", "dependsOn")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was read of an agent's words: `proposals`, and `faults`, a line for each that could not be used."""

    proposals: tuple[Proposal, ...] = ()
    faults: tuple[str, ...] = ()


class _RefusedError(ValueError):
    """A story that cannot be one."""


def written(text: str, prompt: str = "") -> Wishes:
    """The `<story>{…}</story>` blocks of a text. What stands in `prompt` to the letter is an echo, and no wish."""
    blocks = [found[1] for found in _BLOCK.finditer(text) if found[1] not in prompt]
    values: list[object] = []
    faults: list[str] = []
    for block in blocks:
        try:
            values.append(json.loads(block))
        except (ValueError, RecursionError):
            faults.append(f"a <story> block is no JSON object: {_short(block)}")
    read = wishes(values)
    return Wishes(read.proposals, (*faults, *read.faults))


def wishes(values: Iterable[object]) -> Wishes:
    """Stories as an agent wrote them, made plain; each once, at most `COUNT_LIMIT`."""
    found: dict[str, Proposal] = {}
    faults: list[str] = []
    for value in values:
        try:
            proposal = _plain(value)
        except _RefusedError as refused:
            faults.append(str(refused))
            continue
        if len(found) == COUNT_LIMIT and name_of(proposal) not in found:
            faults.append(f"more than {COUNT_LIMIT} proposals of one attempt: the rest is left out")
            break
        found.setdefault(name_of(proposal), proposal)
    return Wishes(tuple(found.values()), tuple(faults))


def name_of(proposal: Proposal) -> str:
    """Its short name, as `p3f9a1c`: equal for the same title and description, whatever their case and white space."""
    said = (" ".join(str(proposal.get(key, "")).split()).casefold() for key in ("title", "description"))
    return "p" + hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:6]


def commands_of(proposal: Proposal) -> tuple[str, ...]:
    """Its verification commands, each on one line, for people."""
    return tuple(_line(command) for command in proposal.get("verificationCommands", ()))


def _line(command: object) -> str:
    if isinstance(command, Mapping):  # its options may matter as much as what it runs
        return json.dumps(command, ensure_ascii=False)
    return command if isinstance(command, str) else " ".join(map(str, command)) if isinstance(command, Sequence) else ""


def as_stories(document: Mapping[str, Any], proposals: Sequence[Proposal]) -> tuple[dict[str, Any], ...]:
    """The stories that these would be in `document`, a valid prd.json's value: with fresh ids, and `passes` false.

    `dependsOn` keeps stories that are there, and those of `proposals` that come before. Without a priority of its
    own a story comes after all others.
    """
    ids = [str(story["id"]) for story in document["userStories"]]
    priorities = [story.get("priority") for story in document["userStories"]]
    known = {story_id: story_id for story_id in ids}
    stories: list[dict[str, Any]] = []
    for proposal in proposals:
        given = json.loads(json.dumps(dict(proposal)))  # a file's lists are lists
        wanted = given.pop("id", "")
        fresh = next_id(ids)
        given["dependsOn"] = list(dict.fromkeys(known[each] for each in given.get("dependsOn", ()) if each in known))
        given.setdefault("priority", _last(priorities))
        priorities.append(given["priority"])
        ids.append(fresh)
        known.setdefault(wanted, fresh)
        said = {key: given[key] for key in KEPT if given.get(key) not in (None, [], ())}
        notes = {"notes": said.pop("notes")} if "notes" in said else {}
        stories.append({"id": fresh, **said, "passes": False, **notes})
    return tuple(stories)


def next_id(ids: Sequence[str]) -> str:
    """The id after the last numbered one, written alike: `US-008` after `US-007`. `US-001` where none has a number."""
    last = next((found for each in reversed(ids) if (found := _NUMBERED.fullmatch(each))), None)
    head, width = (last[1], len(last[2])) if last else ("US-", 3)
    alike = [found for each in ids if (found := _NUMBERED.fullmatch(each)) and found[1].casefold() == head.casefold()]
    number = max((int(found[2]) for found in alike), default=0) + 1
    return f"{head}{number:0{width}}"


def _last(priorities: Sequence[object]) -> int | None:
    """After all others; None where a story without one is last anyway."""
    numbers = [each for each in priorities if isinstance(each, int | float)]
    return int(max(numbers)) + 1 if numbers and len(numbers) == len(priorities) else None


def _plain(value: object) -> Proposal:
    """With the keys that count, each of its type; all else is left out."""
    if not isinstance(value, Mapping):
        raise _RefusedError(f"a proposed story is no JSON object: {_short(str(value))}")
    title = value.get("title")
    if not isinstance(title, str) or not _one_line(title):
        raise _RefusedError(f"a proposed story has no title: {_short(json.dumps(value, default=str))}")
    proposal = {"title": _one_line(title)[:_TITLE_LIMIT]}
    for key in KEPT:
        said = _said(key, value.get(key))
        if key not in proposal and said not in (None, "", []):
            proposal[key] = said
    if len(json.dumps(proposal)) > SIZE_LIMIT:
        raise _RefusedError(f"a proposed story is larger than {SIZE_LIMIT >> 10} KiB: {_short(title)}")
    return {key: proposal[key] for key in KEPT if key in proposal}


def _said(key: str, value: object) -> Any:
    """What counts of a key's value; None for nothing."""
    if key == "priority":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return value if whole and abs(int(str(value))) <= _LARGEST else None
    if key == "id":
        return _one_line(str(value))[:_TITLE_LIMIT] if isinstance(value, str | int) else None
    if key in ("description", "notes"):
        return value.strip() if isinstance(value, str) else None
    listed = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    kinds: tuple[type, ...] = (str,) if key in _LISTS else (str, list, tuple, dict)
    return [each for each in listed if isinstance(each, kinds) and (not isinstance(each, str) or each.strip())]


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _short(text: str) -> str:
    return cut(_one_line(text), _SHOWN)
