"""What is protected is as base has it when the commands look, whatever was done to it; the rest that sways is named."""

import os
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.protection import Protect, idle
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.support.unprivileged import unprivileged
from tests.workspace.scene import AGENT, FILES, Scene, agent, put, scene_on

HELD = {
    "tests/acceptance/test_x.py": "def test_x():\n    assert one() == 1\n",
    "tests/acceptance/deep/data.txt": "data\n",
    "tests/acceptance/check.sh": "exit 1\n",
    "tests/test_unit.py": "import calc\n\n\ndef test_unit():\n    assert calc.add(1, 1) == 2\n",
    "calc.py": "def add(a, b):\n    return a + b\n",
}
UNIT = "tests/test_unit.py"
PATTERN = "tests/acceptance/**"
X, DATA, SCRIPT = "tests/acceptance/test_x.py", "tests/acceptance/deep/data.txt", "tests/acceptance/check.sh"


def _looks(root: Path) -> dict[str, tuple[int, bytes]]:
    """What lies under the pattern: the type with the owner's bits, and the bytes."""
    top = root / "tests/acceptance"
    assert not any(folder.is_symlink() for folder in (root / "tests", top, top / "deep"))
    return {
        path.relative_to(root).as_posix(): (path.lstat().st_mode & 0o170700, path.read_bytes())
        for path in top.rglob("*")
        if ".git" not in path.parts[len(root.parts) :] and (not path.is_dir() or path.is_symlink())
    }


def _scene(make_repo: Repo, protect: Protect = (PATTERN,), commands: tuple[str, ...] = ()) -> Scene:
    root = make_repo(FILES | HELD)
    (root / SCRIPT).chmod(0o755)
    (root / "tests/acceptance/link").symlink_to("test_x.py")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    return scene_on(root, protect=protect, commands=commands)


def _sh(line: str) -> Callable[[Path], object]:
    """What an agent does by a shell line."""

    def act(root: Path) -> None:
        subprocess.run(line, shell=True, cwd=root, env=os.environ | AGENT, capture_output=True, check=False)

    return act


