"""Who works next, and waiting for somebody: for the end of a usage limit, for a vendor or network to come back."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

from prd_ralph import events
from prd_ralph.model import FailureClass, RunPlan, StopReason, Story
from prd_ralph.ports import Choice, Ports
from prd_ralph.tally import Tally
from prd_ralph.waits import Moment, Pause, pause_after

LOOK_S = 2.0
"""So often a wait looks whether it is over, by either clock, and whether the run was asked to stop."""


def choose(ports: Ports, plan: RunPlan, story: Story, tally: Tally) -> Choice | None:
    """Who is to work on the story now; None where nobody can be had."""
    return _choice(ports, plan, story, tally)


def has_further_model(ports: Ports, plan: RunPlan, story: Story, tally: Tally, model: str | None) -> bool:
    """Whether one step up of the models would be another one than `model`, that of the last attempt."""
    choice = _choice(ports, plan, story, tally, more=1)
    return bool(plan.escalate) and choice is not None and choice.model != model


def noted(ports: Ports, plan: RunPlan, story: Story, tally: Tally) -> Tally:
    """With what the story's last attempt has shown of its agent; where nobody is left to work on it, that is fatal."""
    record, now = tally.records[story.id], Moment.by(ports.clock)
    if record.agent is None:
        return tally
    name, pauses = record.agent_name, tally.pauses
    chance = Random(f"{ports.state.run_id} {name} {tally.iterations}").random()
    pause = pause_after(record.verdict, record.agent.reset_at, pauses.agents.get(name), now, plan.limits, chance)
    tally = replace(tally, pauses=pauses.after(name, pause))
    if pause is None or ports.agents.choose(story, 0, _not_waited_for(plan, tally, now)) is not None:
        return tally
    return replace(tally, fatal=pause.stop)


def wait_for_agent(ports: Ports, plan: RunPlan, story: Story, tally: Tally) -> Tally:
    """The same tally, where somebody can work on the story now. Else another one: after the wait, or with what the run
    ends for instead of it.
    """
    now = Moment.by(ports.clock)
    if choose(ports, plan, story, tally) is not None:
        return tally
    away = tally.pauses.away(now)
    missed = set(_not_waited_for(plan, tally, now))
    able = {name: pause for name, pause in away.items() if ports.agents.choose(story, 0, away.keys() - {name})}
    for name, pause in able.items():
        if name not in missed:
            return _wait(ports, plan, story, tally, name, pause)
    name, pause = next(iter(able.items()))
    return replace(tally, fatal=pause.stop, why=f"{name} cannot be had any more ({pause.why}), and {story.id} needs it")


def _wait(ports: Ports, plan: RunPlan, story: Story, tally: Tally, name: str, pause: Pause) -> Tally:
    began = Moment.by(ports.clock)
    ends = tally.started + plan.limits.run_s
    left = pause.left(began)
    if began.steady + left > ends:
        return _too_long(tally, name, pause)
    ports.emit(
        events.Waiting(
            reason=str(pause.why),
            agents=(name,),
            seconds=round(left, 3),
            until=round(began.unix + left, 3),
            story=story.id,
        )
    )
    while (left := pause.left(Moment.by(ports.clock))) > 0 and not _is_to_end(ports, ends):
        ports.clock.sleep(min(LOOK_S, left))
    waited = ports.clock.monotonic() - began.steady
    return replace(tally, pauses=replace(tally.pauses, waited_s=tally.pauses.waited_s + waited))


def _is_to_end(ports: Ports, ends: float) -> bool:
    """Whether the run is to end, whatever it waits for."""
    return ports.stop.signal is not None or ports.state.stop_requested() or ports.clock.monotonic() >= ends


def _too_long(tally: Tally, name: str, pause: Pause) -> Tally:
    """To sit out the rest of the run's time would help nobody."""
    limited = pause.why is FailureClass.USAGE_LIMIT
    until = datetime.fromtimestamp(pause.until.unix, UTC).strftime("%Y-%m-%d %H:%M UTC")
    what = "at its usage limit" if limited else "failing"
    return replace(
        tally,
        fatal=StopReason.USAGE_LIMIT if limited else StopReason.WALL_TIME,
        why=f"{name} is {what} until {until}, and the run's time ends before",
        hint=f"the same command again after {until}, or a longer --max-time",
    )


def _not_waited_for(plan: RunPlan, tally: Tally, now: Moment) -> tuple[str, ...]:
    """The agents that are away, and that this run does not wait for."""
    return tuple(
        name
        for name, pause in tally.pauses.away(now).items()
        if pause.is_for_good or (pause.why is FailureClass.USAGE_LIMIT and plan.on_limit == "stop")
    )


def _choice(ports: Ports, plan: RunPlan, story: Story, tally: Tally, more: int = 0) -> Choice | None:
    """`more`: so many steps up of the models further than the story is."""
    return ports.agents.choose(story, _level(plan, story, tally) + more, tally.pauses.away(Moment.by(ports.clock)))


def _level(plan: RunPlan, story: Story, tally: Tally) -> int:
    """How many steps up of the models the story is."""
    return tally.charged.get(story.id, 0) // plan.escalate_after + tally.escalated.get(story.id, 0)
