"""What git remembers: recent commits, landings, attempts."""

import os
from pathlib import Path

import pytest

from prd_ralph.names import encode_story
from prd_ralph.workspace.history import LandingRecord, Landings, attempt_counts, landings, recent_commits
from prd_ralph.workspace.location import discover
from tests.conftest import Repo, git
from tests.workspace.looks import git_at, signer


@pytest.fixture
def repo(make_repo: Repo) -> Path:
    return make_repo()


@pytest.fixture
def unborn(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def commit(root: Path, message: str) -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


def landing(story: str, prd: str = "prd.json ralph/x", **more: str) -> str:
    trailers = {"Story": story, "Prd": prd, "Run": "r", "Attempt": "2", "Agent": "scripted 1", "Proof": "proved"}
    lines = "\n".join(f"Prd-Ralph-{key}: {value}" for key, value in (trailers | more).items())
    return f"feat: {story} - Title\n\n{lines}\nPrd-Ralph-Check: make test\nPrd-Ralph-Check: lint\n"


def found(root: Path, prd: str = "prd.json", branch: str | None = "ralph/x") -> Landings:
    return landings(git_at(root), discover(root), prd, branch)


# --- recent commits ----------------------------------------------------------------------------------


def test_recent_commits_are_newest_first_and_bounded(repo: Path) -> None:
    newest = [commit(repo, f"{subject}\n\nbody\n") for subject in ("one", "two: ü", "three")]

    assert recent_commits(git_at(repo), 2) == (f"{newest[2][:7]} three", f"{newest[1][:7]} two: ü")
    assert len(recent_commits(git_at(repo), 10)) == 4
    assert recent_commits(git_at(repo), 0) == ()


def test_an_unborn_head_has_no_history(unborn: Path) -> None:
    assert recent_commits(git_at(unborn), 5) == ()
    assert found(unborn) == Landings({}, False)
    assert attempt_counts(git_at(unborn), ["US-001"]) == {"US-001": 0}


def test_configuration_of_log_does_not_change_it(repo: Path, tmp_path: Path) -> None:
    for key, value in {
        "log.showSignature": "true",
        "log.decorate": "full",
        "log.showRoot": "true",
        "log.follow": "true",
        "format.pretty": "fuller",
        "color.ui": "always",
        "i18n.logOutputEncoding": "latin-1",
        "log.mailmap": "true",
        "trailer.separators": "=:",
    }.items():
        git(repo, "config", key, value)
    git(repo, "config", "gpg.program", signer(tmp_path))
    git(repo, "config", "commit.gpgsign", "true")
    newest = commit(repo, landing("ü"))

    assert recent_commits(git_at(repo), 1) == (f"{newest[:7]} feat: ü - Title",)
    assert list(found(repo).records) == ["ü"]


# --- landings ----------------------------------------------------------------------------------------


def test_a_landing_is_read_from_its_trailers(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2031-03-01T10:00:00+0200")
    made = commit(repo, landing("US-001"))

    assert found(repo) == Landings(
        {"US-001": LandingRecord(made, 2, "proved", "scripted 1", "2031-03-01T08:00:00Z", "r")}, shallow=False
    )


def test_the_newest_landing_of_a_story_counts(repo: Path) -> None:
    commit(repo, landing("US-001"))
    newest = commit(repo, landing("US-001", Attempt="3", Proof="unproven"))
    commit(repo, landing("US-002"))

    assert found(repo).records["US-001"].commit == newest
    assert found(repo).records["US-001"].proof == "unproven"
    assert set(found(repo).records) == {"US-001", "US-002"}


@pytest.mark.parametrize(
    "other", ["prd.json", "prd.json ralph/y", "a/prd.json ralph/x", "prd.json ralph/x y", "prd.jsonralph/x", "ralph/x"]
)
def test_only_this_prd_on_this_branch_counts(repo: Path, other: str) -> None:
    commit(repo, landing("US-001", prd=other))

    assert found(repo).records == {}


def test_a_prd_without_a_branch_name_and_a_path_with_blanks(repo: Path) -> None:
    commit(repo, landing("US-001", prd="my docs/prd.json"))

    assert list(found(repo, "my docs/prd.json", None).records) == ["US-001"]
    assert found(repo, "my", "docs/prd.json").records != {}


@pytest.mark.parametrize("attempt", ["", "two", "-1", "²"])
def test_a_broken_trailer_costs_its_value_only(repo: Path, attempt: str) -> None:
    commit(repo, landing("US-001", Attempt=attempt))

    assert found(repo).records["US-001"].attempt is None


def test_what_stands_in_the_text_of_a_message_is_no_trailer(repo: Path) -> None:
    commit(repo, "docs: how we commit\n\n" + landing("US-001") + "\nThat is how.\nAnd so on.\n")
    commit(repo, "feat: x\n\nPrd-Ralph-Prd: prd.json ralph/x\n")

    assert found(repo).records == {}


def test_trailers_of_others_may_follow(repo: Path) -> None:
    commit(repo, landing("US-001") + "Signed-off-by: Person <person@example.invalid>\n")

    assert list(found(repo).records) == ["US-001"]


def test_only_the_current_branch_is_read(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "other")
    commit(repo, landing("US-001"))
    git(repo, "switch", "-q", "main")

    assert found(repo).records == {}


def test_a_merged_landing_is_on_the_branch(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "other")
    commit(repo, landing("US-001"))
    git(repo, "switch", "-q", "main")
    commit(repo, "main goes on")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "other")

    assert list(found(repo).records) == ["US-001"]


def test_a_shallow_clone_says_so(repo: Path, tmp_path: Path) -> None:
    commit(repo, landing("US-001"))
    commit(repo, landing("US-002"))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")

    shallow = found(tmp_path / "shallow")

    assert list(shallow.records) == ["US-002"]
    assert shallow.shallow
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert not found(tmp_path / "shallow").shallow


def test_bytes_that_are_no_text_do_not_stop_it(repo: Path) -> None:
    tree, head = git(repo, "rev-parse", "HEAD^{tree}", "HEAD").split()
    body = f"tree {tree}\nparent {head}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n".encode()
    (repo / "raw").write_bytes(body + landing("US-001").encode().replace(b"Title", b"\xff\xfe"))
    git(repo, "update-ref", "HEAD", git(repo, "hash-object", "-t", "commit", "-w", "raw"))

    assert list(found(repo).records) == ["US-001"]
    assert len(recent_commits(git_at(repo), 5)) == 2


# --- attempts ----------------------------------------------------------------------------------------


def test_attempts_are_counted_over_all_runs(repo: Path) -> None:
    odd, long = "a/b: ü", "x" * 150
    for run, story, number in [
        ("r1", "US-001", 10),
        ("r1", "US-001", 2),
        ("r2", "US-001", 1),
        ("r2", odd, 1),
        ("r3", long, 4),
    ]:
        git(repo, "update-ref", f"refs/prd-ralph/{run}/{encode_story(story)}/{number}", "HEAD")

    assert attempt_counts(git_at(repo), ["US-001", odd, long, "US-002"]) == {"US-001": 10, odd: 1, long: 4, "US-002": 0}


def test_refs_of_another_shape_are_passed_by(repo: Path) -> None:
    for ref in (
        "refs/prd-ralph/r/US-001",
        "refs/prd-ralph/r2/US-001/last",
        "refs/prd-ralph/r3/US-001/1/deep",
        "refs/prd-ralphs/r/US-001/9",
    ):
        git(repo, "update-ref", ref, "HEAD")

    assert attempt_counts(git_at(repo), ["US-001"]) == {"US-001": 0}


def test_environment_of_a_hook_does_not_redirect_it(repo: Path, make_repo: Repo) -> None:
    other = make_repo(name="other")
    commit(other, "elsewhere")

    assert len(recent_commits(git_at(repo, os.environ | {"GIT_DIR": str(other / ".git")}), 5)) == 1
