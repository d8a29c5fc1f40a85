"""The truth, found without prd-ralph: a clean clone, what judged at base laid back, the commands run by hand."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.adversaries.shop import FOLDERS, JUDGES

LIMIT_S = 60


def clone(repo: Path, commit: str, folder: Path, env: Mapping[str, str]) -> Path:
    """A clone of `repo` in `folder` with `commit` checked out, and those submodules that can be had."""
    _git(folder.parent, env, "clone", "-q", "--no-checkout", str(repo), str(folder))
    _git(folder, env, "checkout", "-q", "--detach", commit)
    if (folder / ".gitmodules").is_file():
        update = ["git", "-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init"]
        subprocess.run(update, cwd=folder, env=dict(env), check=False, capture_output=True, timeout=LIMIT_S)
    return folder


def lay_back(folder: Path, base: Path) -> None:
    """Makes what judges as it is in `base`, another checkout: what is there, and what is not."""
    for name in (*FOLDERS, *JUDGES):
        ours, theirs = folder / name, base / name
        if ours.is_dir() and not ours.is_symlink():
            shutil.rmtree(ours)
        elif os.path.lexists(ours):
            ours.unlink()
        if theirs.is_dir():
            shutil.copytree(theirs, ours, symlinks=True)
        elif theirs.exists():
            shutil.copy2(theirs, ours)


def hold(folder: Path, commands: Iterable[Any], env: Mapping[str, str]) -> bool:
    """Whether each command, as prd.json has it, exits 0 in `folder`."""
    return all(_run(folder, command, env) == 0 for command in commands)


def _run(folder: Path, command: Any, env: Mapping[str, str]) -> int:
    options = command if isinstance(command, dict) else {"run": command}
    line = options["run"]
    argv = ["bash", "-o", "pipefail", "-c", line] if isinstance(line, str) else line
    where = folder / options.get("cwd", ".")
    if not where.resolve().is_relative_to(folder.resolve()) or not where.is_dir():
        return 1
    return subprocess.run(
        argv, cwd=where, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
    ).returncode


def _git(folder: Path, env: Mapping[str, str], *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, env=dict(env), check=True, capture_output=True, timeout=LIMIT_S)
