"""The pool of calls: some at a time, in order, and nothing that was cancelled before it began."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Mapping

import pytest

from repo_mcp.protocol.calls import CallPool, Outcome, run_tool, submit_tool
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Question, ToolAnswer
from tests.growth import HANG_SECONDS
from tests.no_threads import no_threads
from tests.repo_mcp.pipe_client import build_answer, build_tool

PATIENCE_SECONDS = 60.0  # a test that needs it has failed
CONTEXT = CallContext(lambda: False)
QUESTION = Question("summary", "be brief", "what?", 10)


def _ignore() -> None:
    return None


def test_calls_begin_in_order_and_keep_to_their_slots() -> None:
    pool, gate, lock = CallPool(slots=3), threading.Event(), threading.Lock()
    begun: list[int] = []
    running, most = [0], [0]
    done = threading.Semaphore(0)

    def work(number: int) -> None:
        with lock:
            begun.append(number)
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait(PATIENCE_SECONDS)
        with lock:
            running[0] -= 1
        done.release()

    for number in range(20):
        pool.submit(lambda number=number: work(number), _ignore)  # type: ignore[misc]
    time.sleep(0.05)
    assert sorted(begun) == [0, 1, 2]
    gate.set()
    assert all(done.acquire(timeout=PATIENCE_SECONDS) for _ in range(20))
    assert most == [3]
    assert sorted(begun) == list(range(20))


def test_one_call_at_a_time_needs_one_thread() -> None:
    pool = CallPool(slots=8)
    seen: set[int] = set()
    for _ in range(50):
        done = threading.Event()
        pool.submit(lambda done=done: (seen.add(threading.get_ident()), done.set()), _ignore)  # type: ignore[misc]
        assert done.wait(PATIENCE_SECONDS)
        time.sleep(0.001)  # until the thread has given its place back
    assert len(seen) <= 2


def test_a_call_is_run_or_dropped_and_never_both() -> None:
    pool, gate = CallPool(slots=1), threading.Event()
    story: list[str] = []
    pool.submit(lambda: gate.wait(PATIENCE_SECONDS), _ignore)
    waiting = pool.submit(lambda: story.append("run"), lambda: story.append("dropped"))
    waiting.cancel()
    waiting.cancel()
    last = threading.Event()
    running = pool.submit(last.set, lambda: story.append("dropped too late"))
    gate.set()
    assert last.wait(PATIENCE_SECONDS)
    running.cancel()
    assert story == ["dropped"]


def test_a_call_that_fails_gives_its_place_back() -> None:
    pool, done = CallPool(slots=1), threading.Event()
    pool.submit(lambda: 1 // 0, _ignore)
    pool.submit(done.set, _ignore)
    assert done.wait(PATIENCE_SECONDS)


def test_threads_that_the_system_refuses_cost_no_places() -> None:
    pool, done = CallPool(slots=2), threading.Event()
    with no_threads():
        for _ in range(3):
            with pytest.raises(RuntimeError):
                pool.submit(_ignore, _ignore)
    assert not pool._waiting
    pool.submit(done.set, _ignore)
    assert done.wait(PATIENCE_SECONDS)


def test_a_call_for_which_the_system_has_no_thread_waits_for_another_call() -> None:
    pool, gate, done = CallPool(slots=2), threading.Event(), threading.Event()
    pool.submit(lambda: gate.wait(PATIENCE_SECONDS), _ignore)
    with no_threads():
        pool.submit(done.set, _ignore)
    gate.set()
    assert done.wait(PATIENCE_SECONDS)


def test_nothing_of_a_call_is_kept_that_was_cancelled_before_it_began() -> None:
    class Arguments:
        """Something that can be looked after."""

    pool, gate = CallPool(slots=1), threading.Event()
    pool.submit(lambda: gate.wait(PATIENCE_SECONDS), _ignore)
    kept = []
    for _ in range(5):
        given = Arguments()
        kept.append(weakref.ref(given))
        pool.submit(lambda given=given: given, _ignore).cancel()  # type: ignore[misc]
        del given
    gc.collect()
    assert [one() for one in kept] == [None] * 5
    gate.set()


def test_calls_that_were_cancelled_are_not_waited_for() -> None:
    pool, gate = CallPool(slots=1), threading.Event()
    pool.submit(lambda: gate.wait(PATIENCE_SECONDS), _ignore)
    waiting = pool.submit(_ignore, _ignore)
    threading.Timer(0.05, lambda: (waiting.cancel(), gate.set())).start()
    started = time.monotonic()
    pool.wait_until_idle(2 * HANG_SECONDS)
    assert time.monotonic() - started < HANG_SECONDS


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
