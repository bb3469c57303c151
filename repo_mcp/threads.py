"""Starts threads that the system may refuse, for example because their number is limited, and stops them.

Whoever starts one here can do without it, or tries again later. Left out on purpose: the threads without
which there is no server; if one of those is refused, the start fails.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

REFUSED = "the system starts no more threads"  # the words of faults


def start_daemon(thread: threading.Thread) -> bool:
    """Start a thread that never keeps the process from ending. Returns False when the system refuses."""
    thread.daemon = True
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


def stops_when(closed: threading.Event, cancelled: Callable[[], bool] | None) -> Callable[[], bool]:
    """Return a check that is True once `closed` is set, or the caller, if it can, has cancelled."""
    return lambda: closed.is_set() or (cancelled is not None and cancelled())


def run_beside(functions: Iterable[Callable[[], object]]) -> None:
    """Run each function in a thread of its own, or here if it is refused. Returns when all have run."""
    threads = [threading.Thread(target=function) for function in functions]
    for one in [thread for thread in threads if not start_daemon(thread)]:
        one.run()
    for one in threads:
        if one.is_alive():
            one.join()
