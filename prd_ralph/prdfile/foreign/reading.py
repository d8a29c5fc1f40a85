"""The stories of any tool's file, what they claim, and what was understood only by a rule (docs/import.md)."""

from dataclasses import dataclass

from prd_ralph.errors import Problem
from prd_ralph.prdfile.foreign.commands import Seen, seen_at_the_top, seen_in_story
from prd_ralph.prdfile.foreign.finding import Entry, Found, story_lists
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.flags import Claim, claim_of
from prd_ralph.prdfile.foreign.ids import ids_of
from prd_ralph.prdfile.foreign.native import is_native
from prd_ralph.prdfile.foreign.priorities import Number, priorities_of
from prd_ralph.prdfile.foreign.references import References, dependencies_of
from prd_ralph.prdfile.foreign.text_fields import Texts, texts_of
from prd_ralph.prdfile.source import Object, Source


@dataclass(frozen=True, slots=True)
class ReadStory:
    """One story as it was understood."""

    entry: Entry
    raw: Object
    id: str
    texts: Texts
    claim: Claim
    priority: Number
    depends_on: tuple[str, ...]
    seen: tuple[Seen, ...]

    def told(self) -> dict[str, object]:
        """As `validate --json` and `import --json` tell it."""
        return {
            "id": self.id,
            "title": self.texts.title,
            "passes": self.claim.passes,
            "priority": self.priority,
            "dependsOn": list(self.depends_on),
            "held": self.claim.held,
            "acceptanceCriteria": list(self.texts.criteria),
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """A file whose stories were found.

    `warnings` are `code pointer`. Where there are `problems`, the stories hold values that stand in for what is wrong.
    """

    dialect: str
    found: Found
    stories: tuple[ReadStory, ...]
    seen: tuple[Seen, ...]
    warnings: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def commands_seen(self) -> tuple[str, ...]:
        every = (*self.seen, *(seen for story in self.stories for seen in story.seen))
        return tuple(dict.fromkeys(each.pattern for each in every))

    def told(self) -> dict[str, object]:
        """The four keys that `validate --json` and `import --json` answer with."""
        return {
            "dialect": self.dialect,
            "stories": [story.told() for story in self.stories],
            "commands_seen": list(self.commands_seen),
            "warnings": list(self.warnings),
        }


def read_stories(source: Source) -> Reading | None:
    """All that can be said of the first list of stories; None where there is none.

    `userStories` at the top needs no looks: where it holds nothing to read, no other list is read in its place.
    """
    top = source.root.value
    lists = tuple(story_lists(top))
    misplaced = isinstance(top, dict) and "userStories" in top and not (lists and lists[0].at_the_top)
    if not lists or misplaced:
        return None
    found, *others = lists
    findings = Findings(source)
    entries = tuple(_objects(found, findings))
    stories = _stories(found, entries, findings)
    for other in others:
        findings.warn("also_found", other.pointer)
    return Reading(
        "native" if is_native(top, found) else found.dialect,
        found,
        stories,
        tuple(seen_at_the_top(top, found)),
        findings.warnings,
        findings.problems,
    )


def _objects(found: Found, findings: Findings) -> list[tuple[Entry, Object]]:
    objects = []
    for entry in found.entries:
        if isinstance(entry.value, dict):
            objects.append((entry, entry.value))
        elif entry.key is not None and found.at_the_top:
            message = "userStories must be a list, or an object of stories by id"
            findings.wrong(found.path, message, "write a list with at least one story")
        else:
            findings.wrong(entry.path, "a story must be an object", "remove it, or write the story: {…}")
    return objects


def _stories(found: Found, entries: tuple[tuple[Entry, Object], ...], findings: Findings) -> tuple[ReadStory, ...]:
    pointer = f"{found.pointer}/*"
    texts = [texts_of(*each, pointer, findings) for each in entries]
    claims = [claim_of(*each, found.pointer, findings) for each in entries]
    priorities = priorities_of(entries, [claim.passes for claim in claims], pointer, findings)
    ids = ids_of(entries, pointer, findings)
    stated = any(entry.key is not None or story.get("id") is not None for entry, story in entries)
    known = References(ids, stated)
    read = []
    for (entry, story), story_id, text, claim, priority in zip(entries, ids, texts, claims, priorities, strict=True):
        depends_on = dependencies_of(entry, story, story_id, known, findings)
        seen = tuple(seen_in_story(entry.path, story, pointer, text.criteria_key))
        read.append(ReadStory(entry, story, story_id, text, claim, priority, depends_on, seen))
        if not (text.criteria or claim.passes or claim.held):
            findings.warn("no_criteria", entry.path)
    return tuple(read)
