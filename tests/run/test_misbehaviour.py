"""Agents that misbehave: nothing of the person's is lost, nothing is left, and the verdict is the commands'."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.run.told import changed_by, last, outcomes, stopped, tree
from tests.support.project import Project, make_project, story

PROMISE = {"print": "<promise>COMPLETE</promise>"}
FLAGS = {"prd": {"set": {"/userStories/0/passes": True, "/userStories/1/passes": True}}}
LIMIT_S = 10


def sh(line: str) -> dict[str, Any]:
    return {"run": line}


# --- liars ----------------------------------------------------------------------------------------

LIARS: dict[str, list[dict[str, Any]]] = {
    "says so": [],
    "commits it": [{"commit": "feat: US-001 - done\n\nPrd-Ralph-Story: US-001"}],
    "on another branch": [sh("git checkout -q -B mine"), {"commit": "done"}],
    "on a detached HEAD": [sh("git checkout -q --detach"), {"commit": "done"}],
    "over the person's commit": [sh("git commit -qa --amend -m done")],
}


@pytest.mark.parametrize("how", LIARS)
def test_a_liar_moves_no_flag(tmp_path: Path, how: str) -> None:  # C003 C025
    script = {"stories": {"US-001": [[FLAGS, PROMISE, *LIARS[how]]]}}
    stories = [story("US-001", "test -f feature.txt"), story("US-002", "true", dependsOn=["US-001"])]
    project = make_project(tmp_path, stories, script)
    before, head = project.prd_path.read_bytes(), project.git("rev-parse", "HEAD")
    done = project.run("--max-attempts", "3")
    assert stopped(done) == ("exhausted", 1)
    assert project.prd_path.read_bytes() == before
    assert len(done.of("agent_started")) == len(done.of("tampered")) == 3
    assert {event["outcome"] for event in done.of("judged")} == {"no_change"}
    assert "/userStories/0/passes: false -> true" in done.err
    assert project.git("symbolic-ref", "--short", "HEAD") == "main"
    # What the agent committed is kept, under the attempts' refs; on the branch there are the run's notes alone.
    assert project.git("rev-list", f"{head}..HEAD", "--", ":!progress.txt") == ""
    assert len(project.git("for-each-ref", "refs/prd-ralph").splitlines()) == 3


DAMAGE: dict[str, list[dict[str, Any]]] = {
    "deleted": [{"delete": "prd.json"}],
    "symlink": [sh("cp prd.json ../copy.json; ln -sf ../copy.json prd.json"), FLAGS],
    "dangling": [sh("ln -sf /nowhere/at/all prd.json")],
    "fifo": [sh("rm prd.json; mkfifo prd.json")],
    "folder": [sh("rm prd.json; mkdir prd.json; touch prd.json/x")],
    "truncated": [sh("head -c 40 prd.json > ../part; cp ../part prd.json")],  # C048
    "emptied": [sh(": > prd.json")],
    "twice": [sh('sed -i.bak \'s/"passes": false/&, "passes": true/\' prd.json; rm prd.json.bak')],  # C048
    "other-types": [{"prd": {"set": {"/userStories/0/passes": "true"}}}],
    "dropped": [{"prd": {"set": {"/userStories": []}}}],  # C050
    "weakened": [{"prd": {"set": {"/userStories/0/verificationCommands": ["true"]}}}],
    "skipped": [{"prd": {"set": {"/userStories/0/skip": True}}}],
    "not-json": [{"prd": {"text": "done!"}}],
    "latin-1": [sh('printf \'{"project": "\\351"}\' > prd.json')],
    "nested": [sh("awk 'BEGIN { for (i = 0; i < 9999; i++) printf \"[\" }' > prd.json")],
    "unreadable": [sh("chmod 000 prd.json")],
}
INTACT = "cmp prd.json ../original && test ! -L prd.json && echo intact; false"


def test_prd_json_is_whole_again_before_the_commands_run(tmp_path: Path) -> None:  # C031 C048 C050
    script = {"stories": {name: [steps] for name, steps in DAMAGE.items()}}
    project = make_project(tmp_path, [story(name, INTACT) for name in DAMAGE], script)
    before = project.prd_path.read_bytes()
    (tmp_path / "original").write_bytes(before)
    done = project.run("--max-attempts", "1")
    assert {name: check["excerpt"] for name, check in last(done, "check_finished").items()} == dict.fromkeys(
        DAMAGE, "intact"
    )
    assert stopped(done) == ("exhausted", 1)
    assert project.prd_path.read_bytes() == before
    silent = {"unreadable", "symlink"}
    assert set(DAMAGE) - set(last(done, "tampered")) <= silent


def test_of_prd_json_only_the_storys_own_notes_are_kept(tmp_path: Path) -> None:
    other = {"id": "US-009", "title": "Also cache it", "passes": True}
    script = {
        "stories": {
            "US-001": [[{"write": "a.txt", "text": ""}, {"notes": "seen: “a”"}]],
            "US-002": [
                [
                    {"write": "b.txt", "text": ""},
                    {"prd": {"set": {"/userStories/-": other, "/userStories/0/notes": "mine"}}},
                ]
            ],
        }
    }
    project = make_project(tmp_path, [story("US-001", "test -f a.txt"), story("US-002", "test -f b.txt")], script)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    told = last(done, "tampered")
    assert set(told) == {"US-002"}
    assert told["US-002"]["proposals"] == ["Also cache it"]
    assert '"notes": "seen: “a”"' in project.prd_path.read_text(encoding="utf-8")
    assert "mine" not in project.prd_path.read_text(encoding="utf-8")
    assert project.passes() == {"US-001": True, "US-002": True}
    assert "proposed by agents: Also cache it   (prd-ralph proposals)" in done.err


# --- git ------------------------------------------------------------------------------------------

# Each of these is done beside the work itself, which must land as if nothing had been.
GIT_MISCHIEF: dict[str, str] = {
    "amends": "git commit -q --amend -m mine",
    "rebases": "git rebase -q --root --force-rebase",
    "stashes": "echo x >> README.md; git stash -q",
    "stashes-all": "git stash -q -u",
    "cleans": "git clean -q -fdx",
    "commits": "git add -A; git commit -q -m mine",
    "commits-all": "git add -A -f; git commit -q -m mine",
    "stages-all": "git add -A -f",
    "unstages-all": "git rm -r -q --cached .",
    "switches": "git switch -q -c other-branch",
    "detaches": "git checkout -q --detach",
    "orphans": "git checkout -q --orphan nothing",
    "merges": "git switch -q -c side; git commit -q --allow-empty -m s; git switch -q main; "
    "git merge -q --no-ff --no-commit side",
    "bisects": "git bisect start -q",
    "locks": "touch .git/index.lock .git/HEAD.lock",
    "hook": "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hooks-path": "mkdir ../hooks; printf '#!/bin/sh\\nexit 1\\n' > ../hooks/pre-commit; chmod +x ../hooks/pre-commit; "
    "git config core.hooksPath ../hooks",
    "alias": "git config alias.status '!touch ../pwned'",
    "fsmonitor": "printf '#!/bin/sh\\ntouch ../pwned\\n' > ../spy; chmod +x ../spy; git config core.fsmonitor ../spy",
    "identity": "git config user.email ''; git config user.useConfigOnly true",
    "config-gone": "rm .git/config",
    "config-broken": "echo '[[' > .git/config",
    "excludes": "echo '*' > .git/info/exclude",
    "attributes": "echo '*.txt filter=evil' > .git/info/attributes; git config filter.evil.clean 'echo evil'",
    "replaces": "git replace HEAD HEAD~1",
    "forgets": "git for-each-ref --format='delete %(refname)' refs/prd-ralph refs/worktree | git update-ref --stdin",
    "settings": "echo 'verification_commands = [\"true\"]' > prd-ralph.toml",
    "head-gone": "rm .git/HEAD",
    "head-broken": "echo nowhere > .git/HEAD",
    "head-foldered": "rm .git/HEAD; mkdir .git/HEAD",
    "index-gone": "rm .git/index",
    "index-broken": "echo broken > .git/index",
}
PERSONS = {"notes.txt": "untracked\n", "draft/idea.md": "an idea\n", "local.secret": "ignored\n"}
COMMITTED = {".gitignore": "*.secret\n"}


def put_persons_files(project: Project) -> str:
    """Files that are nobody else's, and the command that holds while they are as they were."""
    for name, text in PERSONS.items():
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).write_text(text)
    (project.root / "notes.txt").chmod(0o640)
    sums = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in PERSONS.items())
    (project.root.parent / "sums").write_text(sums)
    return KEPT


