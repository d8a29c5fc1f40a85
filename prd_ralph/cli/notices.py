"""What forbids no run and is worth knowing before it starts."""

from dataclasses import replace

from prd_ralph.cli.preparation import open_stories
from prd_ralph.errors import Problem
from prd_ralph.model import RunPlan
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import masked

_NO_BASH = "bash is not on PATH: sh runs the commands, so a failure within a pipe goes unnoticed"

_UNSEEN = "accept_proposals: up to {} stories of agents' making are taken up, and their commands are executed unseen"


def notices(document: PrdDocument, plan: RunPlan, file: str, useless: tuple[str, ...] = ()) -> tuple[str, ...]:
    """One line each: what is odd in prd.json (`file` in messages), commands of open stories that prove nothing,
    patterns of `protect` that are `useless`.
    """
    doubtful = masked(document.prd, open_stories(document.prd, plan.selection), plan.extra, file)
    return (
        *(_in_one_line(problem) for problem in (*document.warnings, *doubtful)),
        *(f"{file}: protect: the pattern {pattern} matches no file that git tracks" for pattern in useless),
        *((_UNSEEN.format(plan.accept_proposals),) if plan.accept_proposals else ()),
        *((_NO_BASH,) if plan.shell[0] != "bash" else ()),
    )


def _in_one_line(problem: Problem) -> str:
    told = str(replace(problem, hint=""))
    return f"{told} ({problem.hint})" if problem.hint else told
