"""Python projects: the tools that their files configure or require, run by the manager whose lock file there is."""

import re
from collections.abc import Iterator
from typing import Any

from prd_ralph.planning.detection.proposals import Files, Kind, Proposal, at, text_of, toml_of, within

_REQUIREMENTS = ("requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "Pipfile", "setup.cfg")
_TOOLS = (
    (Kind.LINT, "ruff", "ruff check .", ("ruff.toml", ".ruff.toml")),
    (Kind.LINT, "flake8", "flake8", (".flake8",)),
    (Kind.TYPECHECK, "mypy", "mypy .", ("mypy.ini", ".mypy.ini")),
    (Kind.TYPECHECK, "pyright", "pyright", ("pyrightconfig.json",)),
    (Kind.TEST, "pytest", "pytest -q", ("pytest.ini", "conftest.py")),
)
_RUNNERS = (
    ("uv.lock", "uv run "),
    ("poetry.lock", "poetry run "),
    ("pdm.lock", "pdm run "),
    ("Pipfile.lock", "pipenv run "),
)


def python(files: Files) -> Iterator[Proposal]:
    """One command a kind; where none tests, what tox or nox would run."""
    prefix = next((prefix for lock, prefix in _RUNNERS if lock in files), "")
    found: set[Kind] = set()
    for kind, tool, command, configs in _TOOLS:
        source = _source(files, tool, configs)
        if source and kind not in found:
            found.add(kind)
            yield Proposal(kind, prefix + _fitted(files, tool, command), source)
    if Kind.TEST not in found:
        for file, command in (("tox.ini", "tox"), ("noxfile.py", "nox")):
            if file in files:
                yield Proposal(Kind.TEST, prefix + command, file)
                return


def _fitted(files: Files, tool: str, command: str) -> str:
    """A mypy that knows its files by its settings needs no folder."""
    known = within(toml_of(files, "pyproject.toml"), "tool", "mypy", "files")
    return "mypy" if tool == "mypy" and known else command


def _source(files: Files, tool: str, configs: tuple[str, ...]) -> str:
    """What says that a tool is used: its own file, its table, or that it is required; "" for nothing."""
    config = next((name for name in configs if name in files), "")
    if config:
        return config
    project = toml_of(files, "pyproject.toml")
    if within(project, "tool", tool) is not None:
        return at(files, "pyproject.toml", rf"^\s*\[tool\.{tool}", f"tool.{tool}")
    if any(_requires(text, tool) for text in _texts(project)):
        return at(files, "pyproject.toml", rf"\b{tool}\b", "dependencies")
    for name in _REQUIREMENTS:
        if any(_requires(line, tool) for line in text_of(files, name).splitlines()):
            return at(files, name, rf"^\s*{tool}(?![\w.-])")
    return ""


def _requires(text: str, tool: str) -> bool:
    return re.match(rf"\s*{re.escape(tool)}(?![\w.-])", text) is not None


def _texts(project: Any) -> Iterator[str]:
    """Requirements in all the tables that have any: PEP 621's, PEP 735's, Poetry's."""
    yield from _lists(within(project, "project", "dependencies"))
    for table in (("project", "optional-dependencies"), ("dependency-groups",)):
        groups = within(project, *table)
        for group in groups.values() if isinstance(groups, dict) else ():
            yield from _lists(group)
    poetry = within(project, "tool", "poetry")
    tables = [within(poetry, "dependencies"), within(poetry, "dev-dependencies")]
    groups = within(poetry, "group")
    tables += [within(group, "dependencies") for group in groups.values()] if isinstance(groups, dict) else []
    for found in tables:
        yield from found if isinstance(found, dict) else ()


def _lists(value: Any) -> Iterator[str]:
    yield from (each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
