"""The scripted agent: each step as a real process does it, and what the adapter makes of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents.scripted.adapter import ScriptedAgent
from prd_ralph.errors import ProblemsError
from prd_ralph.model import AgentResult, FailureClass, ProcessEnd, Tokens
from prd_ralph.process import SupervisedProcesses
from tests.agents.conftest import MakeRequest
from tests.conftest import Repo, git

Play = Callable[..., AgentResult]
PRD = {"project": "P", "userStories": [{"id": "US-000"}, {"id": "US-001", "title": "é", "passes": False}]}


@pytest.fixture
def events() -> list[str]:
    return []


@pytest.fixture
def play(
    tmp_path: Path, processes: SupervisedProcesses, make_request: MakeRequest, root: Path, events: list[str]
) -> Play:
    """Plays steps for US-001: `play({"print": "x"}, prompt="…")`."""
    (root / "prd.json").write_text(json.dumps(PRD))

    def run(*steps: dict[str, Any], prompt: str = "do it\n", **env: str) -> AgentResult:
        script = tmp_path / "script.json"
        script.write_text(json.dumps({"stories": {"US-001": [steps]}}))
        return ScriptedAgent(processes, script).attempt(
            make_request(prompt, **env), lambda did: events.append(did.text)
        )

    return run


def test_what_it_prints_is_text_and_goes_to_the_transcript(
    play: Play, events: list[str], make_request: MakeRequest
) -> None:
    result = play({"print": "one\ntwo é"}, {"print": ""}, {"stderr": "warned"})
    assert (result.text, result.failure) == ("one\ntwo é\n\n", None)
    assert events == ["one", "two é"]
    assert make_request().transcript.read_text() == "one\ntwo é\n\n"
    assert result.process.stderr == b"warned\n"


def test_files_are_written_appended_to_and_deleted(play: Play, root: Path) -> None:
    (root / "old").mkdir()
    (root / "old" / "file").touch()
    (root / "link").symlink_to("old")
    result = play(
        {"write": "a/b.txt", "text": "one\n"},
        {"append": "a/b.txt", "text": ["two", "three"]},
        {"write": "gone.txt", "text": ""},
        {"delete": "gone.txt"},
        {"delete": "link"},
        {"delete": "old"},
    )
    assert result.process.ok
    assert (root / "a" / "b.txt").read_text() == "one\ntwo\nthree\n"
    assert sorted(path.name for path in root.iterdir()) == ["a", "prd.json"]


def test_a_patch_is_applied(play: Play, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\n")
    diff = ["--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+zwei"]
    assert play({"patch": diff}).process.ok
    assert (root / "a.txt").read_text() == "one\nzwei\n"
    again = play({"patch": diff}, {"write": "after", "text": ""})
    assert again.failure is FailureClass.ERROR
    assert b"step 1 of US-001, attempt 1: git apply" in again.process.stderr
    assert not (root / "after").exists()


def test_prd_json_is_edited(play: Play, root: Path) -> None:
    values = {"/userStories/1/passes": True, "/userStories/-": {"id": "new"}, "/a~1b": 1, "/userStories/0": {"id": "x"}}
    assert play({"prd": {"set": values}}, {"notes": "known"}, {"progress": "learned"}).process.ok
    document = json.loads((root / "prd.json").read_bytes())
    assert document["a/b"] == 1
    assert [story["id"] for story in document["userStories"]] == ["x", "US-001", "new"]
    assert document["userStories"][1] == {"id": "US-001", "title": "é", "passes": True, "notes": "known"}
    assert (root / "progress.txt").read_text() == "learned\n"
    assert play({"prd": {"text": "{ torn"}}).process.ok
    assert (root / "prd.json").read_text() == "{ torn"
    assert play({"notes": "x"}).failure is FailureClass.ERROR


@pytest.mark.parametrize("pointer", ["/userStories/9/passes", "/none/x", "/project/x/y"])
def test_a_pointer_to_nothing_is_told(play: Play, pointer: str) -> None:
    result = play({"prd": {"set": {pointer: 1}}})
    assert f"nothing at {pointer}".encode() in result.process.stderr


def test_another_prd_file_may_be_named(
    tmp_path: Path, processes: SupervisedProcesses, make_request: MakeRequest, root: Path
) -> None:
    (root / "tasks").mkdir()
    (root / "tasks" / "prd.json").write_text("{}")
    script = tmp_path / "script.json"
    script.write_text(
        json.dumps({"prd": "tasks/prd.json", "default": [{"prd": {"set": {"/x": 1}}}, {"progress": "p"}]})
    )
    assert ScriptedAgent(processes, script).attempt(make_request(), lambda line: None).process.ok
    assert json.loads((root / "tasks" / "prd.json").read_bytes()) == {"x": 1}
    assert (root / "tasks" / "progress.txt").exists()


def test_it_commits_and_changes_branches(play: Play, root: Path, make_repo: Repo) -> None:
    git(root, "init", "-q")
    first = play({"commit": "mine"}, {"checkout": "other"}, {"write": "a", "text": ""}, {"commit": "two"})
    assert first.process.ok, first.process.stderr
    assert git(root, "log", "--format=%s %cn", "other").splitlines() == ["two prd-ralph agent", "mine prd-ralph agent"]
    assert play({"checkout": "main"}).process.ok
    assert git(root, "symbolic-ref", "--short", "HEAD") == "main"


def test_a_shell_line_is_run_and_its_failure_ends_the_agent(play: Play, root: Path) -> None:
    assert play({"run": "echo out; echo $PRD_RALPH_STORY_ID > id"}).text == "out\n"
    assert (root / "id").read_text() == "US-001\n"
    result = play({"run": "exit 4"}, {"write": "after", "text": ""})
    assert (result.process.exit_code, (root / "after").exists()) == (1, False)
    assert b"exit 4" in result.process.stderr


def test_the_prompt_arrives_byte_for_byte_and_can_be_asked_for_words(play: Play, root: Path) -> None:
    prompt = "päck 🧦\n" * 200_000
    assert play({"save-prompt": "got"}, {"expect": "päck"}, prompt=prompt).process.ok
    assert (root / "got").read_text() == prompt
    assert b"does not hold 'absent'" in play({"expect": "absent"}).process.stderr


def test_it_says_that_it_is_stuck_by_the_tag_of_its_prompt(play: Play) -> None:
    prompt = "told before: <stuck-0>\nend with <stuck-1a2b>REASON</stuck-1a2b>\n"
    assert play({"stuck": "no key"}, prompt=prompt).text == "<stuck-1a2b>no key</stuck-1a2b>\n"
    done = play({"stuck": "no key"}).process
    assert (done.exit_code, b"the prompt names no tag" in done.stderr) == (1, True)


def test_it_costs_and_calls_tools(play: Play, events: list[str]) -> None:
    result = play(
        {"tool": "Edit"}, {"cost": 0.02, "tokens": [10, 3]}, {"tool": "Bash"}, {"cost": 0.03, "tokens": [1, 1]}
    )
    assert (result.cost_usd, result.tokens, result.tool_calls) == (0.05, Tokens(11, 4), 2)
    assert events == ["Edit", "Bash"]
    assert result.text == ""


def test_what_it_does_not_tell_is_unknown(play: Play) -> None:
    result = play({"print": "x"})
    assert (result.cost_usd, result.tokens) == (None, None)
    assert play({"cost": 1}).tokens is None


def test_it_fails_as_told(play: Play) -> None:
    before = time.time()
    result = play({"fail": "usage_limit", "reset_in": 60}, {"print": "never"})
    assert (result.failure, result.process.exit_code, result.text) == (FailureClass.USAGE_LIMIT, 1, "")
    assert result.reset_at is not None
    assert result.reset_at >= before + 60
    assert play({"fail": "auth"}).reset_at is None


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "failure", "class": "tired", "reset_in": null}',
        '{"event": "cost", "usd": "much", "tokens": null}',
        '{"event": ',
        "{" * 100_000,
        "[1]",
        '{"other": 1}',
    ],
)
def test_what_is_no_event_is_text(play: Play, line: str) -> None:
    result = play({"print": line})
    assert (result.text, result.failure, result.cost_usd) == (f"{line}\n"[-65536:], None, None)


def test_it_ends_as_told(play: Play) -> None:
    assert play({"exit": 3}, {"print": "never"}).process.exit_code == 3
    assert play({"exit": 0}).failure is None
    killed = play({"signal": signal.SIGKILL}, {"print": "never"})
    assert (killed.process.exit_code, killed.failure) == (-9, FailureClass.ERROR)
    assert play({"signal": signal.SIGINT}).process.exit_code == -2


def test_it_can_be_deaf_to_signals(play: Play) -> None:
    deaf = [{"signal": number} for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert play({"ignore-signals": True}, *deaf, {"sleep": 0}, {"print": "still here"}).text == "still here\n"


@pytest.mark.parametrize("how", ["&", "setsid", "double-fork"])
def test_it_leaves_a_process_behind(play: Play, root: Path, how: str) -> None:
    line = "echo $$ > pid.new; mv pid.new pid; exec sleep 300"
    result = play({"spawn": line, "how": how}, {"run": "while ! [ -e pid ]; do sleep 0.01; done"}, {"print": "done"})
    assert (result.process.end, result.text) == (ProcessEnd.EXITED, "done\n")
    assert result.process.swept == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int((root / "pid").read_text()), 0)


def test_much_output_in_one_line_is_passed_over(play: Play) -> None:
    result = play({"bytes": 3_000_001}, {"print": ""}, {"print": "end"})
    assert result.text == "end\n"
    assert result.process.stdout_bytes == 3_000_006


def test_much_output_in_many_lines_keeps_its_end(play: Play, events: list[str]) -> None:
    result = play({"bytes": 400_000, "newlines": True}, {"print": "end"})
    assert result.text.endswith(f"\n{'x' * 79}\nend\n")
    assert len(result.text) == 64 << 10
    assert len(events) == 5001


def test_the_attempt_chooses_the_steps(
    tmp_path: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"stories": {"US-001": [[{"print": "1"}], [{"print": "2"}]]}}))
    agent = ScriptedAgent(processes, script)
    texts = [agent.attempt(make_request(attempt=number), lambda line: None).text for number in (1, 2, 3)]
    assert texts == ["1\n", "2\n", "2\n"]


def test_a_story_without_steps_is_told_and_does_nothing(
    tmp_path: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": []}))
    result = ScriptedAgent(processes, script).attempt(make_request(story="US-9"), lambda line: None)
    assert result.process.ok
    assert result.process.stderr == b"nothing is scripted for US-9, attempt 1\n"


def test_a_broken_script_is_refused_at_once(tmp_path: Path, processes: SupervisedProcesses) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"default": [{"jump": 1}]}')
    with pytest.raises(ProblemsError):
        ScriptedAgent(processes, script)


def test_the_player_itself_refuses_a_broken_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"default": [{"jump": 1}]}')
    argv = [sys.executable, "-m", "prd_ralph.agents.scripted"]
    env = {**os.environ, "PRD_RALPH_SCRIPT": str(script)}
    done = subprocess.run(argv, env=env, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{script} /default/0: must have one verb" in done.stderr


def test_modules_in_the_work_tree_are_not_imported(play: Play, root: Path) -> None:
    (root / "json.py").write_text("raise SystemExit('mine')")
    (root / "prd_ralph").mkdir()
    (root / "prd_ralph" / "__init__.py").touch()
    assert play({"print": "x"}).text == "x\n"


def test_the_player_starts_without_what_the_rest_needs() -> None:
    code = "import sys; import prd_ralph.agents.scripted.__main__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jinja2", "jsonschema", "git", "psutil", "typer", "prd_ralph.model"} & set(done.stdout.split())
