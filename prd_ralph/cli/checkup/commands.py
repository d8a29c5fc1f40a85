"""Whether the programs are there that the verification commands begin with."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from prd_ralph.cli.checkup.findings import Finding, warning
from prd_ralph.console import printable
from prd_ralph.model import Check, Prd, RunPlan, Story
from prd_ralph.prdfile import first_word
from prd_ralph.process.program import NotStartedError, find_program


def commands(
    stories: tuple[Story, ...], prd: Prd, plan: RunPlan, root: Path, env: Mapping[str, str]
) -> Iterator[Finding]:
    """A warning for each program that is missing now: a story may be about to make it."""
    missing: dict[tuple[str, str], list[str]] = {}
    for story in stories:
        for check in prd.checks_for(story, plan.extra):
            word = first_word(check)
            if word and is_missing(word, check, root, env):
                missing.setdefault((word, check.cwd), []).append(story.id)
    for (word, cwd), ids in missing.items():
        where = f"in {cwd}" if "/" in word else "on PATH"
        what = f"{word} is not {where}: a verification command of {_listed(ids)} begins with it"
        yield warning("commands", what, "install it or correct the command, unless a story is to make it")


def is_missing(word: str, check: Check, root: Path, env: Mapping[str, str]) -> bool:
    """In a folder that a story is still to make nothing is missed."""
    folder = root / check.cwd
    if not folder.is_dir():
        return False
    try:
        find_program((word,), folder, {**env, **dict(check.env)})
    except NotStartedError:
        return True
    return False


def _listed(ids: list[str]) -> str:
    names = [printable(story_id, 60) for story_id in dict.fromkeys(ids)]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
