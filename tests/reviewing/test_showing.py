"""What of a change a reviewer sees: tests first, bounded, and all else named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.reviewing.showing import FILE_LIMIT, FILES_LIMIT, TOTAL_LIMIT, shown
from prd_ralph.testfiles import is_test


@pytest.mark.parametrize(
    "path",
    [
        *(
            "tests/a.py",
            "pkg/test/A.java",
            "test_a.py",
            "a_test.go",
            "src/a.test.ts",
            "src/a.spec.js",
            "spec/a_spec.rb",
        ),
        *(
            "src/__tests__/a.js",
            "conftest.py",
            "pkg/conftest.py",
            "src/PlanTest.java",
            "PlanTests.cs",
            "src/PlanIT.java",
            "e2e/login.ts",
        ),
        *("src/__snapshots__/a.snap", "pkg/testdata/in.txt"),
    ],
)
def test_names_of_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["src/a.py", "contest.py", "src/latest.ts", "src/attestation/a.go", "inspect.py"])
def test_other_names(path: str) -> None:
    assert not is_test(path)


def test_tests_come_first() -> None:
    change = shown(["src/a.py", "tests/b.py", "a.txt", "tests/a.py"], lambda path: f"patch of {path}\n")
    assert [patch.path for patch in change.patches] == ["tests/a.py", "tests/b.py", "a.txt", "src/a.py"]
    assert change.patches[0].text == "patch of tests/a.py\n"
    assert (change.cut, change.unseen) == ((), ())


def test_what_is_large_or_no_text_is_named() -> None:
    patches = {"large.txt": "+x\n" * FILE_LIMIT, "a.png": "diff --git a b\n@@ -0,0 +1 @@\n+\0\n", "b.py": "+b\n"}
    change = shown(patches, patches.__getitem__)
    assert change.cut == ("a.png", "large.txt")
    assert {patch.path: len(patch.text) for patch in change.patches}["large.txt"] == FILE_LIMIT
    assert change.patches[0].text == "diff --git a b\n(binary)\n"


def test_too_many_files_are_not_even_looked_at() -> None:
    seen: list[str] = []

    def patch_of(path: str) -> str:
        seen.append(path)
        return ""

    change = shown([f"{number:04}" for number in range(FILES_LIMIT + 7)], patch_of)
    assert len(change.patches) == len(seen) == FILES_LIMIT
    assert len(change.unseen) == 7


@given(st.dictionaries(st.text(min_size=1), st.integers(0, 2 * FILE_LIMIT), max_size=12))
def test_all_is_shown_or_named_and_never_too_much(sizes: dict[str, int]) -> None:
    change = shown(sizes, lambda path: "x" * sizes[path])
    assert sum(len(patch.text) for patch in change.patches) <= TOTAL_LIMIT
    assert {patch.path for patch in change.patches} | set(change.unseen) == sizes.keys()
    whole = {patch.path for patch in change.patches if len(patch.text) == sizes[patch.path]}
    assert set(change.cut) == {patch.path for patch in change.patches} - whole
