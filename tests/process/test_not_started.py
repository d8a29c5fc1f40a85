"""What can't be started is said in one line, and is no exit status."""

import os
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd

from .conftest import Run


def program(path: Path, text: str = "#!/bin/sh\necho here\n", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def error(run: Run, *argv: str, **options: object) -> str:
    result = run(*argv, **options)
    assert (result.end, result.exit_code, result.stdout) == (ProcessEnd.NOT_STARTED, None, b"")
    assert "\n" not in result.error
    return result.error


def test_a_program_that_is_nowhere(run: Run) -> None:
    assert error(run, "no-such-tool") == "not found on PATH: no-such-tool"
    assert error(run, "./no-such-tool") == "no such program: ./no-such-tool"
    assert error(run, "") == "no program given"
    assert error(run) == "no program given"


def test_a_program_that_may_not_be_run(run: Run, place: Path) -> None:
    file = program(place / "tool", mode=0o644)
    assert error(run, "./tool") == f"not executable: {file}"
    assert error(run, "tool", env={"PATH": str(place)}) == f"not executable: {file}"


def test_a_folder_that_is_not_there(run: Run, place: Path) -> None:
    assert error(run, "true", cwd=place / "absent") == f"no such folder: {place / 'absent'}"


def test_input_that_is_not_there(run: Run, place: Path) -> None:
    assert "cannot prepare standard input" in error(run, "cat", stdin=place / "absent")


def test_text_that_no_program_can_be_given(run: Run) -> None:
    assert "NUL" in error(run, "echo", "a\0b")
    assert "NUL" in error(run, "true", env={"PATH": os.defpath, "A": "\0"})
    assert "surrogates not allowed" in error(run, "echo", "\ud800")
    assert "Invalid argument" in error(run, "true", env={"PATH": os.defpath, "": "x"})


def test_an_argument_that_is_too_long_is_not_a_missing_tool(run: Run) -> None:
    said = error(run, "echo", "x" * 3_000_000)
    assert said.startswith("argument list too long for echo: the longest argument has 3000000 bytes")


def test_a_script_without_or_with_a_wrong_first_line(run: Run, place: Path) -> None:
    program(place / "bare", "echo hi\n")
    program(place / "wrong", "#!/no/such/interpreter\n")
    assert "a script without a #! line" in error(run, "./bare")
    assert "interpreter" in error(run, "./wrong")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_a_folder_is_no_program(run: Run, place: Path) -> None:
    (place / "tool").mkdir()
    assert error(run, "./tool") == "no such program: ./tool"


def test_the_childs_path_counts_relative_to_its_folder(run: Run, place: Path, tmp_path: Path) -> None:
    program(place / "bin" / "tool")
    program(tmp_path / "other" / "tool", mode=0o644)
    for path in ("bin", str(place / "bin"), f"{tmp_path / 'other'}:bin"):
        assert run("tool", env={"PATH": f"{path}:{os.defpath}"}).stdout == b"here\n"
    assert run("bin/tool", env={"PATH": ""}).stdout == b"here\n"
    assert run("true", env={}).ok
    assert error(run, "tool", env={"PATH": "bin"}, cwd=tmp_path) == "not found on PATH: tool"


def test_the_name_is_told_as_it_was_given(run: Run) -> None:
    assert run("bash", "-c", "echo $0").stdout == b"bash\n"


def test_the_next_request_is_served_after_one_that_failed(run: Run) -> None:
    error(run, "echo", "x" * 3_000_000)
    assert run("echo", "hi").stdout == b"hi\n"
