"""Misspelt keys: within two letters of one of ours, or in another tool's spelling."""

from collections.abc import Iterable, Iterator

from prd_ralph.errors import Problem
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.source import Source
from prd_ralph.prdfile.text import shown

TOP_KEYS = (
    *("project", "name", "branchName", "baseBranch", "description", "source"),
    *("setup", "verificationCommands", "protect", "userStories"),
)
STORY_KEYS = (
    *("id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "verificationCommands"),
    *("passes", "notes", "agent", "model", "skip", "supersedes", "approved"),
)
COMMAND_KEYS = ("run", "name", "cwd", "timeout", "env", "retries", "when", "minTests", "parallel")

# A misspelling of these would change a verdict or an order, so it is never only a warning.
_DECIDING = frozenset({"passes", "dependsOn", "verificationCommands", "skip", "protect"})
_FOREIGN = {
    "dependencies": "dependsOn",
    "blockedby": "dependsOn",
    "dependson": "dependsOn",
    "skipped": "skip",
    "passing": "passes",
}
# Keys that begin so are the person's own.
PRIVATE = ("_", "$", "x-", "X-", "/")


def misspelt(source: Source) -> Iterator[tuple[Problem, bool]]:
    """Each misspelt key at the top and in the stories, and whether it is an error whatever the strictness."""
    top = source.root.value
    if isinstance(top, dict):
        yield from _misspelt_in(source, (), top, TOP_KEYS)
    for index, story in source.stories():
        yield from _misspelt_in(source, ("userStories", index), story, STORY_KEYS)


def _misspelt_in(
    source: Source, path: Path, keys: Iterable[str], ours: tuple[str, ...]
) -> Iterator[tuple[Problem, bool]]:
    present = set(keys)
    for key in present - set(ours):
        meant = None if key.startswith(PRIVATE) else meant_by(key, ours, present)
        if meant:
            message = f"unknown key {shown(key)}: prd-ralph reads {meant!r}"
            hint = f"rename it to {meant!r}; a key of your own may begin with `x-` or `_`"
            yield source.problem((*path, key), message, hint), meant in _DECIDING


def meant_by(key: str, ours: Iterable[str], present: Iterable[str] = ()) -> str | None:
    """Which of our keys is meant by `key`, or None.

    Two letters may differ; one, where the right key stands beside it or has five letters or fewer
    (`step` is no `skip`, `pages` beside `passes` is a key of its own).
    """
    candidates = [candidate for candidate in ours if len(candidate) > 2]
    plain = _plain(key)
    if _FOREIGN.get(plain) in candidates:
        return _FOREIGN[plain]
    near = [(edit_distance(plain, _plain(candidate), 2), candidate in _DECIDING, candidate) for candidate in candidates]
    distance, _, meant = min(near, default=(3, False, ""))
    allowed = 1 if meant in set(present) or len(meant) <= 5 else 2
    return meant if distance <= allowed else None


def closest(word: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant, for a hint."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in words}
    found = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def edit_distance(left: str, right: str, limit: int) -> int:
    """Letters to insert, delete, replace or swap with their neighbour; more than `limit` is not told apart."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, char in enumerate(left, 1):
        new = [i]
        for j, other in enumerate(right, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (char != other))
            if i > 1 and j > 1 and char == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        before, row = row, new
    return row[-1]


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").replace(" ", "").lower()
