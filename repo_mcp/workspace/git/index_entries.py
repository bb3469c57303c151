"""The bytes of a Git index: the paths that it tracks, and what it notes of each file. Pure.

The format is that of Git's `Documentation/gitformat-index.txt`, versions 2, 3 and 4:

    "DIRC" u32 version u32 count | entries, ascending by path | extensions | checksum of all before it
    entry: 40 bytes of status, object name (20 or 32 bytes), u16 flags, u16 more flags where bit 14 is set,
           then versions 2 and 3: path, 1 to 8 NUL up to a multiple of 8; version 4: number of bytes (a
           variable-length integer) to drop from the end of the last path, what follows them, NUL

The bytes may be hostile. An index that is damaged, or not whole by itself (a split or sparse one, or with
another extension that must be understood), is not used, and `UnusableIndex` says why.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from typing import TypeVar

import numpy as np

from repo_mcp.arrays import I64, U8, U32, Mask
from repo_mcp.record_classes import dataclass

MUCH_BYTES = 1 << 20  # bytes that Python's own SHA-1 digests in 8 ms
MAX_PATHS_BYTES = 64 * 1024 * 1024  # Bytes of all paths: version 4 repeats a long path in a few bytes
MAX_PATH_BYTES = 4_096
MAX_EXTENSIONS = 256  # Git has ten kinds
_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_STATUS_BYTES = 40
_ALIGNMENT = 8  # entries of versions 2 and 3 begin at multiples of this after the header
_DIGESTS = {20: "sha1", 32: "sha256"}  # algorithm by the length of an object name
_EXTENDED = 0x40  # more flags follow (in the upper byte of the flags)
_ANY_FLAG = 0xF0  # in the same byte: assumed unchanged, more flags, in conflict
_CTIME, _MTIME, _INODE, _MODE, _SIZE = 0, 2, 5, 6, 9  # words of the status
_FILE_MODES = (0o100644, 0o100755)
_OTHER_MODES = (0o120000, 0o160000)  # a link, a submodule
_LENGTH = 0xFFF  # in the flags: the length of the path in bytes, or this if it is longer
_HAS_MORE_FLAGS = 0x4000  # in the flags: more flags follow
STAT_BITS = np.array([0xFFFF_FFFF, -1, -1, 0xFFFF_FFFF])  # bits of a walked file's numbers that Git notes
_CUT_RUNS = 2_048  # runs cut at once: 100 KB of paths, whose positions stay in the processor's cache
_SPLIT, _SPARSE = b"link", b"sdir"
Built = TypeVar("Built")


class UnusableIndex(Exception):
    """The bytes are not an index that can be used. The message completes "it is"."""


@dataclass(frozen=True, slots=True)
class TrackedPaths:
    """The paths that Git tracks. About 50 bytes for each."""

    paths: bytes = b""  # ascending, each followed by NUL
    starts: array[int] = field(default_factory=lambda: array("I"))  # where each path begins
    fault: str = ""  # why an index that is there is not used

    def has_file(self, path: str) -> bool:
        """Return True when Git tracks a file of this path."""
        wanted = path.encode("utf-8", "surrogatepass")
        return self._find(wanted) == wanted

    def has_below(self, directory: str) -> bool:
        """Return True when Git tracks a file somewhere below a directory."""
        wanted = directory.encode("utf-8", "surrogatepass") + b"/"
        return self._find(wanted).startswith(wanted)

    def _find(self, wanted: bytes) -> bytes:
        """Return the first path that does not precede the wanted one; b"" where all do."""
        position = bisect_left(self.starts, wanted, key=self._read)
        return self._read(self.starts[position]) if position < len(self.starts) else b""

    def _read(self, start: int) -> bytes:
        return self.paths[start : self.paths.index(b"\0", start)]


@dataclass(frozen=True, slots=True)
class TrackedFiles:
    """Git's notes of the regular files that it tracks, without those in conflict or flagged."""

    paths: list[bytes]  # paths, ascending
    stats: I64  # (files, 4): size and inode modulo 2 ** 32, see `STAT_BITS`; mtime_ns, ctime_ns
    blobs: U8  # (files, 20 or 32): the object name of each content
    entries: _Entries  # entries of the index that has the files


def parse_index(data: bytes) -> TrackedPaths:
    """Return the paths in the bytes of an index. Raises UnusableIndex for any others."""
    return _parse(data, lambda entries: _join(entries.paths))


def parse_both(data: bytes) -> tuple[TrackedFiles, TrackedPaths]:
    """Return the files and the paths in the bytes of an index. Raises as `parse_index` does."""
    return _parse(data, lambda entries: (_build_files(entries), _join(entries.paths)))


