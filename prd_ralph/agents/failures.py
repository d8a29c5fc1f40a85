"""What an agent's failure is, by what its program says: one ordered table, the first rule that fits.

Structured errors and stderr are the program's own words: there the patterns are wide. On stdout the story itself may
speak of rate limits, so only the last lines of an agent that failed are looked at, by narrow ones. What a successful
agent says is never looked at.
"""

import re

from prd_ralph import excerpt
from prd_ralph.model import FailureClass, ProcessEnd, ProcessResult

_LAST_LINES = 10
_LOOKED_AT = 8 << 10
_ERROR_LIMIT = 500

_Rule = tuple[FailureClass, re.Pattern[str]]


def _rule(failure: FailureClass, *patterns: str) -> _Rule:
    return failure, re.compile("|".join(patterns), re.IGNORECASE)


# The order matters: what speaks of credits also says "quota", and a 401 may be called a "server error" elsewhere.
_WIDE = (
    _rule(
        FailureClass.CREDITS,
        r"credit balance\W+is\W+too\W+low|insufficient_quota|billing_(?:error|hard_limit)|billing details",
        r"exceeded your current quota|payment required|spend(?:ing)? limit",
    ),
    _rule(
        FailureClass.CONTEXT_OVERFLOW,
        r"(?:prompt|input) is too long|request (?:entity )?too large|context_length_exceeded|maximum context",
        r"context (?:window|length|limit)\b[^\n]{0,40}(?:exceed|full|reached)",
        r"exceeds the maximum length|input_too_large",
        r"(?:exceeds?|room in)\b[^\n]{0,30}\bcontext",
    ),
    _rule(FailureClass.TRANSIENT, r"model is at capacity"),
    _rule(
        FailureClass.BAD_MODEL,
        r"model_not_found|(?:unknown|unsupported|invalid) model\b|issue with the selected model",
        r"\bmodel\b(?! metadata)[^\n]{0,100}\b(?:(?:does|may) not exist|is not supported|not available|not found)",
    ),
    _rule(
        FailureClass.AUTH,
        r"not logged in|run /login|log in again|re-?authenticate|\bunauthori[sz]ed\b|permission_error",
        r"authentication[ _](?:error|fail)|failed to authenticate|invalid_api_key",
        r"(?:invalid|incorrect|missing|expired|no) (?:\w+[- ])?api[- _]?key",
        r"missing environment variable: \W*\w*(?:KEY|TOKEN)",
        r"(?:oauth|access|refresh) token[^\n]{0,40}(?:expired|revoked|invalid|reused)",
        r"no authentication information|must specify the \w+_KEY",
    ),
    _rule(
        FailureClass.USAGE_LIMIT,
        r"usage[ _]limit|rate[-_ ]?limit|too many requests|quota[- _]?exceeded|hit your [^\n]{0,30}limit",
        r"\b5-hour limit|weekly limit|limit (?:will )?resets?\b|out of extra usage|resource[ _]exhausted",
        r"(?:http|status|error|code|response)\W{0,3}(?:code\W{0,3})?429\b|\(429\)|tokens per minute",
    ),
    # After the limits, for a message may name both.
    _rule(FailureClass.AUTH, r"(?:http|status|error|code|response)\W{0,3}(?:code\W{0,3})?401\b"),
    _rule(
        FailureClass.TRANSIENT,
        r"overloaded|server error|service unavailable|bad gateway|gateway time-?out|high demand|temporarily",
        r"(?:http|status|error|code|response)\W{0,3}(?:code\W{0,3})?5[0-9]{2}\b",
        r"connection (?:refused|reset|closed|error|failed|timed out)|stream (?:disconnected|closed)|socket hang up",
        r"\b(?:ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE)\b|error sending request",
        r"(?:waiting for|no) network|network error|fetch failed",
    ),
)

_NARROW = (
    _rule(FailureClass.CREDITS, r"credit balance is too low|insufficient_quota"),
    _rule(FailureClass.AUTH, r"not logged in\b.{0,10}/login|invalid api key|api error: 40[13]\b|authentication_error"),
    _rule(
        FailureClass.USAGE_LIMIT,
        r"usage limit reached|you'?ve hit your [^\n]{0,30}limit|rate_limit_error|rate limit (?:exceeded|reached)",
        r"\b5-hour limit|api error: [^\n]{0,30}429|429 too many requests",
    ),
    _rule(FailureClass.TRANSIENT, r"overloaded_error|api error: 5[0-9]{2}\b|\"status_?code\": ?529\b"),
)

_SURE_WORDS = frozenset({FailureClass.CREDITS, FailureClass.CONTEXT_OVERFLOW, FailureClass.BAD_MODEL})
# What an HTTP status says where the words say nothing (RFC 9110; 529 is Anthropic's "overloaded").
_BY_STATUS = {
    401: FailureClass.AUTH,
    402: FailureClass.CREDITS,
    403: FailureClass.AUTH,
    408: FailureClass.TRANSIENT,
    413: FailureClass.CONTEXT_OVERFLOW,
    429: FailureClass.USAGE_LIMIT,
}


def of_error(text: str, status: int | None = None) -> FailureClass:
    """The class of a structured error: its words, and the HTTP status where one is told.

    A status counts for more than most words: the message of a 400 may quote anything.
    """
    by_words = _first(_WIDE, text) or FailureClass.ERROR
    if status is None or by_words in _SURE_WORDS:
        return by_words
    return FailureClass.TRANSIENT if status >= 500 else _BY_STATUS.get(status, FailureClass.ERROR)


def failure_of(process: ProcessResult, of_protocol: bool = False) -> FailureClass | None:
    """What an agent's process says of the agent, where its stream says nothing better.

    `of_protocol`: stdout holds events, so its words are the agent's and its tools', and are not looked at.
    None for an agent that ended by itself with status 0, or that the person stopped.
    """
    match process.end:
        case _ if process.ok:
            return None
        case ProcessEnd.STOPPED:
            return None
        case ProcessEnd.WALL | ProcessEnd.IDLE:
            return FailureClass.HANG
        case ProcessEnd.EXITED:
            said = _first(_WIDE, _last_lines(process.stderr))
            if said is None and not of_protocol:
                said = _first(_NARROW, _last_lines(process.stdout))
            return said or FailureClass.ERROR
        case _:
            return FailureClass.ERROR


def in_one_line(text: str) -> str:
    """An error's text as a line that is not endless."""
    return excerpt.in_one_line(text, _ERROR_LIMIT)


def _last_lines(data: bytes) -> str:
    lines = [line for line in excerpt.plain_text(data[-_LOOKED_AT:]).splitlines() if line.strip()]
    return "\n".join(lines[-_LAST_LINES:])


def _first(rules: tuple[_Rule, ...], text: str) -> FailureClass | None:
    return next((failure for failure, pattern in rules if pattern.search(text)), None)
