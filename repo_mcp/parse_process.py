"""The child's end of the parse worker: parses what it is sent, within limits that the system enforces.

Address space, processor time for each text and what may be written are limited where the system can;
where it cannot, the parent's watch remains. Nothing is read but the pipe.
"""

from __future__ import annotations

import gc
import math
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection

from repo_mcp.adapters.python_syntax import outline_python
from repo_mcp.adapters.structure_tasks import PREFIX, run_structure_task

READY = b"ready"  # the first frame
CPU_SECONDS = 5  # for one text; 512 KiB take 2 s at most
ADDRESS_SPACE_BYTES = 1 << 30  # twice what `ast` takes for the worst 512 KiB
KEPT_RSS_BYTES = 256 * 1024 * 1024  # a process that grew larger ends itself and is replaced

TASKS: Mapping[str, Callable[[bytes], bytes]] = {"python": outline_python}


def serve(requests: Connection, answers: Connection) -> None:
    """Answer requests until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    gc.disable()  # trees have no cycles; collecting them costs a third of the time
    _limit_process()
    with suppress(EOFError, OSError):
        answers.send_bytes(READY)
        while True:
            task, _, text = requests.recv_bytes().partition(b"\n")
            _limit_next_seconds()
            answer = run_task(task.decode(), text)
            stays = _peak_rss_bytes() <= KEPT_RSS_BYTES
            answers.send_bytes((b"+" if stays else b"-") + answer)
            if not stays:
                return


def run_task(task: str, text: bytes) -> bytes:
    """The answer of a task. KeyError, which ends the process, for one that there is none of."""
    if task.startswith(PREFIX):
        return run_structure_task(task, text)
    return TASKS[task](text)


if sys.platform == "win32":

    def _limit_process() -> None:
        """There are no limits to set; the parent's watch has to do."""

    def _limit_next_seconds() -> None:
        """As above."""

    def _peak_rss_bytes() -> int:
        return 0

else:
    import resource

    def _limit_process() -> None:
        """No core dumps (they would hold the text), no files, bounded memory."""
        for limit, value in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_AS, ADDRESS_SPACE_BYTES),
        ):
            with suppress(ValueError, OSError):  # not every system has every limit
                resource.setrlimit(limit, (value, value))

    def _limit_next_seconds() -> None:
        """The system ends this process when the next text takes it more than CPU_SECONDS."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        end = math.ceil(usage.ru_utime + usage.ru_stime) + CPU_SECONDS
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (end, hard))

    def _peak_rss_bytes() -> int:
        """The most memory that this program held; a started process inherits its parent's `ru_maxrss`."""
        try:
            with open("/proc/self/status", encoding="ascii", errors="replace") as status:
                return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
        except (OSError, StopIteration):  # not Linux
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return peak if sys.platform == "darwin" else peak * 1024  # kilobytes elsewhere
