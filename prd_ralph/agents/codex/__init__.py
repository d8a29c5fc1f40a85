"""OpenAI Codex (`codex exec`), seen with version 0.171.0."""