KEPT = "sha256sum -c --quiet --strict ../sums"


def test_what_an_agent_does_to_git_is_undone_and_its_work_lands(tmp_path: Path) -> None:
    script = {
        "stories": {name: [[{"write": f"{name}.txt", "text": "x\n"}, sh(line)]] for name, line in GIT_MISCHIEF.items()}
    }
    stories = [story(name, f"test -f {name}.txt") for name in GIT_MISCHIEF]
    project = make_project(tmp_path, stories, script, COMMITTED, verificationCommands=[KEPT])
    put_persons_files(project)
    config = (project.root / ".git/config").read_bytes()
    head = project.git("rev-parse", "HEAD")
    done = project.run("--max-attempts", "1")
    # These take the work itself away from the tree, so there is nothing to land.
    gone = {"stashes-all", "cleans"}
    assert outcomes(done) == {name: "no_change" if name in gone else "passed" for name in GIT_MISCHIEF}
    landed = [name for name in GIT_MISCHIEF if name not in gone]
    assert project.landings() == landed
    for name in landed:
        assert changed_by(project, name) <= {f"{name}.txt", "prd.json", "progress.txt"}, name
    assert project.git("merge-base", head, "HEAD") == head
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert (project.root / ".git/config").read_bytes() == config
    assert not (tmp_path / "pwned").exists()
    assert not (project.root / "prd-ralph.toml").exists()
    assert project.git("status", "--porcelain") == "?? draft/\n?? notes.txt"
    assert project.git("for-each-ref", "refs/replace") == ""
    committers = set(project.git("log", "--format=%ce", f"{head}..HEAD").splitlines())
    assert committers == {"person@example.invalid"}


