"""Hidden checks: commands that no agent is told of, from a file that lies outside of the work tree.

They are out of an agent's sight, not out of its reach: it runs as the same user.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from prd_ralph.cli.project import Project
from prd_ralph.errors import Problem, ProblemsError, RalphError
from prd_ralph.model import Check
from prd_ralph.prdfile import checks_of

_FORM = 'write a table for each story, ["US-001"] (or ["*"] for all), and in it commands = ["pytest -q …"]'


def hidden_checks(project: Project) -> Mapping[str, tuple[Check, ...]]:
    """The hidden commands by story id, `*` for every story; each has a name, `hidden-1` where the file gives none.

    Raises ProblemsError with all that is wrong with the file, or with where it lies.
    """
    named = project.settings.hidden_checks
    if named is None:
        return {}
    path, root = project.root / named, project.root.resolve()
    tables = _read(path)
    if _is_within(path, root):
        what = "hidden checks must lie outside of the work tree: an agent can read it there"
        raise ProblemsError([Problem(what, "move the file, and set hidden_checks to its new path", file=str(path))])
    found, problems = _checks(tables, str(path), root)
    if problems or not found:
        raise ProblemsError(problems or [Problem("holds no command", _FORM, file=str(path))])
    return _named(found)


def _is_within(path: Path, root: Path) -> bool:
    """Whether the file lies in the work tree, or the way to it leads through, where an agent can turn it elsewhere."""
    steps = (each.parent.resolve() / each.name for each in (path, *path.parents) if each.name not in ("", ".."))
    return any(each != root and each.is_relative_to(root) for each in (*steps, path.resolve()))


def _read(path: Path) -> dict[str, object]:
    import tomllib

    try:
        if not S_ISREG(path.stat().st_mode):
            raise RalphError(f"{path}: hidden checks must be in a regular file", "name a TOML file in hidden_checks")
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        what = f"{path}: hidden checks cannot be read: {error.strerror}"
        raise RalphError(what, "correct hidden_checks, or leave it out") from None
    except UnicodeDecodeError:
        raise RalphError(f"{path}: is not UTF-8", "save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RalphError(f"{path}: is not TOML: {error}", "https://toml.io shows how it is written") from None


def _checks(
    tables: Mapping[str, object], file: str, root: Path
) -> tuple[dict[str, tuple[Check, ...]], tuple[Problem, ...]]:
    """What could be read of it, and what is wrong with the rest."""
    found: dict[str, tuple[Check, ...]] = {}
    problems: list[Problem] = []
    for story_id, table in tables.items():
        faults = tuple(_faults(table))
        problems += [Problem(fault, _FORM, file=file, story=story_id) for fault in faults]
        commands = table["commands"] if isinstance(table, dict) and not faults else []
        try:
            checks = checks_of(commands, file, root)
        except ProblemsError as error:
            pointed = (replace(each, pointer=f"/commands{each.pointer or ''}") for each in error.problems)
            problems += [replace(each, story=story_id) for each in pointed]
        else:
            found |= {story_id: checks} if checks else {}
    return found, tuple(problems)


def _faults(table: object) -> Iterator[str]:
    if not isinstance(table, dict):
        yield "is no table"
        return
    if not isinstance(table.get("commands"), list) or not table["commands"]:
        yield "commands is no list with a command in it"
    yield from (f"unknown key {key!r}" for key in table if key != "commands")


def _named(found: Mapping[str, tuple[Check, ...]]) -> dict[str, tuple[Check, ...]]:
    """Without a name of its own a command would be told of by its text."""
    number = 0
    named: dict[str, tuple[Check, ...]] = {}
    for story_id, checks in found.items():
        named[story_id] = tuple(
            replace(check, name=check.name or f"hidden-{number + place}", hidden=True)
            for place, check in enumerate(checks, 1)
        )
        number += len(checks)
    return named
