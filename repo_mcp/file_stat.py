"""The metadata of a file: the only record that is needed before the tools are listed."""

from __future__ import annotations

from repo_mcp.record_classes import dataclass

GRANULARITY_NS = 2_000_000_000  # FAT's clock ticks every two seconds, the coarsest in use


@dataclass(frozen=True, slots=True)
class FileStat:
    """The file system's metadata of a file, by which changes are detected."""

    size: int  # bytes
    mtime_ns: int  # nanoseconds since the epoch
    ctime_ns: int  # nanoseconds since the epoch; 0 where the platform has none
    inode: int  # 0 where the platform has none
