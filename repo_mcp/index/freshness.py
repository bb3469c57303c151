"""What the last refresh saw of each file, so that the next one need not read what did not change.

Side files beside the index, of this machine only, that may be deleted at any time: then every file
is read and compared by fingerprint once. A record counts only for the generation it names, with the same
segments, and where the directory's owner seals what he writes, only with his tag. It is in two
files: `seen` is a whole record, `seen.changes` what is otherwise since, bound to the bytes of the other; it
is written anew by each refresh until it is long, for a whole record of 80,000 files takes 80 ms. Paths and
numbers are compressed, the numbers with bytes of one weight together: 10 and 12 bytes a file, of 71.

A file is taken for unchanged when its size, times and inode are those recorded, unless it was
written so shortly before the scan that a later write could have left the same times (git's racy
index: https://git-scm.com/docs/racy-git). Such an entry is marked and read again the next time.
"""

from __future__ import annotations

import hmac
import zlib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from index_format import (
    CorruptIndex,
    Directory,
    SegmentEntry,
    compute_fingerprint,
    new_file,
    pack,
    unpack,
)
from repo_mcp.file_stat import GRANULARITY_NS
from repo_mcp.index.joined_paths import JoinedPaths, join_paths, split_paths
from repo_mcp.model import SkipReason, WalkedFile, WalkReport
from repo_mcp.walked_files import build_walked_files

SIDE_FILE = "seen"
CHANGES_FILE = "seen.changes"
TEMPORARY = "seen.tmp"
VERSION = 3
MAX_KEPT_FILES = 20_000
MAX_CHANGES = 2_000  # rows of the changes; then the whole record is written
MAX_SIDE_FILE_BYTES = 1 << 30
_PRINT_BYTES = 16
_LEVEL = 4  # of compression: 1 gives 12 % more and is slower to read, 6 takes twice as long for 1 % less
_STATS = 4  # columns of `SeenFiles.stats`
_REASONS: tuple[SkipReason | None, ...] = (None, *SkipReason)


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """Every file of one walk in path order, and what became of it."""

    generation: int
    taken_at: float  # seconds since the epoch, when the refresh was done
    paths: Sequence[str]
    stats: npt.NDArray[np.int64]  # one row a file: size, mtime_ns, ctime_ns, inode
    racy: npt.NDArray[np.bool_]
    reasons: npt.NDArray[np.uint8]  # place in _REASONS; 0 for an indexed file
    left_out: Mapping[str, int]  # what the walk left out, by reason
    complete: bool  # no directory was unreadable: what is not here was not there
    base: _Base | None = field(default=None, compare=False, repr=False)  # the whole record it comes from
    # What may be otherwise than in it; None when that is not known.
    touched: frozenset[str] | None = field(default=None, compare=False, repr=False)

    def get_skipped(self) -> dict[str, SkipReason]:
        """The files that are not indexed, and why."""
        return {
            self.paths[place]: reason
            for place in np.flatnonzero(self.reasons).tolist()
            if (reason := _REASONS[self.reasons[place]]) is not None
        }

    def renumber(self, generation: int) -> SeenFiles:
        """The same record for another generation that holds the same files."""
        return replace(self, generation=generation)

    def count_reasons(self) -> dict[str, int]:
        """Files not indexed and entries not walked, by reason."""
        counts = dict(self.left_out)
        for place, reason in enumerate(_REASONS):
            found = int(np.count_nonzero(self.reasons == place))
            if reason is not None and found:
                counts[reason.value] = found
        return counts


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """How the tree differs from what the last refresh saw."""

    present: tuple[str, ...]  # new, changed or perhaps changed, in path order
    missing: frozenset[str]  # gone, or left out by now
    too_large: int  # files that are not indexed for their size


def compare_tree(seen: SeenFiles, files: Sequence[WalkedFile]) -> ChangedFiles:
    """The files of a walk that are otherwise than recorded, or may be."""
    changed, missing = find_changed(seen, files, build_stats(files))
    return ChangedFiles(
        tuple(files[place].path for place in changed), frozenset(missing), _count_too_large(seen)
    )


