"""A run that is refused: all that is wrong is told, no agent is started, nothing on disk is changed."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.conftest import git
from tests.support.project import Done, Project

AGENT = {"PRD_RALPH_AGENT_COMMAND": "touch AGENT_RAN"}


def with_env(project: Project, **env: str) -> Project:
    """The same, with more in its environment."""
    return replace(project, env={**project.env, **env})


def refused(
    project: Project, *args: str, code: int, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Done:
    """`prd-ralph run` with an agent that would leave a file. The refusal, once it is sure that it was one."""
    before = fingerprint(project.root)
    done = with_env(project, **{**AGENT, **(env or {})})("run", *args, cwd=cwd)
    assert fingerprint(project.root) == before
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    told = done.err.splitlines()
    assert len(told) % 2 == 0, done.err
    assert all(line.startswith("error: ") for line in told[::2]), done.err
    assert all(line.startswith("  hint: ") for line in told[1::2]), done.err
    return done


def lines_of(done: Done) -> list[str]:
    """The errors, each without its hint."""
    return [line.removeprefix("error: ") for line in done.err.splitlines() if line.startswith("error: ")]


def fingerprint(root: Path) -> dict[str, object]:
    """Every file's bytes and mode, and what git knows: HEAD, refs, index entries, status."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*files, *folders):
            path = Path(folder, name)
            held = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(root))] = (path.lstat().st_mode, held)
    if (root / ".git" / "HEAD").exists():
        found["HEAD"] = (root / ".git" / "HEAD").read_bytes()
        found["config"] = (root / ".git" / "config").read_bytes()
        for question in (("for-each-ref",), ("ls-files", "--stage", "-v")):
            found[question[0]] = git(root, *question)
        found["status"] = git(root, "--no-optional-locks", "status", "--porcelain=v2", "--ignored", "-uall")
        found["folder"] = sorted(path.name for path in (root / ".git").iterdir() if path.name not in _OURS)
    return found


_OURS = ("prd-ralph", "index", "objects", "COMMIT_EDITMSG", "ORIG_HEAD")
