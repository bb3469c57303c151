"""The seal: a file beside the manifest that proves to an owner that its program wrote manifest and segments.

    8s magic | u16 version | u16 zero | u32 bytes of the record | packed record | 32s tag

The record is a dict. `manifest` is the BLAKE2b-256 of the manifest's bytes. `segments` holds each segment's
name, the BLAKE2b-256 of its bytes, and the identity of its file: inode, size, mtime and ctime. The tag is
computed by the owner's function from everything before it. This package has no key: a directory is given a
function, or none, and without one nothing is sealed and nothing is refused.

A seal is named after its manifest and never changed, so that renaming the manifest remains the only commit.
A segment whose file has the recorded identity is taken as the one that was sealed; any other file is hashed
whole. So the cost of opening grows only with the number of segments, unless the files were copied.

Left out on purpose: keys, and anything else that a tag is bound to; the owner's function decides that.
"""

from __future__ import annotations

import hmac
import struct
import threading
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from index_format.checksum import compute_name
from index_format.directory import Directory, ReadableFile, new_file
from index_format.errors import CorruptIndex, IndexForeign
from index_format.packing import pack, unpack

MAGIC = b"RMIX\x89SEA"
HEADER = struct.Struct("<8sHHI")
assert HEADER.size == 16
SEAL_VERSION = 1
SEAL_SUFFIX = ".seal"
TEMPORARY = "seal.tmp"
TAG_BYTES = 32
DIGEST_BYTES = 32
MAX_SEAL_BYTES = 16 * 1024 * 1024  # enough for 100,000 segments
_BLOCK_BYTES = 1 << 18
_BESIDE_BYTES = 1 << 21  # bytes digested in a thread before other threads get the interpreter


class SealedFile(NamedTuple):
    """A seal's entry for one segment."""

    digest: bytes  # BLAKE2b-256 of its bytes
    identity: tuple[int, ...]  # identity of its file; empty where files have none


Sealed = Mapping[str, SealedFile]  # segment name -> its entry


def name_seal(manifest: bytes) -> str:
    """Return the file name of the seal that belongs to a manifest of these bytes."""
    return compute_name(manifest) + SEAL_SUFFIX


def read_seal(directory: Directory, manifest: bytes) -> Sealed | None:
    """Return the content of a manifest's seal; None for a directory whose owner seals nothing.

    Raises IndexForeign when there is no seal, or it is not this owner's, or is of another manifest; OSError.
    """
    if directory.make_tag is None:
        return None
    data = _read(directory, name_seal(manifest))
    body, tag = data[:-TAG_BYTES], data[-TAG_BYTES:]
    if not hmac.compare_digest(directory.make_tag(body), tag):
        raise IndexForeign("manifest: its seal was made with another key, or for another index")
    try:
        record = unpack(body[HEADER.size :], "seal")
        if HEADER.unpack_from(body)[:2] != (MAGIC, SEAL_VERSION) or record["manifest"] != _digest(manifest):
            raise IndexForeign("manifest: its seal belongs to another manifest")
        return {
            str(name): SealedFile(bytes(digest), tuple(identity))
            for name, digest, identity in record["segments"]
        }
    except (CorruptIndex, TypeError, ValueError, KeyError, struct.error) as error:
        raise IndexForeign("manifest: its seal cannot be read") from error


def _read(directory: Directory, name: str) -> bytes:
    try:
        file = directory.open(name)
    except (FileNotFoundError, CorruptIndex) as error:
        raise IndexForeign("manifest: has no seal") from error
    try:
        if file.size > MAX_SEAL_BYTES:
            raise IndexForeign(
                f"manifest: has a seal of {file.size} bytes, at most {MAX_SEAL_BYTES} expected"
            )
        return file.read(0, file.size)
    except CorruptIndex as error:  # the file was truncated after it was opened
        raise IndexForeign("manifest: its seal cannot be read") from error
    finally:
        file.close()


