"""What a command's name means is what it meant before the agent; what an agent may install is only named."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.workspace.files import Kept
from prd_ralph.workspace.programs import Change, Folder, Kind, changes
from tests.conftest import Repo
from tests.support.programs import program
from tests.workspace.scene import FILES, Scene, put, scene_on

FOLDERS = (Folder("/a"), Folder("/b", venv=True), Folder("/c"))
NAMES = ("pytest", "sh", "tool")


def _programs(placed: dict[tuple[str, str], str]) -> dict[str, Kept]:
    return {f"{folder}/{name}": Kept(0o100755, digest, (0, 1, 2, 3, 4)) for (folder, name), digest in placed.items()}


def _meaning(programs: dict[str, Kept], name: str) -> tuple[str, str | None] | None:
    """What is run under a name: where it lies, and its bytes."""
    paths = (f"{folder.path}/{name}" for folder in FOLDERS)
    return next(((path, programs[path].digest) for path in paths if path in programs), None)


_places = st.tuples(st.sampled_from([folder.path for folder in FOLDERS]), st.sampled_from(NAMES))
_placed = st.dictionaries(_places, st.sampled_from(["old", "new"])).map(_programs)


@given(before=_placed, now=_placed)
def test_whatever_changes_a_names_meaning_is_told_and_nothing_else(
    before: dict[str, Kept], now: dict[str, Kept]
) -> None:
    found = list(changes(FOLDERS, before, now))
    assert {Path(change.path).name for change in found} >= {
        name for name in NAMES if _meaning(before, name) != _meaning(now, name)
    }
    for change in found:
        assert before.get(change.path) != now.get(change.path)
    untold = {name for name in NAMES if name not in {Path(change.path).name for change in found}}
    assert all(_meaning(before, name) == _meaning(now, name) for name in untold)


@given(before=_placed, now=_placed)
def test_once_what_may_not_be_tolerated_is_undone_a_name_means_the_same_outside_of_venvs(
    before: dict[str, Kept], now: dict[str, Kept]
) -> None:
    for change in changes(FOLDERS, before, now):
        if not change.tolerated:
            if kept := before.get(change.path):
                now[change.path] = kept
            else:
                del now[change.path]
    for name in NAMES:
        was, here = _meaning(before, name), _meaning(now, name)
        assert was is None or was == here or was[0].startswith("/b/") or (here and here[0].startswith("/b/"))
    shell = _meaning(before, "sh")
    assert shell is None or shell[0].startswith("/b/") or _meaning(now, "sh") == shell


def test_the_reasons() -> None:
    assert [Change("/a/x", kind, tolerated=True, other="/c/x").why for kind in Kind] == [
        "a new program on PATH",
        "new on PATH, before /c/x",
        "a program on PATH that was changed",
        "a program on PATH that was removed",
    ]


@pytest.fixture
def bins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Folders on PATH, in this order; `late` has a `runner` and a `helper`, `venv` a `tool`."""
    folders = {name: tmp_path / "outside" / name / "bin" for name in ("early", "venv", "late")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    put(folders["venv"].parent, {"pyvenv.cfg": "home = /usr/bin\n"})
    program(folders["late"], "runner")
    program(folders["late"], "helper")
    program(folders["venv"], "tool")
    path = os.pathsep.join(map(str, folders.values()))
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    return folders


def _scene(root: Path, run: str = "r1") -> Scene:
    return scene_on(root, run, commands=("runner && npx x; helper | tool", "large"))


def _named(scene: Scene) -> list[str]:
    return [name.partition(" ")[0] for name in scene.tampered]


def test_a_program_that_stands_before_another_is_moved_away(bins: dict[str, Path], make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))
    candidate = scene.attempt(lambda root: program(bins["early"], "runner", "exit 0"))
    (named,) = scene.tampered
    assert named.startswith(
        f"{bins['early']}/runner (new on PATH, before {bins['late']}/runner; what lay there is kept"
    )
    assert shutil.which("runner") == f"{bins['late']}/runner"
    assert scene.workspace.suspects(candidate) == ()


