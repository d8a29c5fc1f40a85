"""`prd-ralph review`: another agent's opinion of a change, as an exit code. Only an approval beyond doubt is 0."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from prd_ralph.agents import registry
from prd_ralph.attempt import last_words
from prd_ralph.cli.answer import answer, answer_bytes, record_of
from prd_ralph.cli.failing import failed
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.reviewed import Matter, matter_of
from prd_ralph.console import plural, printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.model import STORY_VARIABLE, AgentResult, FailureClass, ProcessEnd
from prd_ralph.ports import Agent, AgentRequest, Processes
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.reviewing.approval import Opinion, bounded, findings, form, opinion
from prd_ralph.rules import with_mark
from prd_ralph.wording.phrases import exit_of
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.under_review import footprint

SHORT = "Ask another agent whether a change may be accepted."
EXAMPLE = "Example: prd-ralph review US-001 --agent codex"
STORY = "review"
"""What the reviewer's environment has for a story; a script of the scripted agent names it so."""
FED_BACK = 3500
"""Characters of findings that a run's excerpt of a command's output takes up whole."""
_ANSWERED = (None, FailureClass.NO_WORK)  # who only answers calls no tool
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Review:
    """What came of it. `moved`: what in the work tree was changed meanwhile; then no approval counts."""

    matter: Matter
    agent: Agent
    model: str | None
    result: AgentResult
    nonce: str
    moved: tuple[str, ...]

    @property
    def opinion(self) -> Opinion:
        return opinion(self.result.text, self.nonce)

    @property
    def approved(self) -> bool:
        return self.opinion is Opinion.APPROVED and not self.moved

    @property
    def findings(self) -> str:
        return findings(self.result.text, self.nonce)


def command(
    story: Annotated[
        str | None, typer.Argument(metavar="[STORY]", help="A story's id. Default: the one whose command this is.")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="The reviewer: see prd-ralph agents.")] = None,
    agent_command: Annotated[
        str | None, typer.Option(metavar="CMD", help="Any command as the reviewer; the prompt is on its stdin.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="The model, in the agent's own words.")] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT",
            help="Review what has changed since. Default: HEAD; where nothing has, the story's landing.",
        ),
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="DUR", help="For the reviewer. Default: 1h.")] = None,
    prd: Prd = None,
    as_json: AsJson = False,
) -> int:
    """Show an agent a story, what was changed for it and how its commands ended, and ask for findings and a verdict.

    As a verification command it is one more condition: {"run": "prd-ralph review --agent codex", "when": "land"}.
    It then reviews the attempt, and its findings reach the next one.

    The reviewer sits in an empty folder and is given no tools that change anything. Its findings go to stdout. Exits
    with 0 for an approval alone; 1: it rejects, or gives no clear verdict, or the work tree was changed meanwhile.
    """
    flags = {"agent": agent, "agent_command": agent_command, "model": model, "timeout": timeout, "prd": prd}
    try:
        return _run(open_project(flags), story, base, as_json)
    except RalphError as error:
        if not as_json:
            raise
        answer({"errors": [record_of(problem) for problem in error.problems]})
        return error.code


def _run(project: Project, story: str | None, base: str | None, as_json: bool) -> int:
    signals = StopSignals()
    signals.install()
    with (
        TemporaryDirectory(prefix="prd-ralph-review-", ignore_cleanup_errors=True) as folder,
        SupervisedProcesses(signals, mask=project.mask) as processes,
    ):
        review = _review(project, processes, Path(folder), story, base)
    if signals.signal is not None:
        signals.end_by(signals.signal)
    if review.result.failure not in _ANSWERED:
        hint = review.result.hint or "see what is wrong with it: prd-ralph doctor"
        raise _reviewer_failed(review, project, hint)
    _tell(project, review, as_json)
    return ExitCode.OK if review.approved else ExitCode.UNFINISHED


