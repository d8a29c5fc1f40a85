"""Claude Code's stream (`--output-format stream-json`, and the single object or array of `json`).

Seen with versions 2.1.197 and 2.1.332; what is not known is passed over. `subtype` is "success" on API errors too:
only `is_error` tells.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from prd_ralph.agents.actions import call, first_line, short
from prd_ralph.agents.calls import tool_call
from prd_ralph.agents.failures import of_error
from prd_ralph.agents.jsonlines import Event, count_of, mapping_of, number_of, text_of
from prd_ralph.agents.resets import reset_at, unix_time
from prd_ralph.agents.told import Told
from prd_ralph.model import ActionKind, AgentAction, FailureClass, Tokens, ToolCall

# The word in an assistant event's `error`, for results that name no HTTP status.
_BY_WORD = {
    "authentication_failed": FailureClass.AUTH,
    "oauth_org_not_allowed": FailureClass.AUTH,
    "billing_error": FailureClass.CREDITS,
    "model_not_found": FailureClass.BAD_MODEL,
    "rate_limit": FailureClass.USAGE_LIMIT,
    "server_error": FailureClass.TRANSIENT,
    "overloaded": FailureClass.TRANSIENT,
}


class ClaudeStream:
    """Takes the events one after the other; `told` is what they come to. `now` gives Unix time."""

    def __init__(self, on_action: Callable[[AgentAction], object], now: Callable[[], float]) -> None:
        self._on_action = on_action
        self._now = now
        self._told = Told()
        self._began = False
        self._over = False
        self._session: str | None = None
        self._spoken = ""
        self._word = ""
        self._calls: set[str] = set()
        self._denied: dict[str, str] = {}
        self._limit: Event = {}
        self._message = ""
        self._before = Tokens()
        self._spent: Tokens | None = None
        self._model: str | None = None

    def take(self, event: Event) -> None:
        kind, subtype = event.get("type"), event.get("subtype")
        self._session = text_of(event.get("session_id")) or self._session
        self._over = self._over and not _works(kind, subtype)
        match kind, subtype:
            case "assistant", _:
                self._assistant(event)
            case "user", _:
                self._user(event)
            case "result", _:
                self._over = True
                self._result(event)
            case "rate_limit_event", _:
                self._limited(mapping_of(event.get("rate_limit_info")))
            case "system", "init":
                self._model = text_of(event.get("model")) or None
                model = short(self._model or "")
                self._say(ActionKind.NOTE, f"session begins, model {model}" if model else "session begins")
            case "system", "api_retry":
                self._say(ActionKind.NOTE, _retry(event))
            case "system", "permission_denied":
                name = text_of(event.get("tool_name"))
                self._denied[text_of(event.get("tool_use_id"))] = name
                self._say(ActionKind.NOTE, f"not allowed: {name}")
            case "system", _:
                pass
            case _:
                return
        self._began = True

    @property
    def is_hopeless(self) -> bool:
        """It gives up by itself, after a number of retries that we set."""
        return False

    @property
    def is_over(self) -> bool:
        """Its result is the last that it told of its work."""
        return self._over

    @property
    def told(self) -> Told:
        """What all events come to."""
        if self._told.ended:
            return self._told
        return Told(
            began=self._began,
            text=self._spoken,
            failure=FailureClass.USAGE_LIMIT if self._limit else None,
            tokens=self._spent,
            session=self._session,
            reset_at=self._reset(""),
            model=self._model,
        )

    def _assistant(self, event: Event) -> None:
        message = mapping_of(event.get("message"))
        self._word = text_of(event.get("error")) or self._word
        synthetic = message.get("model") == "<synthetic>"  # the program's words, not the model's
        self._count(message)
        for block in _blocks(message):
            match block.get("type"):
                case "text" if text := text_of(block.get("text")):
                    self._say(ActionKind.NOTE if synthetic else ActionKind.SAYS, text)
                    # A helper agent's words are not the agent's own.
                    if not synthetic and event.get("parent_tool_use_id") is None:
                        self._spoken = text
                case "tool_use":
                    self._use(block, text_of(event.get("parent_tool_use_id")))
                case _:
                    pass

    def _use(self, block: Event, helper: str) -> None:
        """A call that is told twice is one."""
        name, called = text_of(block.get("name")) or "tool", text_of(block.get("id")) or str(len(self._calls))
        made = None if called in self._calls else tool_call(name, block.get("input"), helper)
        self._calls.add(called)
        self._say(ActionKind.USES, call(name, mapping_of(block.get("input"))), made)

    def _user(self, event: Event) -> None:
        """What tools answered. A text is the prompt's echo or a reminder: nobody's words here."""
        for block in _blocks(mapping_of(event.get("message"))):
            if block.get("type") == "tool_result":
                failed = "error: " if block.get("is_error") is True else ""
                self._say(ActionKind.GETS, failed + first_line(_content(block.get("content"))))

    def _limited(self, info: Event) -> None:
        """A later event that is no refusal clears an earlier one."""
        refused = info.get("status") == "rejected"
        self._limit = info if refused else {}
        if refused or info.get("status") == "allowed_warning":
            self._say(ActionKind.NOTE, f"usage limit {text_of(info.get('rateLimitType'))}: {info.get('status')}")

    def _result(self, event: Event) -> None:
        failed = event.get("is_error") is True or text_of(event.get("subtype")).startswith("error")
        error = _error(event) if failed else ""
        denied = self._denials(event)
        named = ", ".join(sorted(set(filter(None, denied.values()))))
        self._told = Told(
            began=True,
            ended=True,
            text=text_of(event.get("result")) if not failed and event.get("result") else self._spoken,
            failure=self._failure(event, error) if failed else None,
            error=error,
            tokens=_total(event),
            cost_usd=number_of(event.get("total_cost_usd", event.get("cost_usd"))),
            session=self._session,
            reset_at=self._reset(error),
            # The single object of `--output-format json` tells of no calls.
            tool_calls=len(self._calls - denied.keys()) if self._began else None,
            notes=(f"claude was not allowed to use {named}: see autonomy.claude",) if named else (),
            model=self._model,
        )

    def _failure(self, event: Event, error: str) -> FailureClass:
        if self._limit:
            return FailureClass.USAGE_LIMIT
        if text_of(event.get("subtype")).startswith("error"):  # of the program's own making: turns, budget, an abort
            return FailureClass.ERROR
        status = event.get("api_error_status")
        found = of_error(error, status if isinstance(status, int) else None)
        if found is FailureClass.ERROR and status is None:
            return _BY_WORD.get(self._word, FailureClass.ERROR)
        return found

    def _reset(self, error: str) -> float | None:
        at = number_of(self._limit.get("resetsAt"))
        return unix_time(at) if at is not None else reset_at(error, self._now())

    def _denials(self, event: Event) -> dict[str, str]:
        listed = event.get("permission_denials")
        denials = [mapping_of(each) for each in listed] if isinstance(listed, list) else []
        return self._denied | {text_of(each.get("tool_use_id")): text_of(each.get("tool_name")) for each in denials}

    def _count(self, message: Event) -> None:
        """Each block of a message is an event with the whole message's usage."""
        if not message.get("usage"):
            return
        if text_of(message.get("id")) != self._message:
            self._message = text_of(message.get("id"))
            self._before = self._spent or Tokens()
        self._spent = self._before.plus(_tokens(mapping_of(message.get("usage"))))

    def _say(self, kind: ActionKind, text: str, made: ToolCall | None = None) -> None:
        self._on_action(AgentAction(kind, text, self._spent, made))


