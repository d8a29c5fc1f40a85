"""A scratch project with one story, and `prd-ralph run` in it with a real program, as a user would run it."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from prd_ralph.model import MARK_VARIABLE
from tests.realcli.install import bin_of
from tests.realcli.mock import Entry, MockModel
from tests.realcli.programs import Program
from tests.support.project import Project, make_project, story
from tests.support.waiting import PATIENCE_S, pids_in, started

RUN_S = 300
STORY = "US-001"
FILE = "hello.txt"
# Of this process's environment a run gets no more: no key of the developer's, no setting, no outer session.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Seen:
    """How a run ended. `failure`: the class of the last attempt's, "" for none. `left`: processes that still lived."""

    failure: str
    outcome: str
    charged: bool
    stop: str
    exit: int
    left: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What a run told: its process's exit code as a shell has it, stderr, and the events of its ledger."""

    exit: int
    err: str
    events: tuple[dict[str, Any], ...]

    def last(self, kind: str) -> dict[str, Any]:
        """The last event of a kind; empty where there is none."""
        return next((event for event in reversed(self.events) if event["kind"] == kind), {})

    def seen(self, left: int) -> Seen:
        """With so many processes left alive. What was not told is empty."""
        agent, judged, run = (self.last(kind) for kind in ("agent_finished", "judged", "run_finished"))
        outcome = " ".join(filter(None, (judged.get("outcome"), judged.get("reason"))))
        return Seen(
            agent.get("failure") or "", outcome, judged.get("charged", False), run.get("stop", ""), self.exit, left
        )


@dataclass(frozen=True)
class Stage:
    """`home` is fresh. `prd-ralph run` is the only thing that is started in it."""

    program: Program
    project: Project
    mock: MockModel
    home: Path
    env: Mapping[str, str]

    @property
    def file(self) -> Path:
        return self.project.root / FILE

    @property
    def pids(self) -> Path:
        """Where a tool that stays writes its pid."""
        return self.project.root.with_name("pids")

    @property
    def state(self) -> Path:
        """Where prd-ralph keeps what it records."""
        return self.project.root / ".git" / "prd-ralph"

    @property
    def requests(self) -> list[Entry]:
        """Those that bore the story."""
        return [entry for entry in self.mock.journal if entry.story]

    def run(self, *args: str, **env: str | None) -> Told:
        """Runs it to its end. `env`: variables to add, or, with None, to take away."""
        with started(self.project, *self._command(*args), env=self._environment(env)) as process:
            _, err = process.communicate(timeout=RUN_S)
        return self._told(process, err)

    def plan(self, prd: str) -> Told:
        """Has the program plan this PRD. Nothing of it is recorded."""
        (self.project.root / "prd.md").write_text(prd, encoding="utf-8")
        command = ("plan", "prd.md", "--force", "--agent", self.program.name)
        with started(self.project, *command, env=self._environment({})) as process:
            _, err = process.communicate(timeout=RUN_S)
        return Told(process.returncode, err, ())

    def review(self) -> Told:
        """Has the program review what lies in the work tree. Nothing of it is recorded."""
        command = ("review", STORY, "--agent", self.program.name)
        with started(self.project, *command, env=self._environment({})) as process:
            out, err = process.communicate(timeout=RUN_S)
        return Told(process.returncode, out + err, ())

    def interrupt(self, *args: str) -> Told:
        """Runs it until a tool has started, then sends it SIGINT."""
        with started(self.project, *self._command(*args), env=self._environment({})) as process:
            pids_in(self.pids)
            os.kill(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_S)
        return self._told(process, err)

    def left(self) -> list[psutil.Process]:
        """Every process that belongs to this stage: by its home, by its folder, or by an attempt's mark."""
        return [process for process in psutil.process_iter() if self._belongs(process)]

    def _command(self, *args: str) -> tuple[str, ...]:
        return ("run", "--json", "--agent", self.program.name, *args)

    def _environment(self, env: Mapping[str, str | None]) -> dict[str, str]:
        return {name: value for name, value in {**self.env, **env}.items() if value is not None}

    def _told(self, process: "subprocess.Popen[str]", err: str) -> Told:
        code = process.returncode
        return Told(code if code >= 0 else 128 - code, err, tuple(map(json.loads, self._ledger())))

    def _ledger(self) -> list[str]:
        files = (run / "events.jsonl" for run in self._runs())
        return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    def _runs(self) -> list[Path]:
        return list(self.state.glob("runs/*"))

    def _belongs(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            env, folder = process.environ(), Path(process.cwd())
        except (psutil.Error, OSError):
            return False
        mark = env.get(MARK_VARIABLE, "")
        is_marked = any(run.name in mark for run in self._runs())
        return is_marked or env.get("HOME") == str(self.home) or folder.is_relative_to(self.project.root.parent)


def set_the_stage(program: Program, mock: MockModel, scenario: str, cli: Path, folder: Path, text: str = "") -> Stage:
    """A stage in `folder`; `text` becomes a part of the story's description."""
    markers = f"MOCK_FILE={folder}/repo/{FILE}\nMOCK_PIDS={folder}/pids\n"
    described = story(STORY, f"test -f {FILE}", description=f"Write the file.\n{text}\n{markers}")
    project = make_project(folder, [described])
    home = Path(os.environ["HOME"])
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = f"{bin_of(cli, program.pin)}{os.pathsep}{kept['PATH']}"
    ours = {"PATH": path, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    # What would be waited for is told by how the run ends instead.
    ours |= {"PRD_RALPH_CLOCK": "fast", "PRD_RALPH_ON_LIMIT": "stop", "PRD_RALPH_MAX_TRANSIENT": "1"}
    return Stage(program, project, mock, home, kept | ours | dict(program.set_up(home, mock.url(scenario))))
