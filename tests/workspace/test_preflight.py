"""Every row of the preflight table, and that looking changes nothing."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from prd_ralph.errors import Problem
from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.ports import OnOutput, Opening, ProcessRequest
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from prd_ralph.workspace.preflight import preflight, untracked
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.looks import git_at, signer, whole

PRD = json.dumps({"project": "p", "userStories": [{"id": "US-001", "title": "t", "passes": False}]}) + "\n"
OPENING = Opening("prd.json", ("prd.json", "tasks/prd.md", "progress.txt"), story_ids=("US-001",))


def look(root: Path, opening: Opening = OPENING, resuming: bool = False) -> tuple[Problem, ...]:
    """What preflight says; the repository is the same afterwards, to the byte."""
    before = whole(root)
    found = preflight(git_at(root), discover(root), opening, resuming)
    assert whole(root) == before
    assert all(problem.hint and "\n" not in problem.message for problem in found)
    return found


def messages(root: Path, opening: Opening = OPENING, resuming: bool = False) -> list[str]:
    return [problem.message for problem in look(root, opening, resuming)]


def run(root: Path, *args: str) -> None:
    """git that is expected to stop half-way."""
    subprocess.run(["git", *args], cwd=root, check=False, capture_output=True)


@pytest.fixture
def repo(make_repo: Repo) -> Path:
    return make_repo({"a.py": "one\n", "b.py": "two\n", "prd.json": PRD, "tasks/prd.md": "# P\n"})


@pytest.fixture
def diverged(repo: Path) -> Path:
    """`other` and `main` both changed a.py."""
    git(repo, "switch", "-q", "-c", "other")
    (repo / "a.py").write_text("other\n")
    git(repo, "commit", "-q", "-am", "other")
    git(repo, "switch", "-q", "main")
    (repo / "a.py").write_text("main\n")
    git(repo, "commit", "-q", "-am", "main")
    return repo


def test_a_clean_repository_has_no_problem(repo: Path) -> None:
    assert look(repo) == ()


def test_an_unborn_head_has_no_problem(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "prd.json").write_text(PRD)

    assert look(tmp_path) == ()


def test_looking_does_not_even_refresh_the_index(repo: Path) -> None:
    os.utime(repo / "a.py", (1, 1))
    assert look(repo) == ()

    before = (repo / ".git" / "index").read_bytes()
    git(repo, "status")
    assert (repo / ".git" / "index").read_bytes() != before, "else nothing was to be seen here"


# --- what is going on --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (("merge", "other"), "merge"),
        (("rebase", "other"), "rebase"),
        (("cherry-pick", "other"), "cherry-pick"),
        (("revert", "HEAD~1"), "revert"),
        (("rebase", "--apply", "other"), "rebase"),
    ],
)
def test_an_operation_that_is_going_on_is_named(diverged: Path, start: tuple[str, ...], name: str) -> None:
    if name == "revert":
        (diverged / "a.py").write_text("main again\n")
        git(diverged, "commit", "-q", "-am", "again")
    run(diverged, *start)

    found = look(diverged)

    assert found[0] == Problem(f"a {name} is going on", f"git {name} --continue, or --abort")
    assert [problem.message for problem in found[1:]] == ["in conflict: a.py"]


def test_a_bisect_is_named_and_not_the_detached_head_that_it_makes(diverged: Path) -> None:
    git(diverged, "bisect", "start")
    git(diverged, "bisect", "bad")
    git(diverged, "bisect", "good", "HEAD~1")

    assert look(diverged) == (Problem("a bisect is going on", "git bisect reset"),)


def test_a_cherry_pick_of_several_that_stands_between_two(diverged: Path) -> None:
    (diverged / "c.py").write_text("")
    git(diverged, "add", "c.py")
    git(diverged, "commit", "-q", "-m", "c")
    git(diverged, "switch", "-q", "-c", "third", "HEAD~2")
    run(diverged, "cherry-pick", "other", "main~1", "main")
    git(diverged, "add", "-A")
    run(diverged, "commit", "-q", "--no-edit")

    assert (diverged / ".git" / "sequencer").exists()
    assert any("cherry-pick" in message for message in messages(diverged))


def test_an_operation_in_another_worktree_is_not_ours(diverged: Path, tmp_path: Path) -> None:
    git(diverged, "worktree", "add", "-q", "-b", "beside", "../beside")
    run(tmp_path / "beside", "merge", "other")

    assert look(diverged) == ()
    assert messages(tmp_path / "beside")[0] == "a merge is going on"


# --- HEAD --------------------------------------------------------------------------------------------


def test_a_detached_head_needs_a_branch_name(repo: Path) -> None:
    git(repo, "switch", "-q", "--detach")

    assert messages(repo) == ["HEAD is detached"]
    assert look(repo, replace(OPENING, branch="ralph/x")) == ()


# --- dirt --------------------------------------------------------------------------------------------


def test_dirt_is_listed_staged_and_unstaged(repo: Path) -> None:
    (repo / "a.py").write_text("changed\n")
    (repo / "new.py").write_text("new\n")
    git(repo, "add", "new.py")
    (repo / "new.py").write_text("newer\n")
    (repo / "b.py").unlink()

    assert messages(repo) == [
        "staged but not committed: new.py",
        "changed but not committed: a.py, b.py, new.py (3)",
    ]


def test_a_partly_staged_file_is_in_both_lists(repo: Path) -> None:
    (repo / "a.py").write_text("staged\n")
    git(repo, "add", "a.py")
    (repo / "a.py").write_text("staged, and more\n")

    assert messages(repo) == ["staged but not committed: a.py", "changed but not committed: a.py"]


def test_a_staged_change_that_the_file_takes_back_is_still_staged(repo: Path) -> None:
    (repo / "a.py").write_text("staged\n")
    git(repo, "add", "a.py")
    (repo / "a.py").write_text("one\n")

    assert messages(repo)[0] == "staged but not committed: a.py"


def test_intent_to_add_is_refused(repo: Path) -> None:
    (repo / "new.py").write_text("new\n")
    git(repo, "add", "-N", "new.py")

    assert messages(repo) == ["changed but not committed: new.py"]


def test_the_first_ten_are_listed_and_all_are_counted(make_repo: Repo) -> None:
    root = make_repo({f"f{number:02}.py": "" for number in range(13)})
    for number in range(13):
        (root / f"f{number:02}.py").write_text("x")

    (message,) = messages(root)

    assert message.endswith("f08.py, f09.py and 3 more (13)")
    assert "f10.py" not in message


def test_names_that_could_spoil_a_terminal_are_escaped(make_repo: Repo) -> None:
    root = make_repo({"a\x1b[31m\nb.py": "", "ü ü.py": ""})
    for path in ("a\x1b[31m\nb.py", "ü ü.py"):
        (root / path).write_text("x")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("x")
    git(root, "add", "-A")

    (message,) = messages(root)

    assert "\x1b" not in message
    assert "a\\x1b[31m b.py, ü ü.py" in message
    message.encode("utf-8")


def test_the_memory_files_may_be_dirty_staged_deleted_or_untracked(repo: Path) -> None:
    (repo / "prd.json").write_text(PRD + " ")
    git(repo, "add", "prd.json")
    (repo / "prd.json").write_text(PRD + "  ")
    (repo / "tasks" / "prd.md").unlink()
    (repo / "progress.txt").write_text("went well\n")

    assert look(repo) == ()


def test_a_file_that_only_looks_like_memory_is_dirt(make_repo: Repo) -> None:
    root = make_repo({"sub/prd.json": PRD, "prd.json": PRD})
    (root / "sub" / "prd.json").write_text("{}")

    assert messages(root) == ["changed but not committed: sub/prd.json"]


def test_memory_in_conflict_is_refused_even_when_resuming(repo: Path) -> None:
    (repo / "prd.json").write_text(PRD + " ")
    git(repo, "stash", "-q")
    (repo / "prd.json").write_text(PRD + "\n")
    git(repo, "commit", "-q", "-am", "mine")
    run(repo, "stash", "pop")

    assert messages(repo) == ["in conflict: prd.json"]
    assert messages(repo, resuming=True) == ["in conflict: prd.json"]


def test_resuming_drops_the_dirt_and_nothing_else(repo: Path) -> None:
    (repo / "a.py").write_text("the agent's\n")
    git(repo, "add", "a.py")
    (repo / "b.py").write_text("the agent's\n")
    git(repo, "switch", "-q", "--detach")

    assert messages(repo, resuming=True) == ["HEAD is detached"]


def test_clean_is_what_git_calls_clean(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    git(tmp_path, "clone", "-q", str(repo), str(inner))
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sm")
    git(repo, "commit", "-q", "-m", "submodule")
    (repo / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    git(repo, "-c", "core.autocrlf=true", "-c", "core.safecrlf=false", "add", "crlf.txt")
    git(repo, "commit", "-q", "-m", "crlf")
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", "core.fileMode", "false")
    (repo / "a.py").chmod(0o755)
    os.utime(repo / "b.py", (1, 1))
    (repo / "a.py.bak").write_text("ignored by the person everywhere\n")
    (Path.home() / "ignore").write_text("*.bak\n")
    git(repo, "config", "--global", "core.excludesFile", "~/ignore")
    (repo / "prd.json").write_text("{}")
    git(repo, "stash", "-q")

    assert git(repo, "--no-optional-locks", "status", "--porcelain") == ""
    assert look(repo) == ()
    assert untracked(git_at(repo)) == ()


def test_a_submodule_that_git_calls_changed_is_dirt_and_said_to_be_one(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repo), "inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "inner"), "sm")
    git(repo, "commit", "-q", "-m", "submodule")
    (repo / "sm" / "a.py").write_text("changed\n")

    assert messages(repo) == ["changed but not committed: sm (submodule)"]


def test_configuration_of_status_cannot_blind_or_break_it(repo: Path) -> None:
    for key, value in {
        "status.showUntrackedFiles": "no",
        "status.short": "true",
        "status.branch": "true",
        "status.showStash": "true",
        "status.renames": "copies",
        "color.status": "always",
        "column.status": "always",
        "core.quotePath": "true",
        "diff.ignoreSubmodules": "all",
    }.items():
        git(repo, "config", key, value)
    git(repo, "mv", "a.py", "ä.py")
    (repo / "mine.txt").write_text("")

    assert messages(repo) == ["staged but not committed: a.py, ä.py (2)"]
    assert untracked(git_at(repo)) == ("mine.txt",)


def test_untracked_files_are_the_persons_and_no_problem(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.log\n")
    git(repo, "add", ".gitignore")
    git(repo, "commit", "-q", "-m", "ignore")
    (repo / "x.log").write_text("")
    (repo / "deep" / "er").mkdir(parents=True)
    (repo / "deep" / "er" / "ü\n.txt").write_text("")
    (repo / "nested").mkdir()
    git(repo / "nested", "init", "-q")

    assert look(repo) == ()
    assert untracked(git_at(repo)) == ("deep/er/ü\n.txt", "nested/")


# --- committing --------------------------------------------------------------------------------------


def test_no_identity_is_found_before_anybody_is_paid(
    repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")

    (message,) = messages(repo)

    assert message == "git does not know whose commits these are to be"


def test_an_author_alone_is_not_enough(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "a@example.invalid")

    assert len(messages(repo)) == 1
    monkeypatch.setenv("GIT_COMMITTER_NAME", "C")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "c@example.invalid")
    assert look(repo) == ()


@pytest.mark.parametrize("unborn", [False, True])
def test_a_signer_that_works_is_no_problem_and_moves_nothing(repo: Path, tmp_path: Path, unborn: bool) -> None:
    git(repo, "config", "commit.gpgsign", "yes")
    git(repo, "config", "gpg.program", signer(tmp_path))
    if unborn:
        git(repo, "switch", "-q", "--orphan", "empty")

    assert look(repo) == ()


@pytest.mark.parametrize("program", ["false", "/nowhere/gpg"])
def test_a_signer_that_fails_is_found(repo: Path, program: str) -> None:
    git(repo, "config", "commit.gpgsign", "true")
    git(repo, "config", "gpg.program", program)

    (message,) = messages(repo)

    assert message.startswith("commits are to be signed, and cannot be: ")
    assert "gpg failed to sign the data" in message


def test_a_signer_is_not_asked_where_nothing_is_signed(repo: Path) -> None:
    git(repo, "config", "commit.gpgsign", "false")
    git(repo, "config", "gpg.program", "false")

    assert look(repo) == ()


class Bounded(PlainProcesses):
    """Holds the limit, as the real port does."""

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        try:
            subprocess.run(
                request.argv,
                cwd=request.cwd,
                env=dict(request.env),
                timeout=request.wall_s,
                capture_output=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ProcessResult(ProcessEnd.WALL, None, 0.0)
        return super().run(request)


def test_a_signer_that_waits_for_a_passphrase_is_not_waited_for(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "commit.gpgsign", "true")
    git(repo, "config", "gpg.program", signer(tmp_path, "exec sleep 60 >/dev/null 2>&1"))
    bounded = Git(Bounded(), repo, os.environ)

    (problem,) = preflight(bounded, discover(repo), OPENING, signing_limit_s=1.0)

    assert problem.message == "commits are to be signed, and the signer did not answer within 1 s"


# --- folders -----------------------------------------------------------------------------------------


def test_somebodys_index_lock_is_found(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "beside", "../beside")
    lock = repo / ".git" / "worktrees" / "beside" / "index.lock"
    lock.touch()

    assert look(repo) == ()
    (message,) = messages(tmp_path / "beside")
    assert message == f"{lock} exists: another git command is at work"


def test_a_state_folder_that_is_none_is_found(repo: Path) -> None:
    state = repo / ".git" / "prd-ralph"
    state.write_text("")
    assert messages(repo) == [f"{state} is not a folder"]

    state.unlink()
    state.symlink_to("nowhere")
    assert messages(repo) == [f"{state} is not a folder"]


class Steadfast(PlainProcesses):
    """Runs git as who we were, while this process asks as somebody else: root may write everywhere."""

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        real, effective = os.getuid(), os.geteuid()
        os.setreuid(effective, effective)
        try:
            return super().run(request)
        finally:
            os.setreuid(real, effective)


def test_a_state_folder_that_cannot_be_written_is_found(repo: Path) -> None:
    (repo / ".git").chmod(0o555)
    real, effective = os.getuid(), os.geteuid()
    os.setreuid(real or 65534, effective)
    try:
        (problem,) = preflight(Git(Steadfast(), repo, os.environ), discover(repo), OPENING)
    finally:
        os.setreuid(real, effective)
        (repo / ".git").chmod(0o755)

    assert problem.message == f"{repo / '.git' / 'prd-ralph'} cannot be written"


def test_a_repository_of_another_user_is_named_with_gits_own_way_out(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    (problem,) = preflight(git_at(repo), discover(repo), OPENING)

    assert problem.message == f"{repo} belongs to another user"
    assert problem.hint == f"git config --global --add safe.directory {repo}"


def test_an_index_that_git_cannot_read_is_said_in_gits_words(repo: Path) -> None:
    (repo / ".git" / "index").write_bytes(b"rubbish" * 10)

    (problem,) = preflight(git_at(repo), discover(repo), OPENING)

    assert problem.message.startswith("git cannot read the repository: ")
    assert "signature" in problem.message


# --- the branch --------------------------------------------------------------------------------------


def on(branch: str, base_branch: str | None = None) -> Opening:
    return replace(OPENING, branch=branch, base_branch=base_branch)


def test_a_new_branch_and_the_current_one_are_no_problem(repo: Path) -> None:
    assert look(repo, on("ralph/new")) == ()
    assert look(repo, on("main", base_branch="nowhere")) == ()


@pytest.mark.parametrize("name", ["a..b", "x.lock", "-x", "a b", "a~1", "@{-1}", "/a", "a//b", ""])
def test_a_name_that_git_refuses_is_found(repo: Path, name: str) -> None:
    assert messages(repo, on(name)) == [f"git allows no branch of the name {name!r}"]


def test_a_branch_that_is_checked_out_elsewhere_is_refused(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "ralph/x", "../be side")

    (problem,) = look(repo, on("ralph/x"))
    assert problem.message == f"the branch ralph/x is checked out in {tmp_path / 'be side'}"

    shutil.rmtree(tmp_path / "be side")
    (problem,) = look(repo, on("ralph/x"))
    assert "git worktree prune" in problem.hint


def test_a_branch_beside_others_of_its_folder_is_in_nobodys_way(repo: Path) -> None:
    git(repo, "branch", "ralph/x")
    git(repo, "branch", "ralph/yes/z")

    assert messages(repo, on("ralph/y")) == []


@pytest.mark.parametrize(("there", "wanted"), [("ralph", "ralph/x"), ("ralph/x/y", "ralph/x")])
def test_a_branch_that_can_not_be_beside_another_is_refused(repo: Path, there: str, wanted: str) -> None:
    git(repo, "branch", there)

    assert messages(repo, on(wanted)) == [f"the branch {wanted} cannot be beside {there}"]


def commit_on(root: Path, branch: str, path: str, text: str) -> None:
    """Commits a file on a branch without going there."""
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=root, input=text, text=True, capture_output=True, check=True
    ).stdout.strip()
    index = {**os.environ, "GIT_INDEX_FILE": str(root / ".git" / "other-index")}
    for args in (["read-tree", "HEAD"], ["update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"]):
        subprocess.run(["git", *args], cwd=root, env=index, check=True)
    tree = subprocess.run(["git", "write-tree"], cwd=root, env=index, check=True, capture_output=True, text=True)
    (root / ".git" / "other-index").unlink()
    commit = git(root, "commit-tree", "-p", "HEAD", "-m", "there", tree.stdout.strip())
    git(root, "update-ref", f"refs/heads/{branch}", commit)


def stories(*ids: object) -> str:
    return json.dumps({"userStories": [{"id": identity} for identity in ids]})


@pytest.mark.parametrize(
    ("there", "ok"),
    [
        (stories("US-001", "2"), True),
        (stories("2", "US-001"), True),
        ("\ufeff" + stories("US-001", 2), True),
        (stories("US-001"), False),
        (stories("US-001", "2", "3"), False),
        (stories("us-001", "2"), False),
        ("{", False),
        ("[]", False),
        ("[" * 100_000, False),
        (json.dumps({"userStories": [{"title": "no id"}]}), False),
        ("", False),
    ],
)
def test_an_existing_branch_must_be_about_the_same_stories(repo: Path, there: str, ok: bool) -> None:
    commit_on(repo, "ralph/x", "prd.json", there)
    opening = replace(on("ralph/x"), story_ids=("US-001", "2"))

    assert messages(repo, opening) == (
        [] if ok else ["the branch ralph/x holds another prd.json: its stories have other ids"]
    )


def test_an_existing_branch_without_a_prd_is_no_problem(repo: Path) -> None:
    git(repo, "branch", "ralph/x")
    (repo / "scripts").mkdir()
    (repo / "scripts" / "prd.json").write_text(PRD)

    assert look(repo, replace(on("ralph/x"), prd="scripts/prd.json", memory=("scripts/prd.json",))) == ()


def test_a_base_must_exist_where_it_is_needed(repo: Path) -> None:
    wanted = on("ralph/new", base_branch="develop")
    assert messages(repo, wanted) == ["the base branch develop does not exist"]

    git(repo, "update-ref", "refs/remotes/origin/develop", "HEAD")
    assert look(repo, wanted) == ()
    assert look(repo, on("ralph/new", base_branch="origin/develop")) == ()

    git(repo, "branch", "ralph/new")
    assert look(repo, on("ralph/new", base_branch="gone")) == ()


def test_an_unborn_head_with_a_base_that_is_not_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert messages(tmp_path, on("ralph/x", base_branch="main")) == ["the base branch main does not exist"]


def test_everything_at_once(diverged: Path) -> None:
    run(diverged, "merge", "other")
    (diverged / "b.py").write_text("dirt\n")
    (diverged / ".git" / "index.lock").touch()
    (diverged / ".git" / "prd-ralph").touch()
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")

    assert len(messages(diverged, on("a..b"))) == 7


@pytest.mark.parametrize("there", ["ralph/y", "ralph/xy", "ralph/y/z"])
def test_a_branch_beside_others_of_its_folder_is_none_of_their_business(repo: Path, there: str) -> None:
    git(repo, "branch", there)

    assert messages(repo, on("ralph/x")) == []
