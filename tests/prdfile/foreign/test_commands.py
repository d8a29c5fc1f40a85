"""Keys that look like commands: seen, and copied only when that is asked for."""

from typing import Any

import pytest

from prd_ralph.prdfile.foreign.adoption import is_command
from tests.prdfile.foreign.support import made, told

BARE = {"id": 1, "title": "t", "status": "open", "steps": ["a"]}

NAMES = (
    *("command", "commands", "testCommand", "build_commands", "verify", "Verification", "verifications"),
    *("verificationSteps", "VALIDATE", "validation", "validations", "test-steps", "testSteps", "qualityGates"),
    *("quality_gates", "gates", "check", "checks", "test", "tests", "grader", "verificationCommand"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_looks_like_commands(name: str) -> None:
    value = {
        name: "x",
        "a": {name: ["x"]},
        "b": {"c": {name: "x"}},
        "items": [{**BARE, name: ["x"], "d": {name: {"e": 1}}}],
    }
    assert set(told(value)["commands_seen"]) == {
        f"/{name}",
        f"/a/{name}",
        f"/items/*/{name}",
        f"/items/*/d/{name}",
    }


@pytest.mark.parametrize("name", ["tested", "checklist", "commander", "verifier", "gate", "validator", "testing"])
def test_another_name(name: str) -> None:
    assert told({name: "x", "items": [{**BARE, name: "x"}]})["commands_seen"] == []


@pytest.mark.parametrize("value", [True, False, None, "", " ", [], {}])
def test_nothing_that_could_be_one(value: Any) -> None:
    assert told({"verify": value, "items": [{**BARE, "verify": value}]})["commands_seen"] == []


def test_what_is_ours_and_what_only_has_our_name() -> None:
    value = {"verificationCommands": ["make"], "a": {"verificationCommands": ["make"]}, "items": [BARE]}
    assert told(value)["commands_seen"] == ["/a/verificationCommands"]


def test_what_is_in_use_as_criteria_is_none() -> None:
    bare = {"id": 1, "title": "t", "status": "open"}
    assert told([{**bare, "tests": ["a"]}, {**bare, "id": 2, "steps": ["a"]}])["commands_seen"] == []
    assert told([{**bare, "tests": ["a"], "steps": ["b"]}])["commands_seen"] == ["/*/tests"]
    assertions = {"assertions": ["a"], "command": "pytest"}
    assert told([{**bare, "test": assertions}])["commands_seen"] == ["/*/test/command"]
    assert told([{**bare, "test": assertions, "steps": ["a"]}])["commands_seen"] == ["/*/test", "/*/test/command"]


def test_where_the_stories_are_is_looked_at_once() -> None:
    assert told({"stories": {"test": {k: v for k, v in BARE.items() if k != "id"}}})["commands_seen"] == []
    value = {"prd": {"verify": "make", "items": [{**BARE, "verify": "make"}]}, "phases": [{"verify": "make"}]}
    assert told(value)["commands_seen"] == ["/prd/verify", "/prd/items/*/verify"]


@pytest.mark.parametrize(
    ("key", "text", "fits"),
    [
        ("verify", "npm run check", True),
        ("verify", "CI=1 npx vitest run", True),
        ("verify", "./scripts/check.sh --all", True),
        ("verify", "python3 -m pytest -q", True),
        ("verify", "inline", False),
        ("verify", "test", False),
        ("verify", "make sure that it works", False),
        ("verify", "go to the page", False),
        ("checks", "No road is missing", False),
        ("tests", "Check the log.", False),
        ("verify", "npm test (slow)", False),
        ("verify", "npm test\nnpm run e2e", False),
        ("verify", " ", False),
        ("verifyCommand", "rm -rf build && make", True),
        ("test_commands", "our-own-tool --all", True),
        ("testCommand", "Run the tests", False),
        ("testCommand", "see that the tests pass", False),
        ("startCommand", "npm start", False),
        ("dev_command", "npm run dev", False),
        ("install-commands", "npm ci", False),
        ("verify", "npm start", False),
        ("testCommand", "npm start", False),
        ("verify", "CI=1 npm publish", False),
        ("verify", "make deploy", False),
        ("verify", "npm test && git push", False),
        ("verify", "curl -s x | sh", False),
        ("verify", "docker compose up", False),
        ("verify", "npm ci && npm test", True),
        ("verify", "npm run start-check", True),
        ("verify", "git diff --exit-code", True),
    ],
)
def test_what_plainly_is_a_command(key: str, text: str, fits: bool) -> None:
    assert is_command(text, key) is fits


def test_commands_are_copied_only_when_asked_for() -> None:
    value = {
        "verificationCommands": ["make lint"],
        "testCommand": ["dune", "test"],
        "checks": [{"name": "lint", "run": "make lint"}, {"name": "none"}, "make types", 5],
        "quality": {"gates": {"unit": "pytest -q", "all": ["tox"], "deep": {"x": "tox -e x"}}},
        "items": [
            {**BARE, "verify": "pytest -q a", "test": {"command": "pytest b", "kind": "unit"}},
            {**BARE, "id": 2, "verify": ["prose", "pytest -q c"], "verificationCommands": [{"run": "pytest -q c"}]},
        ],
    }
    plain = made(value)
    assert plain["verificationCommands"] == ["make lint"]
    assert [story.get("verificationCommands") for story in plain["userStories"]] == [None, [{"run": "pytest -q c"}]]
    adopted = made(value, adopt=True)
    assert adopted["verificationCommands"] == ["make lint", ["dune", "test"], "make types", "pytest -q", "tox"]
    assert [story["verificationCommands"] for story in adopted["userStories"]] == [
        ["pytest -q a", "pytest b"],
        [{"run": "pytest -q c"}, "pytest -q c"],
    ]
    assert adopted["checks"] == value["checks"]
