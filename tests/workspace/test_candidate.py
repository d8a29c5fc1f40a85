"""What of the work tree becomes the candidate, and what is left out and named."""

import os
from pathlib import Path

import pytest

from tests.conftest import Repo, git
from tests.workspace.scene import FILES, Scene, agent, put, scene_on


def test_new_changed_moved_and_deleted_files_are_taken(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "changed\n", "new/deep.py": "n\n"})
        (root / "pkg/b.py").rename(root / "pkg/moved.py")
        (root / "pkg/c.py").chmod(0o755)
        (root / "link").symlink_to("a.py")

    candidate = scene.attempt(act)
    assert candidate.paths == ("a.py", "link", "new/deep.py", "pkg/b.py", "pkg/c.py", "pkg/moved.py")
    assert candidate.left_out == ()
    lines = git(scene.root, "ls-tree", "-r", candidate.tree).splitlines()
    listed = {line.split("\t")[1]: line.split("\t")[0] for line in lines}
    assert listed["pkg/c.py"].startswith("100755 blob")
    assert listed["link"].startswith("120000 blob")
    assert "pkg/b.py" not in listed
    assert git(scene.root, "show", f"{candidate.tree}:a.py") == "changed"


def test_nothing_changed_is_the_tree_of_base(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: os.utime(root / "a.py"))
    assert candidate.paths == ()
    assert candidate.tree == scene.git("rev-parse", "HEAD^{tree}")


def test_an_edit_of_the_same_size_within_one_clock_tick_is_seen(make_repo: Repo) -> None:
    for number in range(5):
        scene = scene_on(make_repo(FILES, name=f"r{number}"))
        assert scene.attempt(lambda root: put(root, {"a.py": "eno\n"})).paths == ("a.py",)


def test_prd_progress_and_our_own_folder_are_no_part_of_it(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"prd.json": "{}", "progress.txt": "learned", ".prd-ralph/templates/prompt.md.j2": "x"})

    assert scene.attempt(act).paths == ()


def test_what_is_never_staged_when_new_is_named(make_repo: Repo) -> None:
    root = make_repo({".env.test": "t", "config/.env": "tracked", "prd.json": "{}"})
    scene = scene_on(root, never_stage=("*.sqlite", "private/*"))

    def act(root: Path) -> None:
        put(root, {".env": "s", ".env.local": "s", ".env.example": "ok", "config/.env": "changed", "k/server.pem": "k"})
        put(root, {"k/id_ed25519": "k", "node_modules/p/i.js": "x", "a.sqlite": "x", "private/x": "x", ".ENV": "s"})
        (root / "big").write_bytes(b"x" * ((5 << 20) + 1))

    candidate = scene.attempt(act)
    assert candidate.paths == (".env.example", "config/.env")
    assert dict(line.split(": ") for line in candidate.left_out) == {
        ".ENV": "may hold secrets",
        ".env": "may hold secrets",
        ".env.local": "may hold secrets",
        "k/server.pem": "looks like a key",
        "k/id_ed25519": "looks like a key",
        "node_modules/p/i.js": "installed packages",
        "a.sqlite": "never_stage",
        "private/x": "never_stage",
        "big": "over 5 MiB",
    }
    moved = scene.workspace.set_aside(scene.key(number=1))
    assert set(moved) == {line.split(": ")[0] for line in candidate.left_out}
    assert scene.status() == []


def test_embedded_repositories_are_named_and_the_rest_is_taken(scene: Scene) -> None:
    def act(root: Path) -> None:
        for name in ("empty", "full"):
            put(root, {f"{name}/f": "x", "ok.py": "ok"})
            agent(root / name, "init", "-q")
        agent(root / "full", "add", "-A")
        agent(root / "full", "commit", "-qm", "inner")

    candidate = scene.attempt(act)
    assert candidate.paths == ("ok.py",)
    assert candidate.left_out == ("empty/: an embedded repository", "full/: an embedded repository")


def test_a_changed_submodule_is_named_and_not_taken(make_repo: Repo) -> None:
    inner, root = make_repo({"f": "x"}, name="inner"), make_repo({"prd.json": "{}"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), "sub")
    git(root, "commit", "-qm", "sub")
    candidate = scene_on(root).attempt(lambda root: agent(root / "sub", "commit", "--allow-empty", "-qm", "inner"))
    assert (candidate.paths, candidate.left_out) == ((), ("sub: a submodule",))


