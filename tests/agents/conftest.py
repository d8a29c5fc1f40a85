"""What an agent's test needs: a work tree, a request in it, and processes that are supervised."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prd_ralph.ports import AgentRequest
from prd_ralph.process import StopSignals, SupervisedProcesses

MakeRequest = Callable[..., AgentRequest]


@pytest.fixture(scope="module")
def processes() -> Iterator[SupervisedProcesses]:
    with SupervisedProcesses(StopSignals()) as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def make_request(tmp_path: Path, root: Path) -> MakeRequest:
    """Makes a request: `make_request("the prompt", model="m", attempt=2, story="US-1", NAME="variable")`."""

    def make(
        prompt: str | bytes = "do it\n", model: str | None = None, attempt: int = 1, story: str = "US-001", **env: str
    ) -> AgentRequest:
        file = tmp_path / "state" / "prompt.md"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(prompt if isinstance(prompt, bytes) else prompt.encode())
        full = {**os.environ, **env, "PRD_RALPH_STORY_ID": story}
        return AgentRequest(file, root, file.with_name("transcript.log"), model, full, 60, 60, attempt)

    return make
