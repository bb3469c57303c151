"""The wire over real pipes: every frame answered once, memory bounded, and an end to everything.

The server behind it here is a few lines, so that what is tested is the wire.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from repo_mcp.protocol import wire
from repo_mcp.protocol.frames import (
    INVALID_REQUEST,
    MAX_FRAME_BYTES,
    TOO_LONG,
    Notification,
    Request,
    Response,
    encode_frame,
)
from repo_mcp.protocol.wire import StopReason, Streams, Wire

PATIENCE_SECONDS = 60.0  # a test that needs it has failed


class Client:
    """The other end of a wire's pipes, and the wire running in a thread."""

    def __init__(self, max_in_flight: int = 4) -> None:
        wire_in, self.to_wire = os.pipe()
        from_wire, wire_out = os.pipe()
        self.answers = os.fdopen(from_wire, "rb")
        self.unread = b""
        self.left: list[int] = []
        self.seen: list[str] = []  # methods that reached the server
        self.release = threading.Event()
        self.reason: StopReason | None = None
        self.wire = Wire(Streams(wire_in, wire_out), leave=self.left.append, max_in_flight=max_in_flight)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        self.wire.start(self._take)
        self.reason = self.wire.wait()
        self.wire.finish()

    def _take(self, frame: Request | Notification | Response) -> None:
        """Answer a request, those of `wait` from threads of their own."""
        self.seen.append("response" if isinstance(frame, Response) else frame.method)
        if not isinstance(frame, Request):
            return
        if frame.method == "wait":
            threading.Thread(target=self._answer_late, args=(frame,), daemon=True).start()
        elif frame.method == "vanish":
            self.wire.drop(frame.id)
        elif frame.method == "unencodable":
            self.wire.answer(frame.id, b"")
        else:
            if frame.method == "notify":
                self.wire.say(encode_frame({"jsonrpc": "2.0", "method": "n/x"}))
            for _ in range(2 if frame.method == "twice" else 1):
                self._answer(frame)

    def _answer_late(self, request: Request) -> None:
        self.release.wait()
        self._answer(request)

    def _answer(self, request: Request) -> None:
        result = {"echo": request.params}
        self.wire.answer(request.id, encode_frame({"jsonrpc": "2.0", "id": request.id, "result": result}))

    def send(self, *frames: bytes | dict[str, Any]) -> None:
        for frame in frames:
            line = frame if isinstance(frame, bytes) else json.dumps({"jsonrpc": "2.0"} | frame).encode()
            view = memoryview(line + b"\n")
            while view:
                view = view[os.write(self.to_wire, view) :]

    def read(self) -> dict[str, Any]:
        while b"\n" not in self.unread:
            reader = threading.Thread(target=self._read_more, daemon=True)  # select knows no pipes on Windows
            reader.start()
            reader.join(PATIENCE_SECONDS)
            assert not reader.is_alive(), "no answer came"
        line, _, self.unread = self.unread.partition(b"\n")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def _read_more(self) -> None:
        self.unread += self.answers.read1()

    def close_input(self) -> None:
        os.close(self.to_wire)
        self.to_wire = -1

    def close(self) -> None:
        self.release.set()
        if self.to_wire >= 0:
            self.close_input()
        self.join()
        self.answers.close()

    def join(self) -> StopReason:
        self.thread.join(PATIENCE_SECONDS)
        assert not self.thread.is_alive()
        assert self.reason is not None
        return self.reason


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.close()


def test_requests_are_answered_under_their_ids(client: Client) -> None:
    client.send({"id": 1, "method": "echo", "params": {"a": 1}}, {"id": "1", "method": "echo"})
    assert client.read() == {"jsonrpc": "2.0", "id": 1, "result": {"echo": {"a": 1}}}
    assert client.read() == {"jsonrpc": "2.0", "id": "1", "result": {"echo": None}}


def test_a_refused_frame_is_answered_and_the_next_one_works(client: Client) -> None:
    refused = [b"", b"nonsense", b"\xff\xfe{\x00}\x00", b"[]", b'{"jsonrpc":"2.0","id":null,"method":"echo"}']
    for number, line in enumerate(refused):
        client.send(line, {"id": number, "method": "echo"})
        answer = client.read()
        assert answer["id"] is None
        assert answer["error"]["code"] in (-32700, -32600)
        assert client.read()["id"] == number
    assert client.seen == ["echo"] * len(refused)


