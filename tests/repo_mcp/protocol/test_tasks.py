"""The store of tasks: each ends once, is kept until it expires, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from repo_mcp.protocol.tasks import (
    DEFAULT_TTL_MILLISECONDS,
    MAX_TTL_MILLISECONDS,
    MAX_WAITERS,
    MIN_TTL_MILLISECONDS,
    Status,
    Task,
    TaskEnded,
    TaskStore,
    TaskUnknown,
    TooManyTasks,
)
from repo_mcp.protocol.tool_model import Question
from tests.deep.sizes import choose, examples

QUESTION = Question("expansion", "be brief", "other words for x", 100)


class Clock:
    """Seconds as the test says."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def _ignore(*_: object) -> None:
    return None


def _open(**more: int) -> tuple[TaskStore, Clock, list[tuple[str, Status]]]:
    """Open a store, with its clock and what it tells."""
    clock, reported = Clock(), []

    def tell(task: Task) -> None:
        reported.append((task.id, task.status))

    return TaskStore(tell, clock=clock, **more), clock, reported


def test_ids_cannot_be_guessed_and_tasks_stand_in_order() -> None:
    store, _, _ = _open()
    tasks = [store.create(None, _ignore) for _ in range(30)]
    assert len({task.id for task in tasks}) == 30
    assert all(len(task.id) == 32 and int(task.id, 16) >= 0 for task in tasks)
    first, more = store.page(0, 20)
    rest, none = store.page(first[-1].number, 20)
    assert store.page(tasks[9].number, 20) == (tasks[10:], False)  # a full page, after which nothing follows
    assert ([*first, *rest], more, none) == (tasks, True, False)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, DEFAULT_TTL_MILLISECONDS),
        (0, MIN_TTL_MILLISECONDS),
        (1_500.9, 1_500),
        (60_000, 60_000),
        (10**90, MAX_TTL_MILLISECONDS),
    ],
)
def test_the_time_to_live_is_what_was_asked_for_within_bounds(asked: float | None, given: int) -> None:
    assert _open()[0].create(asked, _ignore).ttl_ms == given


def test_a_result_is_kept_until_it_expires_and_can_be_fetched_again() -> None:
    store, clock, reported = _open()
    task = store.create(5_000, _ignore)
    store.end(task.id, "{}")
    for seconds in (0.0, 4.9):
        clock.now = 1_000.0 + seconds
        assert [store.get(task.id).result for _ in range(2)] == ["{}", "{}"]
    clock.now = 1_005.0
    with pytest.raises(TaskUnknown, match="Task has expired"):
        store.get(task.id)
    with pytest.raises(TaskUnknown, match="Task not found"):
        store.get("0" * 32)
    assert store.page(0, 10) == ([], False)
    assert reported == [(task.id, Status.COMPLETED)]


def test_an_expired_task_stops_its_work_and_nobody_waits_on() -> None:
    store, clock, reported = _open()
    stopped: list[str] = []
    given: list[Task | None] = []
    task = store.create(5_000, lambda: stopped.append("stop"))
    store.wait(task.id, 1, given.append)
    assert not store.is_stopped(task.id)
    clock.now = 1_005.0
    assert store.is_stopped(task.id)
    assert given == []
    store.end(task.id, "{}")  # the work ends because it has looked
    assert (stopped, given, reported) == (["stop"], [None], [])


def test_the_first_end_holds() -> None:
    store, _, reported = _open()
    task = store.create(None, _ignore)
    assert store.cancel(task.id, "as you wish").message == "as you wish"
    store.end(task.id, "{}")
    store.report(task.id, "late", lambda: reported.append((task.id, Status.WORKING)))
    store.settle(task.id, "late")
    assert not store.ask(task.id, QUESTION)
    with pytest.raises(TaskEnded, match="cancelled"):
        store.cancel(task.id)
    kept = store.get(task.id)
    assert (kept.status, kept.result, kept.message) == (Status.CANCELLED, None, "as you wish")
    assert reported == [(task.id, Status.CANCELLED)]


def test_questions_are_shown_until_they_are_settled() -> None:
    store, _, reported = _open()
    task = store.create(None, _ignore)
    assert store.ask(task.id, QUESTION)
    assert store.get(task.id).questions == (QUESTION,)
    store.settle(task.id, "another")
    assert store.get(task.id).status is Status.INPUT_REQUIRED
    store.settle(task.id, "expansion")
    assert (store.get(task.id).status, store.get(task.id).questions) == (Status.WORKING, ())
    assert [status for _, status in reported] == [Status.INPUT_REQUIRED, Status.WORKING]


def test_their_number_is_bounded_until_some_end_or_expire() -> None:
    store, clock, _ = _open(max_tasks=4, max_unfinished=2)
    first, second = store.create(9_000, _ignore), store.create(None, _ignore)
    with pytest.raises(TooManyTasks):
        store.create(None, _ignore)
    store.end(first.id, "{}")
    store.create(None, _ignore)
    store.cancel(second.id)
    fourth = store.create(None, _ignore)
    store.end(fourth.id, None)
    with pytest.raises(TooManyTasks):
        store.create(None, _ignore)
    clock.now += 10.0  # the first has expired
    store.create(None, _ignore)


def test_waiters_are_bounded_and_can_go_away() -> None:
    store, _, _ = _open()
    task = store.create(None, _ignore)
    called: list[int] = []
    for number in range(MAX_WAITERS):
        store.wait(task.id, number, lambda task, number=number: called.append(number))  # type: ignore[misc]
    with pytest.raises(TooManyTasks):
        store.wait(task.id, -1, _ignore)
    assert (store.forget(5), store.forget(5), store.forget(99)) == (True, False, False)
    store.end(task.id, "{}")
    assert called == [number for number in range(MAX_WAITERS) if number != 5]
    assert not store.forget(1)


