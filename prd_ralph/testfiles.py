"""Which files are tests, by the conventions of the usual ecosystems; pure.

`auto` guards TESTS and RUNNERS. What a test compares with and tools write anew (snapshots) is no part of it, and
neither is what every change may touch (pyproject.toml, package.json): a pass is suspect where their part on tests
differs.
"""

from prd_ralph.patterns import Patterns

TESTS = Patterns(
    (
        *("tests/", "test/", "Tests/", "__tests__/", "e2e/", "src/test/", "src/androidTest/"),
        *("test_*.py", "*_test.py", "tests.py", "conftest.py"),
        *("*.test.[jt]s", "*.test.[cm][jt]s", "*.test.[jt]sx", "*.spec.[jt]s", "*.spec.[cm][jt]s", "*.spec.[jt]sx"),
        *("*.cy.[jt]s", "*.cy.[jt]sx", "*_test.go", "*_spec.rb", "*_test.rb", "spec/**/*.rb"),
        *("*Test.java", "*Tests.java", "*IT.java", "*Test.kt", "*Tests.kt", "*Spec.groovy", "*Spec.scala"),
        *("*Tests.cs", "*Test.cs", "*Test.php", "*Tests.swift", "*_test.dart", "*_test.exs", "*.bats", "*.t"),
        *("!README*", "!AGENTS.md", "!CLAUDE.md", "!CHANGELOG*", "!.gitignore"),
        *("!__snapshots__/", "!snapshots/", "!*.snap", "!*.snap.new", "!*.ambr", "!*.golden", "!*.approved.*"),
    )
)
SNAPSHOTS = Patterns(
    (
        *("__snapshots__/", "snapshots/", "golden/", "goldens/", "expected/", "testdata/"),
        *("*.snap", "*.snap.new", "*.ambr", "*.golden", "*.expected", "*.approved.*"),
    )
)
RUNNERS = Patterns(
    (
        *("pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py"),
        *("jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.workspace.*", ".mocharc*", "karma.conf.*"),
        *("playwright.config.*", "cypress.config.*", "cypress.json", "ava.config.*", ".taprc"),
        *("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", ".rspec", "nextest.toml", "testng.xml"),
        *("*.runsettings", "xunit.runner.json", "junit-platform.properties", "dart_test.yaml"),
    )
)
SWAYING = Patterns(
    (
        *("conftest.py", "sitecustomize.py", "usercustomize.py", "*.pth", ".gitattributes"),
        *(".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", "vite.config.*"),
        *(".cargo/config", ".cargo/config.toml"),
    )
)
"""What decides how tests run, though it is no test: files that interpreters, package managers and git itself read."""
_RUNNER_NAMES = frozenset(
    {
        *("pytest", "_pytest", "py", "pluggy", "unittest", "doctest", "nose", "nose2", "hypothesis", "coverage"),
        *("mypy", "ruff", "pyright", "flake8", "pylint", "black", "tox", "nox", "trace", "bdb", "pdb"),
    }
)


def is_test(path: str) -> bool:
    """Whether the file is a test, or what tests compare with."""
    return TESTS.match(path) or SNAPSHOTS.match(path)


def is_guarded(path: str) -> bool:
    """Whether `auto` guards the file where it is there when the run starts."""
    return TESTS.match(path) or RUNNERS.match(path)


def shadowed(path: str, standard: frozenset[str]) -> str:
    """The module of a runner, or of Python's own (`standard`), that an import might find `path` in place of.

    Empty where there is none. Python's own count at the root and among tests alone: those folders are looked in first.
    """
    *folders, name = path.split("/")
    module = name.removesuffix(".py") if name.endswith(".py") else ""
    if name == "__init__.py" and folders:
        *folders, module = folders
    if module in _RUNNER_NAMES:
        return module
    first = not folders or folders[-1] in ("test", "tests", "src")
    return module if first and module in standard else ""
