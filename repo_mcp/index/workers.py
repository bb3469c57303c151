"""Worker processes that build shards and encode merges: the only place that starts processes.

They are started anew (spawn), never forked: the server has threads. The interpreter is told not
to look for modules in the current directory, which may be the repository. A worker that dies ends
the refresh with an error; what was committed before stays. Workers read nothing from each other and
write nothing but new segment files, so one may be killed at any time.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from index_format import DiskDirectory, EncodedRun, Merge, SegmentEntry, open_segments
from repo_mcp.config import safe_child_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask

WAIT_SECONDS = 0.2  # between looks at `cancelled`
WINDOWS_AHEAD = 2  # for each worker: encoded windows that wait to be written take 6 MB each
MIN_WINDOWS = 4  # of a merge worth starting processes for, which takes a quarter of a second

T = TypeVar("T")
Cancelled = Callable[[], bool]
_builder: ShardBuilder | None = None  # of this worker process
_merge: Merge | None = None  # of this worker process


def build_shards(
    settings: BuildSettings, workers: int, cancelled: Cancelled, tasks: Sequence[ShardTask]
) -> Iterator[ShardResult]:
    """The result of each task as it comes: in order without workers, as they finish with them.

    With one task, or `workers` 0, no process is started. Raises CANCELLED, INTERNAL when a worker
    died, OSError when a segment could not be written.
    """
    if workers == 0 or len(tasks) <= 1:
        yield from _build_here(settings, cancelled, tasks)
        return
    with _start_pool(min(workers, len(tasks)), _start_builder, settings) as pool:
        pending = {pool.submit(_build, task) for task in tasks}
        while pending:
            done, pending = wait(pending, WAIT_SECONDS, FIRST_COMPLETED)
            _check(cancelled)
            for future in done:
                yield _get_result(future, cancelled)


def encode_windows(
    settings: BuildSettings, workers: int, cancelled: Cancelled, entries: Sequence[SegmentEntry], merge: Merge
) -> Iterator[EncodedRun]:
    """The windows of a merge of `entries`, in order. Raises as `build_shards` does, IndexFormatError."""
    windows = range(len(merge.windows))
    if workers == 0 or len(windows) < MIN_WINDOWS:
        for window in windows:
            _check(cancelled)
            yield merge.encode_window(window)
        return
    with _start_pool(workers, _start_merger, settings.index_path, tuple(entries)) as pool:
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
    """A pool whose processes are gone when the block ends, killed when it ends early."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), start, arguments)
    try:
        with safe_child_environment():
            for future in [pool.submit(_do_nothing) for _ in range(workers)]:
                future.cancel()  # each submission starts a process, here and now
        yield pool
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _get_result(future: Future[T], cancelled: Cancelled) -> T:
    try:
        while True:
            _check(cancelled)
            done, _ = wait([future], WAIT_SECONDS)
            if done:
                return future.result()
    except BrokenProcessPool as error:
        raise RepoError(
            ErrorCode.INTERNAL,
            "A worker process ended before its work was done.",
            "Start the refresh again; what was indexed so far is kept.",
        ) from error


def _check(cancelled: Cancelled) -> None:
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "What was indexed so far is kept.")


def _do_nothing() -> None:
    return None


def _start_builder(settings: BuildSettings) -> None:
    global _builder  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _builder = ShardBuilder(settings)


def _build(task: ShardTask) -> ShardResult:
    assert _builder is not None
    return _builder.build(task)


def _start_merger(index_path: str, entries: tuple[SegmentEntry, ...]) -> None:
    global _merge  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _merge = Merge(open_segments(DiskDirectory(index_path), entries, FIELDS))


def _encode(window: int) -> EncodedRun:
    assert _merge is not None
    return _merge.encode_window(window)
