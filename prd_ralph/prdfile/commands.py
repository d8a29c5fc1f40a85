"""Verification commands: what the schema can't say of them, and their making into `Check`s."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from prd_ralph.errors import Problem
from prd_ralph.model import MARK_VARIABLE, STORY_VARIABLE, Check
from prd_ralph.prdfile.folders import escape_fault, relative
from prd_ralph.prdfile.names import clean, passable
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object, Source, listed, texts
from prd_ralph.prdfile.text import shown

_RESERVED = frozenset({STORY_VARIABLE, MARK_VARIABLE})


def command_faults(source: Source, root: FilePath | None) -> Iterator[Problem]:
    """Faults of every command: of the file, its `setup`, and the stories. Tolerates what the schema refuses."""
    for path, command in commands_in(source):
        run = command.get("run") if isinstance(command, dict) else command
        run_path: Path = (*path, "run") if isinstance(command, dict) else path
        yield from _run_faults(source, run_path, run)
        if isinstance(command, dict):
            yield from _option_faults(source, path, command, root)


def commands_in(source: Source) -> Iterator[tuple[Path, Json]]:
    """Every command of the file, with its place: `setup`, for all stories, and each story's own."""
    for key in ("setup", "verificationCommands"):
        for index, command in enumerate(listed(source.root.value, key)):
            yield (key, index), command
    for number, story in source.stories():
        for index, command in enumerate(listed(story, "verificationCommands")):
            yield ("userStories", number, "verificationCommands", index), command


def _run_faults(source: Source, path: Path, run: Json) -> Iterator[Problem]:
    words = [run] if isinstance(run, str) else [word for _, word in texts({"run": run}, "run")]
    if not all(map(passable, words)):
        yield source.problem(path, "a command can't hold a NUL or half a surrogate pair", "remove the character")
    elif isinstance(run, list) and words and words[0] == run[0] and not words[0].strip():
        yield source.problem((*path, 0), "the program's name must not be blank", 'write a list as ["pytest", "-q"]')


def _option_faults(source: Source, path: Path, command: Object, root: FilePath | None) -> Iterator[Problem]:
    cwd = command.get("cwd")
    if isinstance(cwd, str) and (fault := _cwd_fault(cwd, root)):
        yield source.problem((*path, "cwd"), f"cwd {shown(cwd)} {fault}", "name a folder inside the project")
    env = command.get("env")
    for name, value in env.items() if isinstance(env, dict) else ():
        place = (*path, "env", name)
        if not name or "=" in name or not passable(name) or not passable(str(value)):
            yield source.problem(place, f"{shown(name)} can't be passed in the environment", "rename or remove it")
        elif name in _RESERVED:
            yield source.problem(place, f"{name} is set by prd-ralph", "remove it")


def _cwd_fault(cwd: str, root: FilePath | None) -> str | None:
    return escape_fault(cwd, root) if passable(cwd) else "holds a NUL or half a surrogate pair"


def check_of(command: Json, root: FilePath | None = None) -> Check:
    """A valid command as a value. `timeout` is in seconds; `root` makes an absolute `cwd` relative."""
    if not isinstance(command, dict):
        return Check(_run(command))
    timeout, cwd, env = command.get("timeout"), command.get("cwd"), command.get("env")
    least, retries = command.get("minTests"), command.get("retries")
    return Check(
        run=_run(command["run"]),
        name=clean(str(command.get("name", ""))),
        cwd=relative(cwd, root) if isinstance(cwd, str) else ".",
        timeout_s=float(timeout) if isinstance(timeout, (int, float)) else None,
        env=tuple((name, str(value)) for name, value in env.items()) if isinstance(env, dict) else (),
        retries=int(retries) if isinstance(retries, (int, float)) else 0,
        when="land" if command.get("when") == "land" else "always",
        min_tests=int(least) if isinstance(least, (int, float)) else None,
        parallel=command.get("parallel") is True,
    )


def _run(run: Json) -> str | tuple[str, ...]:
    return tuple(map(str, run)) if isinstance(run, list) else str(run)
