"""`make realcli`: installs the pinned programs, then runs their cases where no network is but loopback.

What cannot be had (no npm, no network, not Linux) is said loudly, and the exit code is 0: it is no fault of the code's.
Arguments are pytest's.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable

from tests.realcli.install import folder_of, install
from tests.realcli.pins import PINS

_BAR = "!" * 100
_WAYS = (("unshare", "-n"), ("unshare", "-rn"))


def main() -> int:
    """The exit code: pytest's, where it is started."""
    if sys.platform != "linux":
        shout("the real agent programs were NOT tried", [f"the bench runs on Linux, this is {sys.platform}"])
        return 0
    folder = folder_of(os.environ)
    failed = install(folder, PINS)
    for pin, why in failed.items():
        shout(f"{pin.name} {pin.version} was NOT tried: it could not be installed in {folder}", why.splitlines())
    if len(failed) == len(PINS):
        return 0
    command = [*isolation(), sys.executable, "-m", "pytest", "-m", "realcli", "tests/realcli", *sys.argv[1:]]
    return subprocess.run(command, env={**os.environ, "PRD_RALPH_CLI_DIR": str(folder)}, check=False).returncode


def isolation() -> list[str]:
    """How a command is begun that has a network of its own; empty, and loud, where that is not permitted."""
    into = [sys.executable, "-m", "tests.realcli.loopback"]
    for way in _WAYS:
        if shutil.which(way[0]) and _works([*way, *into, "true"]):
            return [*way, *into]
    reason = "neither `unshare -n` nor `unshare -rn` is permitted here"
    shout("the real agent programs are NOT cut off from the network", [reason, "they are pointed at the mock only"])
    return []


def _works(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def shout(what: str, lines: Iterable[str]) -> None:
    """Several lines on stderr that cannot be overlooked in a log."""
    print(
        "", _BAR, f"realcli: {what}", *(f"  {line}" for line in lines), _BAR, "", sep="\n", file=sys.stderr, flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
