"""`run --supervised`: a run that dies or freezes is started again, as the same run, with what is left to spend."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.run.told import end as ending
from tests.run.told import starts, stopped
from tests.support.project import Done, make_project, story
from tests.support.waiting import PATIENCE_S, end, gone, lives, pids_in, started
from tests.support.workshop import CHECK, WORK, Workshop

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


DEATHS = {
    # What each of its processes does as soon as it is there; how often it is started again; what is said in the end.
    "killed": ("os.kill(os.getpid(), 9)", 10, "died 11 times in a row"),
    "bug": ("os._exit(70)", 1, "a bug in prd-ralph ended the run again"),
}


@pytest.mark.parametrize("how", DEATHS)
def test_what_dies_again_and_again_is_given_up(tmp_path: Path, how: str) -> None:
    act, times, said = DEATHS[how]
    workshop = Workshop(tmp_path, [WORK])
    line = f"import os\nif 'PRD_RALPH_SUPERVISOR' in os.environ: {act}\n"
    (tmp_path / "python").mkdir()
    (tmp_path / "python/sitecustomize.py").write_text(line)
    path = {"PRD_RALPH_PAUSE_S": "0.01", "PYTHONPATH": str(tmp_path / "python")}
    done = workshop.project(*_args(workshop), cwd=None, **path)
    assert done.code == 3, done.err
    assert said in done.err
    assert "hint: " in done.err
    assert done.err.count("it is started again in") == times
    assert workshop.starts == 0
    assert workshop.run().code == 0
    workshop.assert_landed()


@pytest.mark.parametrize("cap", [1, 2, 7])
def test_the_cap_counts_agent_starts_exactly_whatever_kills_the_run(tmp_path: Path, cap: int) -> None:  # C135
    plays = [_killing(1, tmp_path), "echo 1 > a.txt", _killing(2, tmp_path), _killing(3, tmp_path), "exit 1", "true"]
    workshop = Workshop(tmp_path, plays)
    done = _run(workshop, "--max-iterations", str(cap), "--max-attempts", "99", PRD_RALPH_STALL_AFTER="99")
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


STUCK = ([{"stuck": "no key"}], "the agent says that it is stuck: no key")
STALLS: dict[str, tuple[str, list[dict[str, str]], str, int]] = {
    # Where the run is killed; what US-001's agents say in the end; why it is given up all the same; after how many
    # attempts. A row of attempts that are alike begins anew, but no answer to a stall is given twice.
    "stalled, at the next story": ("begun:4", [], "stalled: the same failure 3 times", 3),
    "stalled, before its last attempt": ("begun:3", [], "stalled: the same failure 2 times", 4),
    "stalled, before its work is set aside": ("judged:3", [], "stalled: the same failure 2 times", 4),
    "stuck, at the next story": ("begun:3", *STUCK, 2),
    "stuck, before it says so again": ("begun:2", *STUCK, 2),
}


@pytest.mark.parametrize("case", STALLS)
def test_what_was_given_up_stays_so_and_what_was_counted_counts(tmp_path: Path, case: str) -> None:
    fault, says, why, attempts = STALLS[case]
    script = {"stories": {"US-001": [[{"write": "a.txt", "text": "wrong"}, *says]]}}
    script["stories"]["US-002"] = [[{"write": "b.txt", "text": ""}]]
    stories = [story("US-001", "echo no; exit 1"), story("US-002", "test -f b.txt")]
    project = make_project(tmp_path, stories, script)
    done = project.run("--supervised", "--max-attempts", "9", PRD_RALPH_FAULT=fault, **QUICK)
    assert stopped(done) == ("exhausted", 1), done.err
    assert len(done.of("restarted")) == 1
    assert project.passes() == {"US-001": False, "US-002": True}
    first, _ = ending(done)["stories"]
    assert (first["state"], first["reason"].partition(";")[0]) == ("exhausted", why)
    assert first["attempts"] == attempts
    assert starts(done).count("US-001") == attempts + (fault == "judged:3")
    assert not (project.root / "a.txt").exists()


SLOW = "setsid sleep 300 & echo $! >> {0}/pids; echo half > one.txt; echo $$ >> {0}/pids; sleep 300"


def _args(workshop: Workshop) -> tuple[str, ...]:
    return workshop.arguments("--supervised")


def _runner(run: subprocess.Popen[str]) -> psutil.Process:
    """The run's own process, below the one that watches over it."""
    (child,) = psutil.Process(run.pid).children()
    return child