def test_bits_that_hide_a_change_do_not_hide_it(scene: Scene) -> None:
    def act(root: Path) -> None:
        agent(root, "update-index", "--skip-worktree", "a.py")
        agent(root, "update-index", "--assume-unchanged", "pkg/b.py")
        put(root, {"a.py": "hidden", "pkg/b.py": "hidden", "later.py": "n"})
        agent(root, "add", "-N", "later.py")

    assert scene.attempt(act).paths == ("a.py", "later.py", "pkg/b.py")


def test_an_ignored_file_that_the_agent_forced_in_is_taken(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"out.log": "committed", "more.log": "staged", "node_modules/p/i.js": "x", "secret/agents": "x"})
        agent(root, "add", "-f", "out.log")
        agent(root, "commit", "-qm", "forced")
        agent(root, "rm", "-q", "--cached", "out.log")
        agent(root, "add", "-Af", ".")

    candidate = scene.attempt(act)
    assert candidate.paths == ("more.log", "out.log")
    assert candidate.left_out == ("node_modules/: ignored by git", "secret/: ignored by git")


def test_what_only_a_rule_of_this_attempt_hides_is_named(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {".gitignore": FILES[".gitignore"] + "*.gen\n!keep.log\ntarget/\n", "made.gen": "x", "target/o": "x"})
        put(root, {"other.log": "was ignored before"})

    candidate = scene.attempt(act)
    assert candidate.paths == (".gitignore",)
    assert "made.gen: ignored by a .gitignore that this attempt changed" in candidate.left_out
    assert not [line for line in candidate.left_out if line.startswith("target")]


def test_a_gitignore_that_hides_nothing_names_nothing(make_repo: Repo) -> None:
    scene = scene_on(make_repo())
    assert scene.attempt(lambda root: put(root, {".gitignore": "*.gen\n"})).left_out == ()


def test_names_of_any_bytes_are_taken(scene: Scene) -> None:
    names = [b"line\nbreak", b"not-utf8-\xff", b'quo"te\\', b" blank ", b":(top)x", b"-dash", "ä€".encode()]

    def act(root: Path) -> None:
        for name in names:
            (root / os.fsdecode(name)).write_text("x")

    candidate = scene.attempt(act)
    assert set(candidate.paths) == {os.fsdecode(name) for name in names}


def test_line_ends_are_filtered_as_git_does(make_repo: Repo) -> None:
    root = make_repo({".gitattributes": "*.txt text\n", "f.txt": "one\n"})
    candidate = scene_on(root).attempt(lambda root: (root / "f.txt").write_bytes(b"one\r\n"))
    assert candidate.paths == ()


def test_a_fifo_is_a_deletion_and_a_folder_for_a_file_is_both(scene: Scene) -> None:
    def act(root: Path) -> None:
        (root / "a.py").unlink()
        os.mkfifo(root / "a.py")
        (root / "pkg/b.py").unlink()
        put(root, {"pkg/b.py/inner": "x"})

    candidate = scene.attempt(act)
    assert candidate.paths == ("a.py", "pkg/b.py", "pkg/b.py/inner")


@pytest.mark.parametrize("setting", [("core.splitIndex", "true"), ("core.untrackedCache", "true")])
def test_kinds_of_index(make_repo: Repo, setting: tuple[str, str]) -> None:
    root = make_repo(FILES)
    git(root, "config", *setting)
    git(root, "update-index", "--refresh")
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", "new.py": "y"}))
    scene.landed(candidate)
    assert scene.status() == []


def test_a_sparse_checkout_stays_sparse(make_repo: Repo) -> None:
    root = make_repo(FILES | {"away/x.py": "x", "away/y.py": "y"})
    git(root, "sparse-checkout", "set", "pkg")
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", "away/new.py": "n"}))
    assert candidate.paths == ("a.py", "away/new.py")
    scene.landed(candidate)
    assert "away/x.py" in scene.files()
    assert not (root / "away/x.py").exists()
    scene.attempt(lambda root: put(root, {"pkg/b.py": "x"}), story="US-2")
    scene.workspace.set_aside(scene.key("US-2", 1))
    assert scene.status() == []
    assert not (root / "away/x.py").exists()
