"""`plan --agent`: asked of a real process in an empty folder, believed in nothing."""

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import program
from tests.support.project import Done, Project, make_project
from tests.support.waiting import end, pids_in, started

PRD = """\
# PRD: Lists

## User Stories

### US-001: Keep a list

**Acceptance Criteria:**
- [ ] `add` adds an item
- [ ] An item is kept after a restart
"""
PROSE = "# Lists\n\nPeople keep lists of things. A list is never lost.\n"


def document(*criteria: str, **fields: Any) -> str:
    """An answer with one story."""
    told = list(criteria or ("`add` adds an item", "An item is kept after a restart"))
    story = {"id": "US-001", "title": "Keep a list", "acceptanceCriteria": told, "passes": True, **fields}
    return json.dumps({"project": "Mine", "userStories": [story]})


def answers(*texts: str, **more: list[dict[str, Any]]) -> dict[str, Any]:
    """A script by which the agent answers so, in order."""
    lines = [[{"print": line} for line in text.splitlines()] for text in texts]
    return {"stories": {"plan": [[*each, {"cost": 0.25, "tokens": [10, 5]}] for each in lines]}, **more}


def make(folder: Path, script: Mapping[str, Any] | None, prd: str = PRD, **files: str) -> Project:
    project = make_project(folder, [], script, files={"prd.md": prd, **files})
    project.prd_path.write_text("what was there before")
    return project


def plan(project: Project, *args: str, **env: str) -> Done:
    return project("plan", "prd.md", "--force", *args, cwd=None, **env)


def stories(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(project.prd_path.read_bytes())["userStories"]
    return found


def kept(done: Done) -> str:
    """The text of the file that a message says is kept."""
    (name,) = [line.partition(" is kept: ")[2] for line in done.err.splitlines() if " is kept: " in line]
    path = Path(name)
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    path.unlink()
    return text


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go, to be looked through."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.mark.parametrize(
    "reply",
    [
        document(),
        f"Here is the plan:\n```json\n{document()}\n```\nI hope it serves.",
        f'{{"note": "first thoughts"}}\n{document()}',
        json.dumps(json.loads(document()), indent=2).replace("]", ",]"),
    ],
    ids=["bare", "fence", "two", "trailing-comma"],
)
def test_c080_a_reply_however_it_is_wrapped(tmp_path: Path, temporary: Path, reply: str) -> None:
    project = make(tmp_path, answers(reply))
    done = plan(project, "--agent", "scripted")
    assert done.code == 0, done.err
    (story,) = stories(project)
    assert (story["passes"], story["notes"]) == (False, "")
    assert "1 attempt" in done.err
    assert "10 tokens in, 5 out · $0.25" in done.err
    assert [line for line in done.err.splitlines() if line.startswith("warning")] == [
        "warning: prd.md:5: US-001 has no command that could prove it"
    ]
    assert list(temporary.iterdir()) == []


def test_the_prompt_holds_all_and_the_folder_nothing(tmp_path: Path) -> None:
    """The agent can't see the project: it sits elsewhere, and is not told where that is."""
    steps = [{"expect": "### US-001: Keep a list"}, {"expect": "An item is kept after a restart"}]
    steps += [{"run": 'test -z "$(ls -A)"'}, {"write": "made.txt", "text": "x"}, {"save-prompt": str(tmp_path / "p")}]
    script = answers(document())
    script["stories"]["plan"][0] = steps + script["stories"]["plan"][0]
    project = make(tmp_path, script)
    before = project.snapshot()
    done = plan(project, "--agent", "scripted")
    assert done.code == 0, done.err
    assert {name for name, data in project.snapshot().items() if before.get(name) != data} == {"prd.json"}
    prompt = (tmp_path / "p").read_text()
    assert str(project.root) not in prompt
    assert "attempt" not in prompt


def test_an_invalid_reply_is_sent_back_with_its_errors(tmp_path: Path) -> None:
    script = answers("I need to know more.", document(acceptanceCriteria=[]), document())
    script["stories"]["plan"][1].insert(0, {"expect": "the reply holds no JSON object"})
    script["stories"]["plan"][1].insert(0, {"expect": "I need to know more."})
    script["stories"]["plan"][2].insert(0, {"expect": "the story has no acceptanceCriteria"})
    script["stories"]["plan"][2].insert(0, {"expect": "attempt 3 of 3"})
    project = make(tmp_path, script)
    done = plan(project, "--agent", "scripted")
    assert done.code == 0, done.err
    assert "3 attempts" in done.err
    assert "30 tokens in, 15 out · $0.75" in done.err
    assert len(stories(project)) == 1


def test_c080_never_valid(tmp_path: Path, temporary: Path) -> None:
    project = make(tmp_path, answers("no", "no", "never, and my key is " + "sk-ant-" + "api03-" + "x1Y2" * 12))
    done = plan(project, "--agent", "scripted")
    assert done.code == 2
    assert "gave no plan in 3 attempts" in done.err
    assert "error: the reply holds no JSON object" in done.err
    assert project.prd_path.read_text() == "what was there before"
    assert kept(done) == "never, and my key is sk-***\n"
    assert list(temporary.iterdir()) == []


