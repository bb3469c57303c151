"""Builds shards on the workers of a Dask cluster.

The thread that refreshes checks the replies of workers (`loop.py`) and writes the segments, so
nothing of a worker is in the directory of the index before it is checked. What the cluster does not build,
processes of this machine do. Segments are named by their content, so it does not matter who built one.

Left out on purpose: starting workers; merging on them, since a merge reads all segments and they are here;
installed adapters, which need processes of their own and would have to be the same everywhere.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from index_format import DiskDirectory, IndexFormatError, new_file
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.cluster.loop import (
    DEFAULT_TIMEOUTS,
    OPTION,
    ClusterLoop,
    ClusterTimeouts,
    GivenShard,
    Reply,
)
from repo_mcp.indexing.cluster.messages import Claims, OtherProgram, ReceivedShard, encode_task, read_reply
from repo_mcp.indexing.shards.shards import (
    READ_FILES,
    BuildSettings,
    Cluster,
    ShardBuilder,
    ShardResult,
    ShardTask,
)
from repo_mcp.indexing.shards.workers import SHARDS_AHEAD, Done, ProcessBuilders, start_builders
from repo_mcp.record_classes import dataclass

OTHER, DAMAGED = "another version of the program", "an incomplete reply"


@dataclass(frozen=True, slots=True)
class _Delivery:
    """A reply that the refreshing thread has to check. Implements `Outcome`."""

    reply: Reply
    settle: Callable[[Reply], ShardResult | None]

    def result(self) -> ShardResult | None:
        """Return the result; None when the shard is being built again."""
        return self.settle(self.reply)


def choose_cluster(scheduler: str | None, root: str | None) -> Cluster | None:
    """Return the cluster that the operator named, if any. Raises RepoError with CONFIG_INVALID."""
    if scheduler is None:
        if root is not None:
            raise _invalid("--scheduler-root needs --scheduler.", "Give the address of the scheduler, too.")
        return None
    if not scheduler.strip():
        raise _invalid(f"{OPTION} is empty.", "Give an address such as tcp://127.0.0.1:8786.")
    if importlib.util.find_spec("distributed") is None:
        raise _invalid(f"{OPTION} needs Dask.", "Install repo-mcp[distributed], here and for the workers.")
    return Cluster(scheduler, root)


@contextmanager
def open_cluster(
    settings: BuildSettings,
    cluster: Cluster,
    workers: int,
    done: Done,
    timeouts: ClusterTimeouts = DEFAULT_TIMEOUTS,
) -> Iterator[ClusterBuilders]:
    """Yield builders that use the workers of a cluster and put the outcomes of shards into `done`.

    At most `workers` processes build here what the cluster does not. Raises RepoError with CONFIG_INVALID
    when no scheduler answers, or installed adapters are in use; with INTERNAL when a process of ours died.
    """
    if settings.adapters:
        names = ", ".join(one.name for one in settings.adapters)
        raise _invalid(
            f"{OPTION} cannot be used with installed language adapters ({names}).",
            "Turn them off in repo_mcp.toml, or index without a cluster.",
        )
    with ExitStack() as opened:
        builders = ClusterBuilders(settings, workers, done, opened)
        loop = ClusterLoop(cluster.scheduler, timeouts, builders.deliver)
        builders.loop = loop
        opened.callback(loop.close)
        loop.connect()
        yield builders


class ClusterBuilders:
    """Builds shards on the workers of a cluster, or here if they cannot. See `Builders`."""

    loop: ClusterLoop

    def __init__(self, settings: BuildSettings, workers: int, done: Done, opened: ExitStack) -> None:
        self._settings = settings
        self._workers = workers
        self._done = done
        self._opened = opened
        self._directory = DiskDirectory(settings.index_path)
        self._reader: ShardBuilder | None = None  # Reads files whose status changed between walk and worker
        self._elsewhere: dict[str, ShardTask] = {}  # shards that workers are building, by temporary name
        self._here: ProcessBuilders | None = None
        self._built_here = 0

    @property
    def capacity(self) -> int:
        """Return the number of shards that can be given out before any is done."""
        return max(SHARDS_AHEAD * self._workers, self.loop.slots + 1)

    def add(self, task: ShardTask) -> None:
        """Give out a shard to be built. Raises RepoError with INTERNAL when a process of ours died."""
        self._elsewhere[task.temporary] = task
        if self.loop.are_running:
            self.loop.give(GivenShard(task, encode_task(self._settings, task)))
        else:
            self._build_here(task)

    def deliver(self, reply: Reply) -> None:
        """Pass on a reply, from any thread."""
        self._done.put(_Delivery(reply, self._settle))

    def _settle(self, reply: Reply) -> ShardResult | None:
        """Check a reply and write the segments, or have the shard built again."""
        if reply.shard is None:
            for task in list(self._elsewhere.values()):
                self._build_here(task)
            return None
        task = reply.shard.task
        if not reply.worker:
            self._build_here(task)
            return None
        try:
            received = read_reply(self._settings, task, reply.data, self._are_true)
        except IndexFormatError as fault:
            self.loop.refuse(reply.shard, reply.worker, OTHER if isinstance(fault, OtherProgram) else DAMAGED)
            return None
        self._write(task, received)
        del self._elsewhere[task.temporary]
        return received.result

    def list_warnings(self) -> list[str]:
        """Return one sentence about failures that did no harm, if there were any."""
        faults = self.loop.faults
        if not faults and not self._built_here:
            return []
        causes = ", ".join(f"{count} x {what}" for what, count in sorted(faults.items())) or "no worker"
        instead = f"{self._built_here:,} shards were built here" if self._built_here else "others built them"
        return [f"Workers of the cluster did not build all shards ({causes}): {instead} instead."]

    def _build_here(self, task: ShardTask) -> None:
        if self._elsewhere.pop(task.temporary, None) is None:
            return  # already being built here
        if self._here is None:
            self._here = self._opened.enter_context(start_builders(self._settings, self._workers, self._done))
        self._built_here += 1
        self._here.add(task)

    def _write(self, task: ShardTask, received: ReceivedShard) -> None:
        for number, (entry, data) in enumerate(zip(received.result.entries, received.segments, strict=True)):
            with new_file(self._directory, entry.name, f"{task.temporary}-{number}.tmp") as file:
                file.write(data)

    def _are_true(self, claims: Claims) -> bool:
        """Compare a worker's claims about some files with the files here."""
        if claims and self._reader is None:
            self._reader = ShardBuilder(self._settings)
            self._opened.callback(self._reader.close)
        return all(
            self._reader is not None and self._reader.are_true(claims[start : start + READ_FILES])
            for start in range(0, len(claims), READ_FILES)
        )


def _invalid(message: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, message, hint)
