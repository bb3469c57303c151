"""Worker processes that build shards and encode merges.

They are started anew (spawn), never forked: the server has threads. The interpreter is told not
to look for modules in the current directory, which may be the repository. A worker that dies ends
the refresh with an error; what was committed before stays. Workers read nothing from each other and
write nothing but new segment files, so one may be killed at any time.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from index_format import DiskDirectory, EncodedRun, Merge, SegmentEntry, open_segments
from repo_mcp.config.server_config import safe_child_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask
from repo_mcp.process.allocator import keep_blocks
from repo_mcp.text.schema import FIELDS

WAIT_SECONDS = 0.2  # between looks at `cancelled`
WINDOWS_AHEAD = 2  # for each worker: encoded windows that wait to be written take 6 MB each
FEWEST = 2  # shards that processes are started for
MIN_WINDOWS = 4  # of a merge worth starting processes for, which takes a quarter of a second

T = TypeVar("T")
Cancelled = Callable[[], bool]
_builder: ShardBuilder | None = None  # of this worker process
_merge: Merge | None = None  # of this worker process


class ShardPool:
    """The processes that build shards. Use as a context manager."""

    def __init__(self, settings: BuildSettings, workers: int) -> None:
        """At most `workers`, and as many as the memory allows; 0: everything is done in this process."""
        self._settings = settings
        self._workers = settings.memory.count_builders(workers)
        self._processes = ExitStack()
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: list[ShardTask] = []  # for the processes to be started, or for there being none
        self._given = 0  # tasks whose results were not taken yet
        self._done: SimpleQueue[Future[ShardResult]] = SimpleQueue()

    def __enter__(self) -> ShardPool:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._processes.__exit__(*exception)

    def add(self, task: ShardTask) -> None:
        """Have a shard built. The processes start once there is one for each of them: each takes a quarter of
        a second, and one shard alone is built sooner without.

        Raises INTERNAL when a worker died.
        """
        self._waiting.append(task)
        if self._pool is not None or (self._workers and len(self._waiting) >= max(self._workers, FEWEST)):
            self._give_out()

    def iter_done(self) -> Iterator[ShardResult]:
        """What was done since the last call; waits for nothing. Raises as `finish` does."""
        while not self._done.empty():
            yield self._take(self._done.get())

    def finish(self, cancelled: Cancelled) -> Iterator[ShardResult]:
        """The results that were not given yet: in order without processes, else as they are done.

        At the end the processes are gone, and the memory they took. Raises CANCELLED, INTERNAL when a worker
        died, OSError when a segment could not be written.
        """
        if self._pool is not None or (self._workers and len(self._waiting) >= FEWEST):
            self._give_out()
        if self._pool is None:
            yield from _build_here(self._settings, cancelled, self._waiting)
            return
        while self._given:
            _check(cancelled)
            try:
                future = self._done.get(timeout=WAIT_SECONDS)
            except Empty:
                continue
            yield self._take(future)
        self._pool = None
        self._processes.close()

    def _give_out(self) -> None:
        """Give what waits to the processes."""
        if self._pool is None:
            workers = min(self._workers, len(self._waiting))
            pool = _start_pool(workers, _start_builder, self._settings)
            self._pool = self._processes.enter_context(pool)
        for task in self._waiting:
            self._pool.submit(_build, task).add_done_callback(self._done.put)
        self._given += len(self._waiting)
        self._waiting.clear()

    def _take(self, future: Future[ShardResult]) -> ShardResult:
        self._given -= 1
        return future.result()


def encode_windows(
    settings: BuildSettings,
    workers: int,
    files: int,
    cancelled: Cancelled,
    entries: Sequence[SegmentEntry],
    merge: Merge,
) -> Iterator[EncodedRun]:
    """The windows of a merge of `entries`, in order, cut as the settings' memory has them.

    `files` is how many all segments have: of each of them this process knows something.
    Raises as `ShardPool.finish` does, IndexFormatError.
    """
    windows = range(len(merge.windows))
    workers = settings.memory.count_mergers(workers, files, sum(entry.files for entry in entries))
    if workers == 0 or len(windows) < MIN_WINDOWS:
        for window in windows:
            _check(cancelled)
            yield merge.encode_window(window)
        return
    window_bytes = settings.memory.window_bytes
    with _start_pool(workers, _start_merger, settings.index_path, tuple(entries), window_bytes) as pool:
        coming: deque[Future[EncodedRun]] = deque()
        for window in windows:
            coming.append(pool.submit(_encode, window))
            if len(coming) > WINDOWS_AHEAD * workers:
                yield _get_result(coming.popleft(), cancelled)
        while coming:
            yield _get_result(coming.popleft(), cancelled)


def _build_here(
    settings: BuildSettings, cancelled: Cancelled, tasks: Sequence[ShardTask]
) -> Iterator[ShardResult]:
    builder = ShardBuilder(settings)
    try:
        for task in tasks:
            _check(cancelled)
            yield builder.build(task)
    finally:
        builder.close()


@contextmanager
def _start_pool(workers: int, start: Callable[..., None], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes are gone when the block ends, killed when it ends early.

    Raises INTERNAL when one of them died.
    """
    children: set[BaseProcess] = set()
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), start, arguments)
    try:
        with safe_child_environment():  # nobody else in this process starts any meanwhile
            before = set(multiprocessing.active_children())
            for future in [pool.submit(_do_nothing) for _ in range(workers)]:
                future.cancel()  # each submission starts a process, here and now
            children = set(multiprocessing.active_children()) - before
        yield pool
    except BaseException as error:
        for child in children:
            child.kill()
        if isinstance(error, BrokenProcessPool):  # by what is submitted to it, or by a result
            raise RepoError(
                ErrorCode.INTERNAL,
                "A worker process ended before its work was done.",
                "Start the refresh again; what was indexed so far is kept.",
            ) from error
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _get_result(future: Future[T], cancelled: Cancelled) -> T:
    while True:
        _check(cancelled)
        done, _ = wait([future], WAIT_SECONDS)
        if done:
            return future.result()


def _check(cancelled: Cancelled) -> None:
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "What was indexed so far is kept.")


def _do_nothing() -> None:
    return None


def _start_builder(settings: BuildSettings) -> None:
    global _builder  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    keep_blocks()
    gc.freeze()
    gc.disable()  # a shard has a quarter million spans and no cycles: looking for some took 3 %
    _builder = ShardBuilder(settings)


def _build(task: ShardTask) -> ShardResult:
    assert _builder is not None
    result = _builder.build(task)
    gc.collect()
    return result


def _start_merger(index_path: str, entries: tuple[SegmentEntry, ...], window_bytes: int) -> None:
    global _merge  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _merge = Merge(open_segments(DiskDirectory(index_path), entries, FIELDS), window_bytes)


def _encode(window: int) -> EncodedRun:
    assert _merge is not None
    return _merge.encode_window(window)
