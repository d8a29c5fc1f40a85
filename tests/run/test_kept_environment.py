"""C156: what the person keeps from the agent it does not see, nor the commands what is kept from them."""

import json
from pathlib import Path

from tests.support.project import Project, make_project, story

SETTINGS = """\
[env]
exclude = ["ACME_*", "DB_*CRET"]
pass = ["ACME_REGION"]
[check_env]
exclude = ["AGENT_KEY"]
"""
GIVEN = {"ACME_KEY": "hidden-1", "ACME_REGION": "north", "DB_SECRET": "hidden-2", "AGENT_KEY": "hidden-3"}
NAMES = tuple(GIVEN)


def telling(file: Path) -> str:
    """A command that writes the variables that it sees."""
    return f"env | grep -E '^({'|'.join(NAMES)})=' | sort > {file}"


def seen(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in GIVEN.items() if name not in names}


def kept_from_both(folder: Path) -> tuple[Project, Path, Path]:
    agent, check = folder / "agent", folder / "check"
    project = make_project(
        folder,
        [story("US-001", f"{telling(check)}; test -f a.txt")],
        files={"prd-ralph.toml": SETTINGS, "agent.sh": f"{telling(agent)}\ntouch a.txt\n"},
    )
    return project, agent, check


def test_each_sees_what_it_is_to_see(tmp_path: Path) -> None:
    project, agent, check = kept_from_both(tmp_path)
    done = project.run("--agent-command", "sh agent.sh", **GIVEN)
    assert done.code == 0, done.err
    assert seen(agent) == without("ACME_KEY", "DB_SECRET")
    assert seen(check) == without("AGENT_KEY")
    assert "  kept from the agent: ACME_KEY, DB_SECRET\n  kept from the commands: AGENT_KEY\n" in done.err
    (started,) = done.of("run_started")
    assert started["kept_from_agent"] == ["ACME_KEY", "DB_SECRET"]
    assert started["kept_from_commands"] == ["AGENT_KEY"]
    assert "hidden-" not in json.dumps(done.events) + done.err


def test_the_agent_is_looked_for_with_the_environment_that_it_gets(tmp_path: Path) -> None:
    project, *_ = kept_from_both(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "my-agent").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "my-agent").chmod(0o755)
    path = f"{tmp_path / 'bin'}:{project.environment()['PATH']}"
    arguments = ("run", "--dry-run", "--agent-command", "my-agent")
    assert project(*arguments, PATH=path).code == 0
    done = project(*arguments, PATH=path, PRD_RALPH_ENV_EXCLUDE="PATH")
    assert done.code == 3
    assert "agent not found: my-agent" in done.err
