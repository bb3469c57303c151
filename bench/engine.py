"""The parts of the engine that are timed separately, put together as the program does it.

The index lies in a directory that the caller names, never in the tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from index_format import DiskDirectory, Snapshot
from repo_mcp.config.server_config import Config
from repo_mcp.file_stat import GRANULARITY_NS
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.indexing.refresh_inputs import RefreshResources
from repo_mcp.indexing.shards.shards import SHARD_BYTES, BuildSettings
from repo_mcp.model import IndexProgress, WalkReport
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walked_files import FileColumns

CONFIGURATION = "bench"
MEGABYTE = 1e6
SETTLE_SECONDS = GRANULARITY_NS / 1e9 + 0.1  # after this a written file need not be read again


@dataclass(frozen=True, slots=True)
class Indexed:
    """A tree and its built index."""

    root: Path
    data_dir: Path  # as the program is given it
    index_path: Path  # the index in it
    files: int  # indexed
    text_bytes: int  # of those files
    index_bytes: int

    def describe(self) -> dict[str, float]:
        """Return the sizes that the table shows beside a time."""
        return {
            "files": self.files,
            "text_mb": round(self.text_bytes / MEGABYTE, 1),
            "index_mb": round(self.index_bytes / MEGABYTE, 1),
        }


class TimedWalk:
    """Walks a root, and records how long each walk took."""

    def __init__(self, root: Path) -> None:
        self.seconds: list[float] = []
        self._policy = DenyPolicy()
        self._reader = RepositoryReader(str(root), self._policy.find_denial)

    def __call__(
        self, cancelled: Callable[[], bool] = lambda: False, met: Callable[[FileColumns], None] | None = None
    ) -> WalkReport:
        """Return the files as they are now."""
        started = time.perf_counter()
        report = walk(self._reader, self._policy.find_denial, IgnoreRules(), cancelled=cancelled, met=met)
        self.seconds.append(time.perf_counter() - started)
        return report


class PhaseClock:
    """Follows the progress of one refresh, and measures how long each phase took."""

    def __init__(self) -> None:
        self._begins: dict[str, float] = {}
        self._end = 0.0

    def __call__(self, progress: IndexProgress) -> None:
        self._begins.setdefault(progress.phase, time.perf_counter())

    def stop(self) -> None:
        """Note that the refresh is done."""
        self._end = time.perf_counter()

    def get_seconds(self) -> dict[str, float]:
        """Return the seconds of each phase, the last one until `stop`."""
        ends = [*list(self._begins.values())[1:], self._end]
        return {
            f"{phase}_s": round(end - begin, 3)
            for (phase, begin), end in zip(self._begins.items(), ends, strict=True)
        }


def build_settings(root: Path, index_path: Path, shard_bytes: int = SHARD_BYTES) -> BuildSettings:
    """Return the settings of a worker, with the program's defaults."""
    config = Config(str(root))
    return BuildSettings(
        str(root),
        str(index_path),
        None,
        config.chunk_lines,
        config.chunk_overlap_lines,
        config.limits.max_file_bytes,
        frozenset(),
        shard_bytes=shard_bytes,
    )


def open_indexer(
    settings: BuildSettings, *, workers: int, walk: TimedWalk, configuration: str = CONFIGURATION
) -> Indexer:
    """Open the writing side of an index, creating it if needed. Without workers no process is started."""
    directory = DiskDirectory(settings.index_path, create=True)
    return Indexer(RefreshResources(directory, settings, workers), configuration, walk)


def open_snapshot(index_path: Path) -> Snapshot:
    """Open the committed generation."""
    snapshot = Snapshot.open(DiskDirectory(str(index_path)))
    assert snapshot is not None
    return snapshot


def open_searcher(index_path: Path) -> Searcher:
    """Open all that a new process must open before its first answer."""
    return Searcher(open_snapshot(index_path))


def measure_index(root: Path, data_dir: Path, index_path: Path) -> Indexed:
    """Return the sizes of an index, read from it."""
    snapshot = open_snapshot(index_path)
    tables = [(one.reader.read_file_table().sizes, one.live_file_mask) for one in snapshot.segments]
    text_bytes = sum(int(sizes[live].sum()) for sizes, live in tables)
    index_bytes = sum(one.entry.file_bytes for one in snapshot.segments)
    files = snapshot.file_count
    snapshot.close()
    return Indexed(root, data_dir, index_path, files, text_bytes, index_bytes)


def find_index_path(data_dir: Path) -> Path:
    """Return the one index in a data directory."""
    (found,) = data_dir.glob("index-v*")
    return found
