"""Where commands look: at the work tree, or at a fresh checkout of what would land."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from prd_ralph.checks import Bench
from prd_ralph.model import Check, CheckResult, RunPlan
from prd_ralph.ports import Ports


@dataclass(frozen=True, slots=True)
class CleanBench:
    bench: Bench
    notes: tuple[str, ...] = ()
    broken: CheckResult | None = None


@contextmanager
def clean_bench(ports: Ports, plan: RunPlan, bench: Bench, tree: str, setup: tuple[Check, ...]) -> Iterator[CleanBench]:
    yield CleanBench(bench)
