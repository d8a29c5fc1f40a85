"""Where a command works: the root, the settings, the prd.json, the state."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.clock import SystemClock, clock_of
from prd_ralph.config import Settings, filtered, read
from prd_ralph.errors import BlockedError, Problem, ProblemsError, RalphError
from prd_ralph.masking import Mask
from prd_ralph.model import PRIVATE_VARIABLES, Check
from prd_ralph.prdfile import JsonPrdFile, checks_of, find
from prd_ralph.state import MAIN, LockHolder, StateFolder
from prd_ralph.workspace.location import Location, discover


@dataclass(frozen=True, slots=True)
class Project:
    """`location` is None where there is no repository; then the root is the folder that the command started in.

    `faults`: what is wrong with the settings, where they were opened to be looked at.
    """

    root: Path
    settings: Settings
    env: Mapping[str, str]
    here: Path
    location: Location | None
    faults: tuple[Problem, ...] = ()
    clock: SystemClock = field(default_factory=SystemClock, compare=False)

    @property
    def repository(self) -> Location:
        """Raises BlockedError where there is no repository."""
        return self.location or discover(self.here)

    @property
    def state(self) -> StateFolder:
        return StateFolder(self.repository.state, SystemClock())

    @property
    def worktree(self) -> str:
        """The name of the work tree's lock."""
        location = self.repository
        return MAIN if location.git_dir == location.common_dir else location.git_dir.name

    @property
    def at_work(self) -> tuple[str, LockHolder | None]:
        """Where a run goes on, and who it is: here; else in another work tree of the repository, as `run --worktree`
        does. Without any: here, and None.
        """
        here = self.state.read_lock(self.worktree)
        elsewhere = None if here else self.state.held_elsewhere(self.worktree)
        return elsewhere or (self.worktree, here)

    @property
    def holder(self) -> LockHolder | None:
        """Who is at work here, or else elsewhere in the repository."""
        return self.at_work[1]

    @property
    def agent_env(self) -> dict[str, str]:
        """What the agent gets of `env`."""
        return _unhidden(filtered(self.env, self.settings.env_exclude, self.settings.env_pass))

    @property
    def check_env(self) -> dict[str, str]:
        """What the verification commands and `setup` get of `env`."""
        return _unhidden(filtered(self.env, self.settings.check_env_exclude, self.settings.check_env_pass))

    @property
    def progress(self) -> Path:
        """progress.txt, beside prd.json."""
        return self.prd_file().path.with_name("progress.txt")

    @property
    def extra(self) -> tuple[Check, ...]:
        """The commands that the config and the command line add for every story."""
        settings = self.settings
        given = {"verification_commands": settings.verification_commands, "check": settings.check}
        lists = (checks_of(raw, settings.sources[key], self.root) for key, raw in given.items())
        return tuple(check for checks in lists for check in checks)

    @property
    def mask(self) -> Mask:
        """What is kept and shown is without secrets; what the person keeps from the agent is one."""
        urls = {f"PRD_RALPH_NOTIFY_{number}": url for number, url in enumerate(self.settings.notify)}
        return Mask.of({**self.env, **urls}, (self.env.keys() - self.agent_env.keys()) | urls.keys())

    def prd_file(self) -> JsonPrdFile:
        """Raises RalphError where there is no prd.json."""
        named = self.settings.prd
        if named is not None:
            return JsonPrdFile(self.here / named, self.root, self.move_away)
        path = find(self.here, self.root)
        if path is None:
            where = f"in {self.root}" if self.here == self.root else f"from {self.here} up to {self.root}"
            hint = "name it (--prd FILE, or prd-ralph validate FILE), or make one: `prd-ralph plan PRD.md`"
            raise RalphError(f"no prd.json found {where}", hint)
        return JsonPrdFile(path, self.root, self.move_away)

    def planned_file(self) -> JsonPrdFile:
        """The prd.json that is there, or else the one that `plan` would write: at the root."""
        path = find(self.here, self.root) or self.root / "prd.json"
        return self.prd_file() if self.settings.prd is not None else JsonPrdFile(path, self.root, self.move_away)

    def move_away(self, path: Path) -> None:
        """What stands in prd.json's way goes to the state folder, so that no commit can hold it."""
        from prd_ralph.workspace.files import Attic  # hardly ever needed

        Attic(self.repository.state / "moved").take(self.root, path.relative_to(self.root).as_posix())


def _unhidden(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name not in PRIVATE_VARIABLES}


def open_project(
    flags: Mapping[str, object], here: Path | None = None, env: Mapping[str, str] | None = None
) -> Project:
    """The project around the prd.json that is named, or around `here` (the working folder).

    Raises ProblemsError for what is wrong with the settings.
    """
    project = look_at_project(flags, here, env)
    if project.faults:
        raise ProblemsError(project.faults)
    return project


def look_at_project(
    flags: Mapping[str, object], here: Path | None = None, env: Mapping[str, str] | None = None
) -> Project:
    """The same, with what is wrong kept in `faults`, so that all else can be looked at before it is told."""
    here = _working_folder() if here is None else here.resolve()
    env = dict(os.environ if env is None else env)
    location = _locate(flags.get("prd") or env.get("PRD_RALPH_PRD"), here)
    root = location.root if location else here
    settings, faults = read(root, env, flags)
    return Project(root, settings, env, here, location, faults, clock_of(env))


def _working_folder() -> Path:
    try:
        return Path.cwd().resolve()
    except FileNotFoundError:
        raise BlockedError("the working folder is no longer there", "cd to one that is") from None


def _locate(prd: object, here: Path) -> Location | None:
    """The repository around the prd.json that is named, wherever the command was started; else around `here`."""
    folders = [(here / prd).parent] if isinstance(prd, str | Path) else []
    for folder in (*folders, here):
        try:
            return discover(folder)
        except BlockedError:
            continue
    return None
