"""What several tests of the commands look at: made once, and only read."""

import pytest

from tests.support.project import Done, Project, make_project, story

SCRIPT = {
    "stories": {
        "US-001": [
            [{"print": "first \x1b[31mtry\x1b[0m"}, {"write": "a.txt", "text": "wrong\n"}],
            [{"print": "second try"}, {"write": "a.txt", "text": "right\n"}, {"cost": 0.5}],
        ]
    }
}


COMMANDS = (
    "init",
    "plan",
    "validate",
    "import",
    "audit",
    "run",
    "status",
    "report",
    "prompt",
    "review",
    "show",
    "config",
    "doctor",
    "agents",
    "stop",
    "restore",
    "clean",
    "add-context",
    "verify",
    "approve",
    "reset",
    "proposals",
    "watch",
    "demo",
)


@pytest.fixture(scope="session")
def helps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Done]:
    """`--help` of every command, and of none (""), where there is no git."""
    folder = tmp_path_factory.mktemp("help")
    here = Project(folder, {"PATH": str(folder)})
    return {name: here(*name.split(), "--help") for name in ("", *COMMANDS)}


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """A project after a run: US-001 failed once and passed, US-002 waits, US-003 is held; and what the run said."""
    project = make_project(
        tmp_path_factory.mktemp("worked"),
        [
            story("US-001", {"name": "right", "run": "cat a.txt && grep -q right a.txt"}),
            story("US-002", "test -f b.txt", dependsOn=["US-003"]),
            story("US-003", "test -f c.txt", skip=True),
        ],
        SCRIPT,
        files={"AGENTS.md": "Be kind.\n"},
    )
    return project, project.run()
