"""`prd-ralph plan` as a person meets it: what is written where, what is said, and every kind of bad input."""

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.assets import asset
from prd_ralph.cli.markdown import read_markdown
from prd_ralph.cli.target import existing
from prd_ralph.errors import RalphError
from prd_ralph.prdfile import JsonPrdFile
from tests.cli.refusal import fingerprint, lines_of
from tests.support.project import LIMIT_S, Done, Project, make_project, story
from tests.support.unprivileged import unprivileged

PRD = """# PRD: Pond

**Branch:** `ralph/pond`

All about ponds.

## Quality Gates

- `make lint`

## User Stories

### US-001: Dig it

**Acceptance Criteria:**

- [ ] it is a metre deep
- [ ] it is round

### US-002: Fill it

**Depends on:** US-001

**Acceptance Criteria:**

- [ ] water is in it

**Verify:** `test -f water`
"""
ONE = "### US-001: T\n\n**Acceptance Criteria:**\n- it holds\n"
STORY = f"## User Stories\n\n{ONE}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a PRD and no prd.json yet."""
    fresh = make_project(tmp_path, [story("X")], files={"tasks/prd.md": PRD})
    fresh.git("rm", "-q", "prd.json")
    return fresh


LINT = re.compile(r"^warning: [^\n]* \[[a-z-]+\]\n(?:  hint: [^\n]*\n)?", re.MULTILINE)


def plan(project: Project, *args: str, prd: str = "tasks/prd.md", cwd: Path | None = None) -> Done:
    """What it says less what lint finds, which has tests of its own."""
    done = project("plan", prd, *args, cwd=cwd)
    return replace(done, err=LINT.sub("", done.err))


def written(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.prd_path.read_bytes())
    return found


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


def differing(before: bytes, after: bytes) -> list[bytes]:
    """The lines of `after` that are not those of `before`, where both have as many."""
    return [new for old, new in zip(before.split(b"\n"), after.split(b"\n"), strict=True) if old != new]


# --- a fresh file ---


def test_a_prd_becomes_a_prd_json(project: Project) -> None:
    done = plan(project)
    assert (done.code, done.out) == (0, "")
    assert done.err == "wrote prd.json: 2 stories\n"
    found = written(project)
    assert list(found) == ["project", "branchName", "description", "source", "verificationCommands", "userStories"]
    assert found["source"]["path"] == "tasks/prd.md"
    assert project("validate").err.splitlines()[-1].startswith("prd.json: valid, 2 stories, 0 passing")
    assert project("run", "--dry-run", "--agent-command", "true").code == 0


def test_the_shipped_sample_is_the_plan_of_its_prd(tmp_path: Path) -> None:
    here = Project(tmp_path, {})
    done = here("plan", str(asset("templates/demo/sample_prd.md")), "-o", "-")
    assert (done.code, done.err) == (0, "5 stories\n")
    sample = json.loads(asset("sample_prd.json").read_bytes())
    assert {"$schema": sample["$schema"], **json.loads(done.out), "source": None} == {**sample, "source": None}
    assert list(tmp_path.iterdir()) == []


def test_the_shipped_sample_is_merged_with_its_prd_by_a_source_alone(tmp_path: Path) -> None:
    before = asset("sample_prd.json").read_bytes()
    (tmp_path / "prd.json").write_bytes(before)
    (tmp_path / "prd.md").write_bytes(asset("templates/demo/sample_prd.md").read_bytes())
    assert Project(tmp_path, {})("plan", "prd.md", "--merge").code == 0
    after = (tmp_path / "prd.json").read_bytes()
    begin, _, rest = after.partition(b'  "source": {\n')
    assert begin + rest.partition(b"\n  },\n")[2] == before


