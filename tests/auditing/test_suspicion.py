"""What is odd about how a flag was set."""

from collections.abc import Sequence

import pytest

from prd_ralph.auditing.suspicion import about_setting, skips_in
from prd_ralph.auditing.values import Setting
from prd_ralph.testfiles import is_test
from prd_ralph.workspace.changes import Change

TASKS = "scripts/ralph/prd.json"
SET = Setting("c", "2031-03-01T08:00:00Z", "feat")


def kinds(changes: Sequence[Change], setting: Setting = SET, more_skips: int = 0) -> list[str]:
    return [finding.kind for finding in about_setting(setting, changes, more_skips, TASKS)]


def edited(path: str, added: int = 1, removed: int = 1) -> Change:
    return Change(path, path, added=added, removed=removed)


@pytest.mark.parametrize(
    "others",
    [
        (),
        ("scripts/ralph/progress.txt",),
        ("progress.md", "AGENTS.md", "notes/NOTES-2.md", "scripts/ralph/.last-branch", "activity.log"),
        ("archive/2031-03-01-pond/prd.json",),
    ],
)
def test_the_task_file_and_notes_are_no_work(others: tuple[str, ...]) -> None:
    assert kinds([edited(TASKS), *map(edited, others)]) == ["nothing_else"]


@pytest.mark.parametrize("path", ["src/a.py", "README.md", "docs/progress-bar.tsx", "notes.py", "src/notebook.md"])
def test_anything_else_is(path: str) -> None:
    assert kinds([edited(TASKS), edited(path)]) == []


def test_a_file_that_is_renamed_to_notes_was_work() -> None:
    assert kinds([edited(TASKS), Change("progress.txt", "src/a.py")]) == []


def test_how_it_was_set() -> None:
    work = [edited("a.py")]
    assert kinds(work, Setting("c", "", "", others=("US-2", "US-3"))) == ["all_at_once"]
    assert kinds(work, Setting("c", "", "", others=("US-2",), is_first=True)) == ["first_version"]
    assert kinds(work, Setting("c", "", "", returned=True)) == ["flipped_back"]
    told = [each.message for each in about_setting(Setting("c", "", "", tuple("abcde")), work, 0, TASKS)]
    assert told == ["set together with a, b, c and 2 more, in one commit"]


def test_what_became_of_tests() -> None:
    work = [edited("a.py"), edited(TASKS)]
    assert kinds([*work, Change("tests/test_a.py", "tests/test_a.py", gone=True, removed=9)]) == ["tests_removed"]
    assert kinds([*work, Change("old/test_a.py.off", "tests/test_a.py")]) == ["tests_removed"]
    assert kinds([*work, edited("src/a.test.ts", added=1, removed=3)]) == ["tests_shrunk"]
    assert kinds([*work, Change("tests/unit/test_a.py", "tests/test_a.py", added=2, removed=5)]) == ["tests_shrunk"]
    assert kinds(work, more_skips=2) == ["skips_added"]
    assert kinds(work, more_skips=-1) == []


@pytest.mark.parametrize(
    "change",
    [
        Change("tests/test_a.py", None, added=5),
        Change("tests/unit/test_a.py", "tests/test_a.py"),
        edited("tests/test_a.py", added=3, removed=3),
        Change("src/a.py", "src/a.py", gone=True, removed=50),
    ],
)
def test_what_is_usual_with_tests(change: Change) -> None:
    assert kinds([edited("b.py"), change]) == []


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py",
        "a_test.go",
        "src/a.test.ts",
        "src/a.spec.js",
        "spec/a_spec.rb",
        "conftest.py",
        "src/__tests__/a.js",
        "src/FooTest.java",
        "Foo.Tests/FooTests.cs",
        "tests/helpers.py",
        "e2e/login.ts",
    ],
)
def test_names_of_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["a.py", "src/latest.py", "contest.go", "testimony.md", "src/Test.java.md/x", "tests"])
def test_names_of_other_files(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    "line",
    [
        "@pytest.mark.skip",
        "    @pytest.mark.skipif(True, reason='later')",
        "@unittest.skip('x')",
        "        self.skipTest('x')",
        "pytest.skip('later')",
        "pytestmark = pytest.mark.xfail",
        "it.skip('does', () => {",
        "describe.only('x', () => {",
        "xit('does', fn)",
        "\tt.Skip()",
        "#[ignore]",
        "@Disabled",
        '@Ignore("later")',
        '[Fact(Skip = "later")]',
        "$this->markTestSkipped();",
        "test.todo('x')",
    ],
)
def test_lines_that_leave_tests_out(line: str) -> None:
    assert skips_in([line, "assert True"]) == 1


@pytest.mark.parametrize(
    "line", ["skip = 1", "def test_skip_list():", "exit('x')", "it('skips', fn)", "wait.Skip", "only"]
)
def test_lines_that_do_not(line: str) -> None:
    assert skips_in([line]) == 0
