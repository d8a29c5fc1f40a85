"""`prd-ralph demo`: the sample, done by the scripted agent in a scratch repository; no key, no network, seconds."""

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.assets import asset
from prd_ralph.cli.project import open_project
from prd_ralph.cli.session import Show, session
from prd_ralph.errors import RalphError, cannot_write
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import require_git

SHORT = "See it work, on the shipped sample."
EXAMPLE = "Example: prd-ralph demo --dir /tmp/my-demo"


def command(
    folder: Annotated[
        str | None, typer.Option("--dir", metavar="DIR", help="An empty or new folder. Default: a temporary one.")
    ] = None,
) -> int:
    """Run the sample PRD with the agent that is shipped for it: one attempt fails, one lies, one leaves a server on."""
    require_git()
    root = _scratch(folder)
    _make_repository(root)
    typer.echo(f"demo repository: {root}\n", err=True)
    env = {**os.environ, "PRD_RALPH_SCRIPT": str(asset("templates/demo/script.json"))}
    code = session(lambda: open_project({"agent": "scripted"}, root, env), Show())
    typer.echo(_look(root), err=True)
    return code


def _scratch(folder: str | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="prd-ralph-demo-")).resolve()
    root = Path(folder).resolve()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise RalphError(f"{root} is not an empty folder", "name a new or an empty one with --dir")
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(root, error) from error
    return root


def _make_repository(root: Path) -> None:
    """The start files and the sample, committed; with an identity of its own where the person has set none."""
    shutil.copytree(asset("templates/demo/start"), root, dirs_exist_ok=True)
    shutil.copy(asset("sample_prd.json"), root / "prd.json")
    with SupervisedProcesses(StopSignals()) as processes:
        git = Git(processes, root, os.environ)
        git("init", "-q")
        if not git.result("var", "GIT_COMMITTER_IDENT").ok:
            git("config", "user.name", "prd-ralph demo")
            git("config", "user.email", "demo@prd-ralph.invalid")
        git("config", "commit.gpgsign", "false")
        git("add", "--", ".")
        git("commit", "-q", "-m", "chore: the demo's start")


def _look(root: Path) -> str:
    name = _name()
    return f"""
Have a look:
  cd {shlex.quote(str(root))}
  git log --stat        one commit a story, with what proved it in the trailers
  {name} status         the counts, as recorded
  {name} show           every attempt: the one that failed, and the one that lied
  cat progress.txt      the memory between attempts

With your own agent, in your own repository:
  {name} run --agent-command "your-agent --its-flags"      (the prompt is on its stdin)"""


def _name() -> str:
    """How prd-ralph is called from any folder: by its name, where PATH knows it, else as this process was started."""
    if shutil.which("prd-ralph"):
        return "prd-ralph"
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m prd_ralph"
    return shlex.quote(str(started.absolute()))
