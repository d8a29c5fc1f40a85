"""A real project in tmp, and prd-ralph run on it as a person would: a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 120


def story(story_id: str, *commands: object, **fields: object) -> dict[str, Any]:
    """A story as prd.json has it; open, and judged by `commands`."""
    return {
        "id": story_id,
        "title": f"Title of {story_id}",
        "passes": False,
        "verificationCommands": list(commands),
        **fields,
    }


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of `run --json`."""
        return [json.loads(line) for line in self.out.splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["kind"] == kind]


@dataclass(frozen=True, slots=True)
class Project:
    """A repository with a prd.json. `env` is laid over this process's environment."""

    root: Path
    env: Mapping[str, str]

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "prd_ralph", *args]

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, **self.env, **more}

    def __call__(self, *args: str, cwd: Path | None = None, **more: str) -> Done:
        """Runs `prd-ralph ARGS`, with `more` in its environment."""
        done = subprocess.run(
            self.command(*args),
            cwd=cwd or self.root,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def run(self, *args: str, **more: str) -> Done:
        """`prd-ralph run --json ARGS`."""
        return self("run", "--json", *args, cwd=None, **more)

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.rstrip("\n")

    @property
    def prd_path(self) -> Path:
        return self.root / "prd.json"

    def passes(self) -> dict[str, bool]:
        """Every story's flag, by id."""
        return {each["id"]: each["passes"] for each in json.loads(self.prd_path.read_bytes())["userStories"]}

    def landings(self) -> list[str]:
        """The stories that landed, the oldest first."""
        told = self.git("log", "--reverse", "--format=%(trailers:key=Prd-Ralph-Story,valueonly,separator=%x2C)")
        return [line for line in told.splitlines() if line]

    def snapshot(self) -> dict[str, bytes]:
        """Every file of the work tree, by its path."""
        files = (path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}


def make_project(
    folder: Path,
    stories: Sequence[Mapping[str, Any]],
    script: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    commit_prd: bool = True,
    **fields: Any,
) -> Project:
    """A repository in `folder`/repo. `script` is the scripted agent's: `{"stories": {"US-001": [[step, …], …]}}`.

    The script's agent is chosen by environment, so `run` needs no flags.
    """
    root = folder / "repo"
    root.mkdir(parents=True)
    env: dict[str, str] = {}
    if script is not None:
        path = folder / "script.json"
        path.write_text(json.dumps(script))
        env = {"PRD_RALPH_AGENT": "scripted", "PRD_RALPH_SCRIPT": str(path)}
    project = Project(root, env)
    for name, text in {"README.md": "hello\n", **(files or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    project.git("init", "-q")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "first")
    prd = {"project": "Test", "userStories": list(stories), **fields}
    project.prd_path.write_text(json.dumps(prd, indent=2) + "\n")
    if commit_prd:
        project.git("add", "prd.json")
        project.git("commit", "-q", "-m", "prd")
    return project