def assume_unchanged(seen: SeenFiles) -> ChangedFiles:
    """The same right after the refresh that made the record: what only may have changed is racy."""
    racy = np.flatnonzero(seen.racy).tolist()
    return ChangedFiles(tuple(seen.paths[place] for place in racy), frozenset(), _count_too_large(seen))


def _count_too_large(seen: SeenFiles) -> int:
    return int(np.count_nonzero(seen.reasons == _REASONS.index(SkipReason.TOO_LARGE)))


@dataclass(frozen=True, slots=True)
class _Base:
    """A whole record as it is on disk."""

    print: bytes  # of its bytes
    seen: SeenFiles


@dataclass(frozen=True, slots=True)
class _Changes:
    """What is otherwise in a record than in its base."""

    removed: list[str]  # ascending
    rows: list[int]  # places in the record that are new or otherwise, ascending


def build_stats(files: Sequence[WalkedFile]) -> npt.NDArray[np.int64]:
    """The rows of `SeenFiles.stats` for files of a walk."""
    return build_walked_files(files).stats


def build_seen(
    generation: int,
    taken_at: float,
    scan_started_ns: int,
    report: WalkReport,
    stats: npt.NDArray[np.int64],
    skipped: Mapping[str, SkipReason],
    unsettled: frozenset[str],
    touched: frozenset[str] | None = None,
) -> SeenFiles:
    """The record of a finished refresh; `unsettled` files must be read again whatever their times say.

    `touched` is what may be otherwise than in the whole record on disk, if that is known.
    """
    paths = build_walked_files(report.files).paths
    racy: npt.NDArray[np.bool_] = np.any(stats[:, 1:3] >= scan_started_ns - GRANULARITY_NS, axis=1)
    reasons = np.zeros(len(paths), dtype=np.uint8)
    numbers = {reason: place for place, reason in enumerate(_REASONS)}
    for path, reason in skipped.items():
        if (skipped_place := find_place(paths, path)) is not None:
            reasons[skipped_place] = numbers[reason]
    for path in unsettled:
        if (unsettled_place := find_place(paths, path)) is not None:
            racy[unsettled_place] = True
    return SeenFiles(
        generation,
        taken_at,
        paths,
        stats,
        racy,
        reasons,
        report.skipped,
        complete=not report.unreadable,
        touched=touched,
    )


def find_place(paths: Sequence[str], path: str) -> int | None:
    """Where a path stands among ascending ones."""
    place = bisect_left(paths, path)
    return place if place < len(paths) and paths[place] == path else None


def is_as_seen(seen: SeenFiles, file: WalkedFile) -> bool:
    """True for a file that is taken for unchanged."""
    place = find_place(seen.paths, file.path)
    if place is None or seen.racy[place]:
        return False
    return bool((seen.stats[place] == build_stats((file,))[0]).all())


def find_changed(
    seen: SeenFiles | None, files: Sequence[WalkedFile], stats: npt.NDArray[np.int64]
) -> tuple[list[int], list[str]]:
    """(places in `files` that must be read, paths that are gone), in order.

    Without a record everything must be read and nothing is known to be gone.
    """
    if seen is None:
        return list(range(len(files))), []
    paths = build_walked_files(files).paths
    if seen.paths == paths:
        same = (stats == seen.stats).all(axis=1) & ~seen.racy
        return np.flatnonzero(~same).tolist(), []
    added, missing = _compare_paths(seen.paths, paths)
    old, new = _align(len(seen.paths), missing[0]), _align(len(paths), added[0])
    is_changed = np.ones(len(paths), dtype=np.bool_)
    is_changed[new] = (stats[new] != seen.stats[old]).any(axis=1) | seen.racy[old]
    return np.flatnonzero(is_changed).tolist(), missing[1]


def find_touched(
    seen: SeenFiles | None, changed: Iterable[str], missing: Iterable[str]
) -> frozenset[str] | None:
    """What may be otherwise than in the whole record on disk, once the files are read that `find_changed`
    found otherwise than in `seen`: nothing else is judged anew. None where that is not known.
    """
    if seen is None or seen.touched is None:
        return None
    return seen.touched.union(changed, missing)


_Found = tuple[list[int], list[str]]  # places and paths, ascending


