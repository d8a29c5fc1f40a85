"""The prd-ralph.toml that `init` writes."""

import json
import textwrap
from collections.abc import Mapping

from prd_ralph.config.keys import KEYS

_HEAD = """\
# Settings of prd-ralph for this project. A line that is commented out shows the default or an example.
# The environment (PRD_RALPH_TIMEOUT) overrules this file, a flag (--timeout) overrules both.
# `prd-ralph config` prints every value and where it came from.
"""


def render_default_toml(chosen: Mapping[str, str | int | bool] | None = None) -> str:
    """Every key with its description, commented out; those in `chosen` are set to the value given."""
    chosen = chosen or {}
    blocks = [_HEAD]
    for key in KEYS:
        comment = textwrap.fill(key.help, 100, initial_indent="# ", subsequent_indent="# ")
        line = f"{key.name} = {_toml(chosen[key.name])}" if key.name in chosen else f"# {key.name} = {key.example}"
        blocks.append(f"{comment}\n{line}\n")
    return "\n".join(blocks)


def _toml(value: str | int | bool) -> str:
    """JSON's texts, whole numbers and switches are TOML's too, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
