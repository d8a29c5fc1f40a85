"""The script of the scripted agent: its format, read and checked with all errors at once.

A JSON object:

    {"about": "…",                  what it shows (optional)
     "prd": "prd.json",             the file that `prd`, `notes` and `progress` steps edit (optional)
     "stories": {"US-001": [ATTEMPT, ATTEMPT, …]},
     "default": ATTEMPT}            for stories that are not named (optional)

An ATTEMPT is a list of steps. The first list is played at the story's first attempt (as prd-ralph numbers them, over
all runs), and so on; the last one is repeated. For `prd-ralph plan` the story is called `plan`. A step is an object
with one verb, and options:

    {"print": TEXT}   {"stderr": TEXT}      a line, as it is
    {"write": PATH, "text": CONTENT}        and "append"; folders are made
    {"delete": PATH}                        a file or a folder
    {"patch": CONTENT}                      a unified diff, applied with `git apply`
    {"prd": {"set": {POINTER: VALUE}}}      sets values in prd.json ("/userStories/0/passes"; "/-" appends)
    {"prd": {"text": TEXT}}                 replaces prd.json
    {"notes": TEXT}   {"progress": TEXT}    the story's notes in prd.json; a line of progress.txt beside it
    {"run": SHELL LINE}                     its failure ends the agent
    {"commit": MESSAGE}   {"checkout": BRANCH}
    {"expect": TEXT}                        fails unless the prompt holds TEXT
    {"stuck": REASON}                       says that it is stuck, by the tag that the prompt names
    {"save-prompt": PATH}                   writes the prompt as it came in
    {"sleep": SECONDS}
    {"spawn": SHELL LINE, "how": "&" | "setsid" | "double-fork"}     leaves a process behind
    {"bytes": COUNT, "newlines": BOOLEAN}   so much output, in one line or in many
    {"tool": NAME, "input": OBJECT}         an event: a tool was called (with this input)
    {"cost": USD, "tokens": [IN, OUT]}      an event: what it cost (tokens optional)
    {"fail": CLASS, "reset_in": SECONDS}    an event: it failed so (REFERENCE's classes), then exit 1
    {"exit": STATUS}   {"signal": NUMBER}   ends here
    {"ignore-signals": true}                from here on deaf to INT, TERM and HUP

CONTENT is a string, or a list of lines. A step that cannot be done ends the agent with exit 1 and a line on stderr.
Standard library only: the player starts once an attempt.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prd_ralph.errors import Problem, ProblemsError, RalphError

Step = Mapping[str, Any]
Attempt = Sequence[Step]


@dataclass(frozen=True, slots=True)
class Script:
    stories: Mapping[str, Sequence[Attempt]]
    default: Attempt = ()
    prd: str = "prd.json"

    def steps(self, story: str, attempt: int) -> Attempt:
        """What is played at a story's attempt, numbered from 1; the last one repeats."""
        attempts = self.stories.get(story)
        return attempts[min(attempt, len(attempts)) - 1] if attempts else self.default