def _compare_paths(before: Sequence[str], after: Sequence[str]) -> tuple[_Found, _Found]:
    """What is only in `after`, and what is only in `before`."""
    was, now = frozenset(before), frozenset(after)
    added, missing = sorted(now - was), sorted(was - now)
    return ([bisect_left(after, path) for path in added], added), (
        [bisect_left(before, path) for path in missing],
        missing,
    )


def _align(count: int, without: list[int]) -> npt.NDArray[np.int64]:
    """The places from 0 to `count`, but for some."""
    return np.delete(np.arange(count), without)


def count_changed(seen: SeenFiles, files: Sequence[WalkedFile]) -> int:
    """How many files are new, gone or otherwise than recorded; one that only may be counts as unchanged."""
    changed, missing = find_changed(replace(seen, racy=np.zeros_like(seen.racy)), files, build_stats(files))
    return len(changed) + len(missing)


def write_seen(
    directory: Directory,
    seen: SeenFiles,
    before: SeenFiles | None = None,
    segments: Sequence[SegmentEntry] = (),
) -> SeenFiles:
    """Replace the side files. Raises OSError, which costs no more than a slower next refresh.

    The record is of `segments`: a generation of other ones may have the same number.

    `before` is the record that was there, when it is known. Returns what `read_seen` would read now.
    """
    base = before.base if before is not None else None
    changes = _find_changes(base.seen, seen) if base is not None else None
    if base is None or changes is None:
        seen = replace(seen, base=None, touched=None)
        printed = _write(directory, SIDE_FILE, _encode(seen, seen.paths, slice(None), segments))
        return replace(seen, base=_Base(printed, seen), touched=frozenset())
    rows = _encode(seen, [seen.paths[place] for place in changes.rows], changes.rows, segments)
    more = {"base": base.print, "removed": join_paths(changes.removed)}
    _write(directory, CHANGES_FILE, rows | more)
    touched = frozenset([*changes.removed, *(seen.paths[place] for place in changes.rows)])
    return replace(seen, base=base, touched=touched)


def _encode(
    seen: SeenFiles, paths: Sequence[str], rows: slice | list[int], segments: Sequence[SegmentEntry]
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "generation": seen.generation,
        "segments": _print_segments(segments),
        "taken_at": seen.taken_at,
        "left_out": dict(seen.left_out),
        "complete": seen.complete,
        "paths": zlib.compress(join_paths(paths), _LEVEL),
        "stats": zlib.compress(_transpose(seen.stats[rows].astype("<i8")), _LEVEL),
        "racy": zlib.compress(np.packbits(seen.racy[rows]).tobytes(), _LEVEL),
        "reasons": zlib.compress(seen.reasons[rows].tobytes(), _LEVEL),
    }


def _transpose(stats: npt.NDArray[np.int64]) -> bytes:
    """The first byte of each row, then the second of each, ...: those at the upper end are all alike."""
    return stats.reshape(-1, _STATS).view(np.uint8).T.tobytes()


def _expand(data: bytes) -> bytes:
    """What was compressed. Raises ValueError, zlib.error for what cannot be, or is larger than may be."""
    expander = zlib.decompressobj()
    found = expander.decompress(data, MAX_SIDE_FILE_BYTES)
    if not expander.eof or expander.unused_data:
        raise ValueError("cut, or too large")
    return found


def _print_segments(segments: Sequence[SegmentEntry]) -> bytes:
    """Identifies the segments and their dead files, in any order."""
    rows = [[entry.name, np.array(entry.dead_files, dtype="<u4").tobytes()] for entry in segments]
    return compute_fingerprint(pack(sorted(rows)))


def _mark(directory: Directory, name: str, record: bytes) -> bytes:
    """What stands before a record: its owner's tag, or its fingerprint where he has none."""
    if directory.make_tag is None:
        return compute_fingerprint(record)
    return directory.make_tag(name.encode() + b"\n" + record)[:_PRINT_BYTES]


def _write(directory: Directory, name: str, fields: dict[str, Any]) -> bytes:
    """Returns the mark of what was written."""
    record = pack(fields)
    printed = _mark(directory, name, record)
    with new_file(directory, name, TEMPORARY) as file:
        file.write(printed)
        file.write(record)
    return printed


