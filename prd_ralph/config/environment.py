"""Which environment variables are kept from a process."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

_OURS = "PRD_RALPH_"


def filtered(env: Mapping[str, str], exclude: Iterable[str], passed: Iterable[str]) -> dict[str, str]:
    """`env` less what a glob of `exclude` names and none of `passed` does. Our own variables stay as they are."""
    kept, given = tuple(exclude), tuple(passed)
    return {
        name: value
        for name, value in env.items()
        if name.startswith(_OURS) or not _names(kept, name) or _names(given, name)
    }


def _names(globs: tuple[str, ...], name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
