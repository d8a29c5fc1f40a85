"""Claude Code (`claude -p`), seen with versions 2.1.197 and 2.1.332."""
