"""Builds one shard: some source files become one segment, or several.

Which files are in a shard depends on their order and sizes alone, never on the number of workers.
Worker processes run this, and so does the indexer itself when there is little to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from index_format import (
    Directory,
    DirectoryHolder,
    DiskDirectory,
    SegmentEntry,
    compute_fingerprint,
    write_segment,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.memory_budget import MemoryBudget
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import SkipReason
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.text.lines import decode_source, has_binary_extension
from repo_mcp.text.schema import FLAG_REPLACED
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.bounds import PRIVATE_KEY, RULES, Refusals
from repo_mcp.workspace.reader.opened_file import OpenedFile
from repo_mcp.workspace.reader.repository_reader import NO_REFUSALS, RepositoryReader, open_many
from repo_mcp.workspace.walked_files import MTIME_COLUMN, SIZE_COLUMN, WalkedFiles

if TYPE_CHECKING:
    from repo_mcp.indexing.shards.adapter_marks import Marker
    from repo_mcp.indexing.shards.segment_builder import SegmentBuilder, SourceFile

READ_FILES = 16  # files read in a row, so that neighbours share an opened directory: 32 MB at most
DEFAULT_MEMORY = MemoryBudget()
SHARD_BYTES = 8 * 1024 * 1024  # Bytes of source files in a shard; a larger one would be cut because of memory


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster, which the operator named, whose workers see the same tree."""

    scheduler: str  # address of the scheduler
    root: str | None = None  # path of the tree on the workers; None: the same as here


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The settings of a build, sent to worker processes."""

    root: str | HeldDirectory
    index_path: str | DirectoryHolder
    data_dir_parts: tuple[str, ...] | None
    chunk_lines: int
    overlap_lines: int
    max_file_bytes: int
    include_extensions: frozenset[str]
    languages: tuple[tuple[str, str], ...] = ()  # extension -> language, where it differs from the default
    adapters: tuple[InstalledAdapter, ...] = ()
    disabled_adapters: tuple[str, ...] = ()  # names of the adapters that are turned off
    shard_bytes: int = SHARD_BYTES
    memory: MemoryBudget = DEFAULT_MEMORY
    refusals: Refusals = NO_REFUSALS
    allow_paths: tuple[str, ...] = ()  # globs of denied names that the operator has served
    cluster: Cluster | None = None  # builds the shards; None: processes of this machine do


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Files to read, each with the fingerprint of its indexed version, and a name for the new segment."""

    temporary: str
    files: tuple[tuple[str, bytes | None], ...]  # (path, fingerprint of the indexed version), by path
    bytes: int  # total size of the files in the walk
    # Path -> size and mtime_ns in the walk; empty where they are not compared.
    stats: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The outcome for each file of a shard."""

    temporary: str  # temporary name of the task
    entries: tuple[SegmentEntry, ...]  # the new segments; none when no file is new or changed
    indexed: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: dict[str, SkipReason]
    gone: tuple[str, ...]  # files that are no longer there, or not regular files
    unsettled: tuple[str, ...]  # files that changed while they were read: indexed, but to be read again
    bytes: int


class ShardPlanner:
    """Cuts files, as they arrive, into shards of about `shard_bytes`."""

    def __init__(
        self,
        find_fingerprint: Callable[[str], bytes | None],
        reserve_temporary: Callable[[], str],
        shard_bytes: int,
        *,
        keeps_stats: bool = False,
    ) -> None:
        """`find_fingerprint` returns a file's indexed fingerprint; `reserve_temporary` names a shard.

        With `keeps_stats`, 200 bytes a file, what another machine saw can be compared with the walk.
        """
        self._find_fingerprint = find_fingerprint
        self._reserve_temporary = reserve_temporary
        self.shard_bytes = shard_bytes
        self._keeps_stats = keeps_stats
        self._files: list[tuple[str, bytes | None]] = []  # files of the shard that is being planned
        self._stats: dict[str, tuple[int, int]] = {}
        self._bytes = 0

    def take(self, files: WalkedFiles) -> Iterator[ShardTask]:
        """Add the next files and yield the shards that they fill."""
        stats = files.stats[:, [SIZE_COLUMN, MTIME_COLUMN]].tolist()
        for path, (file_bytes, mtime_ns) in zip(files.paths, stats, strict=True):
            self._files.append((path, self._find_fingerprint(path)))
            if self._keeps_stats:
                self._stats[path] = (file_bytes, mtime_ns)
            self._bytes += file_bytes
            if self._bytes >= self.shard_bytes:
                yield self._cut()

    def finish(self) -> Iterator[ShardTask]:
        """Yield the last shard, if any files are left for it."""
        if self._files:
            yield self._cut()

    def _cut(self) -> ShardTask:
        files = tuple(sorted(self._files))
        task = ShardTask(self._reserve_temporary(), files, self._bytes, self._stats)
        self._files, self._stats, self._bytes = [], {}, 0
        return task


_Read = tuple["SourceFile | None", bool]  # None: it is as indexed; whether it changed while it was read


@dataclass(slots=True)
class _Outcomes:
    """The outcome for each file of a shard that is being built."""

    indexed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: dict[str, SkipReason] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)

    def note(self, path: str, found: _Read | SkipReason | None) -> SourceFile | None:
        """Record what was found at a path. Return the file if it is to be indexed, else None."""
        if found is None:
            self.gone.append(path)
            return None
        if isinstance(found, SkipReason):
            self.skipped[path] = found
            return None
        source, changed_while_reading = found
        (self.unchanged if source is None else self.indexed).append(path)
        if changed_while_reading:
            self.unsettled.append(path)
        return source

    def finish(self, task: ShardTask, entries: Sequence[SegmentEntry]) -> ShardResult:
        """Return the result of the shard, whose segments are `entries`."""
        return ShardResult(
            task.temporary,
            tuple(entries),
            tuple(self.indexed),
            tuple(self.unchanged),
            self.skipped,
            tuple(self.gone),
            tuple(self.unsettled),
            task.bytes,
        )


class ShardBuilder:
    """Builds shards, one after the other, with one repository reader and one directory."""

    def __init__(
        self,
        settings: BuildSettings,
        directory: Directory | None = None,
        note_opened: Callable[[OpenedFile], None] = lambda _opened: None,
    ) -> None:
        """Segments go to `directory`, or else to the one of the settings; `note_opened` is called with each
        file that is read. Raises CONFIG_INVALID, OSError when the root cannot be opened.
        """
        policy = DenyPolicy(settings.allow_paths, settings.data_dir_parts)
        self._settings = settings
        self._languages = dict(settings.languages)
        self._reader = RepositoryReader(settings.root, policy.find_denial, settings.refusals)
        self._directory = DiskDirectory(settings.index_path) if directory is None else directory
        self._note_opened = note_opened
        self._marker = self._make_marker() if settings.adapters else None

    def _make_marker(self) -> Marker:
        from repo_mcp.indexing.shards.adapter_marks import Marker  # Imported late: few have an adapter

        return Marker(self._settings.adapters, self._settings.disabled_adapters, self._languages)

    def build(self, task: ShardTask) -> ShardResult:
        """Read, cut, analyse and write one shard, as several segments where its words take much memory.

        Raises OSError when a segment cannot be written.
        """
        outcomes = _Outcomes()
        entries: list[SegmentEntry] = []
        builder: SegmentBuilder | None = None
        for source in self._iter_sources(task, outcomes):
            if builder is not None and builder.weight >= self._settings.memory.segment_bytes:
                entries.append(self._write(builder, task, len(entries)))
                builder = None
            builder = self._start_segment() if builder is None else builder
            builder.add(source if self._marker is None else self._marker.mark(source))
        if builder is not None:
            entries.append(self._write(builder, task, len(entries)))
        return outcomes.finish(task, entries)

    def _iter_sources(self, task: ShardTask, outcomes: _Outcomes) -> Iterator[SourceFile]:
        """Yield the files of a shard that are new or changed, noting the outcome of each file."""
        for start in range(0, len(task.files), READ_FILES):
            group = task.files[start : start + READ_FILES]
            for (path, _), found in zip(group, self._read_group(group), strict=True):
                source = outcomes.note(path, found)
                if source is not None:
                    yield source

    def find_reason(self, path: str) -> SkipReason | None:
        """Return why a file is not even opened, or None."""
        if has_binary_extension(path):
            return SkipReason.BINARY
        if self._settings.include_extensions and not self._is_included(path):
            return SkipReason.EXCLUDED
        return None

    def find_reasons(self, paths: Sequence[str]) -> dict[str, SkipReason]:
        """Return why some files are not indexed, because of their contents or extensions."""
        found = self._read_group([(path, None) for path in paths])
        return {path: one for path, one in zip(paths, found, strict=True) if isinstance(one, SkipReason)}

    def are_true(self, files: Sequence[tuple[str, bytes | SkipReason | None]]) -> bool:
        """Return True when each file has this fingerprint, is skipped for this reason, or is gone (None)."""
        claims = [claim for _, claim in files]
        found = self._read_group(
            [(path, claim if isinstance(claim, bytes) else None) for path, claim in files]
        )
        return all(
            one[0] is None if isinstance(one, tuple) else one == claim
            for one, claim in zip(found, claims, strict=True)
        )

    def _start_segment(self) -> SegmentBuilder:
        build, _ = _load_documents()
        return build(self._settings.chunk_lines, self._settings.overlap_lines)

    def _write(self, builder: SegmentBuilder, task: ShardTask, number: int) -> SegmentEntry:
        return write_segment(self._directory, f"{task.temporary}-{number}", *builder.build())

    def _read_group(self, group: Sequence[tuple[str, bytes | None]]) -> list[_Read | SkipReason | None]:
        """Return for each file what was read, why it is skipped, or None if it is gone."""
        reasons = [self.find_reason(path) for path, _ in group]
        wanted = [one for one, reason in zip(group, reasons, strict=True) if reason is None]
        opened = open_many(self._reader, [path for path, _ in wanted], self._settings.max_file_bytes)
        found = iter([self._decode(one, known) for one, (_, known) in zip(opened, wanted, strict=True)])
        return [next(found) if reason is None else reason for reason in reasons]

    def _decode(self, opened: OpenedFile | RepoError, known: bytes | None) -> _Read | SkipReason | None:
        if isinstance(opened, RepoError):
            is_key = opened.details.get("rule") == RULES[PRIVATE_KEY]
            return SkipReason.PRIVATE_KEY if is_key else _SKIPS.get(opened.code)
        self._note_opened(opened)
        fingerprint = compute_fingerprint(opened.data)
        if fingerprint == known:  # the same bytes as in the index, so they are text
            return None, opened.changed_while_reading
        try:
            text = decode_source(opened.data)
        except RepoError as error:
            return _SKIPS.get(error.code)
        flags = FLAG_REPLACED if text.warnings else 0
        language = find_language(opened.path, self._languages)
        _, make_source = _load_documents()
        source = make_source(opened.path, text.data, len(opened.data), fingerprint, language, flags)
        return source, opened.changed_while_reading

    def _is_included(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return name.rpartition(".")[2].lower() in self._settings.include_extensions

    def close(self) -> None:
        """Close the repository reader, and end the process of installed adapters."""
        self._reader.close()
        if self._marker is not None:
            self._marker.close()


@cache
def _load_documents() -> tuple[type[SegmentBuilder], type[SourceFile]]:
    """Import what settings do not need, nor a refresh that finds nothing changed."""
    from repo_mcp.indexing.shards.segment_builder import SegmentBuilder, SourceFile

    return SegmentBuilder, SourceFile


_SKIPS = {
    ErrorCode.FILE_TOO_LARGE: SkipReason.TOO_LARGE,
    ErrorCode.BINARY_FILE: SkipReason.BINARY,
    ErrorCode.UNREADABLE: SkipReason.UNREADABLE,
}
