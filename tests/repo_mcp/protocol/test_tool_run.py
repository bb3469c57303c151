"""The progress of one call: seldom, rising, never after its end, from however many threads."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping

import pytest

from repo_mcp.protocol.call_pool import CallPool
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Progress, Question, ToolAnswer
from repo_mcp.protocol.tool_run import PROGRESS_SECONDS, Outcome, ProgressRelay, run_tool, submit_tool
from tests.repo_mcp.pipe_client import build_answer, build_tool

PATIENCE_SECONDS = 60.0  # a test that needs it has failed
CONTEXT = CallContext(lambda: False)
QUESTION = Question("summary", "be brief", "what?", 10)


def test_progress_is_told_seldom_and_the_last_of_it_always() -> None:
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


def test_nothing_is_told_after_the_end() -> None:
    for end in ("finish", "close"):
        said: list[bytes] = []
        relay = ProgressRelay(said.append, 1)
        relay.put(Progress(1.0, 9.0, "a"))
        getattr(relay, end)()
        told = len(said)
        relay.put(Progress(2.0, 9.0, "b"))
        relay.finish()
        assert len(said) == told == 1


def test_what_cannot_be_written_is_left_out() -> None:
    said: list[bytes] = []
    relay = ProgressRelay(said.append, 1)
    relay.put(Progress(1.0, float("nan"), "a"))
    relay.put(Progress(2.0, 9.0, "\ud800"))
    relay.finish()
    assert said == []


def test_progress_from_many_threads_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.protocol.tool_run.PROGRESS_SECONDS", 0.0)
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


def test_a_run_has_an_outcome_whatever_happens() -> None:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        if "ask" in arguments:
            raise AnswerNeeded(QUESTION)
        if "break" in arguments:
            raise RuntimeError
        return build_answer({"a": 1})

    tool = build_tool("t", call)
    given = [run_tool(tool, arguments, CONTEXT) for arguments in ({}, {"ask": 1}, {"break": 1})]
    assert given == [build_answer({"a": 1}), QUESTION, None]
    pool, outcomes, ended = CallPool(1), [], threading.Semaphore(0)

    def end(outcome: Outcome) -> None:
        outcomes.append(outcome)
        ended.release()

    for arguments in ({"ask": 1}, {"break": 1}, {}):  # the place is never lost
        submit_tool(pool, tool, arguments, CONTEXT, end)
        assert ended.acquire(timeout=PATIENCE_SECONDS)
    assert outcomes == [QUESTION, None, build_answer({"a": 1})]
