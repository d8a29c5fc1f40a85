"""Every format tells the same counts, and shows what is hostile as text."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import JUnitXml

from tests.support.project import Project, make_project, story

HOSTILE = "</script><img src=x onerror=alert(1)> \x1b[31mred\x1b[0m \u202eevil @everyone | `x`"
COUNTS = ("total", "passed", "failing", "blocked", "skipped")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One story passed, one failed with hostile output, one waits, one is held."""
    folder = tmp_path_factory.mktemp("reported")
    project = make_project(
        folder,
        [
            story("US-001", "test -f a.txt"),
            story("US-002", {"name": "hostile", "run": "cat said.txt; test -f b.txt"}, title="A <b> & @you | `c`"),
            story("US-003", "test -f c.txt", dependsOn=["US-002"]),
            story("US-004", "test -f d.txt", skip=True),
        ],
        {
            "stories": {
                "US-001": [[{"write": "a.txt", "text": "x\n"}, {"cost": 0.25}]],
                "US-002": [[{"write": "e.txt", "text": "x\n"}]],
            }
        },
        files={"said.txt": f"{HOSTILE}\n```\nfence\n"},
    )
    project.run("--max-attempts", "1")
    return project


def by_json(project: Project) -> dict[str, int]:
    found: dict[str, Any] = json.loads(project("report", "--format", "json").out)
    return {name: found[name] for name in COUNTS}


def by_status(project: Project) -> dict[str, int]:
    found: dict[str, Any] = json.loads(project("status", "--json").out)
    return {name: found[name] for name in COUNTS}


def by_markdown(project: Project) -> dict[str, int]:
    text = project("report", "--format", "markdown").out
    found = {name: int(number) for number, name in re.findall(r"(\d+) (passed|failing|blocked|skipped)\b", text)}
    heading = re.search(r"(\d+) of (\d+) stories pass$", text, re.MULTILINE)
    assert heading is not None
    assert int(heading[1]) == found["passed"]
    assert len(re.findall(r"^\| [✅❌⏸⏭]", text, re.MULTILINE)) == int(heading[2])
    return {"total": int(heading[2]), **found}


def by_junit(project: Project) -> dict[str, int]:
    suites = ElementTree.fromstring(project("report", "--format", "junit").out).findall("testsuite")
    states = [suite.findall("properties/property[@name='state']")[0].get("value") for suite in suites]
    for suite, state in zip(suites, states, strict=True):
        assert (suite.get("failures") != "0") == (state in ("ready", "exhausted"))
    failing = states.count("ready") + states.count("exhausted")
    passed, blocked, skipped = (states.count(name) for name in ("passed", "blocked", "skipped"))
    return {"total": len(states), "passed": passed, "failing": failing, "blocked": blocked, "skipped": skipped}


def test_all_formats_tell_the_same_counts(worked: Project) -> None:
    wanted = by_status(worked)
    assert wanted == {"total": 4, "passed": 1, "failing": 1, "blocked": 1, "skipped": 1}
    assert by_json(worked) == by_markdown(worked) == by_junit(worked) == wanted
    badge = json.loads(worked("report", "--format", "badge").out)
    assert (badge["message"], badge["color"], badge["schemaVersion"]) == ("1 of 4 pass", "yellow", 1)
    assert worked("report", "--format", "badge", "-o", "badge.svg").code == 0
    svg = ElementTree.fromstring((worked.root / "badge.svg").read_text(encoding="utf-8"))
    assert svg.get("aria-label") == "stories: 1 of 4 pass"
    (worked.root / "badge.svg").unlink()


def test_what_is_hostile_is_text(worked: Project) -> None:
    text = worked("report", "--format", "markdown").out
    row = next(line for line in text.splitlines() if "US\\-002" in line and line.startswith("|"))
    assert "&lt;b" in row
    assert "@you" not in row
    assert "\\|" in row
    shown = worked("report", "--format", "junit").out
    assert "onerror" in shown
    assert "<img" not in shown
    for out in (text, shown, worked("report", "--format", "json").out):
        assert "\x1b" not in out
        assert "\u202e" not in out
    fence = re.search(r"^(`{4,})text\n(.*?)\n\1$", text, re.MULTILINE | re.DOTALL)
    assert fence is not None  # no fence of the output's ends ours
    assert "<img src=x onerror" in fence[2]
    assert "hostile failed \\(exit 1\\)" in text


