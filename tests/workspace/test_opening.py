"""The start of a run: its branch, the opening commit; its end: the closing one."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import ProcessResult
from prd_ralph.ports import OnOutput, Opened, Opening, ProcessRequest
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from prd_ralph.workspace.opening import close, open_run
from prd_ralph.workspace.preflight import preflight
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.looks import files, git_at, signer, whole

PRD = json.dumps({"project": "p", "userStories": [{"id": "US-001", "title": "t", "passes": False}]}) + "\n"
EDITED = PRD + "\n"
OPENING = Opening("prd.json", ("prd.json", "tasks/prd.md", "progress.txt"), story_ids=("US-001",))
ON_X = replace(OPENING, branch="ralph/x")


def start(root: Path, opening: Opening = OPENING, resuming: bool = False) -> Opened:
    """Opens after a preflight that found nothing; every file that is there has its bytes of before."""
    assert preflight(git_at(root), discover(root), opening, resuming) == ()
    return open_run(git_at(root), discover(root), opening)


def status(root: Path) -> str:
    return git(root, "status", "--porcelain", "-uall")


def changed_by(root: Path, commit: str) -> str:
    return git(root, "show", "--format=", "--name-status", "--no-renames", commit).replace("\t", " ")


def commit_all(root: Path, message: str = "more") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = root / {"prd": "prd.json", "md": "tasks/prd.md", "progress": "progress.txt", "a": "a.py"}[name]
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


@pytest.fixture
def repo(make_repo: Repo) -> Path:
    """Everything committed, prd.json too."""
    return make_repo({"a.py": "one\n", "prd.json": PRD, "tasks/prd.md": "# P\n"})


@pytest.fixture
def bare_of_prd(make_repo: Repo) -> Path:
    """Nothing of the memory files is there yet."""
    return make_repo({"a.py": "one\n"})


# --- the opening commit ------------------------------------------------------------------------------


def test_nothing_to_commit_leaves_everything_as_it_was(repo: Path) -> None:
    before = whole(repo)

    opened = start(repo)

    assert opened == Opened(git(repo, "rev-parse", "HEAD"), "main")
    assert whole(repo) == before


def test_memory_that_is_untracked_or_dirty_goes_into_one_commit_and_nothing_else_does(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    write(repo, prd=EDITED, progress="learned\n")
    (repo / "mine.txt").write_text("mine\n")
    (repo / "tasks" / "other.md").write_text("mine too\n")
    before = files(repo)

    opened = start(repo)

    assert opened.base == git(repo, "rev-parse", "HEAD")
    assert git(repo, "rev-parse", "HEAD^") == first
    assert git(repo, "log", "-1", "--format=%s").startswith("chore: ")
    assert git(repo, "log", "-1", "--format=%an <%ae> %cn") == "Person <person@example.invalid> Person"
    assert changed_by(repo, "HEAD") == "M prd.json\nA progress.txt"
    assert opened.untracked == ("mine.txt", "tasks/other.md")
    assert status(repo) == "?? mine.txt\n?? tasks/other.md"
    assert files(repo) == before


def test_memory_that_is_staged_or_staged_in_part_is_committed_as_it_lies_on_disk(repo: Path) -> None:
    write(repo, prd=EDITED, progress="half\n")
    git(repo, "add", "prd.json", "progress.txt")
    write(repo, prd=PRD, progress="half and half\n")

    start(repo)

    assert changed_by(repo, "HEAD") == "A progress.txt"
    assert git(repo, "show", "HEAD:progress.txt") == "half and half"
    assert status(repo) == ""


def test_memory_that_the_person_deleted_is_committed_so(repo: Path) -> None:
    (repo / "tasks" / "prd.md").unlink()

    start(repo)

    assert changed_by(repo, "HEAD") == "D tasks/prd.md"
    assert status(repo) == ""


def test_other_staged_work_stays_staged_and_out_of_the_commit(repo: Path) -> None:
    write(repo, prd=EDITED, a="the agent's\n")
    (repo / "new.py").write_text("the agent's\n")
    git(repo, "add", "a.py", "new.py")

    start(repo, resuming=True)

    assert changed_by(repo, "HEAD") == "M prd.json"
    assert status(repo) == "M  a.py\nA  new.py"


def test_an_index_that_lags_behind_the_commit_is_caught_up(repo: Path) -> None:
    write(repo, progress="learned\n")
    git(repo, "rm", "-q", "--cached", "prd.json")
    git(repo, "add", "progress.txt")
    git(repo, "commit", "-q", "-m", "as a crash between commit and index leaves it", "--only", "progress.txt")
    head = git(repo, "rev-parse", "HEAD")
    assert status(repo) == "D  prd.json\n?? prd.json"

    assert start(repo).base == head
    assert status(repo) == ""


def test_clean_filters_and_line_ends_are_the_repositorys(repo: Path) -> None:
    (repo / ".gitattributes").write_text("*.json text\n")
    commit_all(repo)
    git(repo, "config", "core.autocrlf", "true")
    (repo / "prd.json").write_bytes(EDITED.replace("\n", "\r\n").encode())

    start(repo)

    stored = subprocess.run(["git", "cat-file", "blob", "HEAD:prd.json"], cwd=repo, capture_output=True, check=True)
    assert stored.stdout == EDITED.encode()
    assert (repo / "prd.json").read_bytes() == EDITED.replace("\n", "\r\n").encode()
    assert status(repo) == ""


def test_names_that_look_like_patterns_or_options_are_only_names(make_repo: Repo) -> None:
    root = make_repo({"a.py": ""})
    names = ("[ab]*.json", "-x.md", ":(top)p.txt", "ü \n.md")
    for name in (*names, "a.json", "b.json"):
        (root / name).write_text(PRD)

    opened = start(root, Opening(names[0], names, story_ids=("US-001",)))

    assert opened.untracked == ("a.json", "b.json")
    assert git(root, "ls-tree", "-z", "--name-only", "HEAD").split("\0")[:-1] == sorted((*names, "a.py"))


def test_an_unborn_head_gets_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "prd.json").write_text(PRD)
    (tmp_path / "mine.txt").write_text("mine\n")

    opened = start(tmp_path)

    assert (opened.branch, opened.untracked) == ("main", ("mine.txt",))
    assert git(tmp_path, "rev-list", "HEAD") == opened.base
    assert changed_by(tmp_path, "HEAD") == "A prd.json"
    assert status(tmp_path) == "?? mine.txt"
    assert "commit (initial)" in git(tmp_path, "reflog", "-1")


def test_an_unborn_head_with_nothing_to_commit_gets_an_empty_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "prd.json").write_text(PRD)
    (tmp_path / ".git" / "info" / "exclude").write_text("prd.json\n")

    opened = start(tmp_path)

    assert git(tmp_path, "ls-tree", opened.base) == ""
    assert len(opened.notices) == 1


def test_an_unborn_head_with_a_branch_name_has_both_branches(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "prd.json").write_text(PRD)

    opened = start(tmp_path, ON_X)

    assert git(tmp_path, "for-each-ref", "--format=%(refname) %(objectname)").split("\n") == [
        f"refs/heads/main {opened.base}",
        f"refs/heads/ralph/x {opened.base}",
    ]
    assert git(tmp_path, "symbolic-ref", "HEAD") == "refs/heads/ralph/x"
    assert status(tmp_path) == ""


def test_a_detached_head_without_a_branch_is_moved_alone(repo: Path) -> None:
    git(repo, "switch", "-q", "--detach")
    write(repo, prd=EDITED)

    opened = open_run(git_at(repo), discover(repo), OPENING)

    assert opened.branch is None
    assert git(repo, "rev-parse", "HEAD", "main").split() == [opened.base, git(repo, "rev-parse", "HEAD^")]


def test_an_ignored_prd_stays_in_the_file_alone_and_this_is_said(bare_of_prd: Path) -> None:
    (bare_of_prd / ".gitignore").write_text("prd.json\nprogress.txt\ntasks/\n")
    commit_all(bare_of_prd)
    write(bare_of_prd, prd=PRD, md="# P\n", progress="learned\n")
    before = whole(bare_of_prd)

    opened = start(bare_of_prd)

    assert whole(bare_of_prd) == before
    assert opened.notices == (
        "prd.json is ignored by git: the flag lives in the file alone, the commits carry the trailers",
    )
    assert opened.untracked == ()


def test_a_tracked_prd_that_a_pattern_names_is_not_ignored(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.json\n")
    commit_all(repo)
    write(repo, prd=EDITED)

    opened = start(repo)

    assert opened.notices == ()
    assert changed_by(repo, "HEAD") == "M prd.json"


HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
)


def test_no_hook_runs_and_none_can_refuse(repo: Path, tmp_path: Path) -> None:
    for name in HOOKS:
        hook = repo / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >>'{tmp_path}/ran'\nexit 1\n")
        hook.chmod(0o755)
    write(repo, prd=EDITED)

    start(repo, ON_X)
    write(repo, progress="learned\n")
    close(git_at(repo), OPENING.memory, "chore: end")

    assert not (tmp_path / "ran").exists()
    assert git(repo, "rev-list", "--count", "main..HEAD") == "2"


class Interrupted(PlainProcesses):
    """Somebody else commits while the opening commit is being made."""

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        result = super().run(request)
        if "commit-tree" in request.argv:
            git(request.cwd, "commit", "-q", "--allow-empty", "-m", "somebody else's")
        return result


def test_a_commit_that_somebody_makes_meanwhile_is_not_lost(repo: Path) -> None:
    write(repo, prd=EDITED)

    with pytest.raises(RalphError, match="HEAD") as caught:
        open_run(Git(Interrupted(), repo, os.environ), discover(repo), OPENING)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert git(repo, "log", "-1", "--format=%s") == "somebody else's"
    assert status(repo) == " M prd.json"


def test_it_is_signed_where_the_person_signs(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "commit.gpgsign", "true")
    git(repo, "config", "gpg.program", signer(tmp_path))
    write(repo, prd=EDITED)

    start(repo)

    assert "gpgsig SIGNED" in git(repo, "cat-file", "commit", "HEAD")


@pytest.mark.parametrize("opening", [OPENING, ON_X])
def test_a_commit_that_the_environment_refuses_changes_nothing(repo: Path, opening: Opening) -> None:
    git(repo, "config", "commit.gpgsign", "true")
    git(repo, "config", "gpg.program", "false")
    write(repo, prd=EDITED, progress="learned\n")
    before = whole(repo)

    with pytest.raises(RalphError, match="gpg failed to sign the data") as caught:
        open_run(git_at(repo), discover(repo), opening)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert caught.value.problems[0].hint
    assert whole(repo) == before


def test_a_memory_file_that_git_cannot_store_changes_nothing(repo: Path) -> None:
    (repo / "tasks" / "prd.md").unlink()
    (repo / "tasks").rmdir()
    (repo / "tasks").symlink_to("/")
    write(repo, prd=EDITED)
    opening = replace(OPENING, memory=("prd.json", "tasks/etc/hostname"))
    git(repo, "rm", "-q", "--cached", "tasks/prd.md")
    before = whole(repo)

    with pytest.raises(RalphError) as caught:
        open_run(git_at(repo), discover(repo), replace(opening, memory=("prd.json", "tasks/prd.md")))
        open_run(git_at(repo), discover(repo), opening)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert whole(repo) == before


def test_a_locked_head_changes_nothing(repo: Path) -> None:
    write(repo, prd=EDITED)
    (repo / ".git" / "HEAD.lock").touch()
    before = whole(repo)

    with pytest.raises(RalphError, match=r"HEAD\.lock"):
        open_run(git_at(repo), discover(repo), OPENING)

    assert whole(repo) == before


# --- a new branch ------------------------------------------------------------------------------------


def test_a_new_branch_is_made_from_head_with_the_memory_on_it_alone(repo: Path) -> None:
    main = git(repo, "rev-parse", "main")
    write(repo, prd=EDITED)

    opened = start(repo, ON_X)

    assert opened.branch == "ralph/x" == git(repo, "branch", "--show-current")
    assert git(repo, "rev-parse", "main", "ralph/x", "ralph/x^").split() == [main, opened.base, main]
    assert (repo / "prd.json").read_text() == EDITED
    assert status(repo) == ""
    assert git(repo, "for-each-ref", "--format=%(upstream)", "refs/heads/ralph/x") == ""


def test_a_clean_start_makes_a_branch_without_a_commit(repo: Path) -> None:
    assert start(repo, ON_X).base == git(repo, "rev-parse", "main")
    assert git(repo, "branch", "--show-current") == "ralph/x"


def test_git_switch_leads_back_to_where_the_person_was(repo: Path) -> None:
    start(repo, ON_X)

    git(repo, "switch", "-q", "-")

    assert git(repo, "branch", "--show-current") == "main"


def test_from_a_detached_head(repo: Path) -> None:
    git(repo, "switch", "-q", "--detach")
    write(repo, prd=EDITED)

    opened = start(repo, ON_X)

    assert git(repo, "rev-parse", "ralph/x") == opened.base
    assert git(repo, "branch", "--show-current") == "ralph/x"


def test_in_a_linked_worktree_the_other_one_is_left_alone(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "beside", "../beside")
    before, linked = whole(repo), tmp_path / "beside"
    write(linked, prd=EDITED)
    (linked / "mine.txt").write_text("mine\n")

    opened = start(linked, ON_X)

    assert git(linked, "branch", "--show-current") == "ralph/x"
    assert opened.untracked == ("mine.txt",)
    after = whole(repo)
    assert {**after, "refs": None} == {**before, "refs": None}


@pytest.fixture
def based(repo: Path) -> Path:
    """`develop` has another a.py, a file of its own, an older prd.json and no tasks/; HEAD is on main."""
    git(repo, "switch", "-q", "-c", "develop")
    write(repo, prd='{"old": 1}\n', a="develop\n", progress="of another PRD\n")
    (repo / "only-develop.py").write_text("x\n")
    git(repo, "rm", "-q", "tasks/prd.md")
    commit_all(repo, "develop")
    git(repo, "switch", "-q", "main")
    return repo


FROM_DEVELOP = replace(ON_X, base_branch="develop")


def test_from_a_base_the_tree_is_the_bases_and_the_memory_what_the_run_was_started_with(based: Path) -> None:
    (based / "mine.txt").write_text("mine\n")

    opened = start(based, FROM_DEVELOP)

    assert git(based, "rev-parse", "ralph/x^") == git(based, "rev-parse", "develop")
    assert changed_by(based, "HEAD") == "M prd.json\nA tasks/prd.md"
    assert files(based) == {
        "a.py": b"develop\n",
        "only-develop.py": b"x\n",
        "prd.json": PRD.encode(),
        "tasks/prd.md": b"# P\n",
        "progress.txt": b"of another PRD\n",
        "mine.txt": b"mine\n",
    }
    assert status(based) == "?? mine.txt"
    assert opened.untracked == ("mine.txt",)


def test_uncommitted_memory_is_carried_to_the_base(based: Path) -> None:
    write(based, prd=EDITED, md="# Q\n", progress="untracked here, tracked there\n")
    git(based, "add", "tasks/prd.md")

    opened = start(based, FROM_DEVELOP)

    assert changed_by(based, "HEAD") == "M prd.json\nM progress.txt\nA tasks/prd.md"
    assert (based / "prd.json").read_text() == EDITED
    assert (based / "progress.txt").read_text() == "untracked here, tracked there\n"
    assert status(based) == ""
    assert opened.notices == ()


def test_a_base_that_only_the_remote_has(based: Path) -> None:
    git(based, "update-ref", "refs/remotes/origin/topic", "develop")

    start(based, replace(ON_X, base_branch="topic"))

    assert (based / "a.py").read_text() == "develop\n"


def test_an_ignored_prd_is_carried_where_the_base_tracks_it(based: Path) -> None:
    git(based, "rm", "-q", "--cached", "prd.json")
    (based / ".gitignore").write_text("prd.json\n")
    git(based, "add", ".gitignore")
    git(based, "commit", "-q", "-m", "ignore")

    opened = start(based, FROM_DEVELOP)

    assert opened.notices == ()
    assert (based / "prd.json").read_text() == PRD
    assert git(based, "show", "HEAD:prd.json") == PRD.strip()
    assert status(based) == ""


@pytest.mark.parametrize("ignored", [False, True])
def test_an_untracked_file_in_the_way_stops_it_with_nothing_changed(based: Path, ignored: bool) -> None:
    (based / "only-develop.py").write_text("mine\n")
    if ignored:
        (based / ".git" / "info" / "exclude").write_text("only-develop.py\n")
    write(based, prd=EDITED)
    before = whole(based)

    with pytest.raises(RalphError, match=r"only-develop\.py") as caught:
        open_run(git_at(based), discover(based), FROM_DEVELOP)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert whole(based) == before


@pytest.mark.parametrize("mine", ["only-develop.py/deep/x.log", "only-develop.py"])
def test_ignored_files_in_the_way_are_not_worthless(based: Path, mine: str) -> None:
    (based / ".git" / "info" / "exclude").write_text("only-develop.py\n")
    (based / mine).parent.mkdir(parents=True, exist_ok=True)
    (based / mine).write_text("mine\n")
    before = whole(based)

    with pytest.raises(RalphError, match=mine):
        open_run(git_at(based), discover(based), FROM_DEVELOP)

    assert whole(based) == before


def test_an_ignored_file_where_the_base_has_a_folder(based: Path) -> None:
    git(based, "switch", "-q", "develop")
    (based / "out").mkdir()
    (based / "out" / "x.py").write_text("")
    commit_all(based)
    git(based, "switch", "-q", "main")
    (based / ".git" / "info" / "exclude").write_text("out\n")
    (based / "out").write_text("mine\n")

    with pytest.raises(RalphError, match="out"):
        open_run(git_at(based), discover(based), FROM_DEVELOP)

    assert (based / "out").read_text() == "mine\n"


def test_tracked_folders_and_files_may_change_places(make_repo: Repo) -> None:
    root = make_repo({"a/b.py": "deep\n", "c": "flat\n", "prd.json": PRD})
    git(root, "switch", "-q", "-c", "develop")
    git(root, "rm", "-q", "-r", "a", "c")
    (root / "a").write_text("flat\n")
    (root / "c").mkdir()
    (root / "c" / "d.py").write_text("deep\n")
    commit_all(root)
    git(root, "switch", "-q", "main")

    start(root, FROM_DEVELOP)

    assert files(root) == {"a": b"flat\n", "c/d.py": b"deep\n", "prd.json": PRD.encode()}
    assert status(root) == ""


def test_uncommitted_work_in_the_way_stops_it_with_nothing_changed(based: Path) -> None:
    write(based, a="the agent's\n", prd=EDITED)
    before = whole(based)

    with pytest.raises(RalphError, match=r"a\.py") as caught:
        start(based, FROM_DEVELOP, resuming=True)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert whole(based) == before


def test_a_persons_skipped_and_sparse_files_stay_so(based: Path) -> None:
    git(based, "sparse-checkout", "set", "--no-cone", "/*", "!/only-develop.py")
    write(based, prd=EDITED)

    start(based, FROM_DEVELOP)

    assert not (based / "only-develop.py").exists()
    assert git(based, "ls-files", "-t", "only-develop.py") == "S only-develop.py"
    assert status(based) == ""


def test_a_folder_of_the_base_where_the_memory_has_a_file_and_the_reverse(make_repo: Repo) -> None:
    root = make_repo({"a.py": "one\n"})
    git(root, "switch", "-q", "-c", "develop")
    (root / "tasks").write_text("a file here\n")
    commit_all(root)
    git(root, "switch", "-q", "main")
    write(root, prd=PRD, md="# P\n")

    start(root, FROM_DEVELOP)

    assert files(root) == {"a.py": b"one\n", "prd.json": PRD.encode(), "tasks/prd.md": b"# P\n"}
    assert status(root) == ""


# --- a branch that exists ----------------------------------------------------------------------------


@pytest.fixture
def joined(repo: Path) -> Path:
    """`ralph/x` has gone on with its own prd.json, progress.txt and a.py; HEAD is on main."""
    git(repo, "switch", "-q", "-c", "ralph/x")
    write(repo, prd=PRD.replace("false", "true"), a="landed\n", progress="US-001 landed\n")
    commit_all(repo, "landed")
    git(repo, "switch", "-q", "main")
    return repo


FLIPPED = PRD.replace("false", "true")


def test_the_branchs_own_prd_counts(joined: Path) -> None:
    opened = start(joined, ON_X)

    assert opened == Opened(git(joined, "rev-parse", "ralph/x"), "ralph/x")
    assert (joined / "prd.json").read_text() == FLIPPED
    assert (joined / "a.py").read_text() == "landed\n"
    assert (joined / "progress.txt").read_text() == "US-001 landed\n"
    assert status(joined) == ""


@pytest.mark.parametrize("staged", [False, True])
def test_an_uncommitted_copy_of_the_persons_is_kept_before_the_branchs_counts(joined: Path, staged: bool) -> None:
    write(joined, prd=EDITED)
    if staged:
        git(joined, "add", "prd.json")

    opened = start(joined, ON_X)

    assert (joined / "prd.json").read_text() == FLIPPED
    (notice,) = opened.notices
    saved = [path for path in discover(joined).state.rglob("*") if path.is_file()]
    assert [path.read_text() for path in saved] == [EDITED]
    assert str(saved[0]) in notice
    assert "ralph/x has its own prd.json" in notice
    assert status(joined) == ""
    assert opened.base == git(joined, "rev-parse", "ralph/x")


@pytest.mark.parametrize("ignored", [False, True])
def test_an_untracked_copy_is_kept_too(joined: Path, ignored: bool) -> None:
    git(joined, "rm", "-q", "--cached", "prd.json")
    if ignored:
        (joined / ".gitignore").write_text("prd.json\n")
        git(joined, "add", ".gitignore")
    git(joined, "commit", "-q", "-m", "not tracked")
    write(joined, prd=EDITED)

    opened = start(joined, ON_X)

    assert (joined / "prd.json").read_text() == FLIPPED
    saved = [path for path in discover(joined).state.rglob("*") if path.is_file()]
    assert [path.read_text() for path in saved] == [EDITED]
    assert len(opened.notices) == 1
    assert status(joined) == ""


def test_an_equal_copy_is_not_worth_a_word(joined: Path) -> None:
    write(joined, prd=FLIPPED)

    opened = start(joined, ON_X)

    assert opened.notices == ()
    assert not discover(joined).state.exists()
    assert status(joined) == ""


def test_a_branch_at_the_same_commit_counts_no_less(repo: Path) -> None:
    git(repo, "branch", "ralph/x")
    write(repo, prd=EDITED, progress="mine\n")

    opened = start(repo, ON_X)

    assert (repo / "prd.json").read_text() == PRD
    assert len(opened.notices) == 1
    assert changed_by(repo, "HEAD") == "A progress.txt"
    assert git(repo, "branch", "--show-current") == "ralph/x"
    assert status(repo) == ""


def test_uncommitted_progress_and_prd_text_are_carried_to_the_branch(joined: Path) -> None:
    write(joined, progress="mine\n", md="# Q\n")

    opened = start(joined, ON_X)

    assert changed_by(joined, "HEAD") == "M progress.txt\nM tasks/prd.md"
    assert git(joined, "rev-parse", "HEAD") == opened.base == git(joined, "rev-parse", "ralph/x")
    assert (joined / "progress.txt").read_text() == "mine\n"
    assert status(joined) == ""


@pytest.mark.parametrize("committed", [False, True])
def test_a_branch_without_a_prd_gets_the_persons(bare_of_prd: Path, committed: bool) -> None:
    git(bare_of_prd, "switch", "-q", "-c", "ralph/x")
    write(bare_of_prd, a="elsewhere\n")
    commit_all(bare_of_prd)
    git(bare_of_prd, "switch", "-q", "main")
    write(bare_of_prd, prd=PRD, md="# P\n")
    if committed:
        commit_all(bare_of_prd, "the PRD")

    start(bare_of_prd, ON_X)

    assert changed_by(bare_of_prd, "HEAD") == "A prd.json\nA tasks/prd.md"
    assert files(bare_of_prd) == {"a.py": b"elsewhere\n", "prd.json": PRD.encode(), "tasks/prd.md": b"# P\n"}
    assert status(bare_of_prd) == ""


def test_from_an_unborn_head_to_a_branch_that_exists(joined: Path) -> None:
    git(joined, "switch", "-q", "--orphan", "empty")
    write(joined, prd=EDITED)

    opened = start(joined, ON_X)

    assert (joined / "prd.json").read_text() == FLIPPED
    assert len(opened.notices) == 1
    assert status(joined) == ""


def test_from_a_repository_that_was_only_fetched_into(joined: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    git(fresh, "fetch", "-q", str(joined), "ralph/x:ralph/x")

    start(fresh, ON_X)

    assert (fresh / "prd.json").read_text() == FLIPPED
    assert status(fresh) == ""


def test_a_deleted_prd_comes_back_as_the_branch_has_it(joined: Path) -> None:
    (joined / "prd.json").unlink()

    assert start(joined, ON_X).notices == ()
    assert (joined / "prd.json").read_text() == FLIPPED
    assert status(joined) == ""


def test_two_starts_in_a_row_are_as_one(joined: Path) -> None:
    write(joined, prd=EDITED, progress="mine\n")
    first = start(joined, ON_X)
    before = whole(joined)

    second = start(joined, ON_X)

    assert second == replace(first, notices=())
    assert whole(joined) == before


def test_a_copy_that_cannot_be_kept_stops_it(joined: Path) -> None:
    write(joined, prd=EDITED)
    (joined / ".git" / "prd-ralph").touch()
    before = whole(joined)

    with pytest.raises(RalphError, match="cannot be written") as caught:
        open_run(git_at(joined), discover(joined), ON_X)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert whole(joined) == before


# --- the end -----------------------------------------------------------------------------------------


def end(root: Path) -> str | None:
    return close(git_at(root), OPENING.memory, "chore: record the run")


def test_the_end_commits_the_memory_alone(repo: Path) -> None:
    write(repo, prd=EDITED, progress="learned\n", a="not ours\n")
    (repo / "mine.txt").write_text("mine\n")
    before = files(repo)

    commit = end(repo)

    assert commit == git(repo, "rev-parse", "HEAD")
    assert git(repo, "log", "-1", "--format=%B") == "chore: record the run"
    assert changed_by(repo, "HEAD") == "M prd.json\nA progress.txt"
    assert status(repo) == " M a.py\n?? mine.txt"
    assert files(repo) == before


def test_the_end_with_nothing_new_commits_nothing(repo: Path) -> None:
    write(repo, a="not ours\n")
    before = whole(repo)

    assert end(repo) is None
    assert whole(repo) == before


def test_the_end_catches_up_an_index_without_a_commit(repo: Path) -> None:
    write(repo, prd=EDITED)
    git(repo, "add", "prd.json")
    write(repo, prd=PRD)

    assert end(repo) is None
    assert status(repo) == ""


def test_the_end_leaves_what_is_ignored(bare_of_prd: Path) -> None:
    (bare_of_prd / ".gitignore").write_text("progress.txt\n")
    commit_all(bare_of_prd)
    write(bare_of_prd, prd=PRD, progress="learned\n")

    assert end(bare_of_prd) is not None
    assert changed_by(bare_of_prd, "HEAD") == "A prd.json"


def test_the_end_of_a_detached_or_unborn_head(repo: Path, tmp_path: Path) -> None:
    git(repo, "switch", "-q", "--detach")
    write(repo, prd=EDITED)
    assert end(repo) == git(repo, "rev-parse", "HEAD") != git(repo, "rev-parse", "main")

    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    assert end(fresh) is None
    (fresh / "progress.txt").write_text("learned\n")
    assert end(fresh) == git(fresh, "rev-parse", "HEAD")


def test_an_end_that_is_refused_changes_nothing(repo: Path) -> None:
    write(repo, prd=EDITED)
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    before = whole(repo)

    with pytest.raises(RalphError) as caught:
        end(repo)

    assert caught.value.code is ExitCode.ENVIRONMENT
    assert whole(repo) == before
