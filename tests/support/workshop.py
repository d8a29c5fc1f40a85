"""A project for runs that are cut short: a person's files in it, and an agent of a few lines of shell."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.project import Done, Project, make_project, story

WORK = "echo done > one.txt; echo better > a.txt; rm -f old.txt"
"""What makes US-001 pass."""
CHECK = "test -f one.txt && grep -q better a.txt && ! test -f old.txt"
LIE = """
sed -i 's/"passes": false/"passes": true/' prd.json
git add -A; git commit -qm 'feat: US-001 - all of it is done'
echo '{"project": "Te' > prd.json
echo lie > lie.txt; echo spoilt > mine.txt; rm -f kept.log
"""
SPOIL = "echo junk > junk.txt; echo worse > a.txt; mkdir -p deep/er; echo x > deep/er/new.txt; rm old.txt"
PERSONS = {"mine.txt": b"the person's\n", "notes/todo.md": b"todo\n", "kept.log": b"ignored\n", ".env": b"KEY=1\n"}
TRAILERS = ("Story", "Prd", "Run", "Attempt", "Agent", "Proof", "Check")


class Workshop:
    """US-001, which passes by WORK. Each start of the agent plays the next of `plays`, the last one repeats."""

    def __init__(self, folder: Path, plays: Sequence[str], stories: Sequence[dict[str, Any]] | None = None) -> None:
        self.folder = folder
        files = {"a.txt": "good\n", "old.txt": "old\n", ".gitignore": "*.log\n.env\n"}
        made = stories or [story("US-001", CHECK)]
        self.project: Project = make_project(folder, made, files=files)
        self.base = self.project.git("rev-parse", "HEAD")
        for path, data in PERSONS.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_bytes(data)
        for number, play in enumerate(plays, 1):
            (folder / f"play-{number}.sh").write_text(play)
        agent = f"""
            cat > /dev/null; echo start >> {folder}/starts
            number=$(wc -l < {folder}/starts)
            while ! test -f {folder}/play-$number.sh; do number=$((number - 1)); done
            . {folder}/play-$number.sh
        """
        (folder / "agent.sh").write_text(agent)

    @property
    def root(self) -> Path:
        return self.project.root

    @property
    def starts(self) -> int:
        """How often the agent was started."""
        file = self.folder / "starts"
        return file.read_text().count("\n") if file.exists() else 0

    def arguments(self, *args: str) -> tuple[str, ...]:
        return ("run", "--json", "--agent-command", f"sh {self.folder}/agent.sh", *args)

    def run(self, *args: str, fault: str = "") -> Done:
        return self.project(*self.arguments(*args), cwd=None, PRD_RALPH_FAULT=fault)

    def persons(self) -> dict[str, bytes]:
        """The person's files, as they are."""
        return {path: (self.root / path).read_bytes() for path in PERSONS if (self.root / path).is_file()}

    def status(self) -> list[str]:
        return self.project.git("status", "--porcelain", "-uall").splitlines()

    def files(self) -> set[str]:
        return set(self.project.git("ls-tree", "-r", "--name-only", "HEAD").splitlines())

    def current(self) -> bool:
        """Whether anything is recorded to lie in the tree."""
        return bool(self.project.git("for-each-ref", "refs/worktree/prd-ralph"))

    def assert_clean(self) -> None:
        """The tree is HEAD's, but for what is the person's, which is as it was."""
        assert self.persons() == PERSONS
        assert self.status() == ["?? mine.txt", "?? notes/todo.md"]
        assert not self.current()
        assert not [path for path in (self.root / ".git").glob("**/*.lock") if "prd-ralph" not in path.parts]

    def assert_landed(self, suspects: int = 0) -> None:
        """US-001 landed by exactly one commit with every trailer, and so many suspects, and the tree is its."""
        git = self.project.git
        assert self.project.passes() == {"US-001": True}
        assert self.project.landings() == ["US-001"]
        commit = git("log", "--format=%H", "--grep=^Prd-Ralph-Story")
        keys = [line.partition(":")[0] for line in git("log", "-1", "--format=%(trailers)", commit).splitlines()]
        assert keys.count("Prd-Ralph-Suspect") == suspects
        assert [key for key in keys if key != "Prd-Ralph-Suspect"] == [f"Prd-Ralph-{name}" for name in TRAILERS]
        changed = set(git("diff", "--name-only", f"{self.base}..HEAD").splitlines())
        assert changed == {"one.txt", "a.txt", "old.txt", "prd.json", "progress.txt"}
        assert git("show", "--numstat", "--format=", commit, "--", "prd.json") == "1\t1\tprd.json"
        assert git("log", "--format=%ce", f"{self.base}..HEAD", "--").split().count("agent@prd-ralph.invalid") == 0
        self.assert_clean()
