"""`status` says what the rest may cost and take, judging by what happened so far."""

import json
from pathlib import Path
from typing import Any

from prd_ralph.cli.outlook import in_words
from tests.support.project import Project, make_project, story


def worked(name: str, *costs: float | None) -> list[list[dict[str, Any]]]:
    """Attempts of which the last one makes the story's file."""
    return [
        [
            {"write": f"{name}.txt" if number == len(costs) else f"no{number}-{name}.txt", "text": "x\n"},
            *([{"cost": cost}] if cost is not None else []),
        ]
        for number, cost in enumerate(costs, 1)
    ]


def three_done(folder: Path, **attempts: tuple[float | None, ...]) -> Project:
    """A project whose run has done those stories, with two left and one that is nobody's."""
    stories = [story(name, f"test -f {name}.txt", priority=index) for index, name in enumerate(attempts, 1)]
    left = [story("X-1", "false", priority=8), story("X-2", "false", priority=9, dependsOn=["X-1"])]
    script = {"stories": {name: worked(name, *costs) for name, costs in attempts.items()}}
    project = make_project(folder, [*stories, *left, story("X-3", "false", skip=True)], script)
    project.run("--skip", "X-1", "--skip", "X-2")
    return project


def asked(project: Project) -> Any:
    return json.loads(project("status", "--json").out)["forecast"]


def test_the_rest_is_a_range_from_what_happened(tmp_path: Path) -> None:
    project = three_done(tmp_path, a=(1.0,), b=(0.5, 1.5), c=(3.0,))
    assert all(project.passes()[name] for name in "abc")
    found = asked(project)
    # 1, 2 and 3 dollars a story: the middle half is 1.5 to 2.5, and two stories are open.
    assert (found["cost_usd"], found["stories"], found["from"]) == ([3.0, 5.0], 2, 3)
    assert found["attempts"] == [2, 3]
    assert 0 < found["seconds"][0] <= found["seconds"][1] < 120
    line = next(line for line in project("status").out.splitlines() if line.startswith("the rest"))
    assert line.startswith("the rest (2 stories): 3.00–5.00 USD, ")
    assert line.endswith(", 2–3 attempts, judging by 3 stories")


def test_a_story_of_which_an_attempt_is_unknown_tells_no_cost(tmp_path: Path) -> None:
    project = three_done(tmp_path, a=(1.0,), b=(None, 1.5))
    found = asked(project)
    assert (found["cost_usd"], found["from"]) == (None, 2)
    assert "the rest (2 stories): cost unknown, " in project("status").out


def test_too_little_makes_no_range(tmp_path: Path) -> None:
    project = three_done(tmp_path, a=(1.0,))
    assert asked(project) is None
    assert "the rest" not in project("status").out


def test_what_somebody_wrote_into_the_ledger_breaks_nothing(tmp_path: Path) -> None:
    project = three_done(tmp_path, a=(1.0,), b=(2.0,))
    (ledger,) = (project.root / ".git" / "prd-ralph" / "runs").glob("*/events.jsonl")
    before = asked(project)
    for cost in ('"much"', "-5", "1e400", "true", "NaN"):
        line = '{"v":1,"run":"r","seq":1,"at":"x","kind":"agent_finished","story":"a","attempt":1,"cost_usd":%s}\n'
        ledger.write_text(ledger.read_text() + line % cost)
        found = asked(project)
        assert found == before  # the line is none of ours, and costs itself alone


def test_one_attempt_is_one() -> None:
    found = {"cost_usd": None, "seconds": None, "attempts": [1, 1], "stories": 1, "from": 2}
    assert in_words(found) == "the rest (1 story): cost unknown, time unknown, 1 attempt, judging by 2 stories"
