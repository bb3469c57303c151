"""Connections that are held and not used: each state has its limit and its end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from repo_mcp.protocol.http.connections import MAX_STRANGERS
from tests.forked import START
from tests.http_served import OPENING, PATIENCE_SECONDS, HttpServed, ask, is_ended
from tests.waiting import wait_until

CORPUS = Path(__file__).resolve().parents[3] / "corpus" / "tiny_repo"
MANY = 300
WRONG = "0123456789-not-the-token"
LIMITS = "from repo_mcp.protocol.http import connections as limits; "
IMPATIENT = (
    LIMITS + "limits.STRANGER_SECONDS = limits.REQUEST_SECONDS = limits.ANSWER_SECONDS = 0.5; " + START
)
CROWDED = LIMITS + "limits.MAX_BURST = 8; limits.HEARD_SECONDS = 60; " + START
HEARING = LIMITS + "limits.HEARD_SECONDS = 60; " + START  # however slow the machine
FEW = LIMITS + "limits.MAX_LET_IN = 4; " + START
LARGE_BYTES = 8_000_000  # more than the buffers of two sockets hold
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts connections in /proc")


def _serve(place: Path, start: str, *options: str, large: str = "") -> HttpServed:
    root = place / "tiny_repo"
    shutil.copytree(CORPUS, root)
    (root / "large.txt").write_text(large)
    return HttpServed(root, "--no-watch", *options, start=start)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    server = _serve(tmp_path_factory.mktemp("patient"), START)
    yield server
    assert server.end() == (0, "", "")


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    options = ["--max-file-bytes", "16000000", "--max-total-bytes-per-response", "8388608"]
    options += ["--max-open-lines", "100000"]
    large = f"{'-' * 999}\n" * (LARGE_BYTES // 1000)  # no words, so that it is soon indexed
    server = _serve(tmp_path_factory.mktemp("impatient"), IMPATIENT, *options, large=large)
    yield server
    assert server.end() == (0, "", "")


@pytest.fixture(scope="module")
def crowded_at_first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    server = _serve(tmp_path_factory.mktemp("crowded"), FEW)
    yield server
    assert server.end() == (0, "", "")


@pytest.fixture
def crowded(crowded_at_first: HttpServed) -> HttpServed:
    """Return a server to which nobody is connected."""
    wait_until(lambda: crowded_at_first.count_connections() == 0)
    return crowded_at_first


@pytest.mark.parametrize("said", [b"", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"])
def test_strangers_lock_nobody_out(patient: HttpServed, said: bytes) -> None:
    with ExitStack() as held:
        for _ in range(MANY):
            held.enter_context(patient.connect(said))
        assert patient.post(OPENING)[0] == 200
        wait_until(lambda: patient.count_connections() <= MAX_STRANGERS + 1)  # a moment later
    wait_until(lambda: patient.count_connections() == 0)


def test_a_burst_of_clients_is_served(patient: HttpServed) -> None:
    """All connect before the first says anything."""
    body = json.dumps(OPENING).encode()
    asked = patient.head("POST /mcp", f"Content-Length: {len(body)}", "Connection: close") + body
    with ExitStack() as held:
        clients = [held.enter_context(patient.connect()) for _ in range(MAX_STRANGERS // 2)]
        for client in clients:
            client.sendall(asked)
        for client in clients:
            assert _read_all(client).startswith(b"HTTP/1.1 200 ")


def test_a_burst_is_heard_before_any_of_it_is_cut(tmp_path: Path) -> None:
    """All have asked before the server looks: more than there may be strangers, fewer than may be let in."""
    server = _serve(tmp_path, HEARING)
    body = json.dumps(OPENING).encode()
    asked = server.head("POST /mcp", f"Content-Length: {len(body)}", "Connection: close") + body
    with ExitStack() as held:
        os.kill(server.popen.pid, signal.SIGSTOP)
        try:
            clients = [held.enter_context(server.connect(asked)) for _ in range(MAX_STRANGERS + 64)]
        finally:
            os.kill(server.popen.pid, signal.SIGCONT)
        for client in clients:
            assert _read_all(client).startswith(b"HTTP/1.1 200 ")
    assert server.end() == (0, "", "")


def test_a_burst_has_a_limit_of_its_own(tmp_path: Path) -> None:
    server = _serve(tmp_path, CROWDED)
    with ExitStack() as held:
        clients = [held.enter_context(server.connect()) for _ in range(12)]
        wait_until(lambda: all(map(is_ended, clients[:4])))
        assert not any(map(is_ended, clients[4:]))
    assert server.end() == (0, "", "")


@pytest.mark.parametrize("token", [WRONG, ""])
def test_what_is_wrong_behind_an_answer_ends_the_connection_alone(patient: HttpServed, token: str) -> None:
    """Nothing is printed: the end of the server compares what it wrote to standard error."""
    first = patient.head("POST /nothing", "Transfer-Encoding: chunked", token=token)
    with patient.connect(first) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 4")
        connection.sendall(b"no length of a chunk\r\n")
        wait_until(lambda: is_ended(connection))


def _read_all(connection: socket.socket) -> bytes:
    connection.settimeout(PATIENCE_SECONDS)
    found = b""
    while data := connection.recv(1 << 16):
        found += data
    return found


def _strange(served: HttpServed, name: str) -> bytes:
    refused = served.head("POST /mcp", "Content-Length: 2", token=WRONG) + b"{}"
    return {
        "silent": b"",
        "half a header": b"POST /mcp HTTP/1.1\r\nHost: local",
        "refused": refused,
        "refused often": refused * 20,
        "refused with a body to come": served.head("POST /mcp", "Content-Length: 4000000", token=WRONG),
        "refused in chunks": served.head("POST /mcp", "Transfer-Encoding: chunked", token=WRONG) + b"1\r\na",
    }[name]


STRANGE = ["silent", "half a header", "refused", "refused often", "refused with a body to come"]
STRANGE += ["refused in chunks"]


def _slow(served: HttpServed, name: str) -> bytes:
    first = served.head("GET /nothing")
    return {
        "half a second header": first + b"GET /nothing HTTP/1.1\r\nHost: ",
        "half a body": served.head("POST /mcp", "Content-Length: 400") + b'{"jsonrpc"',
        "chunks without end": served.head("POST /mcp", "Transfer-Encoding: chunked") + b"1\r\n{\r\n",
        "the same where nothing is": served.head("POST /no", "Transfer-Encoding: chunked") + b"1\r\n{\r\n",
    }[name]


SLOW = ["half a second header", "half a body", "chunks without end", "the same where nothing is"]


@pytest.fixture(scope="module")
def unfinished(impatient: HttpServed) -> Iterator[dict[str, socket.socket]]:
    """Yield connections by name, opened one after another, so that their time runs out together."""
    sent = {name: _strange(impatient, name) for name in STRANGE}
    sent |= {name: _slow(impatient, name) for name in SLOW}
    with ExitStack() as held:
        yield {name: held.enter_context(impatient.connect(said)) for name, said in sent.items()}


@pytest.mark.parametrize("name", STRANGE)
def test_a_stranger_is_cut(unfinished: dict[str, socket.socket], name: str) -> None:
    wait_until(lambda: is_ended(unfinished[name]))


@pytest.mark.parametrize("name", SLOW)
def test_a_request_that_does_not_go_on_is_cut(unfinished: dict[str, socket.socket], name: str) -> None:
    wait_until(lambda: is_ended(unfinished[name]))


def test_a_client_that_reads_nothing_is_cut(impatient: HttpServed) -> None:
    session = impatient.post(OPENING)[1]
    wait_until(lambda: impatient.count_connections() == 0)
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {
                "name": "repo.open_file",
                "arguments": {"path": "large.txt", "start_line": 1, "end_line": LARGE_BYTES // 1100},
            },
        }
    ).encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient.port))
        asked = impatient.head("POST /mcp", f"Content-Length: {len(body)}", session=session) + body
        connection.sendall(asked)
        wait_until(lambda: impatient.count_connections() == 1)
        wait_until(lambda: impatient.count_connections() == 0)
    assert len(impatient.post(json.loads(body), session)[2]) > LARGE_BYTES // 2  # who reads gets it all


def test_one_that_stays_in_use_is_not_cut(impatient: HttpServed) -> None:
    """Longer than any of its deadlines: it asks until a connection that was opened later has met one."""
    asked = impatient.head("GET /nothing")
    with impatient.connect() as used, impatient.connect(asked + b"GET ") as slow:
        while not is_ended(slow):
            assert ask(used, asked).startswith(b"HTTP/1.1 404 ")
        assert not is_ended(used)


def test_the_oldest_idle_connection_ends_for_a_new_one(crowded: HttpServed) -> None:
    asked = crowded.head("GET /nothing")
    with ExitStack() as held:
        clients = [held.enter_context(crowded.connect()) for _ in range(4)]
        for client in [*clients, clients[0]]:  # so that the second is the one unused for longest
            assert ask(client, asked).startswith(b"HTTP/1.1 404 ")
        assert crowded.post(OPENING)[0] == 200
        wait_until(lambda: is_ended(clients[1]))
        assert [is_ended(client) for client in clients] == [False, True, False, False]


def test_where_all_are_busy_one_more_is_told_to_come_again(crowded: HttpServed) -> None:
    with ExitStack() as held:
        streams = [held.enter_context(crowded.connect(crowded.head("GET /sse"))) for _ in range(4)]
        for stream in streams:
            assert stream.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        with crowded.connect() as late:
            answer = ask(late, crowded.head("GET /nothing"))
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 1" in answer
        streams[0].close()
        wait_until(lambda: crowded.post(OPENING)[0] == 200)
