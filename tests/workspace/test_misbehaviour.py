"""Whatever an agent does: nothing of the person's changes, and after set aside the tree is base again."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workspace.scene import Scene, agent, persons, put


def _commits_everything(root: Path) -> None:
    put(root, {"new.py": "n"})
    agent(root, "add", "-A")
    agent(root, "commit", "-qm", "all of it")


def _forces_everything_in(root: Path) -> None:
    put(root, {"out.log": "forced", "node_modules/x/index.js": "x"})
    agent(root, "add", "-Af", ".")
    agent(root, "commit", "-qm", "all of it")


def _switches_branch(root: Path) -> None:
    agent(root, "switch", "-qc", "mine")
    put(root, {"a.py": "on another branch"})
    agent(root, "commit", "-qam", "there")


def _detaches(root: Path) -> None:
    agent(root, "checkout", "-q", "--detach")
    put(root, {"a.py": "detached"})
    agent(root, "commit", "-qam", "nowhere")


def _starts_an_orphan(root: Path) -> None:
    agent(root, "checkout", "-q", "--orphan", "void")


def _deletes_the_branch(root: Path) -> None:
    agent(root, "checkout", "-q", "--detach")
    agent(root, "branch", "-D", "main")


def _resets_hard(root: Path) -> None:
    put(root, {"a.py": "x"})
    agent(root, "commit", "-qam", "x")
    agent(root, "reset", "-q", "--hard", "HEAD~1")


def _cleans(root: Path) -> None:
    agent(root, "clean", "-fdxq")


def _stashes(root: Path) -> None:
    put(root, {"a.py": "x", "new.py": "y"})
    agent(root, "stash", "-uq")


def _hides_by_bits(root: Path) -> None:
    agent(root, "update-index", "--skip-worktree", "a.py")
    agent(root, "update-index", "--assume-unchanged", "pkg/b.py")
    put(root, {"a.py": "hidden", "pkg/b.py": "hidden"})


def _stages(root: Path) -> None:
    put(root, {"new.py": "n", "later.py": "n"})
    agent(root, "add", "new.py", "mine.txt")
    agent(root, "add", "-N", "later.py")
    agent(root, "rm", "-q", "--cached", "pkg/c.py")


def _removes_index(root: Path) -> None:
    (root / ".git/index").unlink()


def _file_to_folder(root: Path) -> None:
    (root / "a.py").unlink()
    put(root, {"a.py/inside": "x", "a.py/run.log": "x"})


def _folder_to_file(root: Path) -> None:
    shutil.rmtree(root / "pkg")
    put(root, {"pkg": "now a file"})


def _folder_to_link(root: Path) -> None:
    shutil.rmtree(root / "pkg")
    (root / "pkg").symlink_to(root.parent / "outside")


def _persons_folder_to_link(root: Path) -> None:
    shutil.rmtree(root / "notes")
    shutil.rmtree(root / "secret")
    (root / "notes").symlink_to(root.parent / "outside")
    (root / "secret").symlink_to(root.parent / "outside")


def _links_to_the_moved(root: Path) -> None:
    (root / "notes").rename(root.parent / "moved")
    (root / "notes").symlink_to(root.parent / "moved")


def _file_to_fifo(root: Path) -> None:
    for path in ("a.py", "mine.txt"):
        (root / path).unlink()
        os.mkfifo(root / path)


def _persons_file_to_folder(root: Path) -> None:
    (root / "mine.txt").unlink()
    put(root, {"mine.txt/x": "x"})


def _persons_file_to_link(root: Path) -> None:
    (root / "mine.txt").unlink()
    (root / "mine.txt").symlink_to(root.parent / "outside/todo.md")


def _edits_the_persons(root: Path) -> None:
    put(
        root,
        {"mine.txt": "MINE\n", "run.log": "LOG\n", "secret/key": "K\n", ".env": "A=2\n", "notes/todo.md": "TODO\n"},
    )


def _changes_modes(root: Path) -> None:
    (root / "mine.txt").chmod(0o777)
    (root / "run.log").chmod(0o600)
    (root / "a.py").chmod(0o755)


def _embeds_repositories(root: Path) -> None:
    for name in ("empty", "full"):
        put(root, {f"{name}/f": "x"})
        agent(root / name, "init", "-q")
    agent(root / "full", "add", "-A")
    agent(root / "full", "commit", "-qm", "inner")
    agent(root, "add", "full")


def _leaves_keys(root: Path) -> None:
    put(root, {"sub/.env": "S=1", "id_rsa": "key", "big.bin": "x" * (6 << 20), "sub/ok.py": "ok"})


def _ignores_its_own(root: Path) -> None:
    put(root, {".gitignore": "*.log\n*.gen\n", "made.gen": "x"})


def _strange_names(root: Path) -> None:
    for name in (b"line\nbreak", b"not-utf8-\xff", b'quo"te\\', b" blank ", b":(top)x", b"-dash"):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")


def _merge_left_open(root: Path) -> None:
    agent(root, "switch", "-qc", "other")
    put(root, {"a.py": "other"})
    agent(root, "commit", "-qam", "other")
    agent(root, "switch", "-q", "main")
    put(root, {"a.py": "main"})
    agent(root, "commit", "-qam", "main")
    agent(root, "merge", "-q", "other", check=False)


def _locks_left(root: Path) -> None:
    for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
        (root / ".git" / lock).write_text("")


def _breaks_config(root: Path) -> None:
    (root / ".git/config").write_text("[core\n")


def _takes_hooks(root: Path) -> None:
    put(root, {"hooks/post-index-change": f"#!/bin/sh\ntouch {root}/hooked\n"})
    (root / "hooks/post-index-change").chmod(0o755)
    agent(root, "config", "core.hooksPath", "hooks")
    put(root, {".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n", ".git/info/exclude": "*.py\n"})


def _replaces_objects(root: Path) -> None:
    put(root, {"evil": "evil"})
    evil = agent(root, "hash-object", "-w", "evil")
    agent(root, "replace", agent(root, "rev-parse", "HEAD:a.py"), evil)
    agent(root, "pack-refs", "--all")
    (root / "a.py").unlink()


def _deletes_everything(root: Path) -> None:
    for entry in root.iterdir():
        if entry.name not in (".git", "prd.json", "progress.txt"):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _writes_config_of_ours(root: Path) -> None:
    put(root, {"prd-ralph.toml": "agent = 'evil'"})


ACTS = [
    value
    for name, value in list(globals().items())
    if name.startswith("_") and callable(value) and getattr(value, "__module__", "") == __name__
]


@pytest.fixture
def outside(scene: Scene) -> Path:
    folder = scene.root.parent / "outside"
    put(folder, {"todo.md": "outside\n", "key": "outside\n", "b.py": "outside\n"})
    return folder


def _index(scene: Scene) -> str:
    return scene.git("ls-files", "-s", "-v")


def _changed(scene: Scene) -> set[str]:
    answer = subprocess.run(
        ["git", "diff", "--name-only", "--no-renames", "-z", "HEAD~1", "HEAD"], cwd=scene.root, capture_output=True
    )
    return {os.fsdecode(path) for path in answer.stdout.split(b"\0") if path}


def _name(value: object) -> str:
    return getattr(value, "__name__", "land" if value else "set_aside").strip("_")


_LANDED = (_commits_everything, _forces_everything_in, _folder_to_link, _file_to_folder, _takes_hooks, _strange_names)
CASES = [(act, False) for act in ACTS] + [(act, True) for act in _LANDED]


@pytest.mark.parametrize(
    ("act", "landing"),
    CASES,
    ids=_name,
)
def test_nothing_of_the_persons_changes(
    scene: Scene, outside: Path, act: Callable[[Path], None], landing: bool
) -> None:
    root, workspace = scene.root, scene.workspace
    before, index, config = persons(root), _index(scene), (root / ".git/config").read_bytes()
    loose = {path.name: path.read_text() for path in outside.iterdir()}
    candidate = scene.attempt(act)
    assert persons(root) == before
    workspace.restore(candidate)
    if landing:
        scene.landed(candidate)
        assert _changed(scene) - {"prd.json"} == set(candidate.paths)
        assert not _changed(scene) & before.keys()
        left = {path.split(": ")[0] for path in candidate.left_out}
        assert {line[3:] for line in scene.status()} <= before.keys() | left
    else:
        scene.attempt(lambda root: put(root, {"second.py": "more"}))
        workspace.set_aside(scene.key(number=2))
        assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
        assert _index(scene) == index
        assert scene.git("rev-parse", "HEAD") == scene.base
        assert (root / "a.py").read_text() == "one\n"
    assert persons(root) == before
    assert scene.git("branch", "--show-current") == "main"
    assert (root / ".git/config").read_bytes() == config
    assert {path.name: path.read_text() for path in outside.iterdir()} == loose
    assert workspace.current() is None
    assert not (root / "hooked").exists()
    assert not (root / "prd-ralph.toml").exists()
