"""What an attempt made, read with GitPython: off the hot path, where its import (a tenth of a second) is no matter."""

from pathlib import Path

from prd_ralph.errors import RalphError
from prd_ralph.model import AttemptKey
from prd_ralph.workspace.refs import attempt_ref


def attempt_diff(root: Path, key: AttemptKey) -> bytes:
    """The patch from base to the attempt's end state, as `git diff` writes it. Raises RalphError where none is kept."""
    # Importing it runs git, and raises where there is none: only when it is needed.
    from git import BadName, Repo

    with Repo(root) as repo:
        try:
            kept = repo.commit(attempt_ref(key))
        except (BadName, ValueError) as error:
            raise RalphError(
                f"nothing is kept of {key.story} attempt {key.number} in run {key.run}",
                "prd-ralph show lists the attempts",
            ) from error
        # Nothing that the repository's configuration names is run to show a difference.
        plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--binary")
        patch: bytes = repo.git.diff(*plain, kept.parents[0].hexsha, kept.hexsha, stdout_as_string=False)
    return patch + b"\n" if patch else b""
