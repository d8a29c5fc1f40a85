"""What versions of task files claim, and where task files are looked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile.foreign.claimed import claims_of, known_by
from prd_ralph.prdfile.foreign.importing import imported
from prd_ralph.prdfile.foreign.search import task_files
from tests.prdfile.support import FIXTURES, data_of

FILES = sorted(path for path in FIXTURES.glob("*.json") if "expected" not in path.name)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_a_version_claims_what_reading_it_says(file: Path) -> None:
    data = file.read_bytes()
    try:
        stories = imported(data, file.name).reading.stories
    except ProblemsError:
        claims_of(data)  # whatever it says, it says it
        return
    assert claims_of(data) == {known_by(story.entry): story.claim.passes for story in stories}
    assert len({known_by(story.entry) for story in stories}) == len(stories)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["userStories", "tasks", "id", "title", "passes", "status", "prd", "phases", "done", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_no_file_is_too_odd(value: Any) -> None:
    found = claims_of(json.dumps(value).encode())
    assert found is None or all(isinstance(claimed, bool) for claimed in found.values())


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1", b" " * (5 << 20)])
def test_what_is_no_task_file_claims_nothing(data: bytes) -> None:
    assert claims_of(data) is None


def test_a_story_without_an_id_is_known_by_its_name() -> None:
    first = data_of({"tasks": [{"title": "Read", "done": True}, {"name": "Pack", "status": "todo"}]})
    second = data_of({"tasks": [{"title": "New", "done": False}, {"title": "Read", "done": True}]})
    assert claims_of(first) == {"Read": True, "Pack": False}
    assert claims_of(second) == {"New": False, "Read": True}
    assert claims_of(data_of({"tasks": {"T-1": {"title": "a", "passes": "no"}}})) == {"T-1": False}


def test_task_files_are_found_where_tools_leave_them(tmp_path: Path) -> None:
    tasks = json.dumps({"tasks": [{"title": "Read", "done": True}]})
    for path, text in {
        "package.json": '{"name": "x", "tasks": ["lint"]}',
        "broken.json": "{",
        ".taskmaster/tasks/tasks.json": tasks,
        "docs/features.json": tasks,
        "elsewhere/tasks.json": tasks,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to("docs/features.json")
    (tmp_path / "huge.json").write_bytes(b" " * (5 << 20))
    assert [path.relative_to(tmp_path).as_posix() for path in task_files(tmp_path)] == [
        ".taskmaster/tasks/tasks.json",
        "docs/features.json",
    ]
