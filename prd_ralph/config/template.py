"""The prd-ralph.toml that `init` writes."""

import json
import textwrap
from collections.abc import Mapping, Sequence

from prd_ralph.config.keys import KEYS, TABLES, Key

Chosen = str | int | bool | Sequence[str]

_HEAD = """\
# Settings of prd-ralph for this project. A line that is commented out shows the default or an example.
# The environment (PRD_RALPH_TIMEOUT) overrules this file, a flag (--timeout) overrules both.
# `prd-ralph config` prints every value and where it came from.
"""


def render_default_toml(chosen: Mapping[str, Chosen] | None = None) -> str:
    """Every key with its description, commented out; those in `chosen` (by name) are set to the value given.

    The tables stand last: what follows the line `[env]` belongs to it.
    """
    chosen = chosen or {}
    blocks = [_HEAD, *(_block(key, chosen) for key in KEYS if not key.table)]
    for table in TABLES:
        blocks += [f"[{table}]\n", *(_block(key, chosen) for key in KEYS if key.table == table)]
    return "\n".join(blocks)


def _block(key: Key, chosen: Mapping[str, Chosen]) -> str:
    comment = textwrap.fill(key.help, 100, initial_indent="# ", subsequent_indent="# ")
    name = key.name.removeprefix(f"{key.table}.")
    line = f"{name} = {_toml(chosen[key.name])}" if key.name in chosen else f"# {name} = {key.example}"
    return f"{comment}\n{line}\n"


def _toml(value: Chosen) -> str:
    """JSON's texts, whole numbers, switches and lists of texts are TOML's too, but for DEL."""
    plain = value if isinstance(value, str | int) else list(value)
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