def _told(run: subprocess.Popen[str]) -> Done:
    assert run.stdout and run.stderr
    return Done(run.returncode, run.stdout.read(), run.stderr.read())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_goes_through_and_nothing_is_left(tmp_path: Path, number: int) -> None:  # C087 C088 C089
    workshop = Workshop(tmp_path, [SLOW.format(tmp_path)])
    with started(workshop.project, *_args(workshop)) as run:
        pids = pids_in(tmp_path / "pids", 2)
        runner = _runner(run)
        assert end(run, number) == -number
        done = _told(run)
    assert not [pid for pid in (*pids, runner.pid) if lives(pid)]
    assert (ending(done)["stop"], ending(done)["exit"]) == ("signal", 128 + number)
    (judged,) = done.of("judged")
    assert (judged["story"], judged["outcome"], judged["charged"]) == ("US-001", "interrupted", False)
    assert done.of("restarted") == []
    assert (workshop.root / "one.txt").exists()


def test_a_signal_to_both_processes_is_one_signal(tmp_path: Path) -> None:
    """As a terminal and systemd send it: the agent still has its grace."""
    play = f"trap 'echo graceful > {tmp_path}/grace; exit' TERM; {SLOW.format(tmp_path)} & wait"
    workshop = Workshop(tmp_path, [play])
    with started(workshop.project, *_args(workshop), start_new_session=True) as run:
        pids = pids_in(tmp_path / "pids", 2)
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(PATIENCE_S) == -signal.SIGINT
    gone(pids)
    assert (tmp_path / "grace").read_text() == "graceful\n"


def test_two_signals_end_it_at_once(tmp_path: Path) -> None:  # C088
    play = f"trap '' INT TERM HUP; {SLOW.format(tmp_path)} & wait; sleep 300"
    workshop = Workshop(tmp_path, [play, WORK])
    with started(workshop.project, *_args(workshop)) as run:
        pids = pids_in(tmp_path / "pids", 2)
        os.kill(run.pid, signal.SIGINT)
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(PATIENCE_S) == -signal.SIGINT
    gone(pids)
    assert (workshop.root / "one.txt").exists()
    assert workshop.run().code == 0
    workshop.assert_landed()


def test_a_frozen_run_is_ended_with_its_agent_and_goes_on(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [SLOW.format(tmp_path), WORK])
    environment = workshop.project.environment(**QUICK, PRD_RALPH_FROZEN_S="4")
    with started(workshop.project, *_args(workshop), env=environment) as run:
        pids = pids_in(tmp_path / "pids", 2)
        frozen = _runner(run)
        frozen.send_signal(signal.SIGSTOP)
        assert run.wait(PATIENCE_S) == 0
        done = _told(run)
    gone([*pids, frozen.pid])
    assert [event["why"] for event in done.of("restarted")] == ["no sign of life for 4s"]
    assert workshop.starts == 2
    workshop.assert_landed()


def test_a_run_that_works_or_waits_without_a_word_is_not_frozen(tmp_path: Path) -> None:
    """An agent that is silent for longer than a run may be, and then commands that are."""
    silent = "exec 9<>{0}/{1}; read -t 6 line <&9"
    for name in ("a", "b"):
        os.mkfifo(tmp_path / name)
    stories = [story("US-001", f"{CHECK} || exit 1; {silent.format(tmp_path, 'b')}; true")]
    workshop = Workshop(tmp_path, [f"{silent.format(tmp_path, 'a')};{WORK}"], stories)
    done = _run(workshop, "--baseline", "off", PRD_RALPH_FROZEN_S="4")
    assert stopped(done) == ("complete", 0), done.err
    assert done.of("restarted") == []


