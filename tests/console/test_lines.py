"""The lines of a run, for events as a run emits them."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prd_ralph import events
from prd_ralph.console import ConsoleLines, JsonLines, Verbosity
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.events import RunEvent, as_line, as_record
from prd_ralph.model import ActionKind, AgentAction
from tests.console.happened import RUN, agent_finished, check, iteration, judged, landed, run_finished, run_started


def show(*happened: RunEvent, verbosity: Verbosity = Verbosity.NORMAL) -> str:
    stream = io.StringIO()
    lines = ConsoleLines(stream, {}, RUN, verbosity)
    for event in happened:
        lines.emit(event)
    return stream.getvalue()


def test_the_header_prints_every_limit() -> None:
    assert show(run_started(untracked=("a.txt", "b.txt"))) == (
        "TaskFlow · prd.json · 2 of 3 stories open\n"
        "  branch ralph/x at abcdef012\n"
        "  agent claude 2.1\n"
        "  limits: attempts 3 · iterations 26 · run 1d · idle off\n"
        "  2 untracked files of yours, left alone: a.txt, b.txt\n"
    )


def test_the_header_prints_what_may_be_spent() -> None:
    limits = {"attempts": 3, "cost_usd": 5.0, "story_cost_usd": 0.5, "assumed_usd": 0.25, "tokens": 5_000_000}
    told = "cost 5.00 USD · story cost 0.50 USD · assumed 0.25 USD · tokens 5.0M"
    assert f"  limits: attempts 3\n  spending: {told}\n" in show(run_started(limits=limits))


def test_many_files_are_counted_and_some_are_listed() -> None:
    shown = show(run_started(branch=None, untracked=tuple(f"{number}.txt" for number in range(14))))
    assert "14 untracked files of yours, left alone: 0.txt, " in shown
    assert "9.txt and 4 more\n" in shown
    assert "10.txt" not in shown
    assert "detached HEAD" in shown


def test_what_is_kept_of_the_environment_is_told_by_name() -> None:
    names = tuple(f"KEY_{number}" for number in range(12))
    told = show(run_started(kept_from_agent=names, kept_from_commands=("\x1b[31mX",))).splitlines()
    assert told[-2].startswith("  kept from the agent: KEY_0, KEY_1, ")
    assert told[-2].endswith(", KEY_9 and 2 more")
    assert told[-1] == "  kept from the commands: X"


def test_an_iteration_that_passes() -> None:
    assert show(iteration(charged=1), agent_finished(), check(), judged(), landed()) == (
        "[1/26] US-001 Add a field · attempt 2/3\n  ✓ npm test 0.3s\n  passed · 15s · 123456789\n"
    )


def test_a_failed_check_says_its_command_exit_code_and_output() -> None:
    excerpt = "\n".join(f"line {number}" for number in range(12))
    shown = show(check("failed", name="api", command="pytest -q", exit_code=2, excerpt=excerpt), judged("failed"))
    assert shown.startswith(
        "  ✗ api exit 2 · 0.3s\n    $ pytest -q\n      … 2 lines before\n      line 2\n      line 3\n"
    )
    assert shown.endswith("      line 11\n  failed · 15s\n")


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        ("failed", -9, "✗ npm test signal 9 · 0.3s"),
        ("failed", None, "✗ npm test no exit status · 0.3s"),
        ("timed_out", None, "✗ npm test timed out · 0.3s"),
        ("missing_tool", 127, "✗ npm test command not found (exit 127) · 0.3s"),
        ("interrupted", None, "✗ npm test interrupted · 0.3s"),
    ],
)
def test_how_checks_end(status: str, code: int | None, words: str) -> None:
    assert show(check(status, exit_code=code)) == f"  {words}\n"


def test_a_suspect_pass_says_why() -> None:
    assert show(check(suspect="no tests ran")) == "  ✓ npm test 0.3s · suspect: no tests ran\n"


def test_a_failed_agent_shows_its_end_and_where_all_of_it_is() -> None:
    shown = show(agent_finished(exit_code=3, failure="error", tail="boom\n", attempt=4, story="US 1"))
    assert shown == (
        f"  agent: exit 3 · error · 12s\n      boom\n  all of it: prd-ralph show {RUN} 'US 1' 4 --transcript\n"
    )


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("wall", "time limit reached"),
        ("idle", "no sign of life"),
        ("stopped", "stopped"),
        ("lost", "lost: its supervisor is gone"),
        ("not_started", "not started"),
        ("new_word", "new_word"),
    ],
)
def test_how_agents_end(end: str, words: str) -> None:
    assert show(agent_finished(end=end, exit_code=None)).startswith(f"  agent: {words} · 12s\n")


def test_an_agent_that_stays_after_its_result_is_no_failed_one() -> None:
    stayed = agent_finished(end="lingered", exit_code=-15)
    assert show(stayed) == ""
    assert show(stayed, verbosity=Verbosity.VERBOSE) == "  agent: ended 15s after its result · 12s\n"
    failed = agent_finished(end="lingered", exit_code=-15, failure="error", tail="boom")
    assert show(failed).startswith("  agent: ended 15s after its result · error · 12s\n      boom\n")


def test_an_agent_that_goes_round_in_circles_is_named_and_its_end_told_once() -> None:
    call: dict[str, Any] = {"story": "US-001", "attempt": 1, "tool": "Bash", "signature": "", "text": "Bash: npm test"}
    named = events.Repeated(**call, times=3, ended=False)
    assert show(named) == "  the same call 3 times in a row: Bash: npm test\n"
    assert show(events.Repeated(**call, times=6, ended=True)) == ""


def test_processes_left_behind_are_told() -> None:
    assert show(agent_finished(swept=2)) == "  ended 2 processes that it left behind\n"
    assert show(agent_finished(stuck=(7, 8))) == "  could not be ended: pid 7, 8\n"


def test_an_agent_that_did_not_pass_has_the_last_words() -> None:
    for outcome in ("no_change", "failed"):
        shown = show(agent_finished(tail="Which DB should I use?\n"), judged(outcome))
        assert shown == f"  the agent's last words:\n      Which DB should I use?\n  {outcome} · 15s\n"
    assert show(agent_finished(exit_code=1, tail="x"), judged("no_change")).count("      x\n") == 1
    assert show(agent_finished(tail=" \n"), judged("no_change")) == "  no_change · 15s\n"
    assert show(agent_finished(tail="done"), judged()) == ""
    assert show(agent_finished(tail="\n".join("abcdefg")), judged("failed")).splitlines()[1:-1] == [
        "      … 2 lines before",
        *(f"      {line}" for line in "cdefg"),
    ]


def test_a_limit_has_one_name() -> None:
    shown = show(agent_finished(end="wall", exit_code=None, failure="hang"), judged("timed_out", "wall"))
    assert shown.splitlines()[0] == "  agent: time limit reached · 12s"
    assert shown.splitlines()[-1] == "  timed_out · time limit reached · 15s"


def test_reasons_warnings_and_charges_are_in_the_closing_line() -> None:
    shown = show(judged("agent_error", "transient", charged=False, warnings=("left\x1b[31m behind",)))
    assert shown == "  warning: left behind\n  agent_error · transient · not charged · 15s\n"


def test_tampering_proposals_and_what_is_left_out() -> None:
    shown = show(
        events.Tampered(story="US-001", attempt=1, what=("/userStories/0/passes",), proposals=("More",)),
        events.Tampered(story="US-001", attempt=1, what=()),
        events.Proposed(story="US-001", attempt=1, stories=({"title": "More"},)),
        events.Proposed(story="US-001", attempt=1, stories=({"title": "More"},), accepted=("US-004",)),
        events.CandidateFrozen(story="US-001", attempt=1, tree="t", files=("a",), left_out=(".env: secrets",)),
    )
    assert shown == (
        "  tampered, put back: /userStories/0/passes\n"
        "  proposed by the agent: More\n"
        "  taken up, as new stories: US-004 More\n"
        "  left out of the commit: .env: secrets\n"
    )


def test_set_aside_says_where_it_is() -> None:
    ref = f"refs/prd-ralph/{RUN}/US%201/3"
    shown = show(events.SetAside(story="US 1", attempt=3, moved=("big.bin",), ref=ref))
    assert shown == (f"  set aside: {ref} holds it\n  moved to the state folder: big.bin\n")


def test_a_landing_that_fails_is_not_called_passed() -> None:
    shown = show(judged(), events.LandFailed(story="US-001", attempt=1, text="hook says no\n"), run_finished())
    assert shown.startswith("  land_failed: no commit was made, the work is kept\n      hook says no\n")
    assert "  passed" not in shown


def test_a_pass_whose_commit_never_came_is_still_told() -> None:
    assert "  passed · 15s\n[1/26]" in show(judged(), iteration())
    assert "  passed · 15s\n" in show(judged(), run_finished())
    assert show(judged(), judged("failed", "hook")) == "  failed · hook · 15s\n"


def test_warnings() -> None:
    shown = show(events.Warned(message="odd"), events.Warned(message="odder", story="US-001"))
    assert shown == "warning: odd\nwarning: US-001: odder\n"


def test_an_event_nobody_knows_is_passed_over() -> None:
    assert show(RunEvent()) == ""


STORIES = (
    {"id": "US-001", "title": "One", "passes": True, "state": "passed", "attempts": 1, "proof": "proved"},
    {"id": "US-002", "title": "Two", "passes": False, "state": "exhausted", "attempts": 3, "proof": None},
    {
        "id": "US-003",
        "title": "Three",
        "passes": False,
        "state": "blocked",
        "attempts": 0,
        "reason": "waits for US-002",
    },
    {"id": "US-004", "title": "Four", "passes": True, "state": "passed", "attempts": None, "proof": "unproven"},
)


def test_the_summary_names_every_story_and_what_failed() -> None:
    shown = show(
        run_started(),
        iteration(),
        check("failed", command="old failure"),
        iteration(),
        judged(),
        landed(),
        iteration("US-002", attempt=7),
        check("failed", story="US-002", exit_code=4, command="make e2e"),
        run_finished("exhausted", 1, stories=STORIES, passed=2, total=4, failing=1, blocked=1, cost_usd=1.5),
        verbosity=Verbosity.QUIET,
    )
    assert shown == (
        "\nstopped: exhausted · exit 1\n"
        "2 of 4 stories passed · 1 failing · 1 blocked · 0 skipped · 2 iterations · 1m 5s · $1.50\n"
        "  ✓ US-001 One · passed · 1 attempt · 123456789\n"
        "  ✗ US-002 Two · exhausted · 3 attempts\n"
        "      exit 4: make e2e\n"
        "  - US-003 Three · blocked · waits for US-002\n"
        "  ✓ US-004 Four · passed · unproven\n"
        "branch: ralph/x\n"
        f"next: prd-ralph show {RUN} US-002 7 --checks   (mend what it shows, then the same command again)\n"
    )


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ("complete", "git log --stat abcdef012..HEAD"),
        ("signal", "the same command again   (goes on"),
        ("once", "the same command again   (goes on"),
        ("wall_time", "fresh budgets"),
        ("auth", "log the agent in"),
        ("blocked", "prd-ralph status"),
        ("exhausted", "the same command again"),
    ],
)
def test_every_stop_says_what_to_type_next(stop: str, words: str) -> None:
    last = show(run_started(), run_finished(stop, branch=None)).splitlines()[-1]
    assert last.startswith("next: ")
    assert words in last


def test_a_failing_agent_is_to_be_looked_at() -> None:
    story = {"id": "US-002", "title": "Two", "passes": False, "state": "ready", "attempts": 3}
    shown = show(iteration("US-002"), run_finished("agent_failing", 1, stories=(story,)))
    assert f"next: prd-ralph show {RUN} US-002 1 --transcript" in shown
    assert "git log --stat\n" in show(run_finished())


def test_quiet_is_the_summary_only_and_verbose_is_more() -> None:
    happened = (
        run_started(),
        iteration(),
        events.AgentStarted(story="US-001", attempt=1, agent="claude", model=None, prompt_bytes=99),
        agent_finished(),
        events.CandidateFrozen(story="US-001", attempt=1, tree="t", files=("a", "b")),
    )
    assert show(*happened, verbosity=Verbosity.QUIET) == ""
    shown = show(*happened, verbosity=Verbosity.VERBOSE)
    for line in ("  agent claude · prompt 99 bytes\n", "  agent: exit 0 · 12s\n", "  changed 2 files\n"):
        assert line in shown
        assert line not in show(*happened)


def test_what_the_agent_does_is_said_only_when_asked_for() -> None:
    stream = io.StringIO()
    ConsoleLines(stream, {}, RUN).action(AgentAction(ActionKind.USES, "edit a.py"))
    assert stream.getvalue() == ""
    lines = ConsoleLines(stream, {}, RUN, Verbosity.VERBOSE)
    for kind in ActionKind:
        lines.action(AgentAction(kind, "edit\x1b[2J a.py\n\n  and\tmore\n"))
    lines.action(AgentAction(ActionKind.SAYS, " \n"))
    assert stream.getvalue() == "".join(
        f"  {kind}  edit a.py\n          and    more\n" for kind in ("says", "uses", "gets", "note")
    )


def test_the_flags_that_let_an_agent_act_without_asking_are_in_the_header() -> None:
    shown = show(run_started(autonomy={"claude 2.1": "--yes \x1b[2J"}))
    assert "  claude 2.1 may act without asking: --yes \n" in shown


ON_GITHUB = {"GITHUB_ACTIONS": "true"}


def on_github(*happened: RunEvent, verbosity: Verbosity = Verbosity.NORMAL) -> str:
    stream = io.StringIO()
    lines = ConsoleLines(stream, ON_GITHUB, RUN, verbosity)
    for event in happened:
        lines.emit(event)
    lines.close()
    return stream.getvalue()


def test_on_github_an_iteration_is_a_group_of_the_log() -> None:
    shown = on_github(iteration(title="100%0Adone"), check(), judged(), landed(), iteration(), check())
    assert shown == (
        "::group::[1/26] US-001 100%250Adone · attempt 1/3\n"
        "  ✓ npm test 0.3s\n"
        "::endgroup::\n"
        "  passed · 15s · 123456789\n"
        "::group::[1/26] US-001 Add a field · attempt 1/3\n"
        "  ✓ npm test 0.3s\n"
        "::endgroup::\n"
    )
    assert "::group::" not in show(iteration())


def test_on_github_nothing_foreign_is_a_command_to_the_runner() -> None:
    evil = "::error::x\n  ::add-mask::secret\n##[add-path]/evil and ##[group]"
    happened = (
        run_started(project=evil, untracked=(evil,), autonomy={evil: evil}),
        iteration(evil, title=evil),
        agent_finished(story=evil, exit_code=1, tail=evil),
        check("failed", story=evil, name=evil, command=evil + "2", excerpt=evil),
        judged("failed", evil, warnings=(evil,)),
        events.LandFailed(story=evil, attempt=1, text=evil),
        events.Warned(message=evil, story=evil),
        run_finished("exhausted", 1, reason=evil, branch=evil, hint=evil),
    )
    lines = on_github(*happened, verbosity=Verbosity.VERBOSE).splitlines()
    obeyed = [line for line in lines if line.lstrip().startswith("::")]
    assert [line.partition("[")[0] for line in obeyed] == ["::group::", "::endgroup::"]
    assert "##[" not in "\n".join(lines)
    assert "|       ::error::x" in lines


def test_on_github_json_lines_hold_the_same_values_and_no_command() -> None:
    stream = io.StringIO()
    record = as_record(events.Warned(message="##[add-path]\\##["), RUN, 1, "2031-03-01T08:00:00Z")
    JsonLines(stream, ON_GITHUB).write(record)
    assert "##[" not in stream.getvalue()
    assert json.loads(stream.getvalue()) == record


def test_nothing_foreign_steers_the_terminal() -> None:
    evil = "x\x1b[2J\x1b]0;owned\x07\r\n\x9b31m\u202e"
    story = {"id": evil, "title": evil, "passes": False, "state": "ready", "reason": evil}
    shown = show(
        run_started(project=evil, prd=evil, branch=evil, agent=evil, untracked=(evil,)),
        iteration(evil, title=evil),
        agent_finished(story=evil, exit_code=1, tail=evil),
        check("failed", story=evil, name=evil, command=evil + "2", excerpt=evil),
        judged("failed", evil, warnings=(evil,)),
        events.Tampered(story=evil, attempt=1, what=(evil,), proposals=(evil,)),
        events.SetAside(story=evil, attempt=1, moved=(evil,)),
        events.LandFailed(story=evil, attempt=1, text=evil),
        events.Warned(message=evil, story=evil),
        run_finished("exhausted", 1, reason=evil, branch=evil, stories=(story,)),
        verbosity=Verbosity.VERBOSE,
    )
    assert all(line.isprintable() for line in shown.split("\n"))


def test_lines_are_bounded() -> None:
    long = "y" * 100_000
    shown = show(iteration(title=long), check("failed", name=long, excerpt=long), judged("failed", long))
    assert max(map(len, shown.splitlines())) < 250


def test_on_a_terminal_there_is_colour_unless_it_is_not_wanted() -> None:
    def on_terminal(env: dict[str, str]) -> bytes:
        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "w", encoding="utf-8") as stream:
            ConsoleLines(stream, env, RUN).emit(check())
            shown = os.read(ours, 1000)
        os.close(ours)
        return shown

    assert on_terminal({}) == b"\x1b[32m  \xe2\x9c\x93 npm test 0.3s\x1b[0m\r\n"
    plain = b"  \xe2\x9c\x93 npm test 0.3s\r\n"
    assert on_terminal({"NO_COLOR": "1"}) == on_terminal({"TERM": "dumb"}) == plain


def test_no_escapes_off_a_terminal() -> None:
    assert "\x1b" not in show(run_started(), iteration(), check("failed"), judged("failed"), run_finished())


def test_an_ascii_stream_gets_ascii() -> None:
    raw = io.BytesIO()
    lines = ConsoleLines(io.TextIOWrapper(raw, encoding="ascii"), {}, RUN)
    lines.emit(iteration(title="é"))
    lines.emit(check())
    assert raw.getvalue() == b"[1/26] US-001 \\xe9 - attempt 1/3\n  + npm test 0.3s\n"


def test_json_lines_are_the_ledgers() -> None:
    stream = io.StringIO()
    record = as_record(events.Warned(message="é\x1b"), RUN, 1, "2031-03-01T08:00:00Z")
    JsonLines(stream).write(record)
    assert stream.getvalue() == f"{as_line(record)}\n"
    assert re.fullmatch(r"[\x20-\x7e]+\n", stream.getvalue())


READER_GONE = """
import os, sys
from prd_ralph.console import ConsoleLines, JsonLines
from prd_ralph.events import Warned
sys.stdin.read()
stream = sys.stdout if sys.argv[1] == "out" else sys.stderr
write = JsonLines(stream).write if sys.argv[1] == "out" else ConsoleLines(stream, {}, "r").emit
for _ in range(3):
    write({"a": 1} if sys.argv[1] == "out" else Warned(message="x"))
