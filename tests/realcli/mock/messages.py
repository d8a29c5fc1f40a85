"""Anthropic's Messages, as in its public API reference (version 2023-06-01)."""

import json
from collections.abc import Iterator

from tests.realcli.mock.turn import CACHED, INPUT, OUTPUT, Answer, Asked, Json, Refusal, Tool, pieces

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Messages:
    path = "/messages"

    def read(self, body: Json) -> Asked:
        tools = tuple(Tool(tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools") or [])
        contents = (message["content"] for message in body.get("messages") or [])
        blocks = (block for content in contents if isinstance(content, list) for block in content)
        results = sum(block["type"] == "tool_result" for block in blocks)
        return Asked(str(body.get("model")), bool(body.get("stream")), tools, results)

    def refuse(self, refusal: Refusal) -> Json:
        kind = _ERRORS.get(refusal.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_mock"}

    def whole(self, asked: Asked, answer: Answer, number: int) -> Json:
        content = _blocks(answer, number)
        return _message(asked, number) | {"content": content, "stop_reason": _stop(answer), "usage": _usage(OUTPUT)}

    def stream(self, asked: Asked, answer: Answer, number: int) -> Iterator[Json]:
        yield {"type": "message_start", "message": _message(asked, number)}
        for index, block in enumerate(_blocks(answer, number)):
            yield {"type": "content_block_start", "index": index, "content_block": block | _emptied(block)}
            for delta in _deltas(block):
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": _stop(answer), "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": OUTPUT}}
        yield {"type": "message_stop"}


def _message(asked: Asked, number: int) -> Json:
    return {
        "id": f"msg_mock{number:04}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(1),
    }


def _usage(output: int) -> Json:
    return {
        "input_tokens": INPUT,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": CACHED,
        "output_tokens": output,
    }


def _stop(answer: Answer) -> str:
    return "tool_use" if answer.call else "end_turn"


def _blocks(answer: Answer, number: int) -> list[Json]:
    blocks: list[Json] = [{"type": "text", "text": answer.text}]
    if call := answer.call:
        use = {"type": "tool_use", "id": f"toolu_mock{number:04}", "name": call.tool, "input": dict(call.arguments)}
        blocks.append(use)
    return blocks


def _emptied(block: Json) -> Json:
    return {"text": ""} if block["type"] == "text" else {"input": {}}


def _deltas(block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        return ({"type": "text_delta", "text": piece} for piece in pieces(block["text"]))
    return iter([{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}])
