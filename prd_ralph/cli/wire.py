"""The composition root: which adapter stands behind which port, for one run."""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from prd_ralph import events
from prd_ralph.agents import registry
from prd_ralph.agents.choice import ChosenAgents
from prd_ralph.agents.model_name import plain_model
from prd_ralph.cli.hidden import hidden_checks
from prd_ralph.cli.project import Project
from prd_ralph.cli.prompt import nonce, prompts
from prd_ralph.context import ContextFolder
from prd_ralph.errors import ProblemsError, RalphError
from prd_ralph.ledger import Ledger, recall
from prd_ralph.masking import Mask
from prd_ralph.model import AgentAction, AttemptKey, AttemptRecord, RunPlan, Story
from prd_ralph.ports import Agent, Agents, Checkouts, Emit, Ports, PrdFile, Processes, Stop, Timer, Workspace
from prd_ralph.progress import ProgressFile
from prd_ralph.state import RunFolder

Listener = Callable[[events.RunEvent, Mapping[str, Any]], None]


def wire(
    project: Project,
    prd_file: PrdFile,
    processes: Processes,
    workspace: Workspace,
    checkouts: Checkouts,
    chosen: Agents,
    stop: Stop,
    run: RunFolder,
    emit: Emit,
    watch: Callable[[AgentAction], None],
    stage: Callable[[str], None],
    mask: Mask,
    clock: Timer,
) -> Ports:
    """All that the application is handed."""

    def warn(message: str) -> None:
        emit(events.Warned(message=message))

    def of_run(key: AttemptKey) -> AttemptRecord | None:
        return recall(replace(run, run_id=key.run).events, key)

    return Ports(
        processes=processes,
        workspace=workspace,
        checkouts=checkouts,
        agents=chosen,
        prd_file=prd_file,
        prompts=prompts(project),
        memory=ProgressFile(prd_file.path.with_name("progress.txt"), warn, project.state.archive_path),
        state=run,
        clock=clock,
        stop=stop,
        emit=emit,
        agent_env=project.agent_env,
        check_env=project.check_env,
        stage=stage,
        watch=watch,
        recall=of_run,
        mask=mask.text,
        nonce=nonce,
        context=ContextFolder(project.state.context_path(project.worktree)),
    )


def emitter(run: RunFolder, listeners: Iterable[Listener], mask: Mask, clock: Timer) -> Emit:
    """Every event goes to the ledger first, then to whoever shows it; to all of them masked."""
    ledger = Ledger(run.events, run.run_id, clock)
    heard = tuple(listeners)

    def emit(event: events.RunEvent) -> None:
        event = events.with_texts(event, mask.text)
        record = ledger.emit(event)
        for listener in heard:
            listener(event, record)

    return emit


def choose_agents(project: Project, processes: Processes, stories: Collection[Story]) -> ChosenAgents:
    """The run's agents, every one of them found before any is started. Raises ProblemsError with all that is wrong."""
    settings = project.settings
    for model in {settings.model, *settings.escalate, *(story.model for story in stories)}:
        plain_model(model)
    forced = any(settings.sources[key].startswith("--") for key in ("agent", "agent_command"))
    wanted = sorted({story.agent for story in stories if story.agent}) if not forced else []
    resolved: dict[str | None, Agent] = {}
    errors: list[RalphError] = []
    own = settings.agents or (settings.agent,)
    for name in dict.fromkeys((*wanted, *own)):
        try:
            resolved[name] = resolve_agent(project, processes, name)
        except RalphError as error:
            errors.append(error)
    if errors:
        problems = dict.fromkeys(problem for error in errors for problem in error.problems)
        raise ProblemsError(problems, min(error.code for error in errors))
    return ChosenAgents(
        agents={registry.name_of(name, settings.agent_command, project.agent_env): resolved[name] for name in own},
        model=settings.model,
        agent_forced=forced,
        model_forced=settings.sources["model"].startswith("--"),
        named={name: resolved[name] for name in wanted},
        escalate=settings.escalate,
    )


def resolve_agent(project: Project, processes: Processes, name: str | None) -> Agent:
    """The agent called `name`; None: the project's own. Raises RalphError as the registry does."""
    return registry.resolve(
        name,
        project.settings.agent_command,
        processes=processes,
        root=project.root,
        env=project.agent_env,
        autonomy=project.settings.autonomy,
        now=project.clock.unix,
    )


def plan_of(project: Project, prd_file: PrdFile) -> RunPlan:
    """What the settings ask of the run. Raises ProblemsError for a file of hidden checks that can't be used.

    Where there is no bash, `sh` runs shell lines, without pipefail."""
    settings = project.settings
    bash = shutil.which("bash", path=project.check_env.get("PATH", os.defpath))
    return RunPlan(
        prd=prd_file.path.relative_to(project.root).as_posix(),
        selection=settings.selection,
        limits=settings.limits,
        extra=project.extra,
        once=settings.once,
        strict=settings.strict,
        baseline=settings.baseline,
        regressions=settings.regressions,
        regression_s=settings.regression_time,
        verify_in=settings.verify_in,
        hidden=hidden_checks(project),
        escalate=settings.escalate,
        escalate_after=settings.escalate_after,
        assume_cost_usd=settings.assume_cost,
        prices=settings.price_table,
        on_limit=settings.on_limit,
        stall_after=settings.stall_after,
        on_stall=settings.on_stall,
        loop_warn=settings.loop_warn,
        loop_end=settings.loop_end,
        on_land=settings.on_land,
        push=settings.push,
        accept_proposals=settings.accept_proposals or 0,
        fail_fast=settings.fail_fast,
        commit_message=settings.commit_message,
        shell=("bash", "-o", "pipefail", "-c") if bash else ("sh", "-c"),
    )
