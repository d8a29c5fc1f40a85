"""The edge: every error becomes one line, a hint and an exit code; a traceback never reaches the person."""

import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

import click

from prd_ralph.cli.app import COMMANDS, app_for
from prd_ralph.errors import ExitCode, RalphError, disk_refused

_INTERRUPTED = 128 + signal.SIGINT
_STDOUT, _STDERR = 1, 2


def guarded(arguments: Sequence[str]) -> int:
    """Runs the command line; the exit code."""
    # A parent may have had SIGCHLD ignored, which is inherited and makes every status read as 0.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _open_streams()
    code = _run(arguments)
    if code == _INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return code


def _open_streams() -> None:
    """A stream that the parent closed swallows what is written; a locale without our letters is no error."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(handle, True)  # else the next file that is opened would be taken for the stream
    os.close(handle)
    sys.stdout = sys.stdout or os.fdopen(_STDOUT, "w")
    sys.stderr = sys.stderr or os.fdopen(_STDERR, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: Sequence[str]) -> int:
    """typer itself makes 130 of a Ctrl-C, and 1 of a reader of our output that has seen enough."""
    try:
        return int(app_for(arguments)(list(arguments), standalone_mode=False, prog_name="prd-ralph") or ExitCode.OK)
    except RalphError as error:
        _say(error)
        return error.code
    except click.ClickException as error:
        return _misused(error, arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place where a bug of ours ends
        return _disk_or_bug(error)


def _disk_or_bug(error: Exception) -> int:
    if isinstance(error, OSError):
        with suppress(OSError):
            refused = disk_refused(error)
            _say(refused)
            return refused.code
    print(_masked(f"error: a bug in prd-ralph: {type(error).__name__}: {error}"), file=sys.stderr)
    print(f"  hint: please report it with {_log()}", file=sys.stderr)
    return ExitCode.BUG


def _misused(error: click.ClickException, arguments: Sequence[str]) -> int:
    """A command line that cannot be understood; an empty one asks what there is."""
    if not arguments:
        print(error.format_message(), file=sys.stderr)
    else:
        command = f"prd-ralph {arguments[0]}" if arguments[0] in COMMANDS else "prd-ralph"
        # Both typer and click propose what may have been meant.
        message = re.sub(r"(Did you mean [^?]*\?)(?:\s+\1)+", r"\1", error.format_message())
        print(f"error: {message}\n  hint: {command} --help", file=sys.stderr)
    return ExitCode.BAD_INPUT


def _say(error: RalphError) -> None:
    for problem in error.problems:
        print(_masked(f"error: {problem}"), file=sys.stderr)


def _log() -> Path:
    import tempfile
    import traceback

    handle, name = tempfile.mkstemp(prefix="prd-ralph-", suffix=".log", text=True)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(_masked(traceback.format_exc()))
    return Path(name)


def _masked(text: str) -> str:
    from prd_ralph.masking import Mask  # the parts that need no mask do not wait for it

    return Mask.of(os.environ).text(text)
