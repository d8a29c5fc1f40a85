"""Runs verification commands: prd-ralph does it itself, and only exit 0 counts.

All of them run even after one fails; none can hang, flood memory or leave a process behind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Protocol, TypeVar

from prd_ralph import events
from prd_ralph.errors import BlockedError
from prd_ralph.excerpt import excerpt, plain_text
from prd_ralph.model import STORY_VARIABLE, Check, CheckResult, CheckStatus, ProcessEnd, ProcessResult, RunPlan
from prd_ralph.ports import Clock, Ports, Processes, ProcessRequest
from prd_ralph.rules import with_mark
from prd_ralph.runners import explanation, shortfall, suspicion

_SHELL_MISSING = (126, 127)
_LEAST_S = 1.0
_AT_ONCE = 4
_TAIL, _COUNTED_TAIL = 64 << 10, 1 << 20
"""How much of an output is looked through; more where tests are counted, which may be told part by part."""
_HIDDEN_DOUBT = "its output says that the exit status 0 proves nothing"

Command = TypeVar("Command")
End = TypeVar("End")


class Tools(Protocol):
    """What running commands takes of the ports."""

    @property
    def processes(self) -> Processes: ...

    @property
    def clock(self) -> Clock: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a set of commands runs: the story they are for, the mark of the attempt, the folder for their output.

    `root`: the project root, or a checkout's. `env` is the whole environment. `ends`: when the run's time is over, in
    monotonic seconds.
    """

    story: str
    mark: str
    folder: Path
    root: Path
    env: Mapping[str, str]
    ends: float


def run_checks(
    ports: Tools,
    plan: RunPlan,
    bench: Bench,
    checks: Iterable[Check],
    own: Iterable[Check] = (),
    report: Callable[[CheckResult], None] = lambda result: None,
    log: str = "check",
) -> tuple[CheckResult, ...]:
    """Every command's result, in order; `own` names the story's own ones (its hidden ones are, too).

    A signal leaves the rest out. Of a hidden command nothing is kept that an agent could read. `log` begins the names
    of the files with the output of the others.
    """
    mine = frozenset(check.identity(bench.story) for check in (*own, *plan.hidden.get(bench.story, ())))
    results: list[CheckResult] = []
    for number, check in enumerate(checks, 1):
        output = None if check.hidden else bench.folder / f"{log}-{number}.log"
        result = _run_check(ports, plan, bench, check, check.identity(bench.story) in mine, output)
        results.append(result)
        report(result)
        if result.status is CheckStatus.INTERRUPTED or (plan.fail_fast and not result.passed):
            break
    return tuple(results)


def side_by_side(
    commands: Iterable[Command], is_parallel: Callable[[Command], bool], run: Callable[[int, Command], End]
) -> Iterator[End]:
    """What `run` makes of each command and its number, from 1, in the order given; neighbours that may run beside
    others do so, a few at a time.
    """
    for parallel, group in groupby(enumerate(commands, 1), key=lambda numbered: is_parallel(numbered[1])):
        numbers, neighbours = zip(*group, strict=True)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from (pool.map if parallel else map)(run, numbers, neighbours)


def told(result: CheckResult, story: str, attempt: int) -> events.CheckFinished:
    """The event of a command's end."""
    return events.CheckFinished(
        story=story,
        attempt=attempt,
        name=result.check.label,
        command=result.check.text,
        own=result.own,
        status=result.status,
        exit_code=result.exit_code,
        duration_s=round(result.duration_s, 3),
        suspect=result.suspect,
        excerpt=result.excerpt,
        stories=result.stories,
        hidden=result.check.hidden,
        log=result.output.name if result.output else "",
    )


def run_setup(ports: Ports, plan: RunPlan, bench: Bench, commands: tuple[Check, ...]) -> None:
    """Runs the PRD's `setup`; raises BlockedError for the first command that fails. Its traces are not the agent's."""
    ground = ports.workspace.freeze()
    for number, command in enumerate(commands, 1):
        result = _run_check(ports, plan, bench, command, False, bench.folder / f"setup-{number}.log")
        if result.status is CheckStatus.INTERRUPTED:
            break
        if not result.passed:
            how = f"exit {result.exit_code}" if result.exit_code is not None else str(result.status)
            raise BlockedError(f"setup failed: {command.label} ({how})\n{result.excerpt}", "mend `setup` in prd.json")
    ports.workspace.restore(ground, setup=True)


