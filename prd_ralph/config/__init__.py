"""Settings from prd-ralph.toml, the environment and flags, with provenance."""

from prd_ralph.config.environment import filtered
from prd_ralph.config.file import FILE_NAME
from prd_ralph.config.load import load, read
from prd_ralph.config.settings import Setting, Settings
from prd_ralph.config.template import render_default_toml

__all__ = ["FILE_NAME", "Setting", "Settings", "filtered", "load", "read", "render_default_toml"]
