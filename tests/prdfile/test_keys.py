"""Misspelt keys."""

import pytest

from prd_ralph.prdfile import parse
from tests.prdfile.support import data_of, only_problem, prd, problems_of, story

DECIDING = {
    "dependOn": "dependsOn",
    "depends_on": "dependsOn",
    "dependson": "dependsOn",
    "blockedBy": "dependsOn",
    "blocked_by": "dependsOn",
    "dependencies": "dependsOn",
    "verificationCommand": "verificationCommands",
    "verification_commands": "verificationCommands",
    "VerificationCommands": "verificationCommands",
    "verificatoinCommands": "verificationCommands",
    "pases": "passes",
    "Passes": "passes",
    "passed": "passes",
    "passing": "passes",
    "skips": "skip",
    "skipped": "skip",
    "sikp": "skip",
}
LENIENT = {
    "acceptance_criteria": "acceptanceCriteria",
    "acceptanceCriterias": "acceptanceCriteria",
    "prioritie": "priority",
    "note": "notes",
    "models": "model",
    "agents": "agent",
    "supersede": "supersedes",
}
OWN = ["step", "size", "wave", "phase", "pages", "file", "labels", "status", "verify", "validationCommands", "ids"]


@pytest.mark.parametrize("key", DECIDING)
def test_what_decides_must_be_spelt_right(key: str) -> None:
    problem = only_problem(prd({**story(), key: ["x"]}))
    assert (problem.pointer, problem.story) == (f"/userStories/0/{key}", "US-001")
    assert f"{DECIDING[key]!r}" in problem.message


@pytest.mark.parametrize("key", LENIENT)
def test_what_does_not_decide_is_a_warning(key: str) -> None:
    value = prd({**story(), key: "x"})
    (warning,) = parse(data_of(value), "prd.json").warnings
    assert warning.pointer == f"/userStories/0/{key}"
    assert f"{LENIENT[key]!r}" in warning.message
    (problem,) = problems_of(value, strict=True)
    assert problem == warning


@pytest.mark.parametrize("key", [*OWN, "_skip", "x-passes", "/passes", "$skip"])
def test_keys_of_ones_own_are_left_alone(key: str) -> None:
    assert parse(data_of(prd({**story(), key: 1}, **{key: 1})), "prd.json", strict=True).warnings == ()


@pytest.mark.parametrize(
    ("key", "meant"), [("protected", "protect"), ("verification_commands", "verificationCommands")]
)
def test_keys_at_the_top_that_decide(key: str, meant: str) -> None:
    problem = only_problem(prd(**{key: ["x"]}))
    assert problem.pointer == f"/{key}"
    assert f"{meant!r}" in problem.message


@pytest.mark.parametrize(("key", "meant"), [("branch_name", "branchName"), ("projects", "project"), ("setUp", "setup")])
def test_keys_at_the_top_that_do_not(key: str, meant: str) -> None:
    (warning,) = parse(data_of(prd(**{key: "x"})), "prd.json").warnings
    assert f"{meant!r}" in warning.message


def test_product_beside_project_is_a_key_of_its_own() -> None:
    assert parse(data_of(prd(product="x")), "prd.json").warnings == ()


def test_a_misspelt_project_is_named() -> None:
    problems = problems_of({"projct": "x", "userStories": [story()]})
    assert problems[0].hint == "is 'projct' meant to be 'project'?"
