"""What the next attempt is told, and what a person sees while a run goes on."""

import re
from pathlib import Path

import pytest

from tests.run.told import last, outcomes, stopped
from tests.support.project import Done, Project, make_project, story

WORK = {"write": "a.txt", "text": "a\n"}


def prompts_of(project: Project, *args: str, line: str = "date +%N >> a.txt") -> tuple[Done, list[str]]:
    """A run whose agent saves each prompt, then does `line`; the prompts in their order."""
    folder = project.root.parent / "prompts"
    folder.mkdir()
    agent = project.root.parent / "agent.sh"
    agent.write_text(f"n=$(ls {folder} | wc -l); cat > {folder}/$n\n{line}\n")
    done = project.run("--agent-command", f"sh {agent}", *args)
    return done, [(folder / str(number)).read_text() for number in range(len(list(folder.iterdir())))]


# --- the prompt -----------------------------------------------------------------------------------


def test_the_prompt_orders_the_work_names_one_story_and_its_commands(tmp_path: Path) -> None:  # C032 C098
    stories = [
        story("US-001", "true", title="Was done before", passes=True),
        story("US-002", "test -f a.txt", ["grep", "-q", "a b", "a.txt"], acceptanceCriteria=["It holds “a”."]),
        story("US-003", "false", title="Comes later"),
    ]
    project = make_project(tmp_path, stories, verificationCommands=["make lint || true"])
    _, (prompt,) = prompts_of(project, "--once", "--check", "test -d .")
    order, fence, *first = prompt[: prompt.index("\n\n")].splitlines()
    assert order.startswith("Implement story US-002 ") and fence == "```"
    commands = ["make lint || true", "test -d .", "test -f a.txt", "grep -q 'a b' a.txt"]
    assert first == [*commands, "```"]
    assert "It holds “a”." in prompt
    assert "US-003" not in prompt and "Comes later" not in prompt
    assert "US-001 - Was done before" in prompt[prompt.index("Already done") :]


def test_what_failed_and_how_is_told_to_the_next_attempt(tmp_path: Path) -> None:  # C102
    noise = "for i in $(seq 5000); do echo noise $i; done"
    command = f"echo started; {noise}; echo 'AssertionError: 1 != 2'; {noise}; echo '```'; echo the end; exit 3"
    check = {"name": "unit tests", "run": command}
    project = make_project(tmp_path, [story("US-001", check, "exit 4")])
    done, (first, second) = prompts_of(project, "--max-attempts", "2")
    assert stopped(done) == ("exhausted", 1)
    assert "What was tried before" not in first
    told = second[second.index("What was tried before") : second.index("## Rules")]
    for part in ("$ unit tests", "AssertionError: 1 != 2", "the end", "[exit 3]", "$ exit 4", "[exit 4]", "a.txt"):
        assert part in told
    assert len(second) < len(first) + 12_000
    # The output's own fence is no end of ours.
    assert "````\n$ unit tests\n" in told and "\n```\nthe end\n[exit 3]\n````" in told


def test_a_reviewer_is_a_command_like_any_other_and_its_words_are_told(tmp_path: Path) -> None:  # C038
    reviewer = tmp_path / "review"
    reviewer.write_text("#!/bin/sh\ngrep -q polished a.txt || { echo 'NEEDS_WORK: polish it'; exit 1; }\n")
    reviewer.chmod(0o755)
    project = make_project(tmp_path, [story("US-001", "test -f a.txt", [str(reviewer), "--strict"])])
    done, prompts = prompts_of(project, line="test -f a.txt && echo polished >> a.txt; touch a.txt")
    assert stopped(done) == ("complete", 0)
    assert len(prompts) == 2
    assert "NEEDS_WORK: polish it" in prompts[1]


def test_a_time_out_and_a_missing_tool_are_told_as_such(tmp_path: Path) -> None:
    slow = {"run": "echo waiting; sleep 300", "timeout": 1}
    project = make_project(tmp_path, [story("US-001", slow, "no-such-tool-of-ours")])
    _, prompts = prompts_of(project, "--max-attempts", "2")
    assert "waiting\n[timed out]" in prompts[1]
    assert "[missing tool]" in prompts[1]