# What is done, and what is named.
DAMAGE: dict[str, tuple[str, set[str]]] = {
    "edited": (f"echo pass > {X}", {X}),
    "emptied": (f": > {X}", {X}),
    "deleted": (f"rm {X}", {X}),
    "deleted all": ("rm -rf tests", {X, DATA, SCRIPT, "tests/acceptance/link"}),
    "moved": (f"mv {X} elsewhere.py", {X}),
    "folder renamed": ("mv tests other", {X, DATA, SCRIPT, "tests/acceptance/link"}),
    "swapped": (f"mv {DATA} tmp; mv {SCRIPT} {DATA}; mv tmp {SCRIPT}", {DATA, SCRIPT}),
    "linked outside": (f"echo lie > ../lie; rm {X}; ln -s $PWD/../lie {X}", {X}),
    "linked inside": (f"rm {X}; ln -s ../../a.py {X}", {X}),
    "link retargeted": ("ln -sf check.sh tests/acceptance/link", {"tests/acceptance/link"}),
    "link made a file": (f"cp {X} x; rm tests/acceptance/link; mv x tests/acceptance/link", {"tests/acceptance/link"}),
    "a folder": (f"rm {X}; mkdir {X}; echo lie > {X}/lie", {X}),
    "a FIFO": (f"rm {X}; mkfifo {X}", {X}),
    "no longer executable": (f"chmod -x {SCRIPT}", {SCRIPT}),
    "executable": (f"chmod +x {X}", {X}),
    "unreadable": (f"chmod 000 {X}", {X}),
    "parent a link": (
        "mv tests/acceptance ../outside; ln -s $PWD/../outside tests/acceptance; echo lie > ../outside/deep/data.txt",
        {X, DATA, SCRIPT, "tests/acceptance/link"},
    ),
    "grandparent a link": (
        "mv tests ../outside; ln -s $PWD/../outside tests",
        {X, DATA, SCRIPT, "tests/acceptance/link"},
    ),
    "parent a file": ("rm -rf tests/acceptance/deep; echo lie > tests/acceptance/deep", {DATA}),
    "parent a FIFO": ("rm -rf tests/acceptance/deep; mkfifo tests/acceptance/deep", {DATA}),
    "assumed unchanged": (f"git update-index --assume-unchanged {X}; echo pass > {X}", {X}),
    "skip-worktree": (f"git update-index --skip-worktree {X}; echo pass > {X}", {X}),
    "skipped and gone": (f"git update-index --skip-worktree {X}; rm {X}", {X}),
    "sparse": (
        f"git sparse-checkout set --no-cone '/*' '!/{X}'",
        {X, ".git/config", ".git/config.worktree", ".git/info/sparse-checkout"},
    ),
    "out of the index": (f"git rm -q --cached {X}; echo {X} >> .gitignore; echo pass > {X}", {X}),
    "ignored": (f"echo 'tests/' > .gitignore; echo pass > {X}", {X}),
    "committed": (f"echo pass > {X}; git commit -qam 'chore: tests'", {X}),
    "amended": (f"echo pass > {X}; git commit -qa --amend -m first", {X}),
    "replaced": (
        f"git replace $(git rev-parse HEAD:{X}) $(echo pass | git hash-object -w --stdin); git checkout -f -q -- {X};"
        f" rm {X}; git checkout -q -- {X}",
        {X},
    ),
    "a filter": (
        f"git config filter.lie.clean 'git cat-file blob HEAD:{X}'; git config filter.lie.smudge 'echo pass';"
        f" echo '*.py filter=lie' > .gitattributes; echo pass > {X}",
        {X, ".git/config"},
    ),
    "an encoding": (
        f"echo '*.txt working-tree-encoding=UTF-16LE' > .gitattributes; rm {DATA}; git checkout -q -- {DATA}",
        {DATA},
    ),
    "line ends": (f"echo '*.txt eol=crlf' > .gitattributes; rm {DATA}; git checkout -q -- {DATA}", {DATA}),
    "same size, same times": (
        f"touch -r {X} ../stamp; sed -i 's/== 1/== 2/' {X}; touch -r ../stamp {X}; git config core.trustctime false",
        {X, ".git/config"},
    ),
    "a nested repository": ("git init -q tests/acceptance; echo pass > " + X, {X}),
    "locked": (f"touch .git/index.lock; echo pass > {X}", {X}),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_whatever_was_done_is_undone_and_named(make_repo: Repo, how: str) -> None:
    scene = _scene(make_repo)
    before, (line, named) = _looks(scene.root), DAMAGE[how]
    candidate = scene.attempt(_sh(line))
    assert _looks(scene.root) == before
    told = {name for name in scene.tampered if not name.startswith("refs/replace/")}
    assert told == named
    assert not [path for path in candidate.paths if path.startswith("tests/acceptance")]
    # Where nothing else was done there is nothing to judge.
    assert scene.git("diff", "--name-only", scene.base, candidate.tree, "--", "tests/acceptance") == ""


def test_what_links_led_to_is_not_written_to(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    scene.attempt(_sh(DAMAGE["parent a link"][0]))
    assert (scene.root.parent / "outside/deep/data.txt").read_text() == "lie\n"
    scene.attempt(_sh(DAMAGE["linked outside"][0]))
    assert (scene.root.parent / "lie").read_text() == "lie\n"


def test_what_stood_in_the_way_is_kept(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    scene.attempt(_sh(f"rm {X}; mkdir {X}; echo lie > {X}/lie; echo mine > {SCRIPT}"))
    moved = scene.root / ".git/prd-ralph/runs/r1/moved"
    assert [path.read_text() for path in moved.rglob("lie")] == ["lie\n"]
    assert [path.read_text() for path in moved.rglob("check.sh")] == ["mine\n"]


def test_an_object_that_an_agent_has_forged_is_not_put_back(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    name = git(scene.root, "rev-parse", f"HEAD:{X}")
    forged = scene.root / ".git/objects" / name[:2] / name[2:]
    data = b"def test_x():\n    assert 1\n"

    def act(root: Path) -> None:
        forged.unlink()
        forged.write_bytes(zlib.compress(b"blob %d\0" % len(data) + data))
        (root / X).write_bytes(data)

    with pytest.raises(BlockedError, match=f"{name} is damaged"):
        scene.attempt(act)


def test_an_object_that_is_gone(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    name = git(scene.root, "rev-parse", f"HEAD:{X}")
    with pytest.raises(BlockedError, match=f"{name} is damaged or gone"):
        scene.attempt(_sh(f"rm -f .git/objects/{name[:2]}/{name[2:]}; rm {X}"))


def test_new_files_in_a_repository_of_their_own_and_far_down(make_repo: Repo) -> None:
    scene = _scene(make_repo)

    def act(root: Path) -> None:
        put(root, {"tests/acceptance/own/a.py": "", "tests/acceptance/" + "d/" * 200 + "x": ""})
        agent(root / "tests/acceptance/own", "init", "-q")
        agent(root / "tests/acceptance/own", "add", "a.py")
        agent(root / "tests/acceptance/own", "commit", "-q", "-m", "x")

    scene.attempt(act)
    assert len(scene.tampered) == 2
    assert not (scene.root / "tests/acceptance/own/a.py").exists()


def test_closed_folders_are_opened(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    before = _looks(scene.root)
    with unprivileged(scene.root, Path.home()):
        scene.attempt(_sh(f"rm {DATA}; chmod 500 tests/acceptance/deep; chmod 000 tests/acceptance"))
        assert _looks(scene.root) == before
    assert set(scene.tampered) == {"tests/acceptance/", "tests/acceptance/deep/", DATA}


@pytest.mark.parametrize("held", [True, False])
def test_a_file_that_cannot_be_put_back_ends_the_run(make_repo: Repo, held: bool) -> None:
    scene = _scene(make_repo)
    moved = scene.root / ".git/prd-ralph/runs/r1/moved"
    key = scene.key()
    scene.workspace.begin(key)
    (scene.root / X).write_text("pass\n")
    moved.mkdir()
    with unprivileged(scene.root, Path.home()):
        if held:
            moved.chmod(0o500)
            with pytest.raises(BlockedError, match="cannot be put back"):
                scene.after(key)
        else:
            scene.after(key)
    assert ((scene.root / X).read_text() == "pass\n") is held


def test_new_files_under_a_pattern_are_moved_away_and_named(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    put(scene.root, {"tests/acceptance/mine.txt": "the person's\n", ".git/info/exclude": "*.out\n"})
    before = _looks(scene.root)

    def act(root: Path) -> None:
        put(root, {"tests/acceptance/conftest.py": "x", "tests/acceptance/more/test_y.py": "y", "tests/new.py": "z"})
        put(root, {".gitignore": FILES[".gitignore"] + "test_z.py\n", "tests/acceptance/test_z.py": "z"})
        put(root, {"tests/acceptance/x.out": "ignored before\n", "tests/acceptance/__pycache__/x.pyc": "x"})
        os.mkfifo(root / "tests/acceptance/pipe")
        agent(root, "add", "tests/acceptance/conftest.py")

    candidate = scene.attempt(act)
    assert set(scene.tampered) == {
        "tests/acceptance/conftest.py (new: moved away)",
        "tests/acceptance/more/test_y.py (new: moved away)",
        "tests/acceptance/test_z.py (new: moved away)",
        "tests/acceptance/pipe (new: moved away)",
    }
    # Bytecode of the attempt's is taken away wherever it lies.
    assert set(_looks(scene.root)) - set(before) == {"tests/acceptance/x.out"}
    assert set(candidate.paths) == {".gitignore", "tests/new.py"}


def test_what_the_commands_left_under_a_pattern_is_not_the_agents(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    put(scene.root, {"tests/acceptance/report.xml": "made by a command"})
    scene.workspace.restore(candidate)
    scene.attempt()
    assert not scene.tampered
    assert (scene.root / "tests/acceptance/report.xml").exists()


def test_an_honest_attempt_is_named_for_nothing(make_repo: Repo) -> None:
    scene = _scene(make_repo)
    candidate = scene.attempt(
        lambda root: put(root, {"a.py": "x", "tests/test_unit.py": "y", "tests/test_new.py": "z"})
    )
    assert not scene.tampered
    assert candidate.paths == ("a.py", "tests/test_new.py", UNIT)


def test_after_a_landing_the_new_base_counts(make_repo: Repo) -> None:
    scene = _scene(make_repo, protect=("a.py",))
    put(scene.root, {"b.py": ""})
    scene.landed(scene.attempt(lambda root: put(root, {"new.py": "x"})))
    (scene.root / "a.py").write_text("lie")
    scene.after(scene.key())
    assert scene.tampered == ("a.py",)
    assert (scene.root / "a.py").read_text() == FILES["a.py"]


def test_files_that_git_writes_otherwise_than_it_holds_them(make_repo: Repo) -> None:
    root = make_repo(FILES | HELD | {".gitattributes": "*.txt eol=crlf\n"})
    (root / DATA).unlink()
    git(root, "checkout", "-q", "--", DATA)
    scene = scene_on(root, protect=(PATTERN,))
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    assert not scene.tampered
    scene.attempt(lambda root: (root / DATA).write_bytes(b"lie\r\n"))
    assert scene.tampered == (DATA,)
    assert (root / DATA).read_bytes() == b"data\r\n"


def test_files_larger_than_what_is_kept_of_a_persons(make_repo: Repo) -> None:
    root = make_repo(FILES | {"tests/acceptance/big.bin": "x" * (6 << 20)})
    scene = scene_on(root, protect=(PATTERN,))
    scene.attempt()
    assert not scene.tampered
    scene.attempt(lambda root: put(root, {"tests/acceptance/big.bin": "y"}))
    assert scene.tampered == ("tests/acceptance/big.bin",)
    assert (root / "tests/acceptance/big.bin").stat().st_size == 6 << 20


def test_a_sparse_checkout_stays_sparse(make_repo: Repo) -> None:
    root = make_repo(FILES | HELD)
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/tests/acceptance/deep/")
    scene = scene_on(root, protect=(PATTERN,))
    scene.attempt(lambda root: (root / X).unlink())
    assert scene.tampered == (X,)
    assert not (root / DATA).exists()


def test_where_git_minds_no_executable_bits(make_repo: Repo) -> None:
    root = make_repo(FILES | HELD)
    git(root, "config", "core.fileMode", "false")
    scene = scene_on(root, protect=(PATTERN,))
    scene.attempt(lambda root: (root / X).chmod(0o755))
    assert not scene.tampered


def test_a_tracked_file_that_a_person_has_git_not_look_at_is_theirs(make_repo: Repo) -> None:
    root = make_repo(FILES | HELD)
    git(root, "update-index", "--skip-worktree", X)
    (root / X).write_text("theirs\n")
    scene = scene_on(root, protect=(PATTERN,))
    scene.attempt(lambda root: put(root, {X: "lie\n"}))
    assert scene.tampered == (X,)
    assert (root / X).read_text() == "theirs\n"


def test_prd_json_and_progress_txt_are_looked_after_elsewhere(make_repo: Repo) -> None:
    scene = scene_on(make_repo(FILES), protect=("*",))
    put(scene.root, {"progress.txt": "# Progress\nlearned\n"})
    scene.attempt(lambda root: put(root, {"progress.txt": "# Progress\nlearned more\n"}))
    assert not scene.tampered
    assert (scene.root / "progress.txt").read_text() == "# Progress\nlearned more\n"


# --- submodules -----------------------------------------------------------------------------------


def _with_submodule(make_repo: Repo) -> Path:
    inner = make_repo({"tests/test_in.py": "inner\n", "src.py": "s\n"}, name="inner")
    root = make_repo(FILES)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "lib")
    git(root, "commit", "-q", "-m", "lib")
    return root


@pytest.mark.parametrize(
    "line",
    [
        "echo lie > lib/tests/test_in.py",
        "rm lib/tests/test_in.py",
        "cd lib && echo lie > tests/test_in.py && git commit -qam x",
        "cd lib && echo lie > tests/test_in.py && git update-index --assume-unchanged tests/test_in.py",
        "rm lib/.git; echo lie > lib/tests/test_in.py",
        "rm -rf lib; mkdir -p lib/tests; echo lie > lib/tests/test_in.py",
        "mv lib ../away; ln -s ../away lib; echo lie > lib/tests/test_in.py",
    ],
)
@pytest.mark.parametrize("pattern", ["lib/tests/**", "test_*.py", "lib/"])
def test_within_a_submodule(make_repo: Repo, line: str, pattern: str) -> None:
    scene = scene_on(_with_submodule(make_repo), protect=(pattern,))
    scene.attempt(_sh(line))
    assert (scene.root / "lib/tests/test_in.py").read_text() == "inner\n"
    assert "lib/tests/test_in.py" in scene.tampered
    assert not (scene.root / "lib").is_symlink()


def test_new_files_within_a_submodule(make_repo: Repo) -> None:
    scene = scene_on(_with_submodule(make_repo), protect=("lib/tests/**",))
    scene.attempt(lambda root: put(root, {"lib/tests/conftest.py": "x", "lib/more.py": "y"}))
    assert scene.tampered == ("lib/tests/conftest.py (new: moved away)",)
    assert (scene.root / "lib/more.py").exists()


def test_a_submodule_that_is_not_there_is_passed_over(make_repo: Repo) -> None:
    root = _with_submodule(make_repo)
    git(root, "submodule", "deinit", "-q", "-f", "lib")
    scene = scene_on(root, protect=("lib/**", "a.py"))
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    assert scene.tampered == ("a.py",)


# --- auto -----------------------------------------------------------------------------------------

AUTO = HELD | {
    "pytest.ini": "[pytest]\ntestpaths = tests\n",
    "tests/__snapshots__/x.ambr": "old\n",
    "calc.test.js": "import { add } from './calc';\ntest('a', () => {\n  expect(add(1, 1)).toBe(2);\n});\n",
}


def _auto(make_repo: Repo) -> Scene:
    return scene_on(make_repo(FILES | AUTO), protect="auto")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (f"sed -i 's/== 2/== 3/' {UNIT}", UNIT),
        (f"rm {UNIT}", UNIT),
        (f"mv {UNIT} kept.txt", UNIT),
        (f"mv {UNIT} tests/unit_test.py; echo pass > tests/unit_test.py", UNIT),
        (f"mv {UNIT} {UNIT}.orig; ln -s test_unit.py.orig {UNIT}", UNIT),
        (f"printf '\\n\\ndef test_unit():\\n    pass\\n' >> {UNIT}", UNIT),
        (f"rm {UNIT}; mkdir {UNIT}", UNIT),
        (f"rm {UNIT}; mkfifo {UNIT}", UNIT),
        (f"chmod 000 {UNIT}", UNIT),
        ("rm pytest.ini", "pytest.ini"),
        ("echo 'addopts = --co' >> pytest.ini", "pytest.ini"),
        ("sed -i 's/toBe(2)/toBe(3)/' calc.test.js", "calc.test.js"),
        (f"mv calc.py sums.py; sed -i 's/calc/sums/; s/== 2/== 3/' {UNIT}", UNIT),
    ],
)
def test_auto_puts_back_tests_that_no_longer_test(make_repo: Repo, line: str, named: str) -> None:
    scene = _auto(make_repo)
    before = (scene.root / named).read_bytes()
    scene.attempt(_sh(line))
    assert scene.tampered == (named,)
    assert (scene.root / named).read_bytes() == before
    assert (scene.root / named).is_file() and not (scene.root / named).is_symlink()


HONEST = {
    "adds a file": ("echo 'def test_a(): pass' > tests/test_more.py", ()),
    "adds a test": (f"printf '\\n\\ndef test_a():\\n    assert True\\n' >> {UNIT}", ()),
    "formats": (f"sed -i 's/1, 1/1,  1/' {UNIT}", ()),
    "adds a js test": (
        "printf 'test(\"b\", () => {\\n  expect(1).toBe(1);\\n});\\n' >> calc.test.js",
        ("calc.test.js: lines were added to a test that may sway the rest of it",),
    ),
    "updates snapshots": (
        "echo new > tests/__snapshots__/x.ambr",
        ("tests/__snapshots__/x.ambr: what a test compares with was changed",),
    ),
    "renames a module with its test": (
        f"mv calc.py sums.py; sed 's/calc/sums/' {UNIT} > tests/test_sums.py; rm {UNIT};"
        " mv calc.test.js sums.test.js; sed -i s/calc/sums/ sums.test.js",
        (
            "calc.test.js: a test was renamed to sums.test.js",
            f"{UNIT}: a test was renamed to tests/test_sums.py",
        ),
    ),
    "renames a module alone": (
        f"mv calc.py sums.py; sed -i 's/calc/sums/' {UNIT}",
        (f"{UNIT}: a test was changed",),
    ),
    "moves a test": (
        f"mkdir tests/unit; mv {UNIT} tests/unit/",
        (f"{UNIT}: a test was renamed to tests/unit/test_unit.py",),
    ),
    "adds a fixture": (
        f"printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef one():\\n    return 1\\n' >> {UNIT}",
        (f"{UNIT}: lines were added to a test that may sway the rest of it",),
    ),
    "writes of tests": ("echo x > tests/README.md", ()),
}


@pytest.mark.parametrize("how", HONEST)
def test_auto_leaves_what_honest_agents_do(make_repo: Repo, how: str) -> None:
    scene = _auto(make_repo)
    line, suspects = HONEST[how]
    candidate = scene.attempt(_sh(line))
    assert not scene.tampered
    assert candidate.paths
    assert scene.workspace.suspects(candidate) == suspects


def test_auto_guards_what_was_there_when_the_run_began(make_repo: Repo) -> None:
    scene = _auto(make_repo)
    scene.landed(scene.attempt(lambda root: put(root, {"tests/test_new.py": "def test_n():\n    assert 1\n"})))
    candidate = scene.attempt(_sh(f"echo pass > tests/test_new.py; echo pass > {UNIT}"), "US-2")
    assert scene.tampered == (UNIT,)
    assert scene.workspace.suspects(candidate) == ("tests/test_new.py: a test was changed",)


def test_auto_guards_a_test_under_its_new_name_too(make_repo: Repo) -> None:
    scene = _auto(make_repo)
    scene.landed(scene.attempt(_sh(f"mv {UNIT} tests/test_moved.py")))
    scene.attempt(_sh("echo pass > tests/test_moved.py"), "US-2")
    assert scene.tampered == ("tests/test_moved.py",)


def test_what_was_weakened_in_one_attempt_profits_none_later(make_repo: Repo) -> None:
    scene = _auto(make_repo)
    weak = _sh(f"printf '\\n\\n@calm\\ndef later():\\n    pass\\n' >> {UNIT}")
    told = (f"{UNIT}: lines were added to a test that may sway the rest of it",)
    assert scene.workspace.suspects(scene.attempt(weak)) == told
    assert scene.workspace.suspects(scene.attempt(lambda root: put(root, {"a.py": "x"}))) == told


# --- suspects -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"rm {X}", (f"{X}: a test was deleted",)),
        (f"echo pass > {X}", (f"{X}: a test was changed",)),
        (f"chmod +x {X}", ()),
        ("echo x >> calc.py", ()),
        ("echo x > test_new.py", ()),
        ("echo x > conftest.py", ("conftest.py: it may sway what commands do",)),
        ("echo x > pytest.ini", ("pytest.ini: it decides which tests run",)),
        ("echo x > pytest.py", ("pytest.py: it may be taken for the module pytest",)),
        (
            "mkdir unittest; echo > unittest/__init__.py",
            ("unittest/__init__.py: it may be taken for the module unittest",),
        ),
        ("echo x > json.py", ("json.py: it may be taken for the module json",)),
        ("mkdir pkg/io; echo x > pkg/json.py", ()),
        ("echo x > pkg/sitecustomize.py", ("pkg/sitecustomize.py: it may sway what commands do",)),
        ("echo '[tool.pytest.ini_options]' > pyproject.toml", ("pyproject.toml: what it says of tests was changed",)),
        ("echo '[tool.ruff]' > pyproject.toml", ()),
        ("echo x >> check.sh", ("check.sh: was changed, and a command's verdict is its exit status",)),
        ("echo 'all:' > Makefile", ("Makefile: was changed, and a command's verdict is its exit status",)),
        ("echo 'all:' > GNUmakefile", ("GNUmakefile: was changed, and a command's verdict is its exit status",)),
        ("echo x > other.sh", ()),
    ],
)
def test_what_may_sway_a_command_is_told(make_repo: Repo, line: str, told: tuple[str, ...]) -> None:
    root = make_repo(FILES | HELD | {"check.sh": "exit 1\n", "other.sh": "exit 1\n", "Makefile": "test:\n"})
    scene = scene_on(root, commands=("bash check.sh", "cd pkg && make test"))
    assert scene.workspace.suspects(scene.attempt(_sh(line))) == told


def test_a_test_that_changes_while_the_commands_run_is_told(make_repo: Repo) -> None:
    scene = _scene(make_repo, protect=("a.py",))
    candidate = scene.attempt(lambda root: put(root, {"b.py": "x"}))
    put(scene.root, {UNIT: "pass\n", "a.py": "lie\n", "calc.py": "c\n"})
    scene.workspace.restore(candidate)
    assert scene.workspace.suspects(candidate) == (
        "a.py: was changed while the commands ran",
        f"{UNIT}: was changed while the commands ran",
    )
    assert scene.workspace.suspects(scene.attempt()) == ()


def test_a_protected_file_that_would_land_as_something_else_is_told(make_repo: Repo) -> None:
    root = make_repo(FILES | {"crlf.txt": "a\r\nb\r\n"})
    scene = scene_on(root, protect=("crlf.txt",))
    candidate = scene.attempt(_sh("echo '*.txt text' > .gitattributes; touch crlf.txt"))
    assert set(scene.workspace.suspects(candidate)) >= {".gitattributes: it may sway what commands do"}
    assert ("crlf.txt" in candidate.paths) is any("would land" in why for why in scene.workspace.suspects(candidate))


@pytest.mark.parametrize(
    ("protect", "useless"),
    [
        ("auto", ()),
        ((), ()),
        (("tests/", "*.py", "!nothing", "# nothing"), ()),
        (("test/", "tests/*.js", "a.py"), ("test/", "tests/*.js")),
        (("lib/tests/**", "lib"), ()),
        (("*.never",), ("*.never",)),
    ],
)
def test_patterns_that_name_nothing(make_repo: Repo, protect: Protect, useless: tuple[str, ...]) -> None:
    root = _with_submodule(make_repo)
    put(root, HELD)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "tests")
    assert idle(Git(PlainProcesses(), root, dict(os.environ)), "HEAD", protect) == useless
