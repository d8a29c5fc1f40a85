"""A person's word in prd.json: it comes and goes with the flag, and every other byte stays."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError, RalphError
from prd_ralph.model import Approval
from prd_ralph.prdfile import JsonPrdFile, parse, with_approval
from prd_ralph.prdfile.guard import guarded

STORIES = """  "userStories": [
    {"id": 7, "title": "Seven",   "passes": false , "x-mine": 1e400},
    {
      "id": "B",
      "title": "Bé",
      "passes": true
    }
  ],
"""
TEXT = '\ufeff{\n  "project": "P",\n' + STORIES + '  "after": [1,2]\n}\n'
WORD = Approval("Ann <ann@example.invalid>", "2031-03-01T08:00:00Z", 'looked\tat "it"')


def opened_again(data: bytes, story: str) -> bytes:
    return JsonPrdFile(Path("prd.json"), Path()).flipped(data, story, False)


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.replace("  ", "\t")])
@pytest.mark.parametrize("story", ["7", "B"])
def test_the_word_and_the_flag_are_all_that_changes(text: str, story: str) -> None:
    data = text.encode()
    given = with_approval(data, story, WORD)
    found = parse(given, "prd.json").prd.story(story)
    assert (found.passes, found.approved) == (True, WORD)
    line = next(each for each in text.splitlines() if '"passes"' in each and (story == "7") == ('"id"' in each))
    before = [each for each in text.splitlines() if each != line]
    kept = [each for each in given.decode().splitlines() if each in before]
    assert [each for each in before if each not in ("", *kept)] == []
    opened = data.replace(b'"passes": true', b'"passes": false') if story == "B" else data
    assert opened_again(given, story) == opened


@given(st.text(min_size=1).filter(str.strip), st.text())
def test_any_name_and_note_can_be_read_again(by: str, note: str) -> None:
    given = with_approval(TEXT.encode(), "B", Approval(by, "2031-03-01T08:00:00Z", note))
    assert json.loads(given.decode("utf-8-sig"))["userStories"][1]["passes"] is True


def test_what_another_tool_keeps_under_the_key_stays() -> None:
    data = TEXT.replace('"x-mine"', '"approved": true, "x-mine"').encode()
    assert parse(data, "prd.json").prd.story("7").approved is None
    assert opened_again(data, "7") == data


def test_of_a_story_that_does_not_pass_the_word_says_nothing() -> None:
    given = with_approval(TEXT.encode(), "7", WORD).replace(b'"passes": true ', b'"passes": false ')
    assert parse(given, "prd.json").prd.story("7").approved is None


def test_a_story_that_is_not_there() -> None:
    with pytest.raises(RalphError, match="has no story US-9"):
        with_approval(TEXT.encode(), "US-9", WORD)


@pytest.mark.parametrize("word", ['{"by": "", "at": ""}', '{"by": "Ann"}', '{"by": 1, "at": "x"}'])
def test_a_word_without_a_name_or_a_time_is_refused(word: str) -> None:
    data = TEXT.replace('"x-mine"', f'"approved": {word}, "x-mine"').encode()
    with pytest.raises(ProblemsError) as found:
        parse(data, "prd.json")
    assert {problem.story for problem in found.value.problems} == {"7"}


def test_an_agents_word_is_put_back() -> None:
    before = TEXT.encode()
    found = guarded(before, with_approval(before, "7", WORD), "7")
    assert found.data == before
    assert found.tampered == ("/userStories/0/passes: false -> true", "/userStories/0/approved: added")
