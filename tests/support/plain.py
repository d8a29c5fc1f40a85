"""A process port without supervision, for tests of what stands above it."""

import subprocess
from pathlib import Path

from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.ports import OnOutput, ProcessRequest


class PlainProcesses:
    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        data = request.stdin.read_bytes() if isinstance(request.stdin, Path) else request.stdin or b""
        done = subprocess.run(
            request.argv,
            cwd=request.cwd,
            env=dict(request.env),
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if request.separate else subprocess.STDOUT,
            check=False,
        )
        if on_output:
            on_output(done.stdout)
        return ProcessResult(ProcessEnd.EXITED, done.returncode, 0.0, done.stdout, done.stderr or b"")

    def end_marked(self, marks: frozenset[str]) -> int:
        return 0
