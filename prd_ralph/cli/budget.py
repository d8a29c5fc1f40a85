"""What a run may spend: the caps as they are shown, and whether they can be kept at all."""

from collections.abc import Iterable, Iterator

from prd_ralph.errors import Problem
from prd_ralph.model import RunPlan, Story
from prd_ralph.ports import Agents, Choice
from prd_ralph.prices import price_of


def spending_caps(plan: RunPlan) -> dict[str, float]:
    """Those that are set, by name: `…usd` are US dollars. With them what an attempt of unknown cost counts for."""
    caps = {
        "cost_usd": plan.limits.cost_usd,
        "story_cost_usd": plan.limits.story_cost_usd,
        "assumed_usd": plan.assume_cost_usd,
        "tokens": plan.limits.tokens,
    }
    return {name: value for name, value in caps.items() if value is not None}


def unbounded(plan: RunPlan, agents: Agents, stories: Iterable[Story]) -> Iterator[Problem]:
    """Caps that could not be kept with an agent and a model that the run may come to: each pair once."""
    choices = {(each.name, each.model): each for story in stories for each in _choices(plan, agents, story)}
    limits = plan.limits
    for choice in choices.values():
        told = choice.agent.tells
        for flag, cap in (("--max-cost", limits.cost_usd), ("--max-cost-per-story", limits.story_cost_usd)):
            if cap is not None and not _is_priced(plan, choice):
                yield Problem(f"{flag}: nobody can tell what {_who(choice)} costs", _hint(choice))
        if limits.tokens is not None and "tokens" not in told:
            hint = "leave it out, or cap the money: --max-cost, with --assume-cost USD for each attempt"
            yield Problem(f"--max-tokens: {choice.agent.label} does not tell what it reads and writes", hint)


def _is_priced(plan: RunPlan, choice: Choice) -> bool:
    told = choice.agent.tells
    by_tokens = "tokens" in told and price_of(choice.model, plan.prices) is not None
    return "cost" in told or by_tokens or plan.assume_cost_usd is not None


def _who(choice: Choice) -> str:
    label = choice.agent.label
    if "tokens" not in choice.agent.tells:
        return label
    return f"{label} with {choice.model or 'its own choice of a model'}"


def _hint(choice: Choice) -> str:
    """Of an agent that tells its tokens, the price of its model would do."""
    assume = "say what an attempt counts for: --assume-cost USD"
    if "tokens" not in choice.agent.tells:
        return assume
    if choice.model is None:
        return f"name a model whose price is known: --model MODEL; or {assume}"
    return f'{assume}; or give its price: [prices."{choice.model}"] in prd-ralph.toml'


def _choices(plan: RunPlan, agents: Agents, story: Story) -> Iterator[Choice]:
    """Who may come to work on it: at each step of the models, the first agent and those that stand in for it."""
    for level in range(len(plan.escalate) + 1):
        away: list[str] = []
        while (choice := agents.choose(story, level, away)) is not None and choice.name not in away:
            yield choice
            away.append(choice.name)