def test_what_finds_no_place_is_listed_with_its_line(project: Project) -> None:
    """C065, C068, C077: it is written all the same, but under `--strict`."""
    text = f"# P\n\n- [ ] a box\n\n{STORY}- Manual: look at it\n\nStray \x1b[31mwords.\n\nMore of them.\n"
    (project.root / "x.md").write_text(text)
    done = plan(project, prd="x.md")
    assert done.code == 0
    assert done.err == (
        "warning: x.md:13: no story and no key takes this up: Stray words.\n"
        "warning: x.md:15: no story and no key takes this up: More of them.\n"
        "  hint: put it under a label that is known, as **Notes:** or **Acceptance Criteria:**, or leave it to people\n"
        "warning: x.md:3: a box outside the stories is neither story nor criterion\n"
        "warning: x.md:7: US-001 has no command that could prove it\n"
        "  hint: add a `## Quality Gates` section, or to the story a line **Verify:** `COMMAND`\n"
        "wrote prd.json: 1 story, 1 without commands\n"
    )
    assert written(project)["userStories"][0]["acceptanceCriteria"] == ["it holds", "Manual: look at it"]
    before = project.prd_path.read_bytes()
    strict = plan(project, "--force", "--strict", prd="x.md")
    assert (strict.code, len(lines_of(strict))) == (2, 2)
    assert project.prd_path.read_bytes() == before


def test_json_says_it_all(project: Project) -> None:
    (project.root / "x.md").write_text(f"# P\n\n{STORY}\nStray words.\n")
    done = plan(project, "--json", prd="x.md")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == ["written", "stories", "without_commands", "unplaced", "warnings", "decisions", "findings"]
    assert list(found.values())[:3] == ["prd.json", 1, ["US-001"]]
    assert found["decisions"] == []
    assert found["unplaced"] == [{"file": "x.md", "line": 10, "text": "Stray words."}]
    assert [(each["file"], each["line"]) for each in found["warnings"]] == [("x.md", 5)]
    refused = plan(project, "--json", prd="x.md")
    assert refused.code == 2
    (error,) = json.loads(refused.out)["errors"]
    assert error["message"] == "prd.json exists already"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("- [ ] ", "-\t[ ] "),
        lambda text: text.rstrip("\n"),
    ],
    ids=["CRLF", "BOM", "tabs", "no last newline"],
)
def test_how_a_prd_is_saved_makes_no_difference(project: Project, change: Any) -> None:
    """C062."""
    plan(project)
    wanted = written(project)
    (project.root / "tasks" / "prd.md").write_bytes(change(PRD).encode())
    assert plan(project, "--force").code == 0
    found = written(project)
    assert found["source"].pop("sha256") != wanted["source"].pop("sha256")
    if "\t" not in change("- [ ] "):
        assert found["source"]["stories"] == wanted["source"]["stories"]
    assert {**found, "source": None} == {**wanted, "source": None}


def test_a_folder_and_stdin(project: Project) -> None:
    folder = project.root / "stories"
    folder.mkdir()
    for number in (2, 10):
        (folder / f"S-{number}.md").write_text(f"# US-{number}: T\n\n**Acceptance Criteria:**\n- it holds\n\nStray.\n")
    done = plan(project, prd="stories/")
    assert "warning: stories/S-10.md:6: no story" in done.err
    assert (written(project)["source"]["path"], list(project.passes())) == ("stories", ["US-2", "US-10"])
    assert project("validate").err.count("moved on") == 0
    edit(folder / "S-10.md", "it holds", "it shines")
    assert "the PRD stories has moved on" in project("validate").err
    piped = subprocess.run(
        project.command("plan", "-", "-o", "-"),
        cwd=project.root,
        env=project.environment(),
        input=PRD.encode(),
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert piped.returncode == 0
    assert "path" not in json.loads(piped.stdout)["source"]


def test_where_it_goes(project: Project, tmp_path: Path) -> None:
    tasks = project.root / "tasks"
    assert plan(project, prd="prd.md", cwd=tasks).err == "wrote prd.json: 2 stories\n"
    assert project.prd_path.exists()
    assert plan(project, "-o", "new/deep/prd.json").err == "wrote new/deep/prd.json: 2 stories\n"
    (project.root / "scripts" / "ralph").mkdir(parents=True)
    project.prd_path.rename(project.root / "scripts" / "ralph" / "prd.json")
    assert "scripts/ralph/prd.json exists already" in plan(project).err
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "prd.md").write_text(PRD)
    assert plan(Project(outside, {}), prd="prd.md").err == "wrote prd.json: 2 stories\n"
    assert plan(project, "-o", "b.json", prd=str(outside / "prd.md")).code == 0
    assert "path" not in json.loads((project.root / "b.json").read_bytes())["source"]


