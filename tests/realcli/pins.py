"""Which real programs the bench runs, and in which versions: the one place to change them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pin:
    """A program of an npm package. An exact version: without one npm may take an older that suits an older Node."""

    name: str
    package: str
    version: str


PINS = (
    Pin("claude", "@anthropic-ai/claude-code", "2.1.332"),
    Pin("codex", "@openai/codex", "0.171.0"),
)
