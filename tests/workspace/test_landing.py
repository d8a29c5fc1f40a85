"""The one commit of a story, and every way in which it may not come about."""

import os
import signal
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError, ForeignChangeError
from prd_ralph.model import ProcessResult
from prd_ralph.ports import Landed, LandingRefused, LandingRequest, OnOutput, ProcessRequest
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.scene import FILES, FLIPPED, PERSONS, Scene, hook, persons, put, scene_on


def test_a_landing_is_one_commit_on_base_with_the_flag_and_the_memory(scene: Scene) -> None:
    put(scene.root, {"progress.txt": "# Progress\nlearned\n"})
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", "new.py": "y", "prd.json": '{"passes": 1}'}))
    put(scene.root, {"prd.json": FILES["prd.json"]})
    message = "feat: US-1 - T\n\n# not a comment\n\nPrd-Ralph-Story: US-1\n"
    outcome = scene.land(candidate, message=message)
    assert isinstance(outcome, Landed)
    assert (scene.root / "prd.json").read_text() == FILES["prd.json"]
    assert outcome.paths == ("a.py", "new.py", "prd.json", "progress.txt")
    assert scene.git("log", "-1", "--format=%P %s %ce") == f"{scene.base} feat: US-1 - T person@example.invalid"
    assert "# not a comment" in scene.git("log", "-1", "--format=%B")
    assert scene.git("show", "HEAD:prd.json") == FLIPPED.decode().strip()
    assert scene.git("show", "HEAD:progress.txt") == "# Progress\nlearned"
    (scene.root / "prd.json").write_bytes(FLIPPED)
    current = scene.workspace.current()
    assert current is not None and scene.workspace.landing_of(current) == outcome
    scene.workspace.settle(outcome.commit)
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert scene.git("ls-files", "-v", "prd.json") == "H prd.json"
    assert scene.workspace.current() is None


def test_settling_twice_is_settling_once(scene: Scene) -> None:
    landed = scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    scene.workspace.settle(landed.commit)
    scene_on(scene.root, run="r2").workspace.settle(landed.commit)
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]


def test_stories_land_one_on_the_other(scene: Scene) -> None:
    first = scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    second = scene.landed(scene.attempt(lambda root: put(root, {"a.py": "y"}), story="US-2"), story="US-2")
    assert scene.git("rev-parse", "HEAD~1", "HEAD").split() == [first.commit, second.commit]
    assert scene.git("diff", "--name-only", "HEAD~1", "HEAD") == "a.py"


def test_an_empty_landing_is_a_commit(scene: Scene) -> None:
    put(scene.root, {"prd.json": FLIPPED.decode()})
    git(scene.root, "commit", "-qam", "already")
    scene = scene_on(scene.root)
    scene.landed(scene.attempt())
    assert scene.git("diff", "--name-only", "HEAD~1", "HEAD") == ""


def test_ignored_prd_and_progress_are_not_committed(make_repo: Repo) -> None:
    root = make_repo({"a.py": "one\n", ".gitignore": "prd.json\nprogress.txt\n"})
    put(root, {"prd.json": FILES["prd.json"], "progress.txt": "p\n"})
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", ".gitignore": ""}))
    assert scene.landed(candidate).paths == (".gitignore", "a.py")
    assert scene.status() == ["?? prd.json", "?? progress.txt"]


def test_prd_in_a_subfolder_with_its_own_mode_and_line_ends(make_repo: Repo) -> None:
    root = make_repo({"a.py": "one\n", "scripts/ralph/prd.json": "{}\n", ".gitattributes": "*.json text\n"})
    (root / "scripts/ralph/prd.json").chmod(0o755)
    git(root, "commit", "-qam", "mode")
    scene = scene_on(root, prd="scripts/ralph/prd.json")
    put(root, {"scripts/ralph/progress.txt": "new\n"})
    outcome = scene.workspace.land(_request(scene, b'{\r\n"passes": true}\r\n'))
    assert isinstance(outcome, Landed)
    (root / "scripts/ralph/prd.json").write_bytes(b'{\r\n"passes": true}\r\n')
    scene.workspace.settle(outcome.commit)
    assert outcome.paths == ("a.py", "scripts/ralph/prd.json", "scripts/ralph/progress.txt")
    assert scene.git("ls-tree", "HEAD", "scripts/ralph/prd.json").startswith("100755")
    assert scene.status() == []


