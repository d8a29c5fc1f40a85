"""Pushes the run's branch: plainly, to a branch of the same name, never with force.

Where to is as git has it (git-config(1)): `branch.<name>.pushRemote`, `remote.pushDefault`, `branch.<name>.remote`;
else the only remote there is. Nothing is written to the config: no upstream is set.
"""

import os
from collections.abc import Iterator

from prd_ralph.errors import Problem
from prd_ralph.model import ProcessEnd
from prd_ralph.ports import Pushed
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.texts import listed, said

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


def push(git: Git, branch: str | None, limit_s: float) -> Pushed:
    """Pushes within `limit_s` seconds; what forbids it is told in the answer."""
    remote = remote_of(git, branch)
    if branch is None or remote is None:
        return Pushed("git push", None, 0.0, "no branch, or nothing says where to push")
    ref = f"refs/heads/{branch}"
    done = git.push(remote, f"{ref}:{ref}", limit_s=limit_s)
    command = f"git push {remote} {branch}"
    if done.end is ProcessEnd.WALL:
        return Pushed(command, None, done.duration_s, f"no end within {limit_s:g} s")
    return Pushed(command, done.exit_code, done.duration_s, "" if done.ok else said(done))


def _remotes(git: Git) -> tuple[str, ...]:
    return tuple(_text(git("remote")).splitlines())


def _text(data: bytes) -> str:
    return os.fsdecode(data).strip()
