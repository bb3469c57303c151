"""Worker processes that build shards: the only place that starts processes.

They are started anew (spawn), never forked: the server has threads. The interpreter is told not
to look for modules in the current directory, which may be the repository. A worker that dies ends
the build with an error; what was committed before stays.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from repo_mcp.config import safe_child_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask

WAIT_SECONDS = 0.2  # between looks at `cancelled`
_builder: ShardBuilder | None = None  # of this worker process


def build_shards(
    settings: BuildSettings, tasks: Sequence[ShardTask], workers: int, cancelled: Callable[[], bool]
) -> Iterator[ShardResult]:
    """The result of each task as it comes: in order without workers, as they finish with them.

    With one task, or `workers` 0, no process is started. Raises CANCELLED, INTERNAL when a worker
    died, OSError when a segment could not be written.
    """
    if workers == 0 or len(tasks) <= 1:
        yield from _build_here(settings, tasks, cancelled)
    else:
        yield from _build_in_processes(settings, tasks, workers, cancelled)


def _build_here(
    settings: BuildSettings, tasks: Sequence[ShardTask], cancelled: Callable[[], bool]
) -> Iterator[ShardResult]:
    builder = ShardBuilder(settings)
    try:
        for task in tasks:
            _check(cancelled)
            yield builder.build(task)
    finally:
        builder.close()


def _build_in_processes(
    settings: BuildSettings, tasks: Sequence[ShardTask], workers: int, cancelled: Callable[[], bool]
) -> Iterator[ShardResult]:
    context = multiprocessing.get_context("spawn")
    with safe_child_environment():
        pool = ProcessPoolExecutor(min(workers, len(tasks)), context, _start_worker, (settings,))
        pending = {pool.submit(_build, task) for task in tasks}
    try:
        while pending:
            done, pending = wait(pending, WAIT_SECONDS, FIRST_COMPLETED)
            _check(cancelled)
            for future in done:
                yield _get_result(future)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _get_result(future: Future[ShardResult]) -> ShardResult:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RepoError(
            ErrorCode.INTERNAL,
            "A worker process ended before its work was done.",
            "Start the refresh again; what was indexed so far is kept.",
        ) from error


def _check(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "What was indexed so far is kept.")


def _start_worker(settings: BuildSettings) -> None:
    global _builder  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _builder = ShardBuilder(settings)


def _build(task: ShardTask) -> ShardResult:
    assert _builder is not None
    return _builder.build(task)
