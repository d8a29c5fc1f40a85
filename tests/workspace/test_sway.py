"""What sways the commands and is no part of the candidate is named; planted bytecode goes."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.workspace.sway import why_it_sways
from tests.conftest import Repo
from tests.workspace.scene import FILES, Scene, put, scene_on

SITE = "lib/python3.11/site-packages"


@pytest.fixture
def scene(make_repo: Repo) -> Scene:
    """A repository in which whatever is new is ignored, unless it is added by force."""
    root = make_repo({**FILES, "src/calc.py": "def two():\n    return 3\n", "web/app.ts": "", "tools/pick.py": ""})
    put(root, {".gitignore": "*\n"})
    subprocess.run(["git", "commit", "-qam", "ignore"], cwd=root, check=True)
    return scene_on(root)


def _names(told: tuple[str, ...]) -> set[str]:
    return {text.partition(": ")[0] for text in told}


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "tests/conftest.py",
        "sitecustomize.py",
        "src/usercustomize.py",
        "evil.pth",
        "pytest.ini",
        "pytest.py",
        "_pytest/__init__.py",
        "unittest.py",
        "src/unittest/__init__.py",
        "src/random.py",
        "src/calc/__init__.py",
        "src/calc.cpython-311-x86_64-linux-gnu.so",
        "src/lonely.pyc",
        "web/app.js",
        "web/jest.config.cjs",
        ".env",
        ".env.test.local",
        ".npmrc",
        "GNUmakefile",
        "phpunit.xml",
        "node_modules/.bin/jest",
        "web/node_modules/jest/package.json",
        "node_modules/vitest/dist/cli.js",
        f".venv/{SITE}/sitecustomize.py",
        f".venv/{SITE}/evil.pth",
        f".venv/{SITE}/_pytest/main.py",
        f".venv/{SITE}/pytest_evil/__init__.py",
        ".venv/bin/pytest",
    ],
)
def test_what_is_new_and_in_no_commit(scene: Scene, path: str) -> None:
    put(scene.root, {f".venv/{SITE}/there.py": ""})
    candidate = scene.attempt(lambda root: put(root, {path: "x\n", "a.py": "x\n"}))
    assert candidate.paths == ("a.py",)
    (told,) = scene.workspace.suspects(candidate)
    named = told.partition(": ")[0]
    assert path == named or (path.startswith(f"{named}/") and told == f"{named}: new, it runs tests")


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "src/helper.py",
        "pkg/json/data.txt",
        ".env.d/x",
        "dist/app.js",
        "build/conftest.py",
        "node_modules/left-pad/index.js",
        ".pytest_cache/v/cache/lastfailed",
        f".venv/{SITE}/requests/__init__.py",
        f".venv/{SITE}/_pytest/__pycache__/main.cpython-311.pyc",
        f".venv/{SITE}/requests-1.dist-info/entry_points.txt",
        "src/__pycache__/calc.cpython-311.pyc",
    ],
)
def test_what_sways_nothing(scene: Scene, path: str) -> None:
    put(scene.root, {f".venv/{SITE}/there.py": ""})
    candidate = scene.attempt(lambda root: put(root, {path: "x\n"}))
    assert scene.workspace.suspects(candidate) == ()


def test_nothing_is_hidden_by_what_looks_like_a_virtual_environment(scene: Scene) -> None:
    hidden = {"pyvenv.cfg": "", "bin/python": "", "lib/python3.11/conftest.py": "x", "tests/conftest.py": "x"}
    candidate = scene.attempt(lambda root: put(root, hidden | {f"{SITE}/x.py": ""}))
    assert _names(scene.workspace.suspects(candidate)) == {"lib/python3.11/conftest.py", "tests/conftest.py"}


def test_a_module_inside_a_package_shadows_nothing(scene: Scene) -> None:
    put(scene.root, {"inner/__init__.py": "", "inner/deep/__init__.py": ""})
    new = {"inner/random.py": "x\n", "inner/json/__init__.py": "x\n", "inner/deep/pytest.py": "x\n"}
    candidate = scene.attempt(lambda root: put(root, new))
    assert scene.workspace.suspects(candidate) == ()


def test_an_installed_plugin_of_pytest(scene: Scene) -> None:
    put(scene.root, {f".venv/{SITE}/there.py": ""})
    listed = f".venv/{SITE}/evil-1.dist-info/entry_points.txt"
    candidate = scene.attempt(lambda root: put(root, {listed: "[pytest11]\nevil = evil\n"}))
    assert scene.workspace.suspects(candidate) == (f"{listed}: new, pytest loads what it names",)


def test_an_active_virtual_environment_outside_of_the_work_tree(
    make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "env" / SITE
    put(site, {"_pytest/main.py": "theirs\n", "../unittest/main.py": "theirs\n"})
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    scene = scene_on(make_repo(FILES))
    planted = {"_pytest/main.py": "evil\n", "sitecustomize.py": "x", "plain.py": "x", "../unittest/main.py": "evil\n"}
    candidate = scene.attempt(lambda root: put(site, planted))
    assert scene.tampered == ()
    assert set(scene.workspace.suspects(candidate)) == {
        f"{site}/_pytest: changed, it runs tests",
        f"{site}/sitecustomize.py: new, Python runs it at every start",
        f"{site.parent}/unittest/main.py: changed, part of Python itself",
    }


def test_pyenvs_versions(make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyenv = tmp_path / "pyenv"
    site = pyenv / "versions/3.11.7" / SITE
    put(site, {"x.py": ""})
    (pyenv / "shims").mkdir()
    monkeypatch.setenv("PATH", f"{pyenv / 'shims'}{os.pathsep}{os.environ['PATH']}")
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(site, {"evil.pth": "x"}))
    assert _names(scene.workspace.suspects(candidate)) == {f"{site}/evil.pth"}


def test_what_the_candidate_holds_is_not_named(make_repo: Repo) -> None:
    scene = scene_on(make_repo(FILES))
    candidate = scene.attempt(lambda root: put(root, {"conftest.py": "x\n", "pytest.py": "x\n"}))
    assert candidate.paths == ("conftest.py", "pytest.py")
    # Once, as a part of the candidate.
    assert [text.partition(":")[0] for text in scene.workspace.suspects(candidate)] == ["conftest.py", "pytest.py"]


def test_what_the_commands_are_run_without_is_not_named(make_repo: Repo) -> None:
    """A new file that git does not ignore and no commit takes up is taken away for one more look."""
    scene = scene_on(make_repo({**FILES, ".gitignore": ""}))
    candidate = scene.attempt(lambda root: put(root, {".env": "A=1\n", "a.py": "x\n"}))
    assert candidate.left_out == (".env: may hold secrets",)
    assert scene.workspace.suspects(candidate) == ()


def test_what_git_tracks_and_is_as_base_has_it_is_not_named(make_repo: Repo) -> None:
    scene = scene_on(make_repo({**FILES, "conftest.py": "theirs\n"}))

    def act(root: Path) -> None:
        (root / "conftest.py").unlink()
        put(root, {"conftest.py": "theirs\n"})
        os.utime(root / "conftest.py", ns=(1, 1))

    candidate = scene.attempt(act)
    assert scene.workspace.suspects(candidate) == ()


def test_the_persons_own_files_are_not_named(scene: Scene) -> None:
    theirs = {"conftest.py": "theirs\n", ".env": "A=1\n", "node_modules/.bin/jest": "x\n", "secret/pytest.py": "x"}
    put(scene.root, theirs)
    (scene.root / "node_modules/.bin/tsc").symlink_to("../typescript/bin/tsc")

    def act(root: Path) -> None:
        put(root, {"conftest.py": "evil\n", ".env": "A=2\n"})  # put back, by the guard
        (root / "node_modules/.bin/tsc").unlink()
        (root / "node_modules/.bin/tsc").symlink_to("../typescript/bin/tsc")

    candidate = scene.attempt(act)
    assert scene.workspace.suspects(candidate) == ()
    assert (scene.root / "conftest.py").read_text() == "theirs\n"


def test_a_change_of_what_was_there(scene: Scene) -> None:
    put(scene.root, {"node_modules/.bin/jest": "x\n", "node_modules/jest/package.json": "{}"})
    candidate = scene.attempt(
        lambda root: put(root, {"node_modules/.bin/jest": "exit 0\n", "node_modules/jest/package.json": "[]"})
    )
    assert set(scene.workspace.suspects(candidate)) == {
        "node_modules/.bin/jest: changed, npm and its like run it by its name",
        "node_modules/jest: changed, it runs tests",
    }


def test_what_setup_or_a_command_put_there_is_not_the_agents_and_what_an_agent_did_stays_named(scene: Scene) -> None:
    first = scene.attempt(lambda root: put(root, {"conftest.py": "planted\n"}))
    scene.workspace.restore(first)
    put(scene.root, {"node_modules/.bin/jest": "setup\n"})
    second = scene.attempt(lambda root: put(root, {"a.py": "x\n"}))
    assert _names(scene.workspace.suspects(second)) == {"conftest.py"}
    scene.landed(second)
    third = scene.attempt(story="US-2")
    assert _names(scene.workspace.suspects(third)) == {"conftest.py"}
    (scene.root / "conftest.py").unlink()
    assert scene.workspace.suspects(scene.attempt(story="US-2")) == ()


def test_a_new_run_goes_on_with_what_an_agent_of_the_last_one_left(scene: Scene) -> None:
    first = scene.attempt(lambda root: put(root, {"conftest.py": "planted\n", "a.py": "x\n"}))
    scene.workspace.restore(first)
    again = scene_on(scene.root, run="r2")
    current = again.workspace.current()
    assert current is not None
    again.workspace.resume(current)
    candidate = again.attempt()
    assert _names(again.workspace.suspects(candidate)) == {"conftest.py"}


def test_only_so_many_are_named(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: put(root, {f"p{number}/conftest.py": "x" for number in range(23)}))
    told = scene.workspace.suspects(candidate)
    assert (len(told), told[-1]) == (21, "… and 3 more")


def _imported(root: Path) -> str:
    """What the module's function gives, whatever bytecode Python believes."""
    code = "import calc; print(calc.two())"
    env = {**os.environ, "PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=env, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _plants(root: Path) -> None:
    """Bytecode of another source than the one that lies there, with its time and size."""
    source = root / "src/calc.py"
    text, times = source.read_text(), source.stat()
    source.write_text(text.replace("3", "2"))
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    py_compile.compile(str(source), doraise=True)
    source.write_text(text)
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("had_cache", [False, True])
def test_planted_bytecode_is_not_believed(scene: Scene, had_cache: bool) -> None:
    if had_cache:
        put(scene.root, {"src/__pycache__/other.cpython-311.pyc": "theirs\n"})
    _plants(scene.root)
    assert _imported(scene.root) == "2"  # so it goes where nobody looks
    (cache,) = (scene.root / "src/__pycache__").glob("calc.*")
    cache.unlink()
    if not had_cache:
        cache.parent.rmdir()
    scene.attempt(_plants)
    assert _imported(scene.root) == "3"
    assert cache.parent.exists() is had_cache
    assert not had_cache or [path.name for path in cache.parent.iterdir()] == ["other.cpython-311.pyc"]
    assert list((scene.root / ".git/prd-ralph/runs/r1/moved").rglob("calc.*.pyc"))


def test_bytecode_that_git_tracks_or_nobody_changed_stays(make_repo: Repo) -> None:
    paths = ("pkg/__pycache__/b.cpython-311.pyc", "pkg/__pycache__/c.cpython-311.pyc")
    root = make_repo({**FILES, paths[0]: "tracked\n", ".gitignore": "node_modules/\n"})
    put(root, {paths[1]: "theirs\n", "node_modules/x/__pycache__/y.pyc": "x"})
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {paths[0]: "changed\n", "node_modules/x/__pycache__/z.pyc": "z"}))
    assert candidate.paths == (paths[0],)
    assert (root / paths[0]).read_text() == "changed\n"
    assert (root / paths[1]).read_text() == "theirs\n"
    assert (root / "node_modules/x/__pycache__/z.pyc").exists()


