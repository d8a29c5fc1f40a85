"""What an agent says, read by another process while it says it."""

import os
import signal
from pathlib import Path

import pytest

from prd_ralph.cli.transcript import show_transcript
from tests.support.project import Project, make_project, story
from tests.support.waiting import end, started, until

PATIENT = "test -f ../go || { while ! test -f ../go; do sleep 0.02; done; }"
SCRIPT = {
    "default": [
        {"print": "looking around"},
        {"run": PATIENT},
        {"print": "one\ntwo"},
        {"write": "a.txt", "text": ""},
    ]
}


def going_on(project: Project) -> Path:
    """The transcript of the attempt that goes on, once something stands in it."""
    found: list[Path] = []

    def begun() -> bool:
        found[:] = [path for path in (project.root / ".git").rglob("transcript.log") if path.stat().st_size]
        return bool(found)

    until(begun, "the transcript")
    return found[0]


def test_a_transcript_is_followed_to_its_end(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    with started(project, "run") as run:
        going_on(project)
        with started(project, "show", "--follow") as rendered, started(project, "show", "--raw", "--follow") as raw:
            assert rendered.stdout and raw.stdout
            assert (rendered.stdout.readline(), raw.stdout.readline()) == ("says  looking around\n", "looking around\n")
            (tmp_path / "go").touch()
            assert rendered.stdout.read() == "says  one\nsays  two\n"
            assert raw.stdout.read() == "one\ntwo\n"
            assert (rendered.wait(), raw.wait(), run.wait()) == (0, 0, 0)
    assert project("show", "--transcript").out == "says  looking around\nsays  one\nsays  two\n"


def test_following_ends_with_a_run_that_was_killed(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    with started(project, "run") as run:
        going_on(project)
        with started(project, "show", "--follow") as show:
            assert show.stdout
            assert show.stdout.readline() == "says  looking around\n"
            end(run)
            assert show.wait() == 0


def test_following_ends_although_another_run_goes_on(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    with started(project, "run") as run:
        going_on(project)
        end(run)
    ledger = next((project.root / ".git").rglob("events.jsonl"))
    old = ledger.parent.rename(ledger.parents[1] / "20260101T000000Z-0001")
    with started(project, "run"):
        until(lambda: len(list(old.parent.iterdir())) == 2, "the other run")
        going_on(project)
        with started(project, "show", old.name, "US-001", "1", "--follow") as show:
            assert show.stdout
            assert show.stdout.read() == "says  looking around\n"
            assert show.wait() == 0


def test_following_is_interrupted_without_a_word(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    with started(project, "run") as run:
        going_on(project)
        with started(project, "show", "--follow") as show:
            assert show.stdout and show.stderr
            assert show.stdout.readline()
            os.kill(show.pid, signal.SIGINT)
            assert show.wait() == -signal.SIGINT
            assert show.stderr.read() == ""
        (tmp_path / "go").touch()
        assert run.wait() == 0


def test_an_attempt_may_be_followed_before_its_agent_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known: list[str] = []

    def is_over() -> bool:
        if not known:
            known.append("claude 2.1.332")
            said = '{"type":"assistant","message":{"content":[{"type":"text","text":"here I am"}]}}'
            (tmp_path / "transcript.log").write_text(f"{said}\n")
            return False
        return True

    show_transcript(tmp_path, lambda: "".join(known), raw=False, is_over=is_over)
    assert capsys.readouterr().out == "says  here I am\n"
