"""Plain lines for a person: what a run begins with, each iteration's start, checks and end, and the summary."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TextIO

from prd_ralph import events
from prd_ralph.console.actions import action_lines
from prd_ralph.console.output import Output
from prd_ralph.console.seen import Seen
from prd_ralph.console.summary import show, summary
from prd_ralph.model import AgentAction
from prd_ralph.wording.phrases import (
    SHORT,
    TITLE_LIMIT,
    acts_alone,
    after_landing,
    agent_end,
    agent_failed,
    asked,
    attempt_count,
    attempt_end,
    baseline,
    caps,
    check_end,
    joined,
    listed,
    of_stories,
    repeated,
    stalled,
    waiting,
)
from prd_ralph.wording.text import duration, last_lines, plural, printable

_EXCERPT_LINES = 10
_LAST_WORDS = 5


class Verbosity(IntEnum):
    """`-q`, nothing, `-v`."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class ConsoleLines:
    """Consumes the events of one run, in their order, and writes lines, each flushed.

    The end of a passed attempt is held back until its commit is known.
    """

    def __init__(
        self, stream: TextIO, env: Mapping[str, str], run_id: str, verbosity: Verbosity = Verbosity.NORMAL
    ) -> None:
        self._output = Output(stream, env)
        self._run_id = run_id
        self._verbosity = verbosity
        self._seen = Seen()
        self._held: events.Judged | None = None

    def emit(self, event: events.RunEvent, ago_s: float = 0.0) -> None:
        """Writes what is to be said of the event. Raises BlockedError (exit 3) where the stream takes no more."""
        self.remember(event)
        if self._verbosity >= Verbosity.NORMAL:
            self._say(event)
        if isinstance(event, events.RunFinished):
            for line, colour in summary(event, self._seen, self._run_id):
                self._output.line(line, colour)

    def remember(self, event: events.RunEvent) -> None:
        """Says nothing of it, but in the summary."""
        self._seen.add(event)

    def action(self, action: AgentAction) -> None:
        """What the agent was seen to do; said with `-v` only."""
        for line in action_lines(action):
            self._detail(line)

    def close(self) -> None:
        """Ends what was begun: a group of GitHub's log."""
        self._output.end_group()

    def _say(self, event: events.RunEvent) -> None:
        match event:
            case events.RunStarted():
                self._run_started(event)
            case events.IterationStarted():
                self._iteration_started(event)
            case events.BaselineFinished():
                self._note(baseline(event))
            case events.AgentStarted():
                self._detail(joined(f"agent {printable(event.agent)}", f"prompt {event.prompt_bytes} bytes"))
            case events.Repeated() if not event.ended:  # an end is told with the agent's
                self._note(repeated(event), "yellow")
            case events.AgentFinished():
                self._agent_finished(event)
            case events.Tampered():
                self._listed("tampered, put back", event.what, "red")
            case events.Proposed():
                self._proposed(event)
            case events.CandidateFrozen():
                self._detail(f"changed {plural(len(event.files), 'file')}")
                self._listed("left out of the commit", event.left_out, "yellow")
            case events.CheckFinished():
                self._check_finished(event)
            case events.Asked():
                self._note(asked(event), "yellow")
            case events.Judged():
                self._judged(event)
            case _:
                self._say_after(event)

    def _say_after(self, event: events.RunEvent) -> None:
        """What comes once the verdict is known, and what may come at any time."""
        match event:
            case events.LandedEvent():
                self._release(event.commit)
            case events.AfterLanding():
                self._note(after_landing(event), "yellow" if event.error else "green")
            case events.LandFailed():
                self._held = None
                self._note("land_failed: no commit was made, the work is kept", "red")
                self._quote(event.text)
            case events.Stalled():
                self._note(stalled(event), "yellow")
            case events.SetAside():
                self._note(f"set aside: {printable(event.ref, 1000)} holds it", "yellow")
                self._listed("moved to the state folder", event.moved)
            case events.Restarted():
                self._output.line(
                    f"started again ({plural(event.times, 'time')} by now): {printable(event.why)}", "yellow"
                )
            case events.Waiting():
                self._release()
                self._output.end_group()
                self._output.line(waiting(event), "yellow")
            case events.Verified():
                self._release()
                self._output.end_group()
                held = f"{event.commands - event.red} of {plural(event.commands, 'command')} hold"
                self._output.line(f"verified at the end: {held}", "red" if event.red else "green")
            case events.Regressed():
                self._regressed(event)
            case events.Warned():
                story = f"{printable(event.story, TITLE_LIMIT)}: " if event.story else ""
                self._output.line(f"warning: {story}{printable(event.message, 1000)}", "yellow")
            case events.RunFinished():
                self._release()
                self._output.end_group()
            case _:
                pass

    def _run_started(self, event: events.RunStarted) -> None:
        title = joined(printable(event.project), printable(event.prd), f"{event.open} of {event.total} stories open")
        self._output.line(title, "bold")
        self._note(f"branch {printable(event.branch or 'none (detached HEAD)')} at {printable(event.base[:SHORT])}")
        if event.worktree:
            self._note(f"works in {printable(event.worktree, 1000)}")
        self._note(f"agent {printable(event.agent)}")
        for agent, flags in event.autonomy.items():
            self._note(acts_alone(agent, flags), "yellow")
        for line in caps(event.limits):
            self._note(line)
        self._listed(f"{plural(len(event.untracked), 'untracked file')} of yours, left alone", event.untracked)
        self._listed("kept from the agent", event.kept_from_agent)
        self._listed("kept from the commands", event.kept_from_commands)

    def _iteration_started(self, event: events.IterationStarted) -> None:
        self._release()
        self._output.end_group()
        title = f"{printable(event.story, TITLE_LIMIT)} {printable(event.title, TITLE_LIMIT)}"
        count = attempt_count(event.charged, event.max_attempts, event.attempt)
        self._output.begin_group(joined(f"[{event.iteration}/{event.cap}] {title}", count), "bold")

    def _agent_finished(self, event: events.AgentFinished) -> None:
        end = agent_end(event.end, event.exit_code, event.failure, event.duration_s)
        if agent_failed(event):
            self._note(f"agent: {end}", "red")
            self._quote(event.tail)
            self._note(f"all of it: {show(self._run_id, event.story, event.attempt)} --transcript")
        else:
            self._detail(f"agent: {end}")
        if event.swept:
            self._note(f"ended {plural(event.swept, 'process')} that it left behind")
        if event.stuck:
            self._note(f"could not be ended: pid {', '.join(map(str, event.stuck))}", "red")

    def _check_finished(self, event: events.CheckFinished) -> None:
        name = f"{printable(event.name)}{of_stories(event)}"
        if event.status == "passed":
            suspect = f"suspect: {printable(event.suspect)}" if event.suspect else ""
            line = joined(f"✓ {name} {duration(event.duration_s)}", suspect)
            if event.stories:  # what passed before and still does is many lines, and no news
                self._detail(line)
            else:
                self._note(line, "yellow" if suspect else "green")
            return
        self._note(joined(f"✗ {name} {check_end(event)}", duration(event.duration_s)), "red")
        if event.command != event.name and not event.hidden:
            self._note(f"  $ {printable(event.command)}")
        self._quote(event.excerpt)

    def _proposed(self, event: events.Proposed) -> None:
        titles = [str(story.get("title", "")) for story in event.stories]
        if event.accepted:
            stories = [" ".join(pair) for pair in zip(event.accepted, titles, strict=False)]
            self._listed("taken up, as new stories", stories, "green")
        else:
            self._listed("proposed by the agent", titles)

    def _regressed(self, event: events.Regressed) -> None:
        ids = ", ".join(printable(story, TITLE_LIMIT) for story in event.stories)
        self._output.line(f"regressed: {ids}: {printable(event.name)} fails, so it is false again", "red")
        self._quote(event.excerpt)
        self._listed("since it last passed there landed", event.landings)

    def _judged(self, event: events.Judged) -> None:
        if event.outcome == "passed":
            self._held = event
            return
        self._held = None
        agent = self._seen.agent
        if agent and not agent_failed(agent) and agent.tail.strip():  # a failed one was quoted when it ended
            self._note("the agent's last words:")
            self._quote(agent.tail, _LAST_WORDS)
        self._ended(event)

    def _release(self, commit: str = "") -> None:
        if self._held:
            self._ended(self._held, commit)
        self._held = None

    def _ended(self, event: events.Judged, commit: str = "") -> None:
        self._output.end_group()
        for warning in event.warnings:
            self._note(f"warning: {printable(warning)}", "yellow")
        for suspect in event.suspects:
            self._note(f"suspect: {printable(suspect)}", "yellow")
        self._note(attempt_end(event, commit), "green" if event.outcome == "passed" else "red")

    def _note(self, text: str, colour: str = "") -> None:
        self._output.line(f"  {text}", colour)

    def _detail(self, text: str) -> None:
        if self._verbosity >= Verbosity.VERBOSE:
            self._note(text, "dim")

    def _quote(self, text: str, count: int = _EXCERPT_LINES) -> None:
        for line in last_lines(text, count):
            self._output.line(f"      {line}")

    def _listed(self, what: str, items: Sequence[str], colour: str = "") -> None:
        if items:
            self._note(listed(what, items), colour)
