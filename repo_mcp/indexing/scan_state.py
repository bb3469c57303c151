"""The record of what the last refresh saw of each file, so that the next one skips unchanged files.

The record is kept in side files next to the index, valid on this machine only, that may be deleted at any
time: every file is then read and compared by fingerprint once. A record is valid only for the generation and
segments it names and, where the owner of the directory seals his files, only with his tag. There are two
files: `seen` is a whole record, in pages (scan_state_pages.py); `seen.changes` holds later differences and is
bound to the bytes of `seen`. Each refresh rewrites only the changes until they are many, because a whole
record of 80,000 files takes 80 ms. In memory a record stays packed as on disk: only pages that hold a file
that is looked up or differs are unpacked.

Left out on purpose: comparing a tree with the record (`repo_mcp.indexing.tree_changes`).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from index_format import CorruptIndex, Directory, SegmentEntry, compute_fingerprint, pack
from repo_mcp.arrays import I64, Mask
from repo_mcp.file_stat import GRANULARITY_NS
from repo_mcp.indexing.scan_state_pages import (
    BackgroundPages,
    SeenPages,
    build_pages,
    expand,
    find_place,
    join_paths,
    pack_text,
    split_paths,
)
from repo_mcp.indexing.side_files import read_mark, read_side_file, write_side_file
from repo_mcp.model import SkipReason, WalkedFile, WalkReport
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace.git.index_entries import STAT_BITS
from repo_mcp.workspace.walked_files import (
    COLUMNS,
    INODE_COLUMN,
    SIZE_COLUMN,
    WalkedFiles,
    build_walked_files,
)

SIDE_FILE = "seen"
CHANGES_FILE = "seen.changes"
VERSION = 4
MAX_CHANGES = 2_000  # with more changed files, the whole record is rewritten
_REASONS: tuple[SkipReason | None, ...] = (None, *SkipReason)
_NUMBERS = {reason: number for number, reason in enumerate(_REASONS)}
_TIMES = slice(1, 3)  # the columns with times in a file's row of numbers
_NO_NUMBERS = [-1] * COLUMNS  # Row of an unrecorded file; equals no other, as Git notes no time before 1970
_UNWRITTEN = b""


@dataclass(frozen=True, slots=True)
class SeenRow:
    """The record of one file."""

    numbers: list[int]  # size, mtime_ns, ctime_ns, inode
    is_racy: bool
    reason: SkipReason | None  # why the file is not indexed; None if it is


@dataclass(frozen=True, slots=True)
class RefreshEnd:
    """The end of a refresh: the generation that it committed, and its times."""

    generation: int
    started_ns: int  # when it began to walk, in nanoseconds since the epoch
    ended_at: float  # when it ended, in seconds since the epoch


@dataclass(frozen=True, slots=True)
class _Whole:
    """A whole record: one row per file in pages, and the exceptional files in three texts."""

    pages: SeenPages
    racy: bytes  # packed paths of the files that must be read again
    skipped: bytes  # packed paths of the files that are not indexed
    reasons: bytes  # for each path of `skipped`, the index of the reason in _REASONS
    mark: bytes = _UNWRITTEN  # mark of the side file that holds this record


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """Every file of one walk, and its outcome. Methods that read pages or texts raise CorruptIndex."""

    generation: int
    taken_at: float  # when the refresh ended, in seconds since the epoch
    left_out: Mapping[str, int]  # entries that the walk left out, by reason
    complete: bool  # no directory was unreadable, so an absent file did not exist
    whole: _Whole
    changes: Mapping[str, SeenRow | None]  # later rows than those of `whole`, by path; None: the file is gone
    origin: str = ""  # in words, the index that a first build began with; empty: none

    @property
    def whole_count(self) -> int:
        """Return the number of files in the whole record, without later changes."""
        return self.whole.pages.count

    def find(self, path: str) -> list[int] | None:
        """Return the size, times and inode of a file, or None. Raises CorruptIndex."""
        if path in self.changes:
            row = self.changes[path]
            return None if row is None else row.numbers
        return self.whole.pages.find(path)

    def find_racy(self) -> frozenset[str]:
        """Return the files that must be read again, whatever their time stamps."""
        racy = _read_text(self.whole.racy)
        kept = (path for path in racy if path not in self.changes)
        return frozenset([*kept, *(path for path, row in self.changes.items() if row and row.is_racy)])

    def get_skipped(self) -> dict[str, SkipReason]:
        """Return the files that are not indexed, by path, and why."""
        skipped = {
            path: reason
            for path, number in zip(_read_text(self.whole.skipped), self.whole.reasons, strict=True)
            if (reason := _REASONS[number]) is not None and path not in self.changes
        }
        more = {path: row.reason for path, row in self.changes.items() if row and row.reason is not None}
        return skipped | more

    def count_reasons(self) -> dict[str, int]:
        """Return the numbers of files not indexed and entries not walked, by reason."""
        found = Counter(self.get_skipped().values())
        return dict(self.left_out) | {reason.value: found[reason] for reason in SkipReason if found[reason]}

    def read_files(self) -> WalkedFiles:
        """Return all files, changes included, in path order. Raises CorruptIndex."""
        pages = [self.whole.pages.read(page) for page in range(len(self.whole.pages.packed))]
        later = {path: row.numbers for path, row in self.changes.items() if row is not None}
        paths = [*chain.from_iterable(page.paths for page in pages), *later]
        added = np.array(list(later.values()), dtype=np.int64).reshape(-1, COLUMNS)
        stats = np.concatenate([*(page.stats for page in pages), added])
        if self.changes:
            first_added = len(paths) - len(later)
            kept = [row for row, path in enumerate(paths) if row >= first_added or path not in self.changes]
            kept.sort(key=paths.__getitem__)
            paths, stats = [paths[row] for row in kept], stats[kept]
        return WalkedFiles(paths, stats)

    def find_noted(self, noted: WalkedFiles) -> tuple[Mask, I64]:
        """Return which of some files are recorded with the numbers noted for them, and their recorded sizes.

        These are a mask (bool) and a column (int64) with a row for each file. Only the bits that Git notes
        are compared (STAT_BITS). A page that holds exactly these files is not unpacked. Raises CorruptIndex.
        """
        pages, later = self.whole.pages, self.group_changes()
        edges = pages.cut(noted.paths)
        is_same, sizes = np.ones(len(noted), dtype=np.bool_), noted.stats[:, SIZE_COLUMN].copy()
        for page in sorted({*pages.find_other(noted, edges), *later}) if len(noted) else ():
            known = pages.read(page)
            rows = dict(zip(known.paths, known.stats.tolist(), strict=True))
            for path in later.get(page, ()):
                change = self.changes[path]
                rows[path] = _NO_NUMBERS if change is None else change.numbers
            span = slice(edges[page], edges[page + 1])
            found = np.array([rows.get(path, _NO_NUMBERS) for path in noted.paths[span]], dtype=np.int64)
            found = found.reshape(-1, COLUMNS)
            is_same[span] = ((found & STAT_BITS) == noted.stats[span]).all(axis=1)
            sizes[span] = found[:, SIZE_COLUMN]
        return is_same, sizes

    def group_changes(self) -> dict[int, list[str]]:
        """Return the changed paths by the page they belong to."""
        pages: dict[int, list[str]] = {}
        for path in self.changes:
            pages.setdefault(self.whole.pages.find_page(path), []).append(path)
        return pages


def find_inode(seen: SeenFiles | None, path: str) -> int | None:
    """Return the inode that a file had when it was last seen, or None."""
    numbers = seen.find(path) if seen is not None else None
    return numbers[INODE_COLUMN] if numbers is not None else None


def build_seen(
    end: RefreshEnd,
    report: WalkReport,
    skipped: Mapping[str, SkipReason],
    unsettled: frozenset[str],
    origin: str = "",
    background: BackgroundPages | None = None,
) -> SeenFiles:
    """Return the record of a finished refresh; `unsettled` files must be read again, whatever their times.

    `background` has the pages of the walk's files.
    """
    files = build_walked_files(report.files)
    recent = np.flatnonzero((files.stats[:, _TIMES] >= end.started_ns - GRANULARITY_NS).any(axis=1))
    racy = {*(files.paths[position] for position in recent.tolist()), *unsettled}
    whole = _build_whole(files, racy, skipped, build_pages(files) if background is None else background.get())
    complete = not report.unreadable
    return SeenFiles(end.generation, end.ended_at, report.skipped, complete, whole, {}, origin)


def _build_whole(
    files: WalkedFiles, racy: Collection[str], skipped: Mapping[str, SkipReason], pages: SeenPages
) -> _Whole:
    """Build a whole record; only those of `racy` and `skipped` that are among the files count."""
    known = [path for path in sorted(skipped) if find_place(files.paths, path) is not None]
    return _Whole(
        pages,
        pack_text(join_paths([path for path in sorted(racy) if find_place(files.paths, path) is not None])),
        pack_text(join_paths(known)),
        bytes(_NUMBERS[skipped[path]] for path in known),
    )


def renew_seen(
    seen: SeenFiles,
    end: RefreshEnd,
    files: Sequence[WalkedFile],
    gone: Collection[str],
    skipped: Mapping[str, SkipReason],
    unsettled: frozenset[str],
) -> SeenFiles:
    """Return the record after a refresh of some `files`, in path order; what a walk left out is unchanged."""
    changes: dict[str, SeenRow | None] = {**seen.changes, **dict.fromkeys(gone)}
    walked = build_walked_files(files)
    for path, numbers in zip(walked.paths, walked.stats.tolist(), strict=True):
        is_recent = max(numbers[_TIMES]) >= end.started_ns - GRANULARITY_NS
        changes[path] = SeenRow(numbers, is_recent or path in unsettled, skipped.get(path))
    return replace(seen, generation=end.generation, taken_at=end.ended_at, changes=changes)


def write_seen(directory: Directory, seen: SeenFiles, segments: Sequence[SegmentEntry] = ()) -> SeenFiles:
    """Write the record to the side files and return what `read_seen` would now read.

    Segments are recorded too: the generation of another index may have the same number. Raises OSError,
    which costs no more than a slower next refresh.
    """
    mark = seen.whole.mark
    if mark == _UNWRITTEN or len(seen.changes) > MAX_CHANGES or read_mark(directory, SIDE_FILE) != mark:
        if seen.changes:
            files = seen.read_files()
            whole = _build_whole(files, seen.find_racy(), seen.get_skipped(), build_pages(files))
            seen = replace(seen, whole=whole, changes={})
        fields = _describe(seen, segments) | _encode_whole(seen.whole)
        mark = write_side_file(directory, SIDE_FILE, VERSION, fields)
        return replace(seen, whole=replace(seen.whole, mark=mark))
    write_side_file(directory, CHANGES_FILE, VERSION, _describe(seen, segments) | _encode_changes(seen))
    return seen


def _describe(seen: SeenFiles, segments: Sequence[SegmentEntry]) -> dict[str, Any]:
    return {
        "generation": seen.generation,
        "segments": _print_segments(segments),
        "taken_at": seen.taken_at,
        "left_out": dict(seen.left_out),
        "complete": seen.complete,
        "origin": seen.origin,
    }


def _encode_whole(whole: _Whole) -> dict[str, Any]:
    pages = whole.pages
    return {
        "files": pages.count,
        "firsts": pack_text(join_paths(pages.firsts)),
        "prints": pages.prints,
        "pages": list(pages.packed),
        "racy": whole.racy,
        "skipped": whole.skipped,
        "reasons": whole.reasons,
    }


def _encode_changes(seen: SeenFiles) -> dict[str, Any]:
    rows = {path: row for path, row in sorted(seen.changes.items()) if row is not None}
    numbers = np.array([row.numbers for row in rows.values()], dtype="<i8")
    return {
        "base": seen.whole.mark,
        "gone": pack_text(join_paths(sorted(seen.changes.keys() - rows))),
        "paths": pack_text(join_paths(list(rows))),
        "numbers": pack_text(numbers.tobytes()),
        "racy": bytes(row.is_racy for row in rows.values()),
        "reasons": bytes(_NUMBERS[row.reason] for row in rows.values()),
    }


def _print_segments(segments: Sequence[SegmentEntry]) -> bytes:
    """Return a fingerprint of the segments and their dead files, in any order."""
    rows = [[entry.name, np.array(entry.dead_files, dtype="<u4").tobytes()] for entry in segments]
    return compute_fingerprint(pack(sorted(rows)))


def read_seen(
    directory: Directory, generation: int, segments: Sequence[SegmentEntry] = ()
) -> SeenFiles | None:
    """Return the record for a generation with these segments; None when there is no such record.

    A record that is damaged or not the owner's counts as none.
    """
    wanted = generation, _print_segments(segments)
    try:
        whole = read_side_file(directory, SIDE_FILE, VERSION)
        if whole is None:
            return None
        base = _build_read(whole[0], whole[1])
        changes = read_side_file(directory, CHANGES_FILE, VERSION)
        if changes is not None and changes[1]["base"] == whole[0] and _identify(changes[1]) == wanted:
            return _build(changes[1], base, _build_changes(changes[1]))
        return _build(whole[1], base, {}) if _identify(whole[1]) == wanted else None
    except (CorruptIndex, OSError, KeyError, TypeError, ValueError, IndexError, zlib.error):
        return None


def _identify(record: Mapping[str, Any]) -> tuple[int, bytes]:
    return record["generation"], record["segments"]


def _build_read(mark: bytes, record: Mapping[str, Any]) -> _Whole:
    """Build the whole record from the fields of a side file. Its pages stay packed."""
    firsts = split_paths(expand(record["firsts"])) or [""]
    pages = SeenPages(int(record["files"]), firsts, bytes(record["prints"]), list(record["pages"]))
    whole = _Whole(pages, record["racy"], record["skipped"], bytes(record["reasons"]), mark)
    _read_text(whole.racy)
    if len(_read_text(whole.skipped)) != len(whole.reasons) or max(whole.reasons, default=0) >= len(_REASONS):
        raise ValueError("not a reason for each file")
    return whole


def _build_changes(record: Mapping[str, Any]) -> dict[str, SeenRow | None]:
    changes: dict[str, SeenRow | None] = dict.fromkeys(_read_text(record["gone"]))
    paths = _read_text(record["paths"])
    numbers = np.frombuffer(expand(record["numbers"]), dtype="<i8").reshape(len(paths), COLUMNS).tolist()
    columns = (paths, numbers, record["racy"], record["reasons"])
    for path, row, is_racy, reason in zip(*columns, strict=True):
        changes[path] = SeenRow(row, bool(is_racy), _REASONS[reason])
    return changes


def _build(record: Mapping[str, Any], whole: _Whole, changes: Mapping[str, SeenRow | None]) -> SeenFiles:
    return SeenFiles(
        int(record["generation"]),
        float(record["taken_at"]),
        dict(record["left_out"]),
        bool(record["complete"]),
        whole,
        changes,
        str(record.get("origin", "")),
    )


def _read_text(data: bytes) -> list[str]:
    return split_paths(expand(data))


class SeenRecord:
    """The record of one index as this process last read or wrote it: a megabyte for 80,000 files.

    For the holder of the writer. It is valid for one generation with the same segments, since an index that
    somebody deleted starts counting anew.
    """

    def __init__(self) -> None:
        self._kept: tuple[SeenFiles, tuple[SegmentEntry, ...]] | None = None

    def read(
        self, directory: Directory, generation: int, segments: Sequence[SegmentEntry]
    ) -> SeenFiles | None:
        """Return the cached record, else read it. See `read_seen`."""
        kept = self._kept
        if kept is not None and kept[0].generation == generation and kept[1] == tuple(segments):
            return kept[0]
        seen = read_seen(directory, generation, segments)
        if seen is not None:
            self._kept = (seen, tuple(segments))
        return seen

    def write(self, directory: Directory, seen: SeenFiles, segments: Sequence[SegmentEntry]) -> None:
        """Write the record and cache it. See `write_seen`."""
        self._kept = None
        self._kept = (write_seen(directory, seen, segments), tuple(segments))
