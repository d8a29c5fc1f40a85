"""What Python runs beside the project's own code: start-up files and runners among the installed packages."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.glance import entries, is_real_folder, names_below
from prd_ralph.workspace.sway import MOST, RUNNERS, SITES, Sway

_STARTED = Sway("Python runs it at every start")
_AT_START = ("sitecustomize.py", "usercustomize.py", "sitecustomize", "usercustomize")
_EARLY = ("collections/__init__.py", "encodings/__init__.py", "encodings/aliases.py", "encodings/utf_8.py")
_OWN = ("os.py", "site.py", "runpy.py", "subprocess.py", "doctest.py", "codecs.py", "io.py", "abc.py", *_EARLY)
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


def swaying(prefix: Path) -> Iterator[tuple[str, Sway]]:
    """Files below an installation that sway every command; at most 2,000 of runners."""
    for lib in entries(prefix / "lib"):
        if lib.name.startswith("python3") and is_real_folder(lib):
            own = (*(f"{lib.path}/{name}" for name in _OWN), *names_below(f"{lib.path}/unittest"))
            yield from ((path, Sway("part of Python itself")) for path in own)
            yield from ((f"{lib.path}/{name}", _STARTED) for name in _AT_START[:2])
            for name in SITES:
                yield from islice(_of_site(f"{lib.path}/{name}"), MOST)


def _of_site(site: str) -> Iterator[tuple[str, Sway]]:
    for entry in entries(site):
        stem = entry.name.removesuffix(".py")
        if entry.name.endswith(".pth") or entry.name in _AT_START[:2]:
            yield entry.path, _STARTED
        elif entry.name.endswith(".dist-info"):
            yield f"{entry.path}/{_PLUGINS}", Sway("pytest loads what it names")
        elif stem in RUNNERS or stem in _AT_START or (stem.startswith("pytest_") and "." not in stem):
            sway = Sway("it runs tests" if stem not in _AT_START else _STARTED.why, entry.path)
            files = names_below(entry.path) if is_real_folder(entry) else (entry.path,)
            yield from ((path, sway) for path in files)


def matters(path: str) -> bool:
    """Whether a file that `swaying` names does sway: most packages offer pytest nothing."""
    return not path.endswith(f"/{_PLUGINS}") or b"[pytest11]" in (read_plain(Path(path)) or b"")
