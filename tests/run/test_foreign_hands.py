"""Whatever runs beside an agent may be the agent's own code: setup, commands, hooks in the work tree."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.project import Project, make_project, story

FLIP = 'sed -i \'s/"passes": false/"passes": true/\' prd.json'


def committed(project: Project) -> dict[str, bool]:
    """The flags as the last commit has them."""
    return {each["id"]: each["passes"] for each in json.loads(project.git("show", "HEAD:prd.json"))["userStories"]}


def test_a_hook_that_an_agent_wrote_flips_no_flag_and_leaves_nothing_running(tmp_path: Path) -> None:
    hook = "#!/bin/sh\nsetsid python3 ../flip.py >/dev/null 2>&1 &\n"
    (tmp_path / "flip.py").write_text(
        "import pathlib, time\n"
        "for _ in range(200):\n"
        "    file = pathlib.Path('prd.json')\n"
        "    file.write_text(file.read_text().replace('\"passes\": false', '\"passes\": true'))\n"
        "    time.sleep(0.02)\n"
    )
    steps = [
        {"write": ".husky/post-commit", "text": hook},
        {"run": "chmod +x .husky/post-commit"},
        {"write": "a.txt", "text": "x\n"},
    ]
    stories = [story("US-001", "test -f a.txt"), story("US-002", "false"), story("US-003", "false")]
    project = make_project(tmp_path, stories, {"stories": {"US-001": [steps]}, "default": [{"print": "done"}]})
    project.git("config", "core.hooksPath", ".husky")
    done = project.run("--max-attempts", "1")
    assert done.code == 1
    assert project.passes() == committed(project) == {"US-001": True, "US-002": False, "US-003": False}


def test_setup_flips_no_flag_also_when_it_fails(tmp_path: Path) -> None:
    project = make_project(
        tmp_path,
        [story("US-001", "false")],
        {"stories": {"US-001": [[{"print": "hello"}]]}},
        files={"setup.sh": f"{FLIP}\ntest ! -e fail\n", "fail": ""},
        setup=["sh setup.sh"],
    )
    before = project.prd_path.read_bytes()
    assert project.run().code == 3
    assert project.prd_path.read_bytes() == before
    project.git("rm", "-q", "fail")
    project.git("commit", "-q", "-m", "mended")
    assert project.run("--max-attempts", "1").code == 1
    assert committed(project) == {"US-001": False}


def test_a_folder_that_became_a_link_out_of_the_project_is_no_place_for_a_command(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ok").write_text("")
    steps = [{"run": f"rm -rf api && ln -s {outside} api"}]
    project = make_project(
        tmp_path,
        [story("US-001", {"run": "test -f ok", "cwd": "api"})],
        {"stories": {"US-001": [steps]}},
        files={"api/README": "x\n"},
    )
    done = project.run("--max-attempts", "1")
    assert project.passes() == {"US-001": False}
    assert "leads out of the project" in done.of("check_finished")[0]["excerpt"]


def test_the_runs_time_bounds_its_commands_and_their_retries(tmp_path: Path) -> None:
    slow = {"run": "sleep 60", "timeout": 3600, "retries": 9}
    project = make_project(tmp_path, [story("US-001", slow)], {"stories": {"US-001": [[{"write": "a", "text": "x"}]]}})
    done = project.run("--max-time", "3s", "--baseline", "off")
    assert (done.code, done.of("run_finished")[0]["stop"]) == (4, "wall_time")
    assert done.of("run_finished")[0]["duration_s"] < 30
    assert len(done.of("check_finished")) == 1


@pytest.mark.parametrize("blocks", [0, 1, 2, 4, 8, 16, 32])
def test_a_disk_that_takes_no_more_is_the_environment_and_proves_nothing(tmp_path: Path, blocks: int) -> None:
    work = [[{"write": "a.txt", "text": "x\n"}]]
    project = make_project(tmp_path, [story("US-001", "test -f a.txt"), story("US-002", "false")], {"default": work[0]})
    command = " ".join(map(shlex.quote, project.command("run", "--max-attempts", "1")))
    limited = subprocess.run(
        ["bash", "-c", f"ulimit -f {blocks}; exec {command}"],
        cwd=project.root,
        env=project.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert limited.returncode in (1, 3), limited.stderr
    assert project.run("--max-attempts", "1").code == 1
    assert project.passes() == committed(project) == {"US-001": True, "US-002": False}


def test_a_flag_that_no_commit_proves_is_said_at_the_start(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true"), story("US-002", "true")], {"default": [{"print": "x"}]})
    prd = project.prd_path.read_text()
    project.prd_path.write_text(prd.replace('"passes": false', '"passes": true', 1))
    done = project.run()
    assert "says that US-001 pass, which no commit of it does" in done.err
    assert "says that" not in project.run().err
