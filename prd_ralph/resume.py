"""A start after a run: what that one left in the work tree is finished, taken up, or refused; never guessed at.

`recover` comes before prd.json is read (a killed agent may have left it in pieces), `take_up` once the run's branch
and base are known.
"""

from collections.abc import Sequence
from dataclasses import replace

from prd_ralph import events
from prd_ralph.attempt import conclude
from prd_ralph.baseline import look_before
from prd_ralph.checks import Bench, run_checks
from prd_ralph.errors import BlockedError, Problem
from prd_ralph.guard import guard, stand_by
from prd_ralph.landing import finish
from prd_ralph.model import AttemptKey, CheckStatus, RunPlan, Story
from prd_ralph.names import attempt_ref
from prd_ralph.ports import Current, Landed, Ports, PrdDocument
from prd_ralph.proposing import propose
from prd_ralph.rules import mark_of
from prd_ralph.tally import Tally
from prd_ralph.task import new_task

_SHOWN = 10


def recover(ports: Ports, plan: RunPlan) -> Current | None:
    """Ends what still runs of the last attempt, makes prd.json whole and HEAD base again; what lies in the tree, if
    anything does.

    A landing whose commit was made is finished here: the flag is set, and nothing is left to take up.
    """
    current = ports.workspace.current()
    if current is None:
        return None
    left = ports.processes.end_marked(frozenset({mark_of(current.key)}))
    if left:
        _warn(ports, current, f"ended {left} processes that the last run had left")
    landed = ports.workspace.landing_of(current)
    if landed is not None:
        _finish_landing(ports, plan, current, landed)
        return None
    if not current.judged:
        _guard(ports, plan, current)
    return current


def refusal(ports: Ports, current: Current) -> Problem | None:
    """A judged attempt's work was edited since: whose it is now, only the person can say.

    What lies as HEAD has it holds nothing that could be lost: then the person has put it back, or committed it.
    """
    different = frozenset(ports.workspace.resume(current)) if current.judged else ()
    edited = [path for path in ports.workspace.freeze().paths if path in different] if different else []
    if not edited:
        return None
    return Problem(
        f"the work of {current.key.story} attempt {current.key.number} lies in the tree and was changed since"
        f"{_listed(edited)}",
        f"undo your changes, or `prd-ralph reset {current.key.story}` to set the attempt's work aside",
    )


def take_up(ports: Ports, plan: RunPlan, document: PrdDocument, current: Current, tally: Tally) -> Tally:
    """Goes on from what lies in the tree. Commands that did not run to their end do so before an agent is paid."""
    ports.workspace.resume(current)
    tally = replace(tally, carried=current.key)
    candidate = ports.workspace.freeze()
    if (current.judged or current.away) and not candidate.paths:  # nothing of it is left that could be told of
        ports.workspace.set_aside(current.key)
        return replace(tally, carried=None)
    if current.judged and not current.unchecked:
        known = ports.recall(current.key)
        return tally if known is None else replace(tally, records={**tally.records, current.key.story: known})
    stories = {story.id: story for story in document.prd.stories if not story.passes and plan.selection.takes(story)}
    if current.key.story not in stories:
        ports.workspace.keep(current.key, candidate, None)
        return set_aside(ports, tally, current.key)
    what = "the last run ended before this attempt was judged: what lies in the tree is checked first, as its work"
    _warn(ports, current, f"{what}{_listed(candidate.paths)}")
    task = new_task(ports, plan, document, stories[current.key.story], tally, current.key)
    if plan.baseline != "off":
        tally, task = look_before(ports, plan, tally, task)
    return tally.after(conclude(ports, plan, task, None))


def set_aside(ports: Ports, tally: Tally, key: AttemptKey) -> Tally:
    """The tree is base again; the attempt's ref holds its work."""
    moved = ports.workspace.set_aside(key)
    ref = attempt_ref(key.run, key.story, key.number)
    ports.emit(events.SetAside(story=key.story, attempt=key.number, moved=moved, ref=ref))
    return replace(tally, carried=None)


def _finish_landing(ports: Ports, plan: RunPlan, current: Current, landed: Landed) -> None:
    before = ports.workspace.recorded(current, plan.prd)
    if before is not None and _claims_more(ports, before, current.key.story):
        stand_by(ports, current.key, before)
    document = ports.prd_file.load()
    story = next((each for each in document.prd.stories if each.id == current.key.story), None)
    if story is None:  # a person has taken it out since
        ports.workspace.settle(landed.commit)
        return
    # What says that this was a landing lies where an agent could have written it: the commands say it once more.
    holds = _holds(ports, plan, current, document, story)
    flipped = ports.prd_file.flipped(document.data, story.id, holds)
    if holds:
        finish(ports, current.key, story, landed, flipped, document.data)
        return
    ports.prd_file.write(flipped, document.data)
    ports.workspace.settle(landed.commit)
    _warn(
        ports, current, "the run was killed while it landed, and the commands no longer pass: it is not taken as done"
    )


def _holds(ports: Ports, plan: RunPlan, current: Current, document: PrdDocument, story: Story) -> bool:
    """Whether all commands but those that are kept for landings pass on what lies in the tree (where there is none
    but those, these). Raises BlockedError where the person has cut them short.
    """
    key, ends = current.key, ports.clock.monotonic() + plan.limits.run_s
    folder = ports.state.attempt_folder(key)
    bench = Bench(story.id, mark_of(key), folder, ports.workspace.root, ports.check_env, ends)
    checks = plan.checks_for(document.prd, story)
    always = [check for check in checks if check.when == "always"]
    results = run_checks(ports, plan, bench, always or checks, log="landing")
    stand_by(ports, key, document.data)
    if any(result.status is CheckStatus.INTERRUPTED for result in results):
        raise BlockedError("ended while a landing that was cut off was looked at again", "run again: it is still there")
    return bool(results) and all(result.passed for result in results)


def _claims_more(ports: Ports, before: bytes, landed: str) -> bool:
    """Whether prd.json has flags that neither stood there before the landing nor are the landing's."""
    due = ports.prd_file.flipped(before, landed, True)
    tampered = ports.prd_file.guard(due, ports.prd_file.read(), landed).tampered
    return any(what.endswith(": false -> true") for what in tampered)


def _guard(ports: Ports, plan: RunPlan, current: Current) -> None:
    """As after an agent. Where its run's record of prd.json is gone, what lies there has to do."""
    ports.workspace.resume(current)
    before = ports.workspace.recorded(current, plan.prd) or ports.prd_file.read()
    if before is not None:
        propose(ports, current.key, guard(ports, current.key, before)[-1])


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f": {', '.join(paths[:_SHOWN])}{more}" if paths else ""


def _warn(ports: Ports, current: Current, message: str) -> None:
    ports.emit(events.Warned(message=message, story=current.key.story))
