"""The files of a tree that differ, or may differ, from the record of the last refresh.

A file counts as unchanged when its size, times and inode equal those recorded, unless it was written so
shortly before the scan that a later write could have left the same times (git's racy index:
https://git-scm.com/docs/racy-git). Such a file is marked in the record and read again the next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from repo_mcp.indexing.scan_state import SeenFiles, SeenRow
from repo_mcp.indexing.scan_state_pages import find_place
from repo_mcp.model import SkipReason, WalkedFile
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.walked_files import WalkedFiles, build_walked_files


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The differences between the tree and what the last refresh saw."""

    present: tuple[str, ...]  # new, changed or perhaps changed, in path order
    missing: frozenset[str]  # paths that are gone or now left out
    too_large: tuple[str, ...]  # paths of files that are not indexed because of their size
    certain: int = 0  # number of files in `present` that are new or differ in size, times or inode
    age: float = 0.0  # age in seconds of the comparison when it was used; 0 if it was made for this call


def compare_tree(seen: SeenFiles, files: Sequence[WalkedFile]) -> ChangedFiles:
    """Return the files of a walk that differ, or may differ, from the record. Raises CorruptIndex."""
    changed, missing = find_changed(seen, files)
    present, racy = [files[position] for position in changed], seen.find_racy()
    certain = len(present) - _count_equal(seen, [file for file in present if file.path in racy])
    return ChangedFiles(
        tuple(file.path for file in present), frozenset(missing), _list_too_large(seen), certain
    )


def _count_equal(seen: SeenFiles, files: Sequence[WalkedFile]) -> int:
    """Return how many of the files are recorded with the same size, times and inode."""
    rows = build_walked_files(files).stats.tolist()
    return sum(seen.find(file.path) == numbers for file, numbers in zip(files, rows, strict=True))


def assume_unchanged(seen: SeenFiles) -> ChangedFiles:
    """Return the changes right after the refresh that made the record: only racy files may differ."""
    return ChangedFiles(tuple(sorted(seen.find_racy())), frozenset(), _list_too_large(seen))


def _list_too_large(seen: SeenFiles) -> tuple[str, ...]:
    skipped = seen.get_skipped().items()
    return tuple(path for path, reason in skipped if reason is SkipReason.TOO_LARGE)


def drop_unchanged(seen: SeenFiles, files: Sequence[WalkedFile]) -> list[WalkedFile]:
    """Return those of a few files that must be read. Raises CorruptIndex."""
    racy = seen.find_racy()
    rows = build_walked_files(files).stats.tolist()
    return [
        file
        for file, numbers in zip(files, rows, strict=True)
        if file.path in racy or seen.find(file.path) != numbers
    ]


def find_changed(seen: SeenFiles | None, files: Sequence[WalkedFile]) -> tuple[list[int], list[str]]:
    """Return (positions in `files` that must be read, paths that are gone), in order. Raises CorruptIndex.

    Without a record everything must be read and nothing is known to be gone.
    """
    if seen is None:
        return list(range(len(files))), []
    return _compare(seen, build_walked_files(files), seen.find_racy())


def count_changed(seen: SeenFiles, files: Sequence[WalkedFile]) -> int:
    """Return how many files are new, gone or changed; racy ones count as unchanged. Raises CorruptIndex."""
    changed, missing = _compare(seen, build_walked_files(files), frozenset())
    return len(changed) + len(missing)


def _compare(seen: SeenFiles, files: WalkedFiles, unsettled: frozenset[str]) -> tuple[list[int], list[str]]:
    """Return the positions of files that differ or are unsettled, and the paths that are gone, in order."""
    pages, later = seen.whole.pages, seen.group_changes()
    edges = pages.cut(files.paths)
    changed: list[int] = []
    missing: list[str] = []
    for page in sorted({*pages.find_other(files, edges), *later, *map(pages.find_page, unsettled)}):
        span = slice(edges[page], edges[page + 1])
        found = WalkedFiles(files.paths[span], files.stats[span])
        changes = {path: seen.changes[path] for path in later.get(page, ())}
        positions, gone = _compare_page(pages.read(page), changes, found)
        positions |= {
            position for path in unsettled if (position := find_place(found.paths, path)) is not None
        }
        changed += [edges[page] + position for position in sorted(positions)]
        missing += sorted(gone)
    return changed, missing


def _compare_page(
    known: WalkedFiles, changes: Mapping[str, SeenRow | None], found: WalkedFiles
) -> tuple[set[int], set[str]]:
    """Return the positions of files that differ from the page with its changes, and the paths gone."""
    if known.paths == found.paths:
        positions = set(np.flatnonzero((known.stats != found.stats).any(axis=1)).tolist())
        gone: set[str] = set()
    else:
        before = dict(zip(known.paths, known.stats.tolist(), strict=True))
        rows = zip(found.paths, found.stats.tolist(), strict=True)
        positions = {position for position, (path, row) in enumerate(rows) if before.pop(path, None) != row}
        gone = set(before)
    for path, change in changes.items():
        position = find_place(found.paths, path)
        if position is None:
            (gone.add if change is not None else gone.discard)(path)
        elif change is not None and change.numbers == found.stats[position].tolist():
            positions.discard(position)
        else:
            positions.add(position)
    return positions, gone
