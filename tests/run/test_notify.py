"""Somebody who is away is told; whoever cannot be reached holds nothing up."""

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import stopped
from tests.support.project import LIMIT_S, Project, make_project, story

WORK = {"write": "a.txt", "text": "a\n"}
OPEN = story("US-001", "test -f a.txt")
SECRET = "hunter2hunter2"


def project_of(tmp_path: Path, *steps: Any, **settings: Any) -> Project:
    toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    script = {"stories": {"US-001": [list(steps)]}}
    return make_project(tmp_path, [OPEN], script, files={"prd-ralph.toml": toml})


@contextmanager
def listening() -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """A web server on a port of its own, and the JSON that it was sent."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, got
        finally:
            server.shutdown()
            thread.join()


def test_a_command_gets_each_notice_with_its_event(tmp_path: Path) -> None:
    told = tmp_path / "told"
    project = project_of(tmp_path, WORK, notify_command=f"cat >> '{told}'; echo noise; echo noise >&2")
    done = project.run()
    assert stopped(done) == ("complete", 0)
    (notice,) = map(json.loads, told.read_text().splitlines())
    assert (notice["what"], notice["title"]) == ("finished", "Test: finished, 1 of 1 stories pass")
    assert notice["event"] == done.events[-1]
    assert "1 passed" in notice["text"]
    assert "noise" not in done.out + done.err


def test_a_story_that_needs_a_person_and_the_stop(tmp_path: Path) -> None:
    told = tmp_path / "told"
    project = project_of(tmp_path, {"write": "b", "text": ""}, notify_command=f"cat >> '{told}'")
    done = project.run("--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    notices = [json.loads(line) for line in told.read_text().splitlines()]
    assert [notice["what"] for notice in notices] == ["stuck", "stopped"]
    assert [notice["event"]["kind"] for notice in notices] == ["judged", "run_finished"]


def test_only_what_was_asked_for(tmp_path: Path) -> None:
    told = tmp_path / "told"
    project = project_of(tmp_path, WORK, notify_command=f"cat >> '{told}'", notify_on=["stopped"])
    assert stopped(project.run()) == ("complete", 0)
    assert not told.exists()


def test_apprise_sends_what_is_to_be_read_and_its_url_is_nowhere(tmp_path: Path) -> None:
    with listening() as (port, got):
        url = f"json://user:{SECRET}@127.0.0.1:{port}/path"
        project = project_of(tmp_path, WORK, {"print": f"I have read {url}"}, notify=[url])
        done = project.run()
    assert stopped(done) == ("complete", 0)
    (sent,) = got
    assert sent["title"] == "Test: finished, 1 of 1 stories pass"
    assert "1 passed" in sent["message"]
    assert "not delivered" not in done.err
    state = b"".join(path.read_bytes() for path in (project.root / ".git" / "prd-ralph").rglob("*") if path.is_file())
    assert SECRET.encode() not in state
    assert SECRET not in done.out + done.err
    assert SECRET not in project("config").out + project("config", "--json").out
    assert "json://***" in project("config").out


def test_a_module_in_the_work_tree_is_not_taken_for_apprise(tmp_path: Path) -> None:
    with listening() as (port, got):
        planted = {"write": "apprise.py", "text": "open('planted', 'w')\n"}
        project = project_of(tmp_path, WORK, planted, notify=[f"json://127.0.0.1:{port}/"])
        assert stopped(project.run()) == ("complete", 0)
    assert len(got) == 1
    assert not (project.root / "planted").exists()


@pytest.mark.parametrize("accepts", [False, True], ids=["refused", "never answers"])
def test_a_dead_endpoint_stops_nothing(tmp_path: Path, accepts: bool) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        if accepts:
            dead.listen()
        told = tmp_path / "told"
        url = f"json://user:{SECRET}@127.0.0.1:{dead.getsockname()[1]}/"
        project = project_of(tmp_path, WORK, notify=[url], notify_command=f"cat >> '{told}'")
        done = project.run()
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True}
    assert done.err.count("warning: 1 notice not delivered to json://***: it ended with status 1\n") == 1
    assert len(told.read_text().splitlines()) == 1
    assert SECRET not in done.err


def test_a_command_that_hangs_or_fails_is_ended_and_named(tmp_path: Path) -> None:
    project = project_of(tmp_path, WORK, notify_command="sleep 1000")
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert "warning: 1 notice not delivered to notify_command: it took longer than 8 seconds\n" in done.err
    failing = project.run(PRD_RALPH_NOTIFY_COMMAND="exit 3")
    assert stopped(failing) == ("complete", 0)
    assert "warning: 1 notice not delivered to notify_command: it ended with status 3\n" in failing.err


def test_a_run_that_a_signal_ends_is_told_of(tmp_path: Path) -> None:
    told, pid = tmp_path / "told", tmp_path / "pid"
    steps = (WORK, {"run": f"kill -INT $(cat '{pid}'); sleep 1000"})
    project = project_of(tmp_path, *steps, notify_command=f"cat > '{told}'")
    line = f"echo $$ > '{pid}'; exec \"$@\""
    command = ["sh", "-c", line, "sh", *project.command("run")]
    done = subprocess.run(command, cwd=project.root, env=project.environment(), capture_output=True, timeout=LIMIT_S)
    assert done.returncode == -signal.SIGINT
    assert json.loads(told.read_text())["title"] == "Test: stopped (signal), 0 of 1 stories pass"


def test_the_agent_and_the_commands_do_not_get_the_urls(tmp_path: Path) -> None:
    with listening() as (port, got):
        project = make_project(tmp_path, [story("US-001", f"env > '{tmp_path}/commands'; test -f a.txt")])
        url = f"json://user:{SECRET}@127.0.0.1:{port}/"
        done = project.run("--agent-command", "sh -c 'env > a.txt'", PRD_RALPH_NOTIFY=url)
    assert stopped(done) == ("complete", 0)
    assert len(got) == 1
    assert SECRET not in project.git("show", "HEAD:a.txt")
    assert SECRET not in (tmp_path / "commands").read_text()


def test_without_apprise_a_run_does_not_begin(tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "apprise.py").write_text("raise ImportError('gone')\n")
    project = project_of(tmp_path, WORK, notify=["json://127.0.0.1/"])
    done = project.run(PYTHONPATH=str(tmp_path / "modules"))
    assert (done.code, done.out) == (3, "")
    assert "notify needs Apprise, which is not installed\n  hint: pip install 'prd-ralph[notify]'\n" in done.err
    assert not (project.root / "a.txt").exists()
    looked = project("doctor", PYTHONPATH=str(tmp_path / "modules"))
    assert looked.code == 3
    assert "notify needs Apprise, which is not installed\n  fix: pip install 'prd-ralph[notify]'" in looked.out


def test_a_url_that_apprise_does_not_know_is_refused_without_being_shown(tmp_path: Path) -> None:
    project = project_of(tmp_path, WORK, notify=["json://127.0.0.1/", f"nonsense://{SECRET}"])
    done = project.run()
    assert (done.code, done.out) == (2, "")
    assert "notify: entry 2 (nonsense://***) is no URL that Apprise understands" in done.err
    assert SECRET not in done.err
    assert not (project.root / "a.txt").exists()
