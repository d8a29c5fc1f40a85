"""Pushes the run's branch: plainly, to a branch of the same name, never with force.

Where to is as git has it (git-config(1)): `branch.<name>.pushRemote`, `remote.pushDefault`, `branch.<name>.remote`;
else the only remote there is. Nothing is written to the config: no upstream is set.

A push goes where the config says and runs what it and the hook name, with all of the person's environment. In a linked
work tree an agent's edits of both are not put back, so that a push is for what stood there before any agent began.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import Problem
from prd_ralph.model import ProcessEnd
from prd_ralph.ports import Pushed
from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.texts import listed, said

_HOOK = "pre-push"
_HERE = "."  # as an upstream that is a local branch


def remote_of(git: Git, branch: str | None) -> str | None:
    """The remote that the branch is pushed to; None where nothing says which."""
    keys = (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote")
    told = (_text(git.result("config", "--get", key).stdout) for key in keys)
    configured = next((name for name in told if name and name != _HERE), None)
    remotes = _remotes(git)
    return configured or (remotes[0] if len(remotes) == 1 else None)


def push_problems(git: Git, branch: str | None) -> Iterator[Problem]:
    """Why `--push` could never push."""
    if remote_of(git, branch) is not None:
        return
    if remotes := _remotes(git):
        yield Problem(f"--push: which remote? There are {listed(remotes)}", "git config remote.pushDefault NAME")
    else:
        yield Problem("--push: the repository has no remote", "git remote add origin URL, or leave --push out")


@dataclass(frozen=True, slots=True)
class Pusher:
    """Pushes to the run's `branch`. `seen`: what decided a push when the run began."""

    git: Git
    location: Location
    branch: str | None
    seen: frozenset[tuple[str, str]]

    @classmethod
    def now(cls, git: Git, location: Location, branch: str | None) -> "Pusher":
        """To be made before an agent starts."""
        return cls(git, location, branch, _deciding(git, location, branch))

    def push(self, commit: str, limit_s: float) -> Pushed:
        """Pushes `commit` and what it stands on within `limit_s` seconds; what forbids it is told in the answer."""
        remote = remote_of(self.git, self.branch)
        if self.branch is None or remote is None:
            return Pushed("git push", None, 0.0, "no branch, or nothing says where to push")
        command = f"git push {remote} {self.branch}"
        changed = tuple(sorted({name for name, _ in self.seen ^ _deciding(self.git, self.location, self.branch)}))
        if changed:
            return Pushed(command, None, 0.0, f"not pushed: changed since the run began: {listed(changed)}")
        done = self.git.push(remote, f"{commit}:refs/heads/{self.branch}", limit_s=limit_s)
        if done.end is ProcessEnd.WALL:
            return Pushed(command, None, done.duration_s, f"no end within {limit_s:g} s")
        return Pushed(command, done.exit_code, done.duration_s, "" if done.ok else said(done))


def _deciding(git: Git, location: Location, branch: str | None) -> frozenset[tuple[str, str]]:
    """Each setting with its value, but for those of other branches, and the hook by its content."""
    told = (os.fsdecode(each).partition("\n") for each in git("config", "-z", "--list").split(b"\0") if each)
    settings = [(name, value) for name, _, value in told if not _is_of_another(name, branch)]
    named = [value for name, value in settings if name == "core.hookspath"][:-1]  # the last one is our own
    hook = (git.root / Path(named[-1]).expanduser() if named else location.common_dir / "hooks") / _HOOK
    content = hashlib.sha256(read_plain(hook.resolve()) or b"").hexdigest()
    return frozenset({*settings, (f"the hook {_HOOK}", f"{hook.resolve()} {content} {os.access(hook, os.X_OK)}")})


def _is_of_another(name: str, branch: str | None) -> bool:
    return name.startswith("branch.") and not name.startswith(f"branch.{branch}.")


def _remotes(git: Git) -> tuple[str, ...]:
    return tuple(_text(git("remote")).splitlines())


def _text(data: bytes) -> str:
    return os.fsdecode(data).strip()
