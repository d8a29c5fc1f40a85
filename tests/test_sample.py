"""The sample PRD and the demo's script belong together: each story is red before its steps and green after."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents.scripted.adapter import ScriptedAgent
from prd_ralph.assets import asset
from prd_ralph.model import AgentResult
from prd_ralph.ports import AgentRequest
from tests.conftest import Repo
from tests.support.plain import PlainProcesses

SAMPLE: dict[str, Any] = json.loads(asset("sample_prd.json").read_bytes())
SCRIPT: dict[str, Any] = json.loads(asset("templates/demo/script.json").read_bytes())
STORIES: dict[str, dict[str, Any]] = {story["id"]: story for story in SAMPLE["userStories"]}


@pytest.fixture
def root(make_repo: Repo) -> Path:
    """A repository as the demo makes it."""
    root = make_repo({"README.md": ""})
    shutil.copytree(asset("templates/demo/start"), root, dirs_exist_ok=True)
    shutil.copy(asset("sample_prd.json"), root / "prd.json")
    return root


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The demo's script without what its agents leave running: nobody would end it here."""
    tame = {
        story: [[step for step in steps if "spawn" not in step] for steps in attempts]
        for story, attempts in SCRIPT["stories"].items()
    }
    path = tmp_path / "script.json"
    path.write_text(json.dumps({**SCRIPT, "stories": tame}))
    return path


def play(root: Path, script: Path, story: str, attempt: int, prompt: str = "") -> AgentResult:
    """One attempt of the scripted agent."""
    file = root.parent / "prompt.md"
    file.write_text(prompt)
    env = {**os.environ, "PRD_RALPH_STORY_ID": story}
    request = AgentRequest(file, root, root.parent / "transcript.log", None, env, 60, 60, attempt)
    return ScriptedAgent(PlainProcesses(), script).attempt(request, lambda line: None)


def commands(story: str) -> Iterator[Any]:
    yield from SAMPLE["verificationCommands"]
    yield from STORIES[story]["verificationCommands"]


def exit_codes(root: Path, story: str) -> list[int]:
    return [run(root, command).returncode for command in commands(story)]


def run(root: Path, command: Any) -> subprocess.CompletedProcess[str]:
    text = command["run"] if isinstance(command, dict) else command
    argv = ["bash", "-o", "pipefail", "-c", text] if isinstance(text, str) else text
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(argv, cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


def test_each_story_is_red_before_its_honest_attempt_and_green_after(root: Path, script: Path) -> None:
    for number, story in enumerate(STORIES):
        before = exit_codes(root, story)
        assert all(before[1:]), f"{story} is green before: {before}"
        # For every story alike: only the first one finds no tests at all.
        assert bool(before[0]) is (number == 0)
        result = play(root, script, story, len(SCRIPT["stories"][story]), "adding twice adds up: exit 1")
        assert result.failure is None, result.process.stderr.decode()
        after = [run(root, command) for command in commands(story)]
        assert [done.returncode for done in after] == [0] * len(after), [done.stdout + done.stderr for done in after]
    judges = [run(root, story["verificationCommands"][1]).returncode for story in STORIES.values()]
    assert judges == [0] * 5, "a later story broke an earlier one"


def test_the_first_attempt_at_the_second_story_fails_in_a_way_that_its_feedback_tells(root: Path, script: Path) -> None:
    play(root, script, "US-001", 1)
    play(root, script, "US-002", 1)
    suite, own, judge = [run(root, command) for command in commands("US-002")]
    assert (suite.returncode, own.returncode, judge.returncode) == (0, 0, 1)
    assert "< [ ] 3 x socks" in judge.stdout
    assert "> [ ] 2 x socks" in judge.stdout


def test_the_second_attempt_needs_the_feedback(root: Path, script: Path) -> None:
    play(root, script, "US-001", 1)
    result = play(root, script, "US-002", 2, "a prompt that tells nothing of what failed")
    assert result.process.exit_code == 1
    assert b"expect" in result.process.stderr


def test_the_liar_claims_everything_and_does_nothing(root: Path, script: Path) -> None:
    result = play(root, script, "US-003", 1)
    assert result.process.ok
    assert "<promise>COMPLETE</promise>" in result.text
    assert all(story["passes"] for story in json.loads((root / "prd.json").read_bytes())["userStories"])
    assert not (root / "pack").exists()


def test_one_agent_leaves_a_server_running() -> None:
    spawned = [step for steps in SCRIPT["stories"]["US-004"] for step in steps if "spawn" in step]
    assert [step["how"] for step in spawned] == ["setsid"]
    assert "http.server" in spawned[0]["spawn"]


def test_the_sample_starts_with_every_story_open_and_in_order() -> None:
    assert [story["passes"] for story in STORIES.values()] == [False] * 5
    earlier: set[str] = set()
    for story in STORIES.values():
        assert set(story["dependsOn"]) <= earlier
        earlier.add(story["id"])
    assert set(SCRIPT["stories"]) == earlier
