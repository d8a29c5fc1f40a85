"""`prd-ralph demo`: the main job on the shipped sample, line by line what it promises to show."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from prd_ralph.assets import asset
from tests.support.project import LIMIT_S, Done, Project

TRAILERS = ("Story", "Prd", "Run", "Attempt", "Agent", "Proof", "Check")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    folder = tmp_path_factory.mktemp("demo")
    home = folder / "nobody"
    home.mkdir()
    # A machine on which git knows nobody yet.
    env = {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "EMAIL": ""}
    # The installed program, by a path that leads to it from one folder alone.
    script = os.path.relpath(Path(sys.executable).with_name("prd-ralph"), folder)
    argv = [script, "demo", "--dir", "played"]
    done = subprocess.run(argv, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, timeout=LIMIT_S)
    return Project(folder / "played", env), Done(done.returncode, done.stdout, done.stderr)


def commits(project: Project) -> list[str]:
    return project.git("log", "--reverse", "--format=%H", "--grep=^Prd-Ralph-Story:").splitlines()


def test_every_story_ends_true(demo: tuple[Project, Done]) -> None:
    project, done = demo
    assert done.code == 0, done.err
    sample = json.loads(asset("sample_prd.json").read_bytes())
    assert project.passes() == {story["id"]: True for story in sample["userStories"]}
    assert len(project.passes()) >= 4


def test_each_by_one_commit_with_the_trailers_that_changes_one_line_of_the_prd(demo: tuple[Project, Done]) -> None:
    project, _ = demo
    assert sorted(project.landings()) == sorted(project.passes())
    for commit in commits(project):
        body = project.git("show", "-s", "--format=%B", commit)
        assert all(f"\nPrd-Ralph-{name}: " in body for name in TRAILERS), body
        assert project.git("show", "--numstat", "--format=", commit, "--", "prd.json") == "1\t1\tprd.json"
        assert '+      "passes": true' in project.git("show", "--format=", commit, "--", "prd.json")


def test_one_fails_and_learns_one_lies_and_is_named_one_leaves_something_running(demo: tuple[Project, Done]) -> None:
    project, done = demo
    attempts = json.loads(project("status", "--json").out)["stories"]
    assert sorted(story["attempts"] for story in attempts)[-2:] == [2, 2]
    told = done.err.splitlines()
    (lied,) = (number for number, line in enumerate(told) if "tampered, put back: " in line)
    assert "/passes: false -> true" in told[lied]
    assert any("<promise>COMPLETE</promise>" in line for line in told[lied:])
    assert any("that it left behind" in line for line in told)


def test_nothing_is_left_running(demo: tuple[Project, Done]) -> None:
    project, _ = demo
    left = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cwd")
        if path.exists() and path.resolve().is_relative_to(project.root)
    ]
    assert left == []


def test_it_ends_with_what_to_look_at_and_leaves_a_clean_tree(demo: tuple[Project, Done]) -> None:
    project, done = demo
    assert f"cd {project.root}" in done.err
    assert "--agent-command" in done.err.splitlines()[-1]
    assert project.git("status", "--porcelain") == ""


def test_what_it_says_to_type_can_be_typed(demo: tuple[Project, Done]) -> None:
    project, done = demo
    (line,) = (line for line in done.err.splitlines() if "the counts, as recorded" in line)
    typed = line.removesuffix("the counts, as recorded")
    told = subprocess.run(
        typed, shell=True, cwd=project.root, env=project.environment(), capture_output=True, text=True
    )
    assert told.stdout.startswith("prd.json: 5 stories")


def test_it_plays_in_an_empty_folder_alone(demo: tuple[Project, Done], tmp_path: Path) -> None:
    project, _ = demo
    again = Project(tmp_path, {})("demo", "--dir", str(project.root))
    assert again.code == 2
    assert "is not an empty folder" in again.err
    assert Project(tmp_path, {"PATH": ""})("demo", "--dir", "new").err.startswith("error: git is not on PATH\n")
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").touch()
    assert Project(tmp_path, {})("demo", "--dir", "file/below").code == 3
