"""The programs of parser processes in tests. Each child imports this, so it imports few modules."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

from repo_mcp.process import parse_process
from tests.growth import HANG_SECONDS


def answer_upper(_task: str, text: bytes) -> bytes:
    if text == b"die":
        os._exit(1)
    if text == b"hang":
        time.sleep(5 * HANG_SECONDS)
    if text == b"raise":
        raise ValueError
    return text.upper()


def serve_upper(requests: Connection, answers: Connection, niceness: int) -> None:
    parse_process.serve(requests, answers, niceness, answer_upper)


def serve_small(requests: Connection, answers: Connection, niceness: int) -> None:
    """Serve as a child that is too large after each frame."""
    parse_process.serve(requests, answers, niceness, answer_upper, max_rss_bytes=0)


def serve_half(requests: Connection, answers: Connection, _niceness: int) -> None:
    """Serve as a child that a text has taken over: it announces more bytes than it sends."""
    answers.send_bytes(parse_process.READY)
    requests.recv_bytes()
    os.write(answers.fileno(), (1000).to_bytes(4, "big") + b"+half")
    time.sleep(5 * HANG_SECONDS)


def serve_frame(frame: bytes, requests: Connection, answers: Connection, _niceness: int) -> None:
    """Serve as a child that a text has taken over: it answers every request with the same frame."""
    answers.send_bytes(parse_process.READY)
    requests.recv_bytes()
    answers.send_bytes(frame)


def tell_niceness(_task: str, _text: bytes) -> bytes:
    return str(os.nice(0)).encode()


def serve_niceness(requests: Connection, answers: Connection, niceness: int) -> None:
    parse_process.serve(requests, answers, niceness, tell_niceness)


def serve_late(mark: str, requests: Connection, answers: Connection, niceness: int) -> None:
    """Serve, but for the first process: it ends before it is ready, as if what it runs were missing."""
    if not _has_mark(mark):
        os._exit(1)
    serve_upper(requests, answers, niceness)


def serve_without(mark: str, requests: Connection, answers: Connection, niceness: int) -> None:
    """Serve, but for the first process: it cannot import a parser. Without a `mark` none can."""

    def answer(_task: str, text: bytes) -> bytes:
        if text == b"die":
            os._exit(1)
        if text == b"import" and not (mark and _has_mark(mark)):
            raise ImportError
        return text.upper()

    parse_process.serve(requests, answers, niceness, answer)


def _has_mark(mark: str) -> bool:
    """Return whether there is a directory, and make it; a child cannot write files."""
    try:
        os.mkdir(mark)
    except FileExistsError:
        return True
    return False


def serve_other_version(_requests: Connection, answers: Connection, _niceness: int) -> None:
    answers.send_bytes(parse_process.READY + b"1")
    time.sleep(5 * HANG_SECONDS)
