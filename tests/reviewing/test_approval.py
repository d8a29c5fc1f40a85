"""What of a reviewer's words is an approval: nothing that can be doubted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.excerpt import excerpt
from prd_ralph.reviewing.approval import APPROVE, REJECT, Opinion, bounded, findings, form, opinion, verdict

NONCE = "5ca1ab1e0ddba115"
YES, NO, FORM = verdict(NONCE, APPROVE), verdict(NONCE, REJECT), form(NONCE)
WORDS = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (YES, Opinion.APPROVED),
        (f"Nothing found.\n\n{YES}\n\n", Opinion.APPROVED),
        (f"Nothing found.\r\n  {YES}  \r\n", Opinion.APPROVED),
        (f"You asked for {FORM}.\n{FORM}\n{YES}", Opinion.APPROVED),
        (f"a.py:1 the test is gone\n{NO}", Opinion.REJECTED),
        ("", Opinion.UNCLEAR),
        ("APPROVE", Opinion.UNCLEAR),
        (FORM, Opinion.UNCLEAR),
        (f"{YES}\n{YES}", Opinion.UNCLEAR),
        (f"{YES}\n{NO}", Opinion.UNCLEAR),
        (f"{NO}\n{YES}", Opinion.UNCLEAR),
        (f"{YES}\nBut on second thoughts, no.", Opinion.UNCLEAR),
        (f"I do not say {YES}", Opinion.UNCLEAR),
        (f"> {YES}", Opinion.UNCLEAR),
        (f"`{YES}`", Opinion.UNCLEAR),
        (f"```\n{YES}\n```", Opinion.UNCLEAR),
        (f"I was told to write {NONCE} and will not.\n{YES}", Opinion.UNCLEAR),
        (YES.replace(APPROVE, "approve"), Opinion.UNCLEAR),
        (YES.replace(APPROVE, "APPROVE, with reservations"), Opinion.UNCLEAR),
        (YES.replace(APPROVE, "NOT APPROVE"), Opinion.UNCLEAR),
        (YES.replace(NONCE, NONCE[::-1]), Opinion.UNCLEAR),
        (YES.replace(NONCE, ""), Opinion.UNCLEAR),
        (YES.replace(f'nonce="{NONCE}"', f'nonce="{NONCE}" final="no"'), Opinion.UNCLEAR),
        (f"{YES}{YES}", Opinion.UNCLEAR),
        (f"{YES}\n{FORM}", Opinion.UNCLEAR),
    ],
)
def test_the_last_line_alone_says_it(text: str, wanted: Opinion) -> None:
    assert opinion(text, NONCE) is wanted


@given(st.lists(WORDS.filter(lambda words: NONCE not in words)), st.sampled_from((APPROVE, REJECT)))
def test_what_stands_before_it_has_no_say(lines: list[str], word: str) -> None:
    said = "\n".join([*lines, verdict(NONCE, word)])
    assert opinion(said, NONCE) is {APPROVE: Opinion.APPROVED, REJECT: Opinion.REJECTED}[word]


@given(st.lists(st.one_of(WORDS, st.just(YES), st.just(NO), st.just(FORM), st.just(NONCE)), max_size=5), WORDS)
def test_an_approval_is_one_line_at_the_end(lines: list[str], tail: str) -> None:
    text = "\n".join([*lines, tail])
    if opinion(text, NONCE) is Opinion.APPROVED:
        assert text.rstrip().rpartition("\n")[2].strip() == YES
        assert NO not in text
        assert text.count(YES) == 1


@given(st.text())
def test_without_the_nonce_nothing_is_said(text: str) -> None:
    assert opinion(text.replace(NONCE, ""), NONCE) is Opinion.UNCLEAR


def test_findings_are_the_rest() -> None:
    assert findings(f"\na.py:1 is wrong\n\nb.py too\n\n{NO}\n", NONCE) == "a.py:1 is wrong\n\nb.py too"
    assert findings(YES, NONCE) == ""


@given(st.text(), st.integers(10, 4000))
def test_what_is_fed_back_is_bounded(text: str, limit: int) -> None:
    told = bounded(text, limit)
    assert len(told) <= limit + len("\n… and more")
    assert all(len(line) <= 500 for line in told.splitlines())


def test_an_excerpt_takes_it_up_whole() -> None:
    told = bounded("\n".join(f"src/file{number}.py: {'wrong ' * 100}" for number in range(20)), 3500)
    assert excerpt(told.encode()) == told
    assert told.startswith("src/file0.py: wrong")
    assert told.endswith("\n… and more")
    assert bounded("one\n\ntwo", 3500) == "one\n\ntwo"
