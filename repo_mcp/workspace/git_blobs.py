"""Tells from what Git noted which files of two checkouts have the same content, without reading either.

Git's index gives each file's blob, and the size, times and inode that the file had when Git last compared it
with that blob. So a file whose blob is the same in two indexes has the same content in both checkouts, where
each of the two files still has the status that Git noted, and one size. Whoever asks compares the status:
here with a walk, there with what was seen when the file was indexed.

As in Git, what was noted is not believed of a file that changed when the index was written, or later: it
could have changed once more within the tick of the clock. Attributes can make two contents out of one blob.
Line ends change the size; filters and encodings need not, so that with one of them in either checkout nothing
is told.

Left out on purpose: attributes and filters that are configured outside the repository, for all of its
checkouts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from repo_mcp.errors import RepoError
from repo_mcp.workspace.git_index import (
    INDEX,
    MAX_INDEX_BYTES,
    TrackedFiles,
    UnusableIndex,
    parse_files,
)
from repo_mcp.workspace.git_places import find_git_places, read_git_file

I64 = npt.NDArray[np.int64]
Path = TypeVar("Path", str, bytes)
ReadBytes = Callable[[str], bytes]  # of a file of the root; raises RepoError
_ATTRIBUTES = b".gitattributes"
_MAX_ATTRIBUTES_BYTES = 1 << 20
_REWRITING = (b"filter", b"encoding")
_MTIME = 1  # column of the status


@dataclass(frozen=True, slots=True)
class SharedBlobs:
    """Files that have one path and one blob in two checkouts, in path order, and what Git noted of each."""

    paths: list[str]
    ours: I64  # (files, 4), as in `TrackedFiles`
    theirs: I64


def find_shared_blobs(root: str, other: str, read: ReadBytes) -> SharedBlobs | None:
    """Return what two checkouts share by their Git indexes; None where these do not tell.

    `read` gives the files of `root`. Of `other` nothing is read but what Git keeps of it.
    """
    ours, theirs = _read_tracked(root), _read_tracked(other)
    if ours is None or theirs is None:
        return None
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
    """Return the position of each wanted path among others (int64), -1 where it is not there."""
    if paths == wanted:  # as of two checkouts of one commit
        return np.arange(len(paths), dtype=np.int64)
    positions = dict(zip(paths, range(len(paths)), strict=True))
    return np.array(list(map(positions.get, wanted, repeat(-1))), dtype=np.int64)


def _read_tracked(root: str) -> TrackedFiles | None:
    """Return what Git noted of a checkout, without files that changed too late for it; None without."""
    places = find_git_places(root)
    try:
        opened = None if places is None else read_git_file(places.git_dir, INDEX, MAX_INDEX_BYTES)
        if opened is None:
            return None
        found, written = parse_files(opened[0]), opened[1].st_mtime_ns
    except (OSError, UnusableIndex):
        return None
    is_kept = found.stats[:, _MTIME] < written
    if is_kept.all():
        return found
    kept = np.flatnonzero(is_kept)
    return TrackedFiles([found.paths[one] for one in kept.tolist()], found.stats[kept], found.blobs[kept])


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
    return [
        (path, tracked.blobs[position].tobytes())
        for position, path in enumerate(tracked.paths)
        if path.endswith(_ATTRIBUTES) and path.rpartition(b"/")[2] == _ATTRIBUTES
    ]
