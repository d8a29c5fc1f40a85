"""What is never staged when it is new (REFERENCE), and which folders hold what tools generate."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from prd_ralph.workspace.files import LARGE

_ENV_EXAMPLES = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test"})
_KEYS = ("*.pem", "*.p12", "id_rsa", "id_ed25519", "id_ecdsa")
_GENERATED = frozenset(
    {
        *("node_modules", ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox"),
        *(".nox", "target", "dist", "build", ".gradle", ".next", ".nuxt", ".turbo", ".cache", ".parcel-cache", ".eggs"),
        *("coverage", "htmlcov", ".hypothesis"),
    }
)
OWN_FOLDER = ".prd-ralph"


def generated(path: str) -> bool:
    """Whether the path, or a folder that it lies in, bears a name that only tools fill."""
    return any(part in _GENERATED for part in path.rstrip("/").split("/"))


def generated_folder(path: str) -> str:
    """The outermost such folder of the path, ending in `/`; empty where there is none."""
    parts = path.split("/")
    depth = next((depth for depth, part in enumerate(parts[:-1], 1) if part in _GENERATED), 0)
    return "".join(f"{part}/" for part in parts[:depth])


def why_not(path: str, size: int, patterns: Iterable[str] = ()) -> str:
    """Why a new file may not be staged; empty where it may. `patterns` match the path or its last part."""
    if path.endswith("/"):
        return "an embedded repository"
    name = path.rsplit("/", 1)[-1]
    plain = name.casefold()
    if (plain == ".env" or plain.startswith(".env.")) and plain not in _ENV_EXAMPLES:
        return "may hold secrets"
    if any(fnmatchcase(plain, key) for key in _KEYS):
        return "looks like a key"
    if "node_modules" in path.split("/"):
        return "installed packages"
    if any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in patterns):
        return "never_stage"
    return f"over {LARGE >> 20} MiB" if size > LARGE else ""
