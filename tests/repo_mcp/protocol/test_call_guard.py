"""Calls a second and seconds a call: the bucket, the thread that is left behind, the clock that stops."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol import call_guard
from repo_mcp.protocol.call_guard import BURST_SECONDS, MAX_STUCK, CallGuard, TokenBucket
from repo_mcp.protocol.tool_model import AnswerNeeded, CallContext, Question
from tests.no_threads import no_threads

SHORT_SECONDS = 0.2
PATIENCE_SECONDS = 30.0
QUESTION = Question("expansion", "Answer.", "What?", 10)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hanging() -> Iterator[threading.Event]:
    """Yield what hanging calls wait for; set in the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def run(guard: CallGuard, work: Callable[[CallContext], str], context: CallContext | None = None) -> str:
    return guard.run(work, context or CallContext(lambda: False), has_time_limit=True)


def hang(event: threading.Event, _context: CallContext) -> str:
    event.wait(PATIENCE_SECONDS)
    return "late"


def refuse(guard: CallGuard, work: Callable[[CallContext], str]) -> RepoError:
    with pytest.raises(RepoError) as caught:
        run(guard, work)
    return caught.value


@pytest.mark.parametrize("per_second", [1, 7, 500])
def test_a_bucket_lets_a_burst_and_then_its_rate_through(per_second: int) -> None:
    clock = Clock()
    bucket = TokenBucket(per_second, clock)
    burst = per_second * BURST_SECONDS
    assert [bucket.take() for _ in range(burst)] == [0.0] * burst
    wait = bucket.take()
    assert wait == pytest.approx(1 / per_second)
    clock.now += wait + 1e-6
    assert bucket.take() == 0.0
    assert bucket.take() > 0.0
    clock.now += 3.0 + 1e-6
    taken = 0
    while bucket.take() == 0.0:
        taken += 1
    assert taken == 3 * per_second


def test_what_was_not_used_is_kept_for_one_burst_alone() -> None:
    clock = Clock()
    bucket = TokenBucket(2, clock)
    clock.now += 1_000_000.0
    taken = 0
    while bucket.take() == 0.0:
        taken += 1
    assert taken == 2 * BURST_SECONDS


def test_a_call_too_many_is_not_begun_and_told_when_to_come_again() -> None:
    guard = CallGuard(1, 0, Clock())
    begun = []
    for _ in range(BURST_SECONDS):
        run(guard, lambda _context: str(begun.append(1)))
    error = refuse(guard, lambda _context: str(begun.append(1)))
    assert (error.code, error.message) == (ErrorCode.TOO_MANY_CALLS, "More than 1 calls a second.")
    assert error.hint == "Try again in 1.0 seconds."
    assert len(begun) == BURST_SECONDS


def test_no_limit_is_no_limit_and_no_thread() -> None:
    guard = CallGuard(0, 0)
    names = {run(guard, lambda _context: threading.current_thread().name) for _ in range(1_000)}
    assert names == {threading.current_thread().name}


def test_a_call_that_hangs_is_left_behind_and_told_to_stop(hanging: threading.Event) -> None:
    guard = CallGuard(0, SHORT_SECONDS)
    contexts: list[CallContext] = []

    def work(context: CallContext) -> str:
        contexts.append(context)
        return hang(hanging, context)

    error = refuse(guard, work)
    assert error.code is ErrorCode.TIMEOUT
    assert "0.2 seconds" in error.message
    assert contexts[0].cancelled()
    assert run(guard, lambda context: str(context.cancelled())) == "False"  # the next is not concerned


def test_calls_that_index_have_no_limit_of_time(hanging: threading.Event) -> None:
    guard = CallGuard(0, 0.01)
    threading.Timer(0.1, hanging.set).start()
    context = CallContext(lambda: False)
    assert guard.run(partial(hang, hanging), context, has_time_limit=False) == "late"


def test_the_time_in_which_the_clients_model_is_asked_does_not_count() -> None:
    def ask(_question: Question) -> str:
        time.sleep(3 * SHORT_SECONDS)
        return "answer"

    def work(context: CallContext) -> str:
        assert context.ask is not None
        return str(context.ask(QUESTION))

    guard = CallGuard(0, SHORT_SECONDS)
    assert run(guard, work, CallContext(lambda: False, ask=ask)) == "answer"


def fail(error: BaseException, _context: CallContext) -> NoReturn:
    raise error


