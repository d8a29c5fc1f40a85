"""The prompt that asks for a review. Its template is handed in as text: who is under review has not written it."""

import shlex
from pathlib import Path
from typing import Any

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import Check, CheckResult, CheckStatus
from prd_ralph.ports import ReviewContext
from prd_ralph.prompts.template import TEMPLATE_LIMIT, read_template, render

_LISTED = 200


class JinjaReviewPrompt:
    """Renders `source`, the person's template, called `name` in messages; without one the shipped one.

    Raises ProblemsError for a source that is no UTF-8 text, or too large.
    """

    def __init__(self, name: str, source: bytes | None, shipped: Path, limit_s: float = 5.0) -> None:
        self._template = read_template((shipped,)) if source is None else (Path(name), _text(name, source))
        self._limit_s = limit_s

    def render(self, context: ReviewContext) -> str:
        """The prompt. Raises ProblemsError (file, line) for a template that does not work, or asks for no verdict."""
        text = render(*self._template, _variables(context), self._limit_s)
        if context.form not in text:
            hint = "write {{ form }} where the reviewer is told how to end: without it nothing can be approved"
            raise ProblemsError([Problem("prompt template: it asks for no verdict", hint, str(self._template[0]))])
        return text


def _text(name: str, source: bytes) -> str:
    try:
        if len(source) > TEMPLATE_LIMIT:
            raise ValueError(f"larger than {TEMPLATE_LIMIT >> 10} KiB")
        return source.decode("utf-8-sig")
    except ValueError as error:
        raise ProblemsError([Problem(f"prompt template: {error}", "mend it, and commit that", name)]) from error


def _variables(context: ReviewContext) -> dict[str, Any]:
    prd, story, change = context.prd, context.story, context.change
    return {
        "project": " ".join(prd.project.split()),
        "description": prd.description,
        "story": {
            "id": story.id,
            "title": story.title,
            "description": story.description,
            "criteria": list(story.criteria),
        },
        "commands": [{"name": check.label, "run": _run(check), "cwd": check.cwd} for check in context.checks],
        "results": [
            {"name": each.check.label, "exit": _exit(each), "suspect": each.suspect} for each in context.results
        ],
        "more_results": context.more_results,
        "files": [{"path": patch.path, "patch": patch.text} for patch in change.patches],
        "cut": list(change.cut[:_LISTED]),
        "unseen": _listed(change.unseen),
        "left_out": _listed(context.left_out),
        "form": context.form,
    }


def _listed(names: tuple[str, ...]) -> list[str]:
    more = len(names) - _LISTED
    return [*names[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]


def _run(check: Check) -> str:
    return check.run if isinstance(check.run, str) else shlex.join(check.run)


def _exit(result: CheckResult) -> int | str:
    ended = result.status in (CheckStatus.PASSED, CheckStatus.FAILED)
    return result.exit_code if ended and result.exit_code is not None else result.status.value.replace("_", " ")
