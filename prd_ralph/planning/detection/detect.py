"""All finders together, and what becomes of what they find when the person wants it."""

from collections.abc import Iterable
from dataclasses import replace

from prd_ralph.planning.commands import once
from prd_ralph.planning.detection.others import compiled, ruby, targets
from prd_ralph.planning.detection.proposals import Files, Kind, Proposal
from prd_ralph.planning.detection.python import python
from prd_ralph.planning.detection.scripts import composer, deno, node
from prd_ralph.planning.values import Concern, Plan

_FINDERS = (node, deno, python, compiled, composer, ruby)

FILES = (
    *("GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile", "Taskfile.yml", "Taskfile.yaml"),
    *(
        "package.json",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
        "bun.lockb",
    ),
    *("tsconfig.json", "deno.json", "deno.jsonc", "composer.json"),
    *("pyproject.toml", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "setup.cfg", "tox.ini"),
    *("requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "noxfile.py", "pytest.ini", "conftest.py"),
    *("ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "pyrightconfig.json"),
    *("Cargo.toml", "go.mod", "pom.xml", "mvnw", "build.gradle", "build.gradle.kts", "gradlew", "Gemfile", "Rakefile"),
)
"""The names that are looked at. Of lock files and wrappers only that they are there matters."""


def detect(files: Files) -> tuple[Proposal, ...]:
    """What the files propose, by kind. `files`: those of `FILES` that there are, and their bytes.

    Of a kind for which there is a target nothing else is proposed: it would run twice.
    """
    by_target = tuple(targets(files))
    settled = {proposal.kind for proposal in by_target}
    others = [proposal for finder in _FINDERS for proposal in finder(files) if proposal.kind not in settled]
    return tuple(sorted((*by_target, *others), key=lambda proposal: list(Kind).index(proposal.kind)))


def with_commands(plan: Plan, proposals: Iterable[Proposal]) -> Plan:
    """The plan with these commands for every story, after the PRD's own; so no story is without any."""
    commands = once((*plan.commands, *(proposal.command for proposal in proposals)))
    warnings = (notice for notice in plan.warnings if notice.concern is not Concern.NO_COMMAND or not commands)
    return replace(plan, commands=commands, warnings=tuple(warnings))
