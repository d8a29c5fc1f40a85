"""Whether an agent program has a key or a login: where it would look for one itself.

What is there is told by its name or its file; nothing of what it holds is given out.
"""

import json
import os
import pwd
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

KEYS: Mapping[str, tuple[str, ...]] = {
    "claude": (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
    ),
    "codex": ("CODEX_API_KEY", "OPENAI_API_KEY"),
}
"""By agent, the environment variables that do for a login; the last two of claude's say that a cloud's login counts."""

_OFF = frozenset({"", "0", "false", "no", "off"})
_SIZE_LIMIT = 1 << 20


def login_of(name: str, env: Mapping[str, str], cwd: Path) -> str:
    """What would let the agent called `name`, started in `cwd` with `env`, log in: the first that is seen, or ""."""
    looks = {"claude": _claude, "codex": _codex}
    return next(looks[name](env, cwd), "")


def _claude(env: Mapping[str, str], cwd: Path) -> Iterator[str]:
    yield from _variables("claude", env)
    folder = _folder(env, "CLAUDE_CONFIG_DIR", ".claude", cwd)
    if _is_file(folder / ".credentials.json"):
        yield str(folder / ".credentials.json")
    settings = _json(folder / "settings.json")
    if settings.get("apiKeyHelper"):
        yield f"apiKeyHelper in {folder / 'settings.json'}"
    own = settings.get("env")
    for variable in _variables("claude", own if isinstance(own, dict) else {}):
        yield f"{variable} in {folder / 'settings.json'}"


def _codex(env: Mapping[str, str], cwd: Path) -> Iterator[str]:
    """A provider of the person's own brings its own key, or needs none; the others' keys do not count for it."""
    folder = _folder(env, "CODEX_HOME", ".codex", cwd)
    config = _toml(folder / "config.toml")
    name, providers = config.get("model_provider"), config.get("model_providers")
    provider = providers.get(name) if isinstance(providers, dict) and isinstance(name, str) else None
    if isinstance(provider, dict) and not provider.get("requires_openai_auth"):
        variable = provider.get("env_key")
        if not variable:
            yield f"the provider {name} in {folder / 'config.toml'}, which asks for no key"
        elif env.get(str(variable)):
            yield f"{variable}, for the provider {name} in {folder / 'config.toml'}"
        return
    yield from _variables("codex", env)
    if _is_file(folder / "auth.json"):
        yield str(folder / "auth.json")


def _variables(name: str, env: Mapping[str, Any]) -> Iterator[str]:
    return (variable for variable in KEYS[name] if str(env.get(variable, "")).strip().lower() not in _OFF)


def _folder(env: Mapping[str, str], variable: str, name: str, cwd: Path) -> Path:
    """The agent's own folder; where HOME is unset, in the home that the system knows."""
    if given := env.get(variable):
        return cwd / given
    try:
        home = env.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = "/"
    return cwd / home / name


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):
        return {}


def _text(path: Path) -> str:
    """ "" for what cannot be read as a text of a sensible size."""
    if not _is_file(path):
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_SIZE_LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""


def _is_file(path: Path) -> bool:
    """A regular one, which no reader has to wait for."""
    try:
        return path.is_file()
    except OSError:
        return False
