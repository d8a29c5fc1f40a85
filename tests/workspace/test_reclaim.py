"""After an agent HEAD is back on base; what a person did to it stops the run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError, ForeignChangeError
from prd_ralph.model import ProcessResult
from prd_ralph.ports import LandingRequest, OnOutput, ProcessRequest
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.scene import FILES, Scene, agent, put, scene_on


def _heads(scene: Scene) -> str:
    return scene.git("rev-list", "--parents", "-1", "refs/prd-ralph/r1/US-1/1")


def test_an_agents_commits_are_kept_under_the_attempts_ref(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        agent(root, "commit", "-qam", "mine")

    candidate = scene.attempt(act)
    assert candidate.paths == ("a.py",)
    assert scene.head is not None
    assert scene.git("rev-parse", "HEAD") == scene.base
    assert scene.git("log", "-1", "--format=%s", scene.head) == "mine"
    _, *parents = _heads(scene).split()
    assert parents == [scene.base, scene.head]
    assert scene.git("reflog", "-1", "--format=%gs") == "prd-ralph: US-1#1 back to base"


def test_commits_on_both_the_runs_branch_and_another_are_kept(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        agent(root, "commit", "-qam", "on main")
        agent(root, "switch", "-qc", "other", "HEAD~1")
        put(root, {"pkg/b.py": "y"})
        agent(root, "commit", "-qam", "on other")

    scene.attempt(act)
    assert scene.notes == ("the attempt's branch other is left as it is",)
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert scene.git("rev-parse", "main") == scene.base
    _, *parents = _heads(scene).split()
    assert [scene.git("log", "-1", "--format=%s", commit) for commit in parents[1:]] == ["on other", "on main"]


def test_what_an_agent_fetches_from_others_is_its_own_move(scene: Scene) -> None:
    git(scene.root, "branch", "theirs")
    git(scene.root, "switch", "-q", "theirs")
    git(scene.root, "commit", "-q", "--allow-empty", "-m", "a person's")
    git(scene.root, "switch", "-q", "main")
    scene.attempt(lambda root: agent(root, "merge", "-q", "theirs"))
    assert scene.head is None
    assert scene.git("rev-parse", "HEAD") == scene.base


def _commits(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "a person's")


def _switches(root: Path) -> None:
    git(root, "switch", "-qc", "elsewhere")


def _resets(root: Path) -> None:
    git(root, "reset", "-q", "--soft", "HEAD~1")


def _commits_without_reflog(root: Path) -> None:
    _commits(root)
    (root / ".git/logs/HEAD").unlink()


def _moves_the_branch_unseen(root: Path) -> None:
    commit = git(root, "commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
    (root / ".git/refs/heads/main").write_text(commit + "\n")


@pytest.mark.parametrize("act", [_commits, _switches, _resets, _commits_without_reflog, _moves_the_branch_unseen])
@pytest.mark.parametrize("branch", ["main", None])
def test_a_persons_move_stops_the_run(make_repo: Repo, act: Callable[[Path], None], branch: str | None) -> None:
    root = make_repo(FILES)
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    if branch is None:
        git(root, "checkout", "-q", "--detach")
    if branch is None and act is _moves_the_branch_unseen:
        return
    scene = scene_on(root)
    key = scene.key()
    scene.workspace.begin(key)
    act(root)
    head = git(root, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
    with pytest.raises(ForeignChangeError, match=r"person@example\.invalid") as caught:
        scene.workspace.reclaim(key)
    assert git(root, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD") == head
    assert caught.value.problems[0].hint


@pytest.mark.parametrize("act", ["branch", "orphan", "commit"])
def test_a_detached_run_stays_detached(make_repo: Repo, act: str) -> None:
    root = make_repo(FILES)
    git(root, "checkout", "-q", "--detach")
    scene = scene_on(root)
    commands = {
        "branch": ("switch", "-qc", "x"),
        "orphan": ("checkout", "-q", "--orphan", "x"),
        "commit": ("commit", "-q", "--allow-empty", "-m", "x"),
    }
    put(root, {"a.py": "by hand"})
    git(root, "checkout", "-q", "a.py")
    key = scene.key()
    scene.workspace.begin(key)
    put(root, {"a.py": "x"})
    agent(root, *commands[act])
    candidate = scene.after(key)
    assert (root / ".git/HEAD").read_text() == scene.base + "\n"
    assert candidate.paths == ("a.py",)
    landed = scene.landed(candidate)
    assert (root / ".git/HEAD").read_text() == landed.commit + "\n"


def test_packed_refs_and_a_deleted_branch(scene: Scene) -> None:
    def act(root: Path) -> None:
        agent(root, "checkout", "-q", "--detach")
        agent(root, "branch", "-D", "main")
        agent(root, "pack-refs", "--all")

    scene.attempt(act)
    assert scene.git("rev-parse", "main") == scene.base
    git(scene.root, "pack-refs", "--all")
    scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]


def test_what_an_agent_left_half_done_is_ended_and_named(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {".git/index.lock": "", ".git/MERGE_HEAD": scene.base, ".git/rebase-merge/onto": "x"})

    scene.attempt(act)
    assert scene.notes == tuple(
        f"removed .git/{name}, which the attempt had left" for name in ("MERGE_HEAD", "rebase-merge", "index.lock")
    )
    assert not (scene.root / ".git/rebase-merge").exists()


def test_intent_to_add_of_the_persons_stays_and_is_not_taken(scene: Scene) -> None:
    git(scene.root, "add", "-N", "mine.txt")
    before = scene.git("ls-files", "-s", "--debug", "mine.txt")
    scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x", "mine.txt": "agent's"})))
    assert "mine.txt" not in scene.files()
    assert scene.status() == [" A mine.txt", "?? notes/todo.md"]
    scene.attempt(lambda root: put(root, {"a.py": "y", "mine.txt": "agent's"}), story="US-2")
    scene.workspace.set_aside(scene.key("US-2", 1))
    assert scene.status() == [" A mine.txt", "?? notes/todo.md"]
    assert (scene.root / "mine.txt").read_text() == "mine\n"
    assert scene.git("ls-files", "-s", "--debug", "mine.txt").splitlines()[0] == before.splitlines()[0]


class _Locker(PlainProcesses):
    """A person's git that takes the index lock while we look at what the agent staged."""

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        if "--exclude-standard" in request.argv and "-o" not in request.argv:
            (request.cwd / ".git/index.lock").write_text("")
        return super().run(request, on_output)


def test_a_lock_that_is_taken_before_the_index_is_put_back_blocks(scene: Scene) -> None:
    scene = scene_on(scene.root, processes=_Locker())
    with pytest.raises(BlockedError, match=r"index\.lock"):
        scene.attempt(lambda root: agent(root, "update-index", "--skip-worktree", "a.py"))


def test_landing_looks_at_head_first(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    git(scene.root, "commit", "-q", "--allow-empty", "-m", "a person's")
    with pytest.raises(ForeignChangeError, match="main at"):
        scene.workspace.land(LandingRequest(scene.key(), candidate, b"{}", "feat: x\n"))


def test_a_head_that_names_no_branch_is_asked_of_git(scene: Scene) -> None:
    scene.attempt(lambda root: (root / ".git/HEAD").write_text("ref: refs/other/x\n"))
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/main"


def test_gits_own_housekeeping_is_no_tampering(scene: Scene) -> None:
    def act(root: Path) -> None:
        agent(root, "commit", "-q", "--allow-empty", "-m", "x")
        agent(root, "-c", "repack.updateServerInfo=true", "gc", "-q")
        agent(root, "update-server-info")

    scene.attempt(act)
    assert scene.tampered == ()
