"""Which of the project's files a shell line runs, and what a file says of tests."""

import pytest

from prd_ralph.workspace.commands import is_one_of, looped, scripts, words
from prd_ralph.workspace.sections import part_on_tests


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("./check.sh", {"check.sh"}),
        ("scripts/verify --all", {"scripts/verify"}),
        ("bash -e scripts/verify.sh x", {"scripts/verify.sh"}),
        ("python3.11 check.py --fast", {"check.py"}),
        ("python -m tools.check", {"tools/check.py", "tools/check/__main__.py"}),
        ("CI=1 env A=b time node ./check.js", {"check.js"}),
        ("sh -c './a.sh && ./b.sh'", {"a.sh", "b.sh"}),
        ("bash -ec ./a.sh", {"a.sh"}),
        ("npm test && make check", {"Makefile", "makefile", "GNUmakefile"}),
        ("cd api && ./run", {"run"}),
        ("uv run python check.py", {"check.py"}),
        ("npx tsx check.ts", {"check.ts"}),
        (". ./env.sh; true", {"env.sh"}),
        ("if ./a; then ./b; fi", {"a", "b"}),
        ("grep -q better a.txt", set()),
        ("test -f one.txt", set()),
        ("pytest tests/test_a.py", set()),
        ("echo 'unbalanced", set()),
        ("echo '; ./a.sh'", {"a.sh"}),
        ("python -m", set()),
        ("python", set()),
        ("A=b", set()),
        ("", set()),
    ],
)
def test_what_a_line_runs(line: str, run: set[str]) -> None:
    assert scripts([line]) == run


def test_what_a_loop_goes_over() -> None:
    assert looped(["for each in ./checks/* 'b c'; do $each || exit 1; done", "for x; do :; done"]) == {
        "checks/*",
        "b c",
    }


def test_a_script_below_the_folder_that_a_command_goes_to() -> None:
    assert is_one_of("api/run", scripts(["cd api && ./run"]))
    assert not is_one_of("api/rerun", scripts(["cd api && ./run"]))


@pytest.mark.parametrize(
    ("path", "before", "after", "differs"),
    [
        ("pyproject.toml", b"[tool.pytest.ini_options]\na = 1\n", b"[tool.pytest.ini_options]\na = 2\n", True),
        ("pyproject.toml", b"[tool.ruff]\na = 1\n", b"[tool.ruff]\na = 2\n", False),
        ("pyproject.toml", b"", b'[project.entry-points.pytest11]\na = "b"\n', True),
        ("pyproject.toml", b"", b"[", True),
        ("pyproject.toml", b"tool = 1\n", b"tool = 2\n", False),
        ("api/package.json", b'{"scripts": {"test": "jest"}}', b'{"scripts": {"test": "true"}}', True),
        ("package.json", b'{"scripts": {"pretest": ""}}', b"{}", True),
        ("package.json", b'{"scripts": {"mine": ""}}', b"{}", True),
        ("package.json", b'{"scripts": {"build": "a"}}', b'{"scripts": {"build": "b"}}', False),
        ("package.json", b"{}", b'{"jest": {"testMatch": []}}', True),
        ("package.json", b"[]", b"{}", False),
        ("package.json", b"{}", b"\xff", True),
        ("setup.cfg", b"", b"[tool:pytest]\naddopts = --co\n", True),
        ("setup.cfg", b"[metadata]\nname = a\n", b"[metadata]\nname = b\n", False),
        ("Cargo.toml", b"[lib]\n", b"[lib]\ntest = false\n", True),
        ("Cargo.toml", b"[package]\n", b"[package]\nautotests = false\n", True),
        ("Cargo.toml", b"[dependencies]\n", b"[dependencies]\na = '1'\n", False),
        ("other.toml", b"", b"[tool.pytest]\n", False),
    ],
)
def test_what_a_file_says_of_tests(path: str, before: bytes, after: bytes, differs: bool) -> None:
    named = words(["npm run mine"])
    assert (part_on_tests(path, before, named) != part_on_tests(path, after, named)) is differs


def test_a_file_that_is_not_there_says_nothing() -> None:
    assert part_on_tests("package.json", None, frozenset()) is None
