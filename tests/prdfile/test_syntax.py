"""Bytes that are no JSON: line, column, the line itself, the likely cause."""

import codecs
import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.positions import DEPTH_LIMIT, JsonSyntaxError, scan
from tests.prdfile.support import data_of, only_problem, prd

TEXTS = {
    "literal dots": ('{"a": [\n1,\n...\n]}', 3, "`...`"),
    "one sign for the dots": ('{"a": [\n…]}', 2, "`...`"),
    "comma before a bracket": ('{"a": [\n1,\n]}', 2, "a comma before `]`"),
    "comma before a brace": ('{\n"a": 1,}', 2, "a comma before `}`"),
    "missing comma": ('{"a": 1\n"b": 2}', 1, "a comma is missing"),
    "missing comma in a list": ('["a"\n\n"b"]', 1, "a comma is missing"),
    "missing colon": ('{"a" 1}', 1, "a colon is missing"),
    "merge markers": ('{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> b\n}', 2, "merge markers"),
    "merge markers after a good start": ('{"a": 1,\n<<<<<<< HEAD\n"b": 1\n=======\n}', 2, "merge markers"),
    "single quotes": ("{'a': 1}", 1, "single quotes"),
    "curly quotes": ("{“a”: 1}", 1, "curly quotes"),
    "line comment": ('{\n// why\n"a": 1}', 2, "a comment"),
    "block comment": ('{"a": /* why */ 1}', 1, "a comment"),
    "hash": ('{"a": 1 # why\n}', 1, "a comment"),
    "markdown": ('```json\n{"a": 1}\n```', 1, "a markdown fence"),
    "python": ('{"passes": True}', 1, "Python"),
    "none": ('{"passes": None}', 1, "not a JSON value"),
    "nan": ('{"priority": NaN}', 1, "not a JSON value"),
    "truncated": ('{"a": {\n"b": [1,', 2, "before the `[` of line 2 is closed"),
    "truncated in a text": ('{"a":\n "b', 2, "isn't closed"),
    "brace for bracket": ('{"a": [\n{"b": 1\n}\n}', 4, "`}` where `]` closes the `[` of line 1"),
    "bracket for brace": ('{"a": 1]', 1, "`]` where `}` closes the `{` of line 1"),
    "a bracket too many": ('{"a": 1}\n}', 2, "more text after the end"),
    "two documents": ('{"a": 1}\n{"a": 1}', 2, "more text after the end"),
    "unknown escape": ('{"a": "C:\\dir"}', 1, "`\\d` is no escape"),
    "line end in a text": ('{"a": "b\nc"}', 1, "isn't closed on its line"),
    "tab in a text": ('{"a": "b\tc"}', 1, "control character (\\t)"),
    "bare key": ("{a: 1}", 1, "a key in double quotes"),
    "two commas": ("[1,,2]", 1, "a comma too many"),
    "leading zero": ('{"a": 01}', 1, "a value is expected"),
    "no value": ('{"a": }', 1, "a value is expected"),
    "a word": ('{"a": yes}', 1, "a value is expected"),
    "a closer alone": ("]", 1, "a value is expected"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_likely_cause_is_told(name: str) -> None:
    text, line, cause = TEXTS[name]
    problem = only_problem(text.encode())
    assert cause in problem.message
    assert (problem.line, problem.pointer, problem.file) == (line, "", "prd.json")
    assert "column" in problem.message
    assert problem.hint


def test_column_and_line_are_those_of_the_cause() -> None:
    problem = only_problem(b'{\r\n  "project": "x",\r\n  "userStories" []\r\n}')
    assert problem.message.startswith("not JSON, column 17: ")
    assert problem.message.endswith(': "userStories" []')


def test_a_minified_line_is_cut_around_the_place() -> None:
    problem = only_problem(json.dumps({"a": "x" * 500}).encode()[:-1] + b', "here" 1, "b": "' + b"y" * 500 + b'"}')
    assert "here" in problem.message
    assert len(problem.message) < 220


def test_control_characters_are_not_printed() -> None:
    assert "\x1b" not in only_problem(b'{"a": \x1b[31m}').message


BYTES = {
    "nothing": (b"", "the file is empty"),
    "blanks": (b" \n\t", "the file is empty"),
    "only a mark": (codecs.BOM_UTF8, "the file is empty"),
    "utf-16": ('{"a": 1}'.encode("utf-16"), "UTF-16"),
    "utf-16 without a mark": ('{"a": 1}'.encode("utf-16-le"), "UTF-16"),
    "utf-16-be without a mark": ('{"a": 1}'.encode("utf-16-be"), "UTF-16"),
    "utf-32": ('{"a": 1}'.encode("utf-32"), "UTF-32"),
    "latin-1": ('{"a":\n"é"}'.encode("latin-1"), "not UTF-8: byte 0xe9"),
    "too large": (b" " * (4 << 20) + b"{}", "larger than 4 MiB"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_text(name: str) -> None:
    data, message = BYTES[name]
    problem = only_problem(data)
    assert message in problem.message
    assert problem.hint


def test_the_line_of_a_bad_byte_is_told() -> None:
    assert only_problem('{"a":\n"é"}'.encode("latin-1")).line == 2


def test_a_mark_does_not_shift_columns() -> None:
    assert "column 2:" in only_problem(codecs.BOM_UTF8 + b"{'a': 1}").message


def test_nesting_is_bounded() -> None:
    assert only_problem(b"[" * 100_000).message.startswith("not JSON, column 101: nesting")
    assert scan("[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT).root.start == 0


def test_every_key_written_twice_is_told_with_both_lines() -> None:
    stories = b'[{"id":"a","title":"b",\n"passes":false}]'
    data = b'{"project": "x",\n"a/b": {"c": 1,\n"c": 2},\n"userStories": [],\n"userStories":\n' + stories + b"}"
    with pytest.raises(ProblemsError) as caught:
        parse(data, "prd.json")
    first, second = caught.value.problems
    assert (first.line, first.pointer) == (3, "/a~1b/c")
    assert (second.line, second.pointer) == (5, "/userStories")
    assert '"userStories" is written twice in one object, first in line 4' in second.message


def test_a_key_written_twice_in_what_a_later_list_hides() -> None:
    data = b'{"project":"x","userStories":[1,{"a":1,"a":2}],"userStories":[{"id":"a","title":"b","passes":false}]}'
    with pytest.raises(ProblemsError) as caught:
        parse(data, "prd.json")
    assert [problem.pointer for problem in caught.value.problems] == ["/userStories", "/userStories/1/a"]


@given(st.text() | st.text("{}[]\":, \\tnu0.1-eE\n'/"))
def test_our_json_is_the_json_of_the_standard_library(text: str) -> None:
    try:
        wanted = json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        with pytest.raises(JsonSyntaxError):
            scan(text)
    else:
        assert scan(text).root.value == wanted


@given(st.binary() | st.text().map(str.encode) | st.text("{}[]\":, \\tnu0.1-eE\n'/").map(str.encode))
@example(b'{"project": 1e999, "userStories": [' + b"9" * 5000 + b"]}")
def test_arbitrary_bytes_give_nothing_but_problems(data: bytes) -> None:
    with suppress(ProblemsError):
        parse(data, "prd.json")


@given(st.data())
def test_a_valid_file_with_any_bytes_changed_gives_nothing_but_problems(data: st.DataObject) -> None:
    good = data_of(prd(branchName="a", verificationCommands=["make", {"run": ["a"], "cwd": "x", "timeout": 3}]))
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 20)))
    piece = data.draw(st.binary(max_size=6) | st.sampled_from([b"null", b"[]", b"{}", b'"a"', b"1e999", b'"\\ud800"']))
    with suppress(ProblemsError):
        parse(good[:start] + piece + good[end:], "prd.json")
