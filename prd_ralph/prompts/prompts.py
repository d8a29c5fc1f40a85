"""The port. The person may edit the template while a run goes on, and so may an agent: no edit ends the run."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from prd_ralph.errors import ProblemsError
from prd_ralph.model import AttemptKey, AttemptRecord, Check, CheckResult, CheckStatus, Need, Outcome, Verdict
from prd_ralph.ports import PromptContext, RenderedPrompt
from prd_ralph.prompts.template import read_template, render, speaks_of
from prd_ralph.prompts.variables import variables_of
from prd_ralph.stalls import Stall

# An attempt that failed, so that a template's words for it are tried before there is one.
_SPECIMEN = AttemptRecord(
    AttemptKey("", "", 1),
    Verdict(Outcome.FAILED, "check_timeout"),
    (CheckResult(Check("true"), True, CheckStatus.FAILED, 1, excerpt="…"),),
    ("file",),
    need=Need("question", "Should I?"),
)
_STALL = Stall(2, ("file",), ("other",))


class JinjaPrompts:
    """Renders the first of `candidates` that exists (the person's template, then the shipped one).

    A template that takes more than `limit_s` seconds is a broken one.
    """

    def __init__(self, candidates: tuple[Path, ...], limit_s: float = 5.0) -> None:
        self._candidates = candidates
        self._limit_s = limit_s
        self._good: tuple[Path, str] | None = None
        self._seen: str | None = None

    def check(self, context: PromptContext) -> None:
        """At the start: raises ProblemsError (file, line) for a template that would not work now or after a failure."""
        path, source = read_template(self._candidates)
        later = replace(
            context,
            last=context.last or _SPECIMEN,
            progress="…",
            patterns="…",
            commits=("…",),
            stall=context.stall or _STALL,
            nonce=context.nonce or "0",
            context="…",
        )
        for each in (context, later):
            render(path, source, variables_of(each), self._limit_s)
        self._good = path, source

    def render(self, context: PromptContext) -> RenderedPrompt:
        """The prompt. Raises ProblemsError for a broken template when no version of it has worked before."""
        variables = variables_of(context)
        try:
            path, source = read_template(self._candidates)
            text = render(path, source, variables, self._limit_s)
        except ProblemsError as error:
            if self._good is None:
                raise
            problem = replace(error.problems[0], hint="")
            text, shown = self._fall_back(self._good, variables)
            return RenderedPrompt(text, f"the last good prompt template was used: {problem}", shown)
        self._good = path, source
        return RenderedPrompt(text, shows_context=speaks_of(path, source, "context"))

    def changed(self) -> Path | None:
        """The person's template, where it is another than when this was asked last: edited, made or removed."""
        try:
            now = "\0".join(map(str, read_template(self._candidates)))
        except ProblemsError as error:
            now = str(error)
        before, self._seen = self._seen, now
        return None if before in (None, now) else self._candidates[0]

    def _fall_back(self, good: tuple[Path, str], variables: Mapping[str, Any]) -> tuple[str, bool]:
        """By the last template that worked; by the shipped one, where that one does not suit this attempt. And whether
        it speaks of what the person added.
        """
        try:
            return render(*good, variables, self._limit_s), speaks_of(*good, "context")
        except ProblemsError:
            shipped = read_template(self._candidates[-1:])
            return render(*shipped, variables, self._limit_s), speaks_of(*shipped, "context")