def _find_changes(base: SeenFiles, seen: SeenFiles) -> _Changes | None:
    """None when there are too many."""
    touched = seen.touched if seen.touched is not None else _find_touched(base, seen)
    if len(touched) > MAX_CHANGES:
        return None
    places = {path: find_place(seen.paths, path) for path in sorted(touched)}
    removed = [
        path for path, place in places.items() if place is None and find_place(base.paths, path) is not None
    ]
    return _Changes(removed, [place for place in places.values() if place is not None])


def _find_touched(base: SeenFiles, seen: SeenFiles) -> frozenset[str]:
    """The files that are otherwise in one than in the other."""
    added: _Found = ([], [])
    missing: _Found = ([], [])
    if base.paths != seen.paths:
        added, missing = _compare_paths(base.paths, seen.paths)
    old, new = _align(len(base.paths), missing[0]), _align(len(seen.paths), added[0])
    differs = (base.stats[old] != seen.stats[new]).any(axis=1)
    differs |= (base.racy[old] != seen.racy[new]) | (base.reasons[old] != seen.reasons[new])
    return frozenset([*added[1], *missing[1], *(seen.paths[place] for place in new[differs].tolist())])


def read_seen(
    directory: Directory, generation: int, segments: Sequence[SegmentEntry] = ()
) -> SeenFiles | None:
    """The record for a generation of these segments; None when there is none, or it is of another, damaged,
    or not the owner's.
    """
    try:
        whole = _read(directory, SIDE_FILE)
        if whole is None:
            return None
        base = _Base(whole[0], _build(whole[1]))
        wanted = _print_segments(segments)
        changes = _read(directory, CHANGES_FILE)
        if changes is not None and changes[1]["base"] == base.print:
            seen = _apply(base.seen, changes[1])
            if (seen.generation, changes[1]["segments"]) == (generation, wanted):
                removed, rows = changes[1]["removed"], _expand(changes[1]["paths"])
                touched = frozenset([*split_paths(removed), *split_paths(rows)])
                return replace(seen, base=base, touched=touched)
        is_that = (base.seen.generation, whole[1]["segments"]) == (generation, wanted)
        return replace(base.seen, base=base, touched=frozenset()) if is_that else None
    except (CorruptIndex, OSError, KeyError, TypeError, ValueError, IndexError, zlib.error):
        return None


