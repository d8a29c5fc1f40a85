"""Asking one agent for a plan: its prompts and replies, the empty folder that it sits in, and what it all took."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import typer

from prd_ralph.agents import registry
from prd_ralph.assets import asset
from prd_ralph.cli.failing import failed
from prd_ralph.cli.init import PLAN_PROMPT, TEMPLATES
from prd_ralph.cli.project import Project
from prd_ralph.console import duration, plural, printable
from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.masking import Mask
from prd_ralph.model import STORY_VARIABLE, AgentResult, Prd
from prd_ralph.planning.conversation import Conversation
from prd_ralph.ports import AgentRequest, PlanContext, Processes
from prd_ralph.prompts import JinjaPlanPrompt
from prd_ralph.rules import with_mark

STORY = "plan"
"""What the agent's environment has for a story; a script of the scripted agent names it so."""
_SHOWN = 5


class Asking:
    """`folder` is new and belongs to it; `context` is that of the first attempt.

    Raises RalphError as the registry does, and for a template that does not work.
    """

    def __init__(self, project: Project, processes: Processes, mask: Mask, folder: Path, context: PlanContext) -> None:
        self._project = project
        self._mask = mask
        self._folder = folder
        self._context = context
        templates = (project.root / TEMPLATES / PLAN_PROMPT, asset(f"templates/{PLAN_PROMPT}"))
        self._prompt = JinjaPlanPrompt(templates)
        self.agent = registry.resolve(
            project.settings.first_agent,
            project.settings.agent_command,
            processes=processes,
            root=folder,
            env=project.agent_env,
            autonomy=registry.answering(),
        )

    def ask(self, number: int, reply: str, faults: tuple[Problem, ...]) -> AgentResult:
        """One attempt, in an empty folder; its prompt, transcript and reply are kept beside that."""
        for fault in faults[:_SHOWN]:
            typer.echo(f"  {printable(self._mask.text(str(replace(fault, hint=''))))}", err=True)
        typer.echo(f"asking {self.agent.label} for a plan, attempt {number}/{self._context.max_attempts}", err=True)
        work, prompt = self._file("work", number), self._file("prompt", number)
        context = replace(self._context, attempt=number, reply=reply, faults=faults)
        work.mkdir()
        prompt.write_text(self._mask.text(self._prompt.render(context)), encoding="utf-8")
        settings, env = self._project.settings, self._project.agent_env
        result = self.agent.attempt(
            AgentRequest(
                prompt=prompt,
                cwd=work,
                transcript=self._file("transcript", number),
                model=settings.model,
                env=with_mark(env, self._folder.name) | {STORY_VARIABLE: STORY},
                wall_s=settings.timeout,
                idle_s=settings.idle_timeout,
                attempt=number,
            ),
            lambda action: None,
        )
        self._file("reply", number).write_text(self._mask.text(result.text), encoding="utf-8")
        return result

    def tell(self, conversation: Conversation) -> None:
        """What it took, in one line on stderr; what an agent does not tell is unknown."""
        tokens, cost = conversation.tokens, conversation.cost_usd
        took = sum(result.process.duration_s for result in conversation.results)
        parts = (
            self.agent.label,
            plural(len(conversation.results), "attempt"),
            duration(took),
            f"{tokens.input} tokens in, {tokens.output} out" if tokens else "tokens unknown",
            "cost unknown" if cost is None else f"${cost:.2f}",
        )
        typer.echo(" · ".join(parts), err=True)

    def document(self, conversation: Conversation) -> Prd:
        """What the agent's reply holds. Raises ProblemsError where it holds none, and says where the reply is kept."""
        if conversation.prd is not None:
            return conversation.prd
        if conversation.failed:
            raise self._failure(conversation)
        attempts = plural(len(conversation.results), "attempt")
        hint = f"its last reply is kept: {self._keep('reply', conversation)}"
        faults = (replace(fault, hint="") for fault in conversation.faults)  # these hints are for an agent
        raise ProblemsError([Problem(f"{self.agent.label} gave no plan in {attempts}", hint), *faults])

    def _failure(self, conversation: Conversation) -> ProblemsError:
        result = conversation.results[-1]
        hint = result.hint or f"what it printed is kept: {self._keep('transcript', conversation)}"
        return failed(self.agent.label, result, self._mask, hint)

    def _file(self, kind: str, number: int) -> Path:
        return self._folder / f"{kind}-{number}"

    def _keep(self, kind: str, conversation: Conversation) -> Path:
        """A copy of the last of this kind that stays, for the person's eyes only."""
        file = self._file(kind, len(conversation.results))
        handle, name = tempfile.mkstemp(prefix="prd-ralph-plan-", suffix=f"-{kind}.txt")
        with os.fdopen(handle, "wb") as copy:
            for part in (file, file.with_name(f"{file.name}.stderr")):
                copy.write(part.read_bytes() if part.exists() else b"")
        return Path(name)
