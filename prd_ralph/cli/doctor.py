"""`prd-ralph doctor`: whether a run could start here, and do its work: all in one list, with nothing changed."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from prd_ralph.cli.answer import answer
from prd_ralph.cli.checkup import machine
from prd_ralph.cli.checkup.agents import User, agents
from prd_ralph.cli.checkup.bounded import BoundedProcesses
from prd_ralph.cli.checkup.commands import commands
from prd_ralph.cli.checkup.findings import Finding, Level, sorted_by_level, told
from prd_ralph.cli.checkup.papers import papers, settings
from prd_ralph.cli.checkup.repository import repository, room_for
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.project import Project, look_at_project
from prd_ralph.console import Output, plural, printable
from prd_ralph.errors import ExitCode
from prd_ralph.masking import Mask
from prd_ralph.notify import missing, refused
from prd_ralph.process import StopSignals, SupervisedProcesses

SHORT = "See whether a run could work here."
EXAMPLE = "Example: prd-ralph doctor --json"
LIMIT_S = 15.0
"""For each process that is started to see whether it works."""

_MARKS = {Level.OK: ("✓", "green"), Level.WARNING: ("!", "yellow"), Level.BLOCKER: ("✗", "red")}
_LONGEST = 1000


def command(prd: Prd = None, as_json: AsJson = False) -> int:
    """See whether a run could work here: the machine, the repository, the agents, the settings and prd.json.

    Nothing is changed. Exits with 3 where something blocks a run.
    """
    project = look_at_project({"prd": prd})
    user = User(sys.platform, os.geteuid() == 0)
    with SupervisedProcesses(StopSignals()) as processes:
        found = sorted_by_level(examined(project, BoundedProcesses(processes, LIMIT_S), user))
    # What a setting holds is quoted where it is wrong, and flags as they are.
    mask = Mask.of(os.environ).text
    found = [replace(finding, what=mask(finding.what), fix=mask(finding.fix)) for finding in found]
    blocked = any(finding.level is Level.BLOCKER for finding in found)
    if as_json:
        answer({"v": 1, "ok": not blocked, "findings": [asdict(finding) for finding in found]})
    else:
        _print(found, Output(sys.stdout, project.env))
    return ExitCode.ENVIRONMENT if blocked else ExitCode.OK


def examined(project: Project, processes: BoundedProcesses, user: User) -> Iterator[Finding]:
    """Everything, in the order in which a person would ask."""
    tools = list(machine.programs(processes, project.env, project.check_env, project.root))
    yield from tools
    yield from machine.system(user.platform)
    yield from machine.session(project.env)
    yield machine.disk(room_for(project))
    yield from settings(project)
    urls = project.settings.notify
    yield from told(Level.BLOCKER, "notify", (*refused(urls), *missing(urls)))
    read = papers(project)
    yield from read.findings
    if not any(finding.check == "git" and finding.level is Level.BLOCKER for finding in tools):
        yield from repository(project, processes, read.opening)
    yield from agents(project, processes, read.open_stories, user)
    if read.prd and read.plan:
        yield from commands(read.open_stories, read.prd, read.plan, project.root, project.check_env)


def _print(found: Iterable[Finding], output: Output) -> None:
    levels = []
    for finding in found:
        mark, colour = _MARKS[finding.level]
        output.line(f"{mark} {printable(finding.what, _LONGEST)}", colour)
        if finding.fix:
            output.line(f"  fix: {printable(finding.fix, _LONGEST)}")
        levels.append(finding.level)
    output.line(_closing(levels.count(Level.BLOCKER), levels.count(Level.WARNING)))


def _closing(blockers: int, warnings: int) -> str:
    counts = ", ".join(plural(count, word) for count, word in ((blockers, "blocker"), (warnings, "warning")) if count)
    return counts or "nothing is in the way"
