"""`As a …, I want …, so that …`: in one sentence, on three lines, or in three columns (RULES: Stories, description)."""

import re
from collections.abc import Sequence

_PARTS = tuple(
    re.compile(rf"({part})(?::\s*|\s+|$)(.*)", re.IGNORECASE) for part in ("as an?", "i want(?: to)?", "so that")
)
_AS_A = re.compile(r"as an?\s", re.IGNORECASE)
_WANT = re.compile(r"\bI want(?:\s+to)?\s+(.+?)(?:,?\s+so that\b.*)?$", re.IGNORECASE | re.DOTALL)
_VOWELS = "aeiou"


def is_sentence(text: str) -> bool:
    """Whether the text, bold unwrapped, begins with `As a`."""
    return _AS_A.match(text) is not None


def title_of(sentence: str) -> str:
    """What is wanted, with a capital; the whole sentence where it says nothing of wanting."""
    found = _WANT.search(sentence)
    return capital((found[1] if found else sentence).rstrip(" .,;"))


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def joined(lines: Sequence[str]) -> str:
    """Lines of one paragraph, joined by a blank; the three parts, each on a line of its own, by a comma."""
    parts = [pattern.match(line) for pattern, line in zip(_PARTS, lines, strict=False)]
    if not 2 <= len(lines) <= len(_PARTS) or not all(parts):
        return " ".join(lines)
    said = [f"{found[1]} {found[2]}".strip().rstrip(",") for found in parts if found]
    return ", ".join(said[:2] + [part[0].lower() + part[1:] for part in said[2:]])


def starts(line: str, part: int) -> bool:
    """Whether the line is the first (0), second or third part."""
    return part < len(_PARTS) and _PARTS[part].match(line) is not None


def from_columns(who: str, want: str, why: str) -> str:
    """The sentence that the cells of a row make; parts without a cell are left out."""
    if who and not is_sentence(f"As {who}"):
        who = f"{'an' if who[0].lower() in _VOWELS else 'a'} {who}"
    said = [f"As {who}" if who else "", f"I want {want}" if want else "", f"so that {why}" if why else ""]
    return ", ".join(filter(None, said))
