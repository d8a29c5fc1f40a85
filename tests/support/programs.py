"""Programs of a few lines of shell, in the place of true ones."""

from pathlib import Path


def program(folder: Path, name: str, script: str = ":", executable: bool = True) -> Path:
    """A shell script `name` in `folder`, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755 if executable else 0o644)
    return path