def _works(kind: object, subtype: object) -> bool:
    """What follows a result where the program works on: on what came of its background work, say."""
    return kind in ("assistant", "user") or (kind, subtype) == ("system", "init")


def _blocks(message: Event) -> Iterator[Event]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return (block for block in blocks if isinstance(block, dict))


def _content(content: object) -> str:
    """A tool's answer: a text, or blocks of which some are texts."""
    if isinstance(content, list):
        return "\n".join(text_of(block.get("text")) for block in content if isinstance(block, dict))
    return text_of(content)


def _error(event: Event) -> str:
    errors = event.get("errors")
    listed = [str(each) for each in errors] if isinstance(errors, list) else []
    told = chain((text_of(event.get("result")), "; ".join(listed), text_of(event.get("error"))))
    return next(filter(str.strip, told), text_of(event.get("subtype")) or "error")


def _retry(event: Event) -> str:
    """`retry 1 of 10: rate_limit (429)`."""
    status = event.get("error_status")
    why = text_of(event.get("error")) + (f" ({status})" if isinstance(status, int) else "")
    return f"retry {event.get('attempt')} of {event.get('max_retries')}: {why}"


def _tokens(usage: Event) -> Tokens:
    """What was written into the cache was read by the model too, and is paid for."""
    return Tokens(
        count_of(usage.get("input_tokens")) + count_of(usage.get("cache_creation_input_tokens")),
        count_of(usage.get("output_tokens")),
        count_of(usage.get("cache_read_input_tokens")),
    )


def _total(event: Event) -> Tokens | None:
    """What the whole attempt took: of all models together where that is told, as the cost is."""
    by_model = mapping_of(event.get("modelUsage"))
    if not by_model:
        return _tokens(mapping_of(event.get("usage"))) if event.get("usage") else None
    total = Tokens()
    for usage in map(mapping_of, by_model.values()):
        total = total.plus(
            Tokens(
                count_of(usage.get("inputTokens")) + count_of(usage.get("cacheCreationInputTokens")),
                count_of(usage.get("outputTokens")),
                count_of(usage.get("cacheReadInputTokens")),
            )
        )
    return total
