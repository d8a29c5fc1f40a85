"""Which last words want something of a person, and which only look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.asking import TEXT_LIMIT, need_of, question, stuck_reason
from prd_ralph.model import Need

NONCE = "0f1e2d3c4b5a6978"
PROMPT = f"Do it.\nWould you like tea?\nend with `<stuck-{NONCE}>REASON</stuck-{NONCE}>`, your reason in its place"

ASKING = [
    "Which DB should I use?",
    "I looked at everything.\n\nShould I go on with Postgres?",
    "Should I use\n\nWould you like me to implement it?",
    "I have a plan. Do you want me to start?",
    "**Would you prefer A or B?**",
    "Which of these should I take?\n\n1. Postgres\n2. SQLite\n3. files",
    "How would you like the errors to look?\n- short\n- long",
    "Before I start: could you please provide the API key?",
    "Please confirm that I may delete the table.",
    "There are two ways. Please let me know which one to take.",
    "To go on, please clarify the third criterion.",
    "Let me know which option you prefer.",
    "Want me to add tests too?",
    "Is it ok if I drop Python 3.8?",
    "What do you think we should call it, and which name do you prefer?",
    "SHALL WE PROCEED?",
]

QUIET = [
    "",
    "Done. All tests pass.",
    "Why did it fail? The import was missing.",
    "Should I use Postgres? I decided for SQLite, as the tests do.",
    "It was unclear: would you like tea is what the prompt said",
    "const x = ready ? a : b;",
    "> Should I continue?",
    "The dialog asks:\n```\nWould you like to quit?\n```",
    "Would you like to quit?\n```\nthat is what it prints\n```",
    "$ prd-ralph run  # should I?",
    "Open: is the cache needed?",
    "What is the difference between a list and a tuple?",
    "Who could have known?",
    "test_should_i_ask passes",
    "Please note that the tests are slow.",
    "Let me know.",
    "It passes now. Thank you for your patience!",
    PROMPT,  # an echo
    f"{PROMPT}\n",
    "# Should I?",
]


@pytest.mark.parametrize("text", ASKING)
def test_a_question_to_a_person_is_one(text: str) -> None:
    asked = question(text, PROMPT)
    assert asked and "\n" not in asked and asked in text
    assert need_of(f"{text}\n", PROMPT, NONCE) == Need("question", asked)


@pytest.mark.parametrize("text", QUIET)
def test_what_only_looks_like_one_stays_quiet(text: str) -> None:
    assert question(text, PROMPT) == ""
    assert need_of(text, PROMPT, NONCE) is None


def test_what_the_prompt_holds_may_be_asked_again_and_its_end_is_an_echo() -> None:
    assert question("Would you like tea?", PROMPT) == "Would you like tea?"
    assert question(f"{PROMPT}\nShould I?", PROMPT) == "Should I?"
    asks = "Add a dialog.\nWould you like tea?"
    assert question(asks, f"{asks}\n") == ""


def tag(reason: str, nonce: str = NONCE) -> str:
    return f"<stuck-{nonce}>{reason}</stuck-{nonce}>"


STUCK = {
    "a line": (f"I tried.\n{tag('no access to the server')}\n", "no access to the server"),
    "several lines": (tag("no\n  access\n\tat all "), "no access at all"),
    "marked up": (f"`{tag('no key')}`", "no key"),
    "the last counts": (f"{tag('one')} {tag('two')}", "two"),
    "an echo before it": (f"{PROMPT}\n{tag('no key')}", "no key"),
    "an echo after it": (f"{tag('no key')}\n{PROMPT}", "no key"),
    "one that was begun": (f"<stuck-{NONCE}> hm {tag('no key')}", "no key"),
    "not in Latin": (tag("нет доступа"), "нет доступа"),
}


@pytest.mark.parametrize("how", STUCK)
def test_who_says_that_it_is_stuck_is_believed_to_be(how: str) -> None:
    text, reason = STUCK[how]
    assert need_of(text, PROMPT, NONCE) == Need("stuck", reason)


NOT_STUCK = {
    "nothing": "",
    "an echo": PROMPT,
    "the placeholder": tag("REASON"),
    "the placeholder, dressed": tag(" `reason` "),
    "blank": tag("  \n "),
    "no word": tag("…"),
    "another nonce": tag("no key", "1111222233334444"),
    "no nonce": "<stuck>no key</stuck>",
    "not ended": f"<stuck-{NONCE}>no key",
    "ended by another": f"<stuck-{NONCE}>no key</stuck-1111222233334444>",
    "what stands between the two parts in a story about them": f"write `<stuck-{NONCE}>` and end",
}


@pytest.mark.parametrize("how", NOT_STUCK)
def test_nothing_else_says_that_it_is_stuck(how: str) -> None:
    assert stuck_reason(NOT_STUCK[how], PROMPT, NONCE) == ""


def test_whatever_the_prompt_holds_is_an_echo() -> None:
    assert stuck_reason(tag("for example no key"), f"{PROMPT}; as in {tag('for example no key')}", NONCE) == ""


def test_without_a_nonce_nobody_is_stuck() -> None:
    assert stuck_reason("<stuck->no key</stuck->", "", "") == ""


def test_a_reason_is_bounded() -> None:
    assert len(stuck_reason(tag("because " * 400), PROMPT, NONCE)) == TEXT_LIMIT
    assert len(question(f"Should I {'x ' * 1000}?")) == TEXT_LIMIT


@given(st.text(), st.text())
def test_no_text_is_too_odd(text: str, prompt: str) -> None:
    assert stuck_reason(text, prompt, NONCE) == ""
    assert "\n" not in question(text, prompt)


@given(st.text(min_size=1))
def test_a_reason_is_the_agents_words_on_one_line(reason: str) -> None:
    found = stuck_reason(tag(reason), PROMPT, NONCE)
    assert found in ("", " ".join(reason.split())) or len(found) == TEXT_LIMIT or "<" in reason
