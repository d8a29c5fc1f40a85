"""Finds the program to start where the child would find it, and says plainly why one can't be started."""

import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

# Linux: MAX_ARG_STRLEN, 32 pages less the closing NUL.
LONGEST_ARGUMENT = 131_071


class NotStartedError(Exception):
    """Why a process can't be started, in one line."""


def find_program(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> str:
    """The file that `argv[0]` means for a process in `cwd` with `env`; absolute. Raises NotStartedError."""
    if not argv or not argv[0]:
        raise NotStartedError("no program given")
    if any("\0" in text for text in (*argv, *env, *env.values())):
        raise NotStartedError(f"cannot start {argv[0]!r}: a NUL character can't be passed to a program")
    name, cwd = argv[0], cwd.absolute()
    # os.path says no where Path raises: not every folder on PATH may be looked into.
    if not os.path.isdir(cwd):  # noqa: PTH112
        raise NotStartedError(f"no such folder: {cwd}")
    folders = [""] if "/" in name else env.get("PATH", os.defpath).split(os.pathsep)
    found = [path for folder in folders if os.path.isfile(path := cwd / folder / name)]  # noqa: PTH113
    if not found:
        raise NotStartedError(f"no such program: {name}" if "/" in name else f"not found on PATH: {name}")
    for path in found:
        if os.access(path, os.X_OK):
            return str(path)
    raise NotStartedError(f"not executable: {found[0]}")


def why_not(number: int, program: str, argv: Sequence[str], cwd: Path) -> str:
    """A failed start's errno, in words."""
    if number == errno.E2BIG:
        longest = max(len(os.fsencode(argument)) for argument in argv)
        return (
            f"argument list too long for {argv[0]}: the longest argument has {longest} bytes "
            f"(at most {LONGEST_ARGUMENT}); pass long text by a file or standard input"
        )
    if number == errno.ENOENT:
        return f"not found: the interpreter that {program} names in its first line"
    if number == errno.ENOEXEC:
        return f"not executable: {program} is no program for this machine, or a script without a #! line"
    return f"cannot start {program} in {cwd}: {os.strerror(number)}"