def test_json_commands_of_a_verify_fence(project: Project) -> None:
    """C074: argv and options as prd.json has them; what is no JSON is a shell line."""
    fence = '```verify\n["pytest", "-q"]\n{"name": "n", "run": "x"}\n[ -f y ]\n{ echo; }\n```\n'
    (project.root / "x.md").write_text(f"# P\n\n{STORY}\n{fence}")
    assert plan(project, prd="x.md").code == 0
    (only,) = written(project)["userStories"]
    assert only["verificationCommands"] == [["pytest", "-q"], {"name": "n", "run": "x"}, "[ -f y ]", "{ echo; }"]


# --- bad input: one clear line each, nothing written ---


def cases() -> dict[str, tuple[bytes, list[str]]]:
    return {
        "no stories, C067": (
            b"# P\n\n## Goals\n\n### Login\n\n- US-001: x\n",
            ["the headings are `# P`, `## Goals`, `### Login`", "x.md:7: begins with an id"],
        ),
        "no heading": (b"words\n", ["there is no heading"]),
        "many headings": (b"".join(b"## H\n\n" for _ in range(20)), ["and 8 more"]),
        "the same id twice, C075": (
            f"{STORY}\n{ONE.replace('US-001', 'US-1')}".encode(),
            ["x.md:3 US-001: the id US-001 is used more than once, also in 8", "x.md:8 US-1"],
        ),
        "no criteria, C069, C070": (b"## User Stories\n\n### US-001: T\n", ["x.md:3 US-001: the story has no acc"]),
        "unknown": (f"{STORY}\n**Depends on:** US-7\n".encode(), ["x.md:8 US-001: no story is US-7"]),
        "a circle": (
            f"{STORY}\n**Depends on:** US-002\n\n{ONE.replace('001', '002')}\n**Depends on:** US-001\n".encode(),
            ["x.md:3 /userStories/0/dependsOn US-001: stories wait for each other"],
        ),
        "a branch that is none": (f"**Branch:** a..b\n\n{STORY}".encode(), ["x.md /branchName: branchName"]),
        "binary": (b"\x89PNG\r\n\x1a\n\0\0", ["NUL byte"]),
        "latin-1": ("# Gr\u00fcn\n".encode("latin-1"), ["x.md:1: the file is not UTF-8"]),
        "UTF-16": (PRD.encode("utf-16"), ["UTF-16"]),
        "huge": (b"a" * 10_000_001, ["larger than 10 MB"]),
        "deep": (b"> " * 3000 + b"x", ["nest deeper"]),
        "front matter": (b"---\na: [1\n---\n", ["x.md:2: the front matter cannot be read"]),
        "empty": (b"", ["the file is empty"]),
        "escapes": (b"# P \x1b[31m\n", ["`# P"]),
    }


@pytest.mark.parametrize("name", cases())
def test_what_makes_no_plan(project: Project, name: str) -> None:
    data, told = cases()[name]
    (project.root / "x.md").write_bytes(data)
    before = fingerprint(project.root)
    done = plan(project, prd="x.md")
    assert (done.code, done.out) == (2, "")
    assert all(text in done.err for text in told), done.err
    assert all(line.startswith(("error: ", "  hint: ")) for line in done.err.splitlines())
    assert done.err.count("  hint: ") == len(lines_of(done))
    assert "\x1b" not in done.err
    assert fingerprint(project.root) == before