def test_a_run_is_told_with_its_attempts(worked: Project) -> None:
    found = json.loads(worked("report", "--format", "json").out)
    (run,) = found["runs"]
    told = [(each["story"], each["outcome"], each["cost_usd"]) for each in run["attempts"]]
    assert told == [("US-001", "passed", 0.25), ("US-002", "failed", None)]
    assert (found["basis"], found["percent"], run["iterations"], run["cost_usd"]) == ("recorded", 25, 2, 0.25)
    again = json.loads(worked("report", "--format", "json", "--run", run["id"]).out)
    assert [each["id"] for each in again["runs"]] == [run["id"]]
    refused = worked("report", "--run", "20310101T000000Z-0000")
    assert (refused.code, "hint: there are: " in refused.err) == (2, True)


def test_a_line_that_cannot_be_read_costs_itself_alone(tmp_path: Path) -> None:
    project = make_project(
        tmp_path, [story("US-001", "test -f a.txt")], {"stories": {"US-001": [[{"write": "a.txt", "text": "x\n"}]]}}
    )
    project.run()
    (ledger,) = (project.root / ".git" / "prd-ralph" / "runs").glob("*/events.jsonl")
    ledger.write_bytes(b'{"torn\n\xff\xfe\n' + ledger.read_bytes())
    found = json.loads(project("report", "--format", "json").out)
    assert (found["unreadable"], len(found["runs"][0]["attempts"])) == (2, 1)
    assert "2 lines of the ledgers could not be read" in project("report").out


@pytest.mark.parametrize("content", [None, "", "{}", '{"project": "x", "userStories": []}'])
def test_a_prd_that_is_none_is_red_in_every_format(tmp_path: Path, content: str | None) -> None:  # C079 C147
    project = make_project(tmp_path, [story("US-001", "true")], {"stories": {}})
    file = project.root / "prd.json"
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    told = {name: project("report", "--format", name) for name in ("json", "markdown", "junit", "badge")}
    assert {done.code for done in told.values()} == {2}
    assert json.loads(told["badge"].out)["color"] == "red"
    found = json.loads(told["json"].out)
    assert (found["total"], found["percent"], bool(found["problems"])) == (0, 0, True)
    assert JUnitXml.fromstring(told["junit"].out.encode()).errors >= 1
    assert "nothing can be told" in told["markdown"].out


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--fail-under", "1"], 0),
        (["--fail-under", "2"], 1),
        (["--fail-under", "25%"], 0),
        (["--fail-under", "26%"], 1),
        (["--require", "US-001"], 0),
        (["--require", "US-001,US-002"], 1),
        (["--require", "US-009"], 2),
        (["--fail-under", "most"], 2),
        (["--fail-under", "101%"], 2),
    ],
)
@pytest.mark.parametrize("command", ["status", "report"])
def test_what_must_pass(worked: Project, command: str, flags: list[str], code: int) -> None:  # C141
    done = worked(command, *flags)
    assert done.code == code
    if code == 1:
        assert "(as recorded)" in done.err or "as recorded" in done.err


def test_a_format_that_there_is_not(worked: Project) -> None:
    done = worked("report", "--format", "pdf")
    assert (done.code, "one of markdown, json, junit, badge" in done.err) == (2, True)


def test_a_fresh_clone_tells_what_is_recorded(worked: Project, tmp_path: Path) -> None:
    from tests.conftest import git

    git(tmp_path, "clone", "-q", str(worked.root), "clone")
    clone = Project(tmp_path / "clone", worked.env)
    assert by_json(clone) == by_markdown(clone) == by_junit(clone) == by_status(clone)
