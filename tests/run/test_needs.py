"""Agents that want something of a person who is not there: it is named and shown, and moves no verdict."""

import re
from pathlib import Path

from tests.run.test_feedback import prompts_of
from tests.run.told import end, last, outcomes, starts, stopped
from tests.support.project import Done, Project, make_project, story

RED = story("US-001", "false")
WHY = "the staging server wants a password"
WORK = {"run": "date +%N >> a.txt"}


def asked(done: Done) -> list[tuple[str, str, str, int]]:
    return [(each["story"], each["what"], each["text"], each["times"]) for each in done.of("asked")]


def memory(project: Project) -> str:
    return (project.root / "progress.txt").read_text()


# --- stuck ----------------------------------------------------------------------------------------


def test_a_story_whose_agents_say_twice_that_they_are_stuck_is_set_aside(tmp_path: Path) -> None:
    steps = [[WORK, {"stuck": WHY}], [WORK], [WORK, {"print": "Sorry."}, {"stuck": WHY}]]
    script = {"stories": {"US-001": steps, "US-002": [[{"write": "b.txt", "text": ""}]]}}
    project = make_project(tmp_path, [RED, story("US-002", "test -f b.txt")], script)
    done = project.run("--max-attempts", "9")
    assert asked(done) == [("US-001", "stuck", WHY, 1), ("US-001", "stuck", WHY, 2)]
    assert starts(done) == ["US-001"] * 3 + ["US-002"]
    assert stopped(done) == ("exhausted", 1)
    (line, _) = end(done)["stories"]
    assert (line["state"], line["reason"]) == ("exhausted", f"the agent says that it is stuck: {WHY}")
    assert set(last(done, "set_aside")) == {"US-001"}
    assert project.passes() == {"US-001": False, "US-002": True}
    assert f"  the agent says that it is stuck: {WHY}" in done.err.splitlines()
    assert f"stuck: {WHY}" in done.err.split("stopped:")[1]
    assert memory(project).count(f"- the agent says that it is stuck: {WHY}\n") == 2
    # No nonce is where an agent of another attempt would find it.
    assert "<stuck-" not in memory(project)


def test_who_says_so_is_heard_by_the_next_attempt_and_its_story_goes_on(tmp_path: Path) -> None:
    say = f"printf '<stuck-%s>{WHY}</stuck-%s>\\n' $nonce $nonce"
    find = f'nonce=$(grep -o "<stuck-[0-9a-f]*" {tmp_path}/prompts/$n | tail -1 | cut -d- -f2)'
    project = make_project(tmp_path, [RED])
    done, prompts = prompts_of(project, "--max-attempts", "3", line=f"{find}; {say}; date +%N >> a.txt")
    assert asked(done) == [("US-001", "stuck", WHY, 1), ("US-001", "stuck", WHY, 2)]
    assert len(prompts) == 2
    assert "Its last words were" not in prompts[0]
    assert "Its last words were that it is stuck.\n" in re.sub("(stuck\\.) .*\n", "\\1\n", prompts[1])
    assert WHY in prompts[1]
    nonces = [re.findall("<stuck-([0-9a-f]+)>REASON", prompt) for prompt in prompts]
    assert [len(found) for found in nonces] == [1, 1] and nonces[0] != nonces[1]
    assert len(nonces[0][0]) >= 16


def test_an_echo_of_the_prompt_says_nothing(tmp_path: Path) -> None:
    tagged = story("US-001", "false", description="<stuck-0>no key</stuck-0> Would you like tea?")
    done = make_project(tmp_path, [tagged]).run("--agent-command", "sh -c 'cat; date +%N >> a.txt'")
    assert asked(done) == []
    assert len(starts(done)) == 3


def test_a_nonce_of_before_says_nothing(tmp_path: Path) -> None:
    # The agent finds the first attempt's prompt and says the tag of that one ever after.
    line = "cat > ../new; test -f ../first || cp ../new ../first; date +%N >> a.txt"
    say = "sed -n 's/.*`\\(<stuck-.*>\\)REASON\\(.*>\\)`.*/\\1no key\\2/p' ../first"
    (tmp_path / "agent.sh").write_text(f"{line}\n{say}\n")
    done = make_project(tmp_path, [RED]).run("--agent-command", f"sh {tmp_path}/agent.sh")
    assert asked(done) == [("US-001", "stuck", "no key", 1)]
    assert len(starts(done)) == 3


def test_a_story_that_passes_is_not_stuck_whatever_is_said(tmp_path: Path) -> None:
    script = {"default": [{"write": "a.txt", "text": ""}, {"stuck": WHY}]}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], script)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True}
    assert asked(done) == []
    (warning,) = [each["message"] for each in done.of("warning") if "stuck" in each["message"]]
    assert warning == f"the agent says that it is stuck ({WHY}), yet every command passes"


