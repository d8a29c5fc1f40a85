"""A repository with a person's files in it, and a workspace on it."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.model import AttemptKey
from prd_ralph.ports import Candidate, Landed, LandingRefused, LandingRequest, Processes
from prd_ralph.workspace.facade import GitWorkspace
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.protection import Protect
from tests.conftest import git
from tests.support.plain import PlainProcesses

AGENT = {
    "GIT_AUTHOR_NAME": "prd-ralph agent",
    "GIT_AUTHOR_EMAIL": "agent@prd-ralph.invalid",
    "GIT_COMMITTER_NAME": "prd-ralph agent",
    "GIT_COMMITTER_EMAIL": "agent@prd-ralph.invalid",
}
FILES = {
    "a.py": "one\n",
    "pkg/b.py": "two\n",
    "pkg/c.py": "three\n",
    ".gitignore": "*.log\nsecret/\n.env\nnode_modules/\n__pycache__/\n",
    "prd.json": '{"passes": false}\n',
    "progress.txt": "# Progress\n",
}
PERSONS = {"mine.txt": "mine\n", "notes/todo.md": "todo\n", "run.log": "log\n", "secret/key": "k\n", ".env": "A=1\n"}
FLIPPED = b'{"passes": true}\n'


def agent(root: Path, *args: str, check: bool = True) -> str:
    """Runs git as an agent would, with its committer."""
    done = subprocess.run(["git", *args], cwd=root, check=check, capture_output=True, text=True, env=os.environ | AGENT)
    return done.stdout.rstrip("\n")


def put(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def persons(root: Path) -> dict[str, tuple[int, str]]:
    """The person's files: mode and text."""
    return {path: ((root / path).lstat().st_mode, (root / path).read_text()) for path in PERSONS}


def hook(root: Path, name: str, text: str) -> None:
    put(root, {f".git/hooks/{name}": f"#!/bin/sh\n{text}\n"})
    (root / ".git/hooks" / name).chmod(0o755)


@dataclass
class Scene:
    root: Path
    workspace: GitWorkspace
    base: str
    run: str = "r1"
    tampered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    head: str | None = None

    def key(self, story: str = "US-1", number: int | None = None) -> AttemptKey:
        return AttemptKey(self.run, story, number or self.workspace.next_attempt(story))

    def attempt(self, act: Callable[[Path], object] = lambda root: None, story: str = "US-1") -> Candidate:
        """One attempt up to the frozen candidate, kept."""
        key = self.key(story)
        self.workspace.begin(key)
        act(self.root)
        return self.after(key)

    def after(self, key: AttemptKey) -> Candidate:
        """What follows an agent."""
        reclaimed = self.workspace.reclaim(key)
        self.notes, self.head = reclaimed.notes, reclaimed.head
        self.tampered = self.workspace.guard(key)
        candidate = self.workspace.freeze()
        self.workspace.keep(key, candidate, reclaimed.head)
        return candidate

    def land(
        self, candidate: Candidate, story: str = "US-1", message: str = "feat: US-1 - T\n"
    ) -> Landed | LandingRefused:
        return self.workspace.land(LandingRequest(AttemptKey(self.run, story, 1), candidate, FLIPPED, message))

    def landed(self, candidate: Candidate, story: str = "US-1") -> Landed:
        """Lands, flips the file, settles."""
        outcome = self.land(candidate, story)
        assert isinstance(outcome, Landed), outcome
        (self.root / "prd.json").write_bytes(FLIPPED)
        self.workspace.settle(outcome.commit)
        return outcome

    def git(self, *args: str) -> str:
        return git(self.root, *args)

    def status(self) -> list[str]:
        return self.git("status", "--porcelain", "-uall").splitlines()

    def files(self, commit: str = "HEAD") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", commit).splitlines()


def scene_on(
    root: Path,
    run: str = "r1",
    prd: str = "prd.json",
    never_stage: tuple[str, ...] = (),
    pause: Callable[[float], object] = lambda seconds: None,
    processes: Processes | None = None,
    protect: Protect = (),
    commands: tuple[str, ...] = (),
) -> Scene:
    """A workspace as a run that starts now would have it."""
    common = Path(git(root, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    branch = git(root, "branch", "--show-current") or None
    base = git(root, "rev-parse", "HEAD")
    memory = (prd, prd.replace("prd.json", "progress.txt"))
    runner = Git(processes or PlainProcesses(), root, dict(os.environ))
    state = common / "prd-ralph" / "runs" / run
    workspace = GitWorkspace(*(runner, state, prd, memory, base, branch), never_stage, protect, commands, pause=pause)
    return Scene(root, workspace, base, run)
