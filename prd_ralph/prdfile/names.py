"""What ids, branch names and names of agents and models may look like. All pure."""

import re
import unicodedata

ID_LIMIT = 200
_BRANCH_CHARACTERS = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def has_control(text: str) -> bool:
    """A control character, a line or paragraph separator, or half a surrogate pair is in it."""
    return any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in text)


def id_fault(story_id: str) -> str | None:
    """Why this can't be a story's id; None when it can."""
    if not 1 <= len(story_id) <= ID_LIMIT:
        return f"must have 1 to {ID_LIMIT} characters"
    if has_control(story_id):
        return "must not hold a control character or line end"
    if story_id != story_id.strip():
        return "must not begin or end with a blank"
    return None


def branch_fault(name: str) -> str | None:
    """Why git would not take this as a branch's name (git-check-ref-format), or would take it for an option."""
    if not name or name in ("@", "HEAD"):
        return "is no branch name"
    if name.startswith("-"):
        return "must not begin with `-`"
    if _SURROGATE.search(name) or _BRANCH_CHARACTERS.search(name):
        return "must not hold blanks, control characters or any of ~ ^ : ? * [ \\"
    if ".." in name or "@{" in name:
        return "must not hold `..` or `@{`"
    if any(not part or part.startswith(".") or part.endswith(".lock") for part in name.split("/")):
        return "must not have a part between slashes that is empty, begins with `.` or ends in `.lock`"
    return "must not end with `.`" if name.endswith(".") else None


def token_fault(name: str) -> str | None:
    """Why this can't be passed on as the name of an agent or a model."""
    if not name or any(char.isspace() for char in name) or has_control(name):
        return "must be one word without blanks or control characters"
    return "must not begin with `-`" if name.startswith("-") else None


def clean(text: str) -> str:
    """Half surrogate pairs, which no file and no program can take, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def passable(text: str) -> bool:
    """Whether a program can be given this text."""
    return "\0" not in text and not _SURROGATE.search(text)