@pytest.mark.parametrize(
    ("prd", "told"),
    [
        ("nothere.md", "nothere.md: there is no such file"),
        ("", "no PRD is named"),
        ("empty", "empty: there is no *.md in this folder"),
        ("/dev/null", "/dev/null is no regular file"),
        ("a\nb", "'a\\nb': the name cannot be written into prd.json"),
        ("odd", "the name cannot be shown"),
        ("large", "large: its files are larger than 10 MB"),
        ("broken", "broken/a.md: the file is empty"),
    ],
)
def test_names_of_nothing(project: Project, prd: str, told: str) -> None:
    for name, data in (
        ("odd/a\nb", b"x"),
        ("large/a", b"a" * 6_000_000),
        ("large/b", b"a" * 6_000_000),
        ("broken/a", b""),
    ):
        path = project.root / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    (project.root / "empty").mkdir()
    done = plan(project, prd=prd)
    assert (done.code, len(lines_of(done))) == (2, 1)
    assert told in done.err
    assert not project.prd_path.exists()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--merge", "--force"], "--merge keeps what is there and --force does not"),
        (["--theirs"], "--theirs and --prune say how to --merge"),
        (["--prune", "--force"], "--theirs and --prune say how to --merge"),
        (["-o", "-", "--diff"], "both for stdout"),
        (["-o", "-", "--json"], ""),
        (["-o", "tasks"], "tasks is a folder"),
        (["-o", "pipe", "--force"], "pipe is no regular file"),
        (["-o", "README.md/x/prd.json"], "README.md/x/prd.json: README.md is a file, no folder"),
        (["-o", "tasks/prd.md", "--force"], "tasks/prd.md is the PRD itself"),
        (["-o", "../x.json"], "is not inside the project"),
    ],
)
def test_what_cannot_be_meant(project: Project, args: list[str], told: str) -> None:
    os.mkfifo(project.root / "pipe")
    before = fingerprint(project.root)
    done = plan(project, *args)
    assert done.code == 2
    assert told in done.err
    assert fingerprint(project.root) == before


def test_what_may_not_be_read(project: Project) -> None:
    project.prd_path.write_text("{}")
    for path in (project.root / "tasks" / "prd.md", project.prd_path):
        path.chmod(0)
    with unprivileged(project.root):
        with pytest.raises(RalphError, match="cannot be read: Permission denied"):
            read_markdown("tasks/prd.md", project.root)
        with pytest.raises(RalphError, match="cannot be read"):
            existing(JsonPrdFile(project.prd_path, project.root))
        (project.root / "tasks").chmod(0)
        with pytest.raises(RalphError, match="tasks cannot be read"):
            read_markdown("tasks", project.root)
        (project.root / "tasks").chmod(0o700)


# --- onto a prd.json that exists ---


@pytest.fixture
def planned(project: Project) -> Project:
    """A plan, of which US-001 passes."""
    plan(project)
    edit(project.prd_path, '"passes": false', '"passes": true')
    return project


def test_it_ends_with_what_lint_finds(tmp_path: Path) -> None:
    text = (
        "# P\n\n## US-001: T\n\nAcceptance criteria:\n\n- It works correctly\n\nVerification:\n\n- `pytest || true`\n"
    )
    (tmp_path / "prd.md").write_text(text)
    here = Project(tmp_path, {})
    done = here("plan", "prd.md", "--strict")
    assert done.code == 1
    assert "[vague-criterion]" in done.err and "[masked-status]" in done.err
    assert done.err.endswith("wrote prd.json: 1 story\n")
    found = json.loads(here("plan", "prd.md", "--merge", "--json").out)["findings"]
    assert [each["rule"] for each in found] == ["vague-criterion", "masked-status"]


def test_it_refuses_to_replace(planned: Project) -> None:
    before = fingerprint(planned.root)
    done = plan(planned)
    assert done.code == 2
    assert done.err == (
        "error: prd.json exists already\n"
        "  hint: --merge takes into it what changed in the PRD, --diff shows that first, --force writes it anew\n"
    )
    assert fingerprint(planned.root) == before
    assert plan(planned, "--force").code == 0
    assert planned.passes() == {"US-001": False, "US-002": False}
    planned.prd_path.write_bytes(b"\n")
    assert plan(planned).err == "wrote prd.json: 2 stories\n"


