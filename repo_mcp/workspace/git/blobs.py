"""Finds files with the same content in two checkouts from Git's records, without reading either.

Git's index gives each file's blob, and the size, times and inode that the file had when Git last compared it
with that blob. So a file whose blob is the same in two indexes has the same content in both checkouts, if
each of the two files still has the status that Git recorded, and the sizes agree. The caller compares the
status: here with a walk, there with the record of when the file was indexed.

As in Git, the record is not trusted for a file that changed when the index was written, or later: it could
have changed once more within the tick of the clock. Attributes can make two contents out of one blob. Line
ends change the size; filters and encodings need not, so that with one of them in either checkout nothing is
told.

Left out on purpose: attributes and filters that are configured outside the repository, for all of its
checkouts.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TypeVar

import numpy as np

from repo_mcp.arrays import I64
from repo_mcp.errors import RepoError
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace.git.index import INDEX, MAX_INDEX_BYTES, NotedFiles
from repo_mcp.workspace.git.index_entries import TrackedFiles, UnusableIndex, parse_files
from repo_mcp.workspace.git.places import find_git_places, read_git_file

Path = TypeVar("Path", str, bytes)
ReadBytes = Callable[[str], bytes]  # returns the bytes of a file of the root; raises RepoError
_ATTRIBUTES = b".gitattributes\0"
_MAX_ATTRIBUTES_BYTES = 1 << 20
_REWRITING = (b"filter", b"encoding")
_MTIME = 1  # column of the mtime in Git's status
_NEIGHBOURS = 64  # paths compared at once; each group with a difference costs a dictionary


@dataclass(frozen=True, slots=True)
class SharedBlobs:
    """Files that have one path and one blob in two checkouts, in path order, and what Git noted of each."""

    paths: list[str]
    ours: I64  # shape (files, 4), as in `TrackedFiles`
    theirs: I64


def find_shared_blobs(
    root: str, other: str, read: ReadBytes, noted: NotedFiles | None = None
) -> SharedBlobs | None:
    """Return the files that two checkouts share according to their Git indexes; None if these do not tell.

    `read` returns the bytes of a file of `root`; `noted` is what Git noted of `root`, if the caller has read
    it. Of `other`, only Git's own files are read.
    """
    noted = _read_noted(root) if noted is None else noted
    if noted is None:
        return None
    found = _read_noted(other, noted[0])
    if found is None:
        return None
    ours, theirs = _drop_young(noted), _drop_young(found)
    if ours.blobs.shape[1] != theirs.blobs.shape[1] or _may_be_rewritten(root, ours, theirs, read):
        return None
    there = find_rows(theirs.paths, ours.paths)
    here = np.flatnonzero(there >= 0)
    here = here[(ours.blobs[here] == theirs.blobs[there[here]]).all(axis=1)]
    try:
        paths = b"\0".join([ours.paths[position] for position in here.tolist()]).decode().split("\0")
    except UnicodeDecodeError:
        return None
    return SharedBlobs(paths, ours.stats[here], theirs.stats[there[here]]) if len(here) else None


def find_rows(paths: Sequence[Path], wanted: Sequence[Path]) -> I64:
    """Return the position in `paths` of each wanted path (int64), -1 for one that is not there.

    Both ascend. It is fast if most paths are in both, as with two checkouts: groups are compared at once.
    """
    rows = np.arange(len(wanted), dtype=np.int64)
    at = 0
    for start in range(0, len(wanted), _NEIGHBOURS):
        block = wanted[start : start + _NEIGHBOURS]
        stop = at + len(block)
        if paths[at:stop] == block:
            rows[start : start + len(block)] += at - start
        else:
            stop = bisect_right(paths, block[-1], at)
            positions = dict(zip(paths[at:stop], range(at, stop), strict=True))
            rows[start : start + len(block)] = list(map(positions.get, block, repeat(-1)))
        at = stop
    return rows


def _read_noted(root: str, alike: TrackedFiles | None = None) -> NotedFiles | None:
    """Return what Git noted of a checkout, and when; None if nothing. For `alike` see `parse_files`."""
    places = find_git_places(root)
    try:
        opened = None if places is None else read_git_file(places.git_dir, INDEX, MAX_INDEX_BYTES)
        return None if opened is None else (parse_files(opened[0], alike), opened[1].st_mtime_ns)
    except (OSError, UnusableIndex):
        return None


def _drop_young(noted: NotedFiles) -> TrackedFiles:
    """Return the noted files without those that changed when Git wrote its index, or later."""
    found, written = noted
    is_kept = found.stats[:, _MTIME] < written
    if is_kept.all():
        return found
    kept = np.flatnonzero(is_kept)
    return replace(
        found,
        paths=[found.paths[one] for one in kept.tolist()],
        stats=found.stats[kept],
        blobs=found.blobs[kept],
    )


def _may_be_rewritten(root: str, ours: TrackedFiles, theirs: TrackedFiles, read: ReadBytes) -> bool:
    """Return True unless both have the same attributes, and these rewrite no content but its line ends."""
    attributes = _list_attributes(ours)
    if attributes != _list_attributes(theirs):
        return True
    try:
        texts = [read(path.decode()) for path, _ in attributes]
        shared = _read_shared_attributes(root)
    except (RepoError, OSError, UnicodeDecodeError):
        return True
    return shared is None or any(word in text for text in (*texts, shared) for word in _REWRITING)


def _read_shared_attributes(root: str) -> bytes | None:
    """Return the attributes that all checkouts share, b"" without; None where they cannot be read."""
    places = find_git_places(root)
    if places is None:
        return None
    try:
        opened = read_git_file(os.path.join(places.common_dir, "info"), "attributes", _MAX_ATTRIBUTES_BYTES)
    except FileNotFoundError:
        return b""
    return None if opened is None else opened[0]


def _list_attributes(tracked: TrackedFiles) -> list[tuple[bytes, bytes]]:
    """Return the paths and the blobs of all files of attributes."""
    found = []
    text = b"\0".join([b"", *tracked.paths, b""])
    at = text.find(_ATTRIBUTES)
    while at >= 0:
        if text[at - 1] in b"/\0":
            row = text.count(b"\0", 0, at) - 1
            found.append((tracked.paths[row], tracked.blobs[row].tobytes()))
        at = text.find(_ATTRIBUTES, at + 1)
    return found
