"""The user's own agent: any command line, the prompt on its stdin or where a placeholder asks for it."""

import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from prd_ralph.agents.environment import agent_env
from prd_ralph.agents.failures import failure_of, in_one_line
from prd_ralph.agents.line import PLACEHOLDERS, hint_when_missing, split
from prd_ralph.agents.model_name import plain_model
from prd_ralph.agents.process import process_request
from prd_ralph.agents.resets import reset_at
from prd_ralph.agents.spoken import spoken
from prd_ralph.agents.watched import Watched
from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.excerpt import excerpt
from prd_ralph.model import STORY_VARIABLE, AgentResult, FailureClass, ProcessResult
from prd_ralph.ports import AgentRequest, OnAction, Processes

PROMPT_LIMIT = 120 << 10
"""Bytes of a prompt as an argument: Linux takes 128 KiB in one, with what stands around it."""

_NAMED = frozenset(
    {FailureClass.AUTH, FailureClass.CREDITS, FailureClass.BAD_MODEL, FailureClass.USAGE_LIMIT, FailureClass.TRANSIENT}
)
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")


class CommandAgent:
    """Runs `template`, split like a shell line but started without a shell, once an attempt.

    Placeholders: `{prompt} {prompt_file} {model} {root} {story_id}`; other braces stay as they are. An element
    with `{model}` is dropped when no model is set (write `--model={model}`: a lone `--model` before it would stay).
    `home`: where a relative path of the program begins; None: where it is started. `now` gives Unix time.
    Raises RalphError when the line cannot be split, is empty, or expects a shell.
    """

    def __init__(
        self, processes: Processes, template: str, home: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._processes = processes
        self._now = now
        self._home = home
        self._line = template
        self._template = split(template)

    @property
    def label(self) -> str:
        return f"command {Path(self._template[0]).name}"

    @property
    def autonomy(self) -> str:
        return ""

    @property
    def tells(self) -> tuple[str, ...]:
        return ()

    def check(self, root: Path, env: Mapping[str, str]) -> None:
        """Raises BlockedError when the program is not there to be started, so that it is known before anything runs."""
        program = _PLACEHOLDER.sub(lambda found: str(root) if found[1] == "root" else found[0], self._template[0])
        home = self._home or root
        if _locate(program, home, env) is None:
            if "/" in program and (home / program).is_file():
                hint = f"chmod +x {shlex.quote(str(home / program))}"
                raise BlockedError(f"agent is not executable: {program}", hint)
            looked = f"in {home}" if "/" in program else "on PATH"
            hint = hint_when_missing(program, self._line)
            raise BlockedError(f"agent not found: {program} (looked {looked})", hint)

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        """Raises RalphError, before anything is started, for a prompt or model that cannot be an argument."""
        argv = self._argv(request)
        stdin = None if self._asks_for("prompt", "prompt_file") else request.prompt
        watched = Watched(on_action)
        lines = spoken(watched)

        def read(data: bytes) -> bool:
            lines.feed(data)
            return watched.enough

        process = self._processes.run(process_request(request, argv, agent_env(request.env), stdin), read)
        lines.close()
        return _result(process, self._now())

    def _asks_for(self, *names: str) -> bool:
        return any(found[1] in names for element in self._template for found in _PLACEHOLDER.finditer(element))

    def _argv(self, request: AgentRequest) -> tuple[str, ...]:
        values = {
            "prompt": _as_argument(request.prompt) if self._asks_for("prompt") else "",
            "prompt_file": str(request.prompt),
            "model": plain_model(request.model),
            "root": str(request.cwd),
            "story_id": request.env.get(STORY_VARIABLE, ""),
        }
        kept = (element for element in self._template if values["model"] or "{model}" not in element)
        # One pass: what a value holds is never taken for a placeholder.
        program, *arguments = (_PLACEHOLDER.sub(lambda found: values[found[1]], element) for element in kept)
        return (str(self._home / program) if self._home and "/" in program else program, *arguments)


def _result(process: ProcessResult, now: float) -> AgentResult:
    failure = failure_of(process)
    said = excerpt(process.stderr) or excerpt(process.stdout)
    limited = failure is FailureClass.USAGE_LIMIT
    return AgentResult(
        process,
        text=process.stdout.decode("utf-8", "replace"),
        failure=failure,
        reset_at=reset_at(said, now) if limited else None,
        error=in_one_line(said.rpartition("\n")[2]) if failure in _NAMED else "",
    )


def _as_argument(prompt: Path) -> str:
    data = prompt.read_bytes()
    if len(data) > PROMPT_LIMIT:
        raise RalphError(
            f"the prompt is {len(data) >> 10} KiB, too long for an argument (limit {PROMPT_LIMIT >> 10} KiB)",
            "leave {prompt} out of the agent command to have it on stdin, or use {prompt_file}",
        )
    # No argument can hold a NUL.
    return data.replace(b"\0", b"").decode("utf-8", "surrogateescape")


def _locate(program: str, cwd: Path, env: Mapping[str, str]) -> str | None:
    """The program's file as the child would find it: by its own PATH, or from its working folder."""
    name = str(cwd / program) if "/" in program else program
    return shutil.which(name, path=env.get("PATH", os.defpath))
