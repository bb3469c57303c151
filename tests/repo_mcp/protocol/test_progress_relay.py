"""The progress of one call: seldom, rising, never after its end, from however many threads."""

from __future__ import annotations

import json
import threading
import time

import pytest

from repo_mcp.protocol.calls import PROGRESS_SECONDS, ProgressRelay
from repo_mcp.protocol.tool_model import Progress

PATIENCE_SECONDS = 60.0  # a test that needs it has failed


def test_progress_is_reported_seldom_and_the_last_of_it_always() -> None:
    said: list[bytes] = []
    relay = ProgressRelay(said.append, "tok")
    begun = time.monotonic()
    for number in range(5_000):
        relay.put(Progress(number, 5_000, f"file {number}"))
    took = time.monotonic() - begun
    relay.finish()
    assert len(said) <= 2 + took / PROGRESS_SECONDS
    assert json.loads(said[-1])["params"] == {
        "progressToken": "tok",
        "progress": 4_999,
        "total": 5_000,
        "message": "file 4999",
    }


def test_nothing_is_reported_after_the_end() -> None:
    for end in ("finish", "close"):
        said: list[bytes] = []
        relay = ProgressRelay(said.append, 1)
        relay.put(Progress(1.0, 9.0, "a"))
        getattr(relay, end)()
        reported = len(said)
        relay.put(Progress(2.0, 9.0, "b"))
        relay.finish()
        assert len(said) == reported == 1


def test_what_cannot_be_written_is_left_out() -> None:
    said: list[bytes] = []
    relay = ProgressRelay(said.append, 1)
    relay.put(Progress(1.0, float("nan"), "a"))
    relay.put(Progress(2.0, 9.0, "\ud800"))
    relay.finish()
    assert said == []


def test_progress_from_many_threads_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.protocol.calls.PROGRESS_SECONDS", 0.0)
    said: list[bytes] = []
    relay = ProgressRelay(said.append, 1)
    together = threading.Barrier(4)

    def work(offset: int) -> None:
        together.wait(PATIENCE_SECONDS)
        for number in range(300):
            relay.put(Progress(number * 4 + offset, 1_200, ""))

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    relay.finish()
    done = [json.loads(frame)["params"]["progress"] for frame in said]
    assert done == sorted(set(done))
    assert done[-1] == 1_199
