"""`run --supervised`: a run that dies or freezes is started again, as the same run, with what is left to spend."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import end as ending
from tests.run.told import stopped
from tests.support.project import Done
from tests.support.workshop import WORK, Workshop

QUICK = {"PRD_RALPH_PAUSE_S": "0.05"}


def _killing(times: int, folder: Path) -> str:
    """A line of shell of an agent's that kills prd-ralph itself, so many times."""
    count = f"{folder}/kills"
    return f"""
        echo x >> {count}
        if [ $(wc -l < {count}) -le {times} ]; then kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $$)); sleep 300; fi
    """


def _run(workshop: Workshop, *args: str, **env: str) -> Done:
    return workshop.project(*workshop.arguments("--supervised", *args), cwd=None, **QUICK, **env)


def _ledgers(workshop: Workshop) -> dict[str, list[dict[str, Any]]]:
    """The events of each run."""
    folders = sorted((workshop.root / ".git/prd-ralph/runs").iterdir())
    return {
        each.name: [json.loads(line) for line in (each / "events.jsonl").read_text().splitlines()] for each in folders
    }


def _kinds(told: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in told if event["kind"] == kind]


def test_a_run_that_is_killed_goes_on_as_the_same_run(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo half > one.txt;" + _killing(1, tmp_path), WORK])
    done = _run(workshop)
    assert stopped(done) == ("complete", 0), done.err
    workshop.assert_landed()
    ((run, told),) = _ledgers(workshop).items()
    assert {event["run"] for event in (*told, *done.events)} == {run}
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    assert [(event["times"], event["why"]) for event in _kinds(told, "restarted")] == [(1, "killed by SIGKILL")]
    assert ending(done)["iterations"] == workshop.starts == 2
    assert "killed by SIGKILL" in done.err


def test_what_is_done_is_not_done_again_and_lands_once(tmp_path: Path) -> None:
    """Each of its processes is killed at a later stage; nobody is paid twice."""
    workshop = Workshop(tmp_path, [WORK])
    stages = ("agent_ended", "guarded", "frozen", "judged", "committed", "flipped", "closing")
    done = _run(workshop, PRD_RALPH_FAULT=",".join(stages))
    assert stopped(done) == ("complete", 0), done.err
    workshop.assert_landed()
    assert workshop.starts == ending(done)["iterations"] == 1
    assert [event["times"] for event in done.of("restarted")] == list(range(1, len(stages) + 1))


def test_what_dies_again_and_again_is_given_up_and_can_be_taken_up_later(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    done = _run(workshop, PRD_RALPH_FAULT=",".join(["judged"] * 20))
    assert done.code == 3, done.err
    assert "died 11 times in a row" in done.err
    assert "hint: " in done.err
    assert workshop.run().code == 0
    workshop.assert_landed()
    assert workshop.starts == 1


@pytest.mark.parametrize("cap", [1, 2, 7])
def test_the_cap_counts_agent_starts_exactly_whatever_kills_the_run(tmp_path: Path, cap: int) -> None:  # C135
    plays = [_killing(1, tmp_path), "echo 1 > a.txt", _killing(2, tmp_path), _killing(3, tmp_path), "exit 1", "true"]
    workshop = Workshop(tmp_path, plays)
    done = _run(workshop, "--max-iterations", str(cap), "--max-attempts", "99")
    assert stopped(done) == ("iterations", 1), done.err
    assert workshop.starts == ending(done)["iterations"] == cap
    ((_, told),) = _ledgers(workshop).items()
    assert len(_kinds(told, "agent_started")) == cap
    assert {event["limits"]["iterations"] for event in _kinds(told, "run_started")} == {cap}


def test_attempts_that_were_charged_stay_charged(tmp_path: Path) -> None:
    """One that was told, but not yet noted when the run was killed, is judged once more, and counts as that says."""
    workshop = Workshop(tmp_path, ["echo 1 > a.txt", _killing(1, tmp_path), "echo 2 > a.txt", "echo 3 > a.txt"])
    done = _run(workshop, "--max-attempts", "3", PRD_RALPH_FAULT="judged:2,judged:2")
    assert stopped(done) == ("exhausted", 1), done.err
    (line,) = ending(done)["stories"]
    assert (line["attempts"], line["state"]) == (3, "exhausted")
    verdicts = {event["attempt"]: event["charged"] for event in _kinds(_ledgers(workshop).popitem()[1], "judged")}
    assert verdicts == {1: True, 2: False, 3: False, 4: True, 5: True}
    assert workshop.starts == 5
