"""The processes that index: who gives up ends his own, and nobody else's."""

from __future__ import annotations

import multiprocessing
import time

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.workers import _do_nothing, _start_pool

PATIENCE_SECONDS = 30.0


class _GaveUp(Exception):
    """The refresh ended early."""


def test_a_refresh_that_gives_up_ends_its_own_processes_and_no_other() -> None:
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(PATIENCE_SECONDS,))
    with pytest.raises(_GaveUp), _start_pool(2, _do_nothing):  # noqa: PT012  (the block is what is tried)
        own = set(multiprocessing.active_children())
        assert own
        other.start()  # as another root's refresh, or a parser, does meanwhile
        raise _GaveUp
    try:
        other.join(0.3)
        assert other.is_alive()
        assert not any(child.is_alive() for child in own)
    finally:
        other.kill()
        other.join()
        other.close()


def test_a_process_that_died_before_it_was_given_work_is_told_of() -> None:
    """As one may that was started while the tree is walked."""
    with pytest.raises(RepoError) as caught, _start_pool(1, _do_nothing) as pool:  # noqa: PT012
        pool.submit(_do_nothing).result()
        (own,) = multiprocessing.active_children()
        own.kill()
        own.join()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:  # the pool finds out in a thread
            pool.submit(_do_nothing)
            time.sleep(0.01)
    assert caught.value.code is ErrorCode.INTERNAL
