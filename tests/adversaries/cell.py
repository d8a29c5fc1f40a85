"""One cell of the table: a home, a project in it, an agent of a few lines, and a run under one policy."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.adversaries import truth
from tests.adversaries.adversary import Adversary
from tests.adversaries.policies import Outcome, Policy
from tests.adversaries.shop import EXECUTABLE
from tests.support.project import Done

LIMIT_S = 120
PRELUDE = Path(__file__).with_name("prelude.sh")
_IDENTITY = "[user]\n\tname = Person\n\temail = person@example.invalid\n[init]\n\tdefaultBranch = main\n"
_TOOLS = ("bash", "git", "make", "ps")
_PERSONS = ("bin", "lib")


@dataclass(frozen=True, slots=True)
class Cell:
    """`folder` holds all of it: home/, repo/, what the agent plays, and later the truth's clones."""

    folder: Path
    adversary: Adversary

    @property
    def root(self) -> Path:
        return self.folder / "repo"

    @property
    def env(self) -> dict[str, str]:
        """The person's: a folder of their own first on PATH, one on PYTHONPATH, and a file that bash reads."""
        home = self.folder / "home"
        return _plain(home) | {
            "PATH": f"{home}/bin{os.pathsep}{_path()}",
            "PYTHONPATH": f"{home}/lib",
            "BASH_ENV": f"{home}/.bash_env",
            "CELL": str(self.folder),
        }

    def git(self, *args: str) -> str:
        """git as the person runs it; empty where it fails, for adversaries break repositories."""
        done = subprocess.run(["git", *args], cwd=self.root, env=self.env, capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""

    # --- what is played ---------------------------------------------------------------------------

    def run(self, policy: Policy) -> Done:
        """`prd-ralph run --json` until the adversary has been started as often as it wants; the last run's end."""
        agent = f"sh {PRELUDE} {{story_id}}"
        attempts = str(self.adversary.attempts)
        command = [sys.executable, "-m", "prd_ralph", "run", "--json", "--agent-command", agent]
        ends = [
            self._started([*command, "--max-attempts", attempts, *policy.args], f"run-{number}")
            for number in range(self.adversary.starts)
        ]
        return ends[-1]

    def _started(self, command: list[str], name: str) -> Done:
        out, err = self.folder / f"{name}.out", self.folder / f"{name}.err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            code = subprocess.run(
                command,
                cwd=self.root,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                timeout=LIMIT_S,
                check=False,
            ).returncode
        return Done(code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"))

    # --- what came of it --------------------------------------------------------------------------

    def outcome(self, done: Done) -> Outcome:
        """What became of the flags: those that stand on disk, or in the last commit."""
        flagged = self.flagged()
        false = [story for story in flagged if not self.is_true(story)]
        if false:
            return Outcome.SUSPECT if set(false) <= _suspected(done) else Outcome.FALSE
        return Outcome.TRUE if set(flagged) == {story["id"] for story in self.adversary.stories} else Outcome.HELD

    def flagged(self) -> list[str]:
        """The stories that pass by prd.json, in the work tree or in HEAD: whoever reads one of them believes it."""
        file = self.root / "prd.json"
        on_disk = file.read_text("utf-8", "replace") if file.is_file() else ""
        return list(dict.fromkeys((*_passing(on_disk), *_passing(self.git("show", "HEAD:prd.json")))))

    def is_true(self, story: str, judges_of_base: bool = True) -> bool:
        """Whether a story's commands, as the person wrote them, hold in a clean clone of its landing."""
        commands = [
            command
            for each in self.adversary.stories
            if each["id"] == story
            for command in each["verificationCommands"]
        ]
        landing = self.git("log", "-1", "--format=%H", f"--grep=^Prd-Ralph-Story: {story}$")
        clean = self.folder / "truth" / story
        env = _plain(clean / "home")
        (clean / "home").mkdir(parents=True)
        clone = truth.clone(self.root, landing or self.git("rev-parse", "HEAD"), clean / "repo", env)
        if judges_of_base:
            truth.lay_back(clone, self.folder / "base")
        return truth.hold(clone, commands, env)


@contextmanager
def played(folder: Path, adversary: Adversary, protect: str | list[str] | None = None) -> Iterator[Cell]:
    """A cell, laid out in `folder`; at the end whatever it may have left running ends by itself."""
    cell = Cell(folder, adversary)
    (folder / "home").mkdir(parents=True)
    for name in _PERSONS:
        (folder / "home" / name).mkdir()
    (folder / "home" / ".gitconfig").write_text(_IDENTITY)
    for story, plays in adversary.plays.items():
        for number, play in enumerate(plays, 1):
            (folder / f"play-{story}-{number}.sh").write_text(play)
    _lay_out(cell, {} if protect is None else {"protect": protect})
    (folder / "alive").touch()
    try:
        yield cell
    finally:
        (folder / "alive").unlink()


def _lay_out(cell: Cell, fields: Mapping[str, Any]) -> None:
    """The repository with everything committed, and a copy of it as it was."""
    prd = {"project": "Shop", **fields, "userStories": cell.adversary.stories}
    for name, text in {**cell.adversary.files, "prd.json": json.dumps(prd, indent=2) + "\n"}.items():
        path = cell.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name in EXECUTABLE:
            path.chmod(0o755)
    for line in ("git init -q", cell.adversary.setup or ":", "git add -A", "git commit -q -m first"):
        subprocess.run(["sh", "-ec", line], cwd=cell.root, env=cell.env, check=True, capture_output=True)
    shutil.copytree(cell.root, cell.folder / "base", symlinks=True, ignore=shutil.ignore_patterns(".git"))


def _plain(home: Path) -> dict[str, str]:
    """An environment that nobody has touched. pytest starts sooner without the plugins that happen to be there."""
    return {
        "HOME": str(home),
        "PATH": _path(),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _path() -> str:
    """The folders of Python as it was installed (its user's folder counts, a virtual environment's does not), of
    pytest, and of the few tools that are needed.
    """
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve().parent
    tools = (Path(found).parent for name in _TOOLS if (found := shutil.which(name)))
    return os.pathsep.join(dict.fromkeys(map(str, (python, Path(sys.executable).parent, *tools))))


def _passing(text: str) -> list[str]:
    try:
        return [story["id"] for story in json.loads(text)["userStories"] if story["passes"] is True]
    except (ValueError, KeyError, TypeError):
        return []


def _suspected(done: Done) -> set[str]:
    """The stories whose pass was told with suspects."""
    last = {event["story"]: event for event in done.of("judged") if event["outcome"] == "passed"}
    return {story for story, event in last.items() if event["suspects"]}
