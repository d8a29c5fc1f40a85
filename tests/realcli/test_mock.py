"""The mock itself: what each dialect says, through HTTP."""

import json
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

import pytest

from tests.realcli.mock import MockModel
from tests.realcli.mock.scenarios import ASIDE, DONE, HELLO, NO_PLAN, WORKING, Places, scenario, turn
from tests.realcli.mock.tools import Line, Writing, call_for
from tests.realcli.mock.turn import Answer, Asked, Json, Tool

PROMPT = "Write it.\nMOCK_FILE=/repo/hello.txt\nMOCK_PIDS=/pids\n"
PLACES = Places("/repo/hello.txt", "/pids")
WRITE = {"type": "object", "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}}}
SHELL = {"type": "object", "properties": {"cmd": {"type": "string"}, "yield_time_ms": {"type": "number"}}}
CALL_ARGUMENTS = {"file_path": "/repo/hello.txt", "content": HELLO}


def post(url: str, body: Json, **headers: str) -> tuple[int, bytes]:
    """The status and all that came before the connection ended."""
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def events(data: bytes) -> list[Json]:
    """The events of a stream; each one's name is its type."""
    found = []
    for block in data.decode().strip().split("\n\n"):
        name, _, told = block.partition("\n")
        found.append(json.loads(told.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


def messages(results: int = 0, **more: Any) -> Json:
    """A request for Messages after so many tools have answered."""
    answered = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": ""}]}] * results
    asked = [{"role": "user", "content": PROMPT}, *answered]
    return {"model": "m", "messages": asked, "tools": [{"name": "Write", "input_schema": WRITE}], **more}


def responses(results: int = 0, **more: Any) -> Json:
    """The same for Responses."""
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]}
    answered = [{"type": "function_call_output", "call_id": "c", "output": ""}] * results
    tools = [{"type": "function", "name": "exec_command", "parameters": SHELL}, {"type": "web_search"}]
    return {"model": "m", "input": [said, *answered], "tools": tools, **more}


# --- Messages -------------------------------------------------------------------------------------


def test_messages_in_one_piece(mock: MockModel) -> None:
    url = mock.url("ok") + "/v1/messages?beta=true"
    status, first = post(url, messages())
    text, call = json.loads(first)["content"]
    assert (status, text["text"], call["name"], call["input"]) == (200, WORKING, "Write", CALL_ARGUMENTS)
    assert json.loads(first)["stop_reason"] == "tool_use"
    _, second = post(url, messages(results=1))
    answer = json.loads(second)
    assert ([block["text"] for block in answer["content"]], answer["stop_reason"]) == ([DONE], "end_turn")
    usage = {"input_tokens": 1234, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1000}
    assert answer["usage"] == usage | {"output_tokens": 56}


def test_messages_streamed(mock: MockModel) -> None:
    _, data = post(mock.url("ok") + "/v1/messages", messages(stream=True))
    told = events(data)
    assert [told[0]["type"], told[-1]["type"]] == ["message_start", "message_stop"]
    deltas = [event["delta"] for event in told if event["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == WORKING
    assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == CALL_ARGUMENTS
    assert told[-2]["delta"]["stop_reason"] == "tool_use"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
    ],
)
def test_messages_refused(mock: MockModel, status: int, kind: str) -> None:
    code, data = post(f"{mock.url(str(status))}/v1/messages", messages(stream=True))
    assert (code, json.loads(data)["error"]["type"]) == (status, kind)


# --- Responses ------------------------------------------------------------------------------------


def test_responses_in_one_piece(mock: MockModel) -> None:
    url = mock.url("ok") + "/v1/responses"
    status, first = post(url, responses())
    spoken, call = json.loads(first)["output"]
    assert (status, spoken["content"][0]["text"], call["name"]) == (200, WORKING, "exec_command")
    assert PLACES.file in json.loads(call["arguments"])["cmd"]
    _, second = post(url, responses(results=1))
    answer = json.loads(second)
    assert (answer["status"], [item["type"] for item in answer["output"]]) == ("completed", ["message"])
    assert (answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]) == (1234, 56)
    assert answer["usage"]["input_tokens_details"] == {"cached_tokens": 1000}


def test_responses_streamed(mock: MockModel) -> None:
    _, data = post(mock.url("ok") + "/v1/responses", responses(stream=True))
    told = events(data)
    assert [event["sequence_number"] for event in told] == list(range(len(told)))
    assert [told[0]["type"], told[-1]["type"]] == ["response.created", "response.completed"]
    assert "".join(event["delta"] for event in told if event["type"] == "response.output_text.delta") == WORKING
    done = [event["item"] for event in told if event["type"] == "response.output_item.done"]
    assert done == told[-1]["response"]["output"]


@pytest.mark.parametrize(
    ("name", "status", "kind", "code"),
    [
        ("400", 400, "invalid_request_error", None),
        ("401", 401, "invalid_request_error", "invalid_api_key"),
        ("429", 429, "rate_limit_exceeded", "rate_limit_exceeded"),
        ("quota", 429, "insufficient_quota", "insufficient_quota"),
        ("529", 529, "server_error", None),
    ],
)
def test_responses_refused(mock: MockModel, name: str, status: int, kind: str, code: str | None) -> None:
    got, data = post(f"{mock.url(name)}/v1/responses", responses(stream=True))
    error = json.loads(data)["error"]
    assert (got, error["type"], error["code"]) == (status, kind, code)