def _run_check(ports: Tools, plan: RunPlan, bench: Bench, check: Check, own: bool, output: Path | None) -> CheckResult:
    codes: list[str] = []
    done = ProcessResult(ProcessEnd.NOT_STARTED, None, 0.0, error=f"cwd {check.cwd} leads out of the project by a link")
    status, note = CheckStatus.FAILED, ""
    while _is_inside(bench.root, check) and len(codes) <= check.retries:
        done = ports.processes.run(_request(ports, plan, bench, check, output))
        refuse_full_disk(done)
        status, note = status_of(check, done)
        if status in (CheckStatus.PASSED, CheckStatus.INTERRUPTED):
            break
        codes.append(str(done.exit_code))
        if ports.clock.monotonic() >= bench.ends:
            break
    return CheckResult(
        check=check,
        own=own,
        status=status,
        exit_code=done.exit_code,
        duration_s=done.duration_s,
        tries=len(codes) + (status is CheckStatus.PASSED),
        suspect=_suspect(check, status, codes, done),
        excerpt="" if check.hidden else "\n".join(filter(None, (excerpt(done.stdout) or done.error, note))),
        output=output,
        stuck=done.stuck,
    )


def _is_inside(root: Path, check: Check) -> bool:
    """An agent may have made a link of the folder since prd.json was read."""
    root = root.resolve()
    return (root / check.cwd).resolve().is_relative_to(root)


def _request(ports: Tools, plan: RunPlan, bench: Bench, check: Check, output: Path | None) -> ProcessRequest:
    env = with_mark(bench.env, bench.mark) | dict(check.env) | {STORY_VARIABLE: bench.story}
    left = max(bench.ends - ports.clock.monotonic(), _LEAST_S)
    return ProcessRequest(
        argv=(*plan.shell, check.run) if isinstance(check.run, str) else check.run,
        cwd=bench.root / check.cwd,
        env=env,
        log=output,
        wall_s=min(check.timeout_s or plan.limits.check_s, left),
        tail_limit=_COUNTED_TAIL if check.min_tests else _TAIL,
    )


def status_of(check: Check, done: ProcessResult) -> tuple[CheckStatus, str]:
    """What a process's end says of the command that it was; and of a failure what its output does not say itself."""
    if done.end is ProcessEnd.STOPPED:
        return CheckStatus.INTERRUPTED, ""
    if done.end in (ProcessEnd.WALL, ProcessEnd.IDLE):
        return CheckStatus.TIMED_OUT, ""
    if done.end is ProcessEnd.NOT_STARTED:
        return CheckStatus.MISSING_TOOL, ""
    text = plain_text(done.stdout)
    if done.ok:
        lack = shortfall(check.run, text, check.min_tests) if check.min_tests else ""
        return CheckStatus.FAILED if lack else CheckStatus.PASSED, lack
    if isinstance(check.run, str) and done.exit_code in _SHELL_MISSING and "not found" in text:
        return CheckStatus.MISSING_TOOL, ""
    return CheckStatus.FAILED, explanation(check.run, text, done.exit_code)


def refuse_full_disk(done: ProcessResult) -> None:
    """Raises BlockedError when a log could not be written: without records a run goes no further."""
    if done.disk_full:
        raise BlockedError("the disk is full: output could not be written", "make room, then `prd-ralph run` again")


def _suspect(check: Check, status: CheckStatus, codes: list[str], done: ProcessResult) -> str:
    if status is not CheckStatus.PASSED:
        return ""
    if codes:
        return f"flaky: exit {', '.join(codes)}, then 0"
    doubt = suspicion(check.run, plain_text(done.stdout))
    return _HIDDEN_DOUBT if doubt and check.hidden else doubt
