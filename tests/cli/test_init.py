"""What `init` finds on the machine, and writes down."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file
from prd_ralph.prdfile import parse
from tests.support.programs import program
from tests.support.project import Done, Project, make_project, story

ROOT_SAFE = "--allowedTools"
CODEX = ["--dangerously-bypass-approvals-and-sandbox"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, [story("US-001", "true")])


def init(project: Project, *agents: str, **env: str) -> Done:
    """`init` where these agents are on PATH."""
    folder = project.root.parent / "bin"
    for name in agents:
        program(folder, name)
    return project("init", cwd=None, PATH=f"{folder}:{project.environment()['PATH']}", **env)


def settings(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project("config", "--json").out)["settings"]
    return found


def test_the_only_agent_is_set_with_its_flags(project: Project) -> None:
    done = init(project, "claude", IS_SANDBOX="1")
    assert (done.code, done.out) == (0, "")
    folder = project.root.parent / "bin"
    assert done.err == (
        f"found claude ({folder / 'claude'}): set as the agent, with the flags under [autonomy] in prd-ralph.toml\n"
        "wrote prd-ralph.toml\n"
    )
    found = settings(project)
    assert found["agent"]["value"] == "claude"
    assert found["autonomy.claude"]["value"] == ["--dangerously-skip-permissions"]
    assert found["autonomy.codex"] == {"value": None, "source": "default"}
    text = (project.root / "prd-ralph.toml").read_text()
    comment = text.split("\nclaude = ")[0].splitlines()[-2:]
    assert comment[0].startswith("# The flags that let claude act without asking: with them it runs any command")


def test_of_two_agents_none_is_set(project: Project) -> None:
    done = init(project, "claude", "codex", IS_SANDBOX="1")
    assert "name one as agent in prd-ralph.toml" in done.err
    found = settings(project)
    assert found["agent"] == {"value": None, "source": "default"}
    assert found["autonomy.codex"]["value"] == CODEX
    assert found["autonomy.claude"]["source"].startswith("prd-ralph.toml:")


def test_what_is_recorded_is_what_the_agent_takes_from_this_user(project: Project) -> None:
    """As root claude refuses to skip permissions, unless IS_SANDBOX is exactly 1."""
    init(project, "claude", IS_SANDBOX="yes")
    flags = settings(project)["autonomy.claude"]["value"]
    assert (flags[0] == ROOT_SAFE) is (os.geteuid() == 0)


def test_a_file_that_is_there_is_not_judged(project: Project) -> None:
    (project.root / "prd-ralph.toml").write_text("once = true\n")
    done = project("init", "--templates")
    wrote = "".join(f"wrote .prd-ralph/templates/{name}.md.j2\n" for name in ("prompt", "plan", "review"))
    assert (done.code, done.err) == (0, wrote)


def test_a_prd_to_begin_with(project: Project) -> None:
    """It plans cleanly; one that is there stays as it is."""
    done = project("init", "--prd")
    assert (done.code, done.err.splitlines()[-1]) == (0, "wrote prd.md")
    data = (project.root / "prd.md").read_bytes()
    plan = plan_file("prd.md", data)
    assert (plan.unplaced, plan.warnings) == ((), ())
    assert [(len(story.criteria), len(story.commands), story.depends_on) for story in plan.stories] == [
        (2, 1, ()),
        (2, 1, ("US-001",)),
    ]
    assert len(plan.commands) == 2
    assert parse(json.dumps(prd_json(plan, "prd.md")).encode(), "prd.json", strict=True).warnings == ()
    (project.root / "prd.md").write_text("mine")
    done = project("init", "--prd")
    assert (done.code, "exists already" in done.err) == (2, True)
    assert (project.root / "prd.md").read_text() == "mine"
    assert project("init", "--prd", "--templates").code == 0
    assert (project.root / "prd.md").read_text() == "mine"


def test_an_agent_that_cannot_be_started_is_none(project: Project) -> None:
    folder = project.root.parent / "bin"
    program(folder, "codex", executable=False)
    assert "found none of" in init(project).err
