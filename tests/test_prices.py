"""What models cost, and what an attempt came to."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import CostSource, Price, Tokens
from prd_ralph.prices import AS_OF, PRICES, cost_of, price_in_usd, price_of

amounts = st.floats(0, 1000, allow_nan=False)
counts = st.integers(0, 10**9)
prices = st.builds(Price, amounts, amounts, amounts)
tokens = st.builds(Tokens, counts, counts, counts)


def test_the_table_agrees_with_what_a_true_claude_told() -> None:
    # The sample ok-stream-stdin: these tokens of claude-opus-5-5, and "costUSD": 0.012512.
    price = price_of("claude-opus-5-5", {})
    assert price is not None
    assert math.isclose(price_in_usd(Tokens(2468, 112, 2000), price), 0.012512)


def test_every_price_makes_sense() -> None:
    assert AS_OF >= "2026-11"
    assert all(0 < price.cached <= price.input < price.output for price in PRICES.values())


@pytest.mark.parametrize(
    "model", [None, "", "sonnet", "gpt-5-mini", "gpt-5.4-pro", "claude-opus-5-5-fast", "openai/gpt-5"]
)
def test_a_model_that_only_sounds_alike_is_unknown(model: str | None) -> None:
    assert price_of(model, {}) is None


def test_the_date_of_a_snapshot_is_no_other_model() -> None:
    assert price_of("claude-opus-4-5-20251101", {}) == PRICES["claude-opus-4-5"]
    assert price_of("gpt-5-codex-2025-12-01", {}) == PRICES["gpt-5-codex"]
    assert price_of("gpt-5-codex-2025", {}) is None


def test_the_persons_own_price_comes_first() -> None:
    mine, older = Price(1, 2, 3), Price(4, 5, 6)
    assert price_of("gpt-5", {"gpt-5": mine}) == mine
    assert price_of("local", {"local": mine}) == mine
    assert price_of("gpt-5-2025-12-01", {"gpt-5": mine}) == mine
    assert price_of("gpt-5-2025-12-01", {"gpt-5": mine, "gpt-5-2025-12-01": older}) == older


@given(tokens, tokens, prices)
def test_twice_the_tokens_cost_the_sum(one: Tokens, other: Tokens, price: Price) -> None:
    both = price_in_usd(one.plus(other), price)
    assert math.isclose(both, price_in_usd(one, price) + price_in_usd(other, price), abs_tol=1e-9)
    assert both >= 0


@given(st.none() | amounts, st.none() | tokens, st.none() | prices, st.none() | amounts)
def test_the_first_that_knows_says_the_cost(
    told: float | None, used: Tokens | None, price: Price | None, assumed: float | None
) -> None:
    cost, source = cost_of(told, used, price, assumed)
    if told is not None:
        assert (cost, source) == (told, CostSource.TOLD)
    elif used is not None and price is not None:
        assert (cost, source) == (price_in_usd(used, price), CostSource.PRICED)
    elif assumed is not None:
        assert (cost, source) == (assumed, CostSource.ASSUMED)
    else:
        assert (cost, source) == (None, None)
