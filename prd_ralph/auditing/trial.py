"""The commands of an audit: run in a scratch clone, each of them once, all of them within one limit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.checks import Bench, run_checks
from prd_ralph.model import Check, CheckResult, CheckStatus, RunPlan, Story
from prd_ralph.ports import Clock, Processes

Identity = tuple[object, ...]
Report = Callable[[str, CheckResult], None]


@dataclass(frozen=True, slots=True)
class Hands:
    """The `Tools` of who has no run."""

    processes: Processes
    clock: Clock


@dataclass(slots=True)
class Trial:
    """`root` is the clone's, `logs` a folder beside it; `ends`: when the time is over, in monotonic seconds.

    `restore` brings the tracked files back; `report` hears of each result, with its story's id ("" for `setup`).
    """

    hands: Hands
    plan: RunPlan
    root: Path
    logs: Path
    env: Mapping[str, str]
    mark: str
    ends: float
    restore: Callable[[], None]
    report: Report
    results: dict[Identity, CheckResult] = field(default_factory=dict)
    over: bool = False
    interrupted: bool = False

    def set_up(self, commands: tuple[Check, ...]) -> CheckResult | None:
        """Runs `setup`; the result of the command that failed, None where all is well."""
        results = self._run("", commands, ())
        return next((result for result in results if not result.passed), None)

    def try_story(self, story: Story, checks: Iterable[Check]) -> None:
        """Runs what has not run yet of a story's commands. What is known of the others holds for it as well."""
        left = tuple(check for check in checks if check.identity(story.id) not in self.results)
        if not left or self.interrupted:
            return
        self.over = self.over or self.hands.clock.monotonic() >= self.ends
        if self.over:
            return
        for result in self._run(story.id, left, story.checks):
            self.results[result.check.identity(story.id)] = result

    def result(self, story: Story, check: Check) -> CheckResult | None:
        """What is known of the command; None where it was not run to its end."""
        return self.results.get(check.identity(story.id))

    def _run(self, story: str, checks: Iterable[Check], own: Iterable[Check]) -> tuple[CheckResult, ...]:
        bench = Bench(story, self.mark, self.logs, self.root, self.env, self.ends)
        results = run_checks(self.hands, self.plan, bench, checks, own, lambda result: self.report(story, result))
        self.interrupted = any(result.status is CheckStatus.INTERRUPTED for result in results)
        if not self.interrupted:
            self.restore()
        return tuple(result for result in results if result.status is not CheckStatus.INTERRUPTED)
