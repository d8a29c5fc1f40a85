"""The process port: runs a process below a supervisor, within its limits, and says what became of it."""

import os
import time
from collections.abc import Sequence
from functools import partial
from typing import Self

from prd_ralph.masking import Mask
from prd_ralph.model import MARK_VARIABLE, ProcessEnd, ProcessResult
from prd_ralph.ports import OnOutput, ProcessRequest
from prd_ralph.process import marks
from prd_ralph.process.bond import Heart
from prd_ralph.process.lane import ISOLATED, Ending, Lanes
from prd_ralph.process.output import Stream, open_streams
from prd_ralph.process.program import NotStartedError, find_program, why_not
from prd_ralph.process.signals import StopSignals
from prd_ralph.process.stdin import open_stdin
from prd_ralph.process.watch import Watch


class SupervisedProcesses:
    """Implements `ports.Processes`; a context manager, for its supervisors live as long as it does.

    May be used by several threads at once: each request has a supervisor to itself. `interpreter` starts Python
    for the supervisors. `mask` goes over all output that is logged. `heart` beats while a process is waited for.
    """

    def __init__(
        self,
        stop: StopSignals,
        interpreter: Sequence[str] = ISOLATED,
        mask: Mask | None = None,
        heart: Heart | None = None,
    ) -> None:
        self._stop = stop
        self._heart = heart or Heart()
        self._mask = mask
        self._lanes = Lanes(interpreter)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the supervisors. What git left behind on a normal end lives on."""
        self._lanes.close()

    def warm_up(self, sweep: bool) -> None:
        """Starts a supervisor before it is needed, so that it comes up while other things are done."""
        with self._lanes.borrow(sweep):
            pass

    def end_marked(self, names: frozenset[str]) -> int:
        """Ends every process whose `PRD_RALPH_ATTEMPT` names one of `names`; how many there were."""
        return marks.end_marked(names, self._lanes.pids)

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        """Runs to the end; never raises for what the process does. What `on_output` raises ends it and goes up."""
        if self._stop.count > (1 if request.shielded else 0):
            return ProcessResult(ProcessEnd.STOPPED, None, 0.0)
        try:
            program = find_program(request.argv, request.cwd, request.env)
            with open_stdin(request.stdin) as stdin:
                return self._supervise(request, program, stdin, on_output)
        except NotStartedError as error:
            return ProcessResult(ProcessEnd.NOT_STARTED, None, 0.0, error=str(error))

    def _supervise(
        self, request: ProcessRequest, program: str, stdin: int, on_output: OnOutput | None
    ) -> ProcessResult:
        with self._lanes.borrow(request.sweep) as lane, open_streams(request, self._mask) as streams:
            begin = time.monotonic()
            watch = Watch(lane, request, self._stop, partial(self._end_lost, request), self._heart)
            lane.submit(request, program, (stdin, streams[0].writer, streams[-1].writer))
            for stream in streams:
                stream.close_writer()
            watch.run(streams, on_output)
            duration = time.monotonic() - begin
        return _result(request, program, watch, streams, duration)

    def _end_lost(self, request: ProcessRequest) -> int:
        return self.end_marked(marks.own_marks(request.env.get(MARK_VARIABLE, "")))


def _result(
    request: ProcessRequest, program: str, watch: Watch, streams: Sequence[Stream], duration: float
) -> ProcessResult:
    end, error = _end(request, program, watch)
    logs = [stream.log for stream in streams if stream.log is not None]
    ending = watch.ending or Ending(None, "", 0, ())
    return ProcessResult(
        end=end,
        exit_code=None if ending.status is None else os.waitstatus_to_exitcode(ending.status),
        duration_s=duration,
        stdout=streams[0].tail.read(),
        stderr=streams[1].tail.read() if request.separate else b"",
        stdout_bytes=streams[0].total,
        swept=watch.swept,
        stuck=ending.stuck,
        error=error or "; ".join(log.error for log in logs if log.error),
        disk_full=any(log.disk_full for log in logs),
    )


def _end(request: ProcessRequest, program: str, watch: Watch) -> tuple[ProcessEnd, str]:
    """Why it ended, and what to say of that. A limit that was met after the leader's own end changes nothing."""
    if watch.errno is not None:
        return ProcessEnd.NOT_STARTED, why_not(watch.errno, program, request.argv, request.cwd)
    if watch.ending is None or (watch.ending.why == "exit" and watch.ending.status is None):
        return ProcessEnd.LOST, "the supervisor was killed or hung; its processes were ended by group and mark"
    if watch.asked is None or watch.ending.why == "exit":
        return ProcessEnd.EXITED, ""
    return watch.asked, ""
