"""Any valid prd.json, in any formatting that JSON allows."""

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

words = st.text(st.characters(codec="utf-8"), max_size=12)
titles = words.map(lambda text: f"T{text}")
ids = st.text('aZé✓09.-_"\\/ ', max_size=6).map(lambda text: f"US{text}1")
foreign = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -2.5, "", "x", '"passes": false', "é\n"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "passes", "é"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def stories(draw: st.DrawFn, story_id: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": story_id, "title": draw(titles), "passes": draw(st.booleans())}
    optional = {
        "description": words | st.just('"passes": false, '),
        "acceptanceCriteria": st.lists(words, max_size=2),
        "priority": st.integers(-5, 5) | st.floats(-5, 5),
        "notes": words,
        "x-own": foreign,
    }
    for key, values in optional.items():
        if draw(st.booleans()):
            fields[key] = draw(values)
    keys = draw(st.permutations(list(fields)))
    return {key: fields[key] for key in keys}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    unique = draw(st.lists(ids, min_size=1, max_size=4, unique_by=str.casefold))
    found = {"project": draw(words), "x-more": draw(foreign), "userStories": [draw(stories(name)) for name in unique]}
    return {key: found[key] for key in draw(st.permutations(list(found)))}


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], bytes]:
    """A document, and its bytes: any white space, any escapes, line ends, byte order mark or none."""
    document = draw(documents())
    random = draw(st.randoms(use_true_random=False))
    mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return document, mark + _written(document, random, draw(st.sampled_from(["", " ", "\n\t", "\r\n  "]))).encode()


def _written(value: Any, random: Random, space: str) -> str:
    def gap() -> str:
        return space if random.random() < 0.5 else ""

    if isinstance(value, dict):
        members = (f"{_text(k, random)}{gap()}:{gap()}{_written(v, random, space)}" for k, v in value.items())
        return f"{{{gap()}{f'{gap()},{gap()}'.join(members)}{gap()}}}"
    if isinstance(value, list):
        return f"[{gap()}{f'{gap()},{gap()}'.join(_written(item, random, space) for item in value)}{gap()}]"
    return _text(value, random) if isinstance(value, str) else json.dumps(value)


def _text(text: str, random: Random) -> str:
    pieces = (_escaped(c) if random.random() < 0.1 else json.dumps(c, ensure_ascii=False)[1:-1] for c in text)
    return f'"{"".join(pieces)}"'


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
