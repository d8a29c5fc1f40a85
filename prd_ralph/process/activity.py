"""Whether a process is idle: nothing printed for a while and, where asked for, nothing computed either."""

from collections.abc import Callable

LONGEST_PAUSE_S = 60.0
BUSY_CORE = 0.02
CpuTimes = dict[tuple[int, float], float]


class Idleness:
    """Finds out that `limit` seconds went by without activity. Times are monotonic seconds.

    `cpu`: gives the CPU seconds of each process in the tree; looked at once a minute, or at each quarter of
    `limit` if that is shorter, and only while nothing is printed.
    """

    def __init__(self, limit: float, now: float, cpu: Callable[[], CpuTimes] | None = None) -> None:
        self._limit = limit
        self._cpu = cpu
        self._pause = min(LONGEST_PAUSE_S, limit / 4)
        self._active = now
        self._looked = now
        self._used: CpuTimes = {}

    def active(self, now: float) -> None:
        """Something was printed."""
        self._active = now

    @property
    def due(self) -> float:
        """When to ask `expired` next."""
        end = self._active + self._limit
        return end if self._cpu is None else min(end, max(self._active, self._looked) + self._pause)

    def expired(self, now: float) -> bool:
        if self._cpu is not None and now >= max(self._active, self._looked) + self._pause:
            self._look(self._cpu(), now)
        return now >= self._active + self._limit

    def _look(self, used: CpuTimes, now: float) -> None:
        """More than a fiftieth of a core since the last look is work; a spinner takes far less."""
        spent = sum(max(0.0, seconds - self._used.get(process, 0.0)) for process, seconds in used.items())
        if spent > BUSY_CORE * (now - self._looked):
            self._active = now
        self._used, self._looked = used, now


def cpu_times_below(root: int) -> CpuTimes:
    """CPU seconds of all below a process, by (pid, start), with those of children that they waited for."""
    import psutil

    found: CpuTimes = {}
    try:
        tree = psutil.Process(root).children(recursive=True)
    except psutil.Error:
        return found
    for process in tree:
        try:
            times = process.cpu_times()
            found[process.pid, process.create_time()] = sum(times[:4])
        except psutil.Error:
            continue
    return found
