"""One `prd-ralph run`: everything is looked at first, all problems are told at once, and only then anything starts."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

from prd_ralph import events, loop
from prd_ralph.agents.choice import ChosenAgents
from prd_ralph.cli.budget import spending_caps
from prd_ralph.cli.faults import stage_hook
from prd_ralph.cli.former import Former
from prd_ralph.cli.mending import Mended, mend
from prd_ralph.cli.notices import notices
from prd_ralph.cli.notifying import telling
from prd_ralph.cli.own_tree import choosing, in_place, own_place, words_taken_along
from prd_ralph.cli.preparation import Findings, Prepared, ground, look, memory_of, open_stories
from prd_ralph.cli.project import Project
from prd_ralph.cli.proposed import taken_up
from prd_ralph.cli.taking_on import Taken, heard_by
from prd_ralph.cli.wire import Listener, emitter, wire
from prd_ralph.console import ConsoleLines, Hint, JsonLines, Verbosity, View, view
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.masking import Mask
from prd_ralph.model import RunPlan, Story
from prd_ralph.ports import Current, Opened, Ports, PrdDocument, Workspace
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.process.bond import Bond, Heart
from prd_ralph.resume import recover, refusal
from prd_ralph.rules import iteration_cap, standings
from prd_ralph.state import RunFolder
from prd_ralph.tally import Tally
from prd_ralph.workspace.checkouts import GitCheckouts, clear_abandoned
from prd_ralph.workspace.facade import GitWorkspace
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.opening import open_run
from prd_ralph.workspace.protection import Protect, idle
from prd_ralph.workspace.pushing import Pusher
from prd_ralph.workspace.refs import read_current
from prd_ralph.workspace.standing import standing, untracked

_GOING_ON = Hint("Ctrl-C ends it, nothing is lost")
_ENDING = Hint("ending, as asked; once more: at once", urgent=True)


@dataclass(frozen=True, slots=True)
class Show:
    """How much of the run is shown, and to whom."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def verbosity(self) -> Verbosity:
        return Verbosity.QUIET if self.quiet else Verbosity.VERBOSE if self.verbose else Verbosity.NORMAL

    def view(self, project: Project, run: RunFolder, signals: StopSignals) -> View:
        """What the person sees of the run. JSON on the same terminal would run across a board."""
        if self.as_json and sys.stdout.isatty():
            return ConsoleLines(sys.stderr, project.env, run.run_id, self.verbosity)

        def hint() -> Hint:
            return _GOING_ON if signals.signal is None else _ENDING

        return view(sys.stderr, project.env, run.run_id, self.verbosity, hint)


def session(reopen: Callable[[], Project], show: Show, bond: Bond | None = None) -> int:
    """Runs the project that `reopen` looks at, anew each time; the exit code. `bond`: to who watches over it.

    After a signal it ends by that signal instead.
    """
    signals, taken = StopSignals(), Taken(bond, Heart(bond))
    taken.heart.listen(signals)
    signals.install()
    try:
        end = _run(reopen, show, signals, taken)
    except RalphError:
        if signals.signal is None:
            raise
        signals.end_by(signals.signal)  # whatever failed, it did so because the person insisted
    if end.signal is not None:
        signals.end_by(end.signal)
    return end.exit


def _run(reopen: Callable[[], Project], show: Show, signals: StopSignals, taken: Taken) -> loop.RunEnd:
    first = reopen()
    mask = first.mask
    with SupervisedProcesses(signals, mask=mask, heart=taken.heart) as processes, ExitStack() as claim:
        for sweep in (False, True):
            processes.warm_up(sweep)
        claim.enter_context(choosing(first))
        place = own_place(first, processes) if first.settings.worktree else None

        def open_again() -> Project:
            return in_place(reopen(), place) if place else reopen()

        mended = mend(in_place(first, place) if place else first, open_again, processes)
        mended = replace(mended, notes=(*(place.notes if place else ()), *mended.notes))
        project = mended.project
        prd_file, plan = ground(project, processes)
        with project.state.lock(project.worktree) as sign:
            claim.close()
            run = taken.folder(project.state, project.worktree, first.worktree)
            sign(run.run_id)
            try:
                # Closed before anything else is said, and before a signal ends this process.
                with (
                    words_taken_along(first, project),
                    telling(project, processes) as told,
                    closing(show.view(project, run, signals)) as view,
                ):
                    parts = (project, prd_file, plan, processes, signals, show, run, view, mask, taken, told.hear)
                    return Session(*parts).run(mended)
            finally:
                run.discard_if_unused()


