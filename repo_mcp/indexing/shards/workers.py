"""Worker processes that build shards and encode merges.

They are spawned, never forked, because the server has threads. The interpreter is told not
to look for modules in the current directory, which may be the repository. A worker that dies at its work
ends the refresh with an error; what was committed before stays. Workers read nothing from each other and
write nothing but new segment files, so any of them may be killed at any time. They end with the process that
started them, however that ends.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from index_format import (
    DirectoryHolder,
    DiskDirectory,
    EncodedRun,
    IndexWriter,
    Merge,
    Merger,
    SegmentEntry,
    open_segments,
)
from repo_mcp.config.environment import safe_child_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask
from repo_mcp.process.allocator import give_back_blocks, keep_blocks
from repo_mcp.record_classes import replace
from repo_mcp.text.schema import FIELDS
from repo_mcp.threads import start_daemon

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

WAIT_SECONDS = 0.2  # time between two checks of `cancelled`
WINDOWS_AHEAD = 2  # windows given to each worker: one that waits to be written takes 6 MB
SHARDS_AHEAD = 2  # shards given to each worker: the one it builds, and the next, so that it need not wait
MIN_WINDOWS = 4  # a merge with fewer windows starts no processes, which takes a quarter of a second

# The segments of a merge: their directory, their entries, and the bytes of a window.
MergeSources = tuple[str | DirectoryHolder, tuple[SegmentEntry, ...], int]
HandOver = Callable[[int], AbstractContextManager["ProcessPoolExecutor"] | None]  # as `ShardPool.hand_over`
T = TypeVar("T")
Cancelled = Callable[[], bool]
_builder: ShardBuilder | None = None  # the builder of this worker process
_merge: tuple[Sequence[SegmentEntry], Merge] | None = None  # The merge that this process worked on last


class NoProcesses(Exception):
    """Raised where the system refuses worker processes, or a thread that they need. No process is left."""


class Outcome(Protocol):
    """The result of a shard that was given out."""

    def result(self) -> ShardResult | None:
        """Return the result; None when the shard is being built again, and comes later.

        Raises RepoError with INTERNAL when a worker died, OSError when a segment could not be written.
        """


Done = SimpleQueue[Outcome | None]  # None: somebody wants files


class Builders(Protocol):
    """The builders of shards, at work while this process does other things."""

    @property
    def capacity(self) -> int:
        """Return the number of shards that they can be given before they are done with any."""

    def add(self, task: ShardTask) -> None:
        """Have a shard built. Raises RepoError with INTERNAL when a worker died."""

    def list_warnings(self) -> list[str]:
        """Return warnings about failures that did no harm."""


class ProcessBuilders:
    """Processes of this machine that build shards. One that dies at its work ends the build."""

    def __init__(self, pool: ProcessPoolExecutor, workers: int, done: Done) -> None:
        self.pool = pool
        self.workers = workers
        self._done = done
        self.capacity = SHARDS_AHEAD * workers

    def add(self, task: ShardTask) -> None:
        """Have a shard built. See `Builders`."""
        self.pool.submit(_build, replace(task, stats={})).add_done_callback(self._done.put)

    def can_go_on(self) -> bool:
        """Return False if a process has died since the last shard: then none takes work any more."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            self.pool.submit(_do_nothing)
        except BrokenProcessPool:
            return False
        return True

    def list_warnings(self) -> list[str]:
        """Return nothing: any failure of a process of ours ends the build."""
        return []


@contextmanager
def start_builders(settings: BuildSettings, workers: int, done: Done) -> Iterator[ProcessBuilders]:
    """Yield processes that build shards and put their outcomes into `done`; they end with the block.

    Raises RepoError with INTERNAL when one of them died, and NoProcesses.
    """
    with _start_pool(workers, _start_builder, settings) as pool:
        yield ProcessBuilders(pool, workers, done)


def make_merger(
    writer: IndexWriter,
    settings: BuildSettings,
    workers: int,
    cancelled: Cancelled,
    hand_over: HandOver = lambda _workers: None,
    window_bytes: int | None = None,
) -> Merger:
    """Return what merges segments of a writer, with the help of processes if the memory budget allows.

    The processes that built the shards are used again if `hand_over` returns as many as are needed; otherwise
    new ones are started. The memory budget decides the size of windows, unless `window_bytes` is given.
    """
    files = sum(entry.files for entry in writer.segments)
    encode = partial(encode_merge, settings, workers, files, cancelled, hand_over)
    return Merger(writer, encode=encode, window_bytes=window_bytes or settings.memory.window_bytes)


