"""Defaults < prd-ralph.toml < environment < flags, and all problems in one go."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prd_ralph.config.file import FILE_NAME, ConfigFile, read_file
from prd_ralph.config.keys import KEYS, RESERVED, Key
from prd_ralph.config.settings import DEFAULT_SOURCE, Settings
from prd_ralph.config.values import RefusedError
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
    problems = [*file.problems, *_unknown_keys(file), *_unknown_variables(env)]
    values: dict[str, Any] = {}
    chosen: dict[str, _Given] = {}
    for key in KEYS:
        values[key.name] = key.default
        chosen[key.name] = _Given(key.default, DEFAULT_SOURCE, 0)
        for given in _given(key, file, env, flags):
            try:
                values[key.name] = key.parse(given.raw)
            except RefusedError as error:
                problems.append(_problem(key.name, given, error, file))
            chosen[key.name] = given
    problems += _one_agent(values, chosen)
    sources = MappingProxyType({name: given.source for name, given in chosen.items()})
    return Settings(**values, sources=sources), tuple(problems)


def _given(key: Key, file: ConfigFile, env: Mapping[str, str], flags: Mapping[str, object]) -> Iterable[_Given]:
    """Who said something about this key, the lowest rank first."""
    if key.name in file.values:
        line = file.lines.get(key.name)
        yield _Given(file.values[key.name], f"{FILE_NAME}:{line}" if line else FILE_NAME, 1)
    if env.get(key.variable, "").strip():
        yield _Given(env[key.variable], key.variable, 2)
    flag = flags.get(key.name)
    if flag is not None and flag is not False and flag not in ((), []):
        yield _Given(flag, key.flag, 3)


def _problem(name: str, given: _Given, refused: RefusedError, file: ConfigFile) -> Problem:
    if given.rank == 1:
        return Problem(f"{name}: {refused}", refused.allowed, file=FILE_NAME, line=file.lines.get(name))
    return Problem(f"{given.source}: {refused}", refused.allowed)


def _one_agent(values: dict[str, Any], chosen: dict[str, _Given]) -> list[Problem]:
    """`agent` and `agent_command` exclude one another: the higher rank wins, equals are a problem."""
    name, command = chosen["agent"], chosen["agent_command"]
    if not name.rank or not command.rank:
        return []
    if name.rank == command.rank:
        return [Problem(f"{name.source} and {command.source} are both given", "keep one of the two")]
    loser = "agent" if name.rank < command.rank else "agent_command"
    values[loser] = None
    chosen[loser] = _Given(None, f"overruled by {max(name, command, key=lambda given: given.rank).source}", 0)
    return []


def _unknown_keys(file: ConfigFile) -> list[Problem]:
    known = [key.name for key in KEYS]
    return [
        Problem(f"unknown key {name!r}", _did_you_mean(name, known), file=FILE_NAME, line=file.lines.get(name))
        for name in file.values
        if name not in known
    ]


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
