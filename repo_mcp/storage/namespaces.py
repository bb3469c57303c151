"""Namespaces: the directories of a data directory, one for each index, marked when used and removed when old.

The name of a namespace differs for whatever must not share an index: kinds of index, format versions,
configurations, roots and keys. So servers with different keys never undo each other's work.

A data directory may have come with the repository, so nothing in it is trusted by itself. The indexes, and
the side files that record work already done, are sealed with a tag that only the user's key can make
(`user_key`). The tag is bound to the root, to the data directory and, through the name of the namespace, to
the format version and the configuration. A file without the right tag is neither read nor repaired, but built
anew. For the same reason only directories and files whose names match our patterns are examined or deleted,
and no link is followed.

A namespace that nobody has opened for UNUSED_SECONDS is removed. That happens under its lock, so nobody is
writing it. Readers keep the files that they have open, and find no index the next time. An index with names
that are denied by default (`--allow-path`) says so in its name and goes sooner: a refresh of the root without
the option, or with other globs, removes it unless a server is using it.

Left out on purpose: how an index is sealed, which is `index_format.seals`.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from hashlib import blake2b

from index_format import SEAL_SUFFIX, SIDE_SUFFIX, TAG_BYTES, DiskDirectory, IndexFormatError, MakeTag, pack
from index_format import VERSION as FORMAT_VERSION
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import name_canonically
from repo_mcp.storage.held_directory import OwnDirectory
from repo_mcp.storage.user_key import UserKey

UNUSED_SECONDS = 14 * 24 * 3600.0  # since a server last opened its root
MAX_NAMESPACES = 1_000  # most namespaces examined in one call
_NAMESPACE = re.compile(r"(?:index|structure|scip|vectors)-v[0-9]{1,6}-[0-9a-f]{16}(?:-allowed)?")
_DETACHED = re.compile(rf"\.removed-{_NAMESPACE.pattern}")
_ALLOWED = "-allowed"  # ending of the names of indexes that hold files denied by default
_ALLOWED_LOCK = "allowed.lock"  # a file in the data directory, locked by every server that uses such an index
_OWN_FILES = frozenset({"manifest", "lock", "seen", "seen.changes", "judged", "purge"})
_OWN_SUFFIXES = (".seg", ".tmp", SEAL_SUFFIX, SIDE_SUFFIX)
_LOCK = "lock"

Clock = Callable[[], float]
_NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class Sealer:
    """Makes the namespace names and tags of one root and one data directory."""

    bound_key: bytes  # derived from the user's key, the root and the data directory

    def name_namespace(self, kind: str, format_version: int, configuration: str) -> str:
        """Return the directory name of the index of this kind, format version and configuration."""
        facts = pack([kind, format_version, configuration])
        digest = blake2b(facts, key=self.bound_key, digest_size=_NAME_BYTES, person=b"namespace").hexdigest()
        return f"{kind}-v{format_version}-{digest}"

    def make_tagger(self, namespace: str) -> MakeTag:
        """Return a function that computes tags for the files of a namespace, or for one side file."""
        key = blake2b(namespace.encode(), key=self.bound_key, person=b"tags").digest()
        return lambda data: blake2b(data, key=key, digest_size=TAG_BYTES).digest()


def make_sealer(key: bytes, root: str, data_dir: str) -> Sealer:
    """Return the sealer of a root and a data directory, each given by its canonical path."""
    place = pack([root.encode("utf-8", "surrogateescape"), data_dir.encode("utf-8", "surrogateescape")])
    return Sealer(blake2b(place, key=key, person=b"repo-mcp-index").digest())


def mark_used(directory: OwnDirectory) -> None:
    """Mark a namespace as in use now. Does nothing when its time cannot be set."""
    with suppress(OSError):
        opened = directory.enter()
        os.utime(opened.path if opened.descriptor is None else opened.descriptor)


def remove_unused(
    data_dir: OwnDirectory, keep: Collection[str], clock: Clock = time.time, *, also_allowed: bool = False
) -> tuple[str, ...]:
    """Remove the namespaces unused for UNUSED_SECONDS, except those in `keep`. Never raises.

    With `also_allowed`, those with denied names go at once. Returns the names of those that are gone.
    """
    removed = []
    for name in _list_namespaces(data_dir):
        goes = _DETACHED.fullmatch(name) or (also_allowed and name.endswith(_ALLOWED))
        is_due = name not in keep and (goes or _is_unused(data_dir, name, clock()))
        if is_due and remove(data_dir, name):
            removed.append(name)
    return tuple(removed)


def remove(data_dir: OwnDirectory, name: str) -> bool:
    """Remove a namespace, unless it is being written or holds other files than ours. Never raises."""
    detached = name if name.startswith(".") else f".removed-{name}"
    try:
        here = data_dir.enter()
        lock = DiskDirectory(OwnDirectory(data_dir, name)).lock(_LOCK)
        if sys.platform == "win32":
            lock.release()  # a file that is open cannot be moved: a writer that begins now stops the rename
        try:
            if detached != name:  # a new opener creates a new one
                old, new = here.locate(name), here.locate(detached)
                os.rename(old, new, src_dir_fd=here.descriptor, dst_dir_fd=here.descriptor)
            directory = DiskDirectory(OwnDirectory(data_dir, detached))
            for file in directory.list_names():
                if file in _OWN_FILES or file.endswith(_OWN_SUFFIXES):
                    directory.delete(file)
        finally:
            lock.release()
        os.rmdir(here.locate(detached), dir_fd=here.descriptor)
    except (OSError, IndexFormatError):
        return False
    return True


def _list_namespaces(data_dir: OwnDirectory) -> list[str]:
    try:
        here = data_dir.enter()
        with os.scandir(here.path if here.descriptor is None else here.descriptor) as entries:
            found = sorted(
                entry.name
                for entry in entries
                if (_NAMESPACE.fullmatch(entry.name) or _DETACHED.fullmatch(entry.name))
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
    return found[:MAX_NAMESPACES]


def list_shareable(data_dir: OwnDirectory, beginning: str) -> list[str]:
    """Return the namespaces whose names have this `beginning` and that hold no denied names. Never raises."""
    found = _list_namespaces(data_dir)
    return [name for name in found if name.startswith(beginning) and not name.endswith(_ALLOWED)]


def _is_unused(data_dir: OwnDirectory, name: str, now: float) -> bool:
    """Return True when directory and manifest are older than UNUSED_SECONDS. Future times count as used."""
    try:
        times = [data_dir.enter().lstat(name).st_mtime]
        with suppress(FileNotFoundError):
            times.append(OwnDirectory(data_dir, name).enter().lstat("manifest").st_mtime)
    except OSError:
        return False
    return now - max(times) > UNUSED_SECONDS


@dataclass(frozen=True, slots=True)
class Namespace:
    """The directory of one index, and what seals it."""

    directory: OwnDirectory
    make_tag: MakeTag


class Namespaces:
    """The namespaces that one opened root uses."""

    def __init__(self, root: str, data_dir: OwnDirectory, key: UserKey, *, holds_denied: bool) -> None:
        """Create nothing. With `holds_denied`, the indexes contain names that are denied by default."""
        self._data_dir = data_dir
        self._suffix = _ALLOWED if holds_denied else ""
        # Releases our lock on `_ALLOWED_LOCK`; None: we do not hold it.
        self._release: Callable[[], None] | None = None
        # A key that could not be stored ends with this process, and its indexes are of no use then.
        self._may_outlive = not key.fault
        self.sealer = make_sealer(key.key, name_canonically(root), name_canonically(data_dir.path))
        self.tags: dict[str, MakeTag] = {}  # tag makers of our namespaces, by name
        self._directories: dict[str, OwnDirectory] = {}  # directories of our namespaces, by name

    def add(self, kind: str, configuration: str) -> Namespace:
        """Return the namespace of the index of this kind and configuration, and count it as ours."""
        name = self.sealer.name_namespace(kind, FORMAT_VERSION, configuration) + self._suffix
        make_tag = self.sealer.make_tagger(name)
        self.tags = {**self.tags, name: make_tag}  # others may be iterating
        directory = OwnDirectory(self._data_dir, name)
        self._directories = {**self._directories, name: directory}
        return Namespace(directory, make_tag)

    def open(self) -> dict[str, DiskDirectory]:
        """Return the directories of ours that exist, by name; each checks its tag."""
        found = {}
        for name, directory in self._directories.items():
            with suppress(OSError):
                found[name] = DiskDirectory(directory, make_tag=self.tags[name])
        return found

    def mark_used(self) -> None:
        """Mark all of ours as in use now."""
        if self._suffix:
            self._hold_allowed()
        for directory in self._directories.values():
            mark_used(directory)

    def remove_unused(self) -> None:
        """Remove other namespaces that have been unused for long, or hold denied names and are not in use.

        Never raises.
        """
        if any(name.endswith(_ALLOWED) for name in _list_namespaces(self._data_dir)):
            self._hold_allowed()
        remove_unused(self._data_dir, self.tags, also_allowed=self._release is not None)
        if not self._suffix:
            self._release_allowed()

    def _hold_allowed(self) -> None:
        """Take the lock of the indexes with denied names, unless another process has it."""
        if self._release is None:
            with suppress(OSError, IndexFormatError):
                self._release = DiskDirectory(self._data_dir).lock(_ALLOWED_LOCK).release

    def _release_allowed(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()

    def close(self) -> None:
        """Remove this object's namespaces if nobody else can use them, and close the directories."""
        self._release_allowed()
        for name, directory in self._directories.items():
            directory.close()
            if not self._may_outlive:
                remove(self._data_dir, name)
        self._data_dir.close()
