"""The commands run on the person's ground: what an agent planted there does not count."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.programs import program
from tests.support.project import Done, Project, make_project, story
from tests.support.waiting import gone, pids_in

NEVER = "test -f never.txt"


@pytest.fixture
def home(_isolated: None) -> Path:
    return Path(os.environ["HOME"])


def _run(project: Project, agent: str, *args: str, **more: str) -> Done:
    """One attempt of an agent of a few lines of shell."""
    script = project.root.parent / "agent.sh"
    script.write_text(f"cat > /dev/null\n{agent}\n")
    return project.run("--agent-command", f"sh {script}", "--max-attempts", "1", *args, **more)


def _tampered(done: Done) -> list[str]:
    return [name for event in done.of("tampered") for name in event["what"]]


def test_a_file_that_every_shell_reads(tmp_path: Path, home: Path) -> None:
    (home / "env.sh").write_text("FROM_HOME=yes\n")
    project = make_project(tmp_path, [story("US-001", NEVER), story("US-002", 'test "$FROM_HOME" = yes')])
    done = _run(project, 'echo "exit 0" > "$HOME/env.sh"; echo x >> a.txt', BASH_ENV=str(home / "env.sh"))
    assert project.passes() == {"US-001": False, "US-002": True}
    assert (home / "env.sh").read_text() == "FROM_HOME=yes\n"
    named = _tampered(done)[0]
    assert named.startswith("~/env.sh (what lay there is kept: ")
    place = Path(named.rpartition(": ")[2].rstrip(")"))
    assert place.read_text() == "exit 0\n"
    assert "~/env.sh" in done.err


def test_a_variable_that_an_agent_sets_reaches_no_command(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", NEVER), story("US-002", 'test -z "$BASH_ENV$PLANTED"')])
    agent = 'export BASH_ENV="$HOME/evil.sh" PLANTED=1; echo "exit 0" > "$BASH_ENV"; echo x >> a.txt'
    _run(project, agent)
    assert project.passes() == {"US-001": False, "US-002": True}


def test_a_fake_runner_first_on_path(tmp_path: Path) -> None:
    early, late = tmp_path / "early", tmp_path / "late"
    early.mkdir()
    program(late, "runner", "exit 1")
    project = make_project(tmp_path, [story("US-001", "runner")])
    path = os.pathsep.join((str(early), str(late), os.environ["PATH"]))
    fake = f"printf '#!/bin/sh\\nexit 0\\n' > {early}/runner; chmod +x {early}/runner; echo x > a.txt"
    done = _run(project, fake, PATH=path)
    assert project.passes() == {"US-001": False}
    assert _tampered(done)[0].startswith(f"{early}/runner (new on PATH, before {late}/runner; ")
    done = _run(project, f"echo 'exit 0' > {late}/runner", PATH=path)
    assert project.passes() == {"US-001": False}
    assert _tampered(done)[0].startswith(f"{late}/runner (")


def test_a_fake_shell(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    project = make_project(tmp_path, [story("US-001", NEVER)])
    bash = venv / "bin/bash"
    path = os.pathsep.join((str(venv / "bin"), os.environ["PATH"]))
    _run(project, f"printf '#!/bin/sh\\nexit 0\\n' > {bash}; chmod +x {bash}; echo x > a.txt", PATH=path)
    assert project.passes() == {"US-001": False}
    assert not bash.exists()


def test_gits_own_config_of_a_home(tmp_path: Path, home: Path) -> None:
    """Put back before git says what the candidate is, and before a hook could run."""
    project = make_project(tmp_path, [story("US-001", "test -f one.txt")])
    before = (home / ".gitconfig").read_bytes()
    agent = f"""
        echo done > one.txt
        mkdir -p "$HOME/.config/git" {tmp_path}/hooks; echo one.txt > "$HOME/.config/git/ignore"
        printf '#!/bin/sh\\ntouch {tmp_path}/hooked\\n' > {tmp_path}/hooks/pre-commit; chmod +x {tmp_path}/hooks/*
        git config --global core.hooksPath {tmp_path}/hooks
    """
    done = _run(project, agent)
    assert done.code == 0, done.err
    assert "one.txt" in project.git("ls-files").splitlines()
    assert (home / ".gitconfig").read_bytes() == before
    assert not (tmp_path / "hooked").exists()
    assert [name.partition(" ")[0] for name in _tampered(done)] == ["~/.gitconfig", "~/.config/git/ignore"]


def test_what_a_killed_agent_planted_is_gone_before_the_commands_look(tmp_path: Path, home: Path) -> None:
    (home / "env.sh").write_text("")
    project = make_project(tmp_path, [story("US-001", NEVER)])
    env = {"BASH_ENV": str(home / "env.sh")}
    agent = 'echo "exit 0" > "$HOME/env.sh"; echo x > a.txt'
    assert _run(project, agent, PRD_RALPH_FAULT="agent_ended", **env).code == -9
    assert (home / "env.sh").read_text() == "exit 0\n"
    done = _run(project, "true", **env)
    assert project.passes() == {"US-001": False}
    assert _tampered(done)[0].startswith("~/env.sh (")
    assert (home / "env.sh").read_text() == ""


def test_planted_bytecode(tmp_path: Path) -> None:
    files = {"calc.py": "TWO = 3\n", ".gitignore": "__pycache__/\n"}
    project = make_project(tmp_path, [story("US-001", "python3 -c 'import calc; assert calc.TWO == 2'")], files=files)
    agent = """
        cp -p calc.py before; sed 's/3/2/' before > calc.py; touch -r before calc.py
        python3 -m py_compile calc.py; mv before calc.py; echo x > a.txt
        python3 -c 'import calc; assert calc.TWO == 2' || touch no-trick
    """
    _run(project, agent)
    assert not (project.root / "no-trick").exists()
    assert project.passes() == {"US-001": False}


def test_a_daemon_of_a_new_session_without_any_mark_is_gone_before_the_commands_look(tmp_path: Path) -> None:
    """Forked twice, in a session of its own, with an empty environment, deaf to TERM."""
    pids = tmp_path / "pids"
    loop = f"trap '' TERM HUP INT; echo $$ > {pids}; while :; do sleep 1; done"
    project = make_project(tmp_path, [story("US-001", f"! kill -0 $(cat {pids})")])
    agent = f"""
        (env -i "PATH=$PATH" setsid sh -c "{loop.replace("$", chr(92) + "$")}" < /dev/null > /dev/null 2>&1 &) &
        while ! test -s {pids}; do sleep 0.01; done
        echo x > a.txt
    """
    done = _run(project, agent)
    assert done.code == 0, done.err
    gone(pids_in(pids))


def test_bytecode_that_commands_made_is_no_persons(tmp_path: Path) -> None:
    look = f"{sys.executable} -c 'import app; assert app.X == {{}}'"
    steps = [
        [{"write": "app.py", "text": f"X = {number}\n" * number}, {"run": look.format(number)}] for number in (1, 2)
    ]
    stories = [story("US-001", look.format(1)), story("US-002", look.format(2), supersedes=["US-001"])]
    script = {"stories": {"US-001": [steps[0]], "US-002": [steps[1]]}}
    project = make_project(tmp_path, stories, script, files={"app.py": "X = 0\n"})
    done = project.run("--strict", PYTHONDONTWRITEBYTECODE="")
    assert done.code == 0, done.err
    assert done.of("tampered") == []