def write_seal(directory: Directory, manifest: bytes, names: Iterable[str], known: Sealed) -> Sealed:
    """Seal a manifest that names these segments; `known` holds those that were checked or sealed before.

    Returns what was sealed, empty for a directory whose owner seals nothing. Does not sync the directory.
    Raises OSError, CorruptIndex.
    """
    if directory.make_tag is None:
        return {}
    sealed = {name: known[name] if name in known else _look(directory, name) for name in names}
    record = pack(
        {
            "manifest": _digest(manifest),
            "segments": [[name, one.digest, list(one.identity)] for name, one in sealed.items()],
        }
    )
    body = HEADER.pack(MAGIC, SEAL_VERSION, 0, len(record)) + record
    with new_file(directory, name_seal(manifest), TEMPORARY) as file:
        file.write(body + directory.make_tag(body))
    return sealed


def check_segment(file: ReadableFile, sealed: Sealed) -> SealedFile:
    """Return the seal's entry for an opened segment, with the identity that the file has now.

    Raises CorruptIndex when its bytes have changed since it was sealed, IndexForeign when the seal does not
    name it, OSError.
    """
    one = find_sealed(file.name, sealed)
    if file.identity and file.identity == one.identity:
        return one
    return _digest_file(file).check(file.name, one)._replace(identity=file.identity)


def find_sealed(name: str, sealed: Sealed) -> SealedFile:
    """Return the seal's entry for a segment. Raises IndexForeign when the seal does not name it."""
    one = sealed.get(name)
    if one is None:
        raise IndexForeign(f"{name}: is not in the manifest's seal")
    return one


class SegmentDigest:
    """The BLAKE2b-256 of a segment, computed while its bytes are read or written."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=DIGEST_BYTES)
        self.add = self._digest.update  # a method that takes the next bytes

    def finish(self) -> bytes:
        """Return the digest of the bytes so far."""
        return self._digest.digest()

    def check(self, name: str, one: SealedFile) -> SealedFile:
        """Return `one`, the seal's entry for the segment. Raises CorruptIndex if the digest differs."""
        if not hmac.compare_digest(self.finish(), one.digest):
            raise CorruptIndex(f"{name}: its bytes have changed since it was sealed")
        return one


class SegmentProof:
    """Compares opened segments with a seal in a thread, and closes the files.

    Hashing 1.3 GB takes a second, in which other threads can run.
    """

    def __init__(self, files: Sequence[tuple[ReadableFile, SealedFile]]) -> None:
        """Start comparing the files, each with the seal's entry for it, in a thread."""
        self._files = files
        self._fault: Exception | None = None
        self._is_left = False
        self._thread = threading.Thread(target=self._compare, name="proof", daemon=True)
        if files:
            try:
                self._thread.start()
            except RuntimeError:  # the system refuses another thread
                self._compare()

    def wait(self) -> None:
        """Wait until all files are proven. Raises CorruptIndex if one was changed since the seal, OSError."""
        if self._thread.is_alive():
            self._thread.join()
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """Stop comparing. Nothing counts as proven then."""
        self._is_left = True

    def _compare(self) -> None:
        try:
            for file, one in self._files:
                digest = SegmentDigest()
                for start in range(0, file.size, _BESIDE_BYTES):
                    if self._is_left:
                        raise CorruptIndex(f"{file.name}: was not compared with its seal to the end")
                    digest.add(file.read(start, min(_BESIDE_BYTES, file.size - start)))
                digest.check(file.name, one)
        except Exception as error:  # `wait` raises it
            self._fault = error
        finally:
            for file, _ in self._files:
                file.close()


def _look(directory: Directory, name: str) -> SealedFile:
    file = directory.open(name)
    try:
        return SealedFile(_digest_file(file).finish(), file.identity)
    finally:
        file.close()


def _digest_file(file: ReadableFile) -> SegmentDigest:
    digest = SegmentDigest()
    for start in range(0, file.size, _BLOCK_BYTES):
        digest.add(file.read(start, min(_BLOCK_BYTES, file.size - start)))
    return digest


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()
