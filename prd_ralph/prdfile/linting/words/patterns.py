"""Patterns from lists of words, so that the lists can be read."""

import re

FEW = r"(?:\w+ ){0,2}?"
END = r"(?=\W*$)"
START = r"(?:^|[.;:(]\s*)"


def either(words: str) -> str:
    """One of the words, which commas part; each may be a pattern without a comma."""
    return f"(?:{'|'.join(' '.join(word.split()) for word in words.split(','))})"


def whole(pattern: str) -> str:
    """The pattern between the ends of words; `-` counts as a letter, so that `fail-fast` is one word."""
    return rf"(?<![\w-])(?:{pattern})(?![\w-])"


def any_of(*patterns: str) -> re.Pattern[str]:
    """In any case."""
    return re.compile("|".join(patterns), re.IGNORECASE)
