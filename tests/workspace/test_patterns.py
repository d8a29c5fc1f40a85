"""Patterns of `protect` mean what git means by them."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prd_ralph.patterns import Patterns
from tests.conftest import git

_PARTS = ["a", "b", "ab", "*", "**", "a*", "*.b", "?", "a?", "[ab]", "[!a]", "a.b", "\\*", "[a-b]x", "x[]a]"]
_PATHS = st.lists(st.sampled_from(["a", "b", "ab", "a.b", "*", "x", "ax", "xa", "c", "x]"]), min_size=1, max_size=4)


@st.composite
def _pattern(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3))
    return draw(st.sampled_from(["", "/"])) + "/".join(parts) + draw(st.sampled_from(["", "/"]))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("patterns")
    git(root, "init", "-q")
    return root


@settings(max_examples=300)
@given(lines=st.lists(_pattern(), min_size=1, max_size=3), paths=st.lists(_PATHS, min_size=1, max_size=12))
def test_as_git_reads_them(repository: Path, lines: list[str], paths: list[list[str]]) -> None:
    names = sorted({"/".join(parts) for parts in paths})
    (repository / ".git/info/exclude").write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input="".join(f"{name}\0" for name in names).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    ignored = {name for name in done.stdout.decode().split("\0") if name}
    assert {name for name in names if Patterns(lines).match(name)} == ignored


@pytest.mark.parametrize(
    ("lines", "path", "meant"),
    [
        (["tests/acceptance/**"], "tests/acceptance/deep/x.py", True),
        (["tests/acceptance/**"], "src/tests/acceptance/x.py", False),
        (["tests/", "!tests/fixtures/"], "tests/fixtures/x.json", False),
        (["tests/", "!tests/fixtures/", "tests/fixtures/x.json"], "tests/fixtures/x.json", True),
        (["# tests/", "", "  "], "tests/x", False),
        (["\\#a"], "#a", True),
        (["\\!a"], "!a", True),
        (["a  "], "a", True),
        (["a\\ "], "a ", True),
        (["[a"], "[a", True),  # git: nothing at all
        (["a/**/b"], "a/b", True),
        (["**/**"], "a", True),
        (["a/**/**"], "a/b", True),
        (["a/**/**"], "a", False),
        (["a/**/**/b"], "a/b", True),
        (["a"], "a\nb", False),
        (["*"], "a\nb", True),
    ],
)
def test_examples(lines: list[str], path: str, meant: bool) -> None:
    assert Patterns(lines).match(path) is meant


def test_what_names_nothing_is_false() -> None:
    assert not Patterns(["!a", "# b", ""])
    assert Patterns(["!a", "b"])


@pytest.mark.parametrize(
    ("lines", "stems"),
    [
        (["tests/acceptance/**", "a/b/*.py", "!c/d"], ("a/b", "tests/acceptance")),
        (["/x", "y/z/"], ("x", "y/z")),
        (["*.py", "tests"], ("",)),
    ],
)
def test_where_to_look(lines: list[str], stems: tuple[str, ...]) -> None:
    assert Patterns(lines).stems() == stems
