"""What an agent planted in a person's home, or above the work tree, is put back; what lay there is kept."""

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo, git
from tests.support.unprivileged import unprivileged
from tests.workspace.scene import FILES, Scene, put, scene_on

OURS = {".npmrc": "theirs\n", ".config/git/ignore": "*.swp\n"}


@pytest.fixture
def home(_isolated: None) -> Path:
    folder = Path(os.environ["HOME"])
    put(folder, OURS)
    return folder


def looks(folder: Path) -> dict[str, object]:
    """Everything below, by its path: a link's target, a file's mode and bytes, or the kind of what it is else."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        is_file = path.is_file() and not path.is_symlink()
        found[str(path.relative_to(folder))] = (
            str(path.readlink()) if path.is_symlink() else (mode, path.read_bytes() if is_file else b"")
        )
    return found


def kept(scene: Scene) -> list[Path]:
    """What was moved to the attic."""
    return [path for path in (scene.root / ".git/prd-ralph/runs/r1/moved").rglob("*") if not path.is_dir()]


def _adds(home: Path) -> None:
    put(home, {".bashrc": "exit 0\n"})


def _edits(home: Path) -> None:
    put(home, {".gitconfig": "[core]\n\thooksPath = /evil\n"})


def _removes(home: Path) -> None:
    (home / ".npmrc").unlink()


def _permits(home: Path) -> None:
    (home / ".npmrc").chmod(0o755)


def _links(home: Path) -> None:
    put(home.parent, {f"{home.name}-evil": "evil\n"})
    (home / ".npmrc").unlink()
    (home / ".npmrc").symlink_to(f"{home}-evil")


def _makes_fifo(home: Path) -> None:
    os.mkfifo(home / ".profile")


def _makes_folder(home: Path) -> None:
    put(home, {".profile/inner": "x\n"})


def _drops_in(home: Path) -> None:
    put(home, {".config/git/attributes": "* filter=evil\n"})


def _customizes(home: Path) -> None:
    put(home, {".local/lib/python3.11/site-packages/usercustomize.py": "import os; os._exit(0)\n"})


def _adds_pth(home: Path) -> None:
    put(home, {".local/lib/python3.11/site-packages/evil.pth": "import os; os._exit(0)\n"})


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (_adds, "~/.bashrc"),
        (_edits, "~/.gitconfig"),
        (_removes, "~/.npmrc"),
        (_permits, "~/.npmrc"),
        (_links, "~/.npmrc"),
        (_makes_fifo, "~/.profile"),
        (_makes_folder, "~/.profile"),
        (_drops_in, "~/.config/git/attributes"),
        (_customizes, "~/.local/lib/python3.11/site-packages/usercustomize.py"),
        (_adds_pth, "~/.local/lib/python3.11/site-packages/evil.pth"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_start_up_files(home: Path, make_repo: Repo, act: Callable[[Path], None], named: str) -> None:
    scene = scene_on(make_repo(FILES))
    before = looks(home)
    candidate = scene.attempt(lambda root: act(home))
    assert [name.partition(" ")[0] for name in scene.tampered] == [named]
    after = looks(home)
    assert {path: after[path] for path in before} == before
    assert not any((home / path).is_file() for path in after.keys() - before.keys())
    assert scene.workspace.suspects(candidate) == ()


def test_the_other_version_is_kept_and_its_place_is_told(home: Path, make_repo: Repo) -> None:
    scene = scene_on(make_repo(FILES))
    scene.attempt(lambda root: put(home, {".npmrc": "a person's own edit meanwhile\n"}))
    (place,) = kept(scene)
    assert scene.tampered == (f"~/.npmrc (what lay there is kept: {place})",)
    assert place.read_text() == "a person's own edit meanwhile\n"


def test_what_is_as_it_was_is_not_named(home: Path, make_repo: Repo) -> None:
    os.mkfifo(home / ".irbrc")
    (home / ".gemrc").mkdir()
    scene = scene_on(make_repo(FILES))

    def act(root: Path) -> None:
        text = (home / ".npmrc").read_text()
        (home / ".npmrc").unlink()
        put(home, {".npmrc": text, "notes.txt": "no start-up file\n", ".cache/x": "y"})

    before = looks(home)
    scene.attempt(act)
    assert scene.tampered == ()
    assert looks(home).keys() - before.keys() == {"notes.txt", ".cache", ".cache/x"}
    assert not kept(scene)


def test_a_file_that_a_dotfile_manager_links_is_put_back_where_it_lies(home: Path, make_repo: Repo) -> None:
    put(home, {"dotfiles/bashrc": "theirs\n", "dotfiles/config/git/config": "[core]\n"})
    (home / ".bashrc").symlink_to("dotfiles/bashrc")
    (home / ".config/git/ignore").unlink()
    (home / ".config/git").rmdir()
    (home / ".config").rmdir()
    (home / ".config").symlink_to("dotfiles/config")
    scene = scene_on(make_repo(FILES))
    before = looks(home)

    def edits(root: Path) -> None:
        put(home, {".bashrc": "evil\n", ".config/git/config": "evil\n", ".config/git/attributes": "evil\n"})

    def relinks(root: Path) -> None:
        (home / ".bashrc").unlink()
        put(home, {".bashrc": "evil\n"})
        (home / ".config").unlink()
        put(home, {".config/git/config": "evil\n"})

    for act in (edits, relinks):
        scene.attempt(act)
        assert looks(home) == before
    assert [name.partition(" ")[0] for name in scene.tampered] == ["~/.bashrc", "~/.config"]


def test_nothing_is_written_or_moved_through_a_link_out_of_place(home: Path, make_repo: Repo, tmp_path: Path) -> None:
    victims = {"bashrc": "victim\n", "config/git/config": "victim\n", "ignore/git/ignore": "victim\n"}
    put(tmp_path / "victims", victims)
    scene = scene_on(make_repo(FILES))
    before = looks(tmp_path / "victims")
    ours = looks(home)

    def act(root: Path) -> None:
        (home / ".bashrc").symlink_to(tmp_path / "victims/bashrc")
        (home / ".local").symlink_to(tmp_path / "victims")
        (home / ".cargo").symlink_to(tmp_path / "victims/config/git")
        (home / ".config").rename(home / "away")
        (home / ".config").symlink_to(tmp_path / "victims/ignore")

    scene.attempt(act)
    assert looks(tmp_path / "victims") == before
    assert {path: found for path, found in looks(home).items() if path in ours} == ours
    assert not (home / ".bashrc").is_symlink()
    assert not (home / ".cargo").is_symlink()
    assert not (home / ".config").is_symlink()
    assert (home / "away/git/ignore").read_text() == OURS[".config/git/ignore"]


def test_a_start_up_file_in_a_folder_that_was_a_link_to_nothing_known(
    home: Path, make_repo: Repo, tmp_path: Path
) -> None:
    site = ".local/lib/python3.11/site-packages"
    put(tmp_path / "theirs", {"lib/python3.11/site-packages/other.pth": "victim\n"})
    scene = scene_on(make_repo(FILES))
    scene.attempt(lambda root: (home / ".local").symlink_to(tmp_path / "theirs"))
    assert not (home / ".local").exists()
    assert (tmp_path / "theirs" / site.removeprefix(".local/") / "other.pth").read_text() == "victim\n"


def test_what_variables_name(home: Path, make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"env.sh": "X=1\n", "lib/helper.py": "", "rc/.zshenv": "x\n", "cargo/config.toml": "y\n"})
    for name, value in {
        "BASH_ENV": "env.sh",
        "PYTHONPATH": "lib",
        "ZDOTDIR": "rc",
        "CARGO_HOME": "cargo",
        "LD_PRELOAD": "evil.so",
    }.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "relative")
    scene = scene_on(make_repo(FILES))

    def act(root: Path) -> None:
        put(tmp_path, {"env.sh": "exit 0\n", "rc/.zshenv": "z\n", "cargo/config.toml": "z\n", "evil.so": "z"})
        put(tmp_path, {"lib/pytest/__init__.py": "", "lib/sitecustomize.py": "", "lib/helper.py": "evil\n"})

    scene.attempt(act)
    named = {Path(name.partition(" ")[0]).relative_to(tmp_path).as_posix() for name in scene.tampered}
    new = {"lib/pytest", "lib/sitecustomize.py", "evil.so"}
    assert named == new | {"env.sh", "rc/.zshenv", "cargo/config.toml", "lib/helper.py"}
    assert not any((tmp_path / path).exists() for path in new)
    assert (tmp_path / "env.sh").read_text() == "X=1\n"


def test_what_runners_read_above_the_work_tree(make_repo: Repo, tmp_path: Path) -> None:
    scene = scene_on(make_repo(FILES))
    scene.attempt(lambda root: put(tmp_path, {"pytest.ini": "[pytest]\n", "node_modules/jest/index.js": ""}))
    named = [name.partition(" ")[0] for name in scene.tampered]
    assert named == [str(tmp_path / "node_modules"), str(tmp_path / "pytest.ini")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]


def test_what_lies_above_where_everybody_may_write_is_suspect(make_repo: Repo, tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(tmp_path, {"pytest.ini": "[pytest]\n"}))
    assert scene.tampered == ()
    told = f"{tmp_path}/pytest.ini: new, runners look for it above the project"
    assert scene.workspace.suspects(candidate) == (told,)


def test_what_was_not_noted_is_never_moved(make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was too full, or open to everybody, and is no more."""
    full = {f"full/m{number}.py": "" for number in range(510)}
    put(tmp_path, full | {"package.json": "theirs\n"})
    tmp_path.chmod(0o777)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "full"))
    scene = scene_on(make_repo(FILES))

    def act(root: Path) -> None:
        tmp_path.chmod(0o755)
        for number in range(100):
            (tmp_path / f"full/m{number}.py").unlink()
        put(tmp_path, {"full/sitecustomize.py": "exit 0\n"})

    scene.attempt(act)
    assert [name.partition(" ")[0] for name in scene.tampered] == [f"{tmp_path}/full/sitecustomize.py"]
    assert (tmp_path / "package.json").exists()
    assert len(list((tmp_path / "full").iterdir())) == 410


