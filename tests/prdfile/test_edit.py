"""Edits in place: the flag's token or the notes' text, and not one byte more."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import RalphError
from prd_ralph.prdfile.edit import flipped, with_notes
from tests.prdfile.strategies import files, words
from tests.prdfile.support import FIXTURES, data_of, prd, story

FORMATS = {
    "minified": b'{"project":"x","userStories":[{"id":"a","title":"t","passes":false}]}',
    "windows": b'{\r\n\t"project": "x",\r\n"userStories": [{"id": "a",\r\n"title": "t",\r\n"passes" :\tfalse }]}\r\n',
    "mark": b'\xef\xbb\xbf{"project":"x","userStories":[{"passes": false, "id":"a","title":"t"}]}\n\n',
    "escaped key": b'{"project":"x","userSt\\u006fries":[{"id":"\\u0061","title":"t","p\\u0061sses":false}]}',
    "the text elsewhere": b'{"passes": false, "project":"\\"passes\\": false","userStories":'
    b'[{"id":"b","title":"t","passes":true,"x":{"passes":false}},'
    b'{"title":"\\"passes\\": false","y":[{"id":"a","passes":false}],"passes":false,"id":"a"}]}',
}


@pytest.mark.parametrize("name", FORMATS)
def test_one_token_changes(name: str) -> None:
    before = FORMATS[name]
    after = flipped(before, "a", True)
    assert len(after) == len(before) - 1
    assert _is_one_token(before, after, b"false", b"true")
    assert next(s for s in json.loads(after.decode("utf-8-sig"))["userStories"] if s["id"] == "a")["passes"] is True
    assert flipped(after, "a", False) == before
    assert flipped(before, "a", False) == before


@given(files(), st.data())
def test_any_file_in_any_formatting(file: tuple[dict[str, Any], bytes], data: st.DataObject) -> None:
    document, before = file
    chosen = data.draw(st.sampled_from(document["userStories"]))
    after = flipped(before, chosen["id"], not chosen["passes"])
    old, new = (json.dumps(passes).encode() for passes in (chosen["passes"], not chosen["passes"]))
    assert _is_one_token(before, after, old, new)
    wanted = [{**s, "passes": s["passes"] != (s is chosen)} for s in document["userStories"]]
    assert json.loads(after.decode("utf-8-sig")) == {**document, "userStories": wanted}
    assert flipped(after, chosen["id"], chosen["passes"]) == before


def _is_one_token(before: bytes, after: bytes, old: bytes, new: bytes) -> bool:
    places = (found.start() for found in re.finditer(old, before))
    return any(before[:place] + new + before[place + len(old) :] == after for place in places)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*[!d].json")), ids=lambda path: path.stem)
def test_a_line_a_flip_in_real_files(path: Any) -> None:
    before = path.read_bytes()
    if json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8")).get("dialect") != "native":
        return
    for item in json.loads(before.decode("utf-8-sig"))["userStories"][::29]:
        after = flipped(before, item["id"], not item["passes"])
        pairs = list(zip(before.split(b"\n"), after.split(b"\n"), strict=True))
        assert sum(old != new for old, new in pairs) == 1


def test_whole_numbers_are_found_by_their_text() -> None:
    assert b'"passes": true' in flipped(data_of(prd(story(7))), "7", True)


def test_what_is_not_there_can_not_be_flipped() -> None:
    with pytest.raises(RalphError, match="no story b"):
        flipped(data_of(prd(story("a"))), "b", True)
    with pytest.raises(RalphError, match="no flag"):
        flipped(data_of(prd({"id": "a"})), "a", True)
    with pytest.raises(RalphError, match="no flag"):
        flipped(data_of(prd({"id": "a", "passes": 0})), "a", True)


@given(files(), st.data(), words)
def test_notes_are_spliced_in(file: tuple[dict[str, Any], bytes], data: st.DataObject, notes: str) -> None:
    document, before = file
    chosen = data.draw(st.sampled_from(document["userStories"]))
    after = with_notes(before, chosen["id"], notes)
    wanted = [{**s, "notes": notes} if s is chosen else s for s in document["userStories"]]
    assert json.loads(after.decode("utf-8-sig")) == {**document, "userStories": wanted}
    assert with_notes(after, chosen["id"], notes) == after
    if "notes" in chosen:
        assert with_notes(after, chosen["id"], chosen["notes"]).decode("utf-8-sig").count("\n") == before.count(b"\n")


def test_equal_notes_leave_their_escapes() -> None:
    before = b'{"project":"x","userStories":[{"id":"a","title":"t","passes":false,"notes":"\\u0061\\/"}]}'
    assert with_notes(before, "a", "a/") == before


def test_an_absent_key_is_added_in_the_style_of_its_neighbours() -> None:
    before = b'{\r\n  "userStories": [\r\n    {\r\n\t"id" : "a",\r\n\t"passes" : false\r\n    }\r\n  ]\r\n}'
    after = with_notes(before, "a", 'say "é"\n')
    assert after == before.replace(b"false", 'false,\r\n\t"notes" : "say \\"é\\"\\n"'.encode())
    assert with_notes(b'{"userStories":[{"id":"a"}]}', "a", "n") == b'{"userStories":[{"id":"a", "notes":"n"}]}'


def test_a_file_of_escapes_stays_one() -> None:
    before = data_of(prd(story("a", title="@", notes=""))).replace(b"@", b"\\u00e9")
    assert b'"notes": "\\u00e8"' in with_notes(before, "a", "è")


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert "\ufffd" in with_notes(data_of(prd(story("a"))), "a", "\ud800").decode()
