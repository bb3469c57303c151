"""The server over HTTP as clients meet it: a real process, the SDK's clients, several at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from repo_mcp.live.index_report import NOT_COMPARED
from repo_mcp.protocol.http.server import open_socket
from tests.forked import START, popen
from tests.http_served import PATIENCE_SECONDS, PROJECT
from tests.http_served import HttpServed as Served

CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("http") / "tiny_repo"
    shutil.copytree(CORPUS, root)
    server = Served(root, "--toolsets", "repo,research", "--no-watch")
    yield server
    assert server.end() == (0, "", "")


def _client(served: Served) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.token}"}, timeout=PATIENCE_SECONDS)


@asynccontextmanager
async def _open_session(served: Served) -> AsyncIterator[ClientSession]:
    async with (
        _client(served) as http,
        streamable_http_client(f"{served.base}/mcp", http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        yield session


async def _search_over_http(served: Served, query: str) -> str:
    async with _open_session(served) as session:
        await session.initialize()
        while True:
            answer = await session.call_tool("repo.search", {"query": query})
            text = str(answer.content[0].text)  # type: ignore[union-attr]
            is_growing = "being refreshed" in text or "No indexed file" in text
            if not (answer.is_error or is_growing):
                return text
            await anyio.sleep(0.1)  # not everything is indexed yet


def test_a_client_lists_and_calls(served: Served) -> None:
    async def run() -> list[str]:
        async with _open_session(served) as session:
            opened = await session.initialize()
            assert opened.capabilities.tasks is None
            tools = (await session.list_tools()).tools
            assert all(tool.execution is None for tool in tools)
            return [tool.name for tool in tools]

    names = anyio.run(run)
    assert names[:2] == ["repo.status", "repo.list_files"]
    assert names[-1] == "code_research"


def test_an_old_client_is_served_by_events(served: Served) -> None:
    async def run() -> str:
        headers = {"Authorization": f"Bearer {served.token}"}
        async with (
            sse_client(f"{served.base}/sse", headers=headers) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            answer = await session.call_tool("repo.list_files", {})
            return str(answer.content[0].text)  # type: ignore[union-attr]

    assert '"path":"README.md"' in anyio.run(run)


def test_clients_at_once_get_each_their_own_answer(served: Served) -> None:
    queries = ["parser", "config", "readme", "tokens"] * 2
    texts: dict[int, str] = {}

    async def ask(place: int) -> None:
        texts[place] = await _search_over_http(served, queries[place])

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for place in range(len(queries)):
                tasks.start_soon(ask, place)

    anyio.run(run)
    for place in range(4):
        same = [_drop_what_varies(texts[place]), _drop_what_varies(texts[place + 4])]
        assert same[0] == same[1]
    assert len({_drop_what_varies(text) for text in texts.values()}) > 1


def _drop_what_varies(text: str) -> str:
    """Leave out the id of the request, and that the tree is being looked over, which is so for a moment."""
    return re.sub(r'"request_id":"[^"]*"', "", re.sub(f',?"{re.escape(NOT_COMPARED)}"', "", text))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer not-the-token-0123456789"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
@pytest.mark.parametrize(
    "path", ["/mcp", "/sse", "/messages/", "/messages/?session_id=00000000000000000000000000000000", "/"]
)
def test_nobody_else_is_let_in_anywhere(
    served: Served, headers: dict[str, str], status: int, path: str
) -> None:
    request = urllib.request.Request(served.base + path, data=b"{}", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)
    with caught.value as refused:
        assert refused.code == status
        assert served.token not in refused.read().decode()


def test_a_body_without_end_is_refused(served: Served) -> None:
    request = urllib.request.Request(
        served.base + "/mcp",
        data=b" " * (5 * 1024 * 1024),
        headers={
            "Authorization": f"Bearer {served.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as caught:
        urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)
    if isinstance(caught.value, urllib.error.HTTPError):
        with caught.value as refused:
            assert refused.code == 413


@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("path", ["/mcp", "/messages/?session_id=00000000000000000000000000000000"])
@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", -32700, "not one JSON value"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, "not one JSON value"),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xe9"}', -32700, "not UTF-8"),
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), -32700, "not UTF-8"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700, "NaN and Infinity"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', -32700, "out of range"),
        (b'{"jsonrpc":"2.0","id":1,"params":' + b'{"a":' * 90 + b"1" + b"}" * 91, -32700, "of nesting"),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600, "same key twice"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "id must be a string or an integer"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "id must be a string or an integer"),
        (b'{"jsonrpc":"2.0","id":1}', -32600, "method is missing"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "is a batch"),
        (b'{"jsonrpc":"2.0","method":"notifications/x","params":[]}', -32600, "neither used nor answered"),
    ],
)  # fmt: skip
def test_what_stdio_refuses_is_refused(
    served: Served, body: bytes, code: int, words: str, path: str, era: str
) -> None:
    headers = served.headers() | {"MCP-Protocol-Version": era}
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(served.base + path, body, headers))
    with caught.value as refused:
        assert refused.code == 400
        error = json.loads(refused.read())["error"]
    assert error["code"] == code
    assert words in error["message"]


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    root = tmp_path / "tiny_repo"
    shutil.copytree(CORPUS, root)
    server = Served(root, REPO_MCP_HTTP_TOKEN="0123456789abcdef-token")
    assert server.end(signal.SIGINT) == (130, "", "")


def test_a_taken_port_is_said(served: Served, tmp_path: Path) -> None:
    port = served.base.rpartition(":")[2]
    second = popen(
        [sys.executable, "-c", START, "--repo-root", str(tmp_path), "--transport", "http", "--port", port],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        text=True,
    )
    _, complained = second.communicate(timeout=PATIENCE_SECONDS)
    assert second.returncode == 2
    assert "--port" in complained
    assert "in use" in complained


def test_calls_over_the_rate_are_refused(tmp_path: Path) -> None:
    """Of all clients together."""
    root = tmp_path / "tiny_repo"
    shutil.copytree(CORPUS, root)
    server = Served(root, "--no-watch", "--max-calls-per-second", "1")

    async def run() -> list[str]:
        texts = []
        for _ in range(2):
            async with _open_session(server) as session:
                await session.initialize()
                for _ in range(20):
                    answer = await session.call_tool("repo.status", {})
                    texts.append(str(answer.content[0].text))  # type: ignore[union-attr]
        return texts

    texts = anyio.run(run)
    assert server.end()[0] == 0
    refused = [text for text in texts if '"code":"busy"' in text]
    assert not any('"code":"busy"' in text for text in texts[:10])
    assert refused
    assert all("Try again in" in text for text in refused)
    log = (root / ".repo_mcp" / "audit.jsonl").read_text()
    assert log.count('"error_code":"busy"') == len(refused)


@pytest.mark.parametrize(("platform", "shares"), [("linux", True), ("win32", False)])
def test_on_windows_nobody_else_can_take_the_port(
    platform: str, shares: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    with open_socket("127.0.0.1", 0) as bound:
        assert bool(bound.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) == shares
