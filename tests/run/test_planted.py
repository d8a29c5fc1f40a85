"""What the commands start may plant something for the commands after them: it goes again, and it makes no pass."""

import os
from pathlib import Path

import pytest

from tests.run.told import last, outcomes
from tests.support.project import Project, make_project, story

IMPORT = 'python3 -B -c "import app"'
GREP = "grep -q good app.py"
FAKE = "import os\nfile = os.path.expanduser('~/bin/grep')\n{when}open(file, 'w').write('#!/bin/sh\\nexit 0\\n'); "
FAKE += "os.chmod(file, 0o755)\n"
RED = "raise SystemExit(1)\n"
CLEAN = ("--verify-in", "clean")


@pytest.fixture
def home(_isolated: None) -> Path:
    """With a folder of the person's own programs."""
    folder = Path(os.environ["HOME"])
    (folder / "bin").mkdir()
    return folder


def _project(folder: Path, app: str, *commands: str, more: str | None = None) -> Project:
    """US-001: the agent makes app.py this, and with `more` that at its second attempt."""
    attempts = [[{"write": "app.py", "text": text}] for text in (app, more) if text is not None]
    return make_project(folder, [story("US-001", *commands)], {"stories": {"US-001": attempts}}, {"app.py": RED})


def _path(home: Path) -> dict[str, str]:
    return {"PATH": f"{home}/bin{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("args", [(), CLEAN, (*CLEAN, "--strict")])
def test_a_program_on_path_for_the_next_command(tmp_path: Path, home: Path, args: tuple[str, ...]) -> None:
    project = _project(tmp_path, FAKE.format(when=""), IMPORT, GREP)
    done = project.run("--max-attempts", "1", *args, **_path(home))
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == ("failed", "tampered")
    assert "~/bin/grep (" in judged["warnings"][0]
    assert not (home / "bin/grep").exists()


def test_the_file_that_bash_reads_for_the_next_command(tmp_path: Path, home: Path) -> None:
    app = "import os\nopen(os.path.expanduser('~/env.sh'), 'w').write('exit 0')\n"
    project = _project(tmp_path, app, IMPORT, GREP)
    done = project.run("--max-attempts", "1", *CLEAN, BASH_ENV=str(home / "env.sh"))
    assert outcomes(done) == {"US-001": "failed"}
    assert not (home / "env.sh").exists()


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_planted_once_is_gone_when_the_commands_run_again(tmp_path: Path, home: Path, strict: bool) -> None:
    """They hold without it: that is a pass, with a doubt."""
    once = f"if not os.path.exists('{tmp_path}/once'): open('{tmp_path}/once', 'w'); "
    project = _project(tmp_path, "# good\n" + FAKE.format(when=once), IMPORT, GREP)
    done = project.run("--max-attempts", "1", *(["--strict"] if strict else []), **_path(home))
    assert outcomes(done) == {"US-001": "failed" if strict else "passed"}
    assert any(
        "~/bin/grep" in text and "while the commands ran" in text for text in last(done, "judged")["US-001"]["suspects"]
    )


def test_a_hook_is_gone_before_anything_lands(tmp_path: Path, home: Path) -> None:
    hooked = tmp_path / "hooked"
    app = f"""import os
file = '{tmp_path}/repo/.git/hooks/post-commit'
os.path.exists('{tmp_path}/once') or open(file, 'w').write('#!/bin/sh\\ntouch {hooked}\\n')
os.path.exists(file) and os.chmod(file, 0o755)
open('{tmp_path}/once', 'w')
"""
    project = _project(tmp_path, app, IMPORT)
    assert project.root == tmp_path / "repo"
    hook = project.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    done = project.run("--max-attempts", "1", *CLEAN)
    assert outcomes(done) == {"US-001": "passed"}
    assert not hooked.exists()
    assert not (hook.parent / "post-commit").exists()


def test_gits_config_is_the_persons_again_after_two_attempts(tmp_path: Path, home: Path) -> None:
    app = "import subprocess\nsubprocess.run(['git', 'config', 'core.fsmonitor', '/tmp/evil.sh'])\n"
    project = _project(tmp_path, app, f"{IMPORT}; false", more="x = 1\n")
    before = (project.root / ".git/config").read_bytes()
    project.run("--max-attempts", "2")
    assert (project.root / ".git/config").read_bytes() == before


def test_what_setup_and_the_baseline_tell_git_is_the_persons(tmp_path: Path, home: Path) -> None:
    """husky and its like set `core.hooksPath` there, whoever runs it."""
    tell = "git config core.commentChar ';'"
    project = make_project(
        tmp_path,
        [story("US-001", f"{tell}; test -f app")],
        {"default": [{"write": "app", "text": "x"}]},
        setup=["git config core.abbrev 12"],
    )
    done = project.run("--strict")
    assert (done.code, done.of("tampered")) == (0, [])
    assert last(done, "judged")["US-001"]["suspects"] == []
    assert (project.git("config", "core.commentChar"), project.git("config", "core.abbrev")) == (";", "12")


def test_what_commands_leave_behind_is_nobodys(tmp_path: Path, home: Path) -> None:
    """An agent that runs them too, or cleans up, has touched nothing of the person's."""
    command = "date +%N > report.txt; test -f app"
    steps = [[{"run": "date +%N > report.txt; echo x > app"}], [{"run": "rm report.txt; echo x > app2"}]]
    stories = [story("US-001", command), story("US-002", f"{command}2")]
    script = {"stories": {"US-001": [steps[0]], "US-002": [steps[1]]}}
    done = make_project(tmp_path, stories, script).run("--strict")
    assert (done.code, done.of("tampered")) == (0, [])
    assert outcomes(done) == {"US-001": "passed", "US-002": "passed"}


def test_what_an_attempt_left_behind_carries_no_later_one(tmp_path: Path, home: Path) -> None:
    project = _project(tmp_path, "open('extra.ok', 'w')\n", "test -f extra.ok", IMPORT, more="x = 1\n")
    done = project.run("--max-attempts", "2")
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == ("failed", "left_out")
    assert "extra.ok" in judged["warnings"][0]


def test_an_agents_own_version_of_what_commands_left_behind_proves_nothing(tmp_path: Path, home: Path) -> None:
    command = "test -f out.txt || echo no > out.txt; grep -q yes out.txt"
    script = {"default": [{"run": "echo yes > out.txt; echo x > app"}]}
    project = make_project(tmp_path, [story("US-001", command)], script)
    assert outcomes(project.run("--max-attempts", "1")) == {"US-001": "failed"}


def test_what_prd_ralph_itself_put_back_is_no_doubt(tmp_path: Path, home: Path) -> None:
    """Base lay in the work tree for a while, to see whether an earlier command had failed there already."""
    steps = [{"run": "echo x > app; printf '\\n\\ndef test_b():\\n    assert 2\\n' > tests/test_b.py"}]
    stories = [story("US-000", "false", passes=True), story("US-001", "test -f app", {"run": "true", "when": "land"})]
    project = make_project(tmp_path, stories, {"default": steps}, {"tests/test_a.py": "def test_a():\n    assert 1\n"})
    done = project.run("--max-attempts", "1")
    assert [text for text in last(done, "judged")["US-001"]["suspects"] if "while the commands ran" in text] == []
