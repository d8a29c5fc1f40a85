"""OpenAI's Responses, as in its public API reference."""

import json
from collections.abc import Iterator

from tests.realcli.mock.turn import CACHED, INPUT, OUTPUT, Answer, Asked, Json, Refusal, Tool, pieces

_ERRORS = {400: "invalid_request_error", 401: "invalid_request_error", 429: "rate_limit_exceeded"}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_QUOTA = "insufficient_quota"


class Responses:
    path = "/responses"

    def read(self, body: Json) -> Asked:
        tools = (Tool(tool.get("name") or tool["type"], tool.get("parameters") or {}) for tool in body.get("tools", []))
        given = body.get("input")
        items = given if isinstance(given, list) else []
        results = sum(str(item.get("type")).endswith("call_output") for item in items)
        return Asked(str(body.get("model")), bool(body.get("stream")), tuple(tools), results)

    def refuse(self, refusal: Refusal) -> Json:
        kind = _QUOTA if refusal.quota else _ERRORS.get(refusal.status, "server_error")
        code = _QUOTA if refusal.quota else _CODES.get(refusal.status)
        return {"error": {"message": refusal.message, "type": kind, "code": code, "param": None}}

    def whole(self, asked: Asked, answer: Answer, number: int) -> Json:
        return _response(asked, number) | _finished(answer, number)

    def stream(self, asked: Asked, answer: Answer, number: int) -> Iterator[Json]:
        return (event | {"sequence_number": count} for count, event in enumerate(_events(asked, answer, number)))


def _events(asked: Asked, answer: Answer, number: int) -> Iterator[Json]:
    response = _response(asked, number)
    yield {"type": "response.created", "response": response}
    yield {"type": "response.in_progress", "response": response}
    for index, item in enumerate(_items(answer, number)):
        events = _spoken(item) if item["type"] == "message" else _called(item)
        yield from (event | {"output_index": index} for event in events)
    yield {"type": "response.completed", "response": response | _finished(answer, number)}


def _spoken(item: Json) -> Iterator[Json]:
    (part,) = item["content"]
    at = {"item_id": item["id"], "content_index": 0}
    yield {"type": "response.output_item.added", "item": item | {"content": [], "status": "in_progress"}}
    yield {"type": "response.content_part.added", **at, "part": part | {"text": ""}}
    for piece in pieces(part["text"]):
        yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": part}
    yield {"type": "response.output_item.done", "item": item}


def _called(item: Json) -> Iterator[Json]:
    at, arguments = {"item_id": item["id"]}, item["arguments"]
    yield {"type": "response.output_item.added", "item": item | {"arguments": "", "status": "in_progress"}}
    yield {"type": "response.function_call_arguments.delta", **at, "delta": arguments}
    yield {"type": "response.function_call_arguments.done", **at, "arguments": arguments}
    yield {"type": "response.output_item.done", "item": item}


def _response(asked: Asked, number: int) -> Json:
    return {
        "id": f"resp_mock{number:04}",
        "object": "response",
        "created_at": 0,
        "model": asked.model,
        "status": "in_progress",
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None,
    }


def _finished(answer: Answer, number: int) -> Json:
    usage = {
        "input_tokens": INPUT,
        "input_tokens_details": {"cached_tokens": CACHED},
        "output_tokens": OUTPUT,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT + OUTPUT,
    }
    return {"status": "completed", "output": _items(answer, number), "usage": usage}


def _items(answer: Answer, number: int) -> list[Json]:
    spoken = {
        "type": "message",
        "id": f"msg_mock{number:04}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": answer.text, "annotations": []}],
    }
    if answer.call is None:
        return [spoken]
    called = {
        "type": "function_call",
        "id": f"fc_mock{number:04}",
        "call_id": f"call_mock{number:04}",
        "name": answer.call.tool,
        "arguments": json.dumps(answer.call.arguments),
        "status": "completed",
    }
    return [spoken, called]