# --- answers that do not come in full -------------------------------------------------------------


@pytest.mark.parametrize("scenario_name", ["cut", "lost"])
def test_a_stream_that_is_cut(mock: MockModel, scenario_name: str) -> None:
    url = mock.url(scenario_name)
    for path, body in (("/v1/messages", messages(stream=True)), ("/v1/responses", responses(stream=True))):
        told = events(post(url + path, body)[1])
        assert told[-1]["type"].endswith("delta")


def test_an_answer_that_is_lost(mock: MockModel) -> None:
    with pytest.raises((OSError, HTTPException)):
        post(mock.url("lost") + "/v1/messages", messages())
    assert post(mock.url("cut") + "/v1/messages", messages())[0] == 200


def test_a_stream_that_stalls_ends_with_the_mock() -> None:
    with MockModel.serving() as mock:
        body = json.dumps(messages(stream=True)).encode()
        response = urllib.request.urlopen(urllib.request.Request(mock.url("stall") + "/v1/messages", body))
        first = response.read(len("event: message_start"))
    with response:
        assert first == b"event: message_start"
        assert events(first + response.read())[-1]["type"] == "content_block_delta"


# --- what is asked, and what else there is --------------------------------------------------------


def test_the_journal(mock: MockModel) -> None:
    url = mock.url("ok")
    post(f"{url}/v1/messages", messages(stream=True), **{"x-api-key": "dummy"})
    post(f"{url}/v1/responses", responses(), authorization="Bearer dummy")
    post(f"{url}/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "A title?"}]})
    post(f"{url}/v1/elsewhere", {"a": 1})
    one, two, title, elsewhere = mock.journal
    assert (one.key, one.tools, one.streamed, one.story) == ("dummy", ("Write",), True, True)
    assert (two.key, two.tools, two.streamed, two.story) == ("dummy", ("exec_command", "web_search"), False, True)
    assert json.loads(one.body) == messages(stream=True)
    assert (title.key, title.story, elsewhere.path) == ("", False, "/s/ok/v1/elsewhere")


def test_what_is_no_story_gets_a_title(mock: MockModel) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "A title?"}]}
    assert json.loads(post(mock.url("ok") + "/v1/messages", body)[1])["content"][0]["text"] == ASIDE


def test_other_addresses(mock: MockModel) -> None:
    assert post(mock.url("ok") + "/v1/elsewhere", {})[0] == 404
    with urllib.request.urlopen(mock.url("ok") + "/v1/models") as response:
        assert json.load(response)["data"] == []
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(mock.url("ok") + "/health")
    raised.value.close()
    with pytest.raises(KeyError):
        mock.url("no such scenario")


def test_a_plan_is_said_without_tools(mock: MockModel) -> None:
    """Which of them, the prompt tells; other prompts are none."""
    asks = (
        "Turn the PRD below into user stories",
        "Turn the PRD below into user stories. This is attempt 2 of 3.",
        "Hi",
    )
    told = []
    for asked in asks:
        body = {"model": "m", "messages": [{"role": "user", "content": asked}]}
        told.append(json.loads(post(mock.url("plan-repaired") + "/v1/messages", body)[1])["content"][0]["text"])
    assert (told[0], told[2]) == (NO_PLAN, ASIDE)
    assert '"done": true' in told[1]


# --- turns and tools ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "text"), [("sleep7", "sleep 7"), ("orphan", "nohup sleep")])
def test_scenarios_for_the_shell(name: str, text: str) -> None:
    answer = turn(scenario(name), Asked("m", True, (Tool("Bash", {}),), 0), PLACES)
    assert answer.call
    line = answer.call.arguments["command" if "command" in answer.call.arguments else "cmd"]
    assert text in line
    assert PLACES.pids in line


def test_a_model_without_a_tool_that_serves_says_it_is_done() -> None:
    assert turn(scenario("ok"), Asked("m", True, (Tool("Read", {}),), 0), PLACES) == Answer(DONE)
    assert turn(scenario("refuse"), Asked("m", True, (Tool("Write", WRITE),), 0), PLACES) == Answer(DONE)


def test_arguments_follow_the_schema() -> None:
    argv = {"properties": {"command": {"type": "array"}, "timeout_ms": {"type": "integer"}}}
    call = call_for(Line("true"), [Tool("shell", argv)])
    assert call
    assert call.arguments == {"command": ["bash", "-lc", "true"], "timeout_ms": 600_000}
    names = ["path", "file_text", "mode", "why", "overwrite"]
    properties: Json = {name: {"type": ["string", "null"]} for name in names}
    properties |= {"mode": {"enum": ["create"]}, "overwrite": {"type": "boolean"}}
    call = call_for(Writing("/a", "b"), [Tool("create", {"properties": properties, "required": names})])
    assert call
    assert call.arguments == {"path": "/a", "file_text": "b", "mode": "create", "why": "mock", "overwrite": False}
