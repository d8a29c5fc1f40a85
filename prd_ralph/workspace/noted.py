"""What lay around the candidate before any agent of the run: as a value, and as a file in the run's folder."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Kept, read_plain
from prd_ralph.workspace.outside import Nodes
from prd_ralph.workspace.programs import Programs


@dataclass(frozen=True, slots=True)
class Noted:
    """What lay there before any agent of the run, or what others than agents have made of it since.

    `nodes` are start-up files, `programs` PATH's; both by absolute path. `files` sway commands, by absolute path or,
    in the work tree, relative to it. `planted`: what an agent of this run made or changed, and that was left there.
    """

    nodes: Nodes = field(default_factory=dict)
    programs: Programs = field(default_factory=dict)
    files: Mapping[str, Kept] = field(default_factory=dict)
    planted: frozenset[str] = frozenset()


def file_of(desk: Desk) -> Path:
    """Where a run keeps it, for a start after a kill."""
    return desk.state / "surroundings.json"


def dump(noted: Noted) -> bytes:
    """One JSON object."""
    record = {
        "nodes": {path: kept and astuple(kept) for path, kept in noted.nodes.items()},
        "programs": {path: astuple(kept) for path, kept in noted.programs.items()},
        "files": {path: astuple(kept) for path, kept in noted.files.items()},
        "planted": sorted(noted.planted),
    }
    return json.dumps(record).encode("ascii")


def load(file: Path) -> Noted | None:
    """What `dump` gave; None where it is not there or not whole."""
    try:
        record = json.loads(read_plain(file) or b"")
        return Noted(
            {path: _kept(value) if value else None for path, value in record["nodes"].items()},
            {path: _kept(value) for path, value in record["programs"].items()},
            {path: _kept(value) for path, value in record["files"].items()},
            frozenset(record["planted"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _kept(value: Any) -> Kept:
    mode, digest, (a, b, c, d, e), young = value
    return Kept(mode, digest, (a, b, c, d, e), young)
