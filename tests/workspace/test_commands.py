"""Which of the project's files a shell line runs, and what a file says of tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.workspace.commands import is_one_of, looped, scripts, words
from prd_ralph.workspace.judges import judges
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


JUDGES = [
    *("./gauge.sh", "bash tools/gauge.sh", "python3 gauge.py --all", "python3 -m app", "CI=1 node gauge.js"),
    *(
        "npm ci && ./gauge.sh",
        "cd api; ./gauge.sh",
        "grep -q x a && ./gauge.sh",
        "./gauge.sh > log",
        "(cd a && ./gauge)",
    ),
    *("./gauge.sh && echo ok", "./gauge.sh && true", "./gauge.sh && (cd a; echo ok)", "./gauge.sh; echo 'a | grep b'"),
    *(
        "./gauge.sh | tee log",
        "./gauge.sh 2>&1 | tail -5",
        "./gauge.sh |& cat",
        "./gauge.sh | head",
        "./g.sh | sort | wc -l",
    ),
    *("./gauge.sh | grep -v noise", "./gauge.sh | awk '{print $1}'", "./gauge.sh | jq .", "./gauge.sh | (cat; true)"),
    *("! ./gauge.sh", "./gauge.sh || exit 1", "./gauge.sh || grep -q x a", "./gauge.sh && exit 0; grep -q x a"),
    *("./gauge.sh # | grep -q ok", "./gauge.sh '|' grep ok", './gauge.sh "; grep ok"', "./gauge.sh \\| grep ok"),
    *("./a.sh && ./b.sh", "./gauge.sh && make lint", "./gauge.sh && python3 -m pytest", "./gauge.sh && pytest -q"),
    *("./gauge.sh && npm test", "./gauge.sh >&2 && $RUN", "./gauge.sh && $(which x)", "./gauge.sh &> log; echo ok"),
    *("./gauge.sh; test $? = 0", "./gauge.sh; test $? -eq 0", "./gauge.sh; r=$?; grep -q x a; exit $r"),
    *(
        "./gauge.sh | grep -q x; test ${PIPESTATUS[0]} = 0",
        "x=$(./gauge.sh)",
        "echo `./gauge.sh`",
        'eval "$(./gauge.sh)"',
    ),
    *(
        "$(./gauge.sh)",
        "./gauge.sh | sh",
        "./gauge.sh | python3",
        "bash -c './gauge.sh | grep -q ok'",
        "cat <(./gauge.sh)",
    ),
    *(
        "if ./gauge.sh; then grep -q x a; fi",
        "for x in 1 2; do ./gauge.sh $x; done; test -f a",
        "{ ./gauge; grep -q x a; }",
    ),
    *(
        "./gauge.sh <<E\ngrep -q x a\nE",
        "run() { ./gauge.sh; }; run",
        "./gauge.sh $'\\'' | grep x",
        "./gauge.sh | grep 'x",
    ),
    *(
        "./gauge.sh | grep $(",
        "./gauge.sh | grep x )",
        "make check",
        "make check | grep -q ok",
        "just check && grep -q x a",
    ),
    *(
        "./check.sh && test -f a",
        "bash scripts/verify.sh | grep -q OK",
        "tests/run && grep -q x a",
        "checks/a | grep -q x",
    ),
    *("./app | grep -q x && ./app", "./app --version; ./app | grep -q x; ./app y", "exec ./gauge.sh; grep -q x a"),
]


@pytest.mark.parametrize("line", JUDGES)
def test_scripts_whose_exit_status_may_be_the_verdict(line: str) -> None:
    assert judges([line]) == scripts([line]) != set()


JUDGED = [
    *("python3 greet.py World | grep -q Hello", 'test "$(./app.py usage)" = x', "test `./app.py` = 'a; b'"),
    *("./app.py add x && ./app.py list | grep -q x", "node bin/flow.js list | grep -c a", '[ -n "$(sh a.sh 2>&1)" ]'),
    *("python3 greet.py Ada | diff - <(echo 'Hello, Ada!')", "python3 greet.py; test $? = 1", 'x.d/a; [ "$?" -eq 2 ]'),
    *(
        "diff <(./a.sh) <(./b.sh)",
        "./app > out && cmp out good",
        "./app > out\ngrep -q x out",
        "./app >| o 2>&1; grep x o",
    ),
    *("python3 -m app | grep -q x", "./app | sort | head -1 | grep -q x", "(cd api && ./app) | grep -q x"),
    *("./app add x && (./app list | grep -q x)", "./app add x && (cd a; grep -q x b)", '[[ "$(./app)" == *x* ]]'),
    *('out=$(./app) && test "$out" = x', 'echo "$(./app | head -1)" | grep -q x', "! ./app bad | grep -q Traceback"),
    *(
        "./app | jq -e .a",
        "./app | awk '/x/ {f = 1} END {exit !f}'",
        "./app | python3 -c 'import sys'",
        "./app | grep -vq x",
    ),
    *("./serve & sleep 1; curl -sf localhost:1/", "for x in 1 2; do ./app $x | grep -q x || exit 1; done"),
    *(
        "if ./app | grep -q x; then exit 1; fi",
        'test "$(echo "$(./app "a b")")" = \'$(x\'',
        "./app && git diff --exit-code",
    ),
    *(
        "./app list  # all of it\n./app list | grep -q x # so",
        'grep -q x <<< "$(./app)"',
        '"./app" "a < (b)" | grep -q x',
    ),
]


@pytest.mark.parametrize("line", JUDGED)
def test_scripts_that_another_program_judges(line: str) -> None:
    assert scripts([line])
    assert judges([line]) == set()


@pytest.mark.parametrize(
    ("line", "judge"),
    [
        ("./app | ./gauge", {"gauge"}),
        ('./gauge "$(./app)"', {"gauge"}),
        ("./a.sh; ./app | grep -q x && ./gauge", {"gauge"}),
        ("./app | grep -q x || ./gauge", {"gauge"}),
        ("./check.sh && ./app | grep -q x", {"check.sh"}),
    ],
)
def test_the_judge_among_scripts(line: str, judge: set[str]) -> None:
    assert judges([line]) == judge


def test_a_judge_of_one_line_is_the_judge() -> None:
    assert judges(["./app | grep -q x", "./app"]) == {"app"}


@given(st.text(alphabet="a./ ;&|()<>$`'\"#\\\n!", max_size=40))
def test_any_line_can_be_read(line: str) -> None:
    assert judges([line]) <= scripts([line])
    assert judges([line, "./gauge"]) >= {"gauge"}


def test_a_line_too_deep_to_read() -> None:
    assert judges(["./gauge | grep " + "$(" * 5000]) == {"gauge"}


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
