"""What turns old lines of a test off though each of them stands; for texts that are no Python. Pure.

No list of words can say that an addition is harmless, so nothing here says that: what is not found has merely grown,
which is told as suspect all the same. This is for `auto`, which puts back what no honest addition does.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_SHELLS = frozenset({".sh", ".bash", ".bats", ".zsh", ".ksh", ".dash", ".t", ""})
_WITH_ENDS = frozenset({".rb", ".exs", ".ex", ".lua", ".cr"})

_NEVER = re.compile(
    r"\b(?:if|while|elif|elsif|when|and)\b[\s(!]*(?:false|0|nil|null|undefined|!\s*(?:true|1)|\[\s*\])(?:[\s);:{]|$)"
    r"|\b(?:unless|until)\b[\s(]*(?:true|1|:)(?:[\s);:{]|$)"
    r"|\bfalse\s*&&|\btrue\s*\|\||(?:^|;)\s*:\s*\|\||\bfor\s*\(\s*;\s*(?:false|0)\s*;",
    re.MULTILINE,
)
_REBOUND = re.compile(
    r"\b(?:expect|assert\w*|should|chai|sinon|console)(?:\.\w+)*\s*=(?![=>~])"
    r"|\)(?:\.\w+|\[[^\]\n]*\])+\s*=(?![=>~])"
    r"|\bObject\.(?:assign|defineProperty|defineProperties|setPrototypeOf)\s*\(|\bReflect\.(?:set|define)"
    r"|\bmacro_rules!\s*(?:debug_)?(?:assert|panic)|should_panic|\bcfg(?:_attr)?\s*\(|#undef|__END__|__DATA__|^=\w+"
    r"|\bdef\s+(?:self\.)?(?:[=!<>+*/%~\[-]|assert|refute|expect|should|must|run\b|test\b|method_missing)"
    r"|\bclass\s+(?:Object|BasicObject|Kernel|Module|Class|NilClass|Integer|String|Minitest|Test|RSpec)\b"
    r"|\b(?:class|module|instance)_eval\b|\bdefine_(?:singleton_)?method\b|\balias_method\b|\bprepend\b|\brefine\b",
    re.MULTILINE,
)
_ASSIGNED = re.compile(r"^\s*(\w+)(?:\.\w+|\[[^\]\n]*\])*\s*=(?![=>~])", re.MULTILINE)
_GOES_ON = re.compile(
    r"(?:\|\||&&|=>|->|[\\!?|=+*/%^~-]|(?<!\w)(?:void|typeof|not|and|or|then|do|else|await|yield|new|delete|in|of))\s*$"
    r"|^\s*(?:\}\s*)?(?:else\s+)?(?:if|while|for|unless|until|with|switch|function)\b.*\)\s*$"
    r"|^\s*(?:#!?\[.*\]|@\w[\w.:]*(?:\(.*\))?|\[\w+(?:\(.*\))?\])\s*$"
)
"""The last line of what was added, where it takes the old line after it as a part of itself."""
_WENT_ON = re.compile(r"^\s*(?:\|\||&&|\?|\.\w)")
_HEREDOC = re.compile(r"<<[-~]?\s*[\"'\\]?([A-Za-z_]\w*)")

_NO_OP = re.compile(
    r"^\s*(?:true|:|/bin/true|exec\b.*|(?:un)?alias\b.*|enable\b.*|trap\b.*|unset\s+-f\b.*|(?:export\s+)?PATH=.*)\s*;?\s*$"
    r"|^\s*(?:function\s+)?(?:\[\[?|:|test|true|false)\s*(?:\(\s*\)|\{)|\bfunction\s+(?:\[|:|test\b)"
    r"|\|\|\s*(?:true|:)\s*$",
    re.MULTILINE,
)
_NEVER_FAILS = re.compile(r"(?:^|[;&|]\s*)(?:true|:|/bin/true|exit(?:\s+0)?|(?:echo|printf)\b[^;&|]*|\w+=\S*)\s*;?$")
_SHELL_PAIRS = (("if", "fi"), ("do", "done"), ("case", "esac"))
_BEGUN = re.compile(r"^\s*(?:if|unless|while|until|def|class|module|begin|case|for)\b|\bdo\b(?:\s*\|.*\|)?\s*$")


def turns_off(path: str, block: str, words: frozenset[str]) -> bool:
    """Whether an added block switches off, swallows or gives another meaning to the lines around it.

    `words`: those that the old text speaks of.
    """
    lines = [line for line in block.split("\n") if line.strip()]
    if not lines:
        return False
    if _NEVER.search(block) or _REBOUND.search(block) or _GOES_ON.search(lines[-1]) or _WENT_ON.match(lines[0]):
        return True
    if block.count('"') % 2 or not _heredocs_end(block.split("\n")):
        return True
    suffix = PurePosixPath(path).suffix
    if suffix in _SHELLS:
        return _NO_OP.search(block) is not None or not _is_whole_shell(block)
    if suffix in _WITH_ENDS:
        ends = sum(line.split()[0].rstrip(".);,") == "end" for line in lines)
        return ends != sum(_BEGUN.search(line) is not None and " end" not in line for line in lines)
    return any(word in words for word in _ASSIGNED.findall(outside_of_braces(block)))


def hides_its_end(path: str, old: Iterable[str], new: Iterable[str]) -> bool:
    """Whether a script of the shell now ends with a line that never fails, so that the old ones' ends do not count."""
    if PurePosixPath(path).suffix not in _SHELLS:
        return False
    before, after = _last(old), _last(new)
    return before != after and _NEVER_FAILS.search(after) is not None


def _last(lines: Iterable[str]) -> str:
    told = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return told[-1] if told else ""


def _heredocs_end(lines: list[str]) -> bool:
    return all(
        any(other.strip() == word for other in lines[number + 1 :])
        for number, line in enumerate(lines)
        for word in _HEREDOC.findall(line)
    )


def _is_whole_shell(block: str) -> bool:
    """Whether each `if` has its `fi`, and so on, and each quote its other."""
    code = re.sub(r'"[^"]*"|(?:^|\s)#.*', "", block, flags=re.MULTILINE)
    words = re.findall(r"[\w-]+", re.sub(r"'[^']*'", "", code))
    return code.count("'") % 2 == 0 and all(words.count(start) == words.count(end) for start, end in _SHELL_PAIRS)


def outside_of_braces(block: str) -> str:
    """The block without what stands in braces."""
    found, depth = [], 0
    for letter in block:
        depth -= letter == "}"
        found.append(letter if depth <= 0 else "")
        depth += letter == "{"
    return "".join(found)
