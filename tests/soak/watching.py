"""Looks at a run from outside while it goes on: how much memory its process holds at which iteration."""

import json
import statistics
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class Sample:
    """At the `start`-th start of an agent, process `pid` held so many bytes."""

    start: int
    pid: int
    bytes: int


class Watcher:
    """Takes samples in a thread of its own until it is closed. `starts`: the agents' own file, a line a start."""

    def __init__(self, lock: Path, starts: Path, on_look: Callable[[], None] = lambda: None) -> None:
        self.samples: list[Sample] = []
        self._lock = lock
        self._starts = starts
        self._on_look = on_look
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(PAUSE_S):
            self._on_look()
            try:
                pid = int(json.loads(self._lock.read_text())["pid"])
                held = psutil.Process(pid).memory_info().rss
                started = self._starts.read_text().count("\n")
            except (OSError, ValueError, KeyError, psutil.Error):
                continue
            self.samples.append(Sample(started, pid, held))


def growth(samples: Sequence[Sample], starts: int) -> float:
    """By how much the last quarter's median is above the second's: 0.05 is 5 %."""
    second = [each.bytes for each in samples if starts * 0.25 <= each.start < starts * 0.5]
    last = [each.bytes for each in samples if each.start >= starts * 0.75]
    return statistics.median(last) / statistics.median(second) - 1
