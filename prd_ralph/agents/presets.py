"""The agent programs that we know, by name."""

from prd_ralph.agents.claude.program import CLAUDE
from prd_ralph.agents.codex.program import CODEX
from prd_ralph.agents.preset import Preset

PRESETS: dict[str, Preset] = {preset.name: preset for preset in (CLAUDE, CODEX)}