def test_going_back_in_history_loses_nothing(tmp_path: Path) -> None:
    script = {"default": [sh("git reset -q --hard HEAD~1; git reflog expire --expire=now --all")]}
    project = make_project(tmp_path, [story("US-001", "false")], script)
    before, head = tree(project), project.git("rev-parse", "HEAD")
    done = project.run("--max-attempts", "2")
    assert stopped(done) == ("exhausted", 1)
    assert tree(project) == before
    assert project.git("merge-base", head, "HEAD") == head


@pytest.mark.parametrize("gone", [".git/prd-ralph", ".git/prd-ralph/runs/*/*"])
def test_an_agent_that_deletes_our_records_ends_the_run_and_the_next_one_goes_on(tmp_path: Path, gone: str) -> None:
    first = [{"write": "a.txt", "text": "x"}, FLAGS, sh(f"rm -rf {gone}")]
    project = make_project(
        tmp_path,
        [story("US-001", "test -f a.txt"), story("US-002", "test -f a.txt")],
        {"stories": {"US-001": [first, [{"write": "a.txt", "text": "y"}]], "US-002": [[]]}},
    )
    done = project("run")
    assert done.code == 3
    assert project.passes() == {"US-001": False, "US-002": False}
    assert "was deleted during the attempt" in done.err and "Traceback" not in done.err
    assert stopped(project.run()) == ("complete", 0)
    assert project.passes() == {"US-001": True, "US-002": True}


