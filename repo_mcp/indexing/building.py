"""The shards of one refresh: planned as files arrive, handed to workers, and taken when they are done.

In a full build the walk reports its files in path order while it goes on, and each shard is handed out as
soon as it is full; where shards begin does not depend on timing. The number of files is known only when
the walk has ended; until then progress reports a total of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repo_mcp.indexing.shards import ShardPlanner, ShardResult, ShardTask
from repo_mcp.indexing.workers import Cancelled, ShardPool
from repo_mcp.workspace.walked_files import FileColumns, WalkedFiles

NOTED_FILES = 100  # new files that are worth a planning step: a sixth of a shard of Linux

# files done, total files; bytes done, total bytes
Report = Callable[[int, int, int, int], None]


class Building:
    """The shards of one refresh, and the progress made on them."""

    def __init__(
        self,
        planner: ShardPlanner,
        pool: ShardPool,
        take: Callable[[ShardResult], None],
        report: Report,
        cancelled: Cancelled,
    ) -> None:
        """`take` is called with each finished shard, and `report` after it."""
        self._planner = planner
        self._pool = pool
        self._take = take
        self._report = report
        self._cancelled = cancelled
        self._planned_files = self._planned_bytes = 0
        self._done_files = self._done_bytes = 0
        self._total_files = self._total_bytes = 0  # 0 until known

    def note(self, files: FileColumns) -> None:
        """Plan the new ones among the files walked so far; more may follow. Raises as `finish` does."""
        if len(files.paths) - self._planned_files >= NOTED_FILES:
            self._plan(files.cut(self._planned_files))
        for result in self._pool.iter_done():
            self._finish_shard(result)

    def finish(self, files: WalkedFiles) -> None:
        """Build the shards of all files, including those already noted; return when every shard is taken.

        Raises RepoError with CANCELLED, or INTERNAL when a worker died; OSError when a segment could not be
        written; and whatever `take` raises.
        """
        self._plan(files.cut(self._planned_files))
        self._give_out(self._planner.finish())
        self._total_files, self._total_bytes = self._planned_files, self._planned_bytes
        self._tell()
        for result in self._pool.finish(self._cancelled):
            self._finish_shard(result)

    def _plan(self, files: WalkedFiles) -> None:
        self._planned_files += len(files)
        self._give_out(self._planner.take(files))

    def _give_out(self, tasks: Iterable[ShardTask]) -> None:
        for task in tasks:
            self._planned_bytes += task.bytes
            self._pool.add(task)

    def _finish_shard(self, result: ShardResult) -> None:
        self._take(result)
        self._done_files += (
            len(result.indexed) + len(result.unchanged) + len(result.skipped) + len(result.gone)
        )
        self._done_bytes += result.bytes
        self._tell()

    def _tell(self) -> None:
        self._report(self._done_files, self._total_files, self._done_bytes, self._total_bytes)
