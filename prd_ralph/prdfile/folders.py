"""Whether a path in prd.json stays inside the project."""

import os
from pathlib import Path


def escape_fault(path: str, root: Path | None) -> str | None:
    """Why `path`, taken from the project root, is not inside it: by its text, and by where links lead.

    A folder that does not exist is no fault here. Without `root` only the text is judged.
    """
    base = root or Path("/project")
    if root is None and Path(path).is_absolute():
        return "is absolute: write it relative to the project root"
    if not Path(os.path.normpath(base / path)).is_relative_to(os.path.normpath(base)):
        return "leads out of the project"
    if root is None or Path(os.path.realpath(root / path)).is_relative_to(os.path.realpath(root)):
        return None
    return "leads out of the project by a link"


def relative(path: str, root: Path | None) -> str:
    """An inside path as it is kept: relative to the root, `.` for the root itself."""
    base = str(root or Path("/project"))
    return os.path.relpath(os.path.join(base, path), base) if Path(path).is_absolute() else path  # noqa: PTH118
