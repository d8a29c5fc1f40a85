"""The prompt: a Jinja template, read anew each time, over data that can neither be evaluated nor leave its fence.

The template is the person's to edit while a run goes on, and an agent can edit it too: it is rendered in a sandbox,
bounded in time and size, and a version that does not work is passed over for the last one that did.
"""

import os
import re
import shlex
import stat
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import (
    AttemptKey,
    AttemptRecord,
    Check,
    CheckResult,
    CheckStatus,
    Outcome,
    Story,
    Verdict,
)
from prd_ralph.ports import PromptContext, RenderedPrompt

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

TEMPLATE_LIMIT = 1 << 20
PROMPT_LIMIT = 16 << 20
RENDER_LIMIT_S = 5.0
EXCERPT_LIMIT = 8 << 10
EXCERPTS_LIMIT = 24 << 10
PROGRESS_LIMIT = 16 << 10
PATTERNS_LIMIT = 8 << 10
NOTES_LIMIT = 8 << 10
LIST_LIMIT = 100
LINE_LIMIT = 200

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_RUN = re.compile(r"`+|~+")


class JinjaPrompts:
    """Renders the first of `candidates` that exists (the person's template, then the shipped one)."""

    def __init__(self, candidates: tuple[Path, ...]) -> None:
        self._candidates = candidates
        self._good: tuple[Path, str] | None = None

    def check(self, context: PromptContext) -> None:
        """At the start: raises ProblemsError (file, line) for a template that would not work now or after a failure."""
        path, source = _read(self._candidates)
        later = replace(context, last=context.last or _SPECIMEN, progress="…", patterns="…", commits=("…",))
        for each in (context, later):
            _render(path, source, _variables(each))
        self._good = path, source

    def render(self, context: PromptContext) -> RenderedPrompt:
        """The prompt. Raises ProblemsError for a broken template when no version of it has worked before."""
        variables = _variables(context)
        try:
            path, source = _read(self._candidates)
            text = _render(path, source, variables)
        except ProblemsError as error:
            if self._good is None:
                raise
            text = _render(*self._good, variables)
            return RenderedPrompt(text, f"the last good prompt template was used: {error.problems[0]}")
        self._good = path, source
        return RenderedPrompt(text)