def test_no_flag_of_an_agents_stands_where_the_run_cannot_go_on(tmp_path: Path) -> None:
    moved = sh("mv .git ../elsewhere; echo 'gitdir: ../elsewhere' > .git")  # so nothing can be recorded any more
    project = make_project(
        tmp_path,
        [story("US-001", "test -f a.txt"), story("US-002", "true", skip=True)],
        {"stories": {"US-001": [[FLAGS, moved], [{"write": "a.txt", "text": "x"}]]}},
    )
    before = project.prd_path.read_bytes()
    done = project("run")
    assert (done.code, project.prd_path.read_bytes()) == (3, before)
    assert "Traceback" not in done.err


# --- files ----------------------------------------------------------------------------------------

FILE_MISCHIEF: dict[str, str] = {
    "edits": "echo evil >> notes.txt; echo evil > local.secret",
    "deletes": "rm -rf notes.txt draft local.secret",
    "moves": "mv notes.txt taken.txt",
    "links": "rm notes.txt; ln -s /etc/hostname notes.txt",
    "folders": "rm notes.txt; mkdir notes.txt; touch notes.txt/x",
    "pipes": "rm notes.txt; mkfifo notes.txt",
    "way-closed": "rm -r draft; touch draft",
    "way-linked": "rm -r draft; mkdir ../elsewhere; ln -s ../elsewhere draft; echo evil > draft/idea.md",
    "memory-piped": "rm -f progress.txt; mkfifo progress.txt",
    "memory-foldered": "rm -f progress.txt; mkdir progress.txt; touch progress.txt/x",
    "memory-linked": "rm -f progress.txt; ln -s notes.txt progress.txt",
    "stages": "git add -f notes.txt local.secret draft",
    "commits": "git add -A -f; git commit -q -m all",
    "modes": "chmod 777 notes.txt",
    "ignores": "echo '*' > .gitignore; rm notes.txt",
    "then-hidden": "rm -rf notes.txt draft",
}


@pytest.mark.parametrize("verdict", ["passed", "failed"])
def test_the_persons_files_are_put_back_and_never_staged(tmp_path: Path, verdict: str) -> None:
    script = {
        "stories": {
            name: [[{"write": f"src/{name}.txt", "text": "x\n"}, sh(line)]] for name, line in FILE_MISCHIEF.items()
        }
    }
    own = "true" if verdict == "passed" else "false"
    project = make_project(
        tmp_path, [story(name, own) for name in FILE_MISCHIEF], script, COMMITTED, verificationCommands=[KEPT]
    )
    put_persons_files(project)
    before = tree(project)
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == dict.fromkeys(FILE_MISCHIEF, verdict)
    green = {event["story"] for event in done.of("check_finished") if event["name"] == KEPT and not event["exit_code"]}
    assert green == set(FILE_MISCHIEF)
    after = tree(project)
    assert {name: after[name] for name in PERSONS} == {name: text.encode() for name, text in PERSONS.items()}
    assert stat.S_IMODE((project.root / "notes.txt").stat().st_mode) == 0o640
    assert project.git("diff", "--cached", "--name-only") == ""
    assert not any(set(project.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()) & set(PERSONS))
    told = last(done, "tampered")
    assert {"edits", "deletes", "moves", "links", "folders", "pipes", "way-closed", "way-linked", "modes"} <= set(told)
    assert "local.secret" in done.err and "notes.txt" in told["edits"]["what"]
    if verdict == "failed":
        assert after == before