def test_one_changed_criterion_resets_exactly_that_story_and_changes_its_lines_alone(planned: Project) -> None:
    edit(planned.prd_path, '"passes": false', '"passes": true')
    before = planned.prd_path.read_bytes()
    edit(planned.root / "tasks" / "prd.md", "a metre deep", "two metres deep")
    assert "warning: prd.json:7 /source/sha256: the PRD tasks/prd.md has moved on" in planned("validate").err
    shown = plan(planned, "--diff")
    assert (shown.code, shown.err.splitlines()[-1]) == (0, "would write prd.json: 2 stories")
    assert planned.prd_path.read_bytes() == before
    done = plan(planned, "--merge")
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "US-001: changed in tasks/prd.md:13 (acceptanceCriteria): passes is false again\nwrote prd.json: 2 stories\n"
    )
    assert planned.passes() == {"US-001": False, "US-002": True}
    after = planned.prd_path.read_bytes()
    changed = differing(before, after)
    assert [line.split(b'"')[1] for line in changed] == [b"sha256", b"US-001", b"it is two metres deep", b"passes"]
    assert [line[1:].encode() for line in shown.out.splitlines() if line.startswith("+ ")] == changed
    assert plan(planned, "--merge").err == "prd.json: nothing to change: 2 stories\n"
    assert planned.prd_path.read_bytes() == after
    assert "moved on" not in planned("validate").err


def test_the_formatting_stays(planned: Project) -> None:
    """C054: CRLF, a byte order mark, tabs, unknown keys, no last newline."""
    text = json.dumps({"x-top": {"é": 1}, **written(planned)}, indent="\t", ensure_ascii=False)
    before = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    planned.prd_path.write_bytes(before)
    assert plan(planned, "--merge").err == "prd.json: nothing to change: 2 stories\n"
    edit(planned.root / "tasks" / "prd.md", "Fill it", "Fill it up")
    assert plan(planned, "--merge").code == 0
    after = planned.prd_path.read_bytes()
    assert [line.strip()[:8] for line in differing(before, after)] == [b'"sha256"', b'"US-002"', b'"title":']
    assert after.count(b"\r\n") == before.count(b"\r\n") == after.count(b"\n")


def test_a_conflict_is_left_to_the_person(planned: Project) -> None:
    edit(planned.prd_path, "Fill it", "My title")
    edit(planned.root / "tasks" / "prd.md", "water is in it", "it is full")
    before = planned.prd_path.read_bytes()
    done = plan(planned, "--merge")
    assert done.code == 1
    assert done.err == (
        "warning: US-002: changed in tasks/prd.md:20 (acceptanceCriteria) and in prd.json (title): prd.json is kept\n"
        "  hint: --theirs takes the PRD's; or make the two say the same\n"
        "prd.json: nothing to change: 2 stories, 1 conflict left to you\n"
    )
    assert planned.prd_path.read_bytes() == before
    (told,) = json.loads(plan(planned, "--merge", "--json").out)["decisions"]
    assert told == {
        "what": "conflict",
        "story": "US-002",
        "file": "tasks/prd.md",
        "line": 20,
        "changed": ["acceptanceCriteria"],
        "edited": ["title"],
        "stays": [],
        "flag": None,
    }
    assert plan(planned, "--merge", "--theirs").code == 0
    assert written(planned)["userStories"][1]["title"] == "Fill it"


def test_what_comes_and_goes_and_stays_is_told(planned: Project) -> None:
    prd = planned.root / "tasks" / "prd.md"
    edit(planned.prd_path, '"priority": 2', '"priority": 9')
    prd.write_text(
        PRD.split("### US-001")[0].replace("make lint", "make all").replace("`ralph/pond`", "`ralph/lake`")
        + ONE.replace("US-001: T", "A-1: New")
        + "\n### US-002"
        + PRD.split("### US-002")[1].replace("US-001", "A-1")
        + "\n**Priority:** low\n"
    )
    done = plan(planned, "--merge")
    assert done.err == (
        "branchName changed in tasks/prd.md, and stays as prd.json has it\n"
        "  hint: --theirs takes the PRD's\n"
        "verificationCommands changed in tasks/prd.md\n"
        "A-1: new in tasks/prd.md:13\n"
        "US-002: changed in tasks/prd.md:18 (priority, dependsOn)\n"
        "US-002: priority changed in tasks/prd.md:18, and stays as prd.json has it\n"
        "  hint: --theirs takes the PRD's\n"
        "warning: US-001: no longer in tasks/prd.md: kept\n"
        "  hint: --prune drops it\n"
        "the PRD's commands for all stories have changed: what passes wants verifying\n"
        "  hint: `prd-ralph reset ID` opens a story again\n"
        "wrote prd.json: 3 stories\n"
    )
    assert planned.passes() == {"A-1": False, "US-001": True, "US-002": False}
    edit(planned.prd_path, '"A-1"\n      ]', '"A-1", "US-001"\n      ]')
    refused = plan(planned, "--merge", "--prune")
    assert refused.code == 2, "US-002 waits for it"
    assert "tasks/prd.md:18 /userStories/1/dependsOn/1 US-002: there is no story" in refused.err


