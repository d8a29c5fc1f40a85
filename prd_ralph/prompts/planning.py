"""The prompt that asks for a plan: a template of its own, read once for each attempt."""

from pathlib import Path

from prd_ralph.ports import PlanContext
from prd_ralph.prompts.template import read_template, render

REPLY_LIMIT = 64 << 10


class JinjaPlanPrompt:
    """Renders the first of `candidates` that exists (the person's template, then the shipped one)."""

    def __init__(self, candidates: tuple[Path, ...], limit_s: float = 5.0) -> None:
        self._candidates = candidates
        self._limit_s = limit_s

    def render(self, context: PlanContext) -> str:
        """The prompt. Raises ProblemsError (file, line) for a template that does not work."""
        variables = {
            "files": [{"name": name, "text": text} for name, text in context.files],
            "stories": [
                {"id": story.id, "title": story.title, "criteria": list(story.criteria)} for story in context.stories
            ],
            "attempt": context.attempt,
            "max_attempts": context.max_attempts,
            "reply": context.reply[-REPLY_LIMIT:],
            "faults": [str(fault) for fault in context.faults],
        }
        return render(*read_template(self._candidates), variables, self._limit_s)
