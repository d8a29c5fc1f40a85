"""A run in the person's own repository: their hooks, signer, identity, branches, commits and ignore rules."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import changed_by, end, last, outcomes, starts, stopped, tree
from tests.support.project import Project, make_project, story

WORK = {"write": "a.txt", "text": "a\n"}
STORY = story("US-001", "test -f a.txt")


def put_hook(project: Project, text: str, name: str = "pre-commit") -> None:
    hook = project.root / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{text}\n")
    hook.chmod(0o755)


# --- the person's hooks ---------------------------------------------------------------------------


def test_a_hook_that_refuses_is_a_failed_attempt_and_is_fed_back(tmp_path: Path) -> None:
    again = {"write": "a.txt", "text": "TICKET-1\n"}
    script = {"stories": {"US-001": [[WORK], [{"expect": "no ticket in a.txt"}, again]]}}
    project = make_project(tmp_path, [STORY], script)
    put_hook(project, "grep -q TICKET a.txt || { echo 'no ticket in a.txt'; exit 1; }")
    done = project.run()
    assert stopped(done) == ("complete", 0)
    told = [(event["outcome"], event["reason"]) for event in done.of("judged")]
    assert told == [("passed", ""), ("failed", "hook"), ("passed", "")]
    assert "no ticket in a.txt" in done.of("land_failed")[0]["text"]
    assert project.git("show", "HEAD:a.txt") == "TICKET-1"


def test_the_same_refusal_twice_with_nothing_changed_ends_the_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK]})
    before, head = project.prd_path.read_bytes(), project.git("rev-parse", "HEAD")
    put_hook(project, "echo never; exit 1")
    done = project.run()
    assert stopped(done) == ("environment", 3)
    assert starts(done) == ["US-001", "US-001"]
    assert outcomes(done) == {"US-001": "land_failed"}
    assert not last(done, "judged")["US-001"]["charged"]
    assert project.prd_path.read_bytes() == before
    assert project.git("rev-list", f"{head}..HEAD", "--", ":!progress.txt") == ""
    assert (project.root / "a.txt").read_text() == "a\n"  # the work is kept
    assert "land_failed" in done.err and "never" in done.err


HOOKS_THAT_CHANGE = {
    "formats the file and fails": "grep -q FORMATTED a.txt && exit 0; echo FORMATTED >> a.txt; exit 1",
    "formats the file and adds it": "grep -q FORMATTED a.txt || echo FORMATTED >> a.txt; git add a.txt",
}


@pytest.mark.parametrize("hook", HOOKS_THAT_CHANGE)
def test_what_a_hook_changes_is_checked_again_and_lands(tmp_path: Path, hook: str) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK]})
    put_hook(project, HOOKS_THAT_CHANGE[hook])
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert len(starts(done)) == 1
    assert len(done.of("candidate_frozen")) == len(done.of("check_finished")) == 2
    assert project.git("show", "HEAD:a.txt") == "a\nFORMATTED"
    assert project.git("status", "--porcelain") == ""


def test_what_a_hook_breaks_does_not_land(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "grep -q '^a$' a.txt")], {"default": [WORK]})
    put_hook(project, "grep -q '^a$' a.txt || exit 0; echo FORMATTED > a.txt; exit 1")
    done = project.run("--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    assert [event["outcome"] for event in done.of("judged")] == ["passed", "failed"]
    assert project.passes() == {"US-001": False}


def test_a_hook_that_adds_everything_sweeps_nothing_in(tmp_path: Path) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK]})
    (project.root / "mine.txt").write_text("mine\n")
    put_hook(project, "git add -A")
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == {"US-001": "failed"}
    assert "mine.txt" in last(done, "land_failed")["US-001"]["text"]
    assert "mine.txt" not in project.git("ls-tree", "-r", "--name-only", "HEAD")
    assert project.git("status", "--porcelain", "mine.txt") == "?? mine.txt"
    assert project.passes() == {"US-001": False}


def test_the_commits_hooks_run_and_see_no_flipped_file(tmp_path: Path) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK]})
    put_hook(project, "grep -c '\"passes\": false' prd.json > ../seen")
    put_hook(project, 'echo "Reviewed-by: hook" >> "$1"', "commit-msg")
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert (tmp_path / "seen").read_text() == "1\n"
    assert "Reviewed-by: hook" in project.git("log", "--format=%B", "--grep=Prd-Ralph-Story")


# --- what a commit needs --------------------------------------------------------------------------


def no_signer(project: Project) -> None:  # C108
    project.git("config", "commit.gpgsign", "true")
    project.git("config", "gpg.program", "false")


def no_identity(project: Project) -> None:  # C109
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")


def locked(project: Project) -> None:  # C111
    (project.root / ".git/index.lock").touch()


@pytest.mark.parametrize("lacking", [no_signer, no_identity, locked])
def test_what_would_stop_a_commit_is_found_before_an_agent_is_paid(tmp_path: Path, lacking: Any) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK, {"run": "touch ../paid"}]})
    lacking(project)
    before = project.snapshot()
    done = project.run()
    assert (done.code, done.out) == (3, "")
    assert "hint: " in done.err
    assert project.snapshot() == before
    assert not (tmp_path / "paid").exists()


# --- the person at work meanwhile -----------------------------------------------------------------

AS_PERSON = "env GIT_COMMITTER_NAME=Person GIT_COMMITTER_EMAIL=person@example.invalid git"
MEANWHILE = {
    "commits": f"echo mine > mine.txt; git add mine.txt; {AS_PERSON} commit -q -m mine",
    "switches": f"{AS_PERSON} switch -q -c topic",
    "goes back": f"{AS_PERSON} reset -q --hard HEAD~1",
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_a_persons_hand_on_head_ends_the_run_and_loses_nothing(tmp_path: Path, what: str) -> None:
    script = {"default": [WORK, {"run": MEANWHILE[what] + "; git rev-parse HEAD > ../theirs"}]}
    project = make_project(tmp_path, [STORY], script)
    done = project.run()
    assert stopped(done) == ("foreign_change", 1)
    assert project.git("rev-parse", "HEAD") == (tmp_path / "theirs").read_text().strip()
    assert project.landings() == []
    assert "foreign_change" in done.err
    if what == "commits":
        assert (project.root / "mine.txt").read_text() == "mine\n"
        assert (project.root / "a.txt").read_text() == "a\n"


# --- where the run works --------------------------------------------------------------------------


def test_a_branch_is_made_and_the_next_run_goes_on_there(tmp_path: Path) -> None:
    stories = [STORY, story("US-002", "test -f b.txt")]
    script = {"stories": {"US-001": [[WORK]], "US-002": [[{"write": "b.txt", "text": ""}]]}}
    project = make_project(tmp_path, stories, script, branchName="ralph/feature")
    main = project.git("rev-parse", "main")
    first = project.run("--once")
    assert (first.code, end(first)["branch"]) == (1, "ralph/feature")
    assert project.git("symbolic-ref", "--short", "HEAD") == "ralph/feature"
    project.git("switch", "-q", "main")
    assert project.passes() == {"US-001": False, "US-002": False}
    second = project.run()
    assert stopped(second) == ("complete", 0)
    assert starts(second) == ["US-002"]  # the branch's own prd.json is the one that counts
    assert project.git("symbolic-ref", "--short", "HEAD") == "ralph/feature"
    assert project.git("rev-parse", "main") == main
    assert project.landings() == ["US-001", "US-002"]
    assert "branch: ralph/feature" in second.err


def test_prd_json_in_its_own_folder_run_from_a_folder_below(tmp_path: Path) -> None:
    project = make_project(tmp_path, [STORY], {"default": [WORK]}, {"src/x.py": ""}, commit_prd=False)
    (project.root / "scripts/ralph").mkdir(parents=True)
    project.prd_path.rename(project.root / "scripts/ralph/prd.json")
    done = project("run", "--json", cwd=project.root / "src")
    assert stopped(done) == ("complete", 0)
    assert changed_by(project, "US-001") == {"a.txt", "scripts/ralph/prd.json", "scripts/ralph/progress.txt"}
    assert '"passes": true' in (project.root / "scripts/ralph/prd.json").read_text()
    assert "Prd-Ralph-Prd: scripts/ralph/prd.json" in project.git("log", "-1", "--format=%B", "--grep=Story")


def test_a_prd_json_that_git_ignores_holds_the_flag_alone(tmp_path: Path) -> None:
    ignore = {".gitignore": "prd.json\nprogress.txt\n"}
    project = make_project(tmp_path, [STORY], {"default": [WORK]}, ignore, commit_prd=False)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True}
    assert project.landings() == ["US-001"]
    assert changed_by(project, "US-001") == {"a.txt"}
    told = [event["message"] for event in done.of("warning") if "ignore" in event["message"]]
    assert len(told) == 1
    assert stopped(project.run()) == ("complete", 0)


def test_the_prd_and_its_notes_may_be_uncommitted_and_nothing_else(tmp_path: Path) -> None:  # C106
    project = make_project(tmp_path, [STORY], {"default": [WORK]}, commit_prd=False)
    assert stopped(project.run()) == ("complete", 0)
    opening = project.git("log", "--format=%s", "--reverse").splitlines()[1]
    assert opening.startswith("chore: ")
    (project.root / "README.md").write_text("mine\n")
    before = project.snapshot()
    done = project.run()
    assert (done.code, done.out) == (3, "")
    assert "changed but not committed: README.md" in done.err
    assert project.snapshot() == before


def odd_but_clean(project: Project) -> None:
    """A tree that `git status --porcelain` finds clean, though a check of one's own would not."""
    (project.root / "crlf.txt").write_bytes(b"a\n")
    (project.root / ".gitattributes").write_text("crlf.txt text eol=crlf\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "line ends")
    project.git("checkout", "-q", "--", "crlf.txt")
    (project.root / "README.md").write_text("stashed\n")
    project.git("stash", "-q")
    project.git("config", "core.fileMode", "false")
    (project.root / "README.md").chmod(0o755)
    excludes = project.root.parent / "excludes"
    excludes.write_text("*.swp\n")
    project.git("config", "core.excludesFile", str(excludes))
    (project.root / ".x.swp").touch()


def test_clean_is_what_git_calls_clean(tmp_path: Path) -> None:  # C105
    project = make_project(tmp_path, [STORY], {"default": [WORK]})
    odd_but_clean(project)
    assert project.git("status", "--porcelain") == ""
    assert stopped(project.run()) == ("complete", 0)
    assert changed_by(project, "US-001") == {"a.txt", "prd.json", "progress.txt"}
    assert project.git("stash", "list") != ""


def test_without_a_repository_it_says_so(tmp_path: Path) -> None:  # C105
    (tmp_path / "prd.json").write_text(json.dumps({"project": "Test", "userStories": [STORY]}))
    done = Project(tmp_path, {}).run("--agent-command", "true")
    assert (done.code, done.out) == (3, "")
    assert "not a git repository" in done.err and "hint: git init" in done.err


def test_nothing_of_ours_gets_into_the_persons_history(tmp_path: Path) -> None:  # C113
    own = {"run": "git add -A -f; git commit -q -m mine"}
    project = make_project(tmp_path, [STORY, story("US-002", "false")], {"default": [WORK, own]})
    assert project.run("--max-attempts", "1").code == 1
    assert set(project.git("ls-files").splitlines()) == {"README.md", "a.txt", "prd.json", "progress.txt"}
    assert project.git("status", "--porcelain") == ""


# --- names ----------------------------------------------------------------------------------------


def test_ids_of_any_text_work_and_are_encoded_where_they_become_names(tmp_path: Path) -> None:  # C160
    ids = ["a/b c", "修复", "../../up", "-rf", "x; touch pwned", "HEAD.lock", "%41"]
    script = {"default": [WORK]}
    project = make_project(tmp_path, [story(name, "test -f a.txt", "false") for name in ids], script)
    before = tree(project)
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == dict.fromkeys(ids, "failed")
    refs = project.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/prd-ralph").splitlines()
    assert {ref.split("/")[0] for ref in refs} == {
        *("a%2Fb%20c", "%E4%BF%AE%E5%A4%8D", "%2E%2E%2F%2E%2E%2Fup", "-rf", "x%3B%20touch%20pwned", "HEAD%2Elock"),
        "%2541",
    }
    assert tree(project) == before
    shown = project("show", end(done)["run"], "a/b c", "1", "--checks")
    assert shown.code == 0 and "false" in shown.out


@pytest.mark.parametrize("name", ["x; touch pwned", "--upload-pack=x", "../..", "a..b", "HEAD", "refs/heads/x y"])
def test_branch_names_that_git_would_not_have_are_refused(tmp_path: Path, name: str) -> None:  # C160
    project = make_project(tmp_path, [STORY], {"default": [WORK]}, branchName=name)
    before = project.snapshot()
    done = project.run()
    assert done.code in (2, 3) and done.out == ""
    assert "branch" in done.err
    assert project.snapshot() == before
    assert not list(tmp_path.rglob("pwned"))


def test_titles_and_paths_are_data(tmp_path: Path) -> None:  # C096
    title = "`touch pwned` $(touch pwned) ; touch pwned \"'\u202e\x1b[31m"
    agent = "sh -c 'cat > ../prompt; touch a.txt'"
    project = make_project(tmp_path, [story("US-001", "test -f a.txt", title=title)])
    done = project.run("--agent-command", agent)
    assert stopped(done) == ("complete", 0)
    assert "`touch pwned` $(touch pwned) ; touch pwned" in (tmp_path / "prompt").read_text(encoding="utf-8")
    assert not list(tmp_path.rglob("pwned"))
    subject = project.git("log", "-1", "--format=%s", "--grep=Prd-Ralph-Story")
    assert subject.startswith("feat: US-001 - `touch pwned`") and "\x1b" not in subject + done.err


# --- the machine ----------------------------------------------------------------------------------


def test_a_bare_machine_is_enough_and_the_absent_bash_is_named_once(tmp_path: Path) -> None:  # C148
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git", "sh", "cat"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    stories = [STORY, story("US-002", "git cat-file -e HEAD:a.txt")]
    project = make_project(tmp_path, stories, {"default": [WORK]})
    done = project.run(PATH=str(tools))
    assert stopped(done) == ("complete", 0)
    assert done.err.count("bash is not on PATH") == 1


def test_an_agent_in_a_container_is_any_argv(tmp_path: Path) -> None:  # C159
    fake = tmp_path / "docker"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > ../argv\nwc -c > ../size\ntouch a.txt\n')
    fake.chmod(0o755)
    project = make_project(tmp_path, [STORY])
    done = project.run("--agent-command", f"{fake} run --rm -i -v {{root}}:{{root}} -w {{root}} 'my image' agent")
    assert stopped(done) == ("complete", 0)
    root = str(project.root.resolve())
    argv = ["run", "--rm", "-i", "-v", f"{root}:{root}", "-w", root, "my image", "agent"]
    assert (tmp_path / "argv").read_text().splitlines() == argv
    assert int((tmp_path / "size").read_text()) == last(done, "agent_started")["US-001"]["prompt_bytes"]
