"""A run that gets nowhere: it says so, tries otherwise, goes on with the rest, or stops."""

from pathlib import Path

from tests.run.told import end, last, starts, stopped
from tests.support.programs import program
from tests.support.project import Done, Project, make_project, story

WRONG = {"write": "src/cart.py", "text": "wrong\n"}
NOTE = {"run": "date +%N >> ../notes; echo hm >> progress.txt"}
OTHER = {"run": "date +%N >> src/cart.py"}
RED = "echo 'src/cart.py: see src/price.py'; echo took $RANDOM ms, pid $$ in $(mktemp -d); exit 1"
FILES = {"src/cart.py": "first\n", "src/price.py": "price\n", "src/test_price.py": "test\n"}


def toml(**settings: object) -> dict[str, str]:
    return {**FILES, "prd-ralph.toml": "".join(f"{key} = {value}\n" for key, value in settings.items())}


def stalled(done: Done) -> list[tuple[str, int, str]]:
    return [(each["story"], each["times"], each["answer"]) for each in done.of("stalled")]


def reasons(done: Done) -> dict[str, tuple[str, str]]:
    return {each["id"]: (each["state"], each["reason"]) for each in end(done)["stories"]}


def prompt_of(project: Project, number: int) -> str:
    """The prompt of US-001's attempt."""
    (prompt,) = (project.root / ".git/prd-ralph/runs").rglob(f"US-001/{number}/prompt.md")
    return prompt.read_text()


def test_a_stall_is_told_to_the_next_attempt_then_the_story_is_set_aside(tmp_path: Path) -> None:
    stories = [story("US-001", RED), story("US-002", "test -f b.txt")]
    script = {"stories": {"US-001": [[WRONG, NOTE]], "US-002": [[{"write": "b.txt", "text": ""}]]}}
    project = make_project(tmp_path, stories, script, FILES)
    done = project.run("--max-attempts", "9")
    assert stalled(done) == [("US-001", 2, "tell"), ("US-001", 3, "set_aside")]
    assert starts(done) == ["US-001"] * 3 + ["US-002"]
    assert stopped(done) == ("exhausted", 1)
    assert reasons(done)["US-001"] == ("exhausted", "stalled: the same failure 3 times")
    assert project.passes() == {"US-001": False, "US-002": True}
    # Its work is kept under its ref, and the other story began on base.
    assert last(done, "set_aside")["US-001"]["ref"].endswith("/US-001/3")
    assert project.git("show", f"{last(done, 'set_aside')['US-001']['ref']}:src/cart.py") == "wrong"
    assert project.git("show", "HEAD:src/cart.py") == "first"
    assert done.of("stalled")[0]["commands"] == [RED[:60]]
    assert "stalled: the same work and the same failure 2 times in a row: the next prompt says so" in done.err
    assert "stalled: the same failure 3 times" in done.err.split("stopped:")[1]
    assert "times in a row" not in prompt_of(project, 2)
    told = prompt_of(project, 3).split("2 times in a row")[1]
    touched, untouched = told.split("never touched them:")
    assert "src/cart.py" in touched.split("You touched each time:")[1].split("The failing output")[0]
    assert untouched.split("```")[1] == "\nsrc/price.py\n"


def test_what_no_agent_may_change_is_not_proposed(tmp_path: Path) -> None:
    command = "echo prd.json progress.txt src/price.py src/test_price.py src/cart.py nosuch.py README.md; exit 1"
    project = make_project(tmp_path, [story("US-001", command)], {"default": [WRONG]}, FILES, protect=["price.py"])
    project.run()
    assert prompt_of(project, 3).split("never touched them:")[1].split("```")[1] == "\nREADME.md\n"