def fence(text: str) -> str:
    """`text` as a fenced block that nothing in it can close; control characters are taken out."""
    body = clean(text)
    longest = max((len(run) for run in _RUN.findall(body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{body.rstrip(chr(10))}\n{marks}"


def clean(text: str) -> str:
    """`text` with LF line ends, without control characters, encodable as UTF-8."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", lines))


# --- the template ---------------------------------------------------------------------------------


def _read(candidates: Iterable[Path]) -> tuple[Path, str]:
    for path in candidates:
        try:
            return path, _source(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise _broken(path, None, str(error)) from error
    raise ProblemsError([Problem("no prompt template found", "reinstall prd-ralph")])


def _source(path: Path) -> str:
    # Not to be held up by a FIFO, nor filled up by a device.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        data = file.read(TEMPLATE_LIMIT + 1)
    if len(data) > TEMPLATE_LIMIT:
        raise OSError(f"larger than {TEMPLATE_LIMIT >> 10} KiB")
    return data.decode("utf-8-sig")


def _broken(path: Path, line: int | None, message: str) -> ProblemsError:
    hint = "mend the template, or remove the file to use the shipped one"
    return ProblemsError([Problem(f"prompt template: {message}", hint, str(path), line)])


class _TooMuchError(ValueError):
    """A template that does not come to an end in reasonable time or size."""


@cache
def _environment() -> "SandboxedEnvironment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["fence"] = fence
    return environment


# What an expression of a template may raise besides Jinja's own: `1 / 0`, `"a" + 1`, `"a" * 10**15`, …
_RAISED = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def _render(path: Path, source: str, variables: Mapping[str, Any]) -> str:
    from jinja2 import Template, TemplateError, TemplateSyntaxError

    environment = _environment()
    try:
        code = environment.compile(source, filename=str(path))
        template = Template.from_code(environment, code, environment.globals)
        return clean(_bounded(template.generate(variables)))
    except TemplateSyntaxError as error:
        raise _broken(path, error.lineno, error.message or "syntax error") from error
    except (
        TemplateError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ) as error:
        raise _broken(path, _line(error.__traceback__, str(path)), str(error)) from error


def _bounded(pieces: Iterable[str]) -> str:
    deadline = time.monotonic() + RENDER_LIMIT_S
    kept, size = [], 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > PROMPT_LIMIT:
            raise _TooMuchError(f"renders to more than {PROMPT_LIMIT >> 20} MiB")
        if time.monotonic() > deadline:
            raise _TooMuchError(f"takes more than {RENDER_LIMIT_S:g} s to render")
    return "".join(kept)


def _line(trace: TracebackType | None, file: str) -> int | None:
    """The innermost line of the template in a traceback that Jinja has translated."""
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


# --- the data -------------------------------------------------------------------------------------


def _variables(context: PromptContext) -> dict[str, Any]:
    """The names that a template may use, as plain values; what agents can make grow is bounded here."""
    prd, story = context.prd, context.story
    return {
        "project": _one_line(prd.project),
        "description": prd.description,
        "branch": prd.branch,
        "story": _story(story),
        "commands": [_command(check) for check in context.checks],
        "attempt": context.attempt,
        "max_attempts": context.max_attempts,
        "last": _last(context.last) if context.last else None,
        "progress": _tail(context.progress, PROGRESS_LIMIT),
        "patterns": context.patterns[:PATTERNS_LIMIT],
        "commits": [_one_line(commit) for commit in context.commits[:LIST_LIMIT]],
        "guides": list(context.guides),
        "passed": [_one_line(f"{each.id} - {each.title}") for each in prd.stories if each.passes][-LIST_LIMIT:],
    }


def _story(story: Story) -> dict[str, Any]:
    return {
        "id": story.id,
        "title": _one_line(story.title),
        "description": story.description,
        "criteria": list(story.criteria),
        "notes": _tail(story.notes, NOTES_LIMIT),
        "priority": None if story.priority == float("inf") else story.priority,
    }


def _command(check: Check) -> dict[str, str]:
    run = check.run if isinstance(check.run, str) else shlex.join(check.run)
    return {"name": check.label, "run": run, "cwd": check.cwd}


def _last(record: AttemptRecord) -> dict[str, Any]:
    left = EXCERPTS_LIMIT
    checks = []
    for result in record.checks:
        excerpt = "" if result.passed else _tail(result.excerpt, min(EXCERPT_LIMIT, left))
        left -= len(excerpt)
        checks.append({"name": result.check.label, "exit": _exit(result), "excerpt": excerpt})
    return {
        "outcome": record.verdict.outcome.value,
        "reason": record.verdict.reason,
        "checks": checks,
        "files": [_one_line(path) for path in record.files[:LIST_LIMIT]],
    }


def _exit(result: CheckResult) -> int | str:
    """The exit code; in words where it is not what the command itself ended with."""
    ended = result.status in (CheckStatus.PASSED, CheckStatus.FAILED)
    return result.exit_code if ended and result.exit_code is not None else result.status.value.replace("_", " ")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_LIMIT else f"{line[: LINE_LIMIT - 1]}…"


def _tail(text: str, limit: int) -> str:
    """The last `limit` characters, from the beginning of a line where there is one."""
    if len(text) <= limit:
        return text
    kept = text[len(text) - limit :]
    return kept[kept.find("\n") + 1 :]


# An attempt that failed, so that a template's words for it are tried before there is one.
_SPECIMEN = AttemptRecord(
    AttemptKey("", "", 1),
    Verdict(Outcome.FAILED, "check_timeout"),
    (CheckResult(Check("true"), True, CheckStatus.FAILED, 1, excerpt="…"),),
    ("file",),
)
