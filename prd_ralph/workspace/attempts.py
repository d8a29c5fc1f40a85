"""The attempts that refs hold: which there are, and ending those of old runs without their numbers coming again."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from prd_ralph.names import ATTEMPTS
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location

_CLEANED = "cleaned"
"""In a run's place: below it a ref a story holds nothing but the largest number that was given."""
_CURRENT = "refs/worktree/prd-ralph/current"


@dataclass(frozen=True, slots=True)
class Kept:
    """An attempt whose end state a ref holds. `story` is encoded, as refs have it (`names.encode_story`)."""

    run: str
    story: str
    number: int

    @property
    def ref(self) -> str:
        return f"{ATTEMPTS}{self.run}/{self.story}/{self.number}"


def kept_attempts(git: Git) -> tuple[Kept, ...]:
    """All of them, the oldest run first, a run's by story and number."""
    return tuple(sorted((kept for kept in _refs(git) if kept.run != _CLEANED), key=_order))


def forget(git: Git, gone: Iterable[Kept]) -> None:
    """Ends these refs, all or none. The largest number of each story stays known: no attempt bears one twice."""
    known = _refs(git)
    ended = {kept.ref for kept in gone}
    if not ended:
        return
    largest: dict[str, int] = {}
    for kept in known:
        largest[kept.story] = max(kept.number, largest.get(kept.story, 0))
    stay = {(kept.story, kept.number) for kept in known if kept.ref not in ended and kept.run != _CLEANED}
    needed = {Kept(_CLEANED, story, number).ref for story, number in largest.items() if (story, number) not in stay}
    there = {kept.ref for kept in known if kept.run == _CLEANED}
    nothing = git("hash-object", "-w", "--stdin").decode("ascii").strip()
    orders = [f"delete {ref}\n" for ref in sorted(ended | (there - needed))]
    orders += [f"create {ref} {nothing}\n" for ref in sorted(needed - there)]
    git("update-ref", "--stdin", stdin="".join(orders).encode("ascii"))


def runs_in_trees(git: Git, location: Location) -> frozenset[str]:
    """The runs of which something lies in a work tree of this repository, as far as their records can be read."""
    others = location.common_dir / "worktrees"
    linked = [entry.name for entry in others.iterdir()] if others.is_dir() else []
    refs = [f"main-worktree/{_CURRENT}", *(f"worktrees/{name}/{_CURRENT}" for name in linked)]
    told = (git.result("cat-file", "commit", ref) for ref in refs)
    return frozenset(run for each in told if each.ok and (run := _run_named_in(each.stdout)))


def _refs(git: Git) -> list[Kept]:
    found = []
    for ref in git("for-each-ref", "--format=%(refname)", ATTEMPTS).decode("ascii", "replace").splitlines():
        run, _, rest = ref.removeprefix(ATTEMPTS).partition("/")
        story, _, number = rest.partition("/")
        if number.isascii() and number.isdigit():
            found.append(Kept(run, story, int(number)))
    return found


def _order(kept: Kept) -> tuple[str, str, int]:
    return kept.run, kept.story, kept.number


def _run_named_in(commit: bytes) -> str:
    """The run that a record of `current` names; "" where it is none of ours."""
    message = commit.partition(b"\n\n")[2]
    try:
        return str(json.loads(message)["run"])
    except (ValueError, LookupError, TypeError):
        return ""
