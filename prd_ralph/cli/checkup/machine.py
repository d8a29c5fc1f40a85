"""The machine: Python, git, the shell, room on the disk, the system."""

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from prd_ralph import __version__
from prd_ralph.agents.environment import nested
from prd_ralph.cli.checkup.findings import Finding, blocker, fine, warning
from prd_ralph.ports import Processes, ProcessRequest

LEAST_ROOM = 1 << 30
_LEAST_GIT = (2, 31)
_GIB = 1 << 30


def programs(
    processes: Processes, env: Mapping[str, str], check_env: Mapping[str, str], cwd: Path
) -> Iterator[Finding]:
    """What prd-ralph itself needs. `check_env` is what the verification commands get."""
    yield fine("python", f"prd-ralph {__version__} on Python {platform.python_version()}")
    yield git(processes, env, cwd)
    yield shell(check_env)


def git(processes: Processes, env: Mapping[str, str], cwd: Path) -> Finding:
    fix = f"install git {_version(_LEAST_GIT)} or newer, or mend PATH"
    path = shutil.which("git", path=env.get("PATH"))
    if path is None:
        return blocker("git", "git is not on PATH", fix)
    done = processes.run(ProcessRequest(argv=(path, "--version"), cwd=cwd, env=env, separate=True))
    found = re.search(rb"\d+(?:\.\d+)+", done.stdout) if done.ok else None
    if found is None:
        return blocker("git", f"{path} does not say its version ({done.error or done.end})", fix)
    version = tuple(map(int, found[0].split(b".")))
    if version < _LEAST_GIT:
        return blocker("git", f"git {_version(version)} ({path}) is too old", fix)
    return fine("git", f"git {_version(version)} ({path})")


def shell(env: Mapping[str, str]) -> Finding:
    path = env.get("PATH", os.defpath)
    if bash := shutil.which("bash", path=path):
        return fine("shell", f"shell lines run with {bash}")
    if sh := shutil.which("sh", path=path):
        what = f"bash is not on PATH: {sh} runs shell lines, so a failure within a pipe goes unnoticed"
        return warning("shell", what, "install bash")
    return blocker("shell", "neither bash nor sh is on PATH: no shell line can run", "install bash, or mend PATH")


def disk(folder: Path, least: int = LEAST_ROOM) -> Finding:
    """Room where attempts, transcripts and objects are kept; `least` in bytes."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return warning("disk", f"how much room {folder} has is unknown: {error.strerror}", "see that it can be read")
    room = f"{free / _GIB:.1f} GiB free in {folder}"
    return fine("disk", room) if free >= least else warning("disk", room, "make room: a full disk stops a run")


def system(name: str) -> Iterator[Finding]:
    """What is not promised here; `name` as `sys.platform`."""
    if name == "darwin":
        what = "on macOS nothing proves that an agent leaves no process behind: one that hides well can survive"
        yield warning("system", what, "look for such processes after a run, or run on Linux")


def session(env: Mapping[str, str]) -> Iterator[Finding]:
    """Whether this is an agent's own shell."""
    if names := nested(env):
        yield fine("session", f"within an agent's session; not handed on to agents: {', '.join(names)}")


def _version(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
