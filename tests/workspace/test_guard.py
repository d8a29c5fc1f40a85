"""What an agent may not change is put back, and named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo, git
from tests.support.unprivileged import unprivileged
from tests.workspace.scene import FILES, PERSONS, Scene, agent, persons, put, scene_on


def _tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _adds_hook(root: Path) -> None:
    put(root, {".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n"})


def _changes_hook(root: Path) -> None:
    put(root, {".git/hooks/commit-msg": "#!/bin/sh\nexit 0\n"})


def _disables_hook(root: Path) -> None:
    (root / ".git/hooks/commit-msg").chmod(0o644)


def _links_hooks(root: Path) -> None:
    (root / ".git/hooks").rename(root.parent / "elsewhere")
    (root / ".git/hooks").symlink_to(root.parent / "elsewhere")


def _excludes(root: Path) -> None:
    put(root, {".git/info/exclude": "*\n", ".git/info/attributes": "* binary\n"})


def _grafts(root: Path) -> None:
    put(root, {".git/objects/info/alternates": f"{root.parent}/objects\n"})


def _config(root: Path) -> None:
    agent(root, "config", "core.fsmonitor", "/bin/false")


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (_adds_hook, ".git/hooks/pre-commit"),
        (_changes_hook, ".git/hooks/commit-msg"),
        (_disables_hook, ".git/hooks/commit-msg"),
        (_links_hooks, ".git/hooks"),
        (_excludes, ".git/info/exclude"),
        (_grafts, ".git/objects/info/alternates"),
        (_config, ".git/config"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_gits_own_files(scene: Scene, act: Callable[[Path], None], named: str) -> None:
    put(scene.root, {".git/hooks/commit-msg": "#!/bin/sh\nexit 1\n"})
    (scene.root / ".git/hooks/commit-msg").chmod(0o755)
    for sample in (scene.root / ".git/hooks").glob("*.sample"):  # they do nothing, and are not looked after
        sample.unlink()
    before = {name: _tree(scene.root / ".git" / name) for name in ("hooks", "info", "objects/info")}
    config = (scene.root / ".git/config").read_bytes()
    scene.attempt(act)
    assert named in scene.tampered
    assert {name: _tree(scene.root / ".git" / name) for name in ("hooks", "info", "objects/info")} == before
    assert (scene.root / ".git/config").read_bytes() == config
    assert not (scene.root / ".git/hooks").is_symlink()


@pytest.mark.parametrize(
    ("setting", "files"),
    [
        (".githooks", {".githooks/pre-commit": "#!/bin/sh\nexit 1\n"}),
        (
            ".husky/_",
            {".husky/_/h": "sh .husky/pre-commit\n", ".husky/pre-commit": "exit 1\n", ".husky/_/.gitignore": "*"},
        ),
    ],
)
@pytest.mark.parametrize("globally", [False, True])
def test_hooks_that_a_person_keeps_in_the_work_tree(
    make_repo: Repo, setting: str, files: dict[str, str], globally: bool
) -> None:
    root = make_repo(FILES | files)
    git(root, "config", *(["--global"] if globally else []), "core.hooksPath", setting)
    scene = scene_on(root)
    folder = setting.partition("/")[0]
    before = _tree(root / folder)

    def act(root: Path) -> None:
        put(root, {f"{setting}/commit-msg": "#!/bin/sh\nexit 0\n", f"{folder}/pre-commit": "exit 0\n"})
        (root / next(iter(files))).unlink()

    candidate = scene.attempt(act)
    assert _tree(root / folder) == before
    assert set(scene.tampered) == {f"{setting}/commit-msg", f"{folder}/pre-commit", next(iter(files))}
    assert candidate.paths == ()


@pytest.mark.parametrize("setting", [".", "../hooks", "/dev/null", ".git/hooks"])
def test_hooks_elsewhere_guard_nothing_of_the_work_tree(make_repo: Repo, setting: str) -> None:
    root = make_repo(FILES)
    git(root, "config", "core.hooksPath", setting)
    scene = scene_on(root)
    assert scene.attempt(lambda root: put(root, {"a.py": "x", "pre-commit": "y"})).paths == ("a.py", "pre-commit")
    assert scene.tampered == ()


def test_an_honest_attempt_is_named_for_nothing(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    assert scene.tampered == ()


@pytest.mark.parametrize("packed", [False, True])
def test_replace_refs(scene: Scene, packed: bool) -> None:
    root = scene.root
    theirs = git(root, "rev-parse", "HEAD:pkg/b.py")
    git(root, "replace", theirs, git(root, "rev-parse", "HEAD:pkg/c.py"))
    blob = git(root, "rev-parse", "HEAD:a.py")

    def act(root: Path) -> None:
        agent(root, "replace", blob, theirs)
        agent(root, "replace", "-d", theirs)
        if packed:
            agent(root, "pack-refs", "--all")

    scene.attempt(act)
    assert set(scene.tampered) == {f"refs/replace/{blob}", f"refs/replace/{theirs}"}
    assert git(root, "replace") == theirs


def test_config_of_ours_is_put_back_or_away(make_repo: Repo) -> None:
    scene = scene_on(make_repo(FILES | {"prd-ralph.toml": "agent = 'x'\n"}))
    candidate = scene.attempt(lambda root: put(root, {"prd-ralph.toml": "agent = 'evil'\n"}))
    assert (scene.tampered, candidate.paths) == (("prd-ralph.toml",), ())
    scene = scene_on(make_repo(FILES, name="without"))
    candidate = scene.attempt(lambda root: put(root, {"prd-ralph.toml": "agent = 'evil'\n"}))
    assert (scene.tampered, candidate.paths) == (("prd-ralph.toml",), ())
    assert not (scene.root / "prd-ralph.toml").exists()


def test_the_persons_files_are_put_back_and_what_lay_there_is_kept(scene: Scene) -> None:
    before = persons(scene.root)

    def act(root: Path) -> None:
        put(root, {"mine.txt": "eval\n", "run.log": "LOG"})
        (root / "notes/todo.md").unlink()
        (root / ".env").chmod(0o600)

    scene.attempt(act)
    assert scene.tampered == ("mine.txt", "notes/todo.md")
    assert scene.notes == ("put back as it was, though git ignores it: .env, run.log",)
    assert persons(scene.root) == before
    kept = (scene.root / ".git/prd-ralph/runs/r1/moved").rglob("mine.txt")
    assert [path.read_text() for path in kept] == ["eval\n"]


def test_a_link_of_the_persons_is_put_back_as_a_link(scene: Scene) -> None:
    (scene.root / "ln").symlink_to("nowhere")

    def act(root: Path) -> None:
        (root / "ln").unlink()
        put(root, {"ln": "file"})

    scene.attempt(act)
    assert (scene.root / "ln").readlink() == Path("nowhere")


def test_a_file_too_large_to_keep_is_named_alone(scene: Scene) -> None:
    (scene.root / "big.bin").write_bytes(b"x" * ((5 << 20) + 1))
    scene.attempt(lambda root: put(root, {"big.bin": "short"}))
    assert scene.tampered == ("big.bin (too large to be put back)",)
    assert scene.notes == ("1 untracked or ignored files are too large or too many to be guarded",)
    scene.attempt()
    assert not scene.notes


def test_folders_that_tools_fill_and_what_attempts_made_are_not_guarded(scene: Scene) -> None:
    put(scene.root, {"node_modules/p/i.js": "x", "secret/node_modules/i.js": "x"})
    scene.attempt(lambda root: put(root, {"node_modules/p/i.js": "y", "own.log": "1", "secret/own": "1"}))
    assert scene.tampered == ()
    put(scene.root, {"run.log": "the person's edit between attempts\n"})
    scene.attempt(lambda root: put(root, {"own.log": "2", "secret/own": "2", "run.log": "agent"}))
    assert scene.notes == ("put back as it was, though git ignores it: run.log",)
    assert (scene.root / "run.log").read_text() == "the person's edit between attempts\n"
    assert (scene.root / "own.log").read_text() == "2"


def test_files_in_an_embedded_repository_of_the_persons_are_put_back(scene: Scene) -> None:
    put(scene.root, {"inner/f": "theirs"})
    git(scene.root / "inner", "init", "-q")
    scene.attempt(lambda root: put(root, {"inner/f": "agent", "inner/g": "new"}))
    assert scene.tampered == ("inner/f",)
    assert (scene.root / "inner/f").read_text() == "theirs"


def test_ignored_files_beyond_the_bounds_are_counted(scene: Scene) -> None:
    put(scene.root, {f"secret/{number}": "" for number in range(2_010)})
    scene.attempt(lambda root: put(root, {"secret/1": "changed"}))
    assert scene.notes == (
        "13 untracked or ignored files are too large or too many to be guarded",
        "put back as it was, though git ignores it: secret/1",
    )


def test_what_other_work_trees_share_is_named_and_left(make_repo: Repo, tmp_path: Path) -> None:
    main = make_repo(FILES)
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    root = tmp_path / "side"
    git(main, "config", "extensions.worktreeConfig", "true")
    git(root, "config", "--worktree", "color.ui", "never")
    put(root, PERSONS)
    scene = scene_on(root)
    before = persons(root)

    def act(root: Path) -> None:
        agent(root, "config", "core.hooksPath", "evil")
        agent(root, "config", "--worktree", "core.sparseCheckout", "true")
        agent(root, "replace", agent(root, "rev-parse", "HEAD:a.py"), agent(root, "rev-parse", "HEAD:pkg/b.py"))
        put(root, {"mine.txt": "x", "a.py": "two\n", "evil/pre-commit": "#!/bin/sh\nexit 1\n"})
        (root / "evil/pre-commit").chmod(0o755)

    candidate = scene.attempt(act)
    shared = " (shared with other work trees, left as it is)"
    assert [name for name in scene.tampered if "replace" not in name] == [
        ".git/config" + shared,
        ".git/config.worktree",
        "mine.txt",
    ]
    assert persons(root) == before
    assert git(root, "config", "core.hooksPath") == "evil"
    assert git(root, "config", "--worktree", "--list") == "color.ui=never"
    scene.landed(candidate)
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert git(main, "status", "--porcelain") == ""


def test_what_cannot_be_read_is_passed_over(scene: Scene) -> None:
    root = scene.root
    put(root, {"locked.txt": "x", "secret/locked": "x", "secret/folder/f": "x"})
    locked = ("locked.txt", "secret/locked", "secret/folder")

    def act(root: Path) -> None:
        put(root, {"new.py": "n", "a.py": "x"})
        (root / "new.py").chmod(0)
        (root / "a.py").chmod(0)

    with unprivileged(root, Path.home()):
        for path in locked:
            (root / path).chmod(0)
        candidate = scene.attempt(act)
        for path in locked:
            (root / path).chmod(0o755)
    assert candidate.paths == ()
    assert candidate.left_out == ("a.py: cannot be read", "new.py: cannot be read")