def test_closing_stops_all_work_and_tells_nobody() -> None:
    store, _, reported = _open()
    stopped: list[str] = []
    given: list[Task | None] = []
    task = store.create(None, lambda: stopped.append("stop"))
    ended = store.create(None, lambda: stopped.append("stopped too late"))
    store.end(ended.id, "{}")
    reported.clear()
    store.wait(task.id, 1, given.append)
    store.close()
    store.end(task.id, "{}")
    assert (stopped, given, reported, store.is_stopped(task.id)) == (["stop"], [], [], True)
    with pytest.raises(TooManyTasks):
        store.create(None, _ignore)


class Machine(RuleBasedStateMachine):
    """Any sequence of what can happen: each waiter is called once, each task ends once, all is counted."""

    @initialize()
    def open(self) -> None:
        self.store, self.clock, self.reported = _open(max_tasks=6, max_unfinished=3)
        self.ids: list[str] = []
        self.stopped: dict[str, int] = {}
        self.waiting: dict[int, str] = {}
        self.called: dict[int, Status | None] = {}
        self.number = 0

    def _pick(self, number: int) -> str:
        return self.ids[number % len(self.ids)] if self.ids else "none"

    @rule(ttl=st.sampled_from([None, 1_000, 3_000, 60_000]))
    def create(self, ttl: int | None) -> None:
        name = f"work {len(self.ids)}"

        def stop() -> None:
            self.stopped[name] = self.stopped.get(name, 0) + 1

        try:
            self.ids.append(self.store.create(ttl, stop).id)
        except TooManyTasks:
            assert len(self.store.page(0, 9)[0]) == 6 or self._count_unfinished() == 3

    def _count_unfinished(self) -> int:
        return sum(not task.status.is_final for task in self.store.page(0, 9)[0])

    @rule(number=st.integers(0, 9), result=st.sampled_from(["{}", None]))
    def end(self, number: int, result: str | None) -> None:
        self.store.end(self._pick(number), result)

    @rule(number=st.integers(0, 9))
    def cancel(self, number: int) -> None:
        try:
            assert self.store.cancel(self._pick(number)).status is Status.CANCELLED
        except (TaskEnded, TaskUnknown):
            pass

    @rule(number=st.integers(0, 9))
    def wait(self, number: int) -> None:
        self.number += 1
        name = self.number

        def waiter(task: Task | None) -> None:
            assert name not in self.called
            self.called[name] = None if task is None else task.status

        self.waiting[name] = self._pick(number)
        try:
            self.store.wait(self._pick(number), name, waiter)
        except TaskUnknown:
            del self.waiting[name]

    @rule(name=st.integers(1, 20))
    def forget(self, name: int) -> None:
        forgotten = self.store.forget(name)
        assert forgotten == (name in self.waiting and name not in self.called)
        if forgotten:
            del self.waiting[name]

    @rule(number=st.integers(0, 9), key=st.sampled_from("ab"), settles=st.booleans())
    def ask(self, number: int, key: str, settles: bool) -> None:
        if settles:
            self.store.settle(self._pick(number), key)
        else:
            self.store.ask(self._pick(number), Question(key, "", "", 1))

    @rule(seconds=st.sampled_from([0.5, 2.0, 100.0]))
    def pass_time(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def holds(self) -> None:
        known = {task.id: task for task in self.store.page(0, 9)[0]}
        for name, task_id in self.waiting.items():
            if name not in self.called:
                assert not known[task_id].status.is_final  # or it would have been called
            else:
                assert self.called[name] is None or self.called[name].is_final  # type: ignore[union-attr]
        for task_id in self.ids:
            assert sum(status.is_final for reported, status in self.reported if reported == task_id) <= 1
            if task_id in known:
                stopped = known[task_id].status is Status.CANCELLED
                assert self.store.is_stopped(task_id) == stopped
                assert bool(known[task_id].questions) == (known[task_id].status is Status.INPUT_REQUIRED)
            else:
                assert self.store.is_stopped(task_id)
        assert all(count == 1 for count in self.stopped.values())
        assert len(known) <= 6
        assert sum(not task.status.is_final for task in known.values()) <= 3


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=examples(60), stateful_step_count=40)


@pytest.mark.sized
@pytest.mark.parametrize("rounds", [choose(60, 300)])
def test_cancelling_against_ending_from_two_threads(rounds: int) -> None:
    """Whoever is first holds, and everybody sees the same end."""
    reported: list[Status] = []
    store = TaskStore(lambda task: reported.append(task.status), max_tasks=rounds + 1)
    for _ in range(rounds):
        reported.clear()
        task = store.create(None, _ignore)
        given: list[Task | None] = []
        store.wait(task.id, 1, given.append)
        together = threading.Barrier(2)

        def race(act: Callable[[], object], together: threading.Barrier = together) -> None:
            together.wait(5)
            try:
                act()
            except TaskEnded:
                pass

        def cancel(task_id: str = task.id) -> object:
            return store.cancel(task_id)

        def end(task_id: str = task.id) -> object:
            return store.end(task_id, "{}")

        threads = [threading.Thread(target=race, args=(act,)) for act in (cancel, end)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        kept = store.get(task.id)
        assert reported == [kept.status]
        assert given == [kept]
