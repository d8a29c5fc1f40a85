"""`import`, and what `validate` says of other tools' files: as a person would type it."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.clock import SystemClock
from prd_ralph.state import StateFolder
from tests.cli.refusal import fingerprint
from tests.prdfile.support import FIXTURES
from tests.support.project import Project, make_project, story

TASKS: dict[str, Any] = {
    "Overview": "Größe",
    "testCommand": "test -f done",
    "tasks": [
        {"name": "Read", "status": "done", "acceptance_criteria": "- [x] a\n- [x] b", "points": 3},
        {
            "name": "Pack",
            "status": "TODO",
            "depends_on": "Task 01",
            "verify": ["prose", "pytest -q pack"],
            "steps": ["c"],
        },
    ],
}
FOUR_KEYS = ["dialect", "stories", "commands_seen", "warnings"]


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """A folder with tasks.json, and no repository."""
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS, indent=1))
    return Project(tmp_path, {})


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def fixture(number: str) -> tuple[Path, dict[str, Any]]:
    """A file of the corpus, and what reading it gives."""
    (file,) = (path for path in FIXTURES.glob(f"{number}-*.json") if "expected" not in path.name)
    return file, read(file.with_suffix(".expected.json"))


def test_import_says_what_it_read_and_writes(here: Project) -> None:
    done = here("import", "tasks.json")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "warning: tasks.json /tasks/*: stories without an id were given one",
        "warning: tasks.json /tasks/1/depends_on: what the story waits for was worked out: see that it is right",
        "kept under x-imported, for they read as something else to us: status (2 times), acceptance_criteria (1 time), "
        "depends_on (1 time)",
        'seen, never run as it stands: /testCommand "test -f done": --adopt-commands copies it',
        'seen, never run as it stands: /tasks/1/verify/0 "prose": not plainly a command, left alone',
        'seen, never run as it stands: /tasks/1/verify/1 "pytest -q pack": --adopt-commands copies it',
        "tasks.json: tasks: 2 stories, 1 claimed as done, 0 held",
        "wrote prd.json; next: prd-ralph validate prd.json",
    ]
    first, second = read(here.prd_path)["userStories"]
    assert (first["id"], first["passes"], first["notes"], first["points"]) == (
        "US-001",
        False,
        "claimed as done by tasks.json",
        3,
    )
    assert (second["dependsOn"], "verificationCommands" in second) == (["US-001"], False)
    assert here("validate").err.splitlines()[-1] == "prd.json: valid, 2 stories, 0 passing, 2 findings"


def test_import_validate_dry_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")])
    project.git("rm", "-q", "prd.json")
    project.git("commit", "-q", "-m", "none")
    (project.root / "sub").mkdir()
    (project.root / "sub" / "tasks.json").write_text(json.dumps(TASKS))
    done = project("import", "tasks.json", "--adopt-commands", cwd=project.root / "sub")
    assert done.err.splitlines()[-1].startswith("wrote ../prd.json; ")
    assert done.err.count("copied to verificationCommands") == 2
    assert project("validate").code == 0
    dry = project("run", "--dry-run", "--agent-command", "true")
    assert dry.code == 0, dry.err
    told = dry.out.splitlines()
    assert told[2:] == [
        "1. US-001 Read",
        "   $ test -f done",
        "2. US-002 Pack",
        "   $ test -f done",
        "   $ pytest -q pack",
    ]


def test_flags_are_kept_when_asked_for(here: Project) -> None:
    assert here("import", "tasks.json", "--keep-flags", "-o", "new/prd.json").code == 0
    assert [each["passes"] for each in read(here.root / "new" / "prd.json")["userStories"]] == [True, False]


def test_nothing_is_overwritten_unasked(here: Project) -> None:
    (here.root / "there").mkdir()
    (here.root / "dangling").symlink_to("nowhere")
    here.prd_path.write_text("mine")
    before = fingerprint(here.root)
    for output, told in {
        "prd.json": "prd.json exists already",
        "tasks.json": "tasks.json exists already",
        "dangling": "dangling exists already",
        "there": "there exists already, and is no file",
        "prd.json/prd.json": "prd.json/prd.json cannot be written",
    }.items():
        done = here("import", "tasks.json", "-o", output)
        assert done.code == 2
        assert f"error: {told}" in done.err
        assert "  hint: " in done.err
    assert here("import", "tasks.json", "-o", "there", "--force").code == 2
    found = json.loads(here("import", "tasks.json", "--json").out)
    assert list(found) == [*FOUR_KEYS, "errors"]
    assert "exists already" in found["errors"][0]["message"]
    assert fingerprint(here.root) == before


def test_force_replaces_what_is_there(here: Project) -> None:
    here.prd_path.write_text("mine")
    here.prd_path.chmod(0o640)
    assert here("import", "tasks.json", "--force").code == 0
    assert read(here.prd_path)["project"] == "tasks"
    assert here.prd_path.stat().st_mode & 0o777 == 0o640


def test_to_stdout(here: Project) -> None:
    before = fingerprint(here.root)
    done = here("import", "tasks.json", "-o", "-", LC_ALL="C", PYTHONUTF8="0")
    assert (done.code, json.loads(done.out)["Overview"]) == (0, "Größe")
    assert fingerprint(here.root) == before
    assert here("import", "tasks.json", "-o", "-", "--json").code == 2


def test_as_data(here: Project) -> None:
    done = here("import", "tasks.json", "--json", "--adopt-commands", "-o", str(here.root / "x.json"))
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == [*FOUR_KEYS, "adopted", "wrote"]
    assert found["commands_seen"] == ["/testCommand", "/tasks/*/verify"]
    assert found["adopted"] == ["/testCommand", "/tasks/1/verify/1"]
    assert read(Path(found["wrote"]))["verificationCommands"] == ["test -f done"]


def test_where_anything_is_wrong_nothing_is_written(here: Project) -> None:
    (here.root / "tasks.json").write_text(
        '{"tasks": [\n{"title": "t", "passes": 1},\n{"title": "t", "status": "shipped"}]}'
    )
    before = fingerprint(here.root)
    done = here("import", "tasks.json")
    assert done.code == 2
    assert [line for line in done.err.splitlines() if line.startswith("error")] == [
        "error: tasks.json:2 /tasks/0/passes: passes must be true or false, not 1",
        'error: tasks.json:3 /tasks/1/status: status "shipped" does not say whether the story is done',
    ]
    for name in ("import", "validate"):
        done = here(name, "tasks.json", "--json")
        assert (done.code, done.err) == (2, "")
        errors = json.loads(done.out)["errors"]
        assert [(error["line"], error["pointer"]) for error in errors] == [
            (2, "/tasks/0/passes"),
            (3, "/tasks/1/status"),
        ]
    assert fingerprint(here.root) == before


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("gone.json", None, "there is no such file"),
        ("prd.md", "# PRD", "this is markdown, not JSON"),
        ("todo", "- [ ] one\n", "this is markdown, not JSON"),
        ("x.json", "{", "not JSON"),
        ("x.json", '{"goals": []}', "a specification, not a list of stories"),
    ],
)
def test_what_cannot_be_read(here: Project, name: str, text: str | None, told: str) -> None:
    if text is not None:
        (here.root / name).write_text(text)
    done = here("import", name)
    assert done.code == 2
    assert told in done.err
    assert "prd-ralph plan" in done.err or "markdown" not in told
    assert not here.prd_path.exists()


def test_the_lock_is_taken(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")])
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS))
    with StateFolder(project.root / ".git" / "prd-ralph", SystemClock()).lock("main"):
        done = project("import", "../tasks.json", "--force")
        assert (done.code, "another prd-ralph is at work here" in done.err) == (3, True)
        assert project("import", "../tasks.json", "-o", "../beside.json").code == 0  # not in the repository
    assert project("import", "../tasks.json", "--force").code == 0


def test_a_folder_that_cannot_be_written(here: Project) -> None:
    if os.geteuid() == 0:
        done = here("import", "tasks.json", "-o", "/proc/prd.json")
    else:
        (here.root / "closed").mkdir(mode=0o500)
        done = here("import", "tasks.json", "-o", "closed/prd.json")
    assert done.code == 3
    assert "can't be written" in done.err


@pytest.mark.parametrize("number", ["03", "08", "11"])
def test_validate_reads_by_dialect(tmp_path: Path, number: str) -> None:
    file, wanted = fixture(number)
    shutil.copy(file, tmp_path / "x.json")
    here = Project(tmp_path, {})
    done = here("validate", "x.json", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert sorted(found.pop("warnings")) == sorted(wanted.pop("warnings"))
    (finding,) = found.pop("findings")
    assert "prd-ralph import x.json" in finding["hint"]
    assert found == wanted
    told = here("validate", "x.json", "--strict")
    assert told.code == 1
    assert told.err.splitlines()[-1].endswith(": import can read it, run cannot")


def test_validate_judges_userstories_at_the_top_as_ours(tmp_path: Path) -> None:
    file, wanted = fixture("12")
    shutil.copy(file, tmp_path / "prd.json")
    here = Project(tmp_path, {})
    done = here("validate", "--json")
    found = json.loads(done.out)
    assert done.code == 2
    assert {error["pointer"] for error in found.pop("errors")} == {
        "/userStories/0/acceptanceCriteria/0",
        "/userStories/0/acceptanceCriteria/1",
        "/userStories/1/acceptanceCriteria/0",
    }
    assert found == wanted
    (tmp_path / "prd.json").write_text('{"project": "p", "userStories": [{"id": 1, "done": "maybe"}]}')
    errors = json.loads(here("validate", "--json").out)["errors"]
    assert [error["pointer"] for error in errors] == [*["/userStories/0"] * 2, "/userStories/0/done"]


def test_run_and_status_refuse_all_but_ours(here: Project) -> None:
    for command in (("status", "--prd"), ("run", "--agent-command", "true", "--prd")):
        done = here(*command, "tasks.json")
        assert done.code in (2, 3)
    project = make_project(here.root, [story("US-001", "true")])
    project.prd_path.write_text(json.dumps(TASKS))
    for arguments in (("status",), ("run", "--agent-command", "true")):
        done = project(*arguments)
        assert done.code == 2
        assert "prd-ralph import prd.json" in done.err