def test_a_prd_without_stories(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document("A list is never lost", "It is quick")), PROSE)
    assert plan(project).code == 2
    done = plan(project, "--agent", "scripted")
    assert done.code == 0, done.err
    assert "warning: prd.md:1: scripted " in done.err
    assert "added US-001: Keep a list (1 of 2 criteria its own)" in done.err
    (story,) = stories(project)
    assert story["notes"].startswith("added by scripted ")
    source = json.loads(project.prd_path.read_bytes())["source"]
    assert len(source["sha256"]) == 64


def test_what_is_lost_and_added_is_said(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document("`add` adds an item", "It is quick")))
    done = plan(project, "--agent", "scripted")
    assert done.code == 0
    assert "warning: prd.md:9: a criterion of US-001 is lost: An item is kept after a restart" in done.err
    assert "added a criterion to US-001: It is quick" in done.err
    before = project.prd_path.read_bytes()
    done = plan(project, "--agent", "scripted", "--strict")
    assert (done.code, "error: prd.md:9: a criterion of US-001 is lost" in done.err) == (2, True)
    assert project.prd_path.read_bytes() == before


def test_a_story_without_criteria_gets_some(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document("It is quick")), "# P\n## Stories\n### US-001: Keep a list\n\nSoon.\n")
    assert "has no acceptance criteria" in plan(project).err
    done = plan(project, "--agent", "scripted")
    assert done.code == 0, done.err
    assert "prd.md:3: scripted" in done.err
    assert "added a criterion to US-001: It is quick" in done.err
    assert stories(project)[0]["acceptanceCriteria"] == ["It is quick"]


def test_other_errors_of_the_prd_are_the_persons(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document()), PRD + "\n### US-001: Again\n- [ ] c\n")
    done = plan(project, "--agent", "scripted")
    assert (done.code, "used more than once" in done.err, "asking" in done.err) == (2, True, False)


@pytest.mark.parametrize(
    ("failure", "code"),
    [("auth", 3), ("credits", 3), ("bad_model", 3), ("usage_limit", 4), ("transient", 1), ("error", 1)],
)
def test_a_failure_ends_it_at_once(tmp_path: Path, failure: str, code: int) -> None:
    steps = [{"stderr": "so I can't"}, {"fail": failure}]
    project = make(tmp_path, {"stories": {"plan": [steps, [{"print": document()}]]}})
    done = plan(project, "--agent", "scripted")
    assert done.code == code
    assert f"failed: {failure}: so I can't" in done.err
    assert "tokens unknown · cost unknown" in done.err
    assert project.prd_path.read_text() == "what was there before"
    assert kept(done) == f'{{"event": "failure", "class": "{failure}", "reset_in": null}}\nso I can\'t\n'


def test_ctrl_c(tmp_path: Path, temporary: Path) -> None:
    """It ends by the signal, with nothing written and nothing left."""
    project = make(tmp_path, {"stories": {"plan": [[{"run": f"echo $$ > {tmp_path}/pid"}, {"sleep": 600}]]}})
    with started(project, "plan", "prd.md", "--force", "--agent", "scripted") as process:
        pids_in(tmp_path / "pid")
        assert end(process, signal.SIGINT) == -signal.SIGINT
    assert project.prd_path.read_text() == "what was there before"
    assert list(temporary.iterdir()) == []


def test_a_time_limit(tmp_path: Path) -> None:
    project = make(tmp_path, {"stories": {"plan": [[{"sleep": 600}]]}})
    done = plan(project, "--agent", "scripted", PRD_RALPH_TIMEOUT="1")
    assert (done.code, "failed: hang" in done.err) == (1, True)
    kept(done)


@pytest.mark.parametrize("victim", ["prd.md", "prd.json"])
def test_an_agent_that_finds_the_project_all_the_same(tmp_path: Path, victim: str) -> None:
    script = answers(document())
    script["stories"]["plan"][0].insert(0, {"write": str(tmp_path / "repo" / victim), "text": "mine"})
    project = make(tmp_path, script)
    done = plan(project, "--agent", "scripted")
    assert (done.code, f"{victim} changed while the agent was at work" in done.err) == (1, True)


def test_any_command(tmp_path: Path) -> None:
    project = make(tmp_path, None)
    agent = program(
        tmp_path, "agent", f"cat > {tmp_path}/prompt; echo \"$1\" > {tmp_path}/model; cat <<'E'\n{document()}\nE"
    )
    done = plan(project, "--agent-command", f"{agent} {{model}}", "--model", "large")
    assert done.code == 0, done.err
    assert "tokens unknown · cost unknown" in done.err
    assert "### US-001: Keep a list" in (tmp_path / "prompt").read_text()
    assert (tmp_path / "model").read_text() == "large\n"


