"""Commands that a project's files suggest: a table of projects."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.planning.detection import FILES, Proposal, detect, with_commands
from prd_ralph.planning.plan import plan_file

PYPROJECT = """\
[project]
dependencies = ["requests"]
[project.optional-dependencies]
dev = ["pytest>=8", "ruff"]
[tool.mypy]
strict = true
"""


def package(scripts: object = None, **more: object) -> str:
    return json.dumps({"name": "p", "keywords": ["test"], "scripts": scripts, **more}, indent=2)


def proposed(**files: str) -> list[tuple[str, str]]:
    """Kind and command of all proposals; a name's dots and hyphens are written as here: `package__json`."""
    return [(str(each.kind), each.command) for each in detect({name: text.encode() for name, text in files.items()})]


def commands(files: dict[str, str]) -> list[str]:
    return [command for _, command in proposed(**files)]


@pytest.mark.parametrize(
    ("lock", "run"),
    [
        ("", ["npm run lint", "npm run typecheck", "npm test"]),
        ("package-lock.json", ["npm run lint", "npm run typecheck", "npm test"]),
        ("pnpm-lock.yaml", ["pnpm run lint", "pnpm run typecheck", "pnpm run test"]),
        ("yarn.lock", ["yarn run lint", "yarn run typecheck", "yarn run test"]),
        ("bun.lock", ["bun run lint", "bun run typecheck", "bun run test"]),
        ("bun.lockb", ["bun run lint", "bun run typecheck", "bun run test"]),
    ],
)
def test_the_lock_file_names_the_package_manager(lock: str, run: list[str]) -> None:
    scripts = {"test": "jest", "lint": "eslint .", "typecheck": "tsc --noEmit"}
    assert commands({"package.json": package(scripts), **({lock: ""} if lock else {})}) == run


def test_the_package_names_its_manager() -> None:
    text = package({"test": "jest"}, packageManager="pnpm@9.1.0")
    assert commands({"package.json": text, "package-lock.json": ""}) == ["pnpm run test"]


@pytest.mark.parametrize(
    ("script", "run"),
    [
        ('echo "Error: no test specified" && exit 1', []),
        ("jest --watch", []),
        ("jest --watchAll", []),
        ("jest --watchAll=false", ["npm test"]),
        ("jest --no-watch", ["npm test"]),
        ("vitest watch", []),
        ("vitest dev", []),
        ("vitest --ui", []),
        ("vitest -w", []),
        ("nodemon test.js", []),
        ("npm run dev", []),
        ("cypress open", []),
        ("  ", []),
        ("jest -w 4", ["npm test"]),
        ("npm -w packages/a test", ["npm test"]),
        ("vitest", ["npm test -- --run"]),
        ("NODE_ENV=test vitest --coverage", ["npm test -- --run"]),
        ("vitest run", ["npm test"]),
        ("tsc && vitest", ["npm test -- --run"]),
        ("vitest && tsc", ["npm test"]),
        ("react-scripts test", ["npm test -- --watchAll=false"]),
        ("ng test", ["npm test -- --watch=false"]),
        ("start-server-and-test serve http://localhost:1 e2e", ["npm test"]),
    ],
)
def test_scripts_that_do_not_end(script: str, run: list[str]) -> None:
    assert commands({"package.json": package({"test": script})}) == run


def test_an_option_for_the_script() -> None:
    assert commands({"package.json": package({"test": "vitest"}), "pnpm-lock.yaml": ""}) == ["pnpm run test --run"]


def test_forms_for_ci_come_first_and_rewriting_is_no_lint() -> None:
    scripts = {"test": "jest --watch", "test:ci": "jest --ci", "lint": "eslint --fix .", "build": "vite build"}
    assert proposed(**{"package.json": package(scripts)}) == [("build", "npm run build"), ("test", "npm run test:ci")]


@pytest.mark.parametrize(
    ("lock", "run"), [("", "npx tsc"), ("pnpm-lock.yaml", "pnpm exec tsc"), ("bun.lock", "bunx tsc")]
)
def test_the_compiler_checks_types_where_no_script_does(lock: str, run: str) -> None:
    files = {"package.json": package({}), "tsconfig.json": "{}", **({lock: ""} if lock else {})}
    assert commands(files) == [f"{run} --noEmit"]


def test_where_a_proposal_comes_from() -> None:
    (found,) = detect({"package.json": package({"x": "y", "test": "jest"}).encode()})
    assert found.source == "package.json:8 scripts.test"
    told = {each.command: each.source for each in detect({"pyproject.toml": PYPROJECT.encode()})}
    assert told == {
        "ruff check .": "pyproject.toml:4 dependencies",
        "mypy .": "pyproject.toml:5 tool.mypy",
        "pytest -q": "pyproject.toml:4 dependencies",
    }
    (found,) = detect({"Makefile": b"all:\n\ttrue\n\ntest: all\n\tpytest\n"})
    assert found == Proposal(found.kind, "make test", "Makefile:4 test")