def _request(scene: Scene, prd: bytes) -> LandingRequest:
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    return LandingRequest(scene.key(number=1), candidate, prd, "feat: x\n")


def test_a_hook_that_refuses_is_told_from_the_environment(scene: Scene) -> None:
    hook(scene.root, "pre-commit", "echo not like this >&2; exit 1")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    assert scene.land(candidate) == LandingRefused("not like this", by_hook=True)
    assert scene.git("rev-parse", "HEAD") == scene.base
    hook(scene.root, "pre-commit", "exit 1")
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused) and refused.by_hook and refused.text


def test_a_formatter_that_refuses_and_edits_is_said_to_have_changed(scene: Scene) -> None:
    spoil = "echo done >>a.py; echo x >>progress.txt; echo x >prd.json"
    hook(scene.root, "pre-commit", f"grep -q done a.py && exit 0; {spoil}; exit 1")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x\n", "id_rsa": "left out"}))
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused) and refused.by_hook and refused.changed
    assert (scene.root / "prd.json").read_text() == FILES["prd.json"]
    assert (scene.root / "progress.txt").read_text() == FILES["progress.txt"]
    again = scene.workspace.freeze()
    assert again.tree != candidate.tree
    scene.landed(again)
    assert scene.git("show", "HEAD:a.py") == "x\ndone"


def test_a_hook_that_edits_and_stages_is_undone_and_said_to_have_changed(scene: Scene) -> None:
    hook(scene.root, "pre-commit", "grep -q done a.py || echo done >>a.py; git add a.py")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x\n"}))
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused) and refused.by_hook and refused.changed
    assert scene.git("rev-parse", "HEAD") == scene.base
    scene.landed(scene.workspace.freeze())
    assert scene.git("show", "HEAD:a.py") == "x\ndone"


def test_a_hook_that_sweeps_the_persons_files_in_is_undone_and_refused(scene: Scene) -> None:
    before = persons(scene.root)
    hook(scene.root, "pre-commit", "git add -A")
    refused = scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert isinstance(refused, LandingRefused) and refused.by_hook and not refused.changed
    assert "mine.txt" in refused.text
    assert scene.git("rev-parse", "HEAD") == scene.base
    assert persons(scene.root) == before
    assert scene.status() == [" M a.py", "?? mine.txt", "?? notes/todo.md"]


def test_hooks_see_the_unflipped_file_and_the_flip_in_the_index(scene: Scene) -> None:
    hook(scene.root, "pre-commit", "cat prd.json >../seen; git show :prd.json >../staged; git diff --quiet || exit 1")
    scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert (scene.root.parent / "seen").read_text() == FILES["prd.json"]
    assert (scene.root.parent / "staged").read_bytes() == FLIPPED


@pytest.mark.parametrize("config", [("user.useConfigOnly", "true"), ("commit.gpgsign", "true")])
def test_identity_and_signer_are_the_environment(scene: Scene, config: tuple[str, str]) -> None:
    git(scene.root, "config", *config)
    git(scene.root, "config", "gpg.program", "false")
    if config[0].startswith("user"):
        Path(os.environ["HOME"], ".gitconfig").write_text("")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused) and not refused.by_hook and refused.text
    assert scene.git("rev-parse", "HEAD") == scene.base


