"""`validate` tells what can prove nothing or is likely to fail, with what the machine and the history say."""

import json
import shutil
from pathlib import Path
from typing import Any

from prd_ralph.prdfile import RULES
from tests.cli.refusal import fingerprint, with_env
from tests.support.project import Project, make_project, story

BARE = {"id": "US-001", "title": "Nothing proves it", "passes": False}


def rules(project: Project) -> list[tuple[str, str]]:
    found = json.loads(project("validate", "--json").out)["findings"]
    return [(finding["rule"], finding["pointer"]) for finding in found]


def write(project: Project, *stories: dict[str, Any], **fields: Any) -> None:
    project.prd_path.write_text(json.dumps({"project": "p", **fields, "userStories": stories}, indent=1))


def test_findings_are_told_counted_and_strict_refuses_them(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "make || true", "npx jest --passWithNoTests")])
    before = fingerprint(project.root)
    done = project("validate")
    assert done.code == 0
    told = done.err.splitlines()
    assert told[-1].startswith("prd.json: valid, 1 story, 0 passing, 2 findings")
    assert [line.rsplit(" ", 1)[1] for line in told if line.startswith("warning: ")] == [
        "[masked-status]",
        "[green-without-tests]",
    ]
    assert sum(line.startswith("  hint: ") for line in told) == 2
    assert project("validate", "--strict").code == 1
    assert fingerprint(project.root) == before


def test_a_file_without_findings_counts_none(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a")])
    done = project("validate", "--strict")
    assert (done.code, done.err) == (0, "prd.json: valid, 1 story, 0 passing\n")


def test_every_finding_has_the_name_of_its_rule(tmp_path: Path) -> None:
    project = make_project(tmp_path, [BARE, story("US-002", "nosuch-tool x"), story("US-003", "bin/later")])
    assert rules(project) == [
        ("no-command", "/userStories/0"),
        ("missing-program", "/userStories/1/verificationCommands/0"),
    ]
    assert "no-command" not in RULES  # the one that a run refuses, too


def test_commands_of_the_settings_count(tmp_path: Path) -> None:
    project = make_project(tmp_path, [BARE, story("US-002", "make own")])
    (project.root / "prd-ralph.toml").write_text('verification_commands = ["true"]\n')
    assert rules(project) == [("no-own-command", "/userStories/0")]


def test_without_bash_pipes_are_told_otherwise(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "make | tail")])
    assert [rule for rule, _ in rules(project)] == ["piped-status"]
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "make"):
        (tools / name).symlink_to(str(shutil.which(name) or "/bin/true"))
    assert [rule for rule, _ in rules(with_env(project, PATH=str(tools)))] == ["masked-status"]


def test_ids_that_landed_for_an_earlier_branch(tmp_path: Path) -> None:
    first = make_project(tmp_path, [story("US-001", "test -f a")], branchName="ralph/one")
    assert first.run("--agent-command", "touch a").code == 0
    assert rules(first) == []
    write(first, story("US-001", "test -f b"), story("US-002", "test -f c"), branchName="ralph/two")
    assert rules(first) == [("reused-id", "/userStories/0/id")]
    (told,) = (line for line in first("validate").err.splitlines() if "[reused-id]" in line)
    assert '"US-001" landed on the branch "ralph/one" already' in told
    other = first.root / "other"
    other.mkdir()
    shutil.copy(first.prd_path, other / "prd.json")  # another file's ids are its own
    assert json.loads(first("validate", "other/prd.json", "--json").out)["findings"] == []
    assert rules(with_env(first, PATH=str(tmp_path / "nowhere"))) == []  # and without git nothing is known


def test_outside_of_a_repository_a_file_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text(json.dumps({"project": "p", "userStories": [story("US-001", "a || true")]}))
    assert ("masked-status", "/userStories/0/verificationCommands/0") in rules(Project(tmp_path, {}))