class SeenRecord:
    """The record of one index as this process last read or wrote it. For whoever holds the writer.

    It counts for a generation of the same segments: an index that somebody deleted begins to count anew.
    That of a large tree is kept during a refresh alone: it takes 16 MB to keep for 80,000 files, and 20 ms
    to read anew.
    """

    def __init__(self) -> None:
        self._kept: tuple[SeenFiles, tuple[SegmentEntry, ...]] | None = None
        self._keeps_any = False

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep a record of any size inside. For whoever refreshes; there is one at a time."""
        self._keeps_any = True
        try:
            yield
        finally:
            self._keeps_any = False
            if self._kept is not None:
                self._keep(*self._kept)

    def read(
        self, directory: Directory, generation: int, segments: Sequence[SegmentEntry]
    ) -> SeenFiles | None:
        """As `read_seen`."""
        kept = self._kept
        if kept is not None and kept[0].generation == generation and kept[1] == tuple(segments):
            return kept[0]
        seen = read_seen(directory, generation, segments)
        self._keep(seen, segments)
        return seen

    def write(
        self,
        directory: Directory,
        seen: SeenFiles,
        before: SeenFiles | None,
        segments: Sequence[SegmentEntry],
    ) -> None:
        """As `write_seen`."""
        self._kept = None
        self._keep(write_seen(directory, seen, before, segments), segments)

    def _keep(self, seen: SeenFiles | None, segments: Sequence[SegmentEntry]) -> None:
        fits = seen is not None and (self._keeps_any or len(seen.paths) <= MAX_KEPT_FILES)
        self._kept = (seen, tuple(segments)) if seen is not None and fits else None


def _read(directory: Directory, name: str) -> tuple[bytes, Mapping[str, Any]] | None:
    """The mark and the fields of a side file; None when there is none that can be used."""
    try:
        file = directory.open(name)
    except (OSError, CorruptIndex):
        return None
    try:
        if not _PRINT_BYTES < file.size <= MAX_SIDE_FILE_BYTES:
            return None
        data = file.read(0, file.size)
    finally:
        file.close()
    if not hmac.compare_digest(_mark(directory, name, data[_PRINT_BYTES:]), data[:_PRINT_BYTES]):
        return None
    record = unpack(data[_PRINT_BYTES:], name)
    return (data[:_PRINT_BYTES], record) if record["version"] == VERSION else None


def _build(record: Mapping[str, Any]) -> SeenFiles:
    paths = JoinedPaths(_expand(record["paths"]))
    numbers = np.frombuffer(_expand(record["stats"]), dtype=np.uint8).reshape(8 * _STATS, len(paths))
    racy = np.frombuffer(_expand(record["racy"]), dtype=np.uint8)
    return SeenFiles(
        generation=int(record["generation"]),
        taken_at=float(record["taken_at"]),
        paths=paths,
        stats=np.ascontiguousarray(numbers.T).view("<i8").reshape(len(paths), _STATS),
        racy=np.unpackbits(racy, count=len(paths)).astype(np.bool_),
        reasons=np.frombuffer(_expand(record["reasons"]), dtype=np.uint8, count=len(paths)),
        left_out=dict(record["left_out"]),
        complete=bool(record["complete"]),
    )


def _apply(base: SeenFiles, record: Mapping[str, Any]) -> SeenFiles:
    """The record that comes from a base and its changes."""
    rows = _build(record)
    gone = [bisect_left(base.paths, path) for path in split_paths(record["removed"])]
    return replace(_renew(base, gone, rows), **_describe(rows))


def renew_seen(
    seen: SeenFiles,
    generation: int,
    taken_at: float,
    scan_started_ns: int,
    files: Sequence[WalkedFile],
    gone: Collection[str],
    skipped: Mapping[str, SkipReason],
    unsettled: frozenset[str],
) -> SeenFiles:
    """The record after a refresh of a few `files`, in path order; what a walk left out is as it was."""
    report = WalkReport(files, seen.left_out, () if seen.complete else ("",), ())
    stats = build_stats(files)
    rows = build_seen(generation, taken_at, scan_started_ns, report, stats, skipped, unsettled)
    places = sorted(place for path in gone if (place := find_place(seen.paths, path)) is not None)
    touched = None if seen.touched is None else seen.touched.union(gone, rows.paths)
    return replace(_renew(seen, places, rows), base=seen.base, touched=touched, **_describe(rows))


def _describe(seen: SeenFiles) -> dict[str, Any]:
    names = ("generation", "taken_at", "left_out", "complete")
    return {name: getattr(seen, name) for name in names}


def _renew(base: SeenFiles, gone: list[int], rows: SeenFiles) -> SeenFiles:
    """A record without the files at some places, and with `rows` new or in place of what was there."""
    paths: Sequence[str] = base.paths
    if gone:
        paths = list(paths)
        for place in reversed(gone):
            del paths[place]
    stats = np.delete(base.stats, gone, axis=0)
    racy, reasons = np.delete(base.racy, gone), np.delete(base.reasons, gone)
    known = [find_place(paths, path) for path in rows.paths]
    for row, known_place in enumerate(known):
        if known_place is not None:
            stats[known_place], racy[known_place] = rows.stats[row], rows.racy[row]
            reasons[known_place] = rows.reasons[row]
    new = [row for row, known_place in enumerate(known) if known_place is None]
    if new:
        where = [bisect_left(paths, rows.paths[row]) for row in new]
        paths = list(paths)
        for place, row in reversed(list(zip(where, new, strict=True))):
            paths.insert(place, rows.paths[row])
        stats = np.insert(stats, where, rows.stats[new], axis=0)
        racy = np.insert(racy, where, rows.racy[new])
        reasons = np.insert(reasons, where, rows.reasons[new])
    return replace(base, base=None, paths=paths, stats=stats, racy=racy, reasons=reasons)
