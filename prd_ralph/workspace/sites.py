"""What Python runs beside the project's own code: start-up files and runners among the installed packages."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.glance import entries, is_real_folder, names_below
from prd_ralph.workspace.sway import MOST, RUNNERS

_STARTED = ("sitecustomize.py", "usercustomize.py", "sitecustomize", "usercustomize")
_PLUGINS = "entry_points.txt"


def prefixes(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Where Pythons are installed, as far as PATH and the variables of environments tell."""
    named = [Path(env[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if env.get(name, "").startswith("/")]
    for path in env.get("PATH", "").split(os.pathsep):
        folder = Path(os.path.realpath(path))
        if path.startswith("/") and folder.name == "bin":
            named.append(folder.parent)
        elif path.startswith("/") and folder.name == "shims":  # pyenv's
            named += [Path(entry.path) for entry in entries(folder.parent / "versions")]
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in named))


def swaying(prefix: Path) -> Iterator[tuple[str, str]]:
    """Files below an installation that sway every command, each with the reason; at most 2,000 of runners."""
    left = MOST
    for lib in entries(prefix / "lib"):
        if not lib.name.startswith("python3") or not is_real_folder(lib):
            continue
        for path in (f"{lib.path}/{name}" for name in _STARTED[:2]):
            yield path, "Python runs it at every start"
        for site in (Path(lib.path, name) for name in ("site-packages", "dist-packages")):
            for entry in entries(site):
                if why := _why(entry.name):
                    for path in names_below(entry.path) if is_real_folder(entry) else (entry.path,):
                        left -= 1
                        if left >= 0:
                            yield path, why
                elif entry.name.endswith(".dist-info"):
                    yield f"{entry.path}/{_PLUGINS}", "pytest loads what it names"


def _why(name: str) -> str:
    if name.endswith(".pth") or name in _STARTED:
        return "Python runs it at every start"
    stem = name.removesuffix(".py")
    if stem in RUNNERS or (stem.startswith("pytest_") and "." not in stem):
        return f"part of {stem}, which runs tests"
    return ""


def matters(path: str) -> bool:
    """Whether a file that `swaying` names does sway: most packages offer pytest nothing."""
    return not path.endswith(f"/{_PLUGINS}") or b"[pytest11]" in (read_plain(Path(path)) or b"")
