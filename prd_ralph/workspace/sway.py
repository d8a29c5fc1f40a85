"""Files in the work tree that sway what a command does, though no command line names them."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.workspace.glance import entries, is_real_folder, names_below, seen
from prd_ralph.workspace.staging import generated

RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "iniconfig", "unittest", "nose", "nose2", "coverage", "tox", "nox"})
"""Python packages that run tests, or that such a one stands on."""
NODE_RUNNERS = (
    *("jest", "jest-cli", "@jest/core", "vitest", "mocha", "ava", "tap", "jasmine", "playwright", "@playwright/test"),
    *("cypress", "tsx", "ts-node", "typescript", "eslint", "react-scripts"),
)
SITES = ("site-packages", "dist-packages")
"""Where Python's packages are installed, three folders below the prefix."""
MOST = 2_000
"""So many files of runners are looked at in each place."""

_NAMES = (
    ("pytest runs it", "conftest.py"),
    ("Python runs it at every start", "sitecustomize.py usercustomize.py *.pth"),
    ("a runner reads it", "pytest.ini .pytest.ini tox.ini setup.cfg .coveragerc noxfile.py jest.config.* .mocharc.*"),
    ("a runner reads it", "vitest.config.* vite.config.* ava.config.* playwright.config.* .taprc phpunit.xml .rspec"),
    ("a runner reads it", ".proverc .bazelrc go.work global.json .runsettings"),
    ("it rewrites what runs", "babel.config.* .babelrc .babelrc.* .swcrc .pnp.cjs .pnp.loader.mjs"),
    ("npm and its like read it", ".npmrc .yarnrc .yarnrc.yml .bunfig.toml bunfig.toml"),
    ("it says what a command does", "GNUmakefile makefile Makefile justfile Taskfile.yml"),
    ("a shell may read it", ".bashrc .bash_env .envrc"),
    ("it may set what the commands read", ".env"),
    ("it stands for the installed packages", "node_modules"),
)
_WHY = {name: why for why, names in _NAMES for name in names.split()}
_VENVS = frozenset({".venv", "venv"})
_STDLIB = frozenset(sys.stdlib_module_names)
_NATIVE = frozenset({"so", "pyd"})
_PYTHON = frozenset({"py", "pyc"}) | _NATIVE
_NODE = frozenset({"js", "mjs", "cjs", "jsx"})


@dataclass(frozen=True, slots=True)
class Sway:
    """Why a file sways commands. `package`: what it is a part of, and what is named for it; such files are too many
    to be read.
    """

    why: str
    package: str = ""


@dataclass(slots=True)
class Found:
    """`files` by path; `caches`: folders of Python's bytecode, `prefixes`: where a Python is installed. All relative
    to the root, with `/`.
    """

    files: dict[str, Sway] = field(default_factory=dict)
    caches: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)


def look(root: Path) -> Found:
    """Looks through the work tree; of folders that tools fill only at what runs."""
    found = Found()
    folders = [("", False)]
    while folders:
        above, inner = folders.pop()
        here = entries(root / above)
        names = frozenset([entry.name for entry in here])
        for entry in here:
            path = above + entry.name
            if not is_real_folder(entry):
                if why := why_it_sways(entry.name, names, "" if inner else above.rstrip("/").rpartition("/")[2]):
                    found.files[path] = Sway(why)
            elif entry.name == "__pycache__":
                found.caches.append(path)
            elif entry.name == "node_modules":
                _look_at_packages(root, path, found)
            elif entry.name in SITES:
                found.prefixes.append("/".join(path.split("/")[:-3]))
            elif entry.name != ".git" and (not generated(entry.name) or entry.name in _VENVS):
                folders.append((f"{path}/", "__init__.py" in names))
        for name in _shadowing(root / above, names):
            found.files[f"{above}{name}/__init__.py"] = Sway(f"{name} means this folder, not {name}.py")
    return found


def why_it_sways(name: str, siblings: frozenset[str], folder: str) -> str:
    """Why a file of this name sways commands; empty if it does not.

    It lies beside `siblings` in a folder that Python may import as `folder` (empty: as a part of another one).
    """
    stem, _, kind = name.rpartition(".")
    if why := _WHY.get(name) or _WHY.get(f"{stem}.*") or _WHY.get(f"*.{kind}"):
        return why
    if kind in _PYTHON:
        return _why_python(stem.partition(".")[0], kind, siblings, folder)
    if kind in _NODE and not siblings.isdisjoint((f"{stem}.ts", f"{stem}.tsx")):
        return f"Node takes it for {stem}"
    return _WHY[".env"] if name.startswith(".env.") else ""


def _why_python(module: str, kind: str, siblings: frozenset[str], folder: str) -> str:
    if module == "__init__" and (folder in RUNNERS or folder in _STDLIB):
        return f"Python may take it for {folder}"
    if kind in _NATIVE and f"{module}.py" in siblings:
        return f"Python takes it for {module}.py"
    if (module in RUNNERS or module in _STDLIB) and "__init__.py" not in siblings:
        return f"Python may take it for {module}"
    return "bytecode that Python runs without a source" if kind == "pyc" else ""


def _shadowing(folder: Path, names: frozenset[str]) -> Iterator[str]:
    """Packages that stand before a module of the same name."""
    modules = (name.removesuffix(".py") for name in names if name.endswith(".py"))
    return (name for name in modules if name in names and seen(folder / name / "__init__.py"))


def _look_at_packages(root: Path, folder: str, found: Found) -> None:
    for entry in entries(root / folder / ".bin"):
        found.files[f"{folder}/.bin/{entry.name}"] = Sway("npm and its like run it by its name")
    left = MOST
    for package in NODE_RUNNERS:
        for path in names_below(root / folder / package):
            left -= 1
            if left < 0:
                return
            found.files[relative(root, path)] = Sway("it runs tests", f"{folder}/{package}")


def relative(root: Path, path: str) -> str:
    """A path in the work tree as git names it; any other as it is."""
    return path.removeprefix(f"{root}/")
