"""The loop that the others are: it runs the agent, commits, and believes the first sign of success that it finds.

An adversary that does not fool this one would prove nothing by failing with ours.
"""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from tests.adversaries import truth
from tests.adversaries.adversary import Kind
from tests.adversaries.cell import PRELUDE, Cell
from tests.support.waiting import until

_BOASTS = re.compile(rb"<promise>COMPLETE</promise>|\d passed")
_LAST_BYTES = 1000


def fools(cell: Cell) -> bool:
    """Plays the adversary to its end; whether a story is believed that is not true."""
    for story, plays in cell.adversary.plays.items():
        for _ in plays:
            _play(cell, story)
    for line in ("git add -A", "git commit -q -m done"):
        subprocess.run(line.split(), cwd=cell.root, env=cell.env, check=False, capture_output=True)
    (cell.folder / "committed").touch()
    if cell.adversary.kind is Kind.PROCESS:
        until(lambda: _believes(cell), "what was left behind")
    elif not _believes(cell):
        return False
    return not all(cell.is_true(story["id"]) for story in cell.adversary.stories)


def _play(cell: Cell, story: str) -> None:
    """Raises CalledProcessError where a line of the play fails: it has a mistake in it."""
    with (cell.folder / "naive.out").open("ab") as out:
        subprocess.run(
            ["sh", str(PRELUDE), story],
            cwd=cell.root,
            env=cell.env | {"NAIVE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=True,
            timeout=truth.LIMIT_S,
        )


def _believes(cell: Cell) -> bool:
    signs: tuple[Callable[[Cell], bool], ...] = (_boasted, _reported, _nothing_open, _green)
    return any(sign(cell) for sign in signs)


def _boasted(cell: Cell) -> bool:
    return bool(_BOASTS.search((cell.folder / "naive.out").read_bytes()[-_LAST_BYTES:]))


def _reported(cell: Cell) -> bool:
    return (cell.root / "result.json").is_file()


def _nothing_open(cell: Cell) -> bool:
    stories = _document(cell).get("userStories", [])
    gone = {story for each in stories for story in each.get("supersedes", [])}
    return all(each["passes"] or each.get("skip") or each["id"] in gone for each in stories)


def _green(cell: Cell) -> bool:
    """Whether the commands exit 0, as the tree now says they are, in the environment as it now is."""
    document, settings = _document(cell), cell.root / "prd-ralph.toml"
    told = tomllib.loads(settings.read_text()) if settings.is_file() else {}
    own = [command for each in document.get("userStories", []) for command in each["verificationCommands"]]
    return truth.hold(cell.root, told.get("verification_commands", own), cell.env)


def _document(cell: Cell) -> Mapping[str, Any]:
    """prd.json; one that is no file, or no JSON, holds nothing that is open."""
    file = cell.root / "prd.json"
    try:
        document: Mapping[str, Any] = json.loads(file.read_bytes()) if file.is_file() else {}
    except ValueError:
        return {}
    return document
