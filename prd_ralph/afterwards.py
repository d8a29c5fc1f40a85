"""What the person wants done after each landing: a command of theirs, and a push. No failure of it moves a flag."""

from prd_ralph import events
from prd_ralph.excerpt import excerpt
from prd_ralph.guard import stand_by
from prd_ralph.model import LANDED_VARIABLE, STORY_VARIABLE, ProcessEnd, RunPlan
from prd_ralph.ports import Ports, ProcessRequest, Pushed
from prd_ralph.rules import with_mark
from prd_ralph.task import Task

_LEAST_S = 1.0
_SHOWN = 500


def after_landing(ports: Ports, plan: RunPlan, task: Task, commit: str, data: bytes) -> None:
    """Runs `on_land`, then pushes. `data` are the bytes of prd.json as landed.

    What they change of tracked files is put back, and their new files are no later agent's work: a script of the
    project's may be an agent's code, and so may a hook.
    """
    if plan.on_land is None and not plan.push:
        return
    with ports.workspace.at_base(task.key):  # from here on the landing is base, and what appears is nobody's work
        landed = ports.workspace.freeze()
        if plan.on_land is not None and ports.stop.signal is None:
            _say(ports, task, "on_land", _on_land(ports, plan, task, plan.on_land, commit))
        if plan.push and ports.stop.signal is None:
            _say(ports, task, "push", ports.push(_time(ports, plan, task)))
        planted = ports.workspace.restore(landed)
    stand_by(ports, task.key, data)
    if planted:
        message = f"planted after the landing, and put back: {', '.join(planted)}"
        ports.emit(events.Warned(message=message, story=task.story.id))


def _on_land(ports: Ports, plan: RunPlan, task: Task, line: str, commit: str) -> Pushed:
    done = ports.processes.run(
        ProcessRequest(
            argv=(*plan.shell, line),
            cwd=ports.workspace.root,
            env=with_mark(task.bench.env, task.bench.mark) | {STORY_VARIABLE: task.story.id, LANDED_VARIABLE: commit},
            log=task.folder / "on_land.log",
            wall_s=_time(ports, plan, task),
        )
    )
    error = ""
    if not done.ok:
        how = f"exit {done.exit_code}" if done.end is ProcessEnd.EXITED else str(done.end)
        error = "\n".join(filter(None, (how, excerpt(done.stdout, _SHOWN) or done.error)))
    return Pushed(line, done.exit_code, done.duration_s, error)


def _time(ports: Ports, plan: RunPlan, task: Task) -> float:
    """Seconds that either may take: as a command's, and no longer than the run has left."""
    return max(_LEAST_S, min(plan.limits.check_s, task.bench.ends - ports.clock.monotonic()))


def _say(ports: Ports, task: Task, what: str, done: Pushed) -> None:
    ports.emit(
        events.AfterLanding(
            story=task.key.story,
            attempt=task.key.number,
            what=what,
            command=done.command,
            exit_code=done.exit_code,
            duration_s=round(done.duration_s, 3),
            error=done.error,
        )
    )
