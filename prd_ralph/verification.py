"""`prd-ralph verify`: the stories' commands run without an agent, and each flag is held against what they say."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from prd_ralph.checks import Bench, Tools, run_checks, side_by_side
from prd_ralph.model import Check, CheckResult, CheckStatus, Prd, RunPlan, Story
from prd_ralph.regressions import superseded


class Finding(StrEnum):
    """What a story's flag is worth: `claimed` is true but a command fails, `unprovable` true without any command.

    `left_out`: all of its commands are `when: land`. `provable`: the flag is false, though its commands hold.
    """

    PROVED = "proved"
    APPROVED = "approved"
    CLAIMED = "claimed"
    UNPROVABLE = "unprovable"
    SUPERSEDED = "superseded"
    LEFT_OUT = "left_out"
    PROVABLE = "provable"
    OPEN = "open"
    SKIPPED = "skipped"

    @property
    def holds(self) -> bool:
        """Whether the flag does not say more than can be shown."""
        return self not in (Finding.CLAIMED, Finding.UNPROVABLE)


@dataclass(frozen=True, slots=True)
class Verified:
    """A story, what its flag is worth, and how its commands ended, in their order."""

    story: Story
    finding: Finding
    results: tuple[CheckResult, ...] = ()

    @property
    def flag(self) -> bool | None:
        """What `passes` is to become by what was proved; None: it stays."""
        return {Finding.CLAIMED: False, Finding.PROVABLE: True}.get(self.finding)

    @property
    def written(self) -> "Verified":
        """The same once its flag has become that."""
        if self.flag is None:
            return self
        story = replace(self.story, passes=self.flag, approved=None)
        return replace(self, story=story, finding=Finding.PROVED if self.flag else Finding.OPEN)


def verify(
    ports: Tools,
    plan: RunPlan,
    bench: Bench,
    prd: Prd,
    stories: Iterable[Story],
    *,
    land: bool = False,
    report: Callable[[CheckResult], None] = lambda result: None,
) -> tuple[Verified, ...]:
    """Runs the commands of `stories` on the bench, each distinct one once, and tells what each flag is worth.

    Held stories are passed over. `land`: with the commands that are for landings alone. Once a signal has come, the
    rest of the results are `interrupted`.
    """
    chosen = tuple({story.id: story for story in stories}.values())
    wanted = _wanted(plan, prd, chosen)
    checked = {name: checks if land else _always(checks) for name, checks in wanted.items()}
    distinct: dict[tuple[object, ...], tuple[Check, Story]] = {}
    for story in chosen:
        for check in checked[story.id]:
            distinct.setdefault(check.identity(story.id), (check, story))
    ended = _run(ports, plan, bench, distinct, report)
    gone = superseded(prd)

    def verified(story: Story) -> Verified:
        own = frozenset(check.identity(story.id) for check in plan.own_checks(story))
        found = ((check, check.identity(story.id)) for check in checked[story.id])
        results = tuple(replace(ended[name], check=check, own=name in own) for check, name in found)
        left_out = len(checked[story.id]) < len(wanted[story.id])
        finding = worth(story, results, strict=plan.strict, left_out=left_out, superseded=story.id in gone)
        return Verified(story, finding, results)

    return tuple(verified(story) for story in chosen)


def worth(
    story: Story, results: tuple[CheckResult, ...], *, strict: bool = False, left_out: bool, superseded: bool
) -> Finding:
    """What a story's flag is worth. `strict`: a pass that is suspect is none."""
    holds = bool(results) and all(each.passed and not (strict and each.suspect) for each in results)
    if not story.passes:
        if story.skip:
            return Finding.SKIPPED
        return Finding.PROVABLE if holds and not left_out and any(each.own for each in results) else Finding.OPEN
    if holds:
        return Finding.APPROVED if story.approved else Finding.PROVED
    if superseded:
        return Finding.SUPERSEDED
    if results:
        return Finding.CLAIMED
    if story.approved:
        return Finding.APPROVED
    return Finding.LEFT_OUT if left_out else Finding.UNPROVABLE


def kept_for_landings(plan: RunPlan, prd: Prd, stories: Iterable[Story]) -> frozenset[tuple[object, ...]]:
    """The distinct commands of `stories` that `verify` runs with `land` alone, by their identities."""
    wanted = _wanted(plan, prd, stories)
    return frozenset(each.identity(story) for story, checks in wanted.items() for each in checks if each.when == "land")


def _wanted(plan: RunPlan, prd: Prd, stories: Iterable[Story]) -> dict[str, tuple[Check, ...]]:
    return {story.id: () if _held(story) else plan.checks_for(prd, story) for story in stories}


def _always(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return tuple(check for check in checks if check.when == "always")


def _held(story: Story) -> bool:
    return story.skip and not story.passes


def _run(
    ports: Tools,
    plan: RunPlan,
    bench: Bench,
    distinct: Mapping[tuple[object, ...], tuple[Check, Story]],
    report: Callable[[CheckResult], None],
) -> dict[tuple[object, ...], CheckResult]:
    """Each command's result by its identity: one after another, then those together that may run so."""

    def run(number: int, named: tuple[tuple[object, ...], tuple[Check, Story]]) -> CheckResult:
        check, story = named[1]
        folder = bench.folder / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (result,) = run_checks(ports, plan, replace(bench, story=story.id, folder=folder), (check,))
        return result

    ordered = sorted(distinct.items(), key=lambda named: named[1][0].parallel)
    ended: dict[tuple[object, ...], CheckResult] = {}
    results = side_by_side(ordered, lambda named: named[1][0].parallel, run)
    for (name, _), result in zip(ordered, results, strict=True):
        ended[name] = result
        report(result)
    return ended


def was_interrupted(found: Iterable[Verified]) -> bool:
    """Whether a signal came before every command had ended."""
    return any(result.status is CheckStatus.INTERRUPTED for each in found for result in each.results)
