"""A system that has no more threads, as one is that limits them and runs much besides."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def _refuse(_thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


@contextmanager
def no_threads() -> Iterator[None]:
    """Refuse every thread that is started while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", _refuse)
        yield
