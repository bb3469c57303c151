"""What the last refresh saw of each file, so that the next one need not read what did not change.

A side file beside the index, of this machine only, that may be deleted at any time: then every file
is read and compared by fingerprint once. It counts only for the generation it names.

A file is taken for unchanged when its size, times and inode are those recorded, unless it was
written so shortly before the scan that a later write could have left the same times (git's racy
index: https://git-scm.com/docs/racy-git). Such an entry is marked and read again the next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from index_format import CorruptIndex, Directory, compute_fingerprint, new_file, pack, unpack
from repo_mcp.model import SkipReason, WalkedFile, WalkReport

SIDE_FILE = "seen"
TEMPORARY = "seen.tmp"
VERSION = 1
GRANULARITY_NS = 2_000_000_000  # FAT's clock ticks every two seconds, the coarsest in use
MAX_SIDE_FILE_BYTES = 1 << 30
_PRINT_BYTES = 16
_REASONS: tuple[SkipReason | None, ...] = (None, *SkipReason)
_SEPARATOR = "\0"


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


def build_stats(files: Sequence[WalkedFile]) -> npt.NDArray[np.int64]:
    """The rows of `SeenFiles.stats` for files of a walk."""
    rows = [(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode) for stat in (file.stat for file in files)]
    return np.array(rows, dtype=np.uint64).astype(np.int64).reshape(-1, 4)


def build_seen(
    generation: int,
    taken_at: float,
    scan_started_ns: int,
    report: WalkReport,
    stats: npt.NDArray[np.int64],
    skipped: Mapping[str, SkipReason],
    unsettled: frozenset[str],
) -> SeenFiles:
    """The record of a finished refresh; `unsettled` files must be read again whatever their times say."""
    paths = [file.path for file in report.files]
    racy: npt.NDArray[np.bool_] = np.any(stats[:, 1:3] >= scan_started_ns - GRANULARITY_NS, axis=1)
    reasons = np.zeros(len(paths), dtype=np.uint8)
    numbers = {reason: place for place, reason in enumerate(_REASONS)}
    if skipped or unsettled:
        for place, path in enumerate(paths):
            if path in skipped:
                reasons[place] = numbers[skipped[path]]
            if path in unsettled:
                racy[place] = True
    return SeenFiles(
        generation, taken_at, paths, stats, racy, reasons, report.skipped, complete=not report.unreadable
    )


def find_changed(
    seen: SeenFiles | None, files: Sequence[WalkedFile], stats: npt.NDArray[np.int64]
) -> tuple[list[int], list[str]]:
    """(places in `files` that must be read, paths that are gone), in order.

    Without a record everything must be read and nothing is known to be gone.
    """
    if seen is None:
        return list(range(len(files))), []
    paths = [file.path for file in files]
    if paths == seen.paths:
        same = (stats == seen.stats).all(axis=1) & ~seen.racy
        return np.flatnonzero(~same).tolist(), []
    places = {path: place for place, path in enumerate(seen.paths)}
    old = np.fromiter((places.pop(path, -1) for path in paths), dtype=np.int64, count=len(paths))
    if not len(seen.paths):
        return list(range(len(files))), []
    same = (old >= 0) & (stats == seen.stats[old]).all(axis=1) & ~seen.racy[old]
    return np.flatnonzero(~same).tolist(), list(places)


def count_changed(seen: SeenFiles, files: Sequence[WalkedFile]) -> int:
    """How many files are new, gone or otherwise than recorded; one that only may be counts as unchanged."""
    changed, missing = find_changed(replace(seen, racy=np.zeros_like(seen.racy)), files, build_stats(files))
    return len(changed) + len(missing)


def write_seen(directory: Directory, seen: SeenFiles) -> None:
    """Replace the side file. Raises OSError, which costs no more than a slower next refresh."""
    record = pack(
        {
            "version": VERSION,
            "generation": seen.generation,
            "taken_at": seen.taken_at,
            "left_out": dict(seen.left_out),
            "complete": seen.complete,
            "paths": _SEPARATOR.join(seen.paths).encode(),
            "stats": seen.stats.astype("<i8").tobytes(),
            "racy": np.packbits(seen.racy).tobytes(),
            "reasons": seen.reasons.tobytes(),
        }
    )
    with new_file(directory, SIDE_FILE, TEMPORARY) as file:
        file.write(compute_fingerprint(record))
        file.write(record)


def read_seen(directory: Directory, generation: int) -> SeenFiles | None:
    """The record for a generation; None when there is none, or it is of another, or damaged."""
    try:
        file = directory.open(SIDE_FILE)
    except (OSError, CorruptIndex):
        return None
    try:
        if not _PRINT_BYTES < file.size <= MAX_SIDE_FILE_BYTES:
            return None
        data = file.read(0, file.size)
        if compute_fingerprint(data[_PRINT_BYTES:]) != data[:_PRINT_BYTES]:
            return None
        record = unpack(data[_PRINT_BYTES:], SIDE_FILE)
        if record["version"] != VERSION or record["generation"] != generation:
            return None
        return _build(record)
    except (CorruptIndex, OSError, KeyError, TypeError, ValueError):
        return None
    finally:
        file.close()


def _build(record: Mapping[str, Any]) -> SeenFiles:
    text = record["paths"].decode()
    paths = text.split(_SEPARATOR) if text else []
    return SeenFiles(
        generation=int(record["generation"]),
        taken_at=float(record["taken_at"]),
        paths=paths,
        stats=np.frombuffer(record["stats"], dtype="<i8").reshape(len(paths), 4),
        racy=np.unpackbits(np.frombuffer(record["racy"], dtype=np.uint8), count=len(paths)).astype(np.bool_),
        reasons=np.frombuffer(record["reasons"], dtype=np.uint8, count=len(paths)),
        left_out=dict(record["left_out"]),
        complete=bool(record["complete"]),
    )
