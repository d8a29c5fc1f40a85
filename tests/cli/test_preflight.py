"""A machine or a repository that does not let a run start: exit 3, everything at once, and nothing is touched."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from tests.cli.refusal import lines_of, refused
from tests.support.project import Project, make_project, story

FINE = story("US-001", "test -f done")


def staged(project: Project) -> None:
    (project.root / "README.md").write_text("changed\n")
    project.git("add", "README.md")


def partly_staged(project: Project) -> None:
    staged(project)
    (project.root / "README.md").write_text("changed again\n")


def conflict(project: Project) -> None:
    project.git("switch", "-q", "-c", "other")
    staged(project)
    project.git("commit", "-q", "-m", "theirs")
    project.git("switch", "-q", "main")
    (project.root / "README.md").write_text("ours\n")
    project.git("commit", "-q", "-a", "-m", "ours")


def merging(project: Project) -> None:
    conflict(project)
    with pytest.raises(CalledProcessError):
        project.git("merge", "other")


def rebasing(project: Project) -> None:
    conflict(project)
    with pytest.raises(CalledProcessError):
        project.git("rebase", "-q", "other")


def bisecting(project: Project) -> None:
    project.git("bisect", "start")


def detached(project: Project) -> None:
    project.git("switch", "-q", "--detach")


def locked_index(project: Project) -> None:
    (project.root / ".git" / "index.lock").touch()


def nobody(project: Project) -> None:
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")


def unsigned(project: Project) -> None:
    project.git("config", "commit.gpgsign", "true")
    project.git("config", "gpg.program", "false")


def branch_elsewhere(project: Project) -> None:
    project.git("worktree", "add", "-q", "-b", "work", str(project.root.parent / "beside"))
    wants_branch(project, "work")


def rival_branch(project: Project) -> None:
    project.git("branch", "work")
    wants_branch(project, "work/more")


def other_stories(project: Project) -> None:
    project.git("switch", "-q", "-c", "work")
    project.prd_path.write_text(json.dumps({"project": "p", "userStories": [{**FINE, "id": "OTHER-1"}]}))
    project.git("commit", "-q", "-a", "-m", "other stories")
    project.git("switch", "-q", "main")
    wants_branch(project, "work")


def unknown_base(project: Project) -> None:
    wants_branch(project, "work", baseBranch="nowhere")


def wants_branch(project: Project, name: str, **more: str) -> None:
    prd = {**json.loads(project.prd_path.read_bytes()), "branchName": name, **more}
    project.prd_path.write_text(json.dumps(prd))


ROWS: dict[str, tuple[tuple[Callable[[Project], None], ...], list[str]]] = {
    "partly staged": ((partly_staged,), ["staged but not committed: README.md", "changed but not committed: READ"]),
    "merge": ((merging,), ["a merge is going on", "in conflict: README.md"]),
    "rebase": ((rebasing,), ["a rebase is going on", "in conflict: README.md"]),
    "bisect": ((bisecting, locked_index), ["a bisect is going on", "index.lock exists: another git command is at"]),
    "detached": ((detached,), ["HEAD is detached"]),
    "identity": ((nobody, unknown_base), ["git does not know whose commits", "the base branch nowhere does not exist"]),
    "signing": (
        (unsigned, rival_branch),
        ["commits are to be signed, and cannot be", "work/more cannot be beside "],
    ),
    "worktree": ((branch_elsewhere,), ["the branch work is checked out in "]),
    "other prd.json": ((other_stories,), ["the branch work holds another prd.json"]),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_repository_that_is_not_ready(tmp_path: Path, row: str) -> None:
    spoilers, wanted = ROWS[row]
    project = make_project(tmp_path, [FINE])
    for spoil in spoilers:
        spoil(project)
    told = lines_of(refused(project, code=3))
    assert len(told) == len(wanted), told
    for text, line in zip(wanted, told, strict=True):
        assert text in line


def test_all_in_one_list(tmp_path: Path) -> None:
    """C149, C152: the agent is looked for once, at the start; bad input outranks the rest in the exit code."""
    project = make_project(tmp_path, [FINE])
    partly_staged(project)
    locked_index(project)
    agent = {"PRD_RALPH_AGENT_COMMAND": "no-such-agent --yes"}
    told = lines_of(refused(project, code=3, env=agent))
    assert told[0] == "agent not found: no-such-agent (looked on PATH)"
    assert len(told) == 4
    told = lines_of(refused(project, "--only", "nobody", "--only", "US-001", code=2, env=agent))
    assert len(told) == 5


@pytest.mark.parametrize(
    ("agent", "code", "wanted"),
    [
        ({"PRD_RALPH_AGENT_COMMAND": ""}, 3, "no agent is configured"),
        ({"PRD_RALPH_AGENT_COMMAND": "./README.md"}, 3, "agent is not executable: ./README.md"),
        ({"PRD_RALPH_AGENT_COMMAND": "sh -c 'x"}, 2, "agent command cannot be split"),
        ({"PRD_RALPH_AGENT_COMMAND": "", "PRD_RALPH_AGENT": "claud"}, 2, "unknown agent: claud"),
        ({"PRD_RALPH_AGENT_COMMAND": "", "PRD_RALPH_AGENT": "scripted"}, 2, "needs a script"),
        ({"PRD_RALPH_MODEL": "--dangerous"}, 2, "not a model's name"),
    ],
)
def test_an_agent_that_cannot_be_started(tmp_path: Path, agent: dict[str, str], code: int, wanted: str) -> None:
    (line,) = lines_of(refused(make_project(tmp_path, [FINE]), code=code, env=agent))
    assert wanted in line


def test_no_repository(tmp_path: Path) -> None:
    """All that can be known without one is told, too."""
    (tmp_path / "prd.json").write_text(json.dumps({"project": "p", "userStories": [{**FINE, "passes": 1}]}))
    project = Project(tmp_path, {})
    told = lines_of(refused(project, code=2, env={"PRD_RALPH_AGENT_COMMAND": "no-such-agent"}))
    assert told[0] == f"not a git repository: {tmp_path}"
    assert told[1].startswith("prd.json:1 /userStories/0/passes US-001: ")
    assert told[2].startswith("agent not found")
    (tmp_path / "prd.json").write_text(json.dumps({"project": "p", "userStories": [FINE]}))
    assert lines_of(refused(project, code=3)) == [f"not a git repository: {tmp_path}"]


def test_no_git(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FINE])
    told = lines_of(refused(project, code=3, env={"PATH": str(tmp_path), "PRD_RALPH_AGENT_COMMAND": "/bin/true"}))
    assert told == ["git is not on PATH"]


def test_a_git_folder_and_a_bare_repository(tmp_path: Path) -> None:
    project = make_project(tmp_path, [FINE])
    done = refused(project, code=2, cwd=project.root / ".git")
    assert "is a git folder" in lines_of(done)[0]
    project.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    done = refused(Project(tmp_path / "bare", {}), code=2)
    assert lines_of(done)[0].startswith("no work tree here")
