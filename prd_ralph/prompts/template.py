"""A template of anybody's, read and rendered: in a sandbox, bounded in time and size."""

import os
import stat
import time
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prompts.fence import clean, fence

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment

TEMPLATE_LIMIT = 1 << 20
PROMPT_LIMIT = 16 << 20


def read_template(candidates: Iterable[Path]) -> tuple[Path, str]:
    """The first of `candidates` that exists, and its text. Raises ProblemsError."""
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
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    with os.fdopen(descriptor, "rb") as file:
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


def render(path: Path, source: str, variables: Mapping[str, Any], limit_s: float) -> str:
    """The text, in at most `limit_s` seconds. Raises ProblemsError, with the template's line where it is known."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return clean(_bounded(_compiled(str(path), source).generate(variables), limit_s))
    except TemplateSyntaxError as error:
        raise _broken(path, error.lineno, error.message or "syntax error") from error
    except (TemplateError, *_RAISED) as error:
        raise _broken(path, _line(error.__traceback__, str(path)), str(error) or type(error).__name__) from error


@lru_cache(maxsize=4)
def speaks_of(path: Path, source: str, name: str) -> bool:
    """Whether a template that can be compiled uses the variable `name`, be it in a branch that is not taken."""
    from jinja2.meta import find_undeclared_variables

    return name in find_undeclared_variables(_environment().parse(source, filename=str(path)))


@lru_cache(maxsize=4)
def _compiled(file: str, source: str) -> "Template":
    """Compiling costs more than everything else about a prompt, and a template seldom changes."""
    from jinja2 import Template

    environment = _environment()
    return Template.from_code(environment, environment.compile(source, filename=file), environment.globals)


def _bounded(pieces: Iterable[str], limit_s: float) -> str:
    deadline = time.monotonic() + limit_s
    kept, size = [], 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > PROMPT_LIMIT:
            raise _TooMuchError(f"renders to more than {PROMPT_LIMIT >> 20} MiB")
        if time.monotonic() > deadline:
            raise _TooMuchError(f"takes more than {limit_s:g} s to render")
    return "".join(kept)


def _line(trace: TracebackType | None, file: str) -> int | None:
    """The innermost line of the template in a traceback that Jinja has translated."""
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
