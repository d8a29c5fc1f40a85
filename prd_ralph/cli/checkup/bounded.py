"""The process port within narrower bounds than a run's."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from prd_ralph.model import ProcessResult
from prd_ralph.ports import OnOutput, Processes, ProcessRequest


@dataclass(frozen=True, slots=True)
class BoundedProcesses:
    """Implements `ports.Processes`: no process gets more than `limit_s` seconds. `env` is laid over each one's own."""

    processes: Processes
    limit_s: float
    env: Mapping[str, str] = field(default_factory=dict)

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        wall_s = min(self.limit_s, request.wall_s or self.limit_s)
        narrower = replace(request, wall_s=wall_s, grace_s=min(1.0, request.grace_s), env={**request.env, **self.env})
        return self.processes.run(narrower, on_output)

    def end_marked(self, marks: frozenset[str]) -> int:
        return self.processes.end_marked(marks)