def test_beyond_a_bound_bytes_are_not_kept(make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcdef":
        put(tmp_path, {f"lib/{name}.so": name * (4 << 20)})
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "lib"))
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(tmp_path, {f"lib/{name}.so": "evil\n" for name in "abcdef"}))
    assert len(scene.tampered) == 3  # the home's .gitconfig takes a little of the room for four
    assert len(scene.workspace.suspects(candidate)) == 3


def test_a_file_too_large_to_keep_is_suspect(home: Path, make_repo: Repo) -> None:
    (home / ".bashrc").write_bytes(b"#" * ((5 << 20) + 1))
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(home, {".bashrc": "exit 0\n"}))
    assert scene.tampered == ()
    assert scene.workspace.suspects(candidate) == ("~/.bashrc: changed, and could not be put back",)
    candidate = scene.attempt(lambda root: (home / ".bashrc").unlink())
    assert scene.workspace.suspects(candidate) == ("~/.bashrc: removed",)


def test_it_is_what_lay_there_when_the_first_agent_started(home: Path, make_repo: Repo) -> None:
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt()
    put(home, {".bashrc": "a check of the agent's wrote it\n"})
    assert [name.partition(" ")[0] for name in scene.workspace.restore(candidate)] == ["~/.bashrc"]
    assert not (home / ".bashrc").exists()
    scene.attempt()
    assert scene.tampered == ()


