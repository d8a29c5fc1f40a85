"""Rules about what a command's exit status says: what hides it, and what makes it 0 without a proof."""

import re
from collections.abc import Iterator

from prd_ralph.model import Check
from prd_ralph.prdfile.linting.subject import Found, Subject
from prd_ralph.prdfile.shell import (
    Chain,
    Mode,
    Node,
    Pipe,
    Series,
    Simple,
    can_fail,
    inner,
    is_filter,
    mask,
    parsed,
)
from prd_ralph.prdfile.text import shown

OWN_STATUS = "let the command's own exit status be the last word"
_QUIET_OPTIONS = {
    "--passWithNoTests": "it passes when no test is found",
    "--pass-with-no-tests": "it passes when no test is found",
    "--suppress-no-test-exit-code": "it passes when no test is found",
    "--no-error-on-unmatched-pattern": "it passes when no file is found",
    "--if-present": "it passes when there is no such script",
    "--exit-zero": "it passes whatever it finds",
}
_GREPS = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg"})
_SHORT = re.compile(r"-[A-Za-z]+")


def fault(check: Check, mode: Mode) -> str | None:
    """How the command's exit status can be masked; None where it counts."""
    if isinstance(check.run, str):
        tree = parsed(check.run)
        cause = mask(tree, mode) if tree else None
    else:
        script = inner(check.run)
        tree = parsed(script[0]) if script else None
        cause = mask(tree, script[1]) if script and tree else None
    return f"the exit status of {shown(check.text)} can be masked: {cause}" if cause else None


def masked_status(subject: Subject) -> Iterator[Found]:
    for command in subject.commands():
        if found := fault(command.check, subject.mode):
            yield Found(command.path, found, OWN_STATUS)


def piped_status(subject: Subject) -> Iterator[Found]:
    """Under `pipefail` the first parts count: true where prd-ralph runs it under bash, and nowhere else."""
    for command in subject.commands():
        tree = command.tree
        if tree is None or not subject.around.pipefail or fault(command.check, subject.mode):
            continue
        if last := next(_last_filters(tree), None):
            message = f"where there is no bash, `{last}` decides over {shown(command.check.text)}, and it always passes"
            yield Found(command.path, message, f"leave `| {last}` out: what matters of a long output is shown anyway")


def green_without_tests(subject: Subject) -> Iterator[Found]:
    for command in subject.commands():
        words = [word for words in command.programs for word in words]
        pairs = [(option, value) for option, _, value in (word.partition("=") for word in words)]
        if option := next((o for o, value in pairs if o in _QUIET_OPTIONS and value not in ("false", "0")), None):
            message = f"`{option}` in {shown(command.check.text)}: {_QUIET_OPTIONS[option]}"
            yield Found(command.path, message, f"leave `{option}` out, so that its status says what it found")


def inverted_grep(subject: Subject) -> Iterator[Found]:
    """A grep that is negated itself says that every line matches, which is a proof."""
    for command in subject.commands():
        places = [place for place in command.places if not place.negated and not place.condition]
        if any(_is_inverted(place.words) for place in places):
            message = f"{shown(command.check.text)} passes as soon as any other line is there: `-v` picks lines"
            yield Found(command.path, message, "to prove that a text is absent write `! grep -q TEXT FILE`")


def _is_inverted(words: tuple[str, ...]) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    letters = "".join(option[1:] for option in options if _SHORT.fullmatch(option))
    quiet = "q" in letters or {"--quiet", "--silent"} & set(options)
    return words[:1] != () and words[0] in _GREPS and bool(quiet) and ("v" in letters or "--invert-match" in options)


def _last_filters(node: Node) -> Iterator[str]:
    """The filters that end a pipe in which something before them can fail."""
    for pipe in _pipes(node):
        last = pipe.parts[-1]
        if isinstance(last, Simple) and is_filter(last) and any(can_fail(part, Mode()) for part in pipe.parts[:-1]):
            yield " ".join(last.texts[:3])


def _pipes(node: Node) -> Iterator[Pipe]:
    """Those that stand where their status counts: not behind `!` or in a condition, nor in a group."""
    if isinstance(node, Pipe):
        yield node
    elif isinstance(node, Chain):
        for part in (node.first, *(part for _, part in node.rest)):
            yield from _pipes(part)
    elif isinstance(node, Series):
        yield from _pipes(node.parts[-1][0])
