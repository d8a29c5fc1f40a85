"""Nothing is lost: of what an agent does beside its work, all that is the person's is there again afterwards."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from tests.run.told import changed_by, last, outcomes, stopped
from tests.support.project import Project, make_project, story

REFS = {
    "stash-cleared": "git stash clear",
    "stash-dropped": "git stash drop -q",
    "branch-deleted": "git branch -q -D topic",
    "branch-moved": "git branch -f topic HEAD",
    "tag-deleted": "git tag -d v1",
    "tag-moved": "git tag -f v1 HEAD",
    "ref-deleted": "git update-ref -d refs/heads/topic",
    "checked-out": "git switch -q topic; git commit -q --allow-empty -m mine",
    "all-gone": "rm -rf .git/refs .git/logs",
}


def _with_refs(project: Project) -> str:
    for name in ("one", "two"):
        (project.root / "README.md").write_text(name)
        project.git("stash", "-q")
    project.git("switch", "-q", "-c", "topic")
    project.git("commit", "-q", "--allow-empty", "-m", "theirs")
    project.git("tag", "v1")
    project.git("switch", "-q", "-")
    return _refs(project)


def _refs(project: Project) -> str:
    refs = project.git("for-each-ref", "refs/heads/topic", "refs/tags", "refs/stash")
    return refs + project.git("stash", "list", "--format=%H %gs")


def test_what_an_agent_does_to_the_persons_refs_is_undone_and_named(tmp_path: Path) -> None:
    script = {"stories": {name: [[{"write": f"{name}.txt", "text": ""}, {"run": line}]] for name, line in REFS.items()}}
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in REFS], script)
    before = _with_refs(project)
    done = project.run("--max-attempts", "1", PRD_RALPH_REGRESSIONS="off")
    assert outcomes(done) == dict.fromkeys(REFS, "passed")
    assert _refs(project) == before
    assert set(last(done, "tampered")) == set(REFS)


SPECIALS = {
    "ignore-piped": "mkdir -p src && rm -f src/.gitignore && mkfifo src/.gitignore",
    "attributes-piped": "mkdir -p new/deep && mkfifo new/deep/.gitattributes",
    "mailmap-piped": "mkfifo .mailmap",
    "index-piped": "rm .git/index; mkfifo .git/index",
    "ref-piped": "mkfifo .git/refs/heads/pipe",
}


def test_no_fifo_makes_git_wait(tmp_path: Path) -> None:
    script = {
        "stories": {name: [[{"write": f"{name}.txt", "text": ""}, {"run": line}]] for name, line in SPECIALS.items()}
    }
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in SPECIALS], script, {"src/x": ""})
    done = project.run("--max-attempts", "1")
    assert stopped(done) == ("complete", 0)
    told = {event["story"] for event in done.of("warning") if "was no file: moved away" in event["message"]}
    assert told == set(SPECIALS)


MEMORY = {
    "prd-foldered": "rm prd.json; mkdir prd.json; touch prd.json/inner",
    "prd-closed": "chmod 000 prd.json",
    "prd-executable": "chmod +x prd.json",
    "memory-linked": "rm progress.txt; ln -s README.md progress.txt",
    "memory-piped": "rm progress.txt; mkfifo progress.txt",
    "memory-foldered": "rm progress.txt; mkdir progress.txt; touch progress.txt/inner",
    "memory-gone": "rm progress.txt",
    "draft": "echo '{}' > .prd.json.prd-ralph.tmp; git add -f .prd.json.prd-ralph.tmp",
}


def test_prd_json_and_the_memory_stay_plain_files_and_nothing_beside_them_lands(tmp_path: Path) -> None:
    script = {
        "stories": {name: [[{"write": f"{name}.txt", "text": ""}, {"run": line}]] for name, line in MEMORY.items()}
    }
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in MEMORY], script)
    (project.root / "progress.txt").write_text("# Progress\n\nthe person's words\n")
    project.prd_path.chmod(0o640)
    done = project.run("--max-attempts", "1")
    assert stopped(done) == ("complete", 0)
    for name in MEMORY:
        assert changed_by(project, name) == {f"{name}.txt", "prd.json", "progress.txt"}
    assert project.prd_path.stat().st_mode & 0o777 == 0o640
    memory = project.root / "progress.txt"
    assert not memory.is_symlink() and memory.read_text().startswith("# Progress\n\nthe person's words\n")
    assert memory.read_text().count("attempt 1: passed") == len(MEMORY)
    assert project.git("ls-files", "-s", "progress.txt", "prd.json").count("100644") == 2
    assert [path.name for path in (project.root / ".git/prd-ralph").rglob("prd.json/inner")] == ["inner"]


@pytest.mark.parametrize("gone", [".git/objects", ".git/objects/*", ".git"])
def test_a_repository_that_an_agent_deleted_ends_the_run_with_one_line(tmp_path: Path, gone: str) -> None:
    flag = {"prd": {"set": {"/userStories/0/passes": True}}}
    steps = [{"write": "a.txt", "text": ""}, flag, {"run": f"rm -rf {gone}"}]
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], {"default": steps})
    done = project("run")
    assert done.code == 3
    assert done.err.count("the repository is lost") == 1
    assert "hint: bring .git back" in done.err and "Traceback" not in done.err
    assert project.passes() == {"US-001": False}
    again = project("run")
    assert (again.code, project.passes()) == (3, {"US-001": False})
    assert "hint: " in again.err and "git init" not in again.err


def test_status_takes_no_other_command_for_a_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"default": [{"write": "a.txt", "text": ""}]})
    assert project.run().code == 0
    lock = project.root / ".git/prd-ralph/lock-main"
    with lock.open("r+") as held:  # as `reset` does
        fcntl.flock(held, fcntl.LOCK_EX)
        os.pwrite(held.fileno(), json.dumps({"pid": 1, "start": 1, "since": "2031-03-01T08:00:00Z"}).encode(), 0)
        assert json.loads(project("status", "--json").out)["run"] is None
        assert "going on" not in project("status").out