def test_a_prune_and_a_removal(planned: Project) -> None:
    prd = planned.root / "tasks" / "prd.md"
    whole = prd.read_text()
    prd.write_text(whole.split("### US-002")[0])
    assert "US-002: no longer in tasks/prd.md: dropped\n" in plan(planned, "--merge", "--prune").err
    prd.write_text(whole)
    assert plan(planned, "--merge").err == "US-002: new in tasks/prd.md:20\nwrote prd.json: 2 stories\n"
    document = written(planned)
    del document["userStories"][1]
    planned.prd_path.write_text(json.dumps(document))
    done = plan(planned, "--merge")
    assert done.err.startswith("US-002: in tasks/prd.md:20, and removed from prd.json: left out\n")


def test_gates_of_some_stories(planned: Project) -> None:
    prd = planned.root / "tasks" / "prd.md"
    edit(prd, "### US-001: Dig it", "### US-001: [UI] Dig it")
    plan(planned, "--merge")
    edit(planned.prd_path, '"passes": false', '"passes": true')
    edit(prd, "- `make lint`\n", "- `make lint`\n\nFor UI stories:\n\n- `make shots`\n")
    done = plan(planned, "--merge")
    assert "the PRD's commands for US-001 have changed: they want verifying\n" in done.err
    assert planned.passes()["US-001"]


def test_what_has_no_command_is_named_as_prd_json_names_it(project: Project) -> None:
    """C075: a story without an id in the PRD keeps its number; the person's own is named by its place in prd.json."""
    (project.root / "x.md").write_text("# P\n\n## Tasks\n\n- [ ] wash\n  - clean\n")
    plan(project, prd="x.md")
    edit(project.root / "x.md", "- [ ] wash", "- [ ] soak\n  - wet\n- [ ] wash")
    edit(project.prd_path, '"userStories": [', '"userStories": [{"id": "MY", "title": "t", "passes": false},')
    done = plan(project, "--merge", prd="x.md")
    assert [line.split(" has ")[0] for line in done.err.splitlines() if "no command" in line] == [
        "warning: x.md:5: US-002",
        "warning: prd.json:31: MY",
        "warning: x.md:7: US-001",
    ]


def test_many_stories_that_move_are_one_line(planned: Project) -> None:
    edit(planned.root / "tasks" / "prd.md", "### US-001", f"{ONE.replace('US-001', 'A-1')}\n### US-001")
    assert "2 stories: priority as in the PRD\n" in plan(planned, "--merge").err


def test_a_person_own_commands_count(planned: Project) -> None:
    """C077: what a person gave in prd.json, or the settings give, proves as well."""
    prd = planned.root / "tasks" / "prd.md"
    edit(prd, "- `make lint`\n", "")
    assert plan(planned, "--force").err.endswith("2 stories, 1 without commands\n")
    edit(planned.prd_path, '"dependsOn": [],', '"dependsOn": [], "verificationCommands": ["mine"],')
    assert plan(planned, "--merge").err == "prd.json: nothing to change: 2 stories\n"
    (planned.root / "prd-ralph.toml").write_text('verification_commands = ["make"]\n')
    assert plan(planned, "--force").err == "wrote prd.json: 2 stories\n"


def test_a_prd_json_that_is_none_is_not_merged(planned: Project) -> None:
    planned.prd_path.write_bytes(b'{"project": 1}')
    before = fingerprint(planned.root)
    done = plan(planned, "--merge")
    assert (done.code, "prd.json:1" in done.err) == (2, True)
    assert fingerprint(planned.root) == before


