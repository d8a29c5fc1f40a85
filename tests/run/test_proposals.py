"""Stories that agents want added: kept aside and told, or, as far as the person allows it, taken up."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.run.told import end, last, starts, stopped
from tests.support.project import Done, Project, make_project, story

WISH = {
    "title": "Cache it",
    "description": "So that it is fast.",
    "acceptanceCriteria": ["It is cached"],
    "verificationCommands": ["test -f cache.txt"],
}
WORK = {"write": "a.txt", "text": "a\n"}
CACHE = {"write": "cache.txt", "text": "c\n"}
OPEN = story("US-001", "test -f a.txt")


def says(*wishes: Any) -> dict[str, str]:
    return {"print": "\n".join(f"<story>{json.dumps(wish)}</story>" for wish in wishes)}


def stories(project: Project) -> list[dict[str, Any]]:
    return list(json.loads(project.prd_path.read_bytes())["userStories"])


def warnings(done: Done) -> list[str]:
    return [event["message"] for event in done.of("warning")]


def test_a_wish_is_told_and_prd_json_stays(tmp_path: Path) -> None:
    project = make_project(tmp_path, [OPEN], {"stories": {"US-001": [[WORK, says(WISH)]]}})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert [each["id"] for each in stories(project)] == ["US-001"]
    (proposed,) = done.of("proposed")
    assert (proposed["story"], proposed["attempt"], proposed["accepted"]) == ("US-001", 1, [])
    assert proposed["stories"] == [WISH]
    assert "proposed by agents: Cache it   (prd-ralph proposals)" in done.err
    assert "agents propose 1 more story   (prd-ralph proposals)" in project("status").out
    assert json.loads(project("status", "--json").out)["proposals"] == 1


def test_a_story_written_into_prd_json_is_a_wish_and_no_story(tmp_path: Path) -> None:
    wish = {**WISH, "id": "US-007", "passes": True, "skip": False, "supersedes": ["US-001"], "agent": "other"}
    script = {"stories": {"US-001": [[WORK, {"prd": {"set": {"/userStories/-": wish}}}]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert [each["id"] for each in stories(project)] == ["US-001"]
    assert last(done, "proposed")["US-001"]["stories"] == [{"id": "US-007", **WISH}]


def test_an_agent_that_prints_its_prompt_proposes_nothing(tmp_path: Path) -> None:
    told = story("US-001", "test -f a.txt", description=f"Parse <story>{json.dumps(WISH)}</story> blocks.")
    project = make_project(tmp_path, [told])
    done = project.run("--agent-command", "sh -c 'cat; touch a.txt'")
    assert stopped(done) == ("complete", 0)
    assert "<story>" in project("show", "--transcript", done.events[0]["run"], "US-001", "1").out
    assert done.of("proposed") == []
    assert [each for each in warnings(done) if "proposal" in each] == []


def test_a_broken_wish_is_named(tmp_path: Path) -> None:
    script = {"stories": {"US-001": [[WORK, {"print": "<story>{oops}</story>"}]]}}
    done = make_project(tmp_path, [OPEN], script).run()
    assert stopped(done) == ("complete", 0)
    assert "not taken as a proposal: a <story> block is no JSON object: {oops}" in warnings(done)


def test_a_list_that_feeds_itself(tmp_path: Path) -> None:
    more = {"title": "More", "verificationCommands": ["test -f more.txt"]}
    script = {
        "stories": {
            "US-001": [[WORK, says(WISH)]],
            "US-002": [[CACHE, says(more, WISH, {**more, "title": "Too many"})]],
            "US-003": [[{"write": "more.txt", "text": "m\n"}]],
        }
    }
    project = make_project(tmp_path, [OPEN], script)
    before = project.prd_path.read_text()
    done = project.run("--accept-proposals", "2")
    assert "up to 2 stories of agents' making are taken up, and their commands are executed unseen" in done.err
    assert stopped(done) == ("complete", 0)
    assert starts(done) == ["US-001", "US-002", "US-003"]
    assert project.passes() == dict.fromkeys(("US-001", "US-002", "US-003"), True)
    assert project.landings() == ["US-001", "US-002", "US-003"]
    # What stood there before stands there still, but for the flag.
    head = before.replace('"passes": false', '"passes": true').rstrip().removesuffix("}\n  ]\n}")
    assert project.prd_path.read_text().startswith(head)
    assert [each["accepted"] for each in done.of("proposed") if each["accepted"]] == [["US-002"], ["US-003"]]
    assert "taken up, as new stories: US-002 Cache it" in done.err
    assert "proposed by agents: Too many   (prd-ralph proposals)" in done.err
    assert project.git("status", "--porcelain") == ""
    assert end(done)["total"] == 3


def test_a_wish_of_a_failed_attempt_counts_too_and_the_cap_stays(tmp_path: Path) -> None:
    script = {"stories": {"US-001": [[{"write": "b.txt", "text": "b\n"}, says(WISH)]], "US-002": [[CACHE]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run("--accept-proposals", "5", "--max-attempts", "1", "--max-iterations", "1")
    assert stopped(done) == ("iterations", 1)
    assert starts(done) == ["US-001"]
    assert project.passes() == {"US-001": False, "US-002": False}
    assert project.git("status", "--porcelain", "--", "prd.json") == ""  # committed as the run closes
    again = project.run("--only", "US-002")
    assert (stopped(again), starts(again)) == (("complete", 0), ["US-002"])


def test_what_nothing_would_judge_is_left_to_a_person(tmp_path: Path) -> None:
    bare = {"title": "Feel good"}
    bad = {"title": "Bad", "verificationCommands": [{"run": "true", "cwd": "../.."}]}
    script = {"stories": {"US-001": [[WORK, says(bare, bad, WISH)]], "US-002": [[CACHE]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run("--accept-proposals", "9")
    assert stopped(done) == ("complete", 0)
    assert [each["title"] for each in stories(project)] == ["Title of US-001", "Cache it"]
    assert "not taken up: Feel good: it has no verificationCommands, so nothing would judge it" in warnings(done)
    assert any(each.startswith("not taken up: Bad: cwd") for each in warnings(done))


def test_commands_for_every_story_judge_it(tmp_path: Path) -> None:
    script = {"stories": {"US-001": [[WORK, says({"title": "Bare"})]], "US-002": [[CACHE]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run("--accept-proposals", "1", "--check", "test -f a.txt")
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True, "US-002": True}


def test_a_wish_gains_nothing_but_an_open_story(tmp_path: Path) -> None:
    evil = {
        **WISH,
        "id": "US-001",
        "passes": True,
        "supersedes": ["US-001"],
        "skip": True,
        "approved": {"by": "me", "at": "now"},
        "dependsOn": ["US-009", "US-002", "US-001"],
    }
    script = {"stories": {"US-001": [[WORK, says(evil)]], "US-002": [[{"print": "lazy"}]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run("--accept-proposals", "1", "--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    assert stories(project)[1] == {"id": "US-002", **WISH, "dependsOn": ["US-001"], "passes": False}


def test_secrets_do_not_get_into_prd_json(tmp_path: Path) -> None:
    wish = {**WISH, "description": "Use hunter2-hunter2-hunter2."}
    script = {"stories": {"US-001": [[WORK, says(wish)]], "US-002": [[CACHE]]}}
    project = make_project(tmp_path, [OPEN], script)
    done = project.run("--accept-proposals", "1", MY_TOKEN="hunter2-hunter2-hunter2")
    assert stopped(done) == ("complete", 0)
    assert stories(project)[1]["description"] == "Use ***."


def test_a_killed_run_keeps_what_it_has_taken_up(tmp_path: Path) -> None:
    kill = {"run": 'kill -9 $(cat "$RUNNER")'}
    script = {"stories": {"US-001": [[WORK, says(WISH)]], "US-002": [[kill], [CACHE]]}}
    project = make_project(tmp_path, [OPEN], script)
    pid = tmp_path / "pid"
    env = project.environment(RUNNER=str(pid))
    line = f'echo $$ > "{pid}"; exec "$@"'
    command = project.command("run", "--accept-proposals", "1")
    killed = subprocess.run(["sh", "-c", line, "sh", *command], cwd=project.root, env=env, capture_output=True)
    assert killed.returncode == -9
    assert [each["id"] for each in stories(project)] == ["US-001", "US-002"]
    done = project.run(RUNNER=os.devnull)
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True, "US-002": True}


def test_on_a_branch_of_its_own(tmp_path: Path) -> None:
    script = {"stories": {"US-001": [[WORK, says(WISH)]], "US-002": [[CACHE]]}}
    project = make_project(tmp_path, [OPEN], script, branchName="ralph/x")
    done = project.run("--accept-proposals", "1", "--max-iterations", "1")
    assert stopped(done) == ("iterations", 1)
    again = project.run()
    assert stopped(again) == ("complete", 0)
    assert project.landings() == ["US-001", "US-002"]
