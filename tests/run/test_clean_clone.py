"""Whatever agents do: a story that a commit calls passed passes in a fresh clone of that commit."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.project import Done, Project, make_project, story

Steps = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """The command that judges what an agent does, and whether it may pass; `notes` are those that it leaves."""

    command: object
    steps: Steps
    passes: bool = True
    notes: str | None = None


def _shell(line: str) -> Steps:
    return [{"run": line}]


def _put(path: str, text: str = "x\n") -> Steps:
    return [{"write": path, "text": text}]


CASES: dict[str, Case] = {
    "honest": Case("grep -q done honest.txt", _put("honest.txt", "done\n")),
    "nothing to do": Case("test -f kept.txt", [{"print": "done already"}]),
    "nested folders": Case("grep -q x deep/er/still/file.py", _put("deep/er/still/file.py")),
    "executable": Case(["bin/tool.sh"], [*_put("bin/tool.sh", "#!/bin/sh\nexit 0\n"), *_shell("chmod +x bin/tool.sh")]),
    "made executable": Case(["./old.sh"], _shell("chmod +x old.sh")),
    "link": Case("test -L link && grep -q kept link", _shell("ln -s kept.txt link")),
    "link to a folder": Case("grep -q a by/a.md", _shell("ln -s docs by")),
    "dangling link": Case("test -L nowhere", _shell("ln -s to/nothing nowhere")),
    "link for file": Case("test -L turned-link", _shell("ln -sf kept.txt turned-link")),
    "deletion": Case("! test -e doomed.txt", [{"delete": "doomed.txt"}]),
    "rename": Case("! test -e before.txt && grep -q before after.txt", _shell("mv before.txt after.txt")),
    "rename of case": Case("test -f case.txt && ! test -e Case.txt", _shell("mv Case.txt case.txt")),
    "odd name": Case("test -f './-a \"*[b]\té?.txt'", _put('-a "*[b]\té?.txt')),
    "name that is no text": Case("test -f $'\\xff\\nq'", _shell("echo > \"$(printf '\\377\\nq')\"")),
    "file for folder": Case("grep -q now turned", _shell("rm -r turned && echo now > turned")),
    "folder for file": Case("grep -q now flat/file", _shell("rm flat && mkdir flat && echo now > flat/file")),
    "notes": Case("test -f noted", [*_put("noted"), {"notes": "remember é"}], notes="remember é"),
    "own commit": Case("test -f own", [*_put("own"), {"commit": "mine"}]),
    "staged otherwise": Case("grep -q y staged", [*_put("staged"), *_shell("git add staged && echo y > staged")]),
    "removed from the index": Case("grep -q a docs/a.md", _shell("git rm -q --cached docs/a.md")),
    "assumed unchanged": Case("grep -q y quiet", _shell("git update-index --assume-unchanged quiet; echo y > quiet")),
    "skip-worktree": Case("grep -q y skipped", _shell("git update-index --skip-worktree skipped; echo y > skipped")),
    "intent to add": Case("test -s later", [*_put("later"), *_shell("git add -N later")]),
    "own exclude": Case("test -f hidden", _shell("echo hidden >> .git/info/exclude; echo > hidden")),
    "left out, not needed": Case("test -f needed", [*_put("key.pem"), *_put("needed")]),
    "left out, needed": Case("test -f .env", [*_put(".env"), *_put("a1")], passes=False),
    "modules": Case("test -f node_modules/m.js", [*_put("node_modules/m.js"), *_put("a2")], passes=False),
    "own ignore rule": Case("test -f hid/x", [*_put(".gitignore", "hid/\n"), *_put("hid/x")], passes=False),
    "embedded repository": Case("test -f in/f", _shell("git init -q in; echo > in/f; echo > a3"), passes=False),
}
FILES = {
    **{name: f"{name.removesuffix('.txt')}\n" for name in ("kept.txt", "doomed.txt", "before.txt", "Case.txt", "flat")},
    "old.sh": "#!/bin/sh\nexit 0\n",
    "docs/a.md": "a\n",
    "turned/x": "x\n",
    "turned-link": "x\n",
    "quiet": "x\n",
    "skipped": "x\n",
}

# Strips blanks at line ends of what is committed, as formatters do, and adds it.
FORMATTER = """#!/bin/sh
for file in $(git diff --cached --name-only --diff-filter=AM -- '*.py'); do
    sed -i 's/ *$//' "$file" && git add "$file"