class Session:
    """What one run is made of, put together step by step."""

    def __init__(
        self,
        project: Project,
        prd_file: JsonPrdFile,
        plan: RunPlan,
        processes: SupervisedProcesses,
        signals: StopSignals,
        show: Show,
        run: RunFolder,
        view: View,
        mask: Mask,
        taken: Taken,
        told: Listener,
    ) -> None:
        listeners: list[Listener] = [told, lambda event, record: view.emit(event), heard_by(taken.heart)]
        if show.as_json:
            lines = JsonLines(sys.stdout, project.env)
            listeners.append(lambda event, record: lines.write(record))
        self._project = project
        self._prd_file = prd_file
        self._processes = processes
        self._signals = signals
        self._run = run
        self._watch = view.action
        self._taken = taken
        self._stage = taken.staged(stage_hook(project.env))
        self._mask = mask
        self._clock = project.clock.woken_by(signals.fd, taken.heart.beat, taken.heart.every_s)
        self._emit = emitter(run, listeners, mask, self._clock)
        self._git = Git(processes, project.root, project.env)
        self._plan = plan

    def run(self, mended: Mended) -> loop.RunEnd:
        """Recovers, looks, opens, loops. Raises RalphError for what is refused before anything has started."""
        self._taken.tell(self._emit)
        self._tell(mended)
        current = self._recover()
        clear_abandoned(self._project.repository)
        prepared = self._look(current)
        former, branch = Former(self._project, self._prd_file, self._git), prepared.document.prd.branch
        put_away = former.make_way(branch, lying=current is not None) if self._open(prepared.document) else ()
        opened = self._open_run(prepared, current)
        if current is not None:  # what else is untracked is the attempt's
            opened = replace(opened, untracked=tuple(p for p in opened.untracked if p in current.known_untracked))
        prd = prepared.document.prd
        workspace = self._workspace(opened.base, opened.branch, prd.protect, prd.lines(self._plan.extra))
        ports = self._ports(workspace, prepared.chosen)
        if self._plan.push:
            ports = replace(ports, push=Pusher.now(self._git, self._project.repository, opened.branch).push)
        document = ports.prd_file.load()  # the branch may have had a prd.json of its own
        tally = Tally(ports.clock.monotonic(), iteration_cap(len(self._open(document)), self._plan.limits))
        tally = replace(self._taken.up(tally, self._run, current, self._plan), taken_up=taken_up(self._run))
        opened = replace(opened, notices=(*put_away, *opened.notices))
        self._announce(opened, document, prepared.chosen, tally.cap)
        end = loop.run(ports, self._plan, opened, document, tally, current)
        former.remember(branch)
        return end

    def _tell(self, mended: Mended) -> None:
        key = mended.key
        for note in mended.notes:
            self._emit(events.Warned(message=note, story=key.story if key else None))
        if key and mended.tampered:
            self._emit(events.Tampered(story=key.story, attempt=key.number, what=mended.tampered))

    def _recover(self) -> Current | None:
        """What the last run left, once its processes are gone and prd.json is whole."""
        current = read_current(self._git)
        if current is None:
            return None
        ports = self._ports(self._workspace(current.base, None), ChosenAgents())
        return recover(ports, self._plan)

    def _look(self, current: Current | None) -> Prepared:
        findings = Findings()
        prepared = look(self._project, self._prd_file, self._plan, self._processes, findings, current)
        if prepared is not None and current is not None:
            workspace = self._workspace(current.base, None)
            refused = refusal(self._ports(workspace, prepared.chosen), current)
            findings.add([refused] if refused else [], ExitCode.ENVIRONMENT)
        return findings.unless_found(prepared)

    def _open_run(self, prepared: Prepared, current: Current | None) -> Opened:
        """The run's branch and base. Where nothing is to be done, nothing is committed or switched for it."""
        if current is not None or self._open(prepared.document):
            return open_run(self._git, self._project.repository, prepared.opening)
        now = standing(self._git)
        return Opened(now.head or "", now.branch, untracked(self._git))

    def _announce(self, opened: Opened, document: PrdDocument, chosen: ChosenAgents, cap: int) -> None:
        limits = self._plan.limits
        where = standings(document.prd, self._plan.selection, {}, limits.attempts)
        self._emit(
            events.RunStarted(
                prd=self._plan.prd,
                project=document.prd.project,
                branch=opened.branch,
                base=opened.base,
                agent=chosen.label,
                open=len(self._open(document)),
                total=len(document.prd.stories),
                limits={
                    "attempts": limits.attempts,
                    "iterations": cap,
                    "run_s": limits.run_s,
                    "attempt_s": limits.attempt_s,
                    "idle_s": limits.idle_s,
                    "check_s": limits.check_s,
                    **spending_caps(self._plan),
                },
                untracked=opened.untracked,
                stories=tuple(
                    {
                        "id": story.id,
                        "title": story.title,
                        "state": str(at.state),
                        "reason": at.reason,
                        "waits_for": story.depends_on,
                    }
                    for story, at in zip(document.prd.stories, where.values(), strict=True)
                ),
                autonomy=chosen.autonomy,
                kept_from_agent=_kept(self._project.env, self._project.agent_env),
                kept_from_commands=_kept(self._project.env, self._project.check_env),
                worktree=str(self._project.root) if self._project.settings.worktree else "",
            )
        )
        useless = idle(self._git, opened.base, document.prd.protect)
        for notice in (*opened.notices, *notices(document, self._plan, self._prd_file.name, useless)):
            self._emit(events.Warned(message=notice))

    def _open(self, document: PrdDocument) -> tuple[Story, ...]:
        return open_stories(document.prd, self._plan.selection)

    def _ports(self, workspace: Workspace, chosen: ChosenAgents) -> Ports:
        return wire(
            self._project,
            self._prd_file,
            self._processes,
            workspace,
            GitCheckouts(self._git, self._project.repository),
            chosen,
            self._signals,
            self._run,
            self._emit,
            self._watch,
            self._stage,
            self._mask,
            self._clock,
        )

    def _workspace(
        self, base: str, branch: str | None, protect: Protect = (), lines: tuple[str, ...] = ()
    ) -> GitWorkspace:
        memory = memory_of(self._project, self._prd_file)
        never_stage = self._project.settings.never_stage
        return GitWorkspace(
            *(self._git, self._run.path, *memory, base, branch), never_stage, protect, lines, stage=self._stage
        )


def _kept(env: Mapping[str, str], given: Mapping[str, str]) -> tuple[str, ...]:
    """The names alone: what they hold may be secret."""
    return tuple(sorted(env.keys() - given.keys()))
