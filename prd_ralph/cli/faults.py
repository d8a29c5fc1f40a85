"""A fault on demand: `PRD_RALPH_FAULT=STAGE[:N]` ends this process as `kill -9` would, at the N-th time at that stage.

A list, `STAGE[:N],STAGE[:N]…`, is for a supervised run: one for each of its processes, and none for those after them.
For tests and bug reports: whatever the stage, the next run must come to the same end.
"""

import os
import signal
from collections.abc import Callable, Mapping

VARIABLE = "PRD_RALPH_FAULT"


def fault_of(env: Mapping[str, str], life: int) -> dict[str, str]:
    """`env` with the fault of a supervised run's process alone; `life` counts from 0."""
    if VARIABLE not in env:
        return dict(env)
    faults = env[VARIABLE].split(",")
    return {**env, VARIABLE: faults[life] if life < len(faults) else ""}


def stage_hook(env: Mapping[str, str]) -> Callable[[str], None]:
    """What the application is to tell each stage to."""
    wanted, _, number = env.get(VARIABLE, "").partition(":")
    left = int(number) if number.isdecimal() else 1

    def reached(stage: str) -> None:
        nonlocal left
        if stage == wanted:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return reached