def load_script(path: Path) -> Script:
    """The script in a file. Raises RalphError when it is unreadable, ProblemsError with all that is wrong with it."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise RalphError(f"agent script {path}: {error.strerror}", "PRD_RALPH_SCRIPT names a JSON file") from error
    except json.JSONDecodeError as error:
        problem = Problem(f"not JSON: {error.msg}", "mend the script", str(path), error.lineno)
        raise ProblemsError([problem]) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise RalphError(f"agent script {path}: not JSON: {error}", "mend the script") from error
    problems = [Problem(message, file=str(path), pointer=pointer) for pointer, message in _faults(data)]
    if problems:
        raise ProblemsError(problems)
    return Script(data.get("stories", {}), data.get("default", []), data.get("prd", "prd.json"))


# --- the check ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of value, in words and as a predicate."""

    words: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_int(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_lines(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _is_prd_edit(value: Any) -> bool:
    match value:
        case {"set": dict(values), **rest}:
            return not rest and all(pointer.startswith("/") for pointer in values)
        case {"text": str(), **rest}:
            return not rest
    return False


_TEXT = _Kind("a string", lambda value: isinstance(value, str))
_CONTENT = _Kind("a string or a list of lines", lambda value: isinstance(value, str) or _is_lines(value))
_NAME = _Kind("a string that is not empty", lambda value: isinstance(value, str) and value != "")
_FLAG = _Kind("true or false", lambda value: isinstance(value, bool))
_SECONDS = _Kind("a number of seconds", lambda value: _is_number(value) and value >= 0)
_USD = _Kind("an amount of US dollars", lambda value: _is_number(value) and value >= 0)
_COUNT = _Kind("a number of bytes", lambda value: _is_int(value, 0, 1 << 40))
_STATUS = _Kind("a status from 0 to 255", lambda value: _is_int(value, 0, 255))
_SIGNAL = _Kind("a signal's number", lambda value: _is_int(value, 1, 64))
_OBJECT = _Kind("an object", lambda value: isinstance(value, dict))
_TRUE = _Kind("true", lambda value: value is True)
_PAIR = _Kind(
    "two numbers, tokens in and out",
    lambda value: isinstance(value, list) and len(value) == 2 and all(_is_int(each, 0, 1 << 60) for each in value),
)
_PRD = _Kind('{"set": {"/pointer": value}} or {"text": "…"}', _is_prd_edit)


def _one_of(*words: str) -> _Kind:
    return _Kind(f"one of {', '.join(words)}", lambda value: value in words)


_CLASS = _one_of(
    "usage_limit",
    "transient",
    "auth",
    "credits",
    "bad_model",
    "context_overflow",
    "hang",
    "no_work",
    "error",
)

# verb: the kind of its value, its needed keys, its optional keys
_Keys = Mapping[str, _Kind]
_VERBS: Mapping[str, tuple[_Kind, _Keys, _Keys]] = {
    "print": (_TEXT, {}, {}),
    "stderr": (_TEXT, {}, {}),
    "write": (_NAME, {"text": _CONTENT}, {}),
    "append": (_NAME, {"text": _CONTENT}, {}),
    "delete": (_NAME, {}, {}),
    "patch": (_CONTENT, {}, {}),
    "prd": (_PRD, {}, {}),
    "notes": (_TEXT, {}, {}),
    "progress": (_TEXT, {}, {}),
    "run": (_NAME, {}, {}),
    "commit": (_NAME, {}, {}),
    "checkout": (_NAME, {}, {}),
    "expect": (_NAME, {}, {}),
    "stuck": (_TEXT, {}, {}),
    "save-prompt": (_NAME, {}, {}),
    "sleep": (_SECONDS, {}, {}),
    "spawn": (_NAME, {"how": _one_of("&", "setsid", "double-fork")}, {}),
    "bytes": (_COUNT, {}, {"newlines": _FLAG}),
    "tool": (_NAME, {}, {"input": _OBJECT}),
    "cost": (_USD, {}, {"tokens": _PAIR}),
    "fail": (_CLASS, {}, {"reset_in": _SECONDS}),
    "exit": (_STATUS, {}, {}),
    "signal": (_SIGNAL, {}, {}),
    "ignore-signals": (_TRUE, {}, {}),
}
_TOP = {"about", "prd", "stories", "default"}

Fault = tuple[str, str]
"""A JSON pointer, and what is wrong there."""


def _faults(data: Any) -> list[Fault]:
    if not isinstance(data, dict):
        return [("", "a script is an object with `stories`")]
    found = [(f"/{key}", "unknown key") for key in data if key not in _TOP]
    if not _NAME.holds(data.get("prd", "prd.json")):
        found.append(("/prd", f"must be {_NAME.words}"))
    found += _attempt_faults("/default", data.get("default", []))
    stories = data.get("stories", {})
    if not isinstance(stories, dict):
        return [*found, ("/stories", "must be an object: a story's id, and its list of attempts")]
    if not stories and "default" not in data:
        found.append(("", "has neither `stories` nor `default`"))
    for story, attempts in stories.items():
        found += _story_faults(f"/stories/{_escape(story)}", attempts)
    return found


def _story_faults(pointer: str, attempts: Any) -> list[Fault]:
    if not isinstance(attempts, list) or not attempts:
        return [(pointer, "must be a list of attempts, each a list of steps")]
    return [fault for index, attempt in enumerate(attempts) for fault in _attempt_faults(f"{pointer}/{index}", attempt)]


def _attempt_faults(pointer: str, steps: Any) -> list[Fault]:
    if not isinstance(steps, list):
        return [(pointer, "must be a list of steps")]
    return [fault for index, step in enumerate(steps) for fault in _step_faults(f"{pointer}/{index}", step)]


def _step_faults(pointer: str, step: Any) -> list[Fault]:
    if not isinstance(step, dict):
        return [(pointer, "must be an object with one verb")]
    verbs = [key for key in step if key in _VERBS]
    if len(verbs) != 1:
        return [(pointer, f"must have one verb of: {', '.join(_VERBS)}")]
    kind, needed, optional = _VERBS[verbs[0]]
    kinds = {verbs[0]: kind, **needed, **optional}
    found = [(f"{pointer}/{_escape(key)}", "unknown key") for key in step if key not in kinds]
    found += [(pointer, f"`{verbs[0]}` needs `{key}`") for key in needed if key not in step]
    found += [
        (f"{pointer}/{key}", f"must be {kind.words}")
        for key, kind in kinds.items()
        if key in step and not kind.holds(step[key])
    ]
    return found


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