def test_failures_and_questions_come_through_as_they_are() -> None:
    guard = CallGuard(0, PATIENCE_SECONDS)
    for error in (RepoError(ErrorCode.NOT_FOUND, "No."), AnswerNeeded(QUESTION), ValueError("x")):
        with pytest.raises(type(error)) as caught:
            run(guard, partial(fail, error))
        assert caught.value is error


def test_a_call_that_was_given_up_asks_the_clients_model_no_more(hanging: threading.Event) -> None:
    """It comes back from a file system that hung: its client has long been told TIMEOUT."""
    asked: list[Question] = []
    ended = threading.Event()

    def work(context: CallContext) -> str:
        hang(hanging, context)
        assert context.ask is not None
        answer = context.ask(QUESTION)
        ended.set()
        return str(answer)

    context = CallContext(lambda: False, ask=lambda question: asked.append(question) or "answer")
    with pytest.raises(RepoError):
        run(CallGuard(0, SHORT_SECONDS), work, context)
    hanging.set()
    assert ended.wait(PATIENCE_SECONDS)
    assert asked == []


def test_nothing_of_a_call_that_failed_waits_for_the_collector() -> None:
    """A failed read holds its file in a frame: some megabytes, a hundred times."""

    class Contents:
        """Something that can be looked after."""

    kept: list[weakref.ref[Contents]] = []

    def work(_context: CallContext) -> str:
        contents = Contents()
        kept.append(weakref.ref(contents))
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "No.")

    guard = CallGuard(0, PATIENCE_SECONDS)
    gc.disable()
    try:
        for _ in range(3):
            with pytest.raises(RepoError):
                run(guard, work)
        assert [one() for one in kept[:2]] == [None, None]  # the thread may just be leaving the last
    finally:
        gc.enable()


def test_threads_are_used_again() -> None:
    guard = CallGuard(0, PATIENCE_SECONDS)
    names = {run(guard, lambda _context: str(threading.get_ident())) for _ in range(200)}
    assert len(names) < 5


def test_calls_are_refused_while_too_many_hang_and_taken_again_when_they_come_back(
    hanging: threading.Event,
) -> None:
    guard = CallGuard(0, 0.02)
    for _ in range(MAX_STUCK):
        assert refuse(guard, partial(hang, hanging)).code is ErrorCode.TIMEOUT
    error = refuse(guard, lambda _context: "never")
    assert (error.code, "hang" in error.message) == (ErrorCode.TOO_MANY_CALLS, True)
    assert "Try again in" in error.hint
    hanging.set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while guard._count_stuck():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    generous = CallGuard(0, PATIENCE_SECONDS)
    assert run(generous, lambda _context: "again") == "again"


def test_a_log_that_hangs_with_the_rest_is_not_waited_for(
    hanging: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_guard, "RECORD_SECONDS", SHORT_SECONDS)
    guard = CallGuard(0, SHORT_SECONDS)
    assert guard.record(lambda: True) is True
    refuse(guard, partial(hang, hanging))
    assert guard.record(lambda: True) is True
    assert guard.record(lambda: hanging.wait(PATIENCE_SECONDS)) is False


def test_who_must_not_wait_is_not_held_by_a_log_that_hangs_before_all_else(
    hanging: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_guard, "RECORD_SECONDS", 0.01)
    guard = CallGuard(0, 0)
    assert guard.record(lambda: True, apart=True) is True
    assert guard.record(lambda: hanging.wait(PATIENCE_SECONDS), apart=True) is False
    assert guard.record(lambda: True, apart=True) is False  # while that one hangs


def test_a_log_that_hangs_takes_one_thread_however_many_lines_there_are(
    hanging: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_guard, "RECORD_SECONDS", 0.01)
    guard = CallGuard(0, SHORT_SECONDS)
    refuse(guard, partial(hang, hanging))
    begun: list[int] = []

    def write() -> bool:
        begun.append(threading.get_ident())
        return hanging.wait(PATIENCE_SECONDS)

    assert not any(guard.record(write) for _ in range(MAX_STUCK))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not begun and time.monotonic() < deadline:  # the thread may begin late
        time.sleep(0.01)
    assert len(begun) == 1
    assert run(guard, lambda _context: "answered") == "answered"
    hanging.set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not guard.record(lambda: True):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_call_has_an_answer_without_a_limit_rather_than_none() -> None:
    guard = CallGuard(0, PATIENCE_SECONDS)
    with no_threads() as refused:
        assert run(guard, lambda _context: threading.current_thread().name) == threading.current_thread().name
        assert not guard.record(lambda: True, apart=True)
    assert refused == ["guarded", "guarded"]
    assert run(guard, lambda _context: threading.current_thread().name) == "guarded"
