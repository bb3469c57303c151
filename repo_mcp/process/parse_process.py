"""The child's side of the parse worker: parses the texts it is sent, within limits that the system enforces.

The system limits address space, processor time for each text and files written, where it can. Where it
cannot, the parent's watch remains. The child reads nothing but the pipe.

A frame of requests holds one or more texts, and is answered with one frame:

    request: u32 bytes | task | "\n" | text
    answers: "+" | for each text u32 bytes | the task's answer

A frame that begins with "-" instead of "+" is the child's last: it then ends itself. So does one that cannot
import a parser, after the frame "!": the program is being replaced, which says nothing about the text.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection

from repo_mcp.languages.adapter_tasks import PREFIX as ADAPTER_PREFIX
from repo_mcp.languages.adapter_tasks import run_adapter_task
from repo_mcp.languages.python.tree import outline_python
from repo_mcp.languages.symbol_parsers import PARSERS_VERSION, PREFIX, run_parser_task

READY = b"ready %d" % PARSERS_VERSION  # the first frame: a program that was replaced may make other records
MISSING = b"!"  # the last frame of a child that cannot import a parser
CPU_SECONDS = 5  # most processor time for one text; 512 KiB take 2 s at most
ADDRESS_SPACE_BYTES = 1 << 30  # twice what `ast` needs for the worst 512 KiB
MAX_RSS_BYTES = 256 * 1024 * 1024  # a process that has grown larger ends itself and is replaced

TASKS: Mapping[str, Callable[[bytes], bytes]] = {"python": outline_python}
_SIZE = struct.Struct("<I")


def encode_requests(requests: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the frame of requests for pairs of task and text."""
    parts: list[bytes] = []
    for task, text in requests:
        named = task.encode() + b"\n"
        parts += [_SIZE.pack(len(named) + len(text)), named, text]
    return b"".join(parts)


def _iter_requests(frame: bytes) -> Iterator[tuple[str, bytes]]:
    for request in _iter_parts(frame, 0):
        task, _, text = request.partition(b"\n")
        yield task.decode(), text


def _iter_parts(frame: bytes, end: int) -> Iterator[bytes]:
    """Yield the parts behind their lengths, from offset `end`. Raises ValueError for a truncated part."""
    while end < len(frame):
        start = end + _SIZE.size
        if start > len(frame):
            raise ValueError("a length that is cut off")
        end = start + _SIZE.unpack_from(frame, end)[0]
        if end > len(frame):
            raise ValueError("a part that is cut off")
        yield frame[start:end]


def decode_answers(frame: bytes) -> tuple[list[bytes], bool]:
    """Return the answers, and whether the child continues.

    Raises ValueError for a malformed frame, and ImportError when the child could not import a parser.
    """
    if frame == MISSING:
        raise ImportError
    if frame[:1] not in (b"+", b"-"):
        raise ValueError("no frame of answers")
    return list(_iter_parts(frame, 1)), frame[:1] == b"+"


def run_task(task: str, text: bytes) -> bytes:
    """Return the answer of a task. Raises KeyError when no task has this name."""
    if task.startswith(PREFIX):
        return run_parser_task(task, text)
    if task.startswith(ADAPTER_PREFIX):
        return run_adapter_task(task, text)
    return TASKS[task](text)


def serve(
    requests: Connection,
    answers: Connection,
    niceness: int = 0,
    run: Callable[[str, bytes], bytes] = run_task,
    max_rss_bytes: int = MAX_RSS_BYTES,
) -> None:
    """Answer requests until the pipe is closed, at a priority lowered by `niceness`.

    A process that has grown larger than `max_rss_bytes` ends itself after an answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    gc.disable()  # trees have no cycles; collecting them costs a third of the time
    _limit_process()
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)
    with suppress(EOFError, OSError):
        answers.send_bytes(READY)
        while _answer(requests.recv_bytes(), answers, run, max_rss_bytes):
            pass


def _answer(
    frame: bytes, answers: Connection, run: Callable[[str, bytes], bytes], max_rss_bytes: int
) -> bool:
    """Answer the requests of a frame. Returns False when this process has grown too large to continue, or
    cannot import a parser.
    """
    parts: list[bytes] = []
    for task, text in _iter_requests(frame):
        _limit_next_seconds()
        try:
            answer = run(task, text)
        except ImportError:
            answers.send_bytes(MISSING)
            return False
        parts += [_SIZE.pack(len(answer)), answer]
    stays = _has_room(max_rss_bytes)
    answers.send_bytes(b"".join([b"+" if stays else b"-", *parts]))
    return stays


if sys.platform == "win32":

    def _limit_process() -> None:
        """Do nothing: there are no limits to set, so the parent's watch has to suffice."""

    def _limit_next_seconds() -> None:
        """Do nothing."""

    def _has_room(max_rss_bytes: int) -> bool:
        """Return True: memory is not measured here."""
        return True

else:
    import resource

    def _limit_process() -> None:
        """Forbid core dumps (they would hold the text) and writing files, and bound memory."""
        for limit, value in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_AS, ADDRESS_SPACE_BYTES),
        ):
            with suppress(ValueError, OSError):  # not every system has every limit
                resource.setrlimit(limit, (value, value))

    def _limit_next_seconds() -> None:
        """Have the system end this process when the next text takes it more than CPU_SECONDS."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        end = math.ceil(usage.ru_utime + usage.ru_stime) + CPU_SECONDS
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (end, hard))

    def _has_room(max_rss_bytes: int) -> bool:
        """Return True when this program never held more memory than that.

        A new process inherits its parent's `ru_maxrss`, so a larger value is checked in /proc/self/status.
        That takes as long as parsing a small text, so it is done once for all texts of a frame.
        """
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak = peak if sys.platform == "darwin" else peak * 1024  # kilobytes elsewhere
        if peak <= max_rss_bytes:
            return True
        try:
            with open("/proc/self/status", encoding="ascii", errors="replace") as status:
                lines = (line.split() for line in status if line.startswith("VmHWM:"))
                return int(next(lines)[1]) * 1024 <= max_rss_bytes
        except (OSError, StopIteration):  # not Linux
            return False
