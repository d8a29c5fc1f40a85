"""Puts the pinned programs into a cache outside the repository, by npm, each in a prefix of its own.

Nothing is installed where that very version answers already. What cannot be installed is no error of ours: it is told.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.realcli.pins import Pin

INSTALL_S = 900
ANSWER_S = 60
_LINES = 8
# Scripts, because the programs come by them, and the person's own settings may forbid them. Short pauses between tries,
# because without a network these would be minutes.
_FLAGS = ("--no-audit", "--no-fund", "--ignore-scripts=false", "--loglevel=error")
_PAUSES = ("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=4000")


class InstallError(Exception):
    """A program could not be installed; the message is why, on one or more lines."""


def folder_of(env: Mapping[str, str]) -> Path:
    """Where the programs are: PRD_RALPH_CLI_DIR, else a folder of the user's cache."""
    if given := env.get("PRD_RALPH_CLI_DIR"):
        return Path(given).absolute()
    cache = env.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "prd-ralph" / "cli"


def bin_of(folder: Path, pin: Pin) -> Path:
    """The folder that holds the program, for PATH."""
    return folder / pin.name / "node_modules" / ".bin"


def is_there(folder: Path, pin: Pin) -> bool:
    """Whether the program starts and says that it is of the pinned version: a half installed one does not."""
    program = bin_of(folder, pin) / pin.name
    try:
        with tempfile.TemporaryDirectory() as home:
            done = _quietly([str(program), "--version"], ANSWER_S, {**os.environ, "HOME": home})
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and pin.version in done.stdout.split()


def install(folder: Path, pins: Iterable[Pin]) -> dict[Pin, str]:
    """Installs what is missing; for each program that is not there in the end, why."""
    failed: dict[Pin, str] = {}
    for pin in pins:
        try:
            _install(folder, pin)
        except (InstallError, OSError) as error:
            failed[pin] = str(error)
    return failed


def _install(folder: Path, pin: Pin) -> None:
    if is_there(folder, pin):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError("npm is not on PATH")
    prefix = folder / pin.name
    with _alone(folder, pin):
        if is_there(folder, pin):
            return
        shutil.rmtree(prefix, ignore_errors=True)
        prefix.mkdir()
        print(f"realcli: installing {pin.package}@{pin.version} into {prefix}", flush=True)
        _npm([npm, "install", "--prefix", str(prefix), f"{pin.package}@{pin.version}", *_FLAGS, *_PAUSES])
    if not is_there(folder, pin):
        raise InstallError(f"npm was content, but `{pin.name} --version` does not say {pin.version}")


@contextmanager
def _alone(folder: Path, pin: Pin) -> Iterator[None]:
    """Two installations into one folder would spoil each other."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{pin.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _npm(command: list[str]) -> None:
    try:
        done = _quietly(command, INSTALL_S, os.environ)
    except subprocess.TimeoutExpired as error:
        raise InstallError(f"npm was not done after {INSTALL_S} s") from error
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise InstallError("\n".join([f"npm: exit {done.returncode}", *said[:_LINES]]))


def _quietly(command: list[str], limit_s: float, env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit_s,
        check=False,
    )