def test_after_a_kill_no_bytecode_is_believed(scene: Scene) -> None:
    scene.workspace.begin(scene.key())
    _plants(scene.root)
    put(scene.root, {"conftest.py": "planted\n"})
    again = scene_on(scene.root, run="r2")
    current = again.workspace.current()
    assert current is not None
    again.workspace.resume(current)
    candidate = again.after(current.key)
    assert _imported(again.root) == "3"
    assert _names(again.workspace.suspects(candidate)) == {"conftest.py"}


def test_without_a_record_only_that_is_told(scene: Scene) -> None:
    scene.workspace.begin(scene.key())
    put(scene.root, {"conftest.py": "planted\n"})
    (scene.root / ".git/prd-ralph/runs/r1/surroundings.json").write_text("{")
    again = scene_on(scene.root, run="r2")
    current = again.workspace.current()
    assert current is not None
    again.workspace.resume(current)
    candidate = again.after(current.key)
    assert again.tampered == ()
    (told,) = again.workspace.suspects(candidate)
    assert told == "run r1: prd-ralph was killed while the agent worked, and what it had noted of the ground is gone"


@given(st.from_regex(r"[a-z]{3,8}_[a-z]{3,8}\.(py|js|rb|go|rs|txt|md|html)", fullmatch=True), st.frozensets(st.text()))
def test_ordinary_names_sway_nothing(name: str, siblings: frozenset[str]) -> None:
    stem = name.rpartition(".")[0]
    assert why_it_sways(name, siblings - {f"{stem}.ts", f"{stem}.tsx"}, "") == ""