"""


@pytest.mark.parametrize("which", ["out", "err"])
def test_a_reader_that_goes_away_ends_no_run(which: str) -> None:
    ours, theirs = os.pipe()
    streams = {"out": subprocess.PIPE, "err": subprocess.PIPE, which: theirs}
    with subprocess.Popen(
        [sys.executable, "-c", READER_GONE, which], stdin=subprocess.PIPE, stdout=streams["out"], stderr=streams["err"]
    ) as process:
        os.close(theirs)
        os.close(ours)
        out, err = process.communicate(b"go")
    assert (process.returncode, out or b"", err or b"") == (0, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_onto_a_full_disk_is_said() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as stream:
        lines = JsonLines(stream)
        with pytest.raises(RalphError, match="disk full") as caught:
            lines.write({"a": 1})
        assert caught.value.code is ExitCode.ENVIRONMENT
        lines.write({"a": 2})


def stalled(answer: str, story: str = "US-001") -> events.Stalled:
    return events.Stalled(story=story, attempt=2, times=2, answer=answer, commands=("npm test",))


def asked(what: str, text: str, times: int = 1) -> events.Asked:
    return events.Asked(story="US-001", attempt=1, what=what, text=text, times=times)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("tell", "the next prompt says so"),
        ("escalate", "the next attempt is another model's"),
        ("set_aside", "the story is set aside"),
        ("stop", "the run stops"),
        ("from the future", "from the future"),
    ],
)
def test_a_stall_is_told_with_what_is_done_about_it(answer: str, words: str) -> None:
    shown = show(judged("failed"), stalled(answer))
    assert shown.splitlines()[-1] == f"  stalled: the same work and the same failure 2 times in a row: {words}"


def test_what_an_agent_wants_of_a_person_is_told_and_stands_in_the_summary() -> None:
    open_story = {"id": "US-001", "title": "One", "passes": False, "state": "ready", "attempts": 1}
    over = run_finished("once", 1, stories=(open_story,))
    for need, line in (
        (asked("stuck", "no\x1b[2J key"), "the agent says that it is stuck: no key"),
        (asked("question", "Should I?"), "the agent asks, and nobody is there to answer: Should I?"),
    ):
        before, after = show(iteration(), agent_finished(), need, judged("failed"), over).split("stopped:")
        assert f"  {line}\n" in before
        assert f"      {line}\n" in after
        again = show(iteration(), need, judged("failed"), iteration(charged=1), judged("failed"), over)
        assert line not in again.split("stopped:")[1]


def test_an_attempt_without_work_is_named_in_the_summary() -> None:
    open_story = {"id": "US-001", "title": "One", "passes": False, "state": "ready", "attempts": 1}
    over = run_finished("once", 1, stories=(open_story,))
    shown = show(iteration(), agent_finished(failure="no_work"), judged("no_change", "no_work"), over)
    assert "      agent: no work: it called no tool, changed nothing\n" in shown.split("stopped:")[1]
