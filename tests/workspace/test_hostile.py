"""Code that means harm: hooks and agents that lay traps where we write, or reach for what we keep."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prd_ralph.errors import ForeignChangeError
from prd_ralph.model import ProcessResult
from prd_ralph.ports import Landed, ProcessRequest
from tests.conftest import git
from tests.support.plain import PlainProcesses
from tests.workspace.scene import FILES, Scene, hook, persons, put, scene_on

RECORD = '{"passes": false}\n'
LARGE = (5 << 20) + 1


@pytest.mark.parametrize(
    "trap",
    ["mkfifo {}", "ln -s ../victim {}", "mkdir {}", "mkdir {}; touch {}/inner", ":", "echo spoilt >{}; chmod 600 {}"],
)
@pytest.mark.parametrize("name", ["prd.json", "progress.txt"])
def test_what_a_hook_puts_in_the_memorys_place_is_moved_and_never_written_through(
    scene: Scene, name: str, trap: str
) -> None:
    victim = scene.root.parent / "victim"
    victim.write_text("not ours\n")
    hook(scene.root, "pre-commit", f"rm {name}; {trap.replace('{}', name)}")
    outcome = scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert isinstance(outcome, Landed)
    file = scene.root / name
    assert (file.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (False, FILES[name], 0o644)
    assert victim.read_text() == "not ours\n"


def test_a_folder_of_the_memorys_that_became_a_link_is_a_folder_again(scene: Scene) -> None:
    put(scene.root, {"ralph/prd.json": RECORD, "ralph/progress.txt": "p\n"})
    git(scene.root, "add", "ralph")
    git(scene.root, "commit", "-qm", "ralph")
    scene = scene_on(scene.root, run="r2", prd="ralph/prd.json")
    hook(scene.root, "pre-commit", "mv ralph ../away; ln -s ../away ralph; echo spoilt >ralph/prd.json")
    scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert not (scene.root / "ralph").is_symlink()
    assert (scene.root / "ralph/prd.json").read_text() == RECORD
    assert (scene.root.parent / "away/prd.json").read_text() == "spoilt\n"


def _copies_gone(runs: Path) -> None:
    for kept in runs.glob("*/kept"):
        shutil.rmtree(kept)


def _copies_spoilt(runs: Path) -> None:
    for copy in runs.glob("*/kept/*"):
        copy.chmod(0o600)
        copy.write_bytes(b"spoilt")


@pytest.mark.parametrize("act", [_copies_gone, _copies_spoilt])
@pytest.mark.parametrize("killed", [False, True])
def test_the_persons_files_outlive_their_copies(scene: Scene, act: object, killed: bool) -> None:
    put(scene.root, {"long.txt": "long\n" * 20_000})
    before = persons(scene.root)
    key = scene.key()
    scene.workspace.begin(key)
    put(scene.root, {"mine.txt": "agent", "notes/todo.md": "agent", "long.txt": "agent"})
    assert callable(act)
    act(scene.root / ".git/prd-ralph/runs")
    if killed:
        scene = scene_on(scene.root, run="r2")
        current = scene.workspace.current()
        assert current is not None
        scene.workspace.resume(current)
    scene.after(key)
    assert scene.tampered == ("long.txt", "mine.txt", "notes/todo.md")
    assert persons(scene.root) == before
    assert (scene.root / "long.txt").read_text() == "long\n" * 20_000


def test_a_file_whose_every_copy_is_gone_is_named(scene: Scene) -> None:
    put(scene.root, {"secret/long": "long\n" * 20_000})
    scene = scene_on(scene.root, run="r2")

    def act(root: Path) -> None:
        put(root, {"secret/long": "agent"})
        _copies_gone(root / ".git/prd-ralph/runs")

    scene.attempt(act)
    label = "secret/long (not put back: the copy was deleted)"
    assert scene.notes == (f"put back as it was, though git ignores it: {label}",)
    assert (scene.root / "secret/long").read_text() == "agent"


class _Hasty(PlainProcesses):
    """A person who commits just after git has moved the branch for us."""

    def run(self, request: ProcessRequest, on_output: object = None) -> ProcessResult:
        result = super().run(request)
        if "update-ref" in request.argv:
            git(request.cwd, "commit", "-q", "--allow-empty", "-m", "theirs")
        return result


def test_a_commit_made_just_after_a_plain_landing_is_not_taken_for_it(scene: Scene) -> None:
    scene = scene_on(scene.root, run="r2", processes=_Hasty())
    with pytest.raises(ForeignChangeError):
        scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert scene.git("log", "-1", "--format=%s") == "theirs"


_LANDS = """
import sys
from pathlib import Path
from tests.workspace.scene import agent, put, scene_on
scene = scene_on(Path(sys.argv[1]), run="r2")
def act(root):
    put(root, {"a.py": "x"})
    agent(root, "commit", "-qam", "own")
