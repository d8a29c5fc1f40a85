"""The table of failure classes: what programs say of themselves, and what is only said by the way."""

import pytest

from prd_ralph.agents.failures import failure_of, in_one_line, of_error
from prd_ralph.agents.resets import reset_at
from prd_ralph.model import FailureClass, ProcessEnd, ProcessResult

ERRORS = {
    FailureClass.CREDITS: (
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
        "Quota exceeded. Check your plan and billing details.",
        "You exceeded your current quota, please check your plan and billing details. insufficient_quota",
        "You've hit your individual spend limit",
        "HTTP 402 Payment Required",
    ),
    FailureClass.AUTH: (
        "Invalid API key · Fix external API key",
        "Not logged in · Please run /login",
        "Failed to authenticate. API Error: 403 forbidden",
        "unexpected status 401 Unauthorized: invalid x-api-key",
        "OAuth token has expired. Please obtain a new token",
        "Missing environment variable: `OPENAI_API_KEY`.",
        "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
        "Error: No authentication information found.",
        "request failed { status: 401 }",
        "Your access token could not be refreshed. Please log out and log in again: refresh token was already reused",
    ),
    FailureClass.BAD_MODEL: (
        "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
        "The 'gpt-9' model is not supported when using Codex with a ChatGPT account.",
        "model: claude-9 not found",
        "unknown model gpt-9",
        "The model `gpt-9` does not exist or you do not have access to it. model_not_found",
    ),
    FailureClass.CONTEXT_OVERFLOW: (
        "Prompt is too long",
        "prompt is too long: 213456 tokens > 200000 maximum",
        "Codex ran out of room in the model's context window. Start a new conversation.",
        "This model's maximum context length is 128000 tokens. context_length_exceeded",
        "Your input exceeds the context window of this model.",
        "Error: turn/start: turn/start failed: Input exceeds the maximum length of 1048576 characters. (code -32602)",
    ),
    FailureClass.USAGE_LIMIT: (
        "Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).",
        "Claude AI usage limit reached|1749924000",
        "You've hit your limit · resets 3am (UTC)",
        "You've hit your session limit",
        "You've hit your org's monthly usage limit",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "API Error: Request rejected (429) · slow down",
        "5-hour limit reached ∙ resets 7pm",
        "RESOURCE_EXHAUSTED",
    ),
    FailureClass.TRANSIENT: (
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "API Error: 500 Internal server error",
        "stream disconnected before completion: stream closed before response.completed",
        "We’re currently experiencing high demand, which may cause temporary errors.",
        "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
        "Selected model is at capacity. Please try a different model.",
        "error sending request for url",
    ),
    FailureClass.ERROR: ("API Error: 400 mock bad request", "Reached maximum number of turns (2)", "", "panicked"),
}


@pytest.mark.parametrize(("failure", "text"), [(failure, text) for failure, said in ERRORS.items() for text in said])
def test_a_structured_error_has_a_class(failure: FailureClass, text: str) -> None:
    assert of_error(text) is failure


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (400, FailureClass.ERROR),
        (401, FailureClass.AUTH),
        (402, FailureClass.CREDITS),
        (403, FailureClass.AUTH),
        (413, FailureClass.CONTEXT_OVERFLOW),
        (429, FailureClass.USAGE_LIMIT),
        (500, FailureClass.TRANSIENT),
        (503, FailureClass.TRANSIENT),
        (529, FailureClass.TRANSIENT),
    ],
)
def test_a_status_counts_where_words_say_nothing(status: int, failure: FailureClass) -> None:
    assert of_error("something", status) is failure


def test_words_that_are_sure_count_for_more_than_a_status() -> None:
    assert of_error("Your credit balance is too low", 400) is FailureClass.CREDITS
    assert of_error("prompt is too long", 400) is FailureClass.CONTEXT_OVERFLOW
    assert of_error("insufficient_quota", 429) is FailureClass.CREDITS
    assert of_error("model: nothing of that name was not found", 404) is FailureClass.BAD_MODEL


