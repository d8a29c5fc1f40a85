"""What models cost, as dated data, and what tokens come to.

US dollars per million tokens at the vendors' standard rates: platform.claude.com/docs/en/about-claude/pricing, and
developers.openai.com/api/docs/pricing with the models' own pages. What a vendor charges by the length of each prompt
cannot be told from sums: of those the rate of short prompts stands here, or (Haiku 5.5, five times as much) nothing.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from prd_ralph.model import CostSource, Price, Tokens

AS_OF = "2026-11"

PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "claude-fable-5-1": Price(10.0, 50.0, 0.25),
        "claude-fable-5": Price(10.0, 50.0, 1.0),
        "claude-opus-5-5": Price(4.0, 20.0, 0.2),
        **dict.fromkeys(
            ("claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5"),
            Price(5.0, 25.0, 0.5),
        ),
        "claude-opus-4-1": Price(15.0, 75.0, 1.5),
        "claude-sonnet-5-5": Price(2.0, 10.0, 0.1),
        "claude-sonnet-5": Price(2.0, 10.0, 0.2),
        **dict.fromkeys(("claude-sonnet-4-6", "claude-sonnet-4-5"), Price(3.0, 15.0, 0.3)),
        "claude-haiku-4-5": Price(1.0, 5.0, 0.1),
        "gpt-6-astra": Price(10.0, 50.0, 1.0),
        **dict.fromkeys(("gpt-6.2-sol", "gpt-6.1-sol"), Price(2.0, 10.0, 0.1)),
        "gpt-6-sol": Price(2.0, 10.0, 0.2),
        "gpt-6-luna": Price(0.1, 0.5, 0.01),
        "gpt-5.6-terra": Price(2.0, 12.0, 0.2),
        "gpt-5.6-luna": Price(0.2, 1.2, 0.02),
        "gpt-5.5": Price(5.0, 30.0, 0.5),
        "gpt-5.4": Price(2.5, 15.0, 0.25),
        **dict.fromkeys(("gpt-5.3-codex", "gpt-5.2-codex", "gpt-5.2"), Price(1.75, 14.0, 0.175)),
        **dict.fromkeys(
            ("gpt-5.1-codex-max", "gpt-5.1-codex", "gpt-5.1", "gpt-5-codex", "gpt-5"), Price(1.25, 10.0, 0.125)
        ),
    }
)

_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")
_MILLION = 1_000_000


def price_of(model: str | None, own: Mapping[str, Price]) -> Price | None:
    """The price of a model by its full name, with or without the date of its snapshot; `own` come first.

    None where it is not known: a name that only begins alike is another model, and a vendor's alias (`sonnet`) names
    another one each year.
    """
    if model is None:
        return None
    names = (model, _DATE.sub("", model))
    return next((prices[name] for prices in (own, PRICES) for name in names if name in prices), None)


def price_in_usd(tokens: Tokens, price: Price) -> float:
    """What so many tokens cost."""
    parts = (tokens.input * price.input, tokens.output * price.output, tokens.cached * price.cached)
    return sum(parts) / _MILLION


def cost_of(
    told: float | None, tokens: Tokens | None, price: Price | None, assumed: float | None
) -> tuple[float | None, CostSource | None]:
    """What an attempt cost in US dollars, and how that is known: as the agent told, else its tokens at the model's
    price, else what the person said is to be assumed. (None, None): nobody knows.
    """
    if told is not None:
        return told, CostSource.TOLD
    if tokens is not None and price is not None:
        return price_in_usd(tokens, price), CostSource.PRICED
    if assumed is not None:
        return assumed, CostSource.ASSUMED
    return None, None
