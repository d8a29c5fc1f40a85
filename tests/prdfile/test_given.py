"""Commands from flags and configuration."""

import pytest

from prd_ralph.errors import ProblemsError
from prd_ralph.model import Check
from prd_ralph.prdfile import checks_of


def test_they_are_read_like_those_of_the_file() -> None:
    found = checks_of(["make", ["a", "b"], {"run": "x", "timeout": 3}], "prd-ralph.toml")
    assert found == (Check("make"), Check(("a", "b")), Check("x", timeout_s=3.0))
    assert checks_of([], "--check") == ()


def test_all_that_is_wrong_is_told_with_its_origin() -> None:
    with pytest.raises(ProblemsError) as caught:
        checks_of([" ", {"run": "x", "cwd": "../y"}, object()], "--check")
    found = [(problem.file, problem.line, problem.pointer) for problem in caught.value.problems]
    assert found == [("--check", None, "/0"), ("--check", None, "/1/cwd")]
