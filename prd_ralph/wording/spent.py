"""What agents have taken, in tokens and money. What is unknown is counted, and never taken for nothing."""

from dataclasses import dataclass

from prd_ralph.events import AgentFinished
from prd_ralph.model import Tokens
from prd_ralph.wording.text import plural


@dataclass(frozen=True, slots=True)
class Spent:
    """The sums of what is known, None where nothing is. `unpriced` attempts told no cost, `uncounted` no tokens,
    and of `estimated` ones the cost is not the agent's word.
    """

    cost_usd: float | None = None
    tokens: Tokens | None = None
    unpriced: int = 0
    uncounted: int = 0
    estimated: int = 0

    def plus(self, event: AgentFinished) -> "Spent":
        """With one more attempt."""
        cost = self.cost_usd if event.cost_usd is None else (self.cost_usd or 0.0) + event.cost_usd
        tokens = tokens_of(event.tokens_in, event.tokens_out, event.tokens_cached)
        return Spent(
            cost,
            added(self.tokens, tokens),
            self.unpriced + (event.cost_usd is None),
            self.uncounted + (tokens is None),
            self.estimated + (event.cost_source in ("priced", "assumed")),
        )


def tokens_of(read: int | None, written: int | None, cached: int | None) -> Tokens | None:
    """The tokens as events have them; None where none are told."""
    return None if read is None and written is None else Tokens(read or 0, written or 0, cached or 0)


def added(one: Tokens | None, other: Tokens | None) -> Tokens | None:
    """The sum of what is known of both."""
    return one.plus(other) if one and other else one or other


def cost_words(spent: Spent) -> str:
    """`$1.20`, `$1.20 and unknown for 2 attempts`, `$1.20, 1 attempt of it estimated`, `cost unknown`; "" before any
    attempt.
    """
    if spent.cost_usd is None:
        return "cost unknown" if spent.unpriced else ""
    guessed = f", {plural(spent.estimated, 'attempt')} of it estimated" if spent.estimated else ""
    unknown = f" and unknown for {plural(spent.unpriced, 'attempt')}" if spent.unpriced else ""
    return f"${spent.cost_usd:.2f}{guessed}{unknown}"


def token_words(tokens: Tokens | None, uncounted: int = 0) -> str:
    """`12.3k tokens in · 950 out`, `tokens unknown`; "" before any attempt."""
    if tokens is None:
        return "tokens unknown" if uncounted else ""
    more = f" · unknown for {plural(uncounted, 'attempt')}" if uncounted else ""
    return f"{in_thousands(tokens.input)} tokens in · {in_thousands(tokens.output)} out{more}"


def in_thousands(count: int) -> str:
    """`950`, `12.3k`, `4.5M`."""
    for size, unit in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit}"
    return str(count)