@pytest.mark.parametrize("stage", ["agent_ended", "guarded", "frozen", "checked"])
def test_the_persons_files_are_put_back_after_a_killed_run(tmp_path: Path, stage: str) -> None:
    script = {"stories": {"US-001": [[{"write": "a.txt", "text": ""}, sh(FILE_MISCHIEF["deletes"])]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], script, COMMITTED, verificationCommands=[KEPT])
    put_persons_files(project)
    assert project.run(PRD_RALPH_FAULT=stage).code == -9
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert done.of("agent_started") == []  # the killed attempt's work is judged before an agent is paid
    assert {name: tree(project)[name] for name in PERSONS} == {name: text.encode() for name, text in PERSONS.items()}
    assert changed_by(project, "US-001") == {"a.txt", "prd.json", "progress.txt"}


NEVER_STAGED: dict[str, tuple[str, str]] = {
    "env": ("echo S=1 > .env; git add -f .env", ".env"),
    "key": ("mkdir -p etc; echo KEY > etc/server.pem", "etc/server.pem"),
    "embedded": ("git init -q vendor; touch vendor/x", "vendor/"),
    "large": ("head -c 6291456 /dev/zero > big.bin", "big.bin"),
    "modules": ("mkdir node_modules; touch node_modules/x", "node_modules/"),
}


def test_what_is_never_staged_is_left_out_and_said(tmp_path: Path) -> None:
    script = {
        "stories": {
            name: [[{"write": f"{name}.txt", "text": "x\n"}, sh(line)]] for name, (line, _) in NEVER_STAGED.items()
        }
    }
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in NEVER_STAGED], script)
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == dict.fromkeys(NEVER_STAGED, "passed")
    for name, (_, path) in NEVER_STAGED.items():
        assert changed_by(project, name) == {f"{name}.txt", "prd.json", "progress.txt"}
        assert any(line.startswith(path) for line in last(done, "candidate_frozen")[name]["left_out"]), name
    assert "left out of the commit: .env" in done.err
    assert (project.root / ".env").read_text() == "S=1\n"


WAYS_TO_HIDE: dict[str, tuple[str, set[str]]] = {
    "what git reads": ("mkfifo .gitignore .gitattributes; touch new.md", {"new.md"}),
    "skip-worktree": ("git update-index --skip-worktree README.md; echo evil >> README.md", {"README.md"}),
    "assume-unchanged": ("git update-index --assume-unchanged README.md; echo evil >> README.md", {"README.md"}),
    "same-size": ("touch -r README.md ../t; printf jello > README.md; touch -r ../t README.md", {"README.md"}),
    "fifo": ("rm README.md; mkfifo README.md", {"README.md"}),
    "folder": ("rm README.md; mkdir README.md; touch README.md/x", {"README.md", "README.md/x"}),
    "link": ("ln -sf /etc/hostname README.md", {"README.md"}),
    "file-for-folder": ("rm -r docs; touch docs", {"docs", "docs/a.md"}),
    "intent-to-add": ("echo x > new.txt; git add -N new.txt", {"new.txt"}),
    "odd-names": ("printf x > \"$(printf 'new\\nline')\"; printf x > '-rf'", {"new\nline", "-rf"}),
    "mode": ("chmod +x README.md", {"README.md"}),
}


def test_no_bit_in_gits_index_hides_a_change_and_all_is_set_aside(tmp_path: Path) -> None:
    script = {"stories": {name: [[sh(line)]] for name, (line, _) in WAYS_TO_HIDE.items()}}
    project = make_project(tmp_path, [story(name, "false") for name in WAYS_TO_HIDE], script, {"docs/a.md": "a\n"})
    before = tree(project)
    done = project.run("--max-attempts", "1")
    frozen = last(done, "candidate_frozen")
    assert {name: set(frozen[name]["files"]) for name in WAYS_TO_HIDE} == {
        name: paths for name, (_, paths) in WAYS_TO_HIDE.items()
    }
    assert tree(project) == before
    assert project.git("status", "--porcelain") == ""
    assert not (project.root / "README.md").stat().st_mode & stat.S_IXUSR
    for ref in project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph").splitlines():
        assert project.git("diff", "--name-only", f"{ref}^1", ref) != ""


# --- processes ------------------------------------------------------------------------------------