@pytest.mark.parametrize(
    "act",
    [
        lambda path: program(path.parent, path.name, "exit 0"),
        lambda path: path.unlink(),
        lambda path: path.chmod(0o644),
        lambda path: (path.unlink(), path.symlink_to("/bin/true")),
    ],
    ids=["changed", "removed", "not executable", "a link"],
)
def test_a_program_is_put_back(bins: dict[str, Path], make_repo: Repo, act: Callable[[Path], object]) -> None:
    scene = _scene(make_repo(FILES))
    runner = bins["late"] / "runner"
    before = runner.stat().st_mode, runner.read_bytes()
    scene.attempt(lambda root: act(runner))
    assert _named(scene) == [str(runner)]
    assert not runner.is_symlink()
    assert (runner.stat().st_mode, runner.read_bytes()) == before


def test_what_a_link_leads_to_is_put_back(bins: dict[str, Path], make_repo: Repo, tmp_path: Path) -> None:
    put(tmp_path, {"outside/lib/cli.js": "theirs\n"})
    (bins["late"] / "npx").symlink_to("../../lib/cli.js")
    scene = _scene(make_repo(FILES))
    scene.attempt(lambda root: put(tmp_path, {"outside/lib/cli.js": "process.exit(0)\n"}))
    assert _named(scene) == [str(tmp_path / "outside/lib/cli.js")]
    assert (tmp_path / "outside/lib/cli.js").read_text() == "theirs\n"


def test_a_new_program_that_hides_none_is_suspect(bins: dict[str, Path], make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))
    candidate = scene.attempt(lambda root: program(bins["late"], "brand-new"))
    assert scene.tampered == ()
    assert scene.workspace.suspects(candidate) == (f"{bins['late']}/brand-new: a new program on PATH",)


def test_what_stands_behind_another_never_counts(bins: dict[str, Path], make_repo: Repo) -> None:
    program(bins["late"], "tool")
    scene = _scene(make_repo(FILES))
    candidate = scene.attempt(lambda root: program(bins["late"], "tool", "exit 3"))
    assert (scene.tampered, scene.workspace.suspects(candidate)) == ((), ())


def test_in_a_virtual_environment_what_a_package_may_have_brought_is_suspect(
    bins: dict[str, Path], make_repo: Repo
) -> None:
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        program(bins["venv"], "runner", "exit 0")
        program(bins["venv"], "tool", "exit 0")
        program(bins["venv"], "fresh", "exit 0")

    candidate = scene.attempt(act)
    assert scene.tampered == ()
    assert scene.workspace.suspects(candidate) == (
        f"{bins['venv']}/fresh: a new program on PATH",
        f"{bins['venv']}/runner: new on PATH, before {bins['late']}/runner",
        f"{bins['venv']}/tool: a program on PATH that was changed",
    )


def test_no_package_brings_a_shell(bins: dict[str, Path], make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))
    scene.attempt(lambda root: program(bins["venv"], "bash", "exit 0"))
    assert _named(scene) == [f"{bins['venv']}/bash"]


