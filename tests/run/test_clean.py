"""`--verify-in clean`: the commands see a fresh checkout of what would land, prepared by `setup`, and nothing else."""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.clean import moved
from tests.run.told import end, outcomes
from tests.support.programs import program
from tests.support.project import Project, make_project, story
from tests.support.waiting import end as kill
from tests.support.waiting import pids_in, started

IGNORED = {".gitignore": "build/\nnode_modules/\n.venv/\nmade\nlocal.cfg\n"}
CLEAN = ("--verify-in", "clean", "--max-attempts", "1")


def project_of(folder: Path, check: str, *attempts: list[dict[str, Any]], **fields: Any) -> Project:
    """US-001, judged by `check`; the scripted agent plays `attempts`. Temporary files lie in `folder`/tmp."""
    made = make_project(folder, [story("US-001", check)], {"stories": {"US-001": list(attempts)}}, IGNORED, **fields)
    (folder / "tmp").mkdir()
    env = {**made.env, "TMPDIR": str(folder / "tmp"), "VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
    return replace(made, env=env)


def work(**files: str) -> list[dict[str, Any]]:
    """Steps that write these files; `__` stands for a slash, `_dot_` for a dot."""
    names = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return [{"write": name, "text": text} for name, text in names.items()]


def assert_nothing_left(project: Project) -> None:
    assert list((project.root.parent / "tmp").iterdir()) == []
    assert project.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_what_git_ignores_proves_nothing(tmp_path: Path) -> None:
    project = project_of(tmp_path, "test -f app && test -f build/ok", work(app="x\n", build__ok="x\n"))
    done = project.run(*CLEAN)
    assert (done.code, outcomes(done)) == (1, {"US-001": "failed"})
    assert project.run("--max-attempts", "1").code == 0  # in the tree it would pass
    assert_nothing_left(project)


def test_what_would_land_passes_and_lands(tmp_path: Path) -> None:
    (tmp_path / "seen").mkdir()
    look = f"pwd > {tmp_path}/seen/pwd; git rev-parse HEAD^ > {tmp_path}/seen/parent; git status --porcelain | wc -l"
    project = project_of(tmp_path, f'test -f app && test "$({look})" = 0', work(app="x\n"))
    base = project.git("rev-parse", "HEAD")
    done = project.run(*CLEAN)
    assert done.code == 0, done.err
    assert project.passes() == {"US-001": True}
    where = Path((tmp_path / "seen/pwd").read_text().strip())
    assert where.parent == (tmp_path / "tmp").resolve()
    assert (tmp_path / "seen/parent").read_text().strip() == base
    assert done.of("judged")[-1]["warnings"] == []
    assert done.of("tampered") == []
    assert project.git("status", "--porcelain") == ""
    assert_nothing_left(project)


def test_setup_prepares_each_checkout(tmp_path: Path) -> None:
    check = "test -f app && grep -q prepared made"
    project = project_of(tmp_path, check, work(app="x\n"), setup=[f"echo prepared > made; pwd >> {tmp_path}/setups"])
    assert project.run(*CLEAN).code == 0
    places = (tmp_path / "setups").read_text().split()
    assert str(project.root) in places
    assert [place for place in places if Path(place).parent == (tmp_path / "tmp").resolve()]


def test_a_candidate_that_breaks_setup_fails_and_is_told_so(tmp_path: Path) -> None:
    first, second = work(app="x\n", broken="x\n"), [{"expect": "cannot set up"}, {"delete": "broken"}]
    setup = ["! test -f broken || { echo cannot set up; exit 3; }"]
    project = project_of(tmp_path, "test -f app", first, second, setup=setup)
    done = project.run("--verify-in", "clean")
    assert done.code == 0, done.err
    assert [event["outcome"] for event in done.of("judged")] == ["failed", "passed"]
    (failed,) = (event for event in done.of("check_finished") if event["status"] != "passed")
    assert (failed["exit_code"], failed["excerpt"]) == (3, "cannot set up")
    assert_nothing_left(project)


def test_a_setup_that_no_checkout_can_do_is_the_environments(tmp_path: Path) -> None:
    """In the work tree it can, by a file that git does not hold."""
    project = project_of(tmp_path, "test -f app", work(app="x\n"), setup=["grep ok local.cfg"])
    (project.root / "local.cfg").write_text("ok\n")
    done = project.run(*CLEAN)
    assert (done.code, end(done)["stop"]) == (3, "environment")
    assert "setup failed in a fresh checkout: grep ok local.cfg (exit 2)" in end(done)["reason"]
    assert "mend `setup`" in end(done)["hint"]
    assert project.passes() == {"US-001": False}
    assert_nothing_left(project)


def activated(project: Project, venv: Path) -> Project:
    """With a virtual environment whose `tool` succeeds."""
    program(venv / "bin", "tool", "exit 0")
    return replace(project, env={**project.env, "VIRTUAL_ENV": str(venv), "PATH": f"{venv}/bin:{os.environ['PATH']}"})


def test_an_activated_environment_is_left_behind(tmp_path: Path) -> None:
    project = project_of(tmp_path, "test -f app && tool", work(app="x\n"), setup=["true"])
    done = activated(project, tmp_path / "venv").run(*CLEAN)
    assert (done.code, done.of("check_finished")[-1]["status"]) == (1, "missing_tool")


def test_without_setup_it_stays_and_the_pass_is_suspect(tmp_path: Path) -> None:
    project = activated(project_of(tmp_path, "test -f app && tool", work(app="x\n")), tmp_path / "venv")
    refused = project.run(*CLEAN, "--strict")
    assert (refused.code, refused.of("judged")[-1]["reason"]) == (1, "suspect")
    done = project.run(*CLEAN)
    assert done.code == 0
    told = str(done.of("judged")[-1])
    assert f"not clean: no `setup`, and the virtual environment {tmp_path}/venv is in use" in told


def test_programs_of_the_work_tree_are_those_of_the_checkout(tmp_path: Path) -> None:
    """The agent has put another one where git does not look."""
    setup = ["mkdir -p .venv/bin && printf '#!/bin/sh\\nexit 1\\n' > .venv/bin/tool && chmod +x .venv/bin/tool"]
    steps = [*work(app="x\n"), {"run": "printf '#!/bin/sh\\nexit 0\\n' > .venv/bin/tool"}]
    project = project_of(tmp_path, "test -f app && tool", steps, setup=setup)
    project = activated(project, project.root / ".venv")
    done = project.run(*CLEAN)
    assert (done.code, done.of("check_finished")[-1]["exit_code"]) == (1, 1)
    assert project.run("--max-attempts", "1").code == 0


def test_what_lies_above_the_checkout_is_named(tmp_path: Path) -> None:
    steps = [*work(app="x\n"), {"run": "touch $TMPDIR/pytest.ini"}]
    project = project_of(tmp_path, "test -f app", steps)
    done = project.run(*CLEAN, "--strict")
    assert (done.code, done.of("judged")[-1]["reason"]) == (1, "suspect")
    (tmp_path / "tmp/pytest.ini").unlink()


def test_what_lies_above_the_work_tree_is_the_persons(tmp_path: Path) -> None:
    project = project_of(tmp_path, "test -f app", work(app="x\n"))
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "conftest.py").write_text("")
    done = project.run("--strict")
    assert (done.code, done.of("judged")[-1]["warnings"]) == (0, [])


