"""Packs: one file with a whole index, for other machines and other users.

    8s magic | u16 version | u16 zero | u32 bytes of the table | packed table | the files, one after the other

The table is a dict: `signed`, and `files`, a list of [kind of index, name, bytes] for each file. Each kind
has a manifest of the first generation, its seal, and the segments that the manifest names. The seals are made
with a shared key; without one, with a key that everybody knows, and then they detect accidents only. A pair
of keys adds `signature` to the table: 64 bytes of Ed25519 over the BLAKE2b-512 of the version and `files`,
packed, and of every file except the segments, whose digests are in the seals.

A pack contains no path of the machine, no time and no file status, so equal indexes give equal packs.

A pack is read through `PackDirectory`, as a donor's directory is: its rows count only for files that are the
same here. Nothing in it is compressed, so it is never larger than it looks.

Left out on purpose: where packs lie and how they travel.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from typing import NoReturn

from index_format import (
    MANIFEST,
    CorruptIndex,
    Directory,
    DiskDirectory,
    IndexForeign,
    IndexFormatError,
    MakeTag,
    Manifest,
    ReadableFile,
    WritableFile,
    copy_manifest,
    new_file,
    pack,
    read_sealed_manifest,
    unpack,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import name_canonically
from repo_mcp.storage.pack_keys import PackKey

MAGIC = b"RMIX\x89PCK"
VERSION = 1
HEADER = struct.Struct("<8sHHI")
assert HEADER.size == 16
KINDS = ("index", "structure", "vectors")
MAX_TABLE_BYTES = 1 << 20  # room for a table of 10,000 files
MAX_FILES = 1_000_000  # most source files in an index of a pack
_SEGMENT_SUFFIX = ".seg"
_BLOCK_BYTES = 1 << 20
_OTHER_KEY = "was signed with another key, or changed since"
Rows = Sequence[tuple[str, str, int]]  # for each file: kind of index, name, bytes
_READ_ONLY = "a pack is never written to"


class PackFile:
    """One file in a pack, read at positions."""

    def __init__(self, name: str, whole: ReadableFile, start: int, size: int) -> None:
        self.name = name
        self.size = size
        self.identity: tuple[int, ...] = ()  # no identity, so the bytes are compared with the seal
        self._whole = whole
        self._start = start

    def read(self, offset: int, size: int) -> bytes:
        """Return exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        if offset < 0 or offset + size > self.size:
            raise CorruptIndex(f"{self.name}: {self.size} bytes, {offset + size} expected")
        return self._whole.read(self._start + offset, size)

    def close(self) -> None:
        """Do nothing: the pack stays open."""


class PackDirectory:
    """The files of one kind in a pack. Nothing can be changed in it."""

    def __init__(self, files: Mapping[str, PackFile], make_tag: MakeTag) -> None:
        self.make_tag: MakeTag | None = make_tag
        self._files = files

    def list_names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return sorted(self._files)

    def open(self, name: str) -> PackFile:
        """Open a file to read. Raises FileNotFoundError."""
        if name not in self._files:
            raise FileNotFoundError(errno.ENOENT, "no such file in the pack", name)
        return self._files[name]

    def identify(self, _name: str) -> tuple[int, ...]:
        """Return nothing: the files of a pack have no identity."""
        return ()

    def create(self, _name: str) -> WritableFile:
        """Raise OSError."""
        _refuse_change()

    def rename(self, _source: str, _target: str) -> None:
        """Raise OSError."""
        _refuse_change()

    def take(self, _name: str, _source: Directory, _copied: object = None) -> NoReturn:
        """Raise OSError."""
        _refuse_change()

    def delete(self, _name: str) -> None:
        """Raise OSError."""
        _refuse_change()

    def sync(self) -> None:
        """Raise OSError."""
        _refuse_change()

    def lock(self, _name: str) -> NoReturn:
        """Raise OSError."""
        _refuse_change()


@dataclass(frozen=True, slots=True)
class PackedIndex:
    """One kind of index in a pack. Its manifest has been compared with the seal, its segments have not."""

    kind: str
    directory: PackDirectory
    manifest: Manifest


ListPacked = Callable[[], Sequence[PackedIndex]]  # Lists a pack's indexes, which may be fetched first


def read_pack(path: str, key: PackKey) -> tuple[PackedIndex, ...]:
    """Return the indexes in a file, as `open_pack` does; also refuses one that cannot be read."""
    try:
        above, name = os.path.split(name_canonically(path))
        whole = DiskDirectory(above).open(name)
    except IndexFormatError as error:
        raise _refuse(f"is damaged ({error})") from None
    except (OSError, ValueError) as error:
        raise _refuse(f"cannot be read ({getattr(error, 'strerror', None) or 'it is not a path'})") from None
    return open_pack(whole, key)


