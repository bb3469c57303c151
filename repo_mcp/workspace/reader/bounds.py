"""The optional refusals besides denied names: hard links, other file systems, private keys.

A second name (hard link) of a denied file, or of one outside the root, looks like any file; but that a file
has several names can be seen. A file system mounted below the root belongs to another tree, which may not be
meant to be served. All refusals are off by default: copies made by linking (`cp -al`, the stores of some
package tools) consist of hard links, and parts of a checkout may well be mounted.

A file system is identified by its device number, as in `find -xdev`. The same file system mounted again below
the root (a bind mount) has the same number and is not noticed, and subvolumes of btrfs have numbers of
their own.

A file with the block of a private key in it (RFC 7468, or as PGP and SSH2 write it) is refused whole, not
only the lines of the key: an excerpt may begin in the middle of one, and the words of an index would tell
what it says. The rule does not guess: there must be a BEGIN line and, on the next line that is not a header,
a run of base64. Left out on purpose: redaction, and every other kind of secret.
"""

from __future__ import annotations

import os
import stat as modes
from dataclasses import field

from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass

HARD_LINK = "hard_link"
OTHER_FILE_SYSTEM = "other_file_system"
PRIVATE_KEY = "private_key"
RULES = {
    HARD_LINK: "--refuse-hard-links",
    OTHER_FILE_SYSTEM: "--one-file-system",
    PRIVATE_KEY: "--refuse-private-keys",
}
_KEY_BEGINS = compile_late(rb"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_KEY_BODY = compile_late(rb"[A-Za-z0-9+/]{32}")  # the shortest line, of an Ed25519 key, has 64
_KEY_HEADER = compile_late(rb"[A-Za-z-]{1,40}: ")  # RFC 1421 and OpenPGP: `Proc-Type: 4,ENCRYPTED`
_ESCAPED_END = compile_late(rb"\\[nr]")  # an escaped line end, as in JSON and in string literals
_SOME_TEXT = compile_late(rb"[A-Za-z0-9+/=]{4}")  # Text, not only the quotes and signs between literals
_LOOKED_AT_BYTES = 1_000  # bytes looked at after a BEGIN line


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals that the operator asks for."""

    hard_links: bool = False  # files that have another name
    other_file_systems: bool = False
    private_keys: bool = False  # files with the block of a private key


@dataclass(frozen=True, slots=True)
class Bounds:
    """The refusals of one repository reader, now that its root is open."""

    hard_links: bool = False
    device: int | None = None  # the only file system that is served; None: any
    private_keys: bool = False
    are_wide: bool = field(init=False)  # nothing is refused for its status

    def __post_init__(self) -> None:
        object.__setattr__(self, "are_wide", not self.hard_links and self.device is None)

    def find_refusal(self, status: os.stat_result) -> str | None:
        """Return why a file with this status is refused, as counted in listings; None if it is served."""
        if self.device is not None and status.st_dev != self.device:
            return OTHER_FILE_SYSTEM
        if self.hard_links and status.st_nlink > 1 and modes.S_ISREG(status.st_mode):
            return HARD_LINK
        return None


def has_private_key(data: bytes) -> bool:
    """Return True when there is the block of a private key in the contents, whole or cut off."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):  # UTF-16 or UTF-32
        data = data.replace(b"\0", b"")
    if b"PRIVATE KEY" not in data:
        return False
    return any(_has_body(data, begin.end()) for begin in _KEY_BEGINS.finditer(data))


def _has_body(data: bytes, start: int) -> bool:
    """Return True when base64 follows a BEGIN line that ends at `start`."""
    for line in _ESCAPED_END.sub(b"\n", data[start : start + _LOOKED_AT_BYTES]).splitlines():
        if _KEY_BODY.search(line):
            return True
        if _SOME_TEXT.search(line) and not _KEY_HEADER.search(line):
            return False
    return False


def find_entry_refusal(bounds: Bounds, entry: os.DirEntry[str]) -> str | None:
    """Return the refusal of a directory entry; None if it is served, or gone by now. See `find_refusal`.

    Windows gives neither number for an entry: there the reader finds out when it opens the file.
    """
    if bounds.are_wide or os.name == "nt":
        return None
    try:
        return bounds.find_refusal(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        return None
