"""What agents propose is told, and, as far as the person allows it, taken up: as new stories, and as nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from prd_ralph import events
from prd_ralph.errors import ProblemsError
from prd_ralph.model import EVERY_STORY, AgentResult, AttemptKey, RunPlan
from prd_ralph.ports import Ports, PrdDocument
from prd_ralph.proposals import Proposal, Wishes, name_of, wishes, written
from prd_ralph.tally import Tally, Wished


def propose(
    ports: Ports,
    key: AttemptKey,
    added: Sequence[Mapping[str, Any]],
    agent: AgentResult | None = None,
    prompt: Path | None = None,
) -> tuple[Proposal, ...]:
    """What the attempt's agent wants added, told: `added` stood in its prd.json, the rest in its last words.

    What it repeats of its prompt is none of its words. What is given back is without secrets: it may land in prd.json.
    """
    said = _said(agent, prompt)
    found = wishes((*added, *said.proposals))
    for fault in (*said.faults, *found.faults):
        ports.emit(events.Warned(message=f"not taken as a proposal: {fault}", story=key.story))
    if not found.proposals:
        return ()
    event = events.Proposed(story=key.story, attempt=key.number, stories=found.proposals)
    ports.emit(event)
    masked = events.with_texts(event, ports.mask)
    assert isinstance(masked, events.Proposed), "its texts alone have changed"
    return masked.stories


def _said(agent: AgentResult | None, prompt: Path | None) -> Wishes:
    if agent is None or "<story>" not in agent.text:
        return Wishes()
    given = prompt.read_text(encoding="utf-8", errors="replace") if prompt is not None and prompt.is_file() else ""
    return written(agent.text, given)


def take_up_proposals(ports: Ports, plan: RunPlan, tally: Tally) -> Tally:
    """As many of what the last attempt proposed as the person allows become stories: open ones, at the file's end.

    The cap on iterations stays what it was at the start. What no command could judge is left for a person.
    Raises ForeignChangeError where somebody else writes prd.json at the same time.
    """
    left = plan.accept_proposals - tally.taken_up
    if not tally.proposed or left <= 0 or ports.stop.signal is not None:
        return replace(tally, proposed=())
    document = ports.prd_file.load()
    wanted = _judged(ports, plan, document, _unknown(document, tally.proposed))[:left]
    data, ids, taken = _extended(ports, document.data, wanted)
    if taken:
        ports.prd_file.write(data, document.data)
        _tell(ports, taken, ids)
    return replace(tally, proposed=(), taken_up=tally.taken_up + len(taken))


def _unknown(document: PrdDocument, wished: Sequence[Wished]) -> Iterator[Wished]:
    """Each once, and none that is a story already."""
    known = {name_of({"title": each.title, "description": each.description}) for each in document.prd.stories}
    for each in wished:
        name = name_of(each.proposal)
        if name not in known:
            known.add(name)
            yield each


def _judged(ports: Ports, plan: RunPlan, document: PrdDocument, wished: Iterator[Wished]) -> tuple[Wished, ...]:
    """Those that some command would judge; of the others a word."""
    for_all = bool(document.prd.checks or plan.extra or plan.hidden.get(EVERY_STORY))
    found: list[Wished] = []
    for each in wished:
        if for_all or each.proposal.get("verificationCommands"):
            found.append(each)
        else:
            _left(ports, each, "it has no verificationCommands, so nothing would judge it")
    return tuple(found)


def _extended(
    ports: Ports, data: bytes, wished: tuple[Wished, ...]
) -> tuple[bytes, tuple[str, ...], tuple[Wished, ...]]:
    """The file with them, their ids, and who they are. All at once, as they may depend on one another; where that is
    no valid file, one by one.
    """
    try:
        return (*ports.prd_file.extended(data, [each.proposal for each in wished]), wished)
    except ProblemsError as error:
        if len(wished) == 1:
            _left(ports, wished[0], str(error.problems[0].message))
            return data, (), ()
    ids: tuple[str, ...] = ()
    taken: tuple[Wished, ...] = ()
    for each in wished:
        data, more, one = _extended(ports, data, (each,))
        ids, taken = (*ids, *more), (*taken, *one)
    return data, ids, taken


def _left(ports: Ports, wished: Wished, why: str) -> None:
    message = f"not taken up: {wished.proposal['title']}: {why}"
    ports.emit(events.Warned(message=message, story=wished.key.story))


def _tell(ports: Ports, taken: Sequence[Wished], ids: Sequence[str]) -> None:
    pairs = zip(taken, ids, strict=True)
    for key, group in groupby(pairs, lambda pair: pair[0].key):
        mine = tuple(group)
        ports.emit(
            events.Proposed(
                story=key.story,
                attempt=key.number,
                stories=tuple(each.proposal for each, _ in mine),
                accepted=tuple(story_id for _, story_id in mine),
            )
        )
