"""An agent's calls: which of them read, act and edit, and whether two are the very same."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.agents.calls import SIGNATURE_LIMIT, tool_call
from prd_ralph.agents.jsonlines import JsonEvents
from prd_ralph.agents.polling import only_looks
from prd_ralph.agents.presets import PRESETS
from prd_ralph.agents.transcript import reader
from prd_ralph.model import ActionKind, AgentAction, ToolCall
from tests.agents.test_samples import CASES, process_of

LOOKS = [
    "git status",
    "git -C api --no-pager log --oneline | head -5",
    "sleep 30 && gh run view 7 --json status",
    "gh pr checks 12 --watch; gh api repos/a/b/actions/runs",
    "gh auth status",
    "tail -f server.log",
    "cat < notes.txt 2>/dev/null | wc -l",
    "ls -la 2>&1",
    "until curl -sf http://localhost:3000/health > /dev/null; do sleep 1; done",
    "for i in 1 2 3; do curl -s -o /dev/null -w '%{http_code}' localhost; sleep 2; done",
    "if [ -f done ]; then cat done; else echo no; fi",
    "curl -s localhost:8080/status | python3 -m json.tool",
    "wget -qO- localhost",
    "kubectl get pods -n x -w",
    "kubectl rollout status deployment/x",
    "docker compose ps\ndocker logs web",
    "npm ls --depth=0 && pip list",
    "systemctl status nginx",
    "aws ecs describe-services --cluster x",
    "bash -lc 'git status'",
    "A=1 timeout 5 git diff",
    "# how is it?\ngit status",
    "git status | awk '{print $2}' | sort",
    "sed -n 1,20p a.py; find . -name '*.py'",
    "(cd api; git status)",
    "cat $(git ls-files)",
    "yq .a b.yml",
    "git log \\\n  --oneline",
    "X=1",
]
ACTS = [
    "",
    "   ",
    "npm test",
    "npm test 2>&1 | tail -20",
    "cd api && make",
    "git push",
    "git",
    "git diff --output=x",
    "gh pr merge 5",
    "gh api -X POST repos/a/b",
    "gh",
    "cat a > b",
    "git status >> log",
    "cat `make`",
    'cat "$(make)"',
    'X="$(make)"',
    "X=$(make)",
    "cat <(make)",
    "cat <<EOF > f\nx\nEOF",
    "curl -sX POST localhost",
    "curl --data a=1 localhost",
    "curl -o page localhost",
    "wget localhost",
    "kubectl apply -f x",
    "docker compose up -d",
    "docker",
    "npm run build",
    "aws s3 rm x",
    "sh -c 'rm x'",
    "sh script.sh",
    "python3 -m pytest",
    "awk 'BEGIN {system(\"make\")}'",
    "sed -i s/a/b/ f",
    "find . -delete",
    "sort -o a a",
    "echo 'never closed",
    "sleep 1" + " && sleep 1" * 5000,
    "sudo -u me ls",
    "git status && make",
]


@pytest.mark.parametrize("line", LOOKS)
def test_a_line_of_commands_that_read_or_ask_only_looks(line: str) -> None:
    assert only_looks(line)
    assert tool_call("Bash", {"command": line}) == ToolCall("Bash")


@pytest.mark.parametrize("line", ACTS)
def test_any_other_line_acts(line: str) -> None:
    assert not only_looks(line)
    assert tool_call("Bash", {"command": line}).acts


@given(st.text())
def test_no_line_is_too_strange(line: str) -> None:
    assert only_looks(line) in (True, False)
    assert not only_looks(f"make; {line}")


def test_what_reads_never_counts() -> None:
    for tool in ("Read", "Grep", "Glob", "WebFetch", "TodoWrite", "BashOutput", "TaskOutput", "web_search"):
        assert tool_call(tool, {"file_path": "a", "limit": 5}) == ToolCall(tool)
    for tool in ("mcp__ci__get_run", "mcp__jira__searchIssues", "mcp__x__x_snapshot", "mcp__ci__status"):
        assert tool_call(tool, {"id": 1}) == ToolCall(tool)


def test_a_servers_tool_that_may_change_something_acts() -> None:
    for tool in ("mcp__ci__set_status", "mcp__git__commit", "mcp__jira__createIssue", "mcp__x__get_or_make", "mcp__y"):
        made = tool_call(tool, {"id": 1})
        assert (made.acts, made.edits, made.signature) == (True, False, f'{tool} {{"id": 1}}')


def test_a_command_may_be_a_list() -> None:
    assert tool_call("shell", {"command": ["bash", "-lc", "git status"]}) == ToolCall("shell")
    assert tool_call("shell", {"command": ["bash", "-lc", "make"]}).acts


def test_an_edit_is_told_by_what_it_writes() -> None:
    made = tool_call("Write", {"file_path": "a", "content": "b"})
    assert (made.edits, made.signature) == (True, 'Write {"content": "b", "file_path": "a"}')
    assert tool_call("Write", {"file_path": "a"}) == ToolCall("Write", None, acts=True, edits=True)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {}),
        ("Bash", {"command": 7}),
        ("Bash", None),
        ("Task", {"prompt": "a"}),
        ("New", {"x": 1}),
        ("mcp__a", {}),
    ],
)
def test_a_call_that_is_not_seen_whole_has_no_signature(tool: str, given: object) -> None:
    assert tool_call(tool, given) == ToolCall(tool, None, acts=True)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5)


@given(st.dictionaries(st.text(), JSON), st.dictionaries(st.text(), JSON))
def test_calls_are_the_same_only_where_all_of_their_input_is(one: dict[str, Any], other: dict[str, Any]) -> None:
    one, other = one | {"command": "make"}, other | {"command": "make"}
    first, second = tool_call("Bash", one).signature, tool_call("Bash", other).signature
    assert first == tool_call("Bash", dict(reversed(one.items()))).signature
    assert (first == second) == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))


def test_a_very_long_input_is_told_by_its_hash() -> None:
    long = "make " + "x" * SIGNATURE_LIMIT
    first, second = (tool_call("Bash", {"command": line}).signature or "" for line in (long, f"{long}y"))
    assert first != second
    assert first[:500] == second[:500]
    assert len(first) < 2000
    assert first == tool_call("Bash", {"command": long}).signature


def test_what_each_of_several_helpers_does_once_is_done_once() -> None:
    signatures = {tool_call("Bash", {"command": "make"}, helper).signature for helper in ("", "one", "two")}
    assert len(signatures) == 3


# --- out of the streams ---------------------------------------------------------------------------


def calls(name: str, *events: dict[str, Any]) -> list[ToolCall | None]:
    """The calls of the tools that a stream shows."""
    seen: list[AgentAction] = []
    stream = reader(f"{name} 1.0", seen.append)
    stream.feed(b"".join(json.dumps(event).encode() + b"\n" for event in events))
    stream.close()
    return [action.call for action in seen if action.kind is ActionKind.USES]


def use(called: str, tool: str, **given: Any) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"content": [{"type": "tool_use", "id": called, "name": tool, "input": given}]},
    }


def test_claude_tells_a_call_with_its_whole_input() -> None:
    [made, again, read] = calls(
        "claude", use("1", "Bash", command="make"), use("1", "Bash", command="make"), use("2", "Read", file_path="a")
    )
    assert made == ToolCall("Bash", 'Bash {"command": "make"}', acts=True)
    assert again is None, "the same call, told twice"
    assert read == ToolCall("Read")


def test_claude_tells_whose_call_it_is() -> None:
    own, helpers = calls(
        "claude", use("1", "Bash", command="make"), use("2", "Bash", command="make") | {"parent_tool_use_id": "7"}
    )
    assert own and helpers
    assert own.signature != helpers.signature


def item(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "item.started", "item": {"id": f"item_{number}", "type": kind, **fields}}


def test_codex_tells_commands_whole_and_of_edits_the_paths() -> None:
    assert calls(
        "codex",
        item(1, "command_execution", command="/bin/bash -lc 'npm test'"),
        item(2, "file_change", changes=[{"path": "a", "kind": "update"}]),
        item(3, "mcp_tool_call", server="ci", tool="deploy", arguments={"to": "x"}),
        item(4, "mcp_tool_call", server="ci", tool="deploy"),
        item(5, "web_search", query="x"),
        item(6, "command_execution", command='/bin/bash -lc "git status | grep \\"a b\\" "'),
        item(7, "collab_tool_call", tool="spawn"),
    ) == [
        ToolCall("shell", """shell {"command": "/bin/bash -lc 'npm test'"}""", acts=True),
        ToolCall("edit", None, acts=True, edits=True),
        ToolCall("ci.deploy", 'ci.deploy {"to": "x"}', acts=True),
        ToolCall("ci.deploy", None, acts=True),
        ToolCall("web_search"),
        ToolCall("shell"),
        ToolCall("collab_tool_call", None, acts=True),
    ]


def test_a_scripted_agent_tells_its_input_where_the_script_does() -> None:
    assert calls(
        "scripted",
        {"event": "tool", "name": "Bash", "input": {"command": "make"}},
        {"event": "tool", "name": "Bash"},
    ) == [ToolCall("Bash", 'Bash {"command": "make"}', acts=True), ToolCall("Bash", None, acts=True)]


# --- what is said last ----------------------------------------------------------------------------

RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "done"}


@pytest.mark.parametrize(("name", "case"), [case for case in CASES if case != ("codex", "int-stall")])
def test_what_true_programs_print_is_over_at_its_end(name: str, case: str) -> None:
    stream = PRESETS[name].stream(lambda action: None)
    reading = JsonEvents(stream.take)
    reading.feed(process_of(name, case).stdout)
    reading.close()
    assert stream.is_over


@pytest.mark.parametrize(
    ("name", "events", "over"),
    [
        ("claude", [use("1", "Bash", command="a")], False),
        ("claude", [RESULT], True),
        ("claude", [RESULT, {"type": "system", "subtype": "hook_response"}, {"type": "new"}], True),
        ("claude", [RESULT, {"type": "system", "subtype": "init"}], False),
        ("claude", [RESULT, use("2", "Bash", command="a")], False),
        ("claude", [RESULT, use("2", "Bash", command="a"), RESULT], True),
        ("codex", [{"type": "turn.started"}], False),
        ("codex", [{"type": "turn.completed"}], True),
        ("codex", [{"type": "turn.failed", "error": {"message": "no"}}], True),
        ("codex", [{"type": "turn.completed"}, {"type": "turn.started"}], False),
        ("codex", [{"type": "turn.completed"}, item(3, "agent_message", text="and now")], False),
    ],
)
def test_a_stream_is_over_with_its_last_result(name: str, events: list[dict[str, Any]], over: bool) -> None:
    stream = PRESETS[name].stream(lambda action: None)
    reading = JsonEvents(stream.take)
    reading.feed(b"".join(json.dumps(event).encode() + b"\n" for event in events))
    assert stream.is_over is over