def parse_files(data: bytes, alike: TrackedFiles | None = None) -> TrackedFiles:
    """Return the files in the bytes of an index. Raises as `parse_index` does.

    `alike` are the files of another checkout. Two checkouts of one commit have the same entries, except for
    status and object names; then the paths of `alike` are used, which halves the time.
    """
    return _parse(data, _build_files, None if alike is None else alike.entries)


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of an index: path and position of each."""

    data: bytes  # the index
    paths: list[bytes]
    starts: I64
    stop: int  # position after the last one
    digest_bytes: int


def _parse(data: bytes, build: Callable[[_Entries], Built], alike: _Entries | None = None) -> Built:
    """Return what `build` makes of the entries, which may be like others. Raises UnusableIndex."""
    if len(data) < _HEADER.size:
        raise UnusableIndex("damaged")
    magic, version, count = _HEADER.unpack_from(data)
    if magic != b"DIRC":
        raise UnusableIndex("damaged")
    if version not in (2, 3, 4):
        raise UnusableIndex(f"of the unknown version {version}")
    for size in _list_digest_sizes(data):
        try:
            return build(_read_entries(data, version, count, size, alike))
        except (ValueError, IndexError, struct.error):  # no NUL, or beyond the end
            continue
    raise UnusableIndex("damaged")


def _build_files(entries: _Entries) -> TrackedFiles:
    """Return the regular files among the entries."""
    width = _STATUS_BYTES + entries.digest_bytes + 2
    whole = np.frombuffer(entries.data, dtype=np.uint8)
    rows = np.lib.stride_tricks.sliding_window_view(whole, width)[entries.starts]
    words = np.ascontiguousarray(rows[:, :_STATUS_BYTES]).view(">u4")
    is_kept = (rows[:, -2] & _ANY_FLAG == 0) & _has_mode(words[:, _MODE], _FILE_MODES)
    paths = entries.paths
    if not is_kept.all():
        kept = np.flatnonzero(is_kept)
        paths, rows, words = [paths[one] for one in kept.tolist()], rows[kept], words[kept]
    stats = np.empty((len(paths), 4), dtype=np.int64)
    stats[:, 0], stats[:, 3] = words[:, _SIZE], words[:, _INODE]
    for column, seconds in ((1, _MTIME), (2, _CTIME)):
        stats[:, column] = words[:, seconds].astype(np.int64) * 1_000_000_000 + words[:, seconds + 1]
    return TrackedFiles(paths, stats, rows[:, _STATUS_BYTES : width - 2], entries)


def _has_mode(modes: U32, wanted: Sequence[int]) -> Mask:
    """Return which of some modes are among the wanted ones (bool)."""
    found: Mask = modes == wanted[0]
    for mode in wanted[1:]:
        found |= modes == mode
    return found


def _list_digest_sizes(data: bytes) -> tuple[int, ...]:
    """Return the possible lengths of the checksum and of object names, which are the same."""
    for size, algorithm in _DIGESTS.items():
        if data[-size:] == _digest(algorithm, memoryview(data)[:-size]):
            return (size,)
    return tuple(_DIGESTS) if data.endswith(bytes(20)) else ()  # zeros: written with index.skipHash


def _digest(algorithm: str, data: memoryview) -> bytes:
    """Return the checksum of data; of much by OpenSSL, which is ten times as fast and takes 3.5 MB."""
    if len(data) > MUCH_BYTES:
        with suppress(ImportError):
            import _hashlib  # hashlib may have been imported without it

            return _hashlib.new(algorithm, data, usedforsecurity=False).digest()
    return hashlib.new(algorithm, data, usedforsecurity=False).digest()


def _read_entries(
    data: bytes, version: int, count: int, digest_bytes: int, alike: _Entries | None
) -> _Entries:
    """Return the entries. Raises UnusableIndex, and ValueError, IndexError or struct.error for damage."""
    end = len(data) - digest_bytes
    fixed = _STATUS_BYTES + digest_bytes
    is_alike = alike is not None and version != 4 and data.startswith(alike.data[: _HEADER.size])
    entries = _read_alike(data, digest_bytes, alike) if alike is not None and is_alike else None
    if entries is None:
        found = None if version == 4 else _read_at_once(data, count, fixed, end)
        if found is None:
            read = _read_packed if version == 4 else _read_padded
            paths, positions, at = read(data, count, fixed, end)
            found = paths, np.array(positions, dtype=np.int64), at
        entries = _Entries(data, *found, digest_bytes)
    for name in _list_extensions(data, entries.stop, end):
        if not name[:1].isupper():  # must be understood
            raise UnusableIndex({_SPLIT: "split", _SPARSE: "sparse"}.get(name, "of an unknown kind"))
    if alike is None or entries.paths is not alike.paths:  # the order of the other's paths has been checked
        _check_order(entries.paths)
    return entries


def _read_alike(data: bytes, digest_bytes: int, other: _Entries) -> _Entries | None:
    """Return the entries if they are those of another index except for status and object names, else None.

    Then positions and paths are the same. Both indexes have the same version and number of entries, and are
    compared in words of 8 bytes: an entry begins at one of these.
    """
    if digest_bytes != other.digest_bytes or other.stop > len(data) - digest_bytes:
        return None
    span = (other.stop - _HEADER.size) // _ALIGNMENT
    ours, theirs = (np.frombuffer(one, "<u8", span, _HEADER.size) for one in (data, other.data))
    differs = ours != theirs
    firsts = (other.starts - _HEADER.size) // _ALIGNMENT
    words, rest = divmod(_STATUS_BYTES + digest_bytes, _ALIGNMENT)
    for word in range(words):
        differs[firsts + word] = False
    if rest:  # the bytes left of an object name; the flags follow
        last = firsts + words
        differs[last] = (ours[last] ^ theirs[last]) >> np.uint64(8 * rest) != 0
    if differs.any():
        return None
    return _Entries(data, other.paths, other.starts, other.stop, digest_bytes)


def _read_at_once(data: bytes, count: int, fixed: int, end: int) -> tuple[list[bytes], I64, int] | None:
    """Return what `_read_padded` does, in a third of the time; None if each entry must be read by itself.

    An entry is assumed wherever one may begin and a mode that Git knows follows. The assumption is then
    checked: the first entry is where it must be, and by the length of its path each ends where the next
    begins.
    """
    words = np.frombuffer(data, dtype=">u4", count=end // 4)[_HEADER.size // 4 :]
    flags = words[fixed // 4 :: 2] >> 16 if fixed % 4 == 0 else words[:0]
    found = np.flatnonzero(_has_mode(words[_MODE::2][: len(flags)], _FILE_MODES + _OTHER_MODES))[:count]
    flags = flags[found].astype(np.int64)
    lengths = flags & _LENGTH
    nexts = found + ((fixed + 2 + 8 + lengths) >> 3)
    if not count or len(found) < count or found[0] or (nexts[:-1] != found[1:]).any():
        return None
    starts = _HEADER.size + 8 * found
    stop = _HEADER.size + 8 * int(nexts[-1])
    if stop > end or (lengths == _LENGTH).any() or (flags & _HAS_MORE_FLAGS).any():
        return None
    whole = np.frombuffer(data, dtype=np.uint8)
    firsts = starts + fixed + 2
    if whole[firsts + lengths].any():
        return None
    paths = _cut(whole, firsts, lengths + 1)[:-1].split(b"\0")
    return (paths, starts, stop) if len(paths) == count else None


def _cut(whole: U8, firsts: I64, lengths: I64) -> bytes:
    """Return some runs of bytes, one after the other."""
    parts = []
    for start in range(0, len(firsts), _CUT_RUNS):
        sizes = lengths[start : start + _CUT_RUNS]
        ends = np.cumsum(sizes)
        at = np.repeat(firsts[start : start + _CUT_RUNS] - (ends - sizes), sizes)
        at += np.arange(len(at))
        parts.append(whole[at].tobytes())
    return b"".join(parts)


def _read_padded(data: bytes, count: int, fixed: int, end: int) -> tuple[list[bytes], list[int], int]:
    """Return the paths and positions of versions 2 and 3, and their end. Raises ValueError, IndexError."""
    paths, starts = [], []
    at = _HEADER.size
    find = data.index
    for _ in range(count):
        start = at + fixed + (4 if data[at + fixed] & _EXTENDED else 2)
        stop = find(b"\0", start, end)
        paths.append(data[start:stop])
        starts.append(at)
        at += (stop - at + 8) & ~7
    return paths, starts, at


def _read_packed(data: bytes, count: int, fixed: int, end: int) -> tuple[list[bytes], list[int], int]:
    """Return the paths and positions of version 4, and their end. Raises ValueError, IndexError."""
    paths, starts = [], []
    path = b""
    left = MAX_PATHS_BYTES
    at = _HEADER.size
    find = data.index
    for _ in range(count):
        starts.append(at)
        at += fixed + (4 if data[at + fixed] & _EXTENDED else 2)
        byte = data[at]
        dropped = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = data[at]
            dropped = ((dropped + 1) << 7) | (byte & 0x7F)
            if dropped > MAX_PATH_BYTES:
                raise ValueError
        stop = find(b"\0", at + 1, end)
        if dropped > len(path):
            raise ValueError
        path = path[: len(path) - dropped] + data[at + 1 : stop]
        left -= len(path) + 1
        if left < 0 or len(path) > MAX_PATH_BYTES:
            raise ValueError
        paths.append(path)
        at = stop + 1
    return paths, starts, at


def _list_extensions(data: bytes, at: int, end: int) -> list[bytes]:
    """Return the names of the extensions from a position on. Raises ValueError, struct.error."""
    found: list[bytes] = []
    while at != end:
        name, size = _EXTENSION.unpack_from(data, at)
        at += _EXTENSION.size + size
        if at > end or len(found) == MAX_EXTENSIONS:
            raise ValueError
        found.append(name)
    return found


def _join(paths: list[bytes]) -> TrackedPaths:
    """Return paths that ascend, for looking up."""
    lengths = np.fromiter(map(len, paths), dtype=np.uint32, count=len(paths)) + np.uint32(1)
    starts = np.cumsum(lengths, dtype=np.uint32) - lengths
    return TrackedPaths(b"\0".join([*paths, b""]), array("I", starts.tobytes()))


def _check_order(paths: list[bytes]) -> None:
    """Raise ValueError unless the paths ascend; one in conflict recurs."""
    if b"" in paths or paths != sorted(paths):
        raise ValueError
