"""What the file remembers of its last reading never shows: loading tells what the bytes on disk say."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile, edit, parse
from tests.prdfile.support import data_of, prd, story

IDS = ("US-1", "US-2", "US-3")
STEPS = (
    "load",
    "load strictly",
    "flip",
    "flip back",
    "work out a flip",
    "undo a flip",
    "notes",
    "edit",
    "skip",
    "break",
)
fields = st.fixed_dictionaries(
    {"passes": st.booleans()},
    optional={
        "skip": st.booleans(),
        "notes": st.text("a", max_size=2),
        "note": st.just("a warning"),
        "dependsOn": st.sampled_from([["us1"], ["US-1"]]),
    },
)
tables = st.tuples(st.just({"passes": False}), fields, fields)


@given(tables, st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(IDS)), max_size=8))
def test_whatever_was_done_to_it_loading_tells_what_the_bytes_say(
    table: tuple[dict[str, object], ...], steps: list[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        path = root / "prd.json"
        path.write_bytes(data_of(prd(*map(lambda name, more: story(name, **more), IDS, table))))
        file = JsonPrdFile(path, root)
        for step, story_id in steps:
            _take(step, file, story_id)
            assert _told(file.load, True) == _told(parse, path.read_bytes(), "prd.json", root, True), step
            assert _told(file.load) == _told(parse, path.read_bytes(), "prd.json", root), step


def _told(read: Callable[..., PrdDocument], *args: object) -> PrdDocument | tuple[Problem, ...]:
    try:
        return read(*args)
    except ProblemsError as error:
        return error.problems


def _take(step: str, file: JsonPrdFile, story_id: str) -> None:
    before = file.path.read_bytes()
    match step:
        case "load" | "load strictly":
            _told(file.load, step == "load strictly")
        case "flip" | "flip back":
            file.write(file.flipped(before, story_id, step == "flip"), before)
        case "work out a flip":
            file.flipped(before, story_id, True)
        case "undo a flip":
            file.write(edit.flipped(file.flipped(before, story_id, True), story_id, False), before)
        case "notes":
            file.write(edit.with_notes(before, story_id, "other"), before)
        case "edit":
            file.path.write_bytes(before.replace(b"Do it", b"Do that", 1))
        case "skip":
            file.path.write_bytes(before.replace(b'"passes"', b'"skip": true, "passes"', 1))
        case _:
            file.path.write_bytes(before.replace(b'"title"', b'"titel"', 1))
