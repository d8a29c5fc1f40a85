"""What a repository looks like as a whole, to be compared before and after."""

import os
from collections.abc import Mapping
from pathlib import Path

from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from tests.conftest import git
from tests.support.plain import PlainProcesses

_SIGN = "cat >/dev/null\necho '[GNUPG:] SIG_CREATED D' >&2\necho SIGNED"


def git_at(root: Path, env: Mapping[str, str] | None = None) -> Git:
    return Git(PlainProcesses(), root, os.environ if env is None else env)


def signer(folder: Path, script: str = _SIGN) -> str:
    """A stand-in for gpg: a shell script, by default one that signs."""
    program = folder / "signer"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def files(root: Path) -> dict[str, bytes]:
    """Every file of the work tree, ignored ones too, by its path."""
    found = (path for path in root.rglob("*") if ".git" not in path.relative_to(root).parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in found if path.is_file()}


def whole(root: Path) -> dict[str, object]:
    """Files, index byte for byte, refs, HEAD and what the git folder holds but for loose objects."""
    folder = discover(root).git_dir
    index = folder / "index"
    return {
        "files": files(root),
        "index": index.read_bytes() if index.exists() else b"",
        "refs": git(root, "for-each-ref"),
        "head": (folder / "HEAD").read_bytes(),
        "config": (folder / "config").read_bytes() if (folder / "config").exists() else b"",
        "names": sorted(path.name for path in folder.iterdir()),
    }