def encode_merge(
    settings: BuildSettings,
    workers: int,
    files: int,
    cancelled: Cancelled,
    hand_over: HandOver,
    entries: Sequence[SegmentEntry],
    merge: Merge,
) -> Iterator[EncodedRun]:
    """Yield the encoded windows of a merge of `entries`, in order, sized as the memory budget allows.

    `files` counts the files of all segments, since this process holds data on each of them.
    Raises as `ShardPool.finish` does, and IndexFormatError.
    """
    windows = range(len(merge.windows))
    workers = settings.memory.count_mergers(workers, files, sum(entry.files for entry in entries))
    processes = hand_over(workers if len(windows) > 1 else 0)
    if processes is None and workers and len(windows) >= MIN_WINDOWS:
        processes = _start_pool(workers, _begin)
    with ExitStack() as opened:
        pool = None
        if processes is not None:
            with suppress(NoProcesses):
                pool = opened.enter_context(processes)
        if pool is None:
            for window in windows:
                check_cancelled(cancelled)
                yield merge.encode_window(window)
            return
        sources = settings.index_path, tuple(entries), merge.window_bytes
        coming: deque[Future[EncodedRun]] = deque()
        for window in windows:
            coming.append(pool.submit(_encode, sources, window))
            if len(coming) > WINDOWS_AHEAD * workers:
                yield _get_result(coming.popleft(), cancelled)
        while coming:
            yield _get_result(coming.popleft(), cancelled)


@contextmanager
def _start_pool(workers: int, start: Callable[..., None], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool whose processes are gone when the block ends, killed if it ends early.

    Raises RepoError with INTERNAL when one of them died, and NoProcesses.
    """
    import multiprocessing  # imported here, as a refresh that finds nothing new starts no process
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    children: set[BaseProcess] = set()
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), start, arguments)
    has_begun = is_refused = False
    try:
        with safe_child_environment():  # nothing else in this process starts children meanwhile
            before = set(multiprocessing.active_children())
            try:
                for future in [pool.submit(_do_nothing) for _ in range(workers)]:
                    future.cancel()  # each submission has already started a process
            finally:  # some may have started even if the next one is refused
                children = set(multiprocessing.active_children()) - before
        has_begun = True
        yield pool
    except BaseException as error:
        for child in children:
            child.kill()
        is_broken = isinstance(error, BrokenProcessPool)
        is_refused = not has_begun and not is_broken and isinstance(error, OSError | RuntimeError)
        if is_refused:
            for child in children:
                child.join()
            raise NoProcesses from error
        if is_broken:  # raised by a submission or by a result
            raise RepoError(
                ErrorCode.INTERNAL,
                "A worker process ended before its work was done.",
                "Refresh again; what was indexed so far is kept.",
            ) from error
        raise
    finally:
        pool.shutdown(wait=not is_refused, cancel_futures=True)


def _get_result(future: Future[T], cancelled: Cancelled) -> T:
    from concurrent.futures import wait

    while True:
        check_cancelled(cancelled)
        done, _ = wait([future], WAIT_SECONDS)
        if done:
            return future.result()


def check_cancelled(cancelled: Cancelled) -> None:
    """Raise RepoError with CANCELLED when the refresh is to stop."""
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "What was indexed so far is kept.")


def _do_nothing() -> None:
    return None


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    start_daemon(threading.Thread(target=_end_with_parent, name="parent watch"))


def _end_with_parent() -> None:
    """End this process when the one that started it has, even if that was killed.

    A pool's processes wait at a pipe whose other end each of them holds too, so none of them would notice.
    """
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _start_builder(settings: BuildSettings) -> None:
    global _builder  # noqa: PLW0603  (a process has one)
    _begin()
    keep_blocks()
    gc.freeze()
    gc.disable()  # a shard has a quarter million spans and no cycles: looking for cycles took 3 % of the time
    _builder = ShardBuilder(settings)


def _build(task: ShardTask) -> ShardResult:
    assert _builder is not None
    result = _builder.build(task)
    gc.collect()
    return result


def _encode(sources: MergeSources, window: int) -> EncodedRun:
    """Encode a window of a merge, whose sources stay open until others are given, or the process ends.

    A merge is identified by its segments: each window comes with its own holder of the directory.
    """
    global _merge  # noqa: PLW0603  (a process has one)
    index_path, entries, window_bytes = sources
    if _merge is None or _merge[0] != entries:
        give_back_blocks()
        _merge = entries, Merge(open_segments(DiskDirectory(index_path), entries, FIELDS), window_bytes)
    return _merge[1].encode_window(window)
