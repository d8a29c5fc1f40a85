"""prd-ralph: a PRD-driven story executor for coding agents that believes commands, not agents."""

__version__ = "0.1.0"