# A time to sleep that no other test sleeps.
NAP = f"300.{os.getpid()}"
SERVER = "exec python3 -m http.server 0 --bind 127.0.0.1"
LEFTOVERS: dict[str, list[dict[str, Any]]] = {
    "background": [{"spawn": f"exec sleep {NAP}", "how": "&"}],
    "session": [{"spawn": f"exec sleep {NAP}", "how": "setsid"}],
    "daemon": [{"spawn": f"exec sleep {NAP}", "how": "double-fork"}],
    "server": [{"spawn": SERVER, "how": "&"}],  # C091; it holds the agent's stdout
    "deaf": [{"spawn": f"trap '' TERM HUP INT; sleep {NAP}; sleep {NAP}", "how": "setsid"}],
    "many": [sh(f"for i in 1 2 3 4 5 6 7 8 9; do (sleep {NAP} & sleep {NAP} &) ; done")],
    "paused": [sh(f"sleep {NAP} & kill -STOP $!")],
    "clean-env": [sh(f"env -i setsid sleep {NAP} >/dev/null 2>&1 </dev/null &")],
}


def below(project: Project) -> list[psutil.Process]:
    """The processes whose working folder is the project's."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(project.root):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.mark.parametrize("how", LEFTOVERS)
def test_what_an_agent_leaves_running_is_gone_before_the_commands_run(tmp_path: Path, how: str) -> None:
    script = {"stories": {"US-001": [[{"write": "a.txt", "text": ""}, *LEFTOVERS[how]]]}}
    alone = f"! pgrep -f '^sleep {NAP}$' && test -f a.txt"
    project = make_project(tmp_path, [story("US-001", alone)], script)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    agent = last(done, "agent_finished")["US-001"]
    assert agent["swept"] >= 1 and agent["stuck"] == []
    assert agent["duration_s"] < LIMIT_S  # not the 300 s of what it left
    assert below(project) == []
    assert "that it left behind" in done.err


ENDINGS: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    # What it does last, how the attempt ends, and what the agent's end is called.
    "deaf-and-done": ([{"ignore-signals": True}, {"sleep": 300}], "passed", "wall"),  # C082
    "stopped-itself": ([{"signal": 19}], "passed", "wall"),
    "kills-its-parent": ([sh("kill -9 $PPID")], "passed", "exited"),
    "kills-grandparent": ([sh("kill -9 $(ps -o ppid= -p $PPID)"), {"sleep": 300}], "passed", "lost"),
}


def test_however_an_agent_ends_the_commands_still_judge_its_work(tmp_path: Path) -> None:
    script = {
        "stories": {name: [[{"write": f"{name}.txt", "text": ""}, *steps]] for name, (steps, _, _) in ENDINGS.items()}
    }
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in ENDINGS], script)
    done = project.run("--max-attempts", "1", "--timeout", "1")
    assert outcomes(done) == {name: outcome for name, (_, outcome, _) in ENDINGS.items()}
    ends = {name: event["end"] for name, event in last(done, "agent_finished").items()}
    assert ends == {name: how for name, (_, _, how) in ENDINGS.items()}
    assert below(project) == []


PEAK = """p=$PPID
for _ in supervisor prd-ralph; do p=$(ps -o ppid= -p $p); done
grep VmHWM /proc/$((p))/status > ../peak"""


def test_200_mb_in_one_line_are_nothing_special(tmp_path: Path) -> None:  # C099
    script = {"stories": {"US-001": [[{"write": "a.txt", "text": ""}, {"bytes": 200_000_000}, sh(PEAK)]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], script)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert last(done, "agent_finished")["US-001"]["output_bytes"] == 200_000_000
    kept = sum(path.stat().st_size for path in (project.root / ".git/prd-ralph").rglob("*") if path.is_file())
    assert kept < 50_000_000
    assert len(done.err) < 10_000
    _, kib, _ = (tmp_path / "peak").read_text().split()
    assert int(kib) < 100_000
