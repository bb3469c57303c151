"""The manifest: which segments are live, which of their files are dead. Writing it is the commit.

    8s magic | u16 version | u16 zero | u32 bytes of the record | packed record | u64 xxh3_64 of all before

The record is a dict: generation, configuration, fields, segments. Each segment is listed once, with its
name, bytes, files, units, and its dead files, ascending, as u32 little-endian bytes.
A reader takes no lock: the file is replaced as a whole, so it finds the old manifest or the new one.
"""

from __future__ import annotations

import re
import struct
from errno import ENOENT
from operator import index
from types import MappingProxyType
from typing import Any

import numpy as np

from index_format.checksum import CHECKSUM_BYTES, compute_checksum
from index_format.directory import Directory, MakeTag, new_file
from index_format.errors import CorruptIndex, IndexForeign, IndexTooNew, IndexTooOld
from index_format.frame import OLDEST_VERSION, SUFFIX, VERSION
from index_format.memory_directory import MemoryDirectory
from index_format.packing import pack, unpack
from index_format.records import MAX_FIELDS, Field, Level, Manifest, SegmentEntry
from index_format.seals import Sealed, SealedFile, check_segment, read_seal, write_seal

MAGIC = b"RMIX\x89MAN"
HEADER = struct.Struct("<8sHHI")
assert HEADER.size == 16
MANIFEST = "manifest"
TEMPORARY = "manifest.tmp"
MAX_MANIFEST_BYTES = 128 * 1024 * 1024
MAX_COUNT = (1 << 63) - 1
SEGMENT_NAME = re.compile("[0-9a-f]{32}" + re.escape(SUFFIX))


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest."""
    record = pack(
        {
            "generation": manifest.generation,
            "configuration": manifest.configuration,
            "fields": [[field.name, int(field.level)] for field in manifest.fields],
            "segments": [
                [
                    entry.name,
                    entry.file_bytes,
                    entry.files,
                    entry.units,
                    np.array(entry.dead_files, dtype="<u4").tobytes(),
                ]
                for entry in manifest.segments
            ],
        }
    )
    data = HEADER.pack(MAGIC, VERSION, 0, len(record)) + record
    return data + struct.pack("<Q", compute_checksum(data))


def decode_manifest(data: bytes) -> Manifest:
    """Return the manifest that the bytes encode. Raises CorruptIndex, IndexTooOld, IndexTooNew."""
    if len(data) < HEADER.size + CHECKSUM_BYTES:
        least = HEADER.size + CHECKSUM_BYTES
        raise CorruptIndex(f"manifest: {len(data)} bytes, at least {least} expected")
    magic, version, zero, size = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise CorruptIndex(f"manifest: starts with {magic!r}, {MAGIC!r} expected")
    if version > VERSION:
        raise IndexTooNew(f"manifest: format version {version}, at most {VERSION} is known")
    if version < OLDEST_VERSION:
        raise IndexTooOld(f"manifest: format version {version}, at least {OLDEST_VERSION} is read")
    if zero or len(data) != HEADER.size + size + CHECKSUM_BYTES:
        raise CorruptIndex(f"manifest: {len(data)} bytes, {HEADER.size + size + CHECKSUM_BYTES} expected")
    if compute_checksum(data[:-CHECKSUM_BYTES]) != int.from_bytes(data[-CHECKSUM_BYTES:], "little"):
        raise CorruptIndex("manifest: has a wrong checksum")
    record = unpack(data[HEADER.size : HEADER.size + size], "manifest")
    try:
        return _build(record)
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndex(f"manifest: its record is malformed ({type(error).__name__})") from error


def _build(record: dict[str, Any]) -> Manifest:
    manifest = Manifest(
        generation=_check_count(record["generation"]),
        configuration=str(record["configuration"]),
        fields=tuple(Field(str(name), Level(level)) for name, level in record["fields"]),
        segments=tuple(_build_entry(*row) for row in record["segments"]),
    )
    names = {entry.name for entry in manifest.segments}
    if len(names) < len(manifest.segments) or len(manifest.fields) > MAX_FIELDS:
        raise ValueError
    return manifest


def _build_entry(name: str, file_bytes: int, files: int, units: int, dead: bytes) -> SegmentEntry:
    dead_files = np.frombuffer(dead, dtype="<u4").astype(np.int64)
    if len(dead_files) and ((np.diff(dead_files) < 1).any() or int(dead_files[-1]) >= files):
        raise ValueError
    if not SEGMENT_NAME.fullmatch(name):
        raise ValueError
    return SegmentEntry(
        name, _check_count(file_bytes), _check_count(files), _check_count(units), tuple(dead_files.tolist())
    )


def _check_count(value: object) -> int:
    """Return the value if it is a count. Raises TypeError, ValueError."""
    count = index(value)  # type: ignore[arg-type]
    if not 0 <= count <= MAX_COUNT:
        raise ValueError
    return count


def read_manifest(directory: Directory) -> Manifest | None:
    """Return the committed manifest; None when there is none yet.

    Does not check the seal: opening a snapshot or a writer does. Raises IndexFormatError, OSError.
    """
    data = read_manifest_bytes(directory)
    return None if data is None else decode_manifest(data)


def read_sealed_manifest(directory: Directory) -> Manifest | None:
    """Return the committed manifest if the directory's owner sealed it; None when there is none.

    Raises IndexForeign if the owner did not, or seals nothing; another IndexFormatError, OSError.
    """
    data = read_manifest_bytes(directory)
    if data is not None and read_seal(directory, data) is None:
        raise IndexForeign("manifest: nobody sealed it")
    return None if data is None else decode_manifest(data)


def copy_manifest(directory: Directory, make_tag: MakeTag) -> tuple[Manifest, MemoryDirectory]:
    """Return the committed manifest as another owner would have written it, and a directory that holds it.

    It is the first generation, and its seal, made with `make_tag`, says nothing about this machine: both
    depend on the content alone. No segment is copied. Raises IndexForeign as `read_sealed_manifest` does,
    CorruptIndex for a segment that was changed, FileNotFoundError without an index, OSError.
    """
    data = read_manifest_bytes(directory)
    if data is None:
        raise FileNotFoundError(ENOENT, "there is no index")
    sealed = read_seal(directory, data)
    if sealed is None:
        raise IndexForeign("manifest: nobody sealed it")
    manifest = decode_manifest(data)._replace(generation=1)
    checked: dict[str, SealedFile] = {}
    for entry in manifest.segments:
        file = directory.open(entry.name)
        try:
            checked[entry.name] = check_segment(file, sealed)._replace(identity=())
        finally:
            file.close()
    copy = MemoryDirectory(make_tag=make_tag)
    write_manifest(copy, manifest, checked)
    return manifest, copy


class ManifestReader:
    """Reads the committed manifest of a directory again only when its file has changed. Safe in any thread.

    A commit replaces the file by one with another inode and other times, so comparing these shows whether it
    is the one that was read. Opening a snapshot always reads the manifest and checks its seal."""

    def __init__(self) -> None:
        self._known: tuple[tuple[int, ...], Manifest] | None = None

    def read(self, directory: Directory) -> Manifest | None:
        """Return the committed manifest; None when there is none yet. Raises IndexFormatError, OSError.

        `directory` is the same place each time.
        """
        identity, known = directory.identify(MANIFEST), self._known
        if known is not None and known[0] == identity:
            return known[1]
        manifest = read_manifest(directory)
        # If the file was replaced in between, its identity is not this one, and it is read once more.
        self._known = (identity, manifest) if identity and manifest is not None else None
        return manifest


def read_manifest_bytes(directory: Directory) -> bytes | None:
    """Return the committed manifest undecoded; None when there is none yet. Raises CorruptIndex, OSError."""
    try:
        file = directory.open(MANIFEST)
    except FileNotFoundError:
        return None
    try:
        if file.size > MAX_MANIFEST_BYTES:
            raise CorruptIndex(f"manifest: {file.size} bytes, at most {MAX_MANIFEST_BYTES} expected")
        return file.read(0, file.size)
    finally:
        file.close()


def write_manifest(directory: Directory, manifest: Manifest, known: Sealed = MappingProxyType({})) -> Sealed:
    """Commit the manifest and return what was sealed. Its segments must have been synced and named before.

    `known` has the entries that were sealed already. Raises OSError, CorruptIndex.
    """
    data = encode_manifest(manifest)
    sealed = write_seal(directory, data, (entry.name for entry in manifest.segments), known)
    directory.sync()
    with new_file(directory, MANIFEST, TEMPORARY) as file:
        file.write(data)
    directory.sync()
    return sealed
