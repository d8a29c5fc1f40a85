"""Hygiene for every test: a home, a git identity and an environment of its own."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

Repo = Callable[..., Path]

# No test depends on the machine's speed.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


AGENTS = ("claude", "codex")


@pytest.fixture(scope="session")
def path_without_agents(tmp_path_factory: pytest.TempPathFactory) -> str:
    """PATH as it is, but that no true agent is found there: no test may start one by accident."""
    folders = []
    for folder in map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        if any(shutil.which(name, path=str(folder)) for name in AGENTS):
            others = tmp_path_factory.mktemp("bin")
            for program in folder.iterdir():
                if program.name not in AGENTS:
                    (others / program.name).symlink_to(program)
            folder = others
        folders.append(str(folder))
    return os.pathsep.join(folders)


@pytest.fixture(autouse=True)
def _isolated(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, path_without_agents: str
) -> None:
    monkeypatch.setenv("PATH", path_without_agents)
    home = tmp_path_factory.mktemp("home")
    for name in [
        key
        for key in os.environ
        if key.startswith(("GIT_", "PRD_RALPH_", "XDG_", "CLAUDE", "ANTHROPIC_", "CODEX_", "OPENAI_"))
    ]:
        monkeypatch.delenv(name)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Person\n\temail = person@example.invalid\n[init]\n\tdefaultBranch = main\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(root: Path, *args: str) -> str:
    """Runs git as the person would; its stdout without the last newline."""
    done = subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.rstrip("\n")


@pytest.fixture
def make_repo(tmp_path: Path) -> Repo:
    """Makes a repository with the given files committed: `make_repo({"a.py": "…"}, name="repo")`."""

    def make(files: dict[str, str] | None = None, name: str = "repo") -> Path:
        root = tmp_path / name
        root.mkdir()
        git(root, "init", "-q")
        for path, text in (files or {"README.md": "hello\n"}).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "first")
        return root

    return make
