"""Where a prd.json says that its stories come from."""

from dataclasses import dataclass

from prd_ralph.prdfile.reading import read_source


@dataclass(frozen=True, slots=True)
class Origin:
    """`path` is that of the PRD, from the project's root on; `sha256` its hash when it was planned; `line` says so."""

    path: str
    sha256: str
    line: int


def origin_of(data: bytes, file: str) -> Origin | None:
    """What `source` says; None where it says too little to compare anything. `data` is a valid file's."""
    source = read_source(data, file)
    found = source.root.nearest(("source",)).value
    path, sha256 = (found.get("path"), found.get("sha256")) if isinstance(found, dict) else (None, None)
    if not isinstance(path, str) or not isinstance(sha256, str):
        return None
    return Origin(path, sha256, source.line(("source", "sha256")))