def test_an_attempt_that_is_not_charged_says_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path, [RED], {"default": [{"stuck": WHY}, {"fail": "auth"}]})
    done = project.run()
    assert stopped(done) == ("auth", 3)
    assert asked(done) == []


def test_a_new_run_counts_anew_who_is_stuck(tmp_path: Path) -> None:  # C129
    project = make_project(tmp_path, [RED], {"default": [WORK, {"stuck": WHY}]})
    for _ in range(2):
        done = project.run("--max-attempts", "9")
        assert [times for *_, times in asked(done)] == [1, 2]
        assert stopped(done) == ("exhausted", 1)


def test_a_secret_in_a_reason_is_masked(tmp_path: Path) -> None:
    key = "wc3f6lwrNf2Zk0"
    project = make_project(tmp_path, [RED], {"default": [WORK, {"stuck": f"the key {key} is refused"}]})
    done = project.run("--once", SHOP_API_KEY=key)
    assert asked(done) == [("US-001", "stuck", "the key *** is refused", 1)]
    assert key not in done.err + done.out + memory(project)


# --- questions ------------------------------------------------------------------------------------


def test_an_agent_that_only_asks_is_named_and_the_next_one_is_told(tmp_path: Path) -> None:  # C001 C002
    question = "Which DB should I use?"
    project = make_project(tmp_path, [story("US-001", "test -f feature.txt")])
    before = project.prd_path.read_bytes()
    done, prompts = prompts_of(project, "--max-attempts", "2", line=f"echo 'Hm.'; echo '{question}'")
    assert outcomes(done) == {"US-001": "no_change"}
    assert stopped(done) == ("exhausted", 1)
    assert project.prd_path.read_bytes() == before
    assert asked(done) == [("US-001", "question", question, 1)] * 2
    assert f"the agent asks, and nobody is there to answer: {question}" in done.err.split("stopped:")[0]
    assert question in done.err.split("stopped:")[1]
    assert f"Nobody answers: decide it yourself, and go on.\n\n```\n{question}\n```" in prompts[1]
    assert question not in prompts[0]


def test_a_question_of_an_agent_that_did_its_work_is_polite_and_no_more(tmp_path: Path) -> None:
    script = {"default": [{"write": "a.txt", "text": ""}, {"print": "Would you like me to add tests?"}]}
    done = make_project(tmp_path, [story("US-001", "test -f a.txt")], script).run()
    assert stopped(done) == ("complete", 0)
    assert asked(done) == [] and "nobody is there to answer" not in done.err


def test_a_question_of_one_whose_work_failed_is_shown(tmp_path: Path) -> None:
    script = {"default": [WORK, {"print": "Should I go on?"}]}
    done = make_project(tmp_path, [RED], script).run("--max-attempts", "1")
    assert outcomes(done) == {"US-001": "failed"}
    assert asked(done) == [("US-001", "question", "Should I go on?", 1)]


def test_the_next_run_is_told_what_was_asked(tmp_path: Path) -> None:
    steps = [[WORK, {"print": "Should I go on?"}], [{"save-prompt": "../prompt.md"}]]
    project = make_project(tmp_path, [RED], {"stories": {"US-001": steps}})
    assert len(asked(project.run("--once"))) == 1
    project.run("--once")
    assert "```\nShould I go on?\n```" in (tmp_path / "prompt.md").read_text()


# --- no work, no start ----------------------------------------------------------------------------


def test_three_starts_that_fail_at_once_end_the_run_with_their_words(tmp_path: Path) -> None:  # C092 C144 C155
    script = {"default": [{"stderr": "line one"}, {"stderr": "cannot be started as root"}, {"exit": 1}]}
    stories = [story(name, "false") for name in ("US-001", "US-002", "US-003", "US-004")]
    project = make_project(tmp_path, stories, script)
    for _ in range(2):  # C129: nothing is to be reset by hand
        done = project.run("--max-attempts", "1")
        assert stopped(done) == ("agent_failing", 1)
        assert starts(done) == ["US-001", "US-002", "US-003"]
        assert end(done)["reason"] == "3 starts in a row failed at once: cannot be started as root"
        shown, summary = done.err.split("stopped:")
        assert shown.count("line one") == 3 and "cannot be started as root" in summary.splitlines()[0]


def test_an_agent_that_works_in_between_ends_the_row(tmp_path: Path) -> None:
    fails = [{"exit": 1}]
    project = make_project(tmp_path, [RED], {"stories": {"US-001": [fails, fails, [WORK], fails, fails, [WORK]]}})
    done = project.run("--max-attempts", "6", PRD_RALPH_STALL_AFTER="9")
    assert stopped(done) == ("exhausted", 1)
    assert len(starts(done)) == 6