def test_a_status_counts_for_more_than_what_a_message_quotes() -> None:
    assert of_error("API Error: 400 messages.5: the file says Invalid API key", 400) is FailureClass.ERROR
    assert of_error("rate limit in the request body", 422) is FailureClass.ERROR
    assert of_error("rate limit somewhere", 500) is FailureClass.TRANSIENT


def ended(code: int, out: str = "", err: str = "", end: ProcessEnd = ProcessEnd.EXITED) -> ProcessResult:
    return ProcessResult(end, code, 1.0, out.encode(), err.encode())


def test_a_command_that_failed_is_known_by_its_last_words() -> None:  # C121
    assert failure_of(ended(1, "Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).\n"))
    for said in ("Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).", "You've hit your limit"):
        assert failure_of(ended(1, f"working\n{said}\n")) is FailureClass.USAGE_LIMIT
        assert failure_of(ended(1, err=said)) is FailureClass.USAGE_LIMIT
    assert failure_of(ended(1, "API Error: 529 overloaded_error")) is FailureClass.TRANSIENT  # C128
    assert failure_of(ended(1, "Invalid API key · Please run /login")) is FailureClass.AUTH
    assert failure_of(ended(3, err="Error: connect ECONNREFUSED 127.0.0.1:80")) is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "said",
    [
        "installed @upstash/ratelimit, 429 handling, usage limit",  # C122
        "publish-intent rate limiting has a race",  # C123
        "the test expects status 500 and server error",
        "model was not found by the query",
    ],
)
def test_what_a_story_is_about_is_no_failure_of_the_agents(said: str) -> None:
    assert failure_of(ended(0, said, said)) is None
    assert failure_of(ended(1, said)) is FailureClass.ERROR


def test_what_stands_in_events_is_the_agents_own() -> None:
    said = ended(1, out='{"type":"assistant","text":"API Error: 401, then rate limit exceeded"}\n')
    assert failure_of(said) is FailureClass.AUTH
    assert failure_of(said, of_protocol=True) is FailureClass.ERROR
    assert failure_of(ended(1, err="usage limit reached"), of_protocol=True) is FailureClass.USAGE_LIMIT


def test_only_the_last_lines_count() -> None:  # C125
    early = "You've hit your limit\n" + "work\n" * 20
    assert failure_of(ended(1, early)) is FailureClass.ERROR
    assert failure_of(ended(1, err=early)) is FailureClass.ERROR


def test_a_process_that_we_ended_is_judged_by_that() -> None:
    limit = "usage limit reached"
    assert failure_of(ended(-15, limit, limit, ProcessEnd.IDLE)) is FailureClass.HANG
    assert failure_of(ended(-15, limit, limit, ProcessEnd.WALL)) is FailureClass.HANG
    assert failure_of(ended(-15, limit, limit, ProcessEnd.STOPPED)) is None
    assert failure_of(ended(-9, limit, limit, ProcessEnd.LOST)) is FailureClass.ERROR


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Claude AI usage limit reached|1930000000", 1930000000),
        ('{"resets_at": 1930000000}', 1930000000),
        ('"resetsAt":1930000000123', 1930000000.123),
        ('"resets_in_seconds": 90', 1090),
        ("Retry-After: 30", 1030),
        ("Please try again in 3 hours 42 minutes.", 1000 + 3 * 3600 + 42 * 60),
        ("try again in 1.5s", 1001.5),
        ("try again in 1 day, 2 hours and 3 minutes", 1000 + 86400 + 7200 + 180),
        ("limit reached", None),
        ("", None),
    ],
)
def test_a_reset_is_read_where_it_is_a_number(text: str, expected: float | None) -> None:
    assert reset_at(text, 1000) == expected


def test_an_error_is_one_line_that_ends() -> None:
    assert in_one_line("a\n b\t c") == "a b c"
    assert len(in_one_line("x" * 10_000)) == 500