def test_claude_is_given_no_tools(tmp_path: Path) -> None:
    project = make(tmp_path, None)
    said = json.dumps({"type": "result", "subtype": "success", "result": document(), "total_cost_usd": 0.5})
    agent = program(
        tmp_path / "bin", "claude", f"printf '%s|' \"$@\" > {tmp_path}/argv; cat >/dev/null; cat <<'E'\n{said}\nE"
    )
    done = plan(project, "--agent", "claude", PATH=f"{agent.parent}{os.pathsep}{os.environ['PATH']}")
    assert done.code == 0, done.err
    argv = (tmp_path / "argv").read_text()
    assert "--tools||--strict-mcp-config|" in argv
    assert "dangerously" not in argv
    assert "allowedTools" not in argv


def test_an_agent_that_is_none(tmp_path: Path, temporary: Path) -> None:
    project = make(tmp_path, None)
    done = plan(project, "--agent", "claud")
    assert (done.code, "did you mean claude?" in done.err) == (2, True)
    assert list(temporary.iterdir()) == []


def test_a_template_of_the_persons(tmp_path: Path) -> None:
    name = ".prd-ralph/templates/plan.md.j2"
    script = answers(document())
    script["stories"]["plan"][0].insert(0, {"expect": "Mine: prd.md US-001"})
    files = {name: "Mine: {% for f in files %}{{ f.name }}{% endfor %} {% for s in stories %}{{ s.id }}{% endfor %}"}
    project = make(tmp_path, script, PRD, **files)
    assert plan(project, "--agent", "scripted").code == 0
    (project.root / name).write_text("{{ nothing }}")
    done = plan(project, "--agent", "scripted")
    assert (done.code, "plan.md.j2:1" in done.err) == (2, True)


def test_phases_and_detection(tmp_path: Path) -> None:
    project = make(tmp_path, None, PRD, Makefile="test:\n\ttrue\n")
    done = plan(project, "--phases", "build,polish", "--detect")
    assert done.code == 0
    assert [story["id"] for story in stories(project)] == ["US-001-build", "US-001-polish"]
    assert "  test       make test  (Makefile:1 test)" in done.err
    assert "$PRD_RALPH_STORY_ID" in done.err
    assert "verificationCommands" not in json.loads(project.prd_path.read_bytes())
    assert "no command that could prove it" in done.err
    done = plan(project, "--write-detected")
    assert json.loads(project.prd_path.read_bytes())["verificationCommands"] == ["make test"]
    assert "no command that could prove it" not in done.err


def test_phases_are_looked_at_before_an_agent_is_paid(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document()))
    done = plan(project, "--agent", "scripted", "--phases", "a b")
    assert (done.code, "is no phase" in done.err, "asking" in done.err) == (2, True, False)


def test_what_is_there_is_refused_before_an_agent_is_paid(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document()))
    done = project("plan", "prd.md", "--agent", "scripted")
    assert (done.code, "exists already" in done.err, "asking" in done.err) == (2, True, False)


def test_as_json_and_to_stdout(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document("`add` adds an item")), PRD, Makefile="test:\n\ttrue\n")
    done = plan(project, "--agent", "scripted", "--detect", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["detected"] == [{"kind": "test", "command": "make test", "from": "Makefile:1 test"}]
    assert [each["line"] for each in told["warnings"]] == [9, 5]
    done = project("plan", "prd.md", "-o", "-", "--agent", "scripted")
    assert json.loads(done.out)["userStories"][0]["passes"] is False


def test_what_an_agent_says_is_merged_as_a_persons_prd_is(tmp_path: Path) -> None:
    """What holds already stays, and only what differs is opened again."""
    project = make(
        tmp_path, answers(document(), document("`add` adds an item", "An item is kept after a restart", "Fast"))
    )
    assert plan(project, "--agent", "scripted").code == 0
    data = project.prd_path.read_text().replace('"passes": false', '"passes": true')
    project.prd_path.write_text(data)
    done = project("plan", "prd.md", "--merge", "--agent", "scripted")
    assert (done.code, stories(project)[0]["passes"]) == (0, True), done.err


def test_a_folder_and_stdin(tmp_path: Path) -> None:
    project = make(tmp_path, answers(document("A list is never lost")), PROSE)
    (project.root / "prds").mkdir()
    (project.root / "prds/a.md").write_text(PROSE)
    (project.root / "prds/b.md").write_text("# More\n\nIt is fast.\n")
    done = project("plan", "prds", "--force", "--agent", "scripted")
    assert done.code == 0, done.err
    assert "warning: prds/a.md:1: scripted" in done.err
    assert json.loads(project.prd_path.read_bytes())["source"]["path"] == "prds"
    (project.root / "prds/b.md").write_bytes(b"\xff")
    done = project("plan", "prds", "--force", "--agent", "scripted")
    assert (done.code, "prds/b.md:1: the file is not UTF-8" in done.err) == (2, True)


def test_nothing_to_detect(tmp_path: Path) -> None:
    project = make(tmp_path, None)
    (project.root / "Makefile").mkdir()
    os.mkfifo(project.root / "package.json")
    (project.root / "go.mod").write_bytes(b" " * ((1 << 20) + 1))
    done = plan(project, "--detect")
    assert done.code == 0
    assert "go vet" in done.err
    (project.root / "go.mod").unlink()
    assert "detected no commands" in plan(project, "--detect").err
