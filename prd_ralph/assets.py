"""The files that we ship: templates, schemas, the sample; in a checkout as well as when installed."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset(name: str) -> Path:
    """The path of a shipped file or folder, as `templates/prompt.md.j2`. Raises FileNotFoundError."""
    for home in (_PACKAGE / "_assets", _PACKAGE.parent):
        path = home / name
        if path.exists():
            return path
    raise FileNotFoundError(f"not shipped: {name}")
