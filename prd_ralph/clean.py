"""Where commands run that are to see no more than a clone would: a fresh checkout, prepared by `setup`.

An activated virtual environment is left behind, for it may hold the work tree itself (an editable install); what else
of the environment names a place in the work tree names the same place in the checkout.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from prd_ralph.checks import Bench, Tools, run_checks
from prd_ralph.errors import BlockedError
from prd_ralph.model import Check, CheckResult, CheckStatus, RunPlan
from prd_ralph.ports import Checkouts

_NOT_CLEAN = "not clean"
_VENVS = ("VIRTUAL_ENV", "CONDA_PREFIX")
_OF_A_VENV = (*_VENVS, "PYTHONHOME", "VIRTUAL_ENV_PROMPT", "CONDA_DEFAULT_ENV", "CONDA_PROMPT_MODIFIER")
_OF_ANOTHER_TREE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
_STAYS = ("HOME", "PRD_RALPH_*")
_LOOKED_FOR_ABOVE = (
    *("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", "conftest.py"),
    *("package.json", "node_modules", "tsconfig.json", "babel.config.js", "jest.config.js", ".mocharc.json"),
    *("vitest.config.js", "vitest.config.ts", ".eslintrc.json", "eslint.config.js", "Cargo.toml", "go.mod", "go.work"),
)
"""What test runners take up of the folders above the one that they are started in."""


class CleanTools(Tools, Protocol):
    """What a clean bench needs of the ports."""

    @property
    def checkouts(self) -> Checkouts: ...


@dataclass(frozen=True, slots=True)
class CleanBench:
    """`broken`: the command of `setup` that failed. `fresh`: this is a checkout, not the work tree; `known` is what was
    known to be wrong with it when it was made.
    """

    bench: Bench
    known: tuple[str, ...] = ()
    broken: CheckResult | None = None
    fresh: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """Why a pass here is worth less than it seems, as long as the checkout is there.

        To be asked for once the commands have run: they may be the agent's code, and put something above it.
        """
        return (*self.known, *(_strays(self.bench.root) if self.fresh else ()))


@contextmanager
def clean_bench(
    ports: CleanTools, plan: RunPlan, bench: Bench, tree: str, setup: tuple[Check, ...]
) -> Iterator[CleanBench]:
    """`bench`, or where the plan wants it clean one in a fresh checkout of `tree` (or commit), once `setup` ran there.

    Raises BlockedError where no checkout can be made, and where `setup` fails in one of HEAD, too: then it is not this
    tree's fault.
    """
    if plan.verify_in == "tree":
        yield CleanBench(bench)
        return
    with _prepared(ports, plan, bench, tree, setup) as clean:
        if clean.broken and not _was_stopped(clean.broken):
            apart = replace(bench, folder=bench.folder / "base")
            with _prepared(ports, plan, apart, "HEAD", setup) as base:
                if base.broken and not _was_stopped(base.broken):
                    raise setup_failed(base.broken)
                clean = replace(clean, broken=base.broken or clean.broken)
        yield clean


def _was_stopped(result: CheckResult) -> bool:
    return result.status is CheckStatus.INTERRUPTED


def setup_failed(broken: CheckResult) -> BlockedError:
    """The error for a `setup` that does not work in a fresh checkout."""
    how = f"exit {broken.exit_code}" if broken.exit_code is not None else str(broken.status)
    return BlockedError(
        f"setup failed in a fresh checkout: {broken.check.label} ({how})\n{broken.excerpt}",
        "mend `setup` in prd.json: it has to work with what git holds alone",
    )


@contextmanager
def _prepared(
    ports: CleanTools, plan: RunPlan, bench: Bench, tree: str, setup: tuple[Check, ...]
) -> Iterator[CleanBench]:
    venv = next((bench.env[name] for name in _VENVS if bench.env.get(name)), "")
    notes = [f"{_NOT_CLEAN}: no `setup`, and the virtual environment {venv} is in use"] if venv and not setup else []
    with ports.checkouts.of(tree) as checkout:
        notes += [f"{_NOT_CLEAN}: {note}" for note in checkout.notes]
        env = moved(bench.env, bench.root, checkout.root, prepared=bool(setup))
        there = replace(bench, root=checkout.root, env=env)
        yield CleanBench(there, tuple(notes), _set_up(ports, plan, there, setup), fresh=True)


def _set_up(ports: CleanTools, plan: RunPlan, bench: Bench, setup: tuple[Check, ...]) -> CheckResult | None:
    """The command that failed, if one did; those after it do not run."""
    folder = bench.folder / "setup"
    folder.mkdir(parents=True, exist_ok=True)
    results = run_checks(ports, replace(plan, fail_fast=True), replace(bench, folder=folder), setup)
    return next((result for result in results if not result.passed), None)


def moved(env: Mapping[str, str], root: Path, to: Path, *, prepared: bool) -> dict[str, str]:
    """`env` for commands in `to`: each path in `root`, alone or in a list, is the same place there.

    `prepared`: `setup` makes what the commands need, so that an activated virtual environment (venv, conda) is left.
    Where it does not, it stays in use.
    """
    venvs = frozenset(env[name].rstrip("/") for name in _VENVS if env.get(name))
    dropped = _OF_ANOTHER_TREE + (_OF_A_VENV if venvs and prepared else ())
    bins = frozenset(f"{venv}/bin" for venv in venvs)

    def entries(value: str) -> Iterator[str]:
        for entry in value.split(":"):
            bare = entry.rstrip("/")
            if not prepared and bare in venvs | bins:
                yield entry
            elif bare not in bins or _inside(entry, root):
                yield _place(entry, root, to)

    return {
        name: value if any(fnmatchcase(name, glob) for glob in _STAYS) else ":".join(entries(value))
        for name, value in env.items()
        if name not in dropped
    }


def _place(entry: str, root: Path, to: Path) -> str:
    inside = _inside(entry, root)
    return str(to / inside) if inside else entry


def _inside(entry: str, root: Path) -> Path | None:
    """The path below `root` that is meant, as it is written or as links lead there; None for any other text."""
    if not entry.startswith("/"):
        return None
    path = Path(entry)
    if ".." not in path.parts and path.is_relative_to(root):
        return path.relative_to(root)
    try:
        path = path.resolve()
    except (OSError, RuntimeError):  # a circle of links
        return None
    return path.relative_to(root) if path.is_relative_to(root) else None


def _strays(root: Path) -> tuple[str, ...]:
    """What lies in the folders above and a runner may take for the project's: anybody may have put it there."""
    places = (folder / name for folder in root.parents for name in _LOOKED_FOR_ABOVE)
    hint = "remove it, or set TMPDIR to another folder"
    return tuple(f"{_NOT_CLEAN}: {path} lies above the checkout ({hint})" for path in places if _there(path))


def _there(path: Path) -> bool:
    return path.is_symlink() or path.exists()
