"""What an agent is seen to do is shown, and one that only goes round in circles is ended."""

from dataclasses import replace

from prd_ralph import events
from prd_ralph.excerpt import in_one_line
from prd_ralph.model import AgentAction, AgentResult, AttemptKey, FailureClass, ProcessEnd, RunPlan
from prd_ralph.ports import Ports
from prd_ralph.repeats import LOOP, LoopGuard, Remark, Series

_TEXT_LIMIT = 300


class Lookout:
    """An agent's `on_action`, for one attempt; afterwards `told` says of its result what was done to it."""

    def __init__(self, ports: Ports, plan: RunPlan, key: AttemptKey) -> None:
        self._ports = ports
        self._guard = LoopGuard(plan.loop_warn, plan.loop_end)
        self._key = key
        self._series = Series()
        self._loop: Series | None = None

    def __call__(self, action: AgentAction) -> bool:
        """Whether the attempt is to end."""
        self._ports.watch(action)
        before, self._series = self._series, self._series.after(action)
        match self._guard.remark(before, self._series):
            case Remark.WARN:
                self._say(self._series, ended=False)
            case Remark.END:
                self._loop = self._loop or self._series
            case None:
                pass
        return self._loop is not None

    def told(self, result: AgentResult) -> AgentResult:
        """The agent's result; of one that was ended with why. One that ended by itself meanwhile is what it says."""
        if self._loop is None or result.process.end is not ProcessEnd.CUT:
            return result
        self._say(self._loop, ended=True)
        error = f"ended: the same call {self._loop.times} times in a row: {in_one_line(self._loop.text, _TEXT_LIMIT)}"
        return replace(result, failure=FailureClass.ERROR, error=error, ended_for=LOOP)

    def _say(self, series: Series, ended: bool) -> None:
        self._ports.emit(
            events.Repeated(
                story=self._key.story,
                attempt=self._key.number,
                tool=series.tool,
                signature=series.signature or "",
                times=series.times,
                ended=ended,
                text=in_one_line(series.text, _TEXT_LIMIT),
            )
        )
