"""What passed before still has to: the commands of earlier stories, before each landing as far as the time goes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from prd_ralph import events
from prd_ralph.baseline import on_base
from prd_ralph.checks import Bench, run_checks, side_by_side, told
from prd_ralph.guard import stand_by
from prd_ralph.known import Identity, Known
from prd_ralph.model import Check, CheckResult, CheckStatus, Prd, RunPlan
from prd_ralph.ports import Candidate, Ports
from prd_ralph.task import Task


@dataclass(frozen=True, slots=True)
class Earlier:
    """A command of stories that pass, and which ones they are; it is run as the first one's."""

    check: Check
    stories: tuple[str, ...]

    @property
    def identity(self) -> Identity:
        return self.check.identity(self.stories[0])


def superseded(prd: Prd) -> frozenset[str]:
    """Ids of the stories that a passing one replaces."""
    return frozenset(other for story in prd.stories if story.passes for other in story.supersedes)


def earlier(prd: Prd, plan: RunPlan, but: Iterable[str] = ()) -> tuple[Earlier, ...]:
    """The distinct commands of passing stories, the newest story's first; those `but` and replaced ones are left out.

    So are commands that are kept for landings (`when`).
    """
    out = superseded(prd) | frozenset(but)
    found: dict[Identity, Earlier] = {}
    for story in reversed([story for story in prd.stories if story.passes and story.id not in out]):
        for check in plan.checks_for(prd, story):
            identity = check.identity(story.id)
            if check.when == "always":
                others = found[identity].stories if identity in found else ()
                found[identity] = Earlier(check, (story.id, *others))
    return tuple(found.values())


def in_turn(commands: Iterable[Earlier], known: Known, limit_s: float) -> tuple[list[Earlier], list[Earlier]]:
    """Those that fit into the time, by what they took before, and those that have to wait; one always fits.

    What had to wait the last time comes first, then what has broken before, then the rest as it came.
    """
    rank = {identity: number for number, identity in enumerate(known.waiting)}
    broken = known.broken
    ordered = sorted(commands, key=lambda each: (rank.get(each.identity, len(rank)), each.identity not in broken))
    fitting: list[Earlier] = []
    waiting: list[Earlier] = []
    left = limit_s
    for each in ordered:
        left -= known.seconds(each.identity)
        (fitting if left >= 0 or not fitting else waiting).append(each)
    return fitting, waiting


def run_earlier(
    ports: Ports, plan: RunPlan, bench: Bench, commands: Iterable[Earlier], ends: float | None = None
) -> Iterator[tuple[Earlier, CheckResult]]:
    """Each command with its end, those that allow it (`parallel`) several at a time.

    But the first, none is begun after `ends` (monotonic seconds) or once the person has ended the run; and what the
    run's own end has cut short tells nothing.
    """

    def one(number: int, each: Earlier) -> tuple[Earlier, CheckResult | None]:
        late = ends is not None and number > 1 and ports.clock.monotonic() >= ends
        if late or ports.stop.signal is not None:
            return each, None
        place = replace(bench, story=each.stories[0])
        (result,) = run_checks(ports, plan, place, (each.check,), log=f"earlier-{number}")
        is_cut = result.status is CheckStatus.TIMED_OUT and ports.clock.monotonic() >= bench.ends
        return each, None if is_cut else replace(result, stories=each.stories)

    together_first = sorted(commands, key=lambda each: not each.check.parallel)
    for each, result in side_by_side(together_first, lambda each: each.check.parallel, one):
        if result is not None:
            yield each, result


def broken_by(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, candidate: Candidate, content: str
) -> tuple[CheckResult, ...]:
    """Commands of stories that passed before which hold on base, and no longer on the candidate.

    `content` is what the candidate holds. One that the person has cut short is among them, as interrupted.
    """
    mine = {check.identity(task.story.id) for check in task.checks}
    commands = earlier(task.document.prd, plan, (task.story.id, *task.story.supersedes))
    commands = tuple(each for each in commands if each.identity not in mine)
    due = [each for each in commands if _said(task.known, content, each) is None]
    if due:
        cut_short = _run(ports, plan, task, bench, due, content)
        ports.workspace.restore(candidate)
        if cut_short:
            return (cut_short,)
    red = [each for each in commands if (said := _said(task.known, content, each)) and not said.passed]
    held = [each for each in red if _holds_on_base(ports, plan, task, each)]
    if held and ports.stop.signal is not None:  # what was to be found out on base was not
        return tuple(
            replace(said, status=CheckStatus.INTERRUPTED) for each in held if (said := _said(task.known, content, each))
        )
    broken = tuple(said for each in held if (said := _said(task.known, content, each)))
    ran = frozenset(each.identity for each in due)
    for each, said in zip(held, broken, strict=True):
        if each.identity not in ran:  # known of this very tree: it is told again, it does not run again
            ports.emit(told(said, task.key.story, task.key.number))
    return broken


def _run(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, due: Iterable[Earlier], content: str
) -> CheckResult | None:
    """Runs as many of them as there is time for; the one that the person has cut short, if they did."""
    fitting, waiting = in_turn(due, task.known, plan.regression_s)
    ends = ports.clock.monotonic() + plan.regression_s
    begun: set[Identity] = set()
    try:
        for each, result in run_earlier(ports, plan, bench, fitting, ends):
            ports.emit(told(result, task.key.story, task.key.number))
            if result.status is CheckStatus.INTERRUPTED:
                return result
            begun.add(each.identity)
            task.known.note(content, each.stories[0], (result,))
    finally:
        stand_by(ports, task.key, task.document.data)
    task.known.waiting[:] = [each.identity for each in (*fitting, *waiting) if each.identity not in begun]
    return None


def _holds_on_base(ports: Ports, plan: RunPlan, task: Task, each: Earlier) -> bool:
    """Also where that cannot be found out: what passed before is not given up for nothing."""
    content = ports.workspace.content(ports.workspace.base_tree)
    if _said(task.known, content, each) is None:
        with on_base(ports, plan, task.bench, task.key, task.document) as bench:
            for _, result in run_earlier(ports, plan, bench, (each,)) if bench else ():
                if result.status is not CheckStatus.INTERRUPTED:
                    task.known.note(content, each.stories[0], (result,))
    said = _said(task.known, content, each)
    if said is None or said.passed:
        return True
    message = f"{each.check.label} of {', '.join(each.stories)} failed before this attempt already"
    ports.emit(events.Warned(message=message, story=task.story.id))
    return False


def _said(known: Known, content: str, each: Earlier) -> CheckResult | None:
    return known.said(content, each.check, each.stories[0])