def test_a_start_after_a_kill_puts_back_what_the_killed_agent_planted(home: Path, make_repo: Repo) -> None:
    root = make_repo(FILES)
    killed = scene_on(root)
    killed.workspace.begin(killed.key())
    put(home, {".bashrc": "exit 0\n", ".npmrc": "evil\n"})
    put(root, {"a.py": "work\n"})
    scene = scene_on(root, run="r2")
    current = scene.workspace.current()
    assert current is not None
    scene.workspace.resume(current)
    scene.after(current.key)
    assert [name.partition(" ")[0] for name in scene.tampered] == ["~/.bashrc", "~/.npmrc"]
    assert (home / ".npmrc").read_text() == OURS[".npmrc"]
    scene.attempt(lambda root: put(home, {".npmrc": "evil again\n"}))
    assert (home / ".npmrc").read_text() == OURS[".npmrc"]


@pytest.mark.parametrize("where", ["", "relative", "/nowhere/at/all", "/"])
def test_a_home_that_is_none(where: str, make_repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_repo(FILES)
    git(root, "config", "user.name", "Person")
    git(root, "config", "user.email", "person@example.invalid")
    monkeypatch.setenv("HOME", where)
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x\n"}))
    assert (scene.tampered, candidate.paths) == ((), ("a.py",))


def test_a_home_that_is_the_work_trees_parent(make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {".gitconfig": (Path(os.environ["HOME"]) / ".gitconfig").read_text()})
    monkeypatch.setenv("HOME", str(tmp_path))
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(root, {"../.bashrc": "exit 0\n", "a.py": "x\n"}))
    assert [name.partition(" ")[0] for name in scene.tampered] == ["~/.bashrc"]
    assert candidate.paths == ("a.py",)
    assert not (tmp_path / ".bashrc").exists()


