"""What the person asked of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from prd_ralph.model.prd import EVERY_STORY, Check, Prd, Story
from prd_ralph.model.results import Price


@dataclass(frozen=True, slots=True)
class Limits:
    """Every cap of a run. Times in seconds, all finite; `idle_s` 0 is off. `iterations` None: open × attempts + 20.

    `cost_usd`, `story_cost_usd` (of one story in this run) and `tokens`: None is no cap. `wait_s`: one wait for the end
    of a usage limit; `transient`: failures in a row that are waited out.
    """

    attempts: int = 3
    iterations: int | None = None
    run_s: float = 24 * 3600.0
    attempt_s: float = 3600.0
    idle_s: float = 1800.0
    check_s: float = 900.0
    cost_usd: float | None = None
    story_cost_usd: float | None = None
    tokens: int | None = None
    wait_s: float = 6 * 3600.0
    transient: int = 10


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stories a run is about: `only` (empty: all) less `skip`."""

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def takes(self, story: Story) -> bool:
        return (not self.only or story.id in self.only) and story.id not in self.skip and not story.skip


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What the person asked of one run. `extra` commands count for every story; `shell` runs shell lines.

    `baseline`: what becomes of a story whose commands are green before an agent has worked on it. `regression_s`: the
    time that earlier stories' commands get before a landing. `hidden`: commands by story that no agent is to read.

    `escalate`: models, the next one after each `escalate_after` failed attempts. `assume_cost_usd`: what an attempt
    counts for whose cost nobody knows; `prices`: the person's own, by model.
    `stall_after` attempts in a row that are alike are a stall, `on_stall` what is
    done at the first, the second and so on. `loop_warn`, `loop_end`: so many identical calls in a row; 0 is off.
    `on_land`: a shell line after each landing. `accept_proposals`: how many stories of agents' making are taken up.
    """

    prd: str
    selection: Selection = Selection()
    limits: Limits = Limits()
    extra: tuple[Check, ...] = ()
    once: bool = False
    strict: bool = False
    fail_fast: bool = False
    baseline: Literal["warn", "skip", "off"] = "warn"
    regressions: Literal["refuse", "off"] = "refuse"
    regression_s: float = 120.0
    verify_in: Literal["tree", "clean"] = "tree"
    hidden: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    escalate: tuple[str, ...] = ()
    escalate_after: int = 1
    assume_cost_usd: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    on_limit: Literal["wait", "stop"] = "wait"
    stall_after: int = 2
    on_stall: tuple[Literal["tell", "escalate", "set_aside", "stop"], ...] = ("tell", "escalate", "set_aside")
    loop_warn: int = 3
    loop_end: int = 6
    on_land: str | None = None
    push: bool = False
    accept_proposals: int = 0
    commit_message: str = "feat: {id} - {title}"
    shell: tuple[str, ...] = ("bash", "-o", "pipefail", "-c")

    def hidden_for(self, story_id: str) -> tuple[Check, ...]:
        """The commands that no agent is told of: those for every story, then the story's own."""
        return (*self.hidden.get(EVERY_STORY, ()), *self.hidden.get(story_id, ()))

    def own_checks(self, story: Story) -> tuple[Check, ...]:
        """The story's own commands, hidden ones too."""
        return (*story.checks, *self.hidden.get(story.id, ()))

    def checks_for(self, prd: Prd, story: Story) -> tuple[Check, ...]:
        """All that judges the story, each once: the PRD's commands, the run's, its own, the hidden ones."""
        return prd.checks_for(story, self.extra, self.hidden_for(story.id))
