"""Commands that were given elsewhere than in prd.json: by a flag, by the configuration."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from prd_ralph.errors import ProblemsError
from prd_ralph.model import Check
from prd_ralph.prdfile.reading import parse

_KEY = "/verificationCommands"


def checks_of(commands: Iterable[object], origin: str, root: Path | None = None) -> tuple[Check, ...]:
    """Commands as prd.json writes them, as values. Raises ProblemsError; `origin` says where (`--check`).

    They are judged as a prd.json's: one set of rules, one set of messages.
    """
    given = list(commands)
    if not given:
        return ()
    story = {"id": "1", "title": "-", "passes": False}
    document = {"project": "", "verificationCommands": given, "userStories": [story]}
    try:
        return parse(json.dumps(document, default=str).encode(), origin, root).prd.checks
    except ProblemsError as error:
        problems = [
            replace(problem, line=None, pointer=(problem.pointer or "").removeprefix(_KEY))
            for problem in error.problems
        ]
        raise ProblemsError(problems, error.code) from None
