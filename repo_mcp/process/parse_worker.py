"""The parent's side of the process that parses text of the repository. It is killed when it does not answer.

A parser of hostile text can take gigabytes, run for minutes or crash the interpreter, and none of that
can be caught. So a child process (`parse_process`) does the parsing. It is started (spawn) at the first
text, reused for the next ones, and limited by the system where possible. A watch kills it after WALL_SECONDS
in any case. A text that ends the child is put on the poison list (`poison`) and not tried again.

The two exchange length-prefixed frames of bytes on two pipes; see `parse_process`. Nothing that comes back is
unpickled. A child ends when its pipe is closed, because the parent is done or dead.

The program may be replaced while it runs. A child that cannot import what it needs is started once more after
a pause, and no text is blamed for it. One of another version is not used: its answers would differ from those
that are there.

For many texts there is `BatchParser`, whose child is given several texts at a time and answers all of them
at once. When it does not, each text is sent alone, which finds the one to blame.

The modules that start processes are imported with the first text: a server asked for no outline needs none.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from repo_mcp.config.environment import safe_child_environment
from repo_mcp.languages.adapter_tasks import identify
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.poison import PoisonList
from repo_mcp.threads import start_daemon

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

WALL_SECONDS = 10.0  # a text of 512 KiB takes 2 s at most; the rest is for loaded machines
START_SECONDS = 30.0
STARTS = 2  # attempts to start a process before parsing is given up
START_PAUSE_SECONDS = 1.0  # pause between attempts: replacing a package takes about as long
MAX_READY_BYTES = 64
MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_DEATHS = 20  # children in a row that ended without an answer: more are not the texts' fault
REPLACED = "The program was replaced by another version: restart it, because the old one is still running."


class _ChildHolder:
    """Holds at most one child, started when it is first needed, and again when it has ended."""

    def __init__(self, niceness: int, serve: Callable[..., None] | None) -> None:
        self._niceness = niceness
        self._serve = serve
        self._child: _Child | None = None
        self._closed = threading.Event()

    def _get_child(self) -> _Child:
        if self._child is not None and not self._child.process.is_alive():
            self._drop_child()
        for left in reversed(range(STARTS)):
            if self._child is not None or self._closed.is_set():
                break
            try:
                self._child = _start_child(self._niceness, self._serve)
            except (EOFError, OSError) as error:
                if not left or isinstance(error, TimeoutError) or self._closed.wait(START_PAUSE_SECONDS):
                    raise ParserFailed(ParserFault.UNAVAILABLE) from error
        if self._closed.is_set() or self._child is None:  # It may have been closed while the child started
            self._drop_child()
            raise ParserFailed(ParserFault.UNAVAILABLE)
        return self._child

    def _drop_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def stop(self) -> None:
        """End the child now, even while it parses. Any thread may call it; `parse` raises from now on."""
        self._closed.set()
        child = self._child
        if child is not None:
            child.kill()  # a thread that waits for its answer sees the pipe end


class ParseWorker(_ChildHolder):
    """Parses in at most one child. Calls from several threads take turns."""

    def __init__(
        self,
        *,
        wall_seconds: float = WALL_SECONDS,
        poison: PoisonList | None = None,
        serve: Callable[..., None] | None = None,
    ) -> None:
        """Start nothing yet. `serve` is run by the child instead of `parse_process.serve`."""
        super().__init__(0, serve)
        self._wall_seconds = wall_seconds
        self._lock = threading.Lock()
        self._poison = poison if poison is not None else PoisonList()

    def parse(self, task: str, text: bytes) -> bytes:
        """Return the task's answer for a text.

        Raises ParserFailed: DIED if the text ends a child, or has ended one before; UNAVAILABLE if parsing
        fails for a reason that is not the text.
        """
        with self._lock:
            poison = identify(task, text)
            if poison in self._poison:
                raise ParserFailed(ParserFault.DIED)
            child = self._get_child()
            try:
                (answer,), stays = child.ask([(task, text)], self._wall_seconds)
            except (EOFError, OSError, ImportError) as error:
                self._drop_child()
                if self._closed.is_set() or isinstance(error, ImportError):
                    raise ParserFailed(ParserFault.UNAVAILABLE) from error
                self._poison.add(poison)
                raise ParserFailed(ParserFault.DIED) from error
            if not stays:
                self._drop_child()
        return answer

    def close(self) -> None:
        """End the child, even while it parses; later calls raise ParserFailed."""
        self.stop()  # a thread that parses then releases the lock
        with self._lock:
            self._drop_child()


class BatchParser(_ChildHolder):
    """Parses in at most one child, for one thread. `stop` may be called from others."""

    def __init__(
        self,
        *,
        wall_seconds: float = WALL_SECONDS,
        niceness: int = 0,
        serve: Callable[..., None] | None = None,
    ) -> None:
        """Start nothing yet. `serve` is run by the child instead of `parse_process.serve`."""
        super().__init__(niceness, serve)
        self._wall_seconds = wall_seconds
        self._deaths = 0  # children that died in a row

    def start(self) -> None:
        """Start the child before its first text is there. A failure is left to `parse`."""
        with suppress(ParserFailed):
            self._get_child()

    def lower(self, niceness: int) -> None:
        """Lower the priority of the child, and of those after it, by `niceness`, where the system can."""
        self._niceness = niceness
        number = None if self._child is None else self._child.process.pid
        if number is not None and sys.platform != "win32":
            with suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, number, os.getpriority(os.PRIO_PROCESS, 0) + niceness)

    def parse(self, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        """Return the answer for each task and text; None for a text that ended the child.

        Raises ParserFailed when no process can be started or import what it needs, when children do nothing
        but end, and when closed.
        """
        answers = self._ask(requests) if requests else []
        if answers is not None:
            return [*answers]
        alone = [self._ask([request], alone=True) for request in requests]  # shows which of them was to blame
        return [None if one is None else one[0] for one in alone]

    def parse_foreign(self, task: str, text: bytes) -> bytes | None:
        """Return the answer of an installed adapter's code; None when the child ended, whatever the reason.

        Raises ParserFailed when no process can be started, and when closed.
        """
        answers = self._ask([(task, text)])
        self._deaths = 0  # deaths caused by foreign code say nothing about our own parsers
        return None if answers is None else answers[0]

    def _ask(self, requests: Sequence[tuple[str, bytes]], *, alone: bool = False) -> list[bytes] | None:
        """Return the answers of one child, or None when it ended.

        If a child that was given a text `alone` cannot import a parser, neither can any other: that is
        raised.
        """
        child = self._get_child()
        stays = False
        try:
            answers, stays = child.ask(requests, self._wall_seconds)
        except (EOFError, OSError, ImportError) as error:
            self._deaths += 1
            is_missing = alone and isinstance(error, ImportError)
            if self._closed.is_set() or is_missing or self._deaths > MAX_DEATHS:
                raise ParserFailed(ParserFault.UNAVAILABLE) from error
            return None
        finally:
            if not stays:
                self._drop_child()
        self._deaths = 0
        return answers

    def close(self) -> None:
        """End the child and release everything, in the thread that parsed."""
        self._closed.set()
        self._drop_child()


class _Watch:
    """Kills a process whose answer is overdue.

    Its thread lives as long as the process: starting one for each request would take as long as parsing a
    small text. A request wakes it only when it sleeps because nothing was due.
    """

    def __init__(self, process: SpawnProcess) -> None:
        self._process = process
        self._change = threading.Condition()
        self._due = math.inf  # when the answer is due (time.monotonic); infinite when none is awaited
        self._sleeps = False
        self._ended = False

    def start(self) -> bool:
        """Start the thread. Returns False when the system refuses it."""
        return start_daemon(threading.Thread(target=self._run, name="parse watch"))

    def begin(self, seconds: float) -> None:
        """Give the process this long, from now on."""
        with self._change:
            self._due = time.monotonic() + seconds
            if self._sleeps:
                self._change.notify()

    def pause(self) -> None:
        """Stop the clock: the answer has come, or is no longer awaited."""
        self._due = math.inf

    def end(self) -> None:
        """End the thread: the process is no longer needed."""
        with self._change:
            self._ended = True
            self._change.notify()

    def _run(self) -> None:
        with self._change:
            while not self._ended:
                left = self._due - time.monotonic()
                if left <= 0:
                    _kill(self._process)
                    self._due = left = math.inf
                self._sleeps = left == math.inf
                self._change.wait(None if self._sleeps else left)


def _kill(process: SpawnProcess) -> None:
    """Kill the process. Does nothing when it has ended."""
    with suppress(ValueError, OSError):  # closed by another thread in the meantime
        process.kill()


@dataclass(frozen=True, slots=True)
class _Child:
    """A started process with our ends of its pipes."""

    process: SpawnProcess
    requests: Connection
    answers: Connection
    watch: _Watch

    def ask(self, requests: Sequence[tuple[str, bytes]], wall_seconds: float) -> tuple[list[bytes], bool]:
        """Return the answers, and whether the child continues.

        Raises EOFError or OSError when the child ended, was killed for time, or sent a malformed answer, and
        ImportError when it could not import a parser.
        """
        from repo_mcp.process.parse_process import decode_answers, encode_requests

        self.watch.begin(wall_seconds)
        try:
            self.requests.send_bytes(encode_requests(requests))
            answers, stays = decode_answers(self.answers.recv_bytes(MAX_ANSWER_BYTES))
        except ValueError as error:
            raise EOFError from error
        finally:
            self.watch.pause()
        if len(answers) != len(requests):
            raise EOFError
        return answers, stays

    def kill(self) -> None:
        """Kill the process. Does nothing when it has ended."""
        _kill(self.process)

    def end(self) -> None:
        """Kill the process and release everything."""
        self.kill()
        self.watch.end()
        self.requests.close()
        self.answers.close()
        self.process.join()
        with suppress(ValueError):
            self.process.close()


def _start_child(niceness: int, run: Callable[..., None] | None) -> _Child:
    """Return a child that has reported ready.

    Raises EOFError or OSError when none can be started, TimeoutError when it does not report, and
    ParserFailed when it is of another version.
    """
    import multiprocessing

    from repo_mcp.process.parse_process import READY, serve

    context = multiprocessing.get_context("spawn")
    their_requests, requests = context.Pipe(duplex=False)
    answers, their_answers = context.Pipe(duplex=False)
    arguments: tuple[Any, ...] = (their_requests, their_answers, niceness)
    process = context.Process(target=run or serve, args=arguments, daemon=True)
    try:
        with safe_child_environment():
            process.start()
    finally:
        their_requests.close()
        their_answers.close()
        if process.pid is None:
            requests.close()
            answers.close()
    child = _Child(process, requests, answers, _Watch(process))
    try:
        if not child.watch.start():
            raise EOFError
        if not answers.poll(START_SECONDS):
            raise TimeoutError
        if answers.recv_bytes(MAX_READY_BYTES) != READY:
            raise ParserFailed(ParserFault.UNAVAILABLE, REPLACED)
    except (EOFError, OSError, ParserFailed):
        child.end()
        raise
    return child
