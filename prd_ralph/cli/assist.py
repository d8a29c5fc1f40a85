"""A plan with an agent's help: asked in an empty folder, all that it needs in the prompt, and in nothing believed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from prd_ralph.cli.asking import Asking
from prd_ralph.cli.markdown import Markdown
from prd_ralph.cli.project import Project
from prd_ralph.errors import ForeignChangeError
from prd_ralph.masking import Mask
from prd_ralph.model import Prd, Story
from prd_ralph.planning.assisted import assisted, refuse_bare
from prd_ralph.planning.conversation import ATTEMPTS, converse
from prd_ralph.planning.coverage import Source
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.values import Plan
from prd_ralph.ports import PlanContext
from prd_ralph.prdfile import parse
from prd_ralph.process import StopSignals, SupervisedProcesses

_REPLY = "reply"


def plan_with_agent(project: Project, markdown: Markdown, target: Path | None) -> Plan:
    """Asks the project's agent, at most three times, and tells on stderr what it took. `target`: what is to be written.

    Raises ProblemsError for a PRD that rules refuse for more than having no stories or no criteria, where no reply is a
    plan (exit 2), or where the agent fails (exit 1, 3 or 4, by its class); ForeignChangeError where the PRD or `target`
    has changed. Ends by the signal that the person sends.
    """
    read = _read(markdown)
    sources = [Source.of(file, data) for file, data in markdown.files]
    watched = (*markdown.paths, *((target,) if target else ()))
    before = _bytes(watched)
    prd, agent = _asked(project, _context(sources, read))
    _refuse_changes(before, _bytes(watched))
    return assisted(prd, read, sources, agent)


def _asked(project: Project, context: PlanContext) -> tuple[Prd, str]:
    """The document that the agent answered with, and the agent's label."""
    signals = StopSignals()
    signals.install()
    mask = Mask.of(project.env)
    with (
        TemporaryDirectory(prefix="prd-ralph-plan-", ignore_cleanup_errors=True) as folder,
        SupervisedProcesses(signals, mask=mask) as processes,
    ):
        asking = Asking(project, processes, mask, Path(folder), context)
        conversation = converse(asking.ask, lambda data: _document(project, data))
        asking.tell(conversation)
        answered = (asking.document(conversation), asking.agent.label) if signals.signal is None else None
    return answered or signals.end_by(signals.signal or 0)


def _read(markdown: Markdown) -> Plan:
    """What rules read; of a PRD without stories, for whose sake there is an agent, only what stands around them."""
    try:
        return markdown.read(bare=True)
    except PlanError as error:
        raise markdown.refused(error) from None


def _document(project: Project, data: bytes) -> Prd:
    """What a reply holds, by the same reader as a person's prd.json."""
    prd = parse(data, _REPLY, project.root).prd
    refuse_bare(prd, _REPLY)
    return prd


def _context(sources: Sequence[Source], read: Plan) -> PlanContext:
    return PlanContext(
        files=tuple((source.file, source.text) for source in sources),
        stories=tuple(Story(story.id, story.title, False, criteria=story.criteria) for story in read.stories),
        attempt=1,
        max_attempts=ATTEMPTS,
    )


def _bytes(paths: Iterable[Path]) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in paths}


def _refuse_changes(before: dict[Path, bytes | None], after: dict[Path, bytes | None]) -> None:
    changed = [path.name for path in before if before[path] != after[path]]
    if changed:
        message = f"{', '.join(changed)} changed while the agent was at work: nothing is written"
        raise ForeignChangeError(message, "look at the change (`git diff`), then plan again")