landed = scene.land(scene.attempt(act, story="US-\\u2192"), message="feat: US-1 - a \\u2192 b\\n")
print(landed.commit)
"""


def test_a_locale_that_cannot_say_the_title_is_no_matter(scene: Scene) -> None:
    env = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    house = Path(__file__).parents[2]
    argv = [sys.executable, "-c", _LANDS, str(scene.root)]
    done = subprocess.run(argv, env=env, cwd=house, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert scene.git("rev-parse", "HEAD") == done.stdout.strip()
    assert scene.git("log", "-1", "--format=%s") == "feat: US-1 - a → b"
    assert "a → b" in (scene.root / ".git/logs/HEAD").read_text()


def test_the_memory_is_recorded_whatever_its_size(scene: Scene) -> None:
    put(scene.root, {"progress.txt": "x" * LARGE, "prd.json": "y" * LARGE})
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    current = scene.workspace.current()
    assert current is not None
    assert scene.workspace.recorded(current, "progress.txt") == b"x" * LARGE
    assert scene.workspace.recorded(current, "prd.json") == b"y" * LARGE


def test_what_current_does_not_hold_is_as_base_has_it(scene: Scene) -> None:
    scene.attempt(lambda root: (root / "prd.json").unlink())
    (scene.root / "prd.json").unlink()
    scene.attempt()
    current = scene.workspace.current()
    assert current is not None
    put(scene.root, {"prd.json": "lies"})
    assert scene.workspace.recorded(current, "prd.json") == FILES["prd.json"].encode()


@pytest.mark.parametrize("hooked", [False, True])
def test_what_a_landed_story_left_out_is_the_persons_afterwards(scene: Scene, hooked: bool) -> None:
    if hooked:
        hook(scene.root, "pre-commit", "exit 0")
    first = scene.attempt(lambda root: put(root, {"a.py": "x", "id_rsa": "key"}))
    scene.workspace.restore(first)
    scene.landed(first)
    second = scene.attempt(lambda root: put(root, {"pkg/b.py": "x", "id_rsa": "changed"}), story="US-2")
    assert (second.left_out, scene.tampered) == ((), ("id_rsa",))
    scene.workspace.set_aside(scene.key("US-2", 1))
    assert (scene.root / "id_rsa").read_text() == "key"


def _hides(root: Path, index: Path) -> None:
    env = os.environ | {"GIT_INDEX_FILE": str(index)}
    subprocess.run(["git", "update-index", "--skip-worktree", "a.py"], cwd=root, env=env, check=True)


def _removed(root: Path, index: Path) -> None:
    index.unlink(missing_ok=True)


def _piped(root: Path, index: Path) -> None:
    _removed(root, index)
    os.mkfifo(index)


def _foldered(root: Path, index: Path) -> None:
    _removed(root, index)
    put(index, {"inner": "x"})


def _linked_out(root: Path, index: Path) -> None:
    _removed(root, index)
    index.symlink_to(root.parent / "victim")


def _linked_hard(root: Path, index: Path) -> None:
    _removed(root, index)
    index.hardlink_to(root.parent / "victim")


def _spoilt(root: Path, index: Path) -> None:
    index.write_bytes(b"DIRC spoilt")


def _locked(root: Path, index: Path) -> None:
    _removed(root, index)
    index.with_name(f"{index.name}.lock").write_text("")


TRAPS = [_hides, _removed, _piped, _foldered, _linked_out, _linked_hard, _spoilt, _locked]


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("killed", [False, True])
def test_what_an_agent_does_to_our_indexes_hides_nothing(scene: Scene, trap: object, killed: bool) -> None:
    assert callable(trap)
    before, listed = persons(scene.root), scene.git("ls-files", "-s", "-v")
    victim = scene.root.parent / "victim"
    victim.write_text("not ours\n")
    scene.attempt()  # so that each index is there
    key = scene.key()
    scene.workspace.begin(key)
    runs = scene.root / ".git/prd-ralph/runs/r1"
    put(scene.root, {"a.py": "hidden\n"})
    for name in ("base.index", "candidate.index", "landing.index"):
        if name != "landing.index" or trap is not _hides:
            (runs / name).touch() if trap is _spoilt else None
            trap(scene.root, runs / name)
    if killed:
        scene = scene_on(scene.root, run="r1")
        current = scene.workspace.current()
        assert current is not None
        scene.workspace.resume(current)
    candidate = scene.after(key)
    assert candidate.paths == ("a.py",)
    assert killed or scene.tampered == (".git/prd-ralph/runs/r1/base.index",)
    hook(scene.root, "pre-commit", "exit 0")
    trap(scene.root, runs / "candidate.index")  # by a command
    put(scene.root, {"a.py": "by a command\n"})
    scene.workspace.restore(candidate)
    scene.landed(candidate)
    assert scene.git("show", "HEAD:a.py") == "hidden"
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert [line[0] for line in scene.git("ls-files", "-v").splitlines()] == ["H"] * len(listed.splitlines())
    assert (persons(scene.root), victim.read_text()) == (before, "not ours\n")


def _ground_piped(root: Path) -> None:
    file = root / ".git/prd-ralph/runs/r1/ground.json"
    file.unlink()
    os.mkfifo(file)


def test_a_ground_that_became_a_pipe_is_not_waited_for(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    _ground_piped(scene.root)
    later = scene_on(scene.root, run="r2")
    current = later.workspace.current()
    assert current is not None
    assert later.workspace.resume(current) == ()
    assert later.workspace.freeze().paths == ("a.py",)


def test_traps_where_refs_are_drafted_are_not_written_through(scene: Scene) -> None:
    victim = scene.root.parent / "victim"
    victim.write_text("not ours\n")

    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        (root / ".git/refs/worktree/prd-ralph/current.lock").symlink_to(victim)

    scene.attempt(act)
    assert victim.read_text() == "not ours\n"
    current = scene.workspace.current()
    assert current is not None and current.ended


@pytest.mark.parametrize("trap", [_piped, _linked_out, _spoilt])
@pytest.mark.parametrize("name", ["kept", "moved"])
def test_a_trap_in_the_place_of_our_folders_goes(scene: Scene, trap: object, name: str) -> None:
    assert callable(trap)
    before = persons(scene.root)
    (scene.root.parent / "victim").mkdir()

    def act(root: Path) -> None:
        folder = root / ".git/prd-ralph/runs/r1" / name
        shutil.rmtree(folder, ignore_errors=True)
        trap(root, folder)
        put(root, {"mine.txt": "agent"})

    scene.attempt(act)
    assert persons(scene.root) == before
    scene.attempt(lambda root: put(root, {"mine.txt": "agent"}))
    put(scene.root, {"mine.txt": "edited by the person"})
    scene.attempt()
    assert list((scene.root.parent / "victim").iterdir()) == []
