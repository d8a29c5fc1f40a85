"""A run that somebody watches over: it goes on with what the process before it had come to, and says that it lives."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from prd_ralph import events
from prd_ralph.cli.wire import Listener
from prd_ralph.ledger import read
from prd_ralph.model import RunPlan
from prd_ralph.ports import Current, Emit
from prd_ralph.process.bond import Bond, Heart
from prd_ralph.recount import respent
from prd_ralph.regained import regained
from prd_ralph.state import RunFolder, StateFolder
from prd_ralph.tally import Tally


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run was started with: nothing, for most. `bond` names the run that is taken on, if it is one."""

    bond: Bond | None
    heart: Heart

    @property
    def _run(self) -> str:
        return self.bond.run if self.bond else ""

    def folder(self, state: StateFolder, tree: str, started_in: str) -> RunFolder:
        """The run's folder: its own again, or a new one. A wish to stop is forgotten by a new run only.

        It stops by a word in its own work tree, `tree`; where it is watched over, also by one where it was started:
        that is what is heard while it is dead.
        """
        trees = (tree, started_in) if self.bond else (tree,)
        for name in () if self._run else trees:
            state.clear_stop(name)
        run = replace(state.run(self._run) if self._run else state.new_run(), trees=trees)
        self.heart.say(f"run {run.run_id}")
        return run

    def tell(self, emit: Emit) -> None:
        """That it was started again, and why."""
        if self.bond and self._run:
            emit(events.Restarted(times=self.bond.times, why=self.bond.why))

    def up(self, tally: Tally, run: RunFolder, current: Current | None, plan: RunPlan) -> Tally:
        """`tally` with what was spent, where it is taken on. The time is that since the run's first process began."""
        if not self.bond or not self._run:
            return tally
        is_over = current is None or (current.judged and not current.unchecked)
        pending = None if current is None or is_over else current.key
        tally = replace(tally, started=self.bond.began)
        told = _told_by(run)
        tally = respent(tally, run.run_id, told, pending, plan.assume_cost_usd)
        return regained(tally, told, plan.on_stall)

    def staged(self, stage: Callable[[str], None]) -> Callable[[str], None]:
        """`stage`, with a sign of life at each."""

        def reached(name: str) -> None:
            self.heart.beat()
            stage(name)

        return reached


def _told_by(run: RunFolder) -> tuple[events.RunEvent, ...]:
    return tuple(event for record in read(run.events)[0] if (event := events.from_record(record)) is not None)


def heard_by(heart: Heart) -> Listener:
    """Tells who watches over the run that it comes on, and how it ends."""

    def hear(event: events.RunEvent, _record: object) -> None:
        match event:
            case events.AgentFinished():
                heart.say("worked")
            case events.RunFinished():
                heart.say(f"finished {event.exit}")
            case _:
                heart.beat()

    return hear