def test_the_memory_that_goes_into_a_prompt_is_bounded(tmp_path: Path) -> None:  # C104
    head = "## Codebase Patterns\n- use tabs\n\n## Log\n"
    memory = head + "".join(f"entry {number}: {'x' * 100}\n" for number in range(100_000))
    project = make_project(tmp_path, [story("US-001", "false")], files={"progress.txt": memory})
    done, prompts = prompts_of(project, "--max-attempts", "2")
    assert "- use tabs" in prompts[0] and "entry 0:" not in prompts[0] and "entry 99999:" in prompts[0]
    assert len(prompts[1]) < 40_000
    assert [event["prompt_bytes"] for event in done.of("agent_started")] == [len(each.encode()) for each in prompts]
    now = (project.root / "progress.txt").read_text()
    older = (project.root / ".git/prd-ralph/archive/progress-1.txt").read_text()
    assert now.startswith(head.removesuffix("## Log\n") + "---\n1 older entry: ")
    assert memory.startswith(head.removesuffix("## Log\n") + older)
    assert memory.removeprefix(head.removesuffix("## Log\n") + older) in now


def test_what_agents_and_attempts_leave_in_the_memory_reaches_the_next_prompt(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt"), story("US-002", "false")])
    _, prompts = prompts_of(project, "--max-attempts", "1", line="echo '- learned: y' >> progress.txt; touch a.txt")
    assert "- learned: y" in prompts[1]
    assert "US-001 attempt 1: passed" in prompts[1]
    assert "feat: US-001 - Title of US-001" in prompts[1]
    assert "- learned: y" in project.git("show", "HEAD:progress.txt")


LONG = "🙂 line\n" * 200_000  # 2 MB


@pytest.mark.parametrize("way", ["stdin", "file"])
def test_a_long_prompt_arrives_byte_for_byte(tmp_path: Path, way: str) -> None:  # C081 C095
    project = make_project(tmp_path, [story("US-001", "test -f a.txt", description=LONG)])
    agent = tmp_path / "agent.sh"
    agent.write_text("cat $1 > ../prompt; cat | wc -c > ../rest; touch a.txt\n")
    done = project.run("--agent-command", f"sh {agent}{' {prompt_file}' if way == 'file' else ''}")
    assert stopped(done) == ("complete", 0)
    prompt = (tmp_path / "prompt").read_bytes()
    assert LONG.encode() in prompt
    assert len(prompt) == last(done, "agent_started")["US-001"]["prompt_bytes"]
    # Whoever reads on finds the end: there is no terminal and no open pipe.
    assert (tmp_path / "rest").read_text().strip() == "0"


def test_a_prompt_too_long_for_an_argument_is_refused_with_the_way_out(tmp_path: Path) -> None:  # C095
    project = make_project(tmp_path, [story("US-001", "true", description=LONG), story("US-002", "true")])
    done = project.run("--agent-command", "sh -c 'touch ../paid' {prompt}")
    assert done.code in (2, 3)
    assert "too long for an argument" in done.err and "{prompt_file}" in done.err
    assert not (tmp_path / "paid").exists()
    assert project.passes() == {"US-001": False, "US-002": False}


def test_a_broken_edit_of_the_template_keeps_the_last_good_one(tmp_path: Path) -> None:
    template = ".prd-ralph/templates/prompt.md.j2"
    edits = f"printf '%s' 'Now {{{{ story.nope }}}}' > {template}"
    project = make_project(tmp_path, [story("US-001", "false")], files={template: "Do {{ story.id }}, please.\n"})
    done, prompts = prompts_of(project, "--max-attempts", "2", line=edits)
    assert prompts == ["Do US-001, please.\n"] * 2
    assert any("template" in event["message"] for event in done.of("warning"))
    assert "warning: " in done.err


# --- what a person sees ---------------------------------------------------------------------------


def test_each_iteration_says_what_begins_and_how_it_ended(tmp_path: Path) -> None:  # C140
    stories = [story("US-001", "test -f a.txt"), story("US-002", "false")]
    done = make_project(tmp_path, stories, {"default": [WORK]}).run("--max-attempts", "2")
    lines = [line for line in done.err.splitlines() if re.match(r"\[|  (passed|failed|no_change) ·", line)]
    shapes = [re.sub(r"[\d.]+m?s\b", "T", re.sub(r"· [0-9a-f]{9}$", "· C", line)) for line in lines]
    assert shapes == [
        "[1/24] US-001 Title of US-001 · attempt 1/2",
        "  passed · proved · T · C",
        "[2/24] US-002 Title of US-002 · attempt 1/2",
        "  no_change · T",
        "[3/24] US-002 Title of US-002 · attempt 2/2",
        "  no_change · T",
    ]
    assert "\x1b" not in done.err


def test_an_agent_that_speaks_only_on_stderr_is_heard(tmp_path: Path) -> None:  # C144
    script = {"default": [{"write": "a.txt", "text": "x"}, {"stderr": "boom: no quota for you"}, {"exit": 3}]}
    project = make_project(tmp_path, [story("US-001", "false")], script)
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == {"US-001": "agent_error"}
    agent = last(done, "agent_finished")["US-001"]
    assert (agent["exit_code"], agent["tail"]) == (3, "boom: no quota for you")
    assert "agent: exit 3" in done.err and "boom: no quota for you" in done.err
    way = re.search(r"all of it: prd-ralph (show .*)", done.err)
    assert way is not None
    assert "boom: no quota for you" in project(*way[1].split()).out


def test_the_ledger_holds_what_json_printed(tmp_path: Path) -> None:  # C042
    project = make_project(tmp_path, [story("US-001", "false")], {"default": [WORK]})
    done = project.run("--max-attempts", "2")
    (ledger,) = (project.root / ".git/prd-ralph").rglob("events.jsonl")
    assert ledger.read_text() == done.out
    assert [event["seq"] for event in done.events] == list(range(1, len(done.events) + 1))
    assert {event["run"] for event in done.events} == {ledger.parent.name}
    kinds = [event["kind"] for event in done.events]
    assert kinds[0] == "run_started" and kinds[-1] == "run_finished"
    attempt = ["iteration_started", "agent_started", "agent_finished", "candidate_frozen", "check_finished", "judged"]
    assert kinds[1] == "baseline_finished" and kinds[2:8] == attempt


EXITS: dict[str, tuple[list[str], str, int]] = {  # C141
    "all pass": (["true"], "complete", 0),
    "one left": (["false"], "exhausted", 1),
}


@pytest.mark.parametrize("how", EXITS)
def test_the_exit_code_is_that_of_the_whole_run(tmp_path: Path, how: str) -> None:
    commands, stop, code = EXITS[how]
    project = make_project(tmp_path, [story("US-001", *commands)], {"default": [WORK]})
    done = project("run", "-q", "--max-attempts", "1")
    assert (done.code, done.out) == (code, "")
    assert f"stopped: {stop} · exit {code}" in done.err
    status = project("status", "--json")
    assert ('"passed": 1' in status.out) == (code == 0)


def test_a_new_run_is_told_how_the_attempt_in_the_tree_failed(tmp_path: Path) -> None:
    steps = [[{"write": "a.txt", "text": "wrong\n"}, {"save-prompt": "../prompt.md"}]]
    project = make_project(
        tmp_path, [story("US-001", "cat a.txt; grep -q right a.txt")], {"stories": {"US-001": steps}}
    )
    assert project.run("--once").code == 1
    assert "What was tried before" not in (tmp_path / "prompt.md").read_text()
    assert project.run("--once").code == 1
    prompt = (tmp_path / "prompt.md").read_text()
    assert "What was tried before" in prompt
    assert "$ cat a.txt; grep -q right a.txt\nwrong\n[exit 1]" in prompt
