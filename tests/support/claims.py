"""Repositories as loops leave them that believe their agents: flags flipped by hand, in commits of the agent's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.project import Project


class Claims:
    """A repository that grows commit by commit; `prd.json` is written as snarktank's loop has it."""

    def __init__(self, root: Path, name: str = "prd.json") -> None:
        root.mkdir(parents=True)
        self.root, self.name = root, name
        self.here = Project(root, {})
        self.here.git("init", "-q")

    @property
    def file(self) -> Path:
        return self.root / self.name

    def write(self, files: Mapping[str, str | None]) -> None:
        """None deletes."""
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_text(text)

    def commit(self, subject: str, files: Mapping[str, str | None] | None = None) -> str:
        """Everything, as an agent commits; the commit."""
        self.write(files or {})
        self.here.git("add", "-A")
        self.here.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.here.git("rev-parse", "HEAD")

    def prd(self, **flags: bool) -> dict[str, Any]:
        """What the file is to say: stories US_001… with their flags."""
        return {
            "project": "Pond Watch",
            "branchName": "ralph/pond-watch",
            "description": "Alerts when a pond loses water",
            "userStories": [
                {
                    "id": name.replace("_", "-"),
                    "title": f"Title of {name.replace('_', '-')}",
                    "description": "As an owner, I want it.",
                    "acceptanceCriteria": ["Tests pass"],
                    "priority": number,
                    "passes": passes,
                    "notes": "",
                }
                for number, (name, passes) in enumerate(flags.items(), 1)
            ],
        }

    def claim(self, **flags: bool) -> dict[str, str]:
        """The file with these flags, to be written."""
        return {self.name: json.dumps(self.prd(**flags), indent=2) + "\n"}


def snarktank(root: Path) -> Claims:
    """What that loop leaves: an agent commits each story, and flips the flag of the last one with the next.

    Three stories are claimed. US-001 holds; US-002 is false; the flag of US-003 is in no commit yet; US-004 is open.
    """
    made = Claims(root, "scripts/ralph/prd.json")
    notes = "scripts/ralph/progress.txt"
    flags = {"US_001": False, "US_002": False, "US_003": False, "US_004": False}
    made.commit(
        "chore: ralph",
        {**made.claim(**flags), notes: "# Ralph Progress Log\n", ".gitignore": ".last-branch\n", "README.md": "pond\n"},
    )
    made.commit("feat: [US-001] - Title of US-001", {"us-001.txt": "done\n", "tests/test_pond.sh": "true\ntrue\n"})
    made.commit(
        "feat: [US-002] - Title of US-002",
        {**made.claim(**flags | {"US_001": True}), notes: "## US-001\n", "us-002.txt": "not really\n"},
    )
    made.commit(
        "chore: mark US-002 complete",
        {**made.claim(**flags | {"US_001": True, "US_002": True}), notes: "## US-001\n## US-002\n"},
    )
    made.commit("feat: [US-003] - Title of US-003", {"us-003.txt": "done\n"})
    made.write(made.claim(**flags | {"US_001": True, "US_002": True, "US_003": True}))
    return made
