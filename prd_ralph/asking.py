"""What an agent's last words want of a person: pure, and never more than words. No verdict looks at it.

Two kinds. It may say that it is stuck, by a tag with the attempt's nonce, which no text of before can hold. Or it ends
with a question, which nobody is there to answer: that is told by its form, narrowly.
"""

import re

from prd_ralph.excerpt import cut, in_one_line
from prd_ralph.model import Need

TEXT_LIMIT = 500
STUCK_TOLD = 2
"""So often a story's agents say in a run that they are stuck, and it is set aside."""

_LOOKED_AT = 16 << 10
_LAST_LINES = 12

PLACEHOLDER = "REASON"
"""What stands in the place of the reason where the prompt shows the tag."""

_LIST_ITEM = re.compile(r"(?:[-*•+]|\(?[0-9]{1,2}[.):]|\(?[A-Za-z][.)])\s+\S")
_DRESS = "*_`\"'“”‘’ \t"
_TO_A_PERSON = re.compile(
    "|".join(
        (
            r"\b(?:should|shall|may|can|could|must) (?:I|we)\b",
            r"\b(?:would|do|did|could|can|will) you (?:please )?"
            r"(?:like|want|prefer|mean|have|need|clarify|confirm|provide|share|tell|specify|choose|decide|give|grant)\b",
            r"\bwant me to\b|\bare you (?:ok|okay|fine|happy|sure)\b",
            r"\b(?:is it|is that|ok|okay|fine) (?:(?:ok|okay|fine) )?(?:if I|for me|with you)\b",
            r"\b(?:which|what|how) (?:\w+ ){0,3}(?:would|do|should) you\b",
        )
    ),
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:[^.!?]*, )?(?:please|kindly) "
    r"(?:confirm|clarify|provide|let me know|tell me|advise|specify|choose|decide|share|answer)\b"
    r"|let me know (?:which|what|how|if|whether|when|your)\b",
    re.IGNORECASE,
)

SAID = {"stuck": "the agent says that it is stuck", "question": "the agent asks, and nobody is there to answer"}
"""What each kind of need is, in words."""


def need_of(text: str, prompt: str, nonce: str) -> Need | None:
    """What the agent's final text wants, if anything. `prompt` is what it was given: an echo of that is not its own."""
    if reason := stuck_reason(text, prompt, nonce):
        return Need("stuck", reason)
    asked = question(text, prompt)
    return Need("question", asked) if asked else None


def stuck_reason(text: str, prompt: str, nonce: str) -> str:
    """The reason in the last `<stuck-NONCE>…</stuck-NONCE>` that the agent wrote itself, on one line; "" without one.

    A tag that the prompt holds letter for letter is an echo; one without a word, or with the placeholder, is no reason.
    """
    if not nonce:
        return ""
    tag = re.compile(rf"<stuck-{re.escape(nonce)}>((?:(?!<stuck-)[\s\S]){{0,4000}}?)</stuck-{re.escape(nonce)}>")
    for found in reversed(list(tag.finditer(text))):
        reason = " ".join(found[1].split())
        is_echo = found[0] in prompt or reason.strip(_DRESS).casefold() == PLACEHOLDER.casefold()
        if not is_echo and re.search(r"\w", reason):
            return cut(reason, TEXT_LIMIT)
    return ""


def question(text: str, prompt: str = "") -> str:
    """The question to a person that the text ends with, on one line; "" where it ends otherwise.

    A list of what to choose from may follow it. Quoted lines, code, and an echo of the prompt are nobody's question.
    """
    lines = [line.strip() for line in _prose(_after_echo(text[-_LOOKED_AT:], prompt))][-_LAST_LINES:]
    while lines and _LIST_ITEM.match(lines[-1]) and not lines[-1].rstrip(_DRESS).endswith("?"):
        lines.pop()
    last = lines[-1] if lines else ""
    return in_one_line(last, TEXT_LIMIT) if _asked(last) else ""


def _after_echo(text: str, prompt: str) -> str:
    """What comes after the prompt's last line, up to which all may be the prompt's own. What that tells of questions of
    earlier attempts may be asked again.
    """
    end = prompt.strip().rpartition("\n")[2]
    return text.rpartition(end)[2] if end else text


def _asked(line: str) -> bool:
    plain = line.strip(_DRESS)
    last_sentence = re.split(r"(?<=[.!?])\s+", plain)[-1].strip(_DRESS)
    if plain.endswith("?"):
        return bool(_TO_A_PERSON.search(last_sentence))
    return bool(_REQUEST.match(last_sentence))


def _prose(text: str) -> list[str]:
    """The lines that are not blank, quoted, or in a fenced block."""
    kept, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif line.strip() and not fenced and not line.lstrip().startswith((">", "$ ", "#")):
            kept.append(line)
        elif fenced or line.strip():
            kept.clear()  # what comes before a block does not end the text
    return kept
