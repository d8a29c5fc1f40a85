"""The settings of a run: frozen, and each one knows where it came from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from prd_ralph.config.keys import KEYS, Key
from prd_ralph.config.values import written
from prd_ralph.model import Limits, Price, Selection

DEFAULT_SOURCE = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One value for `prd-ralph config`; `source` is as `default`, `prd-ralph.toml:3`, `PRD_RALPH_ONCE`, `--once`.

    `written` is the value as a person would write it: times are texts.
    """

    name: str
    value: object
    source: str
    help: str
    written: object


@dataclass(frozen=True, slots=True)
class Settings:
    """Times in seconds; `idle_timeout` 0 is off. Commands are raw, as in prd.json: `prdfile` makes checks of them.

    Of `agent`, `agent_command` and `agents` the one of highest rank is set; `agents` may name the `agent_command` as
    `command`. `autonomy_…` None: the agent's own flags.
    `sources` has the keys' names, with their dots.
    """

    prd: str | None
    agent: str | None
    agent_command: str | None
    agents: tuple[str, ...]
    model: str | None
    escalate: tuple[str, ...]
    escalate_after: int
    verification_commands: tuple[Any, ...]
    check: tuple[Any, ...]
    only: tuple[str, ...]
    skip: tuple[str, ...]
    max_attempts: int
    max_iterations: int | None
    max_time: float
    max_cost: float | None
    max_cost_per_story: float | None
    max_tokens: int | None
    assume_cost: float | None
    prices: Mapping[str, Mapping[str, float]]
    on_limit: Literal["wait", "stop"]
    max_wait: float
    max_transient: int
    stall_after: int
    on_stall: tuple[Literal["tell", "escalate", "set_aside", "stop"], ...]
    loop_warn: int
    loop_end: int
    timeout: float
    idle_timeout: float
    check_timeout: float
    once: bool
    fail_fast: bool
    strict: bool
    baseline: Literal["warn", "skip", "off"]
    regressions: Literal["refuse", "off"]
    regression_time: float
    verify_in: Literal["tree", "clean"]
    hidden_checks: str | None
    worktree: bool
    supervised: bool
    on_land: str | None
    push: bool
    accept_proposals: int | None
    notify: tuple[str, ...]
    notify_command: str | None
    notify_on: tuple[str, ...]
    commit_message: str
    never_stage: tuple[str, ...]
    env_exclude: tuple[str, ...]
    env_pass: tuple[str, ...]
    check_env_exclude: tuple[str, ...]
    check_env_pass: tuple[str, ...]
    autonomy_claude: tuple[str, ...] | None
    autonomy_codex: tuple[str, ...] | None
    sources: Mapping[str, str]

    @property
    def limits(self) -> Limits:
        """The caps of a run; an idle limit of 0 is off."""
        return Limits(
            attempts=self.max_attempts,
            iterations=self.max_iterations,
            run_s=self.max_time,
            attempt_s=self.timeout,
            idle_s=self.idle_timeout,
            check_s=self.check_timeout,
            cost_usd=self.max_cost,
            story_cost_usd=self.max_cost_per_story,
            tokens=self.max_tokens,
            wait_s=self.max_wait,
            transient=self.max_transient,
        )

    @property
    def first_agent(self) -> str | None:
        """The name of the agent that comes first; None: it has none, or is looked for on PATH."""
        return self.agents[0] if self.agents else self.agent

    @property
    def price_table(self) -> dict[str, Price]:
        """The person's own prices, by model."""
        return {model: Price(**price) for model, price in self.prices.items()}

    @property
    def selection(self) -> Selection:
        """The stories that the run is about."""
        return Selection(self.only, self.skip)

    @property
    def autonomy(self) -> dict[str, tuple[str, ...] | None]:
        """By agent, the flags that let it act without asking; None: its own."""
        return {"claude": self.autonomy_claude, "codex": self.autonomy_codex}

    def rows(self) -> tuple[Setting, ...]:
        """Every value, in the order of the documentation."""
        return tuple(self._row(key) for key in KEYS)

    def _row(self, key: Key) -> Setting:
        value = getattr(self, key.field)
        return Setting(key.name, value, self.sources[key.name], key.help, written(value) if key.is_time else value)