done
"""
FORMATTED: dict[str, Case] = {
    "formatted": Case("grep -q '^a$' new.py", _put("new.py", "a\n")),
    "formatted into a pass": Case("grep -q a other.py", _put("other.py", "a  \n")),
    "formatted away": Case("grep -q 'a  ' away.py", _put("away.py", "a  \n"), passes=False),
}
BUILT: dict[str, Case] = {
    "ignored folder": Case("test -f src.c", [*_put("build/out"), *_put("src.c")]),
    "forced into git": Case("test -f src.h", [*_put("build/mine"), *_put("src.h"), *_shell("git add -f build/mine")]),
    "ignored folder gone": Case("test -f src.o", [{"delete": "build"}, *_put("src.o")]),
}


# What can pass although no clone has it. Each that is mended moves up into the table.
def _project(folder: Path, cases: Mapping[str, Case], prd: str = "prd.json", ignored: str = "") -> Project:
    stories = [story(name, case.command, notes="") for name, case in cases.items()]
    script = {"prd": prd, "stories": {name: [case.steps] for name, case in cases.items()}}
    files = {**FILES, **({".gitignore": ignored} if ignored else {})}
    project = make_project(folder, stories, script, files, verificationCommands=["test -f README.md"])
    if prd != "prd.json":
        (project.root / prd).parent.mkdir(parents=True)
        project.git("mv", "prd.json", prd)
        project.git("commit", "-q", "-m", "moved")
    return project


def _run(project: Project) -> Done:
    return project.run("--max-attempts", "1", "--max-iterations", "100")


def _check(project: Project, cases: Mapping[str, Case], clones: Path, prd: str = "prd.json") -> None:
    """That the last commit's flags are those of the table, and each of them holds in a clone of its landing."""
    last = json.loads(project.git("show", f"HEAD:{prd}"))
    assert {each["id"]: each["passes"] for each in last["userStories"]} == {
        name: case.passes for name, case in cases.items()
    }
    commits = project.git("log", "--reverse", "--format=%H", "--grep=^Prd-Ralph-Story: ").splitlines()
    landings = dict(zip(project.landings(), commits, strict=True))
    assert sorted(landings) == sorted(name for name, case in cases.items() if case.passes)
    assert [name for name, commit in landings.items() if not _holds(project, commit, last, name, clones)] == []
    for name, commit in landings.items():
        _check_prd(project, commit, prd, name, cases[name].notes)


def _holds(project: Project, commit: str, prd: Mapping[str, Any], name: str, clones: Path) -> bool:
    """Whether all commands of a story exit with 0 in a fresh clone of the commit."""
    clone = clones / commit
    subprocess.run(["git", "clone", "-q", "--no-checkout", project.root, clone], check=True)
    subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=clone, check=True)
    own = next(each["verificationCommands"] for each in prd["userStories"] if each["id"] == name)
    return all(_exits_with_0(command, clone) for command in [*prd["verificationCommands"], *own])


def _exits_with_0(command: str | list[str], root: Path) -> bool:
    argv = command if isinstance(command, list) else ["bash", "-o", "pipefail", "-c", command]
    return subprocess.run(argv, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def _check_prd(project: Project, commit: str, prd: str, name: str, notes: str | None) -> None:
    """That the landing changed this flag in prd.json, the notes if they were edited, and no other line."""
    before, after = (project.git("show", f"{each}:{prd}") for each in (f"{commit}^", commit))
    expected = json.loads(before)
    ours = next(each for each in expected["userStories"] if each["id"] == name)
    assert ours["passes"] is False
    ours |= {"passes": True} if notes is None else {"passes": True, "notes": notes}
    assert json.loads(after) == expected
    changed = [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert [line.split(":")[0].strip() for line in changed] == ['"passes"', *(['"notes"'] if notes is not None else [])]


def test_every_story_that_passes_does_so_in_a_clone_of_its_landing(tmp_path: Path) -> None:
    project = _project(tmp_path, CASES)
    assert _run(project).code == 1
    _check(project, CASES, tmp_path)


def test_also_with_prd_json_in_its_own_folder(tmp_path: Path) -> None:
    names = ("honest", "executable", "nested folders", "notes", "own commit", "left out, needed")
    cases, place = {name: CASES[name] for name in names}, "scripts/ralph/prd.json"
    project = _project(tmp_path, cases, place)
    assert _run(project).code == 1
    _check(project, cases, tmp_path, place)


def test_also_where_a_hook_formats_what_is_committed(tmp_path: Path) -> None:
    cases = {**FORMATTED, **{name: CASES[name] for name in ("honest", "executable", "notes", "deletion")}}
    project = _project(tmp_path, cases)
    hook = project.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(FORMATTER)
    hook.chmod(0o755)
    assert _run(project).code == 1
    _check(project, cases, tmp_path)


def test_also_where_an_ignored_build_folder_is_present(tmp_path: Path) -> None:
    cases = {**BUILT, **{name: CASES[name] for name in ("honest", "notes", "left out, needed")}}
    project = _project(tmp_path, cases, ignored="build/\n")
    (project.root / "build").mkdir()
    (project.root / "build/lib.o").write_text("lib\n")
    assert _run(project).code == 1
    _check(project, cases, tmp_path)
