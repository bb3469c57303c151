"""Who is let in: every header that decides, and the order in which they are looked at."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.protocol.http.guard import Guard, Message, is_loopback, is_usable_token, split_host

TOKEN = "an-operator's-token-0123456789"


async def _never(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("it was let in")


def _refusal(method: str = "POST", **headers: str | list[str]) -> int | None:
    given: dict[str, str | list[str]] = {
        "host": "localhost:80",
        "authorization": f"Bearer {TOKEN}",
        **headers,
    }
    rows = [
        (name.encode(), one.encode("latin-1"))
        for name, value in given.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    found = Guard(_never, TOKEN, ["search.example"], ["https://pages.example"]).find_refusal(method, rows)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]:8", "search.example:443"]
)
def test_names_of_the_server_are_let_in(host: str) -> None:
    assert _refusal(host=host) is None


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example",
        "search.example.", "user@localhost", "localhost:port", "localhost/evil", "localhost@evil.example",
        "[::1", "0.0.0.0", "x" * 5000,
        ["localhost", "localhost"], [],
    ],
)  # fmt: skip
def test_other_names_are_misdirected(host: str | list[str]) -> None:
    assert _refusal(host=host) == 421


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "https://127.0.0.1", "http://search.example", "https://pages.example"]
)
def test_pages_of_the_server_may_call(origin: str) -> None:
    assert _refusal(origin=origin) is None


@pytest.mark.parametrize(
    "origin",
    ["null", "http://evil.example", "https://pages.example.evil.example", "localhost", "file://", "",
     "http://", "ftp://localhost", ["http://localhost", "http://evil.example"],
     ["http://localhost", "http://localhost"]],
)  # fmt: skip
def test_other_pages_may_not(origin: str | list[str]) -> None:
    assert _refusal(origin=origin) == 403


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
     f"Bearer x {TOKEN}", "Bearer \xff\xfe", [f"Bearer {TOKEN}", f"Bearer {TOKEN}"], []],
)  # fmt: skip
def test_a_wrong_token_is_refused(authorization: str | list[str]) -> None:
    assert _refusal(authorization=authorization) == 401


def test_the_scheme_of_a_token_has_any_case() -> None:
    assert _refusal(authorization=f"bearer {TOKEN}") is None


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "HEAD", "CONNECT", "TRACE", "get"])
def test_other_methods_are_refused(method: str) -> None:
    assert _refusal(method) == 405


def test_a_page_of_another_site_is_told_nothing_of_its_token() -> None:
    assert _refusal(origin="http://evil.example", authorization="Bearer wrong") == 403
    assert _refusal(host="evil.example", origin="http://evil.example", authorization="Bearer wrong") == 421


@given(st.binary(max_size=80), st.binary(max_size=80), st.binary(max_size=80))
def test_no_header_raises_and_none_but_the_token_is_let_in(host: bytes, origin: bytes, token: bytes) -> None:
    guard = Guard(_never, TOKEN)
    rows = [(b"host", host), (b"origin", origin), (b"authorization", token)]
    assert guard.find_refusal("POST", rows) is not None
    assert (
        guard.find_refusal("POST", [(b"Host", b"localhost"), (b"Authorization", b"Bearer " + token)])
        is not None
    )


def _answer(scope: dict[str, Any]) -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await Guard(_never, TOKEN)(scope, None, send)  # type: ignore[arg-type]

    anyio.run(run)
    return sent


def test_a_refusal_is_plain_text_that_names_no_secret() -> None:
    start, body = _answer({"type": "http", "method": "GET", "headers": [(b"host", b"localhost")]})
    assert start["status"] == 401
    assert (b"www-authenticate", b"Bearer") in start["headers"]
    assert TOKEN not in body["body"].decode()


def test_a_websocket_is_closed() -> None:
    assert _answer({"type": "websocket", "headers": []}) == [{"type": "websocket.close", "code": 1008}]


def test_what_is_loopback() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LocalHost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "192.168.0.1", "example", ""]))


def test_what_can_be_a_token() -> None:
    assert is_usable_token("x" * 16)
    assert not any(map(is_usable_token, ["", "x" * 15, "x" * 513, "x" * 20 + " ", "é" * 20, "x" * 20 + "\n"]))


@given(st.text(max_size=60))
def test_any_text_is_a_host_or_none(text: str) -> None:
    name = split_host(text)
    assert name is None or (name == name.lower() and "/" not in name and "@" not in name)
