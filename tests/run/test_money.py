"""What a run may cost: caps that are kept, costs that are told for what they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_samples import SAMPLES
from tests.run.test_agents import run as run_on_path
from tests.run.test_agents import with_agent
from tests.run.told import end, last, starts, stopped
from tests.support.project import Project, make_project, story

WORK = {"write": "a.txt", "text": "a\n"}


def tries(*attempts: tuple[float | None, list[int] | None]) -> list[list[dict[str, Any]]]:
    """Attempts of an agent that does something else each time, and tells what it cost."""
    return [
        [
            {"write": "a.txt", "text": f"{number}\n"},
            *([{"cost": cost, **({"tokens": tokens} if tokens else {})}] if cost is not None else []),
        ]
        for number, (cost, tokens) in enumerate(attempts, 1)
    ]


def one(tmp_path: Path, *attempts: tuple[float | None, list[int] | None], command: str = "false") -> Project:
    return make_project(tmp_path, [story("US-001", command)], {"stories": {"US-001": tries(*attempts)}})


def of_story(done: Any, name: str) -> dict[str, Any]:
    (found,) = [each for each in end(done)["stories"] if each["id"] == name]
    return dict(found)


# --- caps -----------------------------------------------------------------------------------------


def test_no_agent_is_started_once_the_cap_is_reached(tmp_path: Path) -> None:
    project = one(tmp_path, (1.5, None), (1.11, None), (9.0, None))
    done = project.run("--max-cost", "2.50", "--max-attempts", "9")
    assert stopped(done) == ("cost", 4)
    assert len(starts(done)) == 2  # the one that went over was finished and judged
    assert end(done)["reason"] == "--max-cost: 2.61 of 2.50 USD used"
    assert len(done.of("judged")) == 2
    assert "stopped: cost · --max-cost: 2.61 of 2.50 USD used · exit 4" in done.err
    again = project.run("--max-cost", "2.50", "--once")  # a new run has fresh budgets
    assert len(starts(again)) == 1


def test_what_passes_by_going_over_the_cap_is_complete(tmp_path: Path) -> None:
    project = one(tmp_path, (3.0, None), command="test -f a.txt")
    done = project.run("--max-cost", "1")
    assert stopped(done) == ("complete", 0)
    assert project.landings() == ["US-001"]


def test_a_story_that_cost_its_share_is_set_aside_and_the_next_one_begins(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f never"), story("US-002", "test -f b.txt")]
    script = {
        "stories": {
            "US-001": tries((2.0, None), (0.61, None), (9.0, None)),
            "US-002": [[{"write": "b.txt", "text": "b\n"}, {"cost": 0.2}]],
        }
    }
    project = make_project(tmp_path, stories, script)
    done = project.run("--max-cost-per-story", "2.5", "--max-attempts", "9")
    assert stopped(done) == ("exhausted", 1)
    assert starts(done) == ["US-001", "US-001", "US-002"]
    assert [each["story"] for each in done.of("set_aside")] == ["US-001"]
    left = of_story(done, "US-001")
    assert (left["state"], left["reason"]) == ("exhausted", "cost: 2.61 of 2.50 USD used")
    assert (left["cost_usd"], of_story(done, "US-002")["cost_usd"]) == (2.61, 0.2)
    assert not (project.root / "a.txt").exists()


def test_tokens_have_a_cap_too(tmp_path: Path) -> None:
    project = one(tmp_path, (0.0, [600, 100]), (0.0, [200, 100]), (0.0, [1, 1]))
    done = project.run("--max-tokens", "1000", "--max-attempts", "9")
    assert stopped(done) == ("cost", 4)
    assert len(starts(done)) == 2
    assert end(done)["reason"] == "--max-tokens: 1,000 of 1,000 used"
    assert (end(done)["tokens_in"], end(done)["tokens_out"]) == (800, 200)


@pytest.mark.parametrize("flag", ["--max-cost", "--max-cost-per-story"])
def test_an_attempt_of_unknown_cost_ends_a_run_that_has_a_cap(tmp_path: Path, flag: str) -> None:
    project = one(tmp_path, (0.1, None), (None, None), (0.1, None))
    done = project.run(flag, "99", "--max-attempts", "9")
    assert stopped(done) == ("cost", 4)
    assert len(starts(done)) == 2
    assert end(done)["reason"] == "the cost of US-001 attempt 2 is not known"
    assert "--assume-cost" in end(done)["hint"]


def test_tokens_that_are_not_told_end_a_run_that_has_a_cap_on_them(tmp_path: Path) -> None:
    done = one(tmp_path, (0.1, None), (0.1, None)).run("--max-tokens", "1000")
    assert stopped(done) == ("cost", 4)
    assert end(done)["reason"] == "the tokens of US-001 attempt 1 are not known"


def test_what_is_assumed_counts_and_is_said_to_be_an_estimate(tmp_path: Path) -> None:
    project = one(tmp_path, (0.1, None), (None, None), (None, None), (None, None))
    done = project.run("--max-cost", "1", "--assume-cost", "0.5", "--max-attempts", "9")
    assert stopped(done) == ("cost", 4)
    told = [(each["cost_usd"], each["cost_source"]) for each in done.of("agent_finished")]
    assert told == [(0.1, "told"), (0.5, "assumed"), (0.5, "assumed")]
    assert (end(done)["cost_usd"], end(done)["estimated"], end(done)["unpriced"]) == (1.1, 2, 0)
    assert "$1.10, 2 attempts of it estimated" in done.err


def test_the_caps_are_said_before_anything_is_spent(tmp_path: Path) -> None:
    project = one(tmp_path, (0.1, [1, 1]))
    flags = ("--max-cost", "5", "--max-cost-per-story", "0.5", "--max-tokens", "9000", "--assume-cost", "0.25")
    shown = "cost 5.00 USD · story cost 0.50 USD · assumed 0.25 USD · tokens 9.0k"
    assert f"spending: {shown}\n" in project("run", "--dry-run", *flags).out
    spending = json.loads(project("run", "--dry-run", "--json", *flags).out)["spending"]
    assert spending == {"cost_usd": 5.0, "story_cost_usd": 0.5, "assumed_usd": 0.25, "tokens": 9000}
    done = project.run("--once", *flags)
    assert f"check 15m\n  spending: {shown}\n" in done.err
    assert done.of("run_started")[0]["limits"].items() >= spending.items()


# --- refused at the start -------------------------------------------------------------------------


def test_a_cap_that_nobody_could_keep_is_refused_before_an_agent_starts(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "false")])
    before = project.snapshot()
    for flag in ("--max-cost", "--max-cost-per-story"):
        done = project.run("--agent-command", "touch started", flag, "5")
        assert (done.code, done.out) == (2, "")
        assert f"{flag}: nobody can tell what command touch costs" in done.err
        assert "hint: say what an attempt counts for: --assume-cost USD" in done.err
    done = project.run("--agent-command", "touch started", "--max-tokens", "500", "--assume-cost", "1")
    assert (done.code, done.out) == (2, "")
    assert "--max-tokens: command touch does not tell what it reads and writes" in done.err
    assert project.snapshot() == before


def test_with_an_assumed_cost_a_command_has_a_cap(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "false")])
    flags = ("--max-cost", "0.1", "--assume-cost", "0.05", "--max-attempts", "9")
    done = project.run("--agent-command", "sh -c 'date +%N >a.txt'", *flags)
    assert (stopped(done), len(starts(done))) == (("cost", 4), 2)


# --- whose cost it is -----------------------------------------------------------------------------


def test_failed_limited_and_interrupted_attempts_count(tmp_path: Path) -> None:  # C137
    endings: list[list[dict[str, Any]]] = [
        [WORK, {"cost": 1, "tokens": [10, 1]}, {"exit": 1}],
        [{"cost": 2, "tokens": [20, 2]}, {"fail": "context_overflow"}],
        [{"cost": 4, "tokens": [40, 4]}, {"sleep": 60}],
        [{"write": "a.txt", "text": "right\n"}, {"cost": 8, "tokens": [80, 8]}],
        [{"cost": 99}],
    ]
    stories = [story("US-001", "grep -q right a.txt"), story("US-002", "false")]
    script = {"stories": {"US-001": endings, "US-002": [[{"cost": 16}, {"fail": "usage_limit"}]]}}
    project = make_project(tmp_path, stories, script)
    limits = ("--max-attempts", "9", "--timeout", "2", "--on-limit", "stop")
    done = project.run(*limits, PRD_RALPH_STALL_AFTER="9")
    assert stopped(done) == ("usage_limit", 4)
    assert (of_story(done, "US-001")["cost_usd"], of_story(done, "US-002")["cost_usd"]) == (15, 16)
    assert (end(done)["cost_usd"], end(done)["unpriced"]) == (31, 0)
    assert (end(done)["tokens_in"], end(done)["tokens_out"], end(done)["uncounted"]) == (150, 15, 1)
    assert last(done, "agent_finished")["US-002"]["cost_source"] == "told"


def test_without_a_cap_an_unknown_cost_is_unknown_and_never_nothing(tmp_path: Path) -> None:
    done = one(tmp_path, (None, None)).run("--once")
    finished = done.of("agent_finished")[0]
    assert (finished["cost_usd"], finished["cost_source"]) == (None, None)
    assert (end(done)["cost_usd"], end(done)["unpriced"], end(done)["tokens_in"]) == (None, 1, None)
    assert "cost unknown" in done.err


def lines_of(sample: str) -> list[str]:
    return (SAMPLES / "claude" / f"{sample}.jsonl").read_text().splitlines(keepends=True)


def test_the_tokens_of_codex_are_priced_by_the_model_that_was_named(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin", "echo hello > hello.txt")
    done = run_on_path(project, "--model", "gpt-5.6-terra", "--max-cost", "1")
    assert stopped(done) == ("complete", 0)
    # 468 read anew at 2 USD a million, 112 written at 12, 2000 from the cache at 0.2.
    finished = done.of("agent_finished")[0]
    assert (finished["cost_usd"], finished["cost_source"]) == (pytest.approx(0.00268), "priced")
    assert (end(done)["cost_usd"], end(done)["estimated"]) == (pytest.approx(0.00268), 1)


def test_codex_has_no_cap_on_money_unless_the_price_of_its_model_is_known(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin", "echo hello > hello.txt")
    nameless = run_on_path(project, "--max-cost", "1")
    assert (nameless.code, nameless.out) == (2, "")
    assert "--max-cost: nobody can tell what codex 2.1.332 with its own choice of a model costs" in nameless.err
    assert "hint: name a model whose price is known: --model MODEL" in nameless.err
    unknown = run_on_path(project, "--max-cost", "1", "--model", "mine-2")
    assert (unknown.code, unknown.out) == (2, "")
    assert "what codex 2.1.332 with mine-2 costs" in unknown.err
    assert '[prices."mine-2"] in prd-ralph.toml' in unknown.err
    (project.root / "prd-ralph.toml").write_text('[prices."mine-2"]\ninput = 100\noutput = 1000\n')
    done = run_on_path(project, "--max-cost", "1", "--model", "mine-2")
    assert stopped(done) == ("complete", 0)
    assert end(done)["cost_usd"] == pytest.approx((468 * 100 + 112 * 1000 + 2000 * 100) / 1e6)


def test_a_story_that_names_an_agent_without_a_price_is_found_before_anything_starts(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin")
    prd = json.loads(project.prd_path.read_bytes())
    prd["userStories"].append(story("US-002", "false", agent="codex", model="mine-2"))
    project.prd_path.write_text(json.dumps(prd))
    done = run_on_path(project, "--model", "gpt-5", "--max-cost", "1")  # the flag's model is every story's
    assert done.of("agent_started")
    done = run_on_path(project, "--max-cost", "1", PRD_RALPH_MODEL="gpt-5")
    assert (done.code, done.out) == (2, "")
    assert "with mine-2 costs" in done.err
    assert "gpt-5" not in done.err


def test_a_claude_that_was_cut_off_is_priced_by_what_it_had_told(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin")
    half = tmp_path / "half.jsonl"
    half.write_text("".join(line for line in lines_of("ok-stream-stdin") if '"type":"result"' not in line))
    program = tmp_path / "bin" / "claude"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo 2.1.332; exit; }}\ncat {half}\nkill -9 $$\n')
    done = run_on_path(project, "--max-cost", "1", "--once")
    finished = done.of("agent_finished")[0]
    assert (finished["exit_code"], finished["model"], finished["cost_source"]) == (-9, "claude-opus-5-5", "priced")
    assert 0 < finished["cost_usd"] <= 0.012512  # what it told of the whole
    assert finished["tokens_in"] == 2468


def test_a_codex_that_was_cut_off_has_told_nothing(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "int-stall", code=1)
    done = run_on_path(project, "--model", "gpt-5", "--max-cost", "1")
    assert stopped(done) == ("cost", 4)
    assert end(done)["reason"] == "the cost of US-001 attempt 1 is not known"
    assert len(starts(done)) == 1
