"""A system that refuses threads, as one does that limits them and is busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_start = threading.Thread.start


@contextmanager
def no_threads(*names: str, after: int = 0) -> Iterator[list[str]]:
    """Refuse every thread that is started inside the block, or those whose names have the given prefix.

    The first few may start. Yields the names of the threads refused so far.
    """
    started: list[str] = []
    refused: list[str] = []

    def start(thread: threading.Thread) -> None:
        if names and not thread.name.startswith(names):
            _start(thread)
            return
        if len(started) < after:
            started.append(thread.name)
            _start(thread)
            return
        refused.append(thread.name)
        raise RuntimeError("can't start new thread")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        yield refused
