"""An agent program that we know: how it is called, and how its stream is read."""

import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from prd_ralph.agents.environment import agent_env
from prd_ralph.agents.jsonlines import Event, JsonEvents
from prd_ralph.agents.model_name import plain_model
from prd_ralph.agents.process import process_request
from prd_ralph.agents.told import Told, result_of
from prd_ralph.agents.watched import Watched
from prd_ralph.errors import BlockedError, ExitCode, Problem, ProblemsError
from prd_ralph.model import AgentResult, FailureClass
from prd_ralph.ports import LINGER, AgentRequest, Linger, OnAction, Processes, ProcessRequest

VERSION_S = 15.0
_LOOK = "prd-ralph doctor shows what is seen"
_VERSION = re.compile(r"\b\d+\.\d+[0-9A-Za-z.+-]*")


class Stream(Protocol):
    """What the events of one attempt come to."""

    def take(self, event: Event) -> None: ...

    @property
    def is_hopeless(self) -> bool:
        """Whether the program goes on though nothing more can come of it."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it has told its final result, and nothing after it: all that is left to do is to end."""
        ...

    @property
    def told(self) -> Told: ...


@dataclass(frozen=True, slots=True)
class Preset:
    """A family. `name` is its program's too; `login` says what to do where it is not logged in.

    `arguments` makes them of the autonomy flags and the model; the prompt is always on stdin. `default_autonomy` and
    `refusal` look at the agent's environment. `answering`: the flags by which it answers and can change nothing.
    `linger`: the time that it has to end, once its final result is told. `tells`: what its stream says of each whole
    attempt, `cost` or `tokens`.
    """

    name: str
    about: str
    login: str
    arguments: Callable[[Sequence[str], str | None], tuple[str, ...]]
    environment: Callable[[Mapping[str, str]], Mapping[str, str]]
    default_autonomy: Callable[[Mapping[str, str]], tuple[str, ...]]
    refusal: Callable[[Sequence[str], Mapping[str, str]], Problem | None]
    stream: Callable[[OnAction], Stream]
    answering: tuple[str, ...]
    tells: tuple[str, ...]
    linger: Linger = LINGER

    def locate(self, env: Mapping[str, str]) -> Path | None:
        """The program's file, looked for once and started by this path; None where PATH has none."""
        found = shutil.which(self.name, path=env.get("PATH", ""))
        return Path(found).absolute() if found else None


class PresetAgent:
    """The Agent port. `autonomy` None: the family's default. `version`: "" where it could not be had.

    Raises BlockedError (exit 3) where the program is missing or would refuse its flags.
    """

    def __init__(
        self,
        preset: Preset,
        processes: Processes,
        root: Path,
        env: Mapping[str, str],
        autonomy: Sequence[str] | None = None,
    ) -> None:
        self._preset = preset
        self._processes = processes
        self._autonomy = preset.default_autonomy(env) if autonomy is None else tuple(autonomy)
        self._program = _program(preset, env)
        if refused := preset.refusal(self._autonomy, env):
            raise ProblemsError([refused], ExitCode.ENVIRONMENT)
        self._version = version_of(self._program, processes, root, env)

    @property
    def label(self) -> str:
        return f"{self._preset.name} {self._version}".strip()

    @property
    def autonomy(self) -> str:
        return shlex.join(self._autonomy)

    @property
    def tells(self) -> tuple[str, ...]:
        return self._preset.tells

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        """Raises RalphError, before anything is started, for a model's name that could be taken for an option."""
        watched = Watched(on_action)
        stream = self._preset.stream(watched)
        events = JsonEvents(stream.take)
        model = plain_model(request.model) or None
        argv = (str(self._program), *self._preset.arguments(self._autonomy, model))
        env = self._preset.environment(agent_env(request.env))

        def read(data: bytes) -> bool | Linger:
            events.feed(data)
            return stream.is_hopeless or watched.enough or (stream.is_over and self._preset.linger)

        process = self._processes.run(process_request(request, argv, env, request.prompt), read)
        events.close()
        return self._noted(result_of(process, stream.told, f"{self._preset.login}; {_LOOK}"))

    def _noted(self, result: AgentResult) -> AgentResult:
        """Not every program tells that it was refused what it wanted to do."""
        if result.failure is not FailureClass.NO_WORK or self._autonomy or result.notes:
            return result
        name = self._preset.name
        return replace(result, notes=(f"{name} did nothing, and is given no flags to act by: see autonomy.{name}",))


def _program(preset: Preset, env: Mapping[str, str]) -> Path:
    program = preset.locate(env)
    if program is None and "PATH" not in env:
        raise BlockedError("PATH is kept from the agent (env.exclude)", 'give it: env.pass = ["PATH", "HOME"]')
    if program is None:
        hint = f"install {preset.name}, put it on PATH, or name another agent: prd-ralph agents"
        raise BlockedError(f"agent not found: {preset.name} (looked on PATH)", hint)
    return program


def version_of(program: Path, processes: Processes, cwd: Path, env: Mapping[str, str]) -> str:
    """What `program --version` says, as `2.1.332`; "" where it says nothing of the kind, or nothing in time."""
    done = processes.run(
        ProcessRequest(
            argv=(str(program), "--version"), cwd=cwd, env=agent_env(env), separate=True, wall_s=VERSION_S, grace_s=1.0
        )
    )
    found = _VERSION.search(done.stdout[:1000].decode("utf-8", "replace")) if done.ok else None
    return found[0] if found else ""
