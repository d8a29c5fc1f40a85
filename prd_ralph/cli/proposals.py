"""`prd-ralph proposals`: the stories that agents want added, and a person's yes or no to them."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.proposed import Open, decide, open_proposals
from prd_ralph.cli.verify import not_committed
from prd_ralph.console import plural, printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.model import MARK_VARIABLE
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.proposals import SIZE_LIMIT, commands_of

SHORT = "List, accept or reject the stories that agents propose."
EXAMPLE = "Example: prd-ralph proposals accept p3f9a1c"
_VERBS = {"accept": "accepted", "reject": "rejected"}


def command(
    what: Annotated[str | None, typer.Argument(metavar="[accept|reject]", help="Without it: list them.")] = None,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…", help="Which, as the list names them.")] = None,
    take_all: Annotated[bool, typer.Option("--all", help="All that are listed.")] = False,
    prd: Prd = None,
    as_json: AsJson = False,
) -> int:
    """List the stories that agents want added; add them to prd.json, with fresh ids and not passing; or forget them.

    Look at the commands of a story before you accept it: a run executes them.
    """
    project = open_project({"prd": prd})
    prd_file = project.prd_file()
    path = prd_file.path.relative_to(project.root).as_posix()
    if what is None:
        _list(open_proposals(project, prd_file.load().prd, path), path, as_json=as_json)
        return ExitCode.OK
    if what not in _VERBS:
        raise RalphError(f"proposals {what}: no such thing to do", "prd-ralph proposals accept|reject NAME… or --all")
    if project.env.get(MARK_VARIABLE):
        raise RalphError(f"an agent cannot {what} a proposal", "a person does, outside of the run")
    with project.state.lock(project.worktree):
        document = prd_file.load()
        chosen = _chosen(open_proposals(project, document.prd, path), names or (), what, take_all=take_all)
        if what == "accept" and chosen:
            _accept(project, prd_file, document, chosen)
        decide(project, path, chosen, _VERBS[what])
    for each in chosen if what == "reject" else ():
        typer.echo(f"{each.name}: rejected: {printable(str(each.proposal['title']))}", err=True)
    if not chosen:
        typer.echo("no proposals: nothing to do", err=True)
    return ExitCode.OK


def _chosen(found: Sequence[Open], names: Sequence[str], what: str, *, take_all: bool) -> tuple[Open, ...]:
    """Those that are named, in the order of the list. Raises ProblemsError for names of none."""
    if take_all and names:
        raise RalphError("both names and --all are given", "leave one of the two out")
    if not take_all and not names:
        raise RalphError(f"which proposals to {what}?", f"prd-ralph proposals {what} NAME… or --all")
    known = {each.name for each in found}
    hint = f"there are: {', '.join(sorted(known))}" if known else "prd-ralph proposals lists them: there are none now"
    unknown = [Problem(f"no proposal {printable(name)}", hint) for name in names if name not in known]
    if unknown:
        raise ProblemsError(unknown)
    return tuple(each for each in found if take_all or each.name in names)


def _accept(project: Project, prd_file: JsonPrdFile, document: PrdDocument, chosen: Sequence[Open]) -> None:
    """All of them, or none. What cannot be a story is named."""
    data, ids = prd_file.extended(document.data, [each.proposal for each in chosen])
    prd_file.write(data, document.data)
    judged = bool(document.prd.checks or project.extra)
    for each, story_id in zip(chosen, ids, strict=True):
        typer.echo(f"{each.name}: added as {story_id}: {printable(str(each.proposal['title']))}", err=True)
        commands = commands_of(each.proposal)
        for line in commands:
            typer.echo(f"  $ {printable(line, SIZE_LIMIT)}", err=True)
        if not commands and not judged:
            typer.echo("  warning: it has no verificationCommands, and a run refuses it until it has", err=True)
    typer.echo(not_committed(prd_file), err=True)


def _list(found: Sequence[Open], path: str, *, as_json: bool) -> None:
    if as_json:
        answer({"v": 1, "prd": path, "proposals": [_record(each) for each in found]})
        return
    for line in _lines(found):
        typer.echo(line)
    if found:
        typer.echo("prd-ralph proposals accept NAME…, reject NAME…, or either with --all", err=True)
    else:
        typer.echo("no proposals", err=True)


def _record(each: Open) -> dict[str, object]:
    made = {"run": each.run, "from": each.story, "attempt": each.attempt, "times": each.times}
    return {"name": each.name, **made, "story": dict(each.proposal)}


def _lines(found: Sequence[Open]) -> Iterator[str]:
    """All that a person needs to say yes or no, commands above all."""
    for each in found:
        again = f", {plural(each.times, 'time')}" if each.times > 1 else ""
        title = printable(str(each.proposal["title"]))
        yield f"{each.name}  {title}   ({printable(each.story)} attempt {each.attempt} of {printable(each.run)}{again})"
        for line in str(each.proposal.get("description", "")).splitlines():
            yield f"    {printable(line, SIZE_LIMIT)}"
        for criterion in each.proposal.get("acceptanceCriteria", ()):
            yield f"    - {printable(str(criterion), SIZE_LIMIT)}"
        for line in commands_of(each.proposal):  # whole: nobody is to say yes to what is cut off
            yield f"    $ {printable(line, SIZE_LIMIT)}"