def test_notifications_and_responses_pass_and_are_not_answered(client: Client) -> None:
    client.send(
        {"method": "notifications/x"},
        {"id": 9, "result": {}},
        {"id": 9, "error": {"code": 1, "message": "m"}},
    )
    client.send({"id": 1, "method": "echo"})
    assert client.read()["id"] == 1
    assert client.seen == ["notifications/x", "response", "response", "echo"]


def test_what_the_server_sends_of_its_own_passes(client: Client) -> None:
    client.send({"id": 1, "method": "notify"})
    assert client.read() == {"jsonrpc": "2.0", "method": "n/x"}
    assert client.read()["id"] == 1


def test_an_id_in_flight_is_refused_and_free_again_once_it_is_answered(client: Client) -> None:
    client.send({"id": 1, "method": "wait"}, {"id": 1, "method": "echo"})
    refusal = client.read()
    assert (refusal["id"], refusal["error"]["code"]) == (1, -32600)
    client.release.set()
    assert client.read() == {"jsonrpc": "2.0", "id": 1, "result": {"echo": None}}
    client.send({"id": 1, "method": "echo"})
    assert "result" in client.read()


def test_a_second_answer_to_one_request_is_never_sent(client: Client) -> None:
    client.send({"id": 1, "method": "twice"})
    assert client.read()["id"] == 1
    client.send({"id": 2, "method": "echo"})
    assert client.read()["id"] == 2


def test_an_answer_that_cannot_be_encoded_is_an_error_under_the_same_id(client: Client) -> None:
    client.send({"id": 5, "method": "unencodable"})
    answer = client.read()
    assert (answer["id"], answer["error"]["code"]) == (5, -32603)


def test_a_request_that_ends_unanswered_frees_its_slot(client: Client) -> None:
    for number in range(20):  # five times as many as there are slots
        client.send({"id": number, "method": "vanish"})
    client.send({"id": 0, "method": "echo"})
    assert client.read()["id"] == 0


def test_line_separators_of_unicode_leave_escaped(client: Client) -> None:
    client.send({"id": 1, "method": "echo", "params": {"t": "a\u2028b\u2029c"}})
    line = client.answers.readline()
    assert b"\\u2028" in line
    assert json.loads(line)["result"]["echo"]["t"] == "a\u2028b\u2029c"


def test_a_frame_over_the_cap_is_refused_once_and_the_next_one_works(client: Client) -> None:
    writer = threading.Thread(target=client.send, args=(b"x" * (MAX_FRAME_BYTES + 100_000),))
    writer.start()
    answer = client.read()
    assert answer == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": INVALID_REQUEST, "message": TOO_LONG},
    }
    writer.join(PATIENCE_SECONDS)
    client.send({"id": 1, "method": "echo"})
    assert client.read()["id"] == 1


def test_a_frame_just_under_the_cap_is_served(client: Client) -> None:
    head, tail = b'{"jsonrpc":"2.0","id":1,"method":"vanish","params":{"p":"', b'"}}'
    line = head + b"x" * (MAX_FRAME_BYTES - len(head) - len(tail)) + tail
    writer = threading.Thread(target=client.send, args=(line, {"id": 2, "method": "echo"}))
    writer.start()
    assert client.read()["id"] == 2
    writer.join(PATIENCE_SECONDS)
    assert client.seen == ["vanish", "echo"]


def test_no_more_is_read_than_may_be_in_flight(client: Client) -> None:
    client.send(*({"id": number, "method": "wait"} for number in range(10)))
    client.send(b"nonsense")  # is judged only when its turn comes
    time.sleep(0.2)
    assert client.seen == ["wait"] * 4
    client.release.set()
    answers = [client.read() for _ in range(11)]
    assert sorted(answer["id"] for answer in answers if answer["id"] is not None) == list(range(10))


def test_a_client_that_does_not_read_is_not_read_and_loses_nothing(client: Client) -> None:
    count, text = 1_000, "x" * 500  # a pipe holds 64 KiB: most of it must wait
    requests = [{"id": number, "method": "echo", "params": {"t": text}} for number in range(count)]
    writer = threading.Thread(target=client.send, args=requests)
    writer.start()
    writer.join(0.5)
    assert writer.is_alive()
    assert len(client.seen) < count
    assert sorted(client.read()["id"] for _ in range(count)) == list(range(count))
    writer.join(PATIENCE_SECONDS)