def test_a_home_that_is_the_work_tree(make_repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git tracks there is the agent's to change; what it ignores is named."""
    root = make_repo({**FILES, ".bashrc": "theirs\n", ".gitignore": ".profile\n"})
    git(root, "config", "user.name", "Person")
    git(root, "config", "user.email", "person@example.invalid")
    monkeypatch.setenv("HOME", str(root))
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {".bashrc": "mine\n", ".profile": "exit 0\n"}))
    assert (scene.tampered, candidate.paths) == ((), (".bashrc",))
    assert scene.workspace.suspects(candidate) == (".profile: new, what the commands start reads it",)


def test_a_home_that_may_not_be_read_or_written(home: Path, make_repo: Repo) -> None:
    root = make_repo(FILES)
    with unprivileged(root.parent, home):
        scene = scene_on(root)
        key = scene.key()
        scene.workspace.begin(key)
        put(home, {".npmrc": "evil\n"})
        home.chmod(0o500)
        candidate = scene.after(key)
        (suspect,) = scene.workspace.suspects(candidate)
        assert suspect == "~/.npmrc: changed, and could not be put back: Permission denied"
        home.chmod(0o000)
        candidate = scene.attempt()
        assert scene.tampered == ()
        home.chmod(0o700)


def test_another_work_tree_of_the_repository_is_a_persons(make_repo: Repo) -> None:
    main = make_repo({**FILES, "package.json": "{}\n", ".gitignore": "inner/\n"})
    git(main, "worktree", "add", "-q", "-b", "w", "inner/w")
    scene = scene_on(main / "inner/w")
    candidate = scene.attempt(lambda root: put(main, {"package.json": "mine\n"}))
    assert (scene.tampered, (main / "package.json").read_text()) == ((), "mine\n")
    told = f"{main}/package.json: changed, runners look for it above the project"
    assert scene.workspace.suspects(candidate) == (told,)


def test_on_a_full_disk_what_lies_there_stays(home: Path, make_repo: Repo) -> None:
    root = make_repo(FILES)
    put(home, {".npmrc": "x" * 100_000})
    scene = scene_on(root)
    key = scene.key()
    scene.workspace.begin(key)
    put(home, {".npmrc": "evil\n"})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, limits[1]))
    try:
        candidate = scene.after(key)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert scene.workspace.suspects(candidate) == ("~/.npmrc: changed, and could not be put back: File too large",)
    assert (home / ".npmrc").read_text() == "evil\n"
    assert [path.name for path in home.glob(".prd-ralph-*")] == []