@pytest.mark.parametrize(
    ("lock", "prefix"),
    [
        ("", ""),
        ("uv.lock", "uv run "),
        ("poetry.lock", "poetry run "),
        ("Pipfile.lock", "pipenv run "),
        ("pdm.lock", "pdm run "),
    ],
)
def test_python(lock: str, prefix: str) -> None:
    files = {"pyproject.toml": PYPROJECT, **({lock: ""} if lock else {})}
    assert commands(files) == [f"{prefix}ruff check .", f"{prefix}mypy .", f"{prefix}pytest -q"]


@pytest.mark.parametrize(
    ("files", "run"),
    [
        ({"requirements-dev.txt": "pytest==8\nflake8\n"}, ["flake8", "pytest -q"]),
        ({"requirements.txt": "pytest-cov\n"}, []),
        ({"pytest.ini": "", "pyrightconfig.json": "{}"}, ["pyright", "pytest -q"]),
        ({"tox.ini": ""}, ["tox"]),
        ({"noxfile.py": "", "uv.lock": ""}, ["uv run nox"]),
        ({"tox.ini": "", "conftest.py": ""}, ["pytest -q"]),
        ({"pyproject.toml": '[dependency-groups]\ndev = ["pytest", {include-group = "x"}]\n'}, ["pytest -q"]),
        ({"pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n'}, ["pytest -q"]),
        ({"pyproject.toml": '[tool.poetry.dev-dependencies]\npytest = "^8"\n'}, ["pytest -q"]),
        ({"pyproject.toml": '[tool.mypy]\nfiles = ["a"]\n'}, ["mypy"]),
        ({"pyproject.toml": "no toml ["}, []),
        ({"Makefile": "test:\n\tx\nlint :\n\tx\nbuild:=1\ntypes: a\n"}, ["make lint", "make types", "make test"]),
        ({"justfile": "@lint:\n  x\ntest *args:\n  x\nbuild := 'x'\n"}, ["just lint", "just test"]),
        ({"Taskfile.yml": "tasks:\n  test:\n    cmds: []\n"}, ["task test"]),
        ({"Makefile": "test:\n\tx\n", "pytest.ini": "", "ruff.toml": ""}, ["ruff check .", "make test"]),
        ({"Cargo.toml": ""}, ["cargo clippy --all-targets -- -D warnings", "cargo test"]),
        ({"go.mod": ""}, ["go vet ./...", "go build ./...", "go test ./..."]),
        ({"pom.xml": ""}, ["mvn -B verify"]),
        ({"pom.xml": "", "mvnw": ""}, ["./mvnw -B verify"]),
        ({"build.gradle": "", "build.gradle.kts": ""}, ["gradle check"]),
        ({"build.gradle.kts": "", "gradlew": ""}, ["./gradlew check"]),
        (
            {"Gemfile": "gem 'rspec-rails'\ngem \"rubocop\", require: false\n"},
            ["bundle exec rubocop", "bundle exec rspec"],
        ),
        ({"Gemfile": "gem 'rake'\n", "Rakefile": "Rake::TestTask.new\n"}, ["bundle exec rake test"]),
        ({"Rakefile": "task :test\n"}, ["rake test"]),
        (
            {"composer.json": '{"scripts": {"test": ["@a", "phpunit"], "lint": "phpcs"}}'},
            ["composer run lint", "composer run test"],
        ),
        ({"composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}}'}, ["vendor/bin/phpunit"]),
        ({"deno.json": "{}"}, ["deno lint", "deno check .", "deno test"]),
        (
            {"deno.jsonc": '{"tasks": {"test": "deno test -A", "dev": "x",}} // c'},
            ["deno lint", "deno check .", "deno task test"],
        ),
        (
            {"deno.json": '{"tasks": {"lint": {"command": "deno lint src"}}}'},
            ["deno task lint", "deno check .", "deno test"],
        ),
        ({"package.json": "[]"}, []),
        ({"package.json": "no json"}, []),
        ({"package.json": '{"scripts": ["test"]}'}, []),
        ({"package.json": '{"scripts": {"test": 1}}'}, []),
        ({"README.md": "x"}, []),
        ({}, []),
    ],
    ids=str,
)
def test_projects(files: dict[str, str], run: list[str]) -> None:
    assert commands(files) == run


@given(st.dictionaries(st.sampled_from(FILES), st.binary() | st.sampled_from([b"{}", b'{"scripts": {"test": null}}'])))
def test_no_file_breaks_it(files: dict[str, bytes]) -> None:
    found = detect(files)
    assert len({proposal.command for proposal in found}) == len(found)
    assert all(proposal.source for proposal in found)


def test_commands_are_written_after_those_of_the_prd() -> None:
    text = b"# P\n## Stories\n### US-001: T\n- [ ] c\n"
    bare = plan_file("prd.md", text)
    proposals = detect({"Makefile": b"test:\n\tx\nlint:\n\tx\n"})
    made = with_commands(bare, proposals)
    assert (len(bare.warnings), made.warnings, made.commands) == (1, (), ("make lint", "make test"))
    gates = plan_file("prd.md", text + b"## Quality Gates\n- `make test`\n")
    assert with_commands(gates, proposals).commands == ("make test", "make lint")
    assert with_commands(bare, ()) == bare
