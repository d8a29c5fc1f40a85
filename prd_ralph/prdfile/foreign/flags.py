"""Whether a story claims to be done, and whether it is held."""

from dataclasses import dataclass

from prd_ralph.prdfile.foreign.finding import Entry
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.shapes import FLAGS, is_empty
from prd_ralph.prdfile.foreign.words import STANDINGS, Standing, standing
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.source import Object
from prd_ralph.prdfile.text import shown


@dataclass(frozen=True, slots=True)
class Claim:
    """What the story says of itself; `key` is the one that decided, `""` where none did."""

    passes: bool
    held: bool
    key: str


def claim_of(entry: Entry, story: Object, pointer: str, findings: Findings) -> Claim:
    """The flag, where one decides; else a status word. A story that passes is never held.

    `pointer` is that of the list: that some of its stories have no status is told once.
    """
    key = next((key for key in ("passes", *FLAGS, "status") if _is_there(story, key)), "")
    if not key:
        findings.warn("no_status", pointer)
    said = _said(entry, key, story[key], findings) if key else Standing.OPEN
    status = story.get("status")
    beside = standing(status) if isinstance(status, str) and status.strip() and key != "status" else said
    if beside is not said and not (beside is Standing.HELD and said is Standing.OPEN):
        findings.warn("passes_over_status", entry.path)
    passes = said is Standing.DONE
    held = Standing.HELD in (said, beside) or story.get("skip") is True or story.get("blocked") is True
    return Claim(passes, held and not passes, key)


def _is_there(story: Object, key: str) -> bool:
    """`passes` is ours: even `null` is an answer, and a wrong one."""
    return key in story and (key == "passes" or not is_empty(story[key]))


def _said(entry: Entry, key: str, value: Json, findings: Findings) -> Standing:
    if isinstance(value, bool) and key != "status":
        return Standing.DONE if value else Standing.OPEN
    if key == "passes":
        hint = "write true or false without quotes; false for what is still to be done"
        findings.wrong((*entry.path, key), f"passes must be true or false, not {shown(value)}", hint)
        return Standing.OPEN
    found = standing(value) if isinstance(value, str) else None
    if found is None:
        known = "; ".join(f"{each.value}: {', '.join(words)}" for each, words in STANDINGS.items())
        message = f"{key} {shown(value)} does not say whether the story is done"
        findings.wrong((*entry.path, key), message, f"write one of these words ({known})")
    return found or Standing.OPEN