def _reviewer_failed(review: Review, project: Project, hint: str) -> ProblemsError:
    """The error; where nothing is known but its exit status, that is told, and of which command."""
    process = review.result.process
    if review.result.failure is not FailureClass.ERROR or process.end is not ProcessEnd.EXITED:
        return failed(review.agent.label, review.result, project.mask, hint)
    named = project.settings.agent_command if project.settings.first_agent in (None, "command") else None
    said = " ".join(last_words(review.result).split())
    who = printable(project.mask.text(named or review.agent.label))
    told = f"the reviewer failed ({exit_of(process.exit_code)}): {who}"
    return ProblemsError(
        [Problem(f"{told}{f': {printable(project.mask.text(said))}' if said else ''}", hint)], ExitCode.UNFINISHED
    )


def _review(project: Project, processes: Processes, folder: Path, story: str | None, base: str | None) -> Review:
    git = Git(processes, project.repository.root, project.env)
    nonce = secrets.token_hex(8)
    matter = matter_of(project, git, folder, story, base, form(nonce))
    for warning in matter.warnings:
        typer.echo(f"warning: {printable(warning)}", err=True)
    agent = registry.resolve(
        project.settings.first_agent,
        project.settings.agent_command,
        processes=processes,
        root=folder,
        home=project.root,
        env=project.agent_env,
        autonomy=registry.answering(),
    )
    model = _model(project)
    before = footprint(git, folder / "tree.index")
    result = agent.attempt(_request(project, folder, matter, model), lambda action: None)
    after = footprint(git, folder / "tree.index")
    moved = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return Review(matter, agent, model, result, nonce, tuple(moved))


def _request(project: Project, folder: Path, matter: Matter, model: str | None) -> AgentRequest:
    """In a folder of its own: what the work tree tells agents to do is the author's to write."""
    work, prompt = folder / "work", folder / "prompt"
    work.mkdir()
    text = project.mask.text(matter.prompt.render(matter.context))
    prompt.write_text(text, encoding="utf-8", errors="replace")
    return AgentRequest(
        prompt=prompt,
        cwd=work,
        transcript=folder / "transcript",
        model=model,
        env=with_mark(project.agent_env, folder.name) | {STORY_VARIABLE: STORY},
        wall_s=project.settings.timeout,
        idle_s=project.settings.idle_timeout,
        attempt=matter.attempt.number if matter.attempt else 1,
    )


def _model(project: Project) -> str | None:
    """A model that was set for another agent is none of a reviewer's that is named here."""
    sources = project.settings.sources
    named_here = any(sources[key].startswith("--") for key in ("agent", "agent_command"))
    return project.settings.model if sources["model"].startswith("--") or not named_here else None


def _tell(project: Project, review: Review, as_json: bool) -> None:
    said = project.mask.text(review.findings)
    if as_json:
        answer(_record(review, said))
        return
    if said:
        text = bounded(said, FED_BACK) if review.matter.attempt else said
        answer_bytes("".join(f"{printable(line, 8 * len(line) + 1)}\n" for line in text.splitlines()).encode("utf-8"))
    typer.echo(_verdict(review), err=True)


def _verdict(review: Review) -> str:
    """`codex 0.142.0 approves US-001: 3 files`"""
    who, story = review.agent.label, printable(review.matter.story.id)
    if review.moved:
        named = ", ".join(map(printable, review.moved[:_NAMED]))
        return f"changed while the reviewer was at work, so that nothing is approved: {named}"
    told = {
        Opinion.APPROVED: f"{who} approves {story}",
        Opinion.REJECTED: f"{who} rejects {story}",
        Opinion.UNCLEAR: f"{who} gives no clear verdict on {story}, which is no approval",
    }
    change = review.matter.context.change
    return f"{told[review.opinion]}: {plural(len(change.patches) + len(change.unseen), 'file')}"


def _record(review: Review, said: str) -> Mapping[str, object]:
    change, tokens = review.matter.context.change, review.result.tokens
    return {
        "v": 1,
        "story": review.matter.story.id,
        "approved": review.approved,
        "opinion": str(review.opinion),
        "agent": review.agent.label,
        "model": review.model,
        "base": review.matter.change.base,
        "files": sorted([*(patch.path for patch in change.patches), *change.unseen]),
        "cut": list(change.cut),
        "unseen": list(change.unseen),
        "left_out": list(review.matter.change.left_out),
        "changed_meanwhile": list(review.moved),
        "findings": said,
        "cost_usd": review.result.cost_usd,
        "tokens_in": tokens.input if tokens else None,
        "tokens_out": tokens.output if tokens else None,
    }
