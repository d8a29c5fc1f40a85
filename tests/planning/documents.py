"""Short documents for one rule each."""

from typing import Any

from tests.planning.compared import compared

CRITERIA = "**Acceptance Criteria:**\n- [ ] c\n\n"


def plan(text: str, name: str = "prd-p.md") -> dict[str, Any]:
    """What becomes of a document that has a plan."""
    found = compared(name, text)
    assert "error" not in found, found
    return found


def stories(text: str) -> list[dict[str, Any]]:
    """The stories of a stories section with this text in it; without those keys that say nothing."""
    return [_said(story) for story in plan(f"# P\n\n## User Stories\n\n{text}")["userStories"]]


def story(body: str, heading: str = "### US-001: T") -> dict[str, Any]:
    """The one story that has this body, without id, title and priority."""
    (found,) = stories(f"{heading}\n\n{body}")
    return {key: value for key, value in found.items() if key not in ("id", "title", "priority")}


def unplaced(body: str) -> list[int]:
    """The lines that are unplaced in a story with this body, of which the first is 1."""
    found = plan(f"# P\n## Stories\n### US-001: T\n{body}").get("unplaced", [])
    return [line - 3 for line in found]


def error(text: str) -> tuple[str, list[int]]:
    """The kind of the error that a document makes, and its lines."""
    found = compared("prd-p.md", text)["error"]
    return found["kind"], found["lines"]


def _said(story: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in story.items() if value not in ("", []) and key != "passes"}
