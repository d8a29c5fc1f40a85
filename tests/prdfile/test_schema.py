"""The published schema, and its errors in words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from prd_ralph.assets import asset
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.keys import COMMAND_KEYS, STORY_KEYS, TOP_KEYS
from tests.prdfile.support import data_of, only_problem, prd, problems_of, story

SCHEMA: dict[str, Any] = json.loads(asset("schemas/prd.schema.json").read_text(encoding="utf-8"))


def _properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key == "properties":
            yield from value.items()
        yield from _properties(value)


def test_it_is_a_schema_that_an_editor_can_use_anywhere() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in SCHEMA
    assert "oneOf" not in json.dumps(SCHEMA)


def test_every_field_is_described() -> None:
    found = [*_properties(SCHEMA), *SCHEMA["$defs"].items()]
    assert len(found) > 35
    assert [name for name, schema in found if not str(schema.get("description", "")).endswith(".")] == []


def test_code_and_schema_know_the_same_keys() -> None:
    definitions = SCHEMA["$defs"]
    assert {*TOP_KEYS, "$schema"} == set(SCHEMA["properties"])
    assert set(STORY_KEYS) == set(definitions["story"]["properties"])
    assert set(COMMAND_KEYS) == set(definitions["options"]["properties"])


# name: (the story's fields, pointer, a word of the message)
STORIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "passes as text": ({"passes": "false"}, "/passes", 'passes must be true or false, not the text "false"'),
    "passes as number": ({"passes": 0}, "/passes", "passes must be true or false, not 0"),
    "passes as null": ({"passes": None}, "/passes", "passes must be true or false, not null"),
    "passes as list": ({"passes": []}, "/passes", "not a list"),
    "description null": ({"description": None}, "/description", "description must be a text, not null"),
    "notes null": ({"notes": None}, "/notes", "notes must be a text"),
    "title null": ({"title": None}, "/title", "title must be a text"),
    "title blank": ({"title": " "}, "/title", "title must not be blank"),
    "priority as word": ({"priority": "high"}, "/priority", 'priority must be a number, not the text "high"'),
    "priority as flag": ({"priority": True}, "/priority", "priority must be a number, not true"),
    "id as flag": ({"id": True}, "/id", "id must be a text or a whole number, not true"),
    "id as fraction": ({"id": 1.5}, "/id", "id must be a text or a whole number, not 1.5"),
    "id empty": ({"id": ""}, "/id", "id must not be blank"),
    "id too long": ({"id": "x" * 201}, "/id", "id must have at most 200 characters, not 201"),
    "criteria as text": ({"acceptanceCriteria": "a"}, "/acceptanceCriteria", "must be a list"),
    "criterion as object": ({"acceptanceCriteria": ["a", {}]}, "/acceptanceCriteria/1", "a criterion must be a text"),
    "dependsOn as text": ({"dependsOn": "US-2"}, "/dependsOn", "dependsOn must be a list"),
    "dependsOn of numbers": ({"dependsOn": [2]}, "/dependsOn/0", "a dependency must be a text, not 2"),
    "skip as text": ({"skip": "yes"}, "/skip", "skip must be true or false"),
    "supersedes as text": ({"supersedes": "a"}, "/supersedes", "must be a list"),
    "agent as list": ({"agent": ["a"]}, "/agent", "agent must be a text"),
}
# name: (commands, pointer below the key, a word of the message)
COMMANDS: dict[str, tuple[Any, str, str]] = {
    "null": (None, "", "verificationCommands must be a list, not null"),
    "text": ("make", "", 'verificationCommands must be a list, not the text "make"'),
    "none": ([], "", "verificationCommands must not be an empty list"),
    "empty": ([""], "/0", "a command must not be blank"),
    "blank": (["make", " \t"], "/1", "a command must not be blank"),
    "null in it": ([None], "/0", "a command must be a text or a list or an object, not null"),
    "number": ([1], "/0", "a command must be a text"),
    "no words": ([[]], "/0", "a command must not be an empty list"),
    "number as word": ([["a", 1]], "/0/1", "an argument must be a text"),
    "blank program": ([[" ", "a"]], "/0/0", "the program's name must not be blank"),
    "no run": ([{"name": "a"}], "/0", "'run' is missing"),
    "blank run": ([{"run": ""}], "/0/run", "run must not be blank"),
    "null run": ([{"run": None}], "/0/run", "run must be a text or a list"),
    "no words in run": ([{"run": []}], "/0/run", "run must not be an empty list"),
    "blank program in run": ([{"run": [""]}], "/0/run/0", "the program's name must not be blank"),
    "unknown key": ([{"run": "a", "shell": True}], "/0/shell", 'unknown key "shell" in a command'),
    "misspelt key": ([{"run": "a", "timeOut": 3}], "/0/timeOut", 'unknown key "timeOut"'),
    "timeout 0": ([{"run": "a", "timeout": 0}], "/0/timeout", "timeout must be more than 0, not 0"),
    "timeout text": ([{"run": "a", "timeout": "5m"}], "/0/timeout", "timeout must be a number"),
    "timeout endless": ([{"run": "a", "timeout": 10**400}], "/0/timeout", "timeout must be at most"),
    "retries": ([{"run": "a", "retries": -1}], "/0/retries", "retries must be 0 or more, not -1"),
    "retries for ever": ([{"run": "a", "retries": 1_000_000_000}], "/0/retries", "retries must be at most 10, not"),
    "retries fraction": ([{"run": "a", "retries": 1.5}], "/0/retries", "retries must be a whole number"),
    "when": ([{"run": "a", "when": "never"}], "/0/when", 'when must be "always" or "land", not "never"'),
    "env of numbers": ([{"run": "a", "env": {"CI": 1}}], "/0/env/CI", "CI must be a text, not 1"),
    "env null": ([{"run": "a", "env": None}], "/0/env", "env must be an object"),
    "cwd blank": ([{"run": "a", "cwd": " "}], "/0/cwd", "cwd must not be blank"),
    "minTests": ([{"run": "a", "minTests": "3"}], "/0/minTests", "minTests must be a whole number"),
    "parallel": ([{"run": "a", "parallel": 1}], "/0/parallel", "parallel must be true or false"),
    "name blank": ([{"run": "a", "name": ""}], "/0/name", "name must not be blank"),
}
TOPS: dict[str, tuple[Any, str, str]] = {
    "no project": ({"userStories": [story()]}, "", "'project' is missing"),
    "project as number": ({"project": 1, "userStories": [story()]}, "/project", "project must be a text"),
    "stories null": ({"project": "a", "userStories": None}, "/userStories", "userStories must be a list, not null"),
    "stories by id": ({"project": "a", "userStories": {"a": story()}}, "/userStories", "must be a list, not an object"),
    "no stories": ({"project": "a", "userStories": []}, "/userStories", "userStories has no stories in it"),
    "a text as story": (prd("Do it"), "/userStories/0", 'a story must be an object, not the text "Do it"'),
    "branch null": (prd(branchName=None), "/branchName", "branchName must be a text, not null"),
    "source": (prd(source=[]), "/source", "source must be an object or a text, not a list"),
    "source path": (prd(source={"path": ""}), "/source/path", "path must not be blank"),
    "setup": (prd(setup="npm ci"), "/setup", "setup must be a list"),
    "setup blank": (prd(setup=[""]), "/setup/0", "a command must not be blank"),
    "protect": (prd(protect="all"), "/protect", 'protect must be "auto" or a list, not "all"'),
    "protect blank": (prd(protect=[" "]), "/protect/0", "a pattern must not be blank"),
    "schema": (prd(**{"$schema": 1}), "/$schema", "$schema must be a text"),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_wrong_story(name: str) -> None:
    fields, pointer, message = STORIES[name]
    problem = only_problem(prd(story("a"), {**story("b"), **fields}))
    assert problem.pointer == f"/userStories/1{pointer}"
    assert message in problem.message
    assert problem.line is not None
    assert problem.line >= 9


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_command_of_a_story_names_the_story(name: str) -> None:
    commands, pointer, message = COMMANDS[name]
    problem = only_problem(prd(story("US-7", verificationCommands=commands)))
    assert (problem.pointer, problem.story) == (f"/userStories/0/verificationCommands{pointer}", "US-7")
    assert message in problem.message


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_command_of_the_file(name: str) -> None:
    commands, pointer, message = COMMANDS[name]
    problem = only_problem(prd(verificationCommands=commands))
    assert (problem.pointer, problem.story) == (f"/verificationCommands{pointer}", "")
    assert message in problem.message


@pytest.mark.parametrize("name", TOPS)
def test_a_wrong_file(name: str) -> None:
    value, pointer, message = TOPS[name]
    problem = only_problem(value)
    assert problem.pointer == pointer
    assert message in problem.message


@pytest.mark.parametrize("key", ["id", "title", "passes"])
def test_a_missing_key_is_told_at_the_story(key: str) -> None:
    value = story()
    del value[key]
    problem = only_problem(prd(story("other"), value))
    assert (problem.pointer, problem.message) == ("/userStories/1", f"{key!r} is missing")
    assert "prd-ralph import prd.json" in problem.hint


def test_the_key_that_others_call_so_is_ours() -> None:
    hints = [problem.hint for problem in problems_of(prd({**story(), "verificationCommands": [{"cmd": "make"}]}))]
    assert "did you mean 'run'?" in hints
    both = only_problem(prd({**story(), "verificationCommands": [{"run": "make", "command": "x"}]}))
    assert "'run'?" not in both.hint


def test_what_to_do_about_no_stories() -> None:
    assert "at least one story" in only_problem({"project": "Pond", "userStories": []}).hint


def test_what_to_do_about_protect() -> None:
    assert only_problem(prd(protect="tests/**")).hint == '"auto", or a list: ["tests/acceptance/**"]'


def test_a_misspelt_required_key_is_recognised() -> None:
    value = story()
    value["pases"] = value.pop("passes")
    missing, unknown = problems_of(prd(value))
    assert missing.hint.startswith("is 'pases' meant to be 'passes'?")
    assert unknown.pointer == "/userStories/0/pases"


def test_everything_wrong_is_told_in_one_go_in_the_files_order() -> None:
    value = prd(
        story("a", passes="no", priority="high", description=None),
        story("A", dependsOn=["zz"], verificationCommands=[""]),
        {"title": "x"},
        branchName="../..",
    )
    pointers = [problem.pointer for problem in problems_of(value)]
    assert pointers == [
        "/branchName",
        "/userStories/0/passes",
        "/userStories/0/priority",
        "/userStories/0/description",
        "/userStories/1/id",
        "/userStories/1/dependsOn/0",
        "/userStories/1/verificationCommands/0",
        "/userStories/2",
        "/userStories/2",
    ]


def test_import_is_named_once() -> None:
    value = {"id": "a", "name": "x", "status": "done"}
    problems = problems_of(prd(value, {**value, "id": "b"}))
    assert sum("prd-ralph import" in problem.hint for problem in problems) == 1


def test_a_message_stays_on_one_line() -> None:
    value = prd({**story(), "passes": "a\nb\x1b[31m", "x\ny": 1, "dependsOn": ["no\nne"]})
    assert all(str(problem).count("\n") == 1 for problem in problems_of(value))
    assert all("\x1b" not in str(problem) for problem in problems_of(value))


def test_every_option_arrives() -> None:
    options = {
        "name": "api",
        "run": ["pytest", "-q", ""],
        "cwd": "api/sub",
        "timeout": 600,
        "env": {"CI": "1", "A": ""},
        "retries": 2,
        "when": "land",
        "minTests": 3,
        "parallel": True,
    }
    commands = ["make", ["a", "b"], options]
    value = prd(
        story(7, verificationCommands=commands, agent="codex", model="m/1:x", notes="n", skip=True),
        story("b", dependsOn=["7"], supersedes=["7"], priority=0.5, description="d", acceptanceCriteria=["c"]),
        name="other",
        branchName="ralph/x",
        baseBranch="main",
        description="all",
        source={"path": "tasks/prd.md", "sha256": "0", "stories": {"b": "1"}},
        setup=["npm ci"],
        verificationCommands=[{"run": "x"}],
        protect=["tests/**"],
    )
    line = data_of(value)[: data_of(value).index(b'"id": "b"')].count(b"\n")
    found = parse(data_of(value), "prd.json").prd
    assert (found.project, found.description, found.branch, found.base_branch) == ("Pond", "all", "ralph/x", "main")
    assert (found.source, found.protect) == ("tasks/prd.md", ("tests/**",))
    assert ([check.run for check in found.setup], [check.run for check in found.checks]) == (["npm ci"], ["x"])
    first, second = found.stories
    assert (first.id, first.agent, first.model, first.notes, first.skip) == ("7", "codex", "m/1:x", "n", True)
    assert (second.depends_on, second.supersedes, second.priority) == (("7",), ("7",), 0.5)
    assert (second.description, second.criteria, second.line) == ("d", ("c",), line)
    check = first.checks[2]
    assert [other.run for other in first.checks] == ["make", ("a", "b"), ("pytest", "-q", "")]
    assert (check.name, check.cwd, check.timeout_s, check.retries, check.when) == ("api", "api/sub", 600.0, 2, "land")
    assert (check.env, check.min_tests, check.parallel) == ((("CI", "1"), ("A", "")), 3, True)


def test_name_serves_for_project_and_auto_protects() -> None:
    found = parse(data_of({"name": "Pond", "protect": "auto", "userStories": [story()]}), "prd.json").prd
    assert (found.project, found.protect, found.branch, found.source) == ("Pond", "auto", None, None)