def test_a_folder_cannot_be_made_a_virtual_environment_meanwhile(bins: dict[str, Path], make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        put(bins["early"].parent, {"pyvenv.cfg": "home = /usr/bin\n"})
        program(bins["early"], "runner", "exit 0")

    scene.attempt(act)
    assert _named(scene) == [f"{bins['early']}/runner"]


@pytest.fixture
def linked(bins: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A link on PATH, before all others, to a folder that has a `runner`; beside it `evil`, which has one too."""
    program(tmp_path / "outside/dotfiles/bin", "runner", "exit 7")
    program(tmp_path / "outside/evil/bin", "runner", "exit 0")
    (tmp_path / "outside/linked").symlink_to("dotfiles")
    monkeypatch.setenv("PATH", f"{tmp_path / 'outside/linked/bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "outside/linked"


def test_a_link_on_the_way_is_put_back(linked: Path, make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        linked.unlink()
        linked.symlink_to("evil")

    scene.attempt(act)
    assert _named(scene) == [str(linked)]
    assert linked.readlink() == Path("dotfiles")
    assert (linked.parent / "evil/bin/runner").exists()


def test_a_link_on_the_way_stays_when_a_program_behind_it_goes(linked: Path, make_repo: Repo) -> None:
    scene = _scene(make_repo(FILES))
    scene.attempt(lambda root: program(linked / "bin", "helper", "exit 0"))
    assert _named(scene) == [f"{linked.parent}/dotfiles/bin/helper"]
    assert linked.readlink() == Path("dotfiles")
    assert [path.name for path in (linked / "bin").iterdir()] == ["runner"]


@pytest.mark.parametrize("depth", ["late/bin", "late"])
def test_a_link_in_the_place_of_a_folder(linked: Path, bins: dict[str, Path], make_repo: Repo, depth: str) -> None:
    scene = _scene(make_repo(FILES))
    folder = linked.parent / depth
    before = (bins["late"] / "helper").read_bytes()

    def act(root: Path) -> None:
        folder.rename(folder.with_name("away"))
        folder.symlink_to(linked.parent / "evil" / Path(depth).relative_to("late"))

    scene.attempt(act)
    assert not folder.is_symlink()
    assert sorted(path.name for path in bins["late"].iterdir()) == ["helper"]
    assert (bins["late"] / "helper").read_bytes() == before
    assert scene.tampered[0].startswith(f"{bins['late']} (a link in the place of a folder; what lay there is kept: ")


def test_a_folder_that_is_not_there_yet(
    bins: dict[str, Path], make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'later'}{os.pathsep}{os.environ['PATH']}")
    scene = _scene(make_repo(FILES))
    program(tmp_path / "evil", "runner", "exit 0")
    scene.attempt(lambda root: program(tmp_path / "later", "runner", "exit 0"))
    assert _named(scene) == [f"{tmp_path}/later/runner"]
    (tmp_path / "later").rmdir()
    scene.attempt(lambda root: (tmp_path / "later").symlink_to("evil"))
    assert _named(scene) == [f"{tmp_path}/later"]
    assert (tmp_path / "evil/runner").exists()


def test_what_an_agent_left_stays_suspect_and_what_others_install_is_not(
    bins: dict[str, Path], make_repo: Repo
) -> None:
    scene = _scene(make_repo(FILES))
    first = scene.attempt(lambda root: program(bins["late"], "planted"))
    scene.workspace.restore(first)
    program(bins["late"], "by-setup")
    second = scene.attempt()
    assert scene.workspace.suspects(second) == (f"{bins['late']}/planted: a new program on PATH",)


def test_what_a_command_of_the_agents_planted_before_another_goes_after_the_next_agent(
    bins: dict[str, Path], make_repo: Repo
) -> None:
    scene = _scene(make_repo(FILES))
    scene.workspace.restore(scene.attempt())
    program(bins["early"], "runner", "exit 0")
    scene.attempt()
    assert _named(scene) == [f"{bins['early']}/runner"]


def test_large_programs_and_large_folders_are_only_suspect(
    bins: dict[str, Path], make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bins["late"] / "large").write_bytes(b"x" * ((5 << 20) + 1))
    full = tmp_path / "full"
    put(full, {str(number): "" for number in range(5_001)})
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{full}")
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        put(bins["late"], {"large": "exit 0\n"})
        put(full, {"one-more": ""})

    candidate = scene.attempt(act)
    assert scene.tampered == ()
    assert set(scene.workspace.suspects(candidate)) == {
        f"{bins['late']}/large: changed, and could not be put back",
        f"{full}/.: what PATH finds there was changed, and is too much to tell what",
    }


@pytest.mark.parametrize("count", [5_001, 4_995, 195])
def test_a_folder_that_grows_or_shrinks_over_a_bound_is_looked_at_as_before(
    bins: dict[str, Path], make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    put(tmp_path, {f"outside/full/{number}": "" for number in range(count)} | {"outside/lib/cli": "theirs\n"})
    full = tmp_path / "outside/full"
    (full / "linked").symlink_to("../lib/cli")
    program(full, "runner", "exit 7")
    monkeypatch.setenv("PATH", f"{full}{os.pathsep}{os.environ['PATH']}")
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        for number in range(10):
            (full / str(number)).unlink() if count > 5_000 else (full / f"new-{number}").touch()

    scene.attempt(act)
    assert scene.tampered == ()
    assert (full / "runner").exists()
    assert (tmp_path / "outside/lib/cli").read_text() == "theirs\n"


def test_a_start_after_a_kill_undoes_what_the_killed_agent_planted(bins: dict[str, Path], make_repo: Repo) -> None:
    root = make_repo(FILES)
    killed = _scene(root)
    killed.workspace.begin(killed.key())
    program(bins["early"], "runner", "exit 0")
    program(bins["late"], "helper", "exit 0")
    scene = _scene(root, run="r2")
    current = scene.workspace.current()
    assert current is not None
    scene.workspace.resume(current)
    scene.after(current.key)
    assert _named(scene) == [f"{bins['early']}/runner", f"{bins['late']}/helper"]


def test_folders_in_the_work_tree_are_the_persons_choice_and_what_is_planted_there_is_suspect(
    make_repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repo({**FILES, ".gitignore": "tools/\nbin/\n"})
    monkeypatch.setenv("PATH", f"./tools{os.pathsep}{root}/bin{os.pathsep}{os.environ['PATH']}")
    program(root / "bin", "theirs")
    scene = scene_on(root)

    def act(root: Path) -> None:
        program(root / "tools", "git", "exit 0")
        program(root / "bin", "pytest", "exit 0")

    candidate = scene.attempt(act)
    assert scene.tampered == ()
    assert set(scene.workspace.suspects(candidate)) == {
        "bin/pytest: new, commands may run it by its name",
        "tools/git: new, commands may run it by its name",
    }


def test_what_no_command_names_may_be_updated(bins: dict[str, Path], make_repo: Repo, tmp_path: Path) -> None:
    old, new = (program(tmp_path / "outside/versions", number, f"exit {number}") for number in "12")
    (bins["late"] / "claude").symlink_to(old)
    (bins["late"] / "runner").unlink()
    (bins["late"] / "runner").symlink_to(old)
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        for name in ("claude", "runner"):
            (bins["late"] / name).unlink()
            (bins["late"] / name).symlink_to(new)

    candidate = scene.attempt(act)
    assert (bins["late"] / "claude").readlink() == new
    assert f"{bins['late']}/claude: a program on PATH that was changed" in scene.workspace.suspects(candidate)
    assert _named(scene) == [f"{bins['late']}/runner"]


def test_a_link_to_what_is_gone_is_not_put_back(bins: dict[str, Path], make_repo: Repo, tmp_path: Path) -> None:
    old = tmp_path / "outside/versions/1"
    old.mkdir(parents=True)
    (bins["late"] / "npx").symlink_to(old)
    scene = _scene(make_repo(FILES))

    def act(root: Path) -> None:
        (bins["late"] / "npx").unlink()
        (bins["late"] / "npx").symlink_to("runner")
        old.rmdir()

    candidate = scene.attempt(act)
    assert scene.tampered == ()
    assert scene.workspace.suspects(candidate) == (f"{bins['late']}/npx: a program on PATH that was changed",)


@pytest.mark.parametrize("entry", [".", ""])
def test_the_work_tree_itself_on_path(make_repo: Repo, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{os.environ['PATH']}")
    scene = scene_on(make_repo({**FILES, ".gitignore": "mytool\n"}))
    candidate = scene.attempt(lambda root: program(root, "mytool", "exit 0"))
    assert scene.workspace.suspects(candidate) == ("mytool: new, commands may run it by its name",)


def test_a_killed_agent_that_took_the_notes_away_is_told_of(make_repo: Repo) -> None:
    root = make_repo(FILES)
    killed = _scene(root)
    killed.workspace.begin(killed.key())
    (root / ".git/prd-ralph/runs/r1/surroundings.json").unlink()
    scene = _scene(root, run="r2")
    current = scene.workspace.current()
    assert current is not None
    scene.workspace.resume(current)
    (told,) = scene.workspace.suspects(scene.after(current.key))
    assert told.endswith("killed while the agent worked, and what it had noted of the ground is gone")
