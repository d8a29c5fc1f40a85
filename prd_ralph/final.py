"""The end of a run that is complete: all that passes is verified once more, and what turns out false is false again."""

from collections.abc import Sequence
from dataclasses import replace

from prd_ralph import events
from prd_ralph.baseline import on_base
from prd_ralph.checks import Bench, run_setup
from prd_ralph.errors import BlockedError
from prd_ralph.guard import stand_by
from prd_ralph.model import AttemptKey, CheckResult, CheckStatus, RunPlan, StopReason
from prd_ralph.ports import Ports, PrdDocument
from prd_ralph.regressions import Earlier, earlier, run_earlier, superseded
from prd_ralph.rules import mark_of
from prd_ralph.tally import Tally

_FOLDER = "verification"
_HINT = "mend what the command shows and run again, or name the story that replaces them (`supersedes`)"


def verify_at_end(ports: Ports, plan: RunPlan, document: PrdDocument, tally: Tally) -> Tally:
    """Runs the commands of all stories that pass, those apart that were run on this very tree. Not `verified` yet,
    where the person, or the run's time, was quicker.
    """
    if plan.regressions == "off":
        if any(story.passes for story in document.prd.stories):
            ports.emit(events.Warned(message="regressions = off: what passes was not verified at the end"))
        return replace(tally, verified=True)
    commands = earlier(document.prd, plan)
    content = ports.workspace.content(ports.workspace.base_tree)
    due = [each for each in commands if tally.known.said(content, each.check, each.stories[0]) is None]
    if due:
        _run(ports, plan, document, tally, due, content)
    said = [(each, tally.known.said(content, each.check, each.stories[0])) for each in commands]
    if any(result is None for _, result in said):
        if ports.stop.signal is None and ports.clock.monotonic() < tally.started + plan.limits.run_s:
            raise BlockedError("what passed before could not be verified", "see `git status`, and run again")
        return tally
    _tell_unprovable(ports, plan, document)
    ports.emit(
        events.Verified(commands=len(commands), ran=len(due), red=sum(not each.passed for _, each in said if each))
    )
    false = [(each, result) for each, result in said if result and not result.passed]
    return _take_back(ports, document, tally, false) if false else replace(tally, verified=True)


def _run(
    ports: Ports, plan: RunPlan, document: PrdDocument, tally: Tally, due: Sequence[Earlier], content: str
) -> None:
    key = AttemptKey(ports.state.run_id, _FOLDER, 0)
    ends = tally.started + plan.limits.run_s
    folder = ports.state.attempt_folder(key)
    bench = Bench(key.story, mark_of(key), folder, ports.workspace.root, ports.check_env, ends)
    if document.prd.setup and not tally.is_set_up and plan.verify_in == "tree":
        run_setup(ports, plan, bench, document.prd.setup)
        stand_by(ports, key, document.data)
    with on_base(ports, plan, bench, key, document) as place:
        for each, result in run_earlier(ports, plan, place, due) if place else ():
            if result.status is not CheckStatus.INTERRUPTED:
                tally.known.note(content, each.stories[0], (result,))


def _take_back(
    ports: Ports, document: PrdDocument, tally: Tally, false: Sequence[tuple[Earlier, CheckResult]]
) -> Tally:
    """The flags of these commands' stories, in one commit."""
    stories = tuple(dict.fromkeys(story for each, _ in false for story in each.stories))
    data = document.data
    for story in stories:
        data = ports.prd_file.flipped(data, story, False)
    ports.prd_file.write(data, document.data)
    ports.workspace.close(f"fix: {', '.join(stories)} no longer {'passes' if len(stories) == 1 else 'pass'}")
    for each, result in false:
        landings = tally.known.suspects(each.identity)
        ports.emit(
            events.Regressed(
                stories=each.stories,
                name=result.check.label,
                command=result.check.text,
                status=result.status,
                exit_code=result.exit_code,
                excerpt=result.excerpt,
                landings=tuple(f"{landing.story} {landing.commit[:10]}" for landing in landings),
            )
        )
    why = f"{', '.join(stories)}: not true any more"
    return replace(tally, verified=True, fatal=StopReason.REGRESSED, why=why, hint=_HINT)


def _tell_unprovable(ports: Ports, plan: RunPlan, document: PrdDocument) -> None:
    replaced = superseded(document.prd)
    for story in document.prd.stories:
        if (
            story.passes
            and not story.approved
            and story.id not in replaced
            and not plan.checks_for(document.prd, story)
        ):
            ports.emit(events.Warned(message="passes, but has no command that could prove it", story=story.id))
