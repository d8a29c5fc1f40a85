"""Endpoints that are processes: a shell line of the person's, and Apprise in a Python of its own."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prd_ralph.events import as_line
from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.notify.notices import Notice
from prd_ralph.notify.teller import Endpoint
from prd_ralph.notify.urls import shown
from prd_ralph.ports import Processes, ProcessRequest

_GRACE_S = 0.5


def command_endpoint(processes: Processes, line: str, cwd: Path, env: Mapping[str, str]) -> Endpoint:
    """`line` is started by the shell for each notice, with one JSON object on its stdin: `{what, title, text, event}`.

    What it prints is dropped. It is told of a run that a signal ends as well; a second signal ends it too.
    """

    def send(notice: Notice, record: Mapping[str, Any], seconds: float) -> str:
        said = {"what": notice.what, "title": notice.title, "text": notice.text, "event": record}
        request = ProcessRequest(
            ("sh", "-c", line), cwd, env, f"{as_line(said)}\n".encode(), wall_s=seconds, grace_s=_GRACE_S, shielded=True
        )
        return _why(processes.run(request), seconds)

    return Endpoint("notify_command", send)


def apprise_endpoint(processes: Processes, url: str, cwd: Path, env: Mapping[str, str]) -> Endpoint:
    """Apprise sends to `url`, from a process that can be ended. The URL, a secret, goes there on stdin."""
    # -P: what lies in the work tree is not to be imported for a module of ours.
    argv = (sys.executable, "-P", "-m", "prd_ralph.notify")

    def send(notice: Notice, _record: Mapping[str, Any], seconds: float) -> str:
        said = json.dumps({"url": url, "title": notice.title, "text": notice.text})
        request = ProcessRequest(argv, cwd, env, said.encode(), wall_s=seconds, grace_s=_GRACE_S, shielded=True)
        return _why(processes.run(request), seconds)

    return Endpoint(shown(url), send)


def _why(result: ProcessResult, seconds: float) -> str:
    if result.ok:
        return ""
    if result.end is ProcessEnd.WALL:
        return f"it took longer than {seconds:.0f} seconds"
    if result.end is ProcessEnd.EXITED:
        return f"it ended with status {result.exit_code}"
    return result.error or str(result.end)