def test_work_that_differs_is_no_stall(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", RED)], {"default": [OTHER]}, FILES)
    done = project.run("--max-attempts", "4")
    assert stalled(done) == []
    assert reasons(done)["US-001"] == ("exhausted", "4 attempts used up")


def test_a_failure_with_other_words_is_no_stall(tmp_path: Path) -> None:
    command = "echo x >> ../count; printf '%*s\\n' $(wc -l < ../count) '' | tr ' ' x; exit 1"
    project = make_project(tmp_path, [story("US-001", command)], {"default": [WRONG]}, FILES)
    done = project.run("--max-attempts", "4")
    assert stalled(done) == []
    assert len(starts(done)) == 4


def test_stories_that_pass_at_the_first_try_are_no_stall(tmp_path: Path) -> None:  # C131
    names = [f"US-00{number}" for number in range(1, 6)]
    work = {"run": "touch $PRD_RALPH_STORY_ID; echo All is done."}
    project = make_project(tmp_path, [story(name, f"test -f {name}") for name in names], {"default": [work]})
    done = project.run(PRD_RALPH_STALL_AFTER="1")
    assert stopped(done) == ("complete", 0)
    assert starts(done) == names
    assert stalled(done) == []


def test_an_agent_that_only_reads_uses_its_attempts_up(tmp_path: Path) -> None:  # C130
    project = make_project(tmp_path, [story("US-001", "false")], {"default": [NOTE]}, toml(stall_after=9))
    done = project.run("--max-attempts", "5", PRD_RALPH_MAX_ATTEMPTS="7")
    assert [event["outcome"] for event in done.of("judged")] == ["no_change"] * 5
    assert stalled(done) == []
    over = project.run("--max-attempts", "5", PRD_RALPH_STALL_AFTER="3")
    assert stalled(over) == [("US-001", 3, "tell"), ("US-001", 4, "set_aside")]


def test_the_policy_may_stop_the_run(tmp_path: Path) -> None:
    project = make_project(
        tmp_path,
        [story("US-001", RED), story("US-002", "true")],
        {"default": [WRONG]},
        toml(on_stall='["stop"]', stall_after=3),
    )
    done = project.run("--max-attempts", "9")
    assert stopped(done) == ("agent_failing", 1)
    assert stalled(done) == [("US-001", 3, "stop")]
    assert len(starts(done)) == 3
    assert end(done)["reason"] == "US-001 is stalled: the same failure 3 times"
    assert "stopped: agent_failing · US-001 is stalled" in done.err and "hint: on_stall" in done.err


def test_without_answers_the_attempts_are_the_only_bound(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", RED)], {"default": [WRONG]}, toml(on_stall="[]"))
    done = project.run("--max-attempts", "4")
    assert stalled(done) == []
    assert reasons(done)["US-001"] == ("exhausted", "4 attempts used up")


def test_a_stall_may_ask_for_another_model_where_there_is_one(tmp_path: Path) -> None:
    settings = toml(on_stall='["escalate", "set_aside"]', escalate='["small", "big"]')
    project = make_project(tmp_path, [story("US-001", RED)], {"default": [WRONG]}, settings)
    done = project.run("--max-attempts", "3", PRD_RALPH_ESCALATE_AFTER="9")
    assert stalled(done) == [("US-001", 2, "escalate"), ("US-001", 3, "set_aside")]
    assert [each["model"] for each in done.of("agent_started")] == ["small", "small", "big"]
    none = make_project(tmp_path / "b", [story("US-001", RED)], {"default": [WRONG]}, toml(on_stall='["escalate"]'))
    assert stalled(none.run("--max-attempts", "3")) == []


def test_a_model_that_is_forced_or_of_another_agents_is_not_escalated(tmp_path: Path) -> None:
    """An answer that would change nothing is none: neither for a named model, nor for an agent that stands in."""
    settings = toml(on_stall='["escalate", "set_aside"]', escalate='["small", "big"]', escalate_after=9)
    project = make_project(tmp_path, [story("US-001", RED)], {"default": [WRONG]}, settings)
    assert stalled(project.run("--max-attempts", "5", "--model", "mine")) == [("US-001", 2, "set_aside")]
    agent = program(tmp_path, "agent.sh", "cat > /dev/null; echo wrong > src/cart.py")
    agents = {"agents": '["scripted", "command"]', "agent_command": f'"{agent}"'}
    script = {"default": [{"fail": "usage_limit", "reset_in": 7200}]}
    lines = toml(on_stall='["escalate", "set_aside"]', escalate='["small", "big"]', escalate_after=9, **agents)
    other = make_project(tmp_path / "b", [story("US-001", RED)], script, lines)
    other = Project(other.root, {"PRD_RALPH_SCRIPT": other.env["PRD_RALPH_SCRIPT"]})
    assert stalled(other.run("--max-attempts", "5")) == [("US-001", 2, "set_aside")]


def test_a_limit_in_between_neither_counts_nor_ends_the_row(tmp_path: Path) -> None:
    attempts = [[WRONG], [{"fail": "usage_limit", "reset_in": 600}], [WRONG]]
    project = make_project(tmp_path, [story("US-001", RED)], {"stories": {"US-001": attempts}})
    done = project.run("--max-attempts", "3", PRD_RALPH_CLOCK="fast", PRD_RALPH_MAX_ITERATIONS="3")
    assert stalled(done) == [("US-001", 2, "tell")]
    assert [event["charged"] for event in done.of("judged")] == [True, False, True]


def test_a_new_run_starts_afresh(tmp_path: Path) -> None:  # C129
    project = make_project(tmp_path, [story("US-001", RED)], {"default": [WRONG]}, toml(on_stall='["stop"]'))
    for _ in range(2):
        done = project.run("--max-attempts", "9")
        assert stopped(done) == ("agent_failing", 1)
        assert len(starts(done)) == 2
