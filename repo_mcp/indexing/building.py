"""The shards of one refresh: planned likeliest files first, handed to workers, and taken when they are done.

The order is that of the whole tree, so no file is given out before the tree has been walked. But processes
start as soon as there will be work for them, and if a walk takes more than PATIENCE_SECONDS, the files found
so far are given out. Until the walk has ended, progress reports a total of 0 files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from repo_mcp.indexing.likely_order import order_likely
from repo_mcp.indexing.refresh_inputs import RefreshHooks
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shard_pool import ShardPool
from repo_mcp.indexing.shards.shards import ShardPlanner, ShardResult, ShardTask
from repo_mcp.workspace.walked_files import SIZE_COLUMN, FileColumns, WalkedFiles

NOTED_FILES = 100  # the walk is looked at again after so many new files, a sixth of a shard of Linux
PATIENCE_SECONDS = 1.0  # Most time of a walk: twice what Linux needs; a first call waits two seconds in all


class Building:
    """The shards of one refresh, and the progress made on them."""

    def __init__(
        self,
        planner: ShardPlanner,
        pool: ShardPool,
        remaining: RemainingFiles,
        hooks: RefreshHooks,
        take: Callable[[ShardResult], None],
        between_shards: Callable[[], object] = lambda: None,
        *,
        is_in_order: bool = True,
    ) -> None:
        """`pool` gives out the `remaining` files.

        `take` is called with each finished shard, and progress is reported to `hooks`. Then `between_shards`
        is called, when nobody waits for the shard any more: it may be slow, and may call `take_done`. Unless
        `is_in_order`, files are given out in the order of the walk, because nearly all are the same as in a
        donor.
        """
        self._planner = planner
        self._pool = pool
        self._remaining = remaining
        self._hooks = hooks
        self._take = take
        self._between_shards = between_shards
        self._is_in_order = is_in_order
        self._gives_out_at = time.monotonic() + PATIENCE_SECONDS
        self._noted_files = self._noted_bytes = 0
        self._planned_files = self._planned_bytes = 0
        self._done_files = self._done_bytes = 0
        self._total_files = self._total_bytes = 0  # 0 until known

    def note(self, files: FileColumns) -> None:
        """Prepare for the files walked so far; more may follow. Raises as `finish` does."""
        if len(files.paths) - self._noted_files >= NOTED_FILES:
            self._noted_bytes += int(files.cut(self._noted_files).stats[:, SIZE_COLUMN].sum())
            self._noted_files = len(files.paths)
            if self._noted_bytes >= self._pool.fewest_shards * self._planner.shard_bytes:
                self._pool.start()
            if not self._is_in_order:
                self._plan(files.cut(self._planned_files))
        if time.monotonic() >= self._gives_out_at and self._pool.is_idle:
            self._plan(files.cut(self._planned_files))
        self.take_done()

    def take_done(self, has_room: Callable[[], bool] = lambda: True) -> None:
        """Take the finished shards while there is room, without waiting. Raises as `finish` does."""
        for result in self._pool.iter_done() if has_room() else ():
            self._finish_shard(result)
            if not has_room():
                break

    def finish(self, files: WalkedFiles) -> None:
        """Build the shards of all files, including those already given out; return when every shard is taken.

        Raises RepoError with CANCELLED, or INTERNAL when a worker died; OSError when a segment could not be
        written; and whatever `take` raises.
        """
        self._plan(files.cut(self._planned_files))
        self._give_out(self._planner.finish())
        self._total_files, self._total_bytes = self._planned_files, self._planned_bytes
        self._report_done()
        for result in self._pool.finish(self._hooks.cancelled):
            self._finish_shard(result)
        self._remaining.end()

    def _plan(self, files: WalkedFiles) -> None:
        self._planned_files += len(files)
        ordered = files.arrange(order_likely(files)) if self._is_in_order else files
        self._give_out(self._planner.take(ordered))

    def _give_out(self, tasks: Iterable[ShardTask]) -> None:
        for task in tasks:
            self._planned_bytes += task.bytes
            self._pool.add(task)

    def _finish_shard(self, result: ShardResult) -> None:
        self._take(result)
        self._remaining.note_committed(result.temporary)
        self._done_files += (
            len(result.indexed) + len(result.unchanged) + len(result.skipped) + len(result.gone)
        )
        self._done_bytes += result.bytes
        self._report_done()
        self._between_shards()

    def _report_done(self) -> None:
        self._hooks.report("index", self._done_files, self._total_files, self._done_bytes, self._total_bytes)