def open_pack(whole: ReadableFile, key: PackKey) -> tuple[PackedIndex, ...]:
    """Return the indexes in a pack, the lexical one first. `key` is the key that signed it, or NO_KEY.

    Raises RepoError with CONFIG_INVALID, and an explanation, for a file that is not a pack, is truncated, of
    another version, or signed with another key. The bytes of the segments are compared with the seal by
    whoever takes them over.
    """
    try:
        files = _read_table(whole, key)
        found = [_open_kind(kind, files[kind], key) for kind in KINDS if kind in files]
    except IndexForeign:
        raise _refuse("was changed since it was made" if key.shared is None else _OTHER_KEY) from None
    except IndexFormatError as error:
        raise _refuse(f"is damaged ({error})") from None
    except OSError as error:
        raise _refuse(f"cannot be read ({error.strerror})") from None
    if not found or found[0].kind != KINDS[0]:
        raise _refuse("holds no index")
    return tuple(found)


def measure_pack(read: Callable[[int], bytes]) -> int:
    """Return the size of a pack in bytes; `read` returns its first bytes, at most as many as requested.

    Raises RepoError with CONFIG_INVALID for anything that cannot be a pack.
    """
    size = _measure_table(read(HEADER.size))
    table = read(size)
    if len(table) < size:
        raise _refuse("is cut short")
    try:
        rows, _, _ = _parse_table(table)
    except CorruptIndex as error:
        raise _refuse(f"is damaged ({error})") from None
    return HEADER.size + size + sum(count for _, _, count in rows)


@contextmanager
def create_pack(path: str) -> Iterator[WritableFile]:
    """Yield a file that appears at `path`, whole, only if the block succeeds. Raises OSError."""
    above, name = os.path.split(name_canonically(path))
    with new_file(DiskDirectory(above), name, f"{name}.tmp") as file:
        yield file


def write_pack(
    target: AbstractContextManager[WritableFile], indexes: Sequence[tuple[str, Directory]], key: PackKey
) -> int:
    """Write a pack of indexes, each given by its kind and its sealed directory, and return its bytes.

    Raises RepoError with CONFIG_INVALID for a key that cannot sign, with INDEX_UNAVAILABLE when an index is
    missing or damaged, or the file cannot be written.
    """
    key.check_signing()
    try:
        sources = [
            (kind, name, source)
            for kind, original in indexes
            for name, source in _list_sources(original, key.make_tagger(kind))
        ]
        rows = [(kind, name, _measure(source, name)) for kind, name, source in sources]
        signature = key.sign(_digest(rows, (source.open(name) for _, name, source in sources)))
        record: dict[str, object] = {"signed": key.is_given, "files": rows}
        table = pack({**record, "signature": signature} if signature else record)
        with target as file:
            file.write(HEADER.pack(MAGIC, VERSION, 0, len(table)) + table)
            for _, one, source in sources:
                _append(file, source, one)
    except (IndexFormatError, OSError) as error:
        reason = str(error) if isinstance(error, IndexFormatError) else error.strerror or type(error).__name__
        raise RepoError(
            ErrorCode.INDEX_UNAVAILABLE,
            f"The pack cannot be written ({reason}).",
            "Check the directory of the file and the space there; index again if the index is damaged.",
        ) from None
    return HEADER.size + len(table) + sum(size for _, _, size in rows)


def _read_table(whole: ReadableFile, key: PackKey) -> dict[str, dict[str, PackFile]]:
    """Return the files of each kind. Raises IndexFormatError, RepoError."""
    size = _measure_table(whole.read(0, min(HEADER.size, whole.size)))
    if HEADER.size + size > whole.size:
        raise _refuse("is cut short")
    rows, is_signed, signature = _parse_table(whole.read(HEADER.size, size))
    _check_scheme(key, is_signed, signature)
    files = _place(rows, whole, HEADER.size + size)
    if key.public is not None:
        named = (files[kind][name] for kind, name, _ in rows)
        if not key.is_signature(signature, _digest(rows, named)):
            raise _refuse(_OTHER_KEY)
    return files


def _measure_table(header: bytes) -> int:
    """Return the size in bytes of the table after a header. Raises RepoError."""
    if len(header) < HEADER.size:
        raise _refuse("is not a pack")
    magic, version, zero, size = HEADER.unpack(header)
    if magic != MAGIC or zero:
        raise _refuse("is not a pack")
    if version != VERSION:
        raise _refuse(f"is a pack of version {version}, and this program reads version {VERSION}")
    if size > MAX_TABLE_BYTES:
        raise _refuse("is cut short")
    return int(size)