def test_end_of_input_lets_what_is_in_flight_be_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DRAIN_SECONDS", "DEADLINE_SECONDS"):
        monkeypatch.setattr(wire, name, PATIENCE_SECONDS)  # on a busy machine
    client.send({"id": 1, "method": "wait"})
    os.write(client.to_wire, b'{"jsonrpc":"2.0","id":2,"method":"echo"}')  # a last line without its end
    client.close_input()
    assert client.read()["id"] == 2
    client.release.set()
    assert client.read()["id"] == 1
    assert client.join() is StopReason.END_OF_INPUT


def test_what_is_not_answered_soon_after_the_end_of_input_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once: the answer that comes later goes nowhere."""
    monkeypatch.setattr(wire, "DRAIN_SECONDS", 0.1)
    for name in ("REFUSING_SECONDS", "DEADLINE_SECONDS"):
        monkeypatch.setattr(wire, name, PATIENCE_SECONDS)  # on a busy machine
    client.send({"id": 1, "method": "wait"})
    client.close_input()
    refused = client.read()
    assert (refused["id"], refused["error"]["message"]) == (1, wire.TOO_LATE)
    assert client.join() is StopReason.END_OF_INPUT
    client.release.set()


@pytest.mark.parametrize("reason", [StopReason.TERMINATED, StopReason.INTERRUPTED])
def test_a_stop_ends_the_wire_with_calls_in_flight(client: Client, reason: StopReason) -> None:
    client.send({"id": 1, "method": "wait"}, {"id": 2, "method": "echo"})
    assert client.read()["id"] == 2
    client.wire.stop(reason)
    assert client.join() is reason
    assert reason.exit_code == (130 if reason is StopReason.INTERRUPTED else 0)


def test_a_stop_before_serving_ends_it_at_once() -> None:
    wire_in, to_wire = os.pipe()
    from_wire, wire_out = os.pipe()
    wire = Wire(Streams(wire_in, wire_out), leave=lambda code: None)
    wire.stop(StopReason.TERMINATED)

    wire.start(lambda frame: None)
    assert wire.wait() is StopReason.TERMINATED
    # Its reader may only now begin to read: the descriptor must not be another test's by then.
    os.close(to_wire)
    os.close(from_wire)


def test_what_is_said_after_the_end_goes_nowhere_and_holds_nobody_up() -> None:
    wire_in, to_wire = os.pipe()
    from_wire, wire_out = os.pipe()
    ended = Wire(Streams(wire_in, wire_out), leave=lambda code: None)
    ended.say(b"before\n")
    ended.stop(StopReason.TERMINATED)
    ended.wait()
    ended.finish()
    late = threading.Thread(target=ended.say, args=(b"after\n",), daemon=True)
    late.start()
    late.join(PATIENCE_SECONDS)
    assert not late.is_alive()
    assert os.read(from_wire, 100) == b"before\n"
    for fd in (wire_in, to_wire, from_wire, wire_out):
        os.close(fd)


@pytest.mark.skipif(os.name == "nt", reason="pipes cannot be watched there")
def test_the_wire_ends_when_nobody_reads_its_answers(client: Client) -> None:
    client.send({"id": 1, "method": "echo"})
    client.read()
    client.answers.close()
    assert client.join() is StopReason.BROKEN_PIPE


@pytest.mark.skipif(os.name == "nt", reason="pipes cannot be watched there")
@pytest.mark.parametrize("frame", [b"nonsense", {"id": 1, "method": "echo", "params": {"t": "x" * 500}}])
def test_the_wire_ends_when_the_input_is_closed_and_the_answers_are_not_read(
    client: Client, monkeypatch: pytest.MonkeyPatch, frame: bytes | dict[str, Any]
) -> None:
    """The end of the input stands behind frames that are not read until their answers can be written."""
    monkeypatch.setattr(wire, "STALL_SECONDS", 0.1)
    writer = threading.Thread(target=client.send, args=[frame] * (200 if isinstance(frame, dict) else 2_000))
    writer.start()
    writer.join(PATIENCE_SECONDS)
    client.close_input()
    assert client.join() is StopReason.BROKEN_PIPE


def test_the_deadline_leaves_with_the_reasons_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "DEADLINE_SECONDS", 0.1)
    left = threading.Event()
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        left.set()

    wire_in, _ = os.pipe()
    _, wire_out = os.pipe()
    Wire(Streams(wire_in, wire_out), leave=leave).stop(StopReason.INTERRUPTED)
    assert left.wait(PATIENCE_SECONDS)
    assert codes == [130]
