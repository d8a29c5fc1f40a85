"""The script's format: what is taken, and that all that is wrong is told at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents.scripted.script import load_script
from prd_ralph.assets import asset
from prd_ralph.errors import ExitCode, ProblemsError, RalphError

GOOD_STEPS: list[dict[str, Any]] = [
    {"print": ""},
    {"stderr": "x"},
    {"write": "a/b", "text": "x"},
    {"append": "a/b", "text": ["x", "y"]},
    {"delete": "a"},
    {"patch": "--- a/x\n"},
    {"prd": {"set": {"/userStories/0/passes": True}}},
    {"prd": {"text": "{}"}},
    {"notes": "x"},
    {"progress": "x"},
    {"run": "true"},
    {"commit": "x"},
    {"checkout": "x"},
    {"expect": "x"},
    {"stuck": "no key"},
    {"save-prompt": "x"},
    {"sleep": 0.5},
    {"spawn": "sleep 1", "how": "double-fork"},
    {"bytes": 10},
    {"bytes": 10, "newlines": True},
    {"tool": "Edit"},
    {"cost": 0.02},
    {"cost": 0, "tokens": [1, 2]},
    {"fail": "usage_limit", "reset_in": 3},
    {"exit": 3},
    {"signal": 9},
    {"ignore-signals": True},
]


def write(tmp_path: Path, data: object) -> Path:
    path = tmp_path / "script.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def faults(tmp_path: Path, data: object) -> dict[str | None, str]:
    with pytest.raises(ProblemsError) as caught:
        load_script(write(tmp_path, data))
    assert caught.value.code is ExitCode.BAD_INPUT
    return {problem.pointer: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize("step", GOOD_STEPS, ids=json.dumps)
def test_every_documented_step_is_taken(tmp_path: Path, step: dict[str, Any]) -> None:
    script = load_script(write(tmp_path, {"stories": {"US-1": [[step]]}}))
    assert script.steps("US-1", 1) == [step]


def test_the_demos_script_is_one() -> None:
    assert set(load_script(asset("templates/demo/script.json")).stories) == {f"US-00{n}" for n in range(1, 6)}


def test_the_last_attempt_repeats_and_other_stories_get_the_default(tmp_path: Path) -> None:
    one, two, other = [{"print": "1"}], [{"print": "2"}], [{"print": "3"}]
    script = load_script(write(tmp_path, {"about": "x", "stories": {"a": [one, two]}, "default": other}))
    assert [script.steps("a", n) for n in (1, 2, 3, 99)] == [one, two, two, two]
    assert script.steps("b", 1) == other


def test_a_script_without_a_default_has_no_steps_for_others(tmp_path: Path) -> None:
    assert list(load_script(write(tmp_path, {"stories": {}, "default": []})).steps("b", 1)) == []


BAD_STEPS: list[tuple[Any, str, str]] = [
    ("print", "", "must be an object with one verb"),
    ({}, "", "must have one verb of: print"),
    ({"prnt": "x"}, "", "must have one verb of: print"),
    ({"print": "x", "stderr": "y"}, "", "must have one verb of: print"),
    ({"print": 1}, "/print", "must be a string"),
    ({"print": "x", "how": "&"}, "/how", "unknown key"),
    ({"write": "a"}, "", "`write` needs `text`"),
    ({"write": "", "text": "x"}, "/write", "must be a string that is not empty"),
    ({"write": "a", "text": [1]}, "/text", "must be a string or a list of lines"),
    ({"prd": {"set": {"userStories": 1}}}, "/prd", 'must be {"set"'),
    ({"prd": {"text": "x", "set": {}}}, "/prd", 'must be {"set"'),
    ({"prd": "x"}, "/prd", 'must be {"set"'),
    ({"spawn": "x"}, "", "`spawn` needs `how`"),
    ({"spawn": "x", "how": "nohup"}, "/how", "must be one of &, setsid, double-fork"),
    ({"bytes": -1}, "/bytes", "must be a number of bytes"),
    ({"bytes": 1, "newlines": "no"}, "/newlines", "must be true or false"),
    ({"sleep": True}, "/sleep", "must be a number of seconds"),
    ({"cost": "1"}, "/cost", "must be an amount"),
    ({"cost": 1, "tokens": [1]}, "/tokens", "must be two numbers"),
    ({"fail": "tired"}, "/fail", "must be one of usage_limit"),
    ({"exit": 256}, "/exit", "must be a status"),
    ({"signal": 0}, "/signal", "must be a signal's number"),
    ({"ignore-signals": False}, "/ignore-signals", "must be true"),
]


@pytest.mark.parametrize(("step", "below", "message"), BAD_STEPS, ids=str)
def test_a_bad_step_is_named(tmp_path: Path, step: Any, below: str, message: str) -> None:
    found = faults(tmp_path, {"stories": {"US-1": [[{"print": "x"}, step]]}})
    assert [*found] == [f"/stories/US-1/0/1{below}"]
    assert next(iter(found.values())).startswith(message)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        {"storys": {}, "prd": "", "stories": {"a/b": [], "c": ["x"], "d": [[{"exit": 0}, {"exit": -1}]]}, "default": 1},
    )
    assert [*found] == ["/storys", "/prd", "/default", "/stories/a~1b", "/stories/c/0", "/stories/d/0/1/exit"]


@pytest.mark.parametrize("data", [[], "x", None, {}, {"stories": []}])
def test_what_is_no_script_at_all(tmp_path: Path, data: object) -> None:
    assert len(faults(tmp_path, data)) == 1


@pytest.mark.parametrize("data", [b"", b'{"stories":\n {', b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_not_json(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, data)
    with pytest.raises(RalphError, match="not JSON") as caught:
        load_script(path)
    assert str(path) in str(caught.value.problems[0])


def test_the_line_of_a_syntax_error_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as caught:
        load_script(write(tmp_path, b'{"stories":\n {'))
    assert caught.value.problems[0].line == 2


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(RalphError, match="No such file"):
        load_script(tmp_path / "none.json")