def test_a_lock_is_waited_for_and_then_refused(scene: Scene) -> None:
    lock = scene.root / ".git/index.lock"
    waits: list[float] = []
    waiting = scene_on(scene.root, run="r2", pause=waits.append)
    candidate = waiting.attempt(lambda root: put(root, {"a.py": "x"}))
    lock.write_text("")
    refused = waiting.land(candidate)
    assert isinstance(refused, LandingRefused) and not refused.by_hook and "index.lock" in refused.text
    assert waits
    patient = scene_on(scene.root, run="r3", pause=lambda seconds: lock.unlink(missing_ok=True))
    patient.landed(patient.attempt(lambda root: lock.write_text("")))
    lock.write_text("")
    with pytest.raises(BlockedError, match=r"index\.lock"):
        waiting.workspace.settle(scene.git("rev-parse", "HEAD"))


def test_a_commit_made_while_hooks_run_is_the_persons(scene: Scene) -> None:
    hook(scene.root, "pre-commit", "unset GIT_INDEX_FILE; git commit -q --no-verify --allow-empty -m theirs")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    with pytest.raises(ForeignChangeError):
        scene.land(candidate)
    assert scene.git("log", "-1", "--format=%s") == "theirs"


def test_a_commit_made_after_ours_is_not_swallowed(scene: Scene) -> None:
    again = (
        "unset GIT_INDEX_FILE; [ -e ../once ] && exit; touch ../once; git commit -q --no-verify --allow-empty -m theirs"
    )
    hook(scene.root, "post-commit", again)
    with pytest.raises(ForeignChangeError):
        scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert scene.git("log", "-1", "--format=%s") == "theirs"


class _Hasty(PlainProcesses):
    """A person who commits just before git gets this word from us."""

    def __init__(self, word: str) -> None:
        self._word = word

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        if self._word in request.argv:
            self._word = ""
            git(request.cwd, "commit", "-q", "--no-verify", "--allow-empty", "-m", "theirs")
        return super().run(request, on_output)


@pytest.mark.parametrize("hooked", [False, True])
def test_a_commit_made_just_before_ours_is_not_reverted(scene: Scene, hooked: bool) -> None:
    if hooked:
        hook(scene.root, "pre-commit", "exit 0")
    scene = scene_on(scene.root, processes=_Hasty("commit" if hooked else "update-ref"))
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    with pytest.raises(ForeignChangeError):
        scene.land(candidate)
    assert scene.git("log", "-2", "--format=%s").split() == ["theirs", "first"]


def test_a_killed_commit_is_judged_by_head(scene: Scene) -> None:
    kill = f"kill -{signal.SIGKILL.value} $(ps -o ppid= -p $$)"
    hook(scene.root, "pre-commit", f"echo garbage >prd.json; {kill}")
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused) and not refused.by_hook and refused.text
    assert (scene.root / "prd.json").read_text() == FILES["prd.json"]
    (scene.root / ".git/hooks/pre-commit").unlink()
    hook(scene.root, "post-commit", kill)
    scene.landed(candidate)
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]


def test_a_linked_work_tree_lands_on_its_own_branch(make_repo: Repo, tmp_path: Path) -> None:
    main = make_repo(FILES)
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    put(tmp_path / "side", PERSONS)
    scene = scene_on(tmp_path / "side")
    hook(main, "pre-commit", "echo ran >>../ran")
    scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert (tmp_path / "ran").read_text() == "ran\n"
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert git(main, "rev-parse", "main") == scene.base
    assert git(main, "for-each-ref", "refs/worktree") == ""


def test_close_commits_the_memory(scene: Scene) -> None:
    scene.landed(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    put(scene.root, {"progress.txt": "the end\n"})
    made = scene.workspace.close("chore: progress\n")
    assert made == scene.git("rev-parse", "HEAD")
    assert scene.workspace.recent_commits(1)[0].endswith("chore: progress")
    scene.attempt(lambda root: put(root, {"a.py": "y"}), story="US-2")
    assert scene.workspace.close("chore: none\n") is None
