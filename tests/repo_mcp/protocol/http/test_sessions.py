"""The sessions of HTTP: what opens one, and which one ends for a new one."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

from repo_mcp.protocol.http.guard import Message, Receive, Scope, Send
from repo_mcp.protocol.http.messages import StrictMessages
from repo_mcp.protocol.http.server import MAX_SESSIONS, SessionKeeper, SessionTable
from tests.deep.sizes import choose
from tests.forked import START
from tests.http_served import OPENING, HttpServed, is_ended
from tests.waiting import wait_until

SESSIONS = choose(8, MAX_SESSIONS)  # of the server below
TABLE = "from repo_mcp.protocol.http.server import SessionTable; "
FEW = TABLE + f"SessionTable.__init__.__defaults__ = ({SESSIONS},); " + START
CORPUS = Path(__file__).resolve().parents[3] / "corpus" / "tiny_repo"
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
PARAMS: dict[str, Any] = OPENING["params"]  # type: ignore[assignment]
MALFORMED: list[Any] = [
    b"{",
    [],
    PING,
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
    OPENING | {"id": None},
    OPENING | {"params": {}},
    OPENING | {"params": []},
    OPENING | {"params": PARAMS | {"protocolVersion": 5}},
    OPENING | {"params": PARAMS | {"clientInfo": {}}},
    OPENING | {"params": PARAMS | {"capabilities": {"roots": 5}}},
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    root = tmp_path_factory.mktemp("sessions") / "tiny_repo"
    shutil.copytree(CORPUS, root)
    server = HttpServed(root, "--no-watch", start=FEW)
    yield server
    assert server.end() == (0, "", "")


def _open(served: HttpServed) -> str:
    status, session, body = served.post(OPENING)
    assert status == 200
    assert b'"result"' in body
    return session


def _answers(served: HttpServed, session: str) -> bool:
    status, _, _ = served.post(PING, session)
    assert status in (200, 404)
    return status == 200


@pytest.mark.sized
def test_the_malformed_takes_no_session(served: HttpServed) -> None:
    held = [_open(served) for _ in range(SESSIONS)]
    for number in range(2 * SESSIONS):
        _, session, body = served.post(MALFORMED[number % len(MALFORMED)])
        assert b'"error"' in body
        assert not (session and _answers(served, session))
    assert all(_answers(served, session) for session in held)


@pytest.mark.sized
def test_the_session_unused_for_longest_ends_for_a_new_one(served: HttpServed) -> None:
    held = [_open(served) for _ in range(SESSIONS)]
    assert _answers(served, held[0])
    newest = _open(served)
    assert not _answers(served, held[1])
    assert all(_answers(served, session) for session in [held[0], *held[2:], newest])


@pytest.mark.sized
@pytest.mark.skipif(sys.platform != "linux", reason="counts connections in /proc")
def test_streams_hold_no_session(served: HttpServed) -> None:
    """Neither those of old clients nor the others, and none of the ended ones stays open."""
    with ExitStack() as held:
        session = _open(served)
        stream = held.enter_context(
            served.connect(served.head("GET /mcp", "Connection: close", session=session))
        )
        assert stream.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        old = []
        for _ in range(SESSIONS + 1):
            old.append(held.enter_context(served.connect(served.head("GET /sse"))))
            assert old[-1].recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        wait_until(lambda: is_ended(stream))
        wait_until(lambda: is_ended(old[0]))
        assert not any(map(is_ended, old[1:]))
        assert not _answers(served, session)
        assert served.post(OPENING)[0] == 200
    wait_until(lambda: served.count_connections() == 0)


def test_a_stream_begins_anew_whatever_event_was_the_last(served: HttpServed) -> None:
    asked = served.head("GET /mcp", "Last-Event-ID: ../7", "Connection: close", session=_open(served))
    with served.connect(asked) as stream:
        assert stream.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


@pytest.mark.sized
def test_a_deleted_session_gives_its_place_back(served: HttpServed) -> None:
    first = _open(served)
    for _ in range(2 * SESSIONS):
        assert _answers(served, first)
        with served.connect(served.head("DELETE /mcp", session=_open(served))) as connection:
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
    assert _answers(served, first)


def _use(steps: list[tuple[str, str]], limit: int) -> tuple[list[str], int]:
    """Return the sessions that were ended by these steps, in order, and how many there are."""
    ended: list[str] = []
    table = SessionTable(limit)

    async def run() -> None:
        for what, name in steps:
            if what == "add":

                async def end(name: str = name) -> None:
                    ended.append(name)

                await table.add(name, end)
            else:
                {"begin": table.begin, "finish": table.finish, "forget": table.forget}[what](name)

    anyio.run(run)
    return ended, len(table)


def test_what_is_asked_something_stays() -> None:
    steps = [("add", "a"), ("add", "b"), ("begin", "a"), ("begin", "b")]
    assert _use([*steps, ("add", "c")], 2) == ([], 3)
    assert _use([*steps, ("add", "c"), ("finish", "b"), ("add", "d")], 2) == (["c", "b"], 2)


def test_sessions_that_vanish_while_one_is_ended_are_not_missed() -> None:
    """Two were busy and became free: while one of them is ended for a third, its client deletes the other."""
    table = SessionTable(1)

    async def leave() -> None:
        table.forget("b")

    async def stay() -> None:
        raise AssertionError

    async def run() -> None:
        for name, end in (("a", leave), ("b", stay)):
            await table.add(name, end)
            table.begin(name)
        for name in ("a", "b"):
            table.finish(name)
        await table.add("c", stay)

    anyio.run(run)
    assert len(table) == 1


def test_one_id_is_in_use_once() -> None:
    """1 and "1" are one id for the SDK. A request that is refused changes nothing."""
    table = SessionTable()

    async def end() -> None:
        raise AssertionError

    anyio.run(table.add, "a", end)
    assert [table.begin("a", one) for one in (1, "1", 2, None, None, "")] == [
        True,
        False,
        True,
        True,
        True,
        True,
    ]
    table.finish("a", None)
    assert not table.begin("a", "")
    table.finish("a", 1)
    assert [table.begin("a", "1"), table.begin("a", 1), table.begin("b", 1), table.begin("b", 1)] == [
        True, False, True, True,
    ]  # fmt: skip


def test_a_request_with_an_id_in_use_is_refused_and_the_other_one_answered() -> None:
    sent: list[tuple[int, Message]] = []

    async def run() -> None:
        asked, answered = anyio.Event(), anyio.Event()

        async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
            asked.set()
            await answered.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def end() -> None:
            return None

        table = SessionTable()
        await table.add("s", end)
        keeper = StrictMessages(SessionKeeper(app, table))

        async def ask(number: int) -> None:
            async def receive() -> Message:
                return {"type": "http.request", "body": json.dumps(PING).encode()}

            async def send(message: Message) -> None:
                sent.append((number, message))

            await keeper({"method": "POST", "headers": [(b"mcp-session-id", b"s")]}, receive, send)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, 1)
            await asked.wait()
            await ask(2)
            answered.set()

    anyio.run(run)
    assert [(number, one.get("status")) for number, one in sent] == [(2, 400), (2, None), (1, 200)]
    refusal = json.loads(sent[1][1]["body"])
    assert (refusal["id"], refusal["error"]["code"]) == (2, -32600)
    assert "give another id" in refusal["error"]["message"]


def test_an_unknown_session_changes_nothing() -> None:
    assert _use([("begin", "x"), ("finish", "x"), ("forget", "x"), ("add", "a")], 1) == ([], 1)