def test_a_merge_that_is_only_printed(planned: Project) -> None:
    edit(planned.root / "tasks" / "prd.md", "Fill it", "Fill it up")
    before = planned.prd_path.read_bytes()
    done = plan(planned, "--merge", "-o", "-")
    assert [each["passes"] for each in json.loads(done.out)["userStories"]] == [True, False]
    assert planned.prd_path.read_bytes() == before
    found = json.loads(plan(planned, "--diff", "--json").out)
    assert (found["written"], '+      "title": "Fill it up"' in found["diff"]) == (None, True)


def test_a_diff_of_a_file_that_is_not_there(project: Project) -> None:
    done = plan(project, "--diff")
    assert done.out.startswith("--- /dev/null\n+++ prd.json\n@@ -0,0 +1,")
    assert not project.prd_path.exists()


def test_a_diff_shows_a_missing_last_newline(planned: Project) -> None:
    planned.prd_path.write_bytes(planned.prd_path.read_bytes().rstrip())
    edit(planned.root / "tasks" / "prd.md", "Fill it", "Fill it up")
    assert "\\ No newline" not in plan(planned, "--diff").out
    planned.prd_path.write_bytes(b" ".join(planned.prd_path.read_bytes().split()))
    assert plan(planned, "--diff").out.count("\n\\ No newline at end of file\n") == 2


def test_while_a_run_goes_on_it_refuses(planned: Project) -> None:
    """The agent tries it: not even it may, however it changes the PRD."""
    planned.git("add", "-A")
    planned.git("commit", "-q", "-m", "plan")
    tried = " ".join(planned.command("plan", "tasks/prd.md", "--force"))
    agent = f"sh -c 'cat > /dev/null; {tried} 2> told.txt; echo $? >> told.txt; touch water'"
    done = planned("run", "--once", "--agent-command", agent, "--check", "true")
    assert done.code in (0, 1), done.err
    told = (planned.root / "told.txt").read_text()
    assert told.startswith("error: another prd-ralph is at work here (pid ")
    assert told.endswith("\n3\n")


def test_the_files_of_a_folder_are_committed_when_a_run_starts(project: Project) -> None:
    """As the one PRD is that `source` names."""
    folder = project.root / "stories"
    folder.mkdir()
    (folder / "S-1.md").write_text("# US-1: T\n\n**Acceptance Criteria:**\n- it holds\n\n**Verify:** `test -f x`\n")
    plan(project, prd="stories")
    project.git("add", "stories")
    project.git("commit", "-q", "-m", "stories")
    edit(folder / "S-1.md", "it holds", "it shines")
    assert project("run", "--once", "--agent-command", "touch x").code == 0
    assert "stories/S-1.md" in project.git("log", "--name-only", "--format=%s", "--grep=record the PRD")


def test_another_prd_takes_the_place_of_the_first(planned: Project) -> None:
    (planned.root / "new.md").write_text(PRD)
    done = plan(planned, "--merge", prd="new.md")
    assert (
        done.err == "warning: prd.json was planned of tasks/prd.md, and follows new.md now\nwrote prd.json: 2 stories\n"
    )
    assert written(planned)["source"]["path"] == "new.md"


# --- what validate says of the PRD ---


def test_validate_names_a_prd_that_is_gone(planned: Project) -> None:
    (planned.root / "tasks" / "prd.md").unlink()
    done = planned("validate", "--strict")
    assert done.code == 1
    assert "prd.json:7 /source/sha256: the PRD cannot be looked at: tasks/prd.md: there is no such file" in done.err
    edit(planned.prd_path, '"sha256"', '"x-sha256"')
    assert planned("validate", "--strict").code == 0


def test_a_prd_from_outside_leaves_no_place_of_another(planned: Project, tmp_path: Path) -> None:
    outside = tmp_path / "other.md"
    outside.write_text(PRD)
    assert plan(planned, "--merge", prd=str(outside)).code == 0
    assert "path" not in written(planned)["source"]
    assert "moved on" not in planned("validate").err
