"""Defaults < prd-ralph.toml < environment < flags, and all problems in one go."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prd_ralph.config.file import FILE_NAME, ConfigFile, read_file
from prd_ralph.config.keys import KEYS, RESERVED, TABLES, Key
from prd_ralph.config.settings import DEFAULT_SOURCE, Settings
from prd_ralph.config.values import RefusedError, show
from prd_ralph.errors import Problem, ProblemsError

_PREFIX = "PRD_RALPH_"


@dataclass(frozen=True, slots=True)
class _Given:
    """A value as somebody gave it. `rank` grows with precedence."""

    raw: object
    source: str
    rank: int


def load(root: Path, env: Mapping[str, str], flags: Mapping[str, object]) -> Settings:
    """As `read`. Raises ProblemsError (exit 2) with everything that is wrong in any of the three."""
    settings, problems = read(root, env, flags)
    if problems:
        raise ProblemsError(problems)
    return settings


def read(root: Path, env: Mapping[str, str], flags: Mapping[str, object]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings for the project in `root`, and what is wrong with what was given; that is as if not given.

    `flags` maps key names to what the command line gave; None, False and empty ones were not given.
    """
    file = read_file(root)
    stated = _stated(file)
    problems = [*file.problems, *_unknown_keys(file, stated), *_unknown_variables(env)]
    values: dict[str, Any] = {}
    chosen: dict[str, _Given] = {}
    for key in KEYS:
        values[key.field] = key.default
        chosen[key.name] = _Given(key.default, DEFAULT_SOURCE, 0)
        for given in _given(key, file, stated, env, flags):
            try:
                values[key.field] = key.parse(given.raw)
            except RefusedError as error:
                problems.append(_problem(key.name, given, error, file))
            chosen[key.name] = given
    problems += _one_agent(values, chosen)
    sources = MappingProxyType({name: given.source for name, given in chosen.items()})
    return Settings(**values, sources=sources), tuple(problems)


def _stated(file: ConfigFile) -> dict[str, object]:
    """What the file says, by the keys' names: those of our tables have a dot."""
    found: dict[str, object] = {}
    for name, value in file.values.items():
        if name in TABLES and isinstance(value, dict):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            found[name] = value
    return found


def _given(
    key: Key, file: ConfigFile, stated: Mapping[str, object], env: Mapping[str, str], flags: Mapping[str, object]
) -> Iterable[_Given]:
    """Who said something about this key, the lowest rank first."""
    if key.name in stated:
        line = file.line(key.name)
        yield _Given(stated[key.name], f"{FILE_NAME}:{line}" if line else FILE_NAME, 1)
    if env.get(key.variable, "").strip():
        yield _Given(env[key.variable], key.variable, 2)
    flag = flags.get(key.name)
    if flag is not None and flag is not False and flag not in ((), []):
        yield _Given(flag, key.flag, 3)


def _problem(name: str, given: _Given, refused: RefusedError, file: ConfigFile) -> Problem:
    if given.rank == 1:
        line = file.line(f"{name}.{refused.inner}" if refused.inner else name)
        return Problem(f"{name}: {refused}", refused.allowed, file=FILE_NAME, line=line)
    return Problem(f"{given.source}: {refused}", refused.allowed)


def _one_agent(values: dict[str, Any], chosen: dict[str, _Given]) -> list[Problem]:
    """`agent`, `agent_command` and `agents` exclude one another: the highest rank wins, equals are a problem.

    Only `agents` may need the command, as the one that it calls `command`.
    """
    names = ["agents", "agent", "agent_command"]
    outranked = chosen["agent"].rank > chosen["agents"].rank or chosen["agent_command"].source.startswith("--")
    if "command" in values["agents"] and not outranked:
        names.remove("agent_command")
    given = [name for name in names if chosen[name].rank and (name != "agents" or values[name])]
    if len(given) < 2:
        return []
    best = max(chosen[name].rank for name in given)
    winner, *equals = [name for name in given if chosen[name].rank == best]
    if equals:
        one, other = (_named(name, chosen[name]) for name in (winner, equals[0]))
        return [_both(one, other, "agents" in given)]
    for loser in set(given) - {winner}:
        values[loser] = () if loser == "agents" else None
        chosen[loser] = _Given(values[loser], f"overruled by {chosen[winner].source}", 0)
    return []


def _named(key: str, given: _Given) -> str:
    """A key and its place: a flag and a variable bear its name, a line of the file does not."""
    return f"{key} ({given.source})" if given.rank == 1 else given.source


def _both(one: str, other: str, of_several: bool) -> Problem:
    also = '; an agent_command is "command" in agents' if of_several else ""
    return Problem(f"{one} and {other} are both given", f"keep one of the two{also}")


def _unknown_keys(file: ConfigFile, stated: Mapping[str, object]) -> list[Problem]:
    known = [key.name for key in KEYS]
    return [
        Problem(*_not_known(name, stated[name], known), file=FILE_NAME, line=file.line(name))
        for name in stated
        if name not in known
    ]


def _not_known(name: str, value: object, known: list[str]) -> tuple[str, str]:
    """What is wrong with a key that is none, and what to do."""
    inner = name.partition(".")[2]
    if name in TABLES:
        keys = [key.name for key in KEYS if key.table == name]
        return f"{name}: {show(value)} is no table", f"write [{name}], and its keys below it: {', '.join(keys)}"
    if inner in known:
        return f"unknown key {name!r}", f"{inner} is no key of a table: move it above the first line with a [table]"
    whole = next((key for key in known if key.endswith(f".{name}")), "")
    return f"unknown key {name!r}", _did_you_mean(name, known) if not whole else f"did you mean {whole}?"


def _unknown_variables(env: Mapping[str, str]) -> list[Problem]:
    known = [key.variable for key in KEYS]
    return [
        Problem(f"unknown environment variable {name}", _did_you_mean(name, known))
        for name in sorted(env)
        if name.startswith(_PREFIX) and name not in known and name not in RESERVED
    ]


def _did_you_mean(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else f"known are: {', '.join(known)}"