def test_what_a_command_puts_above_the_checkout_is_named_too(tmp_path: Path) -> None:
    project = project_of(tmp_path, "test -f app && touch $TMPDIR/conftest.py", work(app="x\n"))
    assert project.run(*CLEAN, "--strict").code == 1
    assert project.passes() == {"US-001": False}


def test_a_killed_run_leaves_no_checkout_for_the_next(tmp_path: Path) -> None:
    slow = f"test -f app && if test -f {tmp_path}/go; then true; else echo $$ >> {tmp_path}/pids; sleep 600; fi"
    project = project_of(tmp_path, slow, work(app="x\n"))
    with started(project, "run", *CLEAN) as process:
        pids_in(tmp_path / "pids")
        kill(process, signal.SIGKILL)
    assert project.git("worktree", "list", "--porcelain").count("worktree ") == 2
    (tmp_path / "go").touch()
    done = project.run(*CLEAN)
    assert done.code == 0, done.err
    assert done.of("agent_started") == []
    assert_nothing_left(project)


def test_an_interruption_leaves_no_checkout(tmp_path: Path) -> None:
    slow = f"! test -f app || {{ echo $$ >> {tmp_path}/pids; sleep 600; }}"
    project = project_of(tmp_path, "true", work(app="x\n"), setup=[slow])
    with started(project, "run", "--json", *CLEAN) as process:
        pids_in(tmp_path / "pids")
        assert kill(process, signal.SIGINT) == -signal.SIGINT
    assert project.passes() == {"US-001": False}
    assert_nothing_left(project)


