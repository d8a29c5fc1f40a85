"""Whether a shell line can end with anything but 0. Where that can't be told it can: a false alarm costs trust."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prd_ralph.prdfile.shell.nodes import Chain, If, Loop, Node, Not, Pipe, Series, Simple, simples
from prd_ralph.prdfile.shell.parser import parsed

_GREEN = frozenset({"true", ":", "/bin/true", "/usr/bin/true", "echo", "printf", "sleep"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash", "/usr/bin/bash"})
_FILTERS = frozenset({"tail", "head", "tee", "cat", "less", "more", "wc", "sort", "uniq", "cut", "tr", "nl", "fold"})
_LEAVING = frozenset({"exit", "return"})
_DEMANDED = re.compile(r"\$\{[A-Za-z_]\w*:?\?")  # `${X:?}` ends the shell where X is not set


@dataclass(frozen=True, slots=True)
class Mode:
    """What `set` has set: a pipe fails with any of its parts, a series with any of its own."""

    pipefail: bool = True
    errexit: bool = False


def mask(node: Node, mode: Mode) -> str | None:
    """Why the whole line passes whatever happens in it; None when it can fail."""
    if can_fail(node, mode) or any(_leaves_failing(place.words) for place in simples(node)):
        return None
    if isinstance(node, Series) and len(node.parts) == 1 and not node.parts[0][1]:
        return mask(node.parts[0][0], mode)
    if isinstance(node, Series) and node.parts[-1][1]:
        return "a command in the background is not waited for"
    if isinstance(node, Series):
        return "its last part passes whatever was before"
    if isinstance(node, Chain) and any(operator == "||" for operator, _ in node.rest):
        return "what follows `||` makes every failure a pass"
    if isinstance(node, If):
        return "none of its branches can fail"
    if isinstance(node, Pipe):
        return "without `pipefail` the last part of a pipe decides"
    script = inner(node.texts) if isinstance(node, Simple) else None
    found = parsed(script[0]) if script else None
    if script and found:
        return mask(found, script[1])
    return "it exits with 0 whatever the project is like"


def can_fail(node: Node, mode: Mode) -> bool:
    """Whether this part can end with anything but 0; that an `exit` in it may end the whole line is left out."""
    if isinstance(node, Simple):
        return _simple(node)
    if isinstance(node, Pipe):
        if not mode.pipefail:
            return not is_filter(node.parts[-1]) and can_fail(node.parts[-1], mode)
        return any(can_fail(part, mode) for part in node.parts)
    if isinstance(node, Chain):
        return _chain(node, mode)
    if isinstance(node, Series):
        return _series(node, mode)
    if isinstance(node, If):
        branches = [branch for _, branch in node.branches] + ([node.otherwise] if node.otherwise else [])
        return any(can_fail(branch, mode) for branch in branches)
    if isinstance(node, Loop):
        return node.condition is not None or can_fail(node.body, after(node, mode))  # the second time round
    return isinstance(node, Not)


def program_of(words: Sequence[str]) -> tuple[str, ...]:
    """The words from the program on: what is put before it (`CI=1`, `env`, `command`, `timeout 60`) is left out."""
    left = list(words)
    while left and (_is_assignment(left[0]) or left[0] in ("env", "command", "builtin", "exec", "nice", "nohup")):
        left.pop(0)
    if len(left) > 2 and left[0] == "timeout" and left[1][:1].isdigit():
        return program_of(left[2:])
    return tuple(left)


def inner(words: Sequence[str]) -> tuple[str, Mode] | None:
    """The script of `sh -c SCRIPT`, and how that shell runs it: without `pipefail`, unless it is told."""
    program = program_of(words)
    if not program or program[0] not in _SHELLS:
        return None
    for index, word in enumerate(program[1:-1], 1):
        if not word.startswith(("-", "+")) and not program[index - 1].endswith("o"):
            return None  # a file with a script
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return program[index + 1], _set(Mode(pipefail=False), (*program[1:index], word[:-1]))
    return None


def is_filter(node: Node) -> bool:
    """What hands on what it reads, as `tail`: it passes whatever that is."""
    return isinstance(node, Simple) and bool(node.words) and node.words[0].text in _FILTERS


def after(node: Node, mode: Mode) -> Mode:
    """The mode once the node has run: `set` counts where it stands alone or in a chain."""
    if isinstance(node, Chain):
        for part in (node.first, *(part for _, part in node.rest)):
            mode = after(part, mode)
    elif isinstance(node, Simple):
        return _set(mode, node.texts[1:]) if node.texts[:1] == ("set",) else mode
    else:  # whether it gets there can't be told: what makes more fail counts
        within = [after(place.simple, mode) for place in simples(node)]
        return replace(mode, errexit=mode.errexit or any(found.errexit for found in within))
    return mode


def _leaves_failing(words: Sequence[str]) -> bool:
    """`a || exit 1` anywhere lets the line fail, whatever its last part is; so does what `exec` puts in its place."""
    if words[:1] == ("exec",) and program_of(words)[:1] not in ((), *((name,) for name in _GREEN)):
        return True
    if any(map(_DEMANDED.search, words)):
        return True
    return words[:1] != () and words[0] in _LEAVING and words[1:2] != ("0",)


def _simple(node: Simple) -> bool:
    words = program_of(node.texts)
    if not words:  # assignments end with the status of what they call; a redirection alone can fail, too
        return True
    name, arguments = words[0], words[1:]
    if name in _LEAVING:
        return _leaves_failing(words)
    if name in ("wait", "set"):  # without a pid `wait` is content with all that ended
        return name == "wait" and bool(arguments)
    if script := inner(words):
        found = parsed(script[0])
        return found is None or mask(found, script[1]) is None
    return name not in _GREEN


def _chain(node: Chain, mode: Mode) -> bool:
    failing = can_fail(node.first, mode)
    mode = after(node.first, mode)
    for operator, part in node.rest:
        own = can_fail(part, mode)
        failing = (failing or own) if operator == "&&" else (failing and own)
        mode = after(part, mode)
    return failing


def _series(node: Series, mode: Mode) -> bool:
    """The last part decides, or whichever leaves the shell; under `set -e` every one that is waited for."""
    failing = False
    for part, background in node.parts:
        own, mode = not background and can_fail(part, mode), after(part, mode)
        if mode.errexit and own:
            return True
        failing = own
        if isinstance(part, Simple) and not background and part.words and part.words[0].text in _LEAVING:
            return own
    return failing


def _set(mode: Mode, options: Sequence[str]) -> Mode:
    for option, value in zip(options, (*options[1:], ""), strict=True):
        on = option.startswith("-")
        if not on and not option.startswith("+"):
            continue
        if "e" in option or (option.endswith("o") and value == "errexit"):
            mode = replace(mode, errexit=on)
        if option.endswith("o") and value == "pipefail":
            mode = replace(mode, pipefail=on)
    return mode


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.removesuffix("+").isidentifier()
