"""What must hold beyond the schema."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import Check
from prd_ralph.prdfile import open_without_commands, parse
from prd_ralph.prdfile.names import branch_fault
from tests.prdfile.support import data_of, only_problem, prd, problems_of, story


def _commands(**options: Any) -> dict[str, Any]:
    return prd(verificationCommands=[{"run": "make", **options}])


@pytest.mark.parametrize(("first", "second"), [("US-1", "US-1"), ("US-1", "us-1"), (1, "1"), ("straße", "STRASSE")])
def test_ids_are_unique_whatever_the_case(first: object, second: object) -> None:
    problem = only_problem(prd(story(first), story(second)))
    assert problem.pointer == "/userStories/1/id"
    assert "in line 5" in problem.message
    assert problem.line == 10


@pytest.mark.parametrize("bad", ["a\nb", "a\0", " a", "a\t", "a\u2028b", "\ud800", "\x7f"])
def test_ids_that_nobody_could_type(bad: str) -> None:
    data = data_of(prd(story("@"))).replace(b'"@"', json.dumps(bad).encode())
    assert only_problem(data).pointer == "/userStories/0/id"


def test_an_id_of_too_many_digits() -> None:
    assert "1 to 200 characters" in only_problem(prd(story(10**200))).message


@pytest.mark.parametrize("good", ["a b", "../..", "-x", "US/1", "修复", "a'b\"c", "x" * 200, "$(touch x)"])
def test_ids_that_are_no_names_of_refs_are_fine(good: str) -> None:
    assert parse(data_of(prd(story(good))), "prd.json").prd.stories[0].id == good


def test_whole_numbers_become_texts() -> None:
    found = parse(data_of(prd(story(1), story("1.10"), story(2.0))), "prd.json").prd
    assert [item.id for item in found.stories] == ["1", "1.10", "2"]


def test_an_unknown_dependency_gets_a_suggestion() -> None:
    problem = only_problem(prd(story("US-001"), story("US-002", dependsOn=["US-01x", "US-001"])))
    assert problem.pointer == "/userStories/1/dependsOn/0"
    assert 'no story "US-01x"' in problem.message
    assert problem.hint == 'did you mean "US-001"?'


def test_an_unknown_superseded_story() -> None:
    assert only_problem(prd(story(supersedes=["no such"]))).hint == "name the id of a story in this file"


@pytest.mark.parametrize("loose", ["us-001", "US-1", "us001", "US-0001"])
def test_a_loosely_written_dependency_is_read_with_a_warning(loose: str) -> None:
    value = prd(story("US-001"), story("US-010"), story("b", dependsOn=[loose]))
    document = parse(data_of(value), "prd.json")
    assert document.prd.stories[2].depends_on == ("US-001",)
    (warning,) = document.warnings
    assert warning.pointer == "/userStories/2/dependsOn/0"
    assert [problem.pointer for problem in problems_of(value, strict=True)] == [warning.pointer]


def test_a_loose_dependency_that_could_be_two_is_unknown() -> None:
    assert "no story" in only_problem(prd(story("US-01"), story("US-1"), story("b", dependsOn=["US-001"]))).message


def test_a_story_does_not_wait_for_itself() -> None:
    assert "names itself in dependsOn" in only_problem(prd(story("a", dependsOn=["a"]))).message


def test_each_circle_is_told_as_a_path() -> None:
    value = prd(
        story("a", dependsOn=["c"]),
        story("b", dependsOn=["a"]),
        story("c", dependsOn=["b", "d"]),
        story("d"),
        story("e", dependsOn=["f", "a"]),
        story("f", dependsOn=["e"]),
    )
    first, second = problems_of(value)
    assert (first.pointer, first.message) == ("/userStories/0/dependsOn", "stories wait for each other: a → c → b → a")
    assert (second.pointer, second.message) == ("/userStories/4/dependsOn", "stories wait for each other: e → f → e")


def test_a_long_chain_is_no_circle() -> None:
    chain = [story(f"s{number}", dependsOn=[f"s{number + 1}"] if number < 1999 else []) for number in range(2000)]
    assert len(parse(data_of(prd(*chain)), "prd.json").prd.stories) == 2000


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=2), min_size=1))
def test_a_file_is_refused_exactly_when_its_stories_can_not_be_put_in_order(graph: dict[str, list[str]]) -> None:
    def ordered() -> bool:
        left = {name: {other for other in others if other in graph} for name, others in graph.items()}
        while ready := [name for name, waits in left.items() if not waits & left.keys()]:
            for name in ready:
                del left[name]
        return not left

    known = {name: [other for other in others if other in graph] for name, others in graph.items()}
    data = data_of(prd(*(story(name, dependsOn=others) for name, others in known.items())))
    if ordered():
        assert len(parse(data, "prd.json").prd.stories) == len(graph)
    else:
        assert problems_of(data)


@pytest.mark.parametrize("cwd", ["..", "../..", "a/../../b", "/etc", "/", "api/../../x"])
@pytest.mark.parametrize("rooted", [True, False])
def test_a_folder_outside_the_project(cwd: str, rooted: bool, tmp_path: Path) -> None:
    problem = only_problem(_commands(cwd=cwd), tmp_path if rooted else None)
    assert problem.pointer == "/verificationCommands/0/cwd"


def test_a_link_that_leads_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "circle").symlink_to("circle")
    (root / "in").symlink_to("sub")
    assert "by a link" in only_problem(_commands(cwd="out/x"), root).message
    assert parse(data_of(_commands(cwd="circle")), "prd.json", root)
    assert parse(data_of(_commands(cwd="in")), "prd.json", root).prd.checks[0].cwd == "in"


def test_a_root_that_is_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert parse(data_of(_commands(cwd="sub")), "prd.json", tmp_path / "link").prd.checks[0].cwd == "sub"


@pytest.mark.parametrize("cwd", [".", "api", "./api/..", "not/there/yet", "..api"])
def test_folders_inside_need_not_exist(cwd: str, tmp_path: Path) -> None:
    assert parse(data_of(_commands(cwd=cwd)), "prd.json", tmp_path).prd.checks[0].cwd == cwd


def test_an_absolute_folder_inside_becomes_relative(tmp_path: Path) -> None:
    assert parse(data_of(_commands(cwd=str(tmp_path / "a"))), "prd.json", tmp_path).prd.checks[0].cwd == "a"


def test_what_no_program_can_be_given() -> None:
    assert only_problem(prd(verificationCommands=["a\0b"])).pointer == "/verificationCommands/0"
    assert only_problem(prd(setup=[["a", "\0"]])).pointer == "/setup/0"
    assert only_problem(_commands(run="a\0b")).pointer == "/verificationCommands/0/run"
    assert only_problem(_commands(cwd="a\0b")).pointer == "/verificationCommands/0/cwd"
    assert only_problem(_commands(env={"A=B": "1"})).pointer == "/verificationCommands/0/env/A=B"
    assert only_problem(_commands(env={"A": "\0"})).pointer == "/verificationCommands/0/env/A"
    assert "set by prd-ralph" in only_problem(_commands(env={"PRD_RALPH_ATTEMPT": "1"})).message


def test_paths_of_the_file_stay_inside() -> None:
    assert only_problem(prd(source={"path": "../x.md"})).pointer == "/source/path"
    assert only_problem(prd(source={"path": "a\0"})).pointer == "/source/path"
    assert only_problem(prd(protect=["a/**", "../tests"])).pointer == "/protect/1"


BRANCHES = [
    *("ralph/x", "a", "feature/US-1.2", "ünïcode", "a@b", "x.locks", "a-", "a{b}", "HEADER", "a/HEAD"),
    *("x; touch pwned", "--upload-pack=x", "-x", "../..", "a..b", "a b", "a\tb", "a\nb", "a~1", "a^", "a:b"),
    *("a?", "a*", "a[b", "a\\b", ".a", "a/.b", "a.lock", "a.lock/b", "a/", "/a", "a//b", "a.", "a@{b"),
    *("", "HEAD", "\x7f"),
]


@pytest.mark.parametrize("name", BRANCHES)
def test_a_branch_is_accepted_as_git_accepts_it(name: str) -> None:
    asked = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)
    assert (branch_fault(name) is None) == (asked.returncode == 0)
    if branch_fault(name):
        assert only_problem(prd(branchName=name)).pointer == "/branchName"
        assert only_problem(prd(baseBranch=name)).pointer == "/baseBranch"
    else:
        assert parse(data_of(prd(branchName=name)), "prd.json").prd.branch == name


def test_what_git_takes_for_head_is_no_branch() -> None:
    assert only_problem(prd(branchName="@")).pointer == "/branchName"


@pytest.mark.parametrize("key", ["agent", "model"])
@pytest.mark.parametrize("name", ["-x", "a b", "", " ", "a\nb", "a\0", "--flag"])
def test_agent_and_model_are_one_plain_word(key: str, name: str) -> None:
    assert only_problem(prd(story(**{key: name}))).pointer == f"/userStories/0/{key}"


@pytest.mark.parametrize("status", ["blocked", "on hold", "On-Hold", "SKIPPED", "deferred"])
def test_a_status_that_would_hold_is_not_silently_ignored(status: str) -> None:
    problem = only_problem(prd(story(status=status)))
    assert problem.pointer == "/userStories/0/status"
    assert '"skip": true' in problem.hint


@pytest.mark.parametrize("fields", [{"status": "open"}, {"status": "blocked", "passes": True}, {"status": 3}])
def test_other_statuses_are_nothing_to_us(fields: dict[str, Any]) -> None:
    assert not parse(data_of(prd(story(**fields))), "prd.json").prd.stories[0].skip


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({"skip": True}, True),
        ({"blocked": True, "status": "blocked"}, True),
        ({"skip": False}, False),
        ({"blocked": "yes"}, False),
        ({"skip": True, "passes": True}, False),
    ],
)
def test_what_holds_a_story(fields: dict[str, Any], held: bool) -> None:
    assert parse(data_of(prd(story(**fields))), "prd.json").prd.stories[0].skip is held


def test_half_a_surrogate_pair_in_prose_is_replaced() -> None:
    data = data_of(prd(story(notes="@"))).replace(b'"@"', b'"a\\ud800"')
    assert parse(data, "prd.json").prd.stories[0].notes == "a\ufffd"


def test_open_stories_without_commands_are_named() -> None:
    value = prd(story("a"), story("b", passes=True), story("c", skip=True), story("d", verificationCommands=["x"]))
    found = parse(data_of(value), "prd.json").prd
    (problem,) = open_without_commands(found, (), "prd.json")
    assert (problem.story, problem.line, problem.pointer) == ("a", 4, "/userStories/0")
    assert all(word in problem.hint for word in ("--check CMD", "verification_commands", '"skip": true'))
    assert open_without_commands(found, iter([Check("make")]), "prd.json") == []


def test_the_files_commands_serve_every_story() -> None:
    found = parse(data_of(prd(story("a"), story("b"), verificationCommands=["make"])), "prd.json").prd
    assert open_without_commands(found, (), "prd.json") == []