ROOT, TO = Path("/work/repo"), Path("/tmp/checkout")
ENTRIES = st.sampled_from(
    ["", ".", "/bin", "/work/repo", "/work/repo/.venv/bin", "/work/repo/../other", "/work/repos/bin", "rel", "/v/bin"]
)
VALUES = st.lists(ENTRIES, min_size=1).map(":".join)


@given(st.dictionaries(st.sampled_from(["PATH", "PYTHONPATH", "NODE_PATH", "PWD", "X"]), VALUES), st.booleans())
def test_nothing_in_the_environment_names_the_work_tree(env: dict[str, str], prepared: bool) -> None:
    found = moved(env, ROOT, TO, prepared=prepared)
    assert found.keys() == env.keys()
    for name, value in found.items():
        entries = list(zip(env[name].split(":"), value.split(":"), strict=True))
        assert [now for _, now in entries if Path(now) == ROOT or "/work/repo/.venv" in now] == []
        assert all(now == before for before, now in entries if not before.startswith("/work/repo"))


@given(VALUES, st.sampled_from(["VIRTUAL_ENV", "CONDA_PREFIX"]), st.sampled_from(["/v", "/v/", "/work/repo/.venv"]))
def test_an_environment_is_left_where_setup_makes_another(path: str, variable: str, venv: str) -> None:
    env = {"PATH": path, variable: venv, "PYTHONHOME": "/v", "HOME": "/work/repo", "GIT_DIR": "/work/repo/.git"}
    found = moved(env, ROOT, TO, prepared=True)
    assert found.keys() == {"PATH", "HOME"}
    assert found["HOME"] == "/work/repo"
    outside = not venv.startswith("/work")
    assert ("/v/bin" in found["PATH"].split(":")) == ("/v/bin" in path.split(":") and not outside)
    stays = moved(env, ROOT, TO, prepared=False)
    assert (stays[variable], stays["PYTHONHOME"]) == (venv, "/v")
    assert path.split(":").count(f"{venv.rstrip('/')}/bin") == stays["PATH"].split(":").count(f"{venv.rstrip('/')}/bin")


def test_a_link_that_leads_into_the_work_tree_is_seen(tmp_path: Path) -> None:
    (tmp_path / "repo/bin").mkdir(parents=True)
    (tmp_path / "link").symlink_to("repo")
    (tmp_path / "loop").symlink_to("loop")
    env = {"PATH": f"{tmp_path}/link/bin:{tmp_path}/loop/bin"}
    found = moved(env, (tmp_path / "repo").resolve(), TO, prepared=True)
    assert found == {"PATH": f"/tmp/checkout/bin:{tmp_path}/loop/bin"}


def test_an_object_that_an_agent_exchanged_proves_nothing(tmp_path: Path) -> None:
    """Under the name of the test it has put another text, which git would check out."""
    forge = f"""{sys.executable} - << 'END'
import pathlib, subprocess, zlib
oid = subprocess.run(["git", "rev-parse", "HEAD:check.sh"], capture_output=True, text=True).stdout.strip()
file = pathlib.Path(".git/objects", oid[:2], oid[2:])
file.chmod(0o644)
file.write_bytes(zlib.compress(b"blob 7" + bytes(1) + b"exit 0" + bytes([10])))
END"""
    project = make_project(
        tmp_path,
        [story("US-001", "sh check.sh")],
        {"stories": {"US-001": [[*work(app="x\n"), {"run": forge}]]}},
        files={"check.sh": "exit 1\n"},
    )
    done = project.run(*CLEAN)
    assert (done.code, end(done)["stop"]) == (3, "environment")
    assert "not what their names say: check.sh" in end(done)["reason"]
    assert project.passes() == {"US-001": False}


@pytest.mark.parametrize("where", ["tree", "clean"])
def test_a_submodule_that_an_attempt_moved_is_base_in_a_checkout(tmp_path: Path, where: str) -> None:
    project = project_of(tmp_path, "test -f app && grep -q evil sm/file", work(app="x\n", sm__file="evil\n"))
    inner = make_project(tmp_path / "inner", [story("X", "true")], files={"file": "good\n"}).root
    project.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sm")
    project.git("commit", "-qam", "sm")
    done = project.run("--verify-in", where, "--max-attempts", "1")
    assert done.code == 1
    reason = {"tree": "left_out", "clean": ""}[where]
    assert done.of("judged")[-1]["reason"] == reason