def test_stop_ends_a_supervised_run_for_good(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    play = f"echo $$ >> {tmp_path}/pids; cat {tmp_path}/fifo; {WORK}"
    workshop = Workshop(tmp_path, [play], [story("US-001", CHECK), story("US-002", "test -f two.txt")])
    with started(workshop.project, *_args(workshop)) as run:
        pids_in(tmp_path / "pids")
        assert "supervised" in workshop.project("stop").err
        assert workshop.project(*_args(workshop)).code == 3
        (tmp_path / "fifo").write_text("go on\n")
        assert run.wait(PATIENCE_S) == 1
        assert ending(_told(run))["stop"] == "stop_requested"
    assert workshop.project.passes() == {"US-001": True, "US-002": False}


def _between_lives(workshop: Workshop, run: subprocess.Popen[str]) -> None:
    """Kills the run's process, and waits until who watches over it waits too."""
    pids = pids_in(workshop.folder / "pids", 2)
    _runner(run).kill()
    gone(pids)
    assert run.stderr
    while "started again in" not in run.stderr.readline():
        pass


def test_stop_ends_the_wait_for_the_next_start(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [SLOW.format(tmp_path), WORK])
    environment = workshop.project.environment(PRD_RALPH_PAUSE_S="9999")
    with started(workshop.project, *_args(workshop), env=environment) as run:
        _between_lives(workshop, run)
        assert "is started again" in workshop.project("status").out
        assert workshop.project("stop").code == 0
        assert run.wait(PATIENCE_S) == 1
        assert ending(_told(run))["stop"] == "stop_requested"
    assert workshop.run().code == 0
    workshop.assert_landed()


def test_stop_now_ends_the_wait_for_the_next_start(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [SLOW.format(tmp_path), WORK])
    environment = workshop.project.environment(PRD_RALPH_PAUSE_S="9999")
    with started(workshop.project, *_args(workshop), env=environment) as run:
        _between_lives(workshop, run)
        assert workshop.project("stop", "--now").code == 0
        assert run.wait(PATIENCE_S) == -signal.SIGTERM
    assert workshop.run().code == 0
    workshop.assert_landed()


@pytest.mark.parametrize("flags", [(), ("--supervised",)], ids=["alone", "supervised"])
def test_stop_now_ends_the_attempt_and_keeps_its_work(tmp_path: Path, flags: tuple[str, ...]) -> None:
    workshop = Workshop(tmp_path, [SLOW.format(tmp_path), "echo better > a.txt; rm old.txt"])
    with started(workshop.project, *workshop.arguments(*flags)) as run:
        pids = pids_in(tmp_path / "pids", 2)
        stop = workshop.project("stop", "--now")
        assert stop.code == 0, stop.err
        assert run.wait(PATIENCE_S) == -signal.SIGTERM
        done = _told(run)
    gone(pids)
    assert ending(done)["exit"] == 143
    assert [event["outcome"] for event in done.of("judged")] == ["interrupted"]
    again = workshop.run()
    assert again.code == 0, again.err
    workshop.assert_landed()


def test_what_is_refused_is_refused_once(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    (workshop.root / "a.txt").write_text("dirty\n")
    done = _run(workshop)
    assert done.code == 3
    assert done.err.count("a.txt") == 1
    assert "started again" not in done.err


def test_the_setting_does_as_the_flag(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    fault = {"PRD_RALPH_SUPERVISED": "true", "PRD_RALPH_FAULT": "agent_ended"}
    done = workshop.project(*workshop.arguments(), cwd=None, **fault, **QUICK)
    assert stopped(done) == ("complete", 0), done.err
    assert len(done.of("restarted")) == 1


def test_the_time_of_a_run_goes_on_while_it_is_dead(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [_killing(1, tmp_path), WORK])
    done = workshop.project(*_args(workshop), "--max-time", "2", cwd=None, PRD_RALPH_PAUSE_S="3")
    assert stopped(done) == ("wall_time", 4), done.err
    assert workshop.starts == 1
    assert ending(done)["duration_s"] >= 3


def test_a_full_disk_ends_it_for_good_and_says_so(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", tmp_path], check=False).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        workshop = Workshop(tmp_path, [f"{WORK}; dd if=/dev/zero of=big bs=64k 2>/dev/null", f"rm -f big;{WORK}"])
        before = workshop.project.prd_path.read_bytes()
        done = _run(workshop)
        assert done.code == 3, done.err
        assert "disk full" in done.err
        assert "started again" not in done.err
        assert workshop.project.prd_path.read_bytes() == before
        (workshop.root / "big").unlink()
        again = _run(workshop)
        assert again.code == 0, again.err
        assert workshop.project.passes() == {"US-001": True}
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_a_clock_that_is_set_back_in_between_disturbs_nobody(tmp_path: Path) -> None:
    """The ledger's times then go back too."""
    os.mkfifo(tmp_path / "fifo")
    play = f"echo $$ >> {tmp_path}/pids; cat {tmp_path}/fifo; {WORK}"
    workshop = Workshop(tmp_path, [play])
    with started(workshop.project, *_args(workshop)) as run:
        pids_in(tmp_path / "pids")
        (folder,) = (workshop.root / ".git/prd-ralph/runs").iterdir()
        ledger = folder / "events.jsonl"
        lines = [json.loads(line) for line in ledger.read_text().splitlines()]
        ledger.write_text("".join(json.dumps({**line, "at": "2001-01-01T00:00:00Z"}) + "\n" for line in lines))
        found = json.loads(workshop.project("status", "--json").out)["run"]
        assert (found["id"], found["story"]) == (folder.name, "US-001")
        assert "supervised" in workshop.project("status").out
        with started(workshop.project, "watch") as watching:
            assert watching.stdout and watching.stdout.readline()
            (tmp_path / "fifo").write_text("go on\n")
            assert run.wait(PATIENCE_S) == 0
            assert watching.wait(PATIENCE_S) == 0
    workshop.assert_landed()


def test_who_watches_over_a_run_is_no_business_of_agents_and_commands(tmp_path: Path) -> None:
    look = "! env | grep -q PRD_RALPH_SUPERVISOR"
    workshop = Workshop(tmp_path, [f"{look} && {{ {WORK}; }}"], [story("US-001", CHECK), story("US-002", look, CHECK)])
    done = _run(workshop)
    assert stopped(done) == ("complete", 0), done.err