def _parse_table(data: bytes) -> tuple[Rows, bool, bytes]:
    """Return the rows of a table, whether the pack is signed, and its signature. Raises as `_read_table`."""
    record = unpack(data, "table")
    try:
        rows = [(str(kind), str(name), int(count)) for kind, name, count in record["files"]]
        is_signed, signature = record["signed"] is True, record.get("signature", b"")
    except (TypeError, ValueError, KeyError, AttributeError):
        raise _refuse("has a table that cannot be read") from None
    if not isinstance(signature, bytes) or any(count < 0 for _, _, count in rows):
        raise _refuse("has a table that cannot be read")
    return rows, is_signed, signature


def _check_scheme(key: PackKey, is_signed: bool, signature: bytes) -> None:
    """Raise RepoError for a pack that is not signed with the kind of key that the user named."""
    if is_signed and not key.is_given:
        raise _refuse("is signed, and --pack-key names no key")
    if key.is_given and not is_signed:
        raise _refuse("is not signed with the key of --pack-key")
    if key.shared is not None and signature:
        raise _refuse("is signed with an Ed25519 key, and --pack-key names a shared key")
    if key.public is not None and not signature:
        raise _refuse("is signed with a shared key, and --pack-key names an Ed25519 key")


def _digest(rows: Rows, files: Iterable[ReadableFile]) -> bytes:
    """Return the digest that a pair of keys signs: of the table's rows and every file except segments."""
    digest = blake2b(pack([VERSION, rows]), person=b"repo-mcp-pack")
    for (_, name, _), file in zip(rows, files, strict=True):
        for block in () if name.endswith(_SEGMENT_SUFFIX) else _iter_blocks(file):
            digest.update(block)
    return digest.digest()


def _place(rows: Rows, whole: ReadableFile, start: int) -> dict[str, dict[str, PackFile]]:
    """Return where the files of each kind are, which must fill the pack. Raises RepoError."""
    files: dict[str, dict[str, PackFile]] = {}
    for kind, name, count in rows:
        of_kind = files.setdefault(kind, {})
        if kind not in KINDS or name in of_kind:
            raise _refuse("has a table that cannot be read")
        of_kind[name] = PackFile(name, whole, start, count)
        start += count
    if start != whole.size:
        raise _refuse("is cut short" if start > whole.size else "has bytes after its end")
    return files


def _open_kind(kind: str, files: Mapping[str, PackFile], key: PackKey) -> PackedIndex:
    """Return one index. Raises IndexFormatError, RepoError."""
    directory = PackDirectory(files, key.make_tagger(kind))
    manifest = read_sealed_manifest(directory)
    if manifest is None:
        raise _refuse("holds an index without a manifest")
    if sum(entry.files for entry in manifest.segments) > MAX_FILES:
        raise _refuse(f"has an index of more than {MAX_FILES:,} files")
    return PackedIndex(kind, directory, manifest)


def _list_sources(original: Directory, make_tag: MakeTag) -> list[tuple[str, Directory]]:
    """Return the files of one kind, each with its directory: the manifest, its seal, then the segments."""
    manifest, copy = copy_manifest(original, make_tag)
    written = sorted(copy.list_names(), key=lambda name: (name != MANIFEST, name))
    segments = sorted(entry.name for entry in manifest.segments)
    return [*((name, copy) for name in written), *((name, original) for name in segments)]


def _measure(directory: Directory, name: str) -> int:
    file = directory.open(name)
    try:
        return file.size
    finally:
        file.close()


def _append(target: WritableFile, directory: Directory, name: str) -> None:
    file = directory.open(name)
    try:
        for block in _iter_blocks(file):
            target.write(block)
    finally:
        file.close()


def _iter_blocks(file: ReadableFile) -> Iterator[bytes]:
    """Yield the bytes of a file, a block at a time."""
    for start in range(0, file.size, _BLOCK_BYTES):
        yield file.read(start, min(_BLOCK_BYTES, file.size - start))


def _refuse_change() -> NoReturn:
    raise OSError(errno.EROFS, _READ_ONLY)


def _refuse(what: str) -> RepoError:
    return _invalid("the pack", what, "Make a new one with repo-mcp index --pack FILE.")


def _invalid(subject: str, what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, f"{subject[:1].upper()}{subject[1:]} {what}.", hint)
