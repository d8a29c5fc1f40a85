"""The server: HTTP on a port of 127.0.0.1, the scenario the first part of the path: `/s/<scenario>/…`."""

import contextlib
import itertools
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any

from tests.realcli.mock.journal import Entry
from tests.realcli.mock.messages import Messages
from tests.realcli.mock.responses import Responses
from tests.realcli.mock.scenarios import Flow, Scenario, places, plan, review, scenario, turn
from tests.realcli.mock.turn import Answer, Asked, Dialect, Json

DIALECTS: tuple[Dialect, ...] = (Messages(), Responses())

_PATH = re.compile(r"/s/([^/]+)(/[^?]*)")


class MockModel:
    """The API while it runs: `with MockModel.serving() as mock`."""

    def __init__(self, server: "_Server") -> None:
        self._server = server

    @classmethod
    @contextmanager
    def serving(cls) -> Iterator["MockModel"]:
        server = _Server()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield cls(server)
        finally:
            server.over.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def url(self, playing: str) -> str:
        """The base address for a scenario. Raises KeyError for one that there is none of."""
        scenario(playing)
        return f"http://127.0.0.1:{self._server.server_port}/s/{playing}"

    @property
    def journal(self) -> tuple[Entry, ...]:
        """All requests so far."""
        return tuple(self._server.entries)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.entries: list[Entry] = []
        self.numbers = itertools.count(1)
        self.over = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Programs are killed in the middle of an answer here: that is no error. Others are told."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """The journal tells it."""

    def do_GET(self) -> None:
        self.server.entries.append(Entry(self.command, self.path, self._key()))
        if self.path.partition("?")[0].endswith("/models"):
            self._send(200, {"object": "list", "data": [], "models": [], "has_more": False})
        else:
            self._send(404, _unknown(self.path))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        found = _PATH.match(self.path)
        name, path = found.groups() if found else ("", self.path)
        dialect = next((each for each in DIALECTS if path.endswith(each.path)), None)
        if dialect is None:
            self.server.entries.append(Entry(self.command, self.path, self._key(), raw))
            self._send(404, _unknown(self.path))
        else:
            self._play(scenario(name), dialect, raw)

    def _play(self, playing: Scenario, dialect: Dialect, raw: bytes) -> None:
        asked = dialect.read(json.loads(raw))
        where = places(raw.decode())
        names = tuple(tool.name for tool in asked.tools)
        entry = Entry(self.command, self.path, self._key(), raw, names, asked.streamed, bool(where and names))
        self.server.entries.append(entry)
        asked_before = sum(each.story for each in self.server.entries) - entry.story
        if playing.refusal and (playing.refused is None or asked_before < playing.refused):
            self._send(playing.refusal.status, dialect.refuse(playing.refusal), playing.refusal.headers(time.time()))
        else:
            said = raw.decode()
            answer = plan(playing, said) or review(playing, said) or turn(playing, asked, where)
            self._answer(playing.flow, dialect, asked, answer)

    def _answer(self, flow: Flow, dialect: Dialect, asked: Asked, answer: Answer) -> None:
        number = next(self.server.numbers)
        if asked.streamed:
            self._stream(flow, dialect.stream(asked, answer, number))
        elif flow is Flow.LOST:
            self._hang_up()
        else:
            self._send(200, dialect.whole(asked, answer, number))

    def _stream(self, flow: Flow, events: Iterator[Json]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            if flow is not Flow.WHOLE and event["type"].endswith("delta"):
                self._break_off(flow)
                return

    def _break_off(self, flow: Flow) -> None:
        if flow is Flow.STALLED:
            self.server.over.wait()
        self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, answer: Json, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("request-id", "req_mock")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _key(self) -> str:
        return self.headers.get("x-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")


def _unknown(path: str) -> Json:
    return {"error": {"type": "not_found_error", "message": f"the mock has nothing at {path}"}}
