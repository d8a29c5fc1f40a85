"""Errors that reach the user, and the exit codes that they end with.

Two kinds of error exist: the user's to fix (`RalphError`: one line, where, and a hint) and ours (anything
else: exit 70, one line and a log file). Only `prd_ralph.cli` prints either.
"""

import errno
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """What the process ends with. A signal's code is 128 plus its number."""

    OK = 0
    UNFINISHED = 1
    BAD_INPUT = 2
    ENVIRONMENT = 3
    LIMIT = 4
    BUG = 70


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where it is, and what to do about it.

    `pointer` is a JSON pointer (RFC 6901; `""` is the whole file), `line` counts from 1. `rule`: the name of the lint
    rule that found it.
    """

    message: str
    hint: str = ""
    file: str = ""
    line: int | None = None
    pointer: str | None = None
    story: str = ""
    rule: str = ""

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line) if part)
        place = " ".join(part for part in (where, self.pointer, self.story) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class RalphError(Exception):
    """Something the user can mend; shown as one line and a hint, never as a traceback."""

    def __init__(self, message: str, hint: str = "", code: ExitCode = ExitCode.BAD_INPUT) -> None:
        super().__init__(message)
        self.code = code
        self.problems: tuple[Problem, ...] = (Problem(message, hint),)


class ProblemsError(RalphError):
    """Several problems, told in one go."""

    def __init__(self, problems: Iterable[Problem], code: ExitCode = ExitCode.BAD_INPUT) -> None:
        found = tuple(problems)
        super().__init__("; ".join(problem.message for problem in found), code=code)
        self.problems = found


class ForeignChangeError(RalphError):
    """Somebody else's commit or branch change was met: stop rather than swallow it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, ExitCode.UNFINISHED)


class BlockedError(RalphError):
    """The machine or the repository does not let us go on (exit 3)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, ExitCode.ENVIRONMENT)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def cannot_write(what: object, error: OSError) -> BlockedError:
    """The error for a file or stream of ours that cannot be written; a full disk is named as such."""
    if error.errno in _FULL:
        return BlockedError(f"disk full: {what} cannot be written", "make room, then run again: the run goes on")
    return BlockedError(f"{what} cannot be written: {error.strerror}", "see that it can be, then run again")


def disk_refused(error: OSError) -> BlockedError:
    """What a full or broken disk said to whoever wrote. Raises `error` where it is none: that is a bug of ours."""
    if error.errno in (*_FULL, errno.EROFS, errno.EIO):
        return cannot_write(error.filename or "a file", error)
    raise error
