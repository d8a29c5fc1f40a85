"""A file that is made to say something else: what is equal keeps every byte, what is new is written alike (C054)."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile.reshape import reshaped, value_in
from tests.prdfile.strategies import documents, files, foreign
from tests.prdfile.support import data_of, prd, story

Value = dict[str, Any]


def read(data: bytes) -> Any:
    return json.loads(data.decode("utf-8-sig"))


def equal(left: Any, right: Any) -> bool:
    """Also of what is equal in Python alone: `True` and 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@given(files())
def test_what_says_the_same_keeps_every_byte(file: tuple[Value, bytes]) -> None:
    document, before = file
    assert reshaped(before, document) == before
    assert reshaped(before, dict(reversed(document.items()))) == before


@st.composite
def changed(draw: st.DrawFn, document: Value) -> Value:
    """A document with keys that differ, are gone, are new, and stories of another one among its own."""
    other = draw(documents())
    result: Value = {key: draw(st.sampled_from([value, other[key]])) for key, value in document.items()}
    result |= draw(st.dictionaries(st.sampled_from(["y", "é", "x-more"]), foreign, max_size=2))
    stories = draw(st.permutations([*document["userStories"], *other["userStories"]]))
    result["userStories"] = stories[: draw(st.integers(0, 5))]
    return {key: value for key, value in result.items() if draw(st.booleans())}


@given(files(), st.data())
def test_any_file_becomes_any_value(file: tuple[Value, bytes], data: st.DataObject) -> None:
    document, before = file
    wanted = data.draw(changed(document))
    after = reshaped(before, wanted)
    assert equal(read(after), wanted)
    assert reshaped(after, wanted) == after
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")


@given(documents(), st.data(), st.sampled_from([1, 2, 4, "\t"]))
def test_a_file_as_json_writes_it_stays_one(document: Value, data: st.DataObject, indent: Any) -> None:
    """But for the order of keys. A list that was empty says nothing of how lists are written."""
    assume(document["userStories"] and all(value not in ([], {}) for value in document.values()))
    wanted = data.draw(changed(document))
    before, after = (json.dumps(value, indent=indent, ensure_ascii=False) for value in (document, wanted))
    assert _lines(reshaped(before.encode(), wanted).decode()) == _lines(after)


def _lines(text: str) -> list[str]:
    return sorted(text.replace(",\n", "\n").splitlines())


# --- one change in each kind of formatting ---

LF = """{
  "project": "p",
  "x": [1, 2],
  "userStories": [
    {
      "id": "a",
      "l": [
        "é"
      ]
    }
  ]
}
"""
FORMATS = {
    "as json writes it": LF.encode(),
    "windows": LF.replace("\n", "\r\n").encode(),
    "tabs": LF.replace("  ", "\t").encode(),
    "mark": b"\xef\xbb\xbf" + LF.encode(),
    "no last newline": LF.rstrip().encode(),
    "old line ends": LF.replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_changed_line_changes(name: str) -> None:
    before = FORMATS[name]
    document = read(before)
    document["userStories"][0]["l"] = ["é", "ü"]
    unit = b"\t" if name == "tabs" else b"  "
    end = {"windows": b"\r\n", "old line ends": b"\r"}.get(name, b"\n")
    assert reshaped(before, document) == before.replace(
        "é".encode() + b'"', '"é",'.encode()[1:] + end + unit * 4 + '"ü"'.encode()
    )


def test_a_new_story_is_written_like_its_neighbours() -> None:
    before = FORMATS["windows"]
    document = read(before)
    document["userStories"].append({"id": "b", "l": [], "o": {"k": "v"}})
    added = ',\r\n    {\r\n      "id": "b",\r\n      "l": [],\r\n      "o": {\r\n        "k": "v"\r\n      }\r\n    }'
    assert reshaped(before, document) == before.replace(b"    }\r\n", f"    }}{added}\r\n".encode())
    document = read(before)
    document["userStories"].insert(0, {"id": "b"})
    added = '    {\r\n      "id": "b"\r\n    },\r\n'
    assert reshaped(before, document) == before.replace(
        b'    {\r\n      "id": "a"', f'{added}    {{\r\n      "id": "a"'.encode()
    )


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ('{"a":1}', {"a": 1, "b": [1, {"c": "d"}]}, '{"a":1,"b":[1,{"c":"d"}]}'),
        ('{"a": 1}', {"a": 1, "b": [1, 2]}, '{"a": 1, "b": [1, 2]}'),
        ('{"a":1,"b":2,"c":3}', {"c": 3}, '{"c":3}'),
        ('{"a":1,"b":2,"c":3}', {"a": 1}, '{"a":1}'),
        ('{"a":1,"b":2,"c":3}', {"a": 1, "c": 4}, '{"a":1,"c":4}'),
        ("[1, 2, 3]", [3], "[3]"),
        ("[1, 2, 3]", [0, 2, 3, 4], "[0, 2, 3, 4]"),
        ("[]", [1, [2]], "[\n  1,\n  [\n    2\n  ]\n]"),
        ("{}", {"a": 1}, '{\n  "a": 1\n}'),
        ("[1]", [], "[]"),
        ("1", True, "true"),
        ("[1.0, true]", [1, 1], "[1, 1]"),
        ('{"a": "\\u00e9", "b": 1}', {"a": "\u00e9", "b": "\u00fc"}, '{"a": "\\u00e9", "b": "\\u00fc"}'),
        ('{\n  "a": [1],\n  "b": 1\n}', {"a": [1], "b": [1, 2]}, '{\n  "a": [1],\n  "b": [1, 2]\n}'),
        ('{\n"a": 1\n}', {"a": 1, "b": {"c": 2}}, '{\n"a": 1,\n"b": {\n"c": 2\n}\n}'),
        ('{\n  "a" : 1\n}', {"a": 1, "b": 2}, '{\n  "a" : 1,\n  "b" : 2\n}'),
        ('{ "a"\n: 1\n, "b": 2\n}', {"a": 1, "c": 3, "b": 2}, '{ "a"\n: 1\n, "c": 3\n, "b": 2\n}'),
        ('[{"id": 1, "x": 2}, {"id": 2}]', [{"id": 2, "x": 3}], '[{"id": 2, "x": 3}]'),
        ('[{"id": 1}]', [{"id": 2}], '[{"id": 2}]'),
        ('{"a": ["x", "y"]}', {"a": {"x": 1}}, '{"a": {"x": 1}}'),
    ],
)
def test_changes_of_all_kinds(before: str, value: Any, after: str) -> None:
    assert reshaped(before.encode(), value).decode() == after


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert "\ufffd" in reshaped(b'{"a": 1}', {"a": "\ud800"}).decode()


def test_what_is_no_object_has_no_keys() -> None:
    assert value_in(data_of(prd(story())), "prd.json")["project"] == "Pond"
    with pytest.raises(ProblemsError, match="no JSON object"):
        value_in(b"[]", "prd.json")
