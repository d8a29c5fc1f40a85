"""Which scripts of the project are a line's judge, rather than what it judges; pure.

A script whose exit status the line's comes from is the judge. One whose output another program looks at, or that is
followed by one that decides, is the judged: an honest story may change it. In doubt it is the judge.
"""

import re
from collections.abc import Iterable, Iterator

from prd_ralph.workspace.commands import TOOL_FILES, after_prefixes, run_by, scripts, split
from prd_ralph.workspace.shell import FILLED_IN, Command, Lines, read

_KEYWORDS = frozenset(
    {
        *("if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case", "esac"),
        *("function", "{", "}", "trap", "exec"),
    }
)
_LEAVING = frozenset({"exit", "return", "exec", "break", "continue"})
_JUDGES_NOTHING = _LEAVING | {
    *("echo", "printf", "true", ":", "cat", "tac", "tee", "tail", "head", "less", "more", "sort", "uniq", "sed"),
    *("tr", "wc", "cut", "paste", "column", "fold", "fmt", "nl", "ts", "xargs", "base64", "iconv", "stdbuf", "logger"),
    *("cd", "pushd", "popd", "pwd", "ls", "rm", "rmdir", "mkdir", "touch", "cp", "mv", "ln", "chmod", "mktemp", "date"),
    *("export", "set", "unset", "local", "declare", "typeset", "readonly", "shopt", "umask", "ulimit", "read", "shift"),
    *("eval", "wait", "sleep", "kill", "pkill", "disown", "trap", "for", "case", "fi", "done", "esac", "}", "env"),
}
_JUDGE_IF = {
    "awk": re.compile(r"\bexit\b"),
    "gawk": re.compile(r"\bexit\b"),
    "jq": re.compile(r"(?:^|\s)(?:-[a-zA-Z]*e|--exit-status)"),
    "git": re.compile(r"--exit-code|--quiet|\bgrep\b"),
    "grep": re.compile(r"^(?!.*\s(?:-[a-zA-Z]*v|--invert))|\s-[a-zA-Z]*q|--quiet", re.DOTALL),  # `-v` alone filters
}
_INTERPRETER = re.compile(r"(?:ba|z|da|k)?sh|source|\.|python[\d.]*|pypy3?|node|deno|bun|ruby|perl|php")
_OWN_CODE = re.compile(r"\s-[a-zA-Z]*[ceE]\b")
_OF_THE_PROJECT = frozenset(
    {
        *("pytest", "npm", "pnpm", "yarn", "bun", "deno", "jest", "vitest", "mocha", "ava", "playwright", "cypress"),
        *("cargo", "go", "mvn", "gradle", "dotnet", "mix", "swift", "bazel", "rspec", "bundle", "phpunit", "composer"),
        *("ruff", "mypy", "pyright", "flake8", "pylint", "black", "eslint", "prettier", "tsc", "biome", "shellcheck"),
        *("pip", "docker", "docker-compose"),
    }
)
"""They look at the project's own tests and sources, not at what ran before them."""
_TELLING = re.compile(
    r"(?<![a-z])(?:tests?|check(?:s|er)?|verify|validate|lint|assert|acceptance|smoke|ci|gate)(?![a-z])"
)
_STATUS = re.compile(r"\$\?(?!\"?\s*(?:=|==|-eq)\s*[\"']?[1-9])|PIPESTATUS")
"""The status of what ran before, looked at otherwise than for an error that is expected."""


def judges(lines: Iterable[str]) -> frozenset[str]:
    """Those of the scripts that the lines run (`commands.scripts`) whose exit status may be the verdict."""
    return frozenset(path for line in lines for path in _judges_of(line))


def _judges_of(line: str) -> frozenset[str]:
    found, pipes = scripts([line]), read(line)
    if pipes is None or _STATUS.search(line):
        return found
    seen = frozenset(_seen(pipes, judged=False))
    judged = {path for path, is_judged in seen if is_judged and (path, False) not in seen}
    return found - {path for path in judged if path not in TOOL_FILES and not _TELLING.search(path.lower())}


def _seen(pipes: Lines, judged: bool) -> Iterator[tuple[str, bool]]:
    """The scripts of a list, each with whether another program judges it there."""
    commands = [command for pipe in pipes for command in pipe.commands]
    plain = not any(_KEYWORDS.intersection(split(command.text)[:1]) for command in commands)
    for at, pipe in enumerate(pipes):
        followed = judged or (plain and _is_followed(pipes, at))
        for place, command in enumerate(pipe.commands):
            here = followed or any(map(_judges, pipe.commands[place + 1 :]))
            yield from ((path, here) for path in run_by(split(command.text)))
            yield from _seen(command.group, here)
            for inner in command.inside:
                yield from _seen(inner, here or _judges(command))


def _is_followed(pipes: Lines, at: int) -> bool:
    """Whether a program that is not of the project decides after the pipe, whatever status that has."""
    for pipe, following in zip(pipes[at:], pipes[at + 1 :], strict=False):
        if pipe.then == "||" or any(_name(command) in _LEAVING for command in following.commands):
            return False
        if any(map(_decides, following.commands)):
            return True
    return False


def _decides(command: Command) -> bool:
    if command.group:
        return any(_decides(each) for pipe in command.group for each in pipe.commands)
    return _judges(command) and _name(command) not in _OF_THE_PROJECT and not any(run_by(split(command.text)))


def _judges(command: Command) -> bool:
    """Whether its exit status says something of what it is given."""
    if command.group:
        return any(_judges(each) for pipe in command.group for each in pipe.commands)
    name, text = _name(command), command.text
    if not name or name in _JUDGES_NOTHING or "$" in name or FILLED_IN in name:
        return False
    if _INTERPRETER.fullmatch(name):
        own = not re.fullmatch(r"(?:ba|z|da|k)?sh", name) and _OWN_CODE.search(text)
        return bool(own) or any(run_by(split(text)))
    return name not in _JUDGE_IF or bool(_JUDGE_IF[name].search(text))


def _name(command: Command) -> str:
    """The program's, without its folder; empty where there is none."""
    return next(iter(after_prefixes(split(command.text))), "").rsplit("/", 1)[-1]
