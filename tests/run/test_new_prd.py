"""Another `branchName` than the last run's: what that one worked on is put away, and nothing of it is lost."""

import json
import re
from pathlib import Path

from tests.support.project import Done, Project, make_project, story

SCRIPT = {
    "stories": {
        "US-001": [[{"write": "a.txt", "text": "a\n"}]],
        "US-009": [[{"write": "b.txt", "text": "b\n"}]],
    }
}
LEARNED = "# Progress\n\n## Codebase Patterns\n\n- tests lie in tests/\n\n## an old entry\nfact\n"


def made(folder: Path) -> Project:
    """A project whose run on ralph/first is over."""
    project = make_project(folder, [story("US-001", "test -f a.txt")], SCRIPT, branchName="ralph/first")
    (project.root / "progress.txt").write_text(LEARNED)
    done = project.run()
    assert done.code == 0, done.err
    assert not told(done)
    return project


def replan(project: Project, branch: str, *stories: dict[str, object]) -> None:
    """A new PRD in the place of the old one."""
    prd = {"project": "Next", "branchName": branch, "userStories": stories or [story("US-009", "test -f b.txt")]}
    project.prd_path.write_text(json.dumps(prd, indent=2) + "\n")


def told(done: Done) -> list[str]:
    return [event["message"] for event in done.of("warning") if "the last run here" in event["message"]]


def archive(project: Project) -> list[Path]:
    """The folders of former PRDs, by name."""
    return sorted(path for path in (project.root / ".git/prd-ralph/archive").iterdir() if path.name[0] == "2")


def test_a_new_branch_puts_the_former_prd_and_its_memory_away(tmp_path: Path) -> None:
    project = made(tmp_path)
    before = {name: (project.root / name).read_bytes() for name in ("prd.json", "progress.txt")}
    replan(project, "ralph/second/part")
    done = project.run()
    assert done.code == 0, done.err
    [folder] = archive(project)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-first", folder.name)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert json.loads(before["prd.json"])["userStories"][0]["passes"] is True
    [said] = told(done)
    assert said.startswith(f"the last run here was for ralph/first: its prd.json and progress.txt are kept in {folder}")
    assert "progress.txt begins anew" in said
    now = (project.root / "progress.txt").read_text()
    assert now.startswith("# Progress\n\n## Codebase Patterns\n\n- tests lie in tests/\n\n## ")
    assert "an old entry" not in now
    assert "US-001" not in now
    assert "US-009 attempt 1: passed" in now
    assert project.git("show", "ralph/first:progress.txt").encode() + b"\n" == before["progress.txt"]
    opening = project.git("log", "--format=%H", "--grep=record the PRD", "-1", "ralph/second/part")
    assert "an old entry" not in project.git("show", f"{opening}:progress.txt")
    assert told(project.run()) == []


def test_going_back_to_a_branch_takes_its_memory_up_again(tmp_path: Path) -> None:
    project = made(tmp_path)
    replan(project, "ralph/second")
    project.run()
    second = (project.root / "progress.txt").read_bytes()
    first = project.git("show", "ralph/first:progress.txt")
    two = [story("US-001", "test -f a.txt"), story("US-002", "test -f c.txt")]
    project.git("switch", "-q", "ralph/first")
    replan(project, "ralph/first", *two)
    done = project.run("--max-attempts", "1", "--only", "US-002")
    assert "begins anew" not in "".join(told(done))
    assert (project.root / "progress.txt").read_text().startswith(first)
    assert [folder.name[11:] for folder in archive(project)] == ["first", "second"]
    assert (archive(project)[1] / "progress.txt").read_bytes() == second


def test_an_existing_branch_brings_its_own_memory(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.git("branch", "ralph/theirs", "main")
    replan(project, "ralph/theirs", story("US-001", "test -f a.txt"))
    done = project.run("--max-attempts", "1")
    [said] = told(done)
    assert "begins anew" not in said
    [folder] = archive(project)
    assert (folder / "progress.txt").read_text().startswith(LEARNED)


def test_a_person_who_has_switched_already_begins_anew_too(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.git("switch", "-q", "-c", "ralph/second")
    replan(project, "ralph/second")
    project.git("commit", "-qam", "another PRD")
    assert "begins anew" in told(project.run())[0]
    assert "an old entry" not in (project.root / "progress.txt").read_text()
    assert json.loads((archive(project)[0] / "prd.json").read_bytes())["branchName"] == "ralph/first"


def test_where_git_does_not_hold_them_the_last_copies_do(tmp_path: Path) -> None:
    project = made(tmp_path)
    before = project.prd_path.read_bytes()
    project.git("switch", "-q", "main")
    project.git("branch", "-qD", "ralph/first")
    replan(project, "ralph/second")
    (project.root / "progress.txt").unlink(missing_ok=True)
    done = project.run()
    assert done.code == 0, done.err
    [folder] = archive(project)
    assert (folder / "prd.json").read_bytes() == before
    assert (folder / "progress.txt").read_text().startswith(LEARNED)


def test_two_on_one_day_do_not_meet(tmp_path: Path) -> None:
    project = made(tmp_path)
    for branch in ("ralph/second", "ralph/first", "ralph/second", "ralph/first"):
        if branch == "ralph/first":
            project.git("switch", "-q", branch)
        replan(project, branch, story("US-001", "test -f a.txt"), story("US-003", "test -f d.txt"))
        project.run("--max-attempts", "1", "--only", "US-003")
    names = [folder.name[11:] for folder in archive(project)]
    assert len(set(names)) == len(names)
    assert {"first", "second"} <= set(names)


def test_without_a_branch_name_or_with_nothing_to_do_nothing_is_put_away(tmp_path: Path) -> None:
    project = made(tmp_path)
    replan(project, "ralph/second", {**story("US-001", "test -f a.txt"), "passes": True})
    project.run()
    prd = json.loads(project.prd_path.read_bytes())
    del prd["branchName"]
    prd["userStories"] = [story("US-005", "test -f e.txt")]
    project.prd_path.write_text(json.dumps(prd))
    done = project.run("--max-attempts", "1")
    assert (told(done), archive(project)) == ([], [])
    assert "an old entry" in (project.root / "progress.txt").read_text()


def test_a_damaged_record_is_none(tmp_path: Path) -> None:
    project = made(tmp_path)
    [record] = (project.root / ".git/prd-ralph/archive").glob("last-*/branches.json")
    record.write_text("{")
    replan(project, "ralph/second")
    done = project.run()
    assert (done.code, told(done), archive(project)) == (0, [], [])
