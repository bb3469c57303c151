"""The request for a client's roots, and whatever it answers: passed on as text, or not at all."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from repo_mcp.protocol.client_roots import MAX_URIS, ClientRoots
from repo_mcp.protocol.frames import Response
from tests.growth import HANG_SECONDS
from tests.no_threads import no_threads


class Client:
    """A client that is asked for roots, and what is reported of it."""

    def __init__(self, *, declared: bool = True, seconds: float = HANG_SECONDS) -> None:
        self.asked: list[dict[str, Any]] = []
        self.reported: list[tuple[str, ...]] = []
        self.is_reported = threading.Event()
        self.roots = ClientRoots(lambda frame: self.asked.append(json.loads(frame)), seconds)
        self.roots.open(declared=declared)
        self.roots.listen(self._take)

    def _take(self, uris: tuple[str, ...]) -> None:
        self.reported.append(uris)
        self.is_reported.set()

    def answer(self, place: int = -1, **body: Any) -> bool:
        """Answer one of the requests."""
        return self.roots.take(Response({"jsonrpc": "2.0", "id": self.asked[place]["id"], **body}))


def test_a_client_without_roots_is_not_asked() -> None:
    client = Client(declared=False)
    client.roots.ask()
    assert (client.asked, client.reported) == ([], [()])


def test_a_client_that_opens_the_session_again_and_again_takes_one_thread() -> None:
    before = threading.active_count()
    client = Client()
    for _ in range(50):
        client.roots.open(declared=True)
    assert threading.active_count() <= before + 1
    assert client.reported == []


def test_what_it_names_is_reported_each_time() -> None:
    client = Client()
    client.roots.ask()
    assert client.asked == [{"jsonrpc": "2.0", "id": "repo-mcp/roots/1", "method": "roots/list"}]
    assert client.answer(result={"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]})
    client.roots.ask()
    assert client.answer(result={"roots": []})
    assert client.reported == [("file:///a", "file:///b"), ()]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"result": {}}, ()),
        ({"result": {"roots": None}}, ()),
        ({"result": {"roots": {"uri": "file:///a"}}}, ()),
        (
            {"result": {"roots": [1, None, {}, {"uri": 2}, {"uri": "file:///a"}]}},
            ("", "", "", "", "file:///a"),
        ),
        ({"result": {"roots": [{"uri": "x"}] * (MAX_URIS + 1)}}, ("x",) * MAX_URIS),
        ({"error": {"code": -32601, "message": "Method not found"}}, ()),
    ],
)
def test_an_answer_of_any_shape_is_taken(body: dict[str, Any], expected: tuple[str, ...]) -> None:
    client = Client()
    client.roots.ask()
    assert client.answer(**body)
    assert client.reported == [expected]


def test_an_error_does_not_take_back_what_was_named() -> None:
    client = Client()
    client.roots.ask()
    client.answer(result={"roots": [{"uri": "file:///a"}]})
    client.roots.ask()
    client.answer(error={"code": 1, "message": "later"})
    assert client.reported == [("file:///a",)]


def test_an_answer_to_an_earlier_request_does_not_count() -> None:
    client = Client()
    client.roots.ask()
    client.roots.ask()
    assert client.answer(0, result={"roots": [{"uri": "file:///old"}]})
    assert client.answer(1, result={"roots": [{"uri": "file:///new"}]})
    assert client.reported == [("file:///new",)]


def test_answers_to_others_are_left_to_them() -> None:
    client = Client()
    client.roots.ask()
    for request_id in ("repo-mcp/ask/1", 1, None, "x"):
        assert not client.roots.take(Response({"id": request_id, "result": {"roots": []}}))
    assert client.reported == []


def test_a_silent_client_has_none_until_it_names_some() -> None:
    client = Client(seconds=0.01)
    client.roots.ask()
    assert client.is_reported.wait(HANG_SECONDS)
    client.answer(result={"roots": [{"uri": "file:///late"}]})
    assert client.reported == [(), ("file:///late",)]


def test_a_client_is_not_waited_for_without_a_thread_that_would_end_it() -> None:
    with no_threads():
        client = Client()
    assert client.reported == [()]
    client.roots.ask()
    client.answer(result={"roots": [{"uri": "file:///a"}]})
    assert client.reported == [(), ("file:///a",)]
