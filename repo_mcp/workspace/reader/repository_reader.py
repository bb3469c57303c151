"""The repository reader: the only code that reads files of the repository.

A client's path is first folded as text (`client_paths.py`), then checked against the deny
policy by name alone, and then walked from the root's open directory one component at a time. The kernel never
follows a symbolic link for us. The reader returns bytes, never a path for somebody to open later: there is a
race between a check and an open by name, and `realpath` stops resolving beyond PATH_MAX.

A symbolic link is resolved here, by reading it: through 40 hops at most, and absolute targets only when
they are inside the root as text. Every name reached is checked against the policy again before it is opened.
On Windows links are refused.

Denial is decided before existence, so that an answer never reveals whether a denied file exists.
Messages contain the client's own path at most, never an absolute path of ours.

The operator may have files with several names, other file systems and files with private keys refused
(`repo_mcp.workspace.reader.bounds`). Otherwise second names of outside files, and mounts, are read.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.storage.held_directory import MOVED, HeldDirectory, identify
from repo_mcp.text.lines import unescape_text
from repo_mcp.workspace.reader import windows_paths
from repo_mcp.workspace.reader.bounds import OTHER_FILE_SYSTEM, Bounds, Refusals
from repo_mcp.workspace.reader.client_paths import (
    RootNames,
    choose_code,
    explain_broken_link,
    explain_links,
    explain_no_file,
    explain_os_error,
    explain_refusal,
    shown,
)
from repo_mcp.workspace.reader.held_root import ROOT_MOVED, explain_unusable_root, hold_root
from repo_mcp.workspace.reader.kept_directory import KeptDirectory
from repo_mcp.workspace.reader.opened_file import OpenedFile, file_stat, read_at_once, read_open_file

if sys.platform == "win32":
    from repo_mcp.workspace.reader import windows as native
else:
    from repo_mcp.workspace.reader import posix as native

Read = TypeVar("Read")

_MAX_LINK_HOPS = 40  # the limit of Linux
# errno of opening a link without following it: on Linux and macOS, on FreeBSD.
_LINK = frozenset({errno.ELOOP, errno.EMLINK})
_LINK_OR_FILE = _LINK | {errno.ENOTDIR}
_CLOSED = -1  # No descriptor: a closed root's number is soon reused, and a late call must not reach that file

NO_REFUSALS = Refusals()

entry_name = native.entry_name  # the name of an entry that `RepositoryReader.scan` returned


class _LinkMet(Exception):
    """The entry to open turned out to be a symbolic link."""


class RepositoryReader:
    """One root, opened once. Methods may be called from several threads at a time."""

    root: str  # absolute, as the operator gave it

    bounds: Bounds  # files that are refused whatever their names

    def __init__(
        self,
        root: str | HeldDirectory,
        find_denial: Callable[[str], object | None],
        refusals: Refusals = NO_REFUSALS,
    ) -> None:
        """Open the root at a path; or use a root that is open already, whatever its path leads to by now.

        Raises CONFIG_INVALID when it is missing, not a directory or unreadable.
        """
        held = hold_root(os.path.abspath(root)) if isinstance(root, str) else root
        self.root = held.path
        self._find_denial = find_denial
        self._kept = KeptDirectory(self._descend_to, native.close_directory)
        try:
            self._root_directory = _open_root(held)
            # Only to recognise absolute paths as text: nothing is opened by this string.
            canonical = os.path.realpath(self.root, strict=True)
        except (OSError, ValueError) as error:
            raise explain_unusable_root(error) from None
        own = refusals.other_file_systems
        device = native.directory_stat(self._root_directory).st_dev if own else None
        self.bounds = Bounds(refusals.hard_links, device, refusals.private_keys)
        self.names = RootNames(tuple(dict.fromkeys((self.root, canonical))))

    def check_root(self) -> None:
        """Raise RepoError with UNREADABLE when the root's name no longer leads to the opened directory.

        A deleted root looks empty through its descriptor, which must not be mistaken for deleted files.
        """
        try:
            same = os.path.samestat(os.stat(self.root), native.directory_stat(self._root_directory))
        except OSError:
            same = False
        if not same:
            raise RepoError(ErrorCode.UNREADABLE, ROOT_MOVED, "Start the server again.")

    def normalise(self, requested: str) -> str:
        """Return a client's path relative to the root, "" for itself. Raises as `RootNames.normalise`.

        A path with \\uXXXX for a character that answers escape is that of the file with the character,
        unless there is one that is spelled as given. One that begins like a drive of Windows is relative if
        there is such a file. What is returned is judged like any other path.
        """
        meant = unescape_text(requested)
        if meant != requested:
            with suppress(RepoError):
                spelled = self.names.normalise(requested)
                if self.lstat(spelled) is not None:
                    return spelled
        try:
            return self.names.normalise(meant)
        except RepoError as error:
            relative = self.names.spell(meant) if error.code is ErrorCode.PATH_ESCAPE else None
            if relative is not None and self.lstat(relative) is not None:
                return relative
            raise

    def read(self, path: str, max_bytes: int) -> OpenedFile:
        """Return the bytes of the regular file at `path`, resolving links inside the root.

        Raises RepoError. FILE_TOO_LARGE goes by the bytes read, since a stated size is only a hint.
        """
        pending = self._split_admitted(named := self.normalise(path))
        for hop in range(_MAX_LINK_HOPS):
            try:
                reached = self._read_unless_linked(pending, max_bytes)
            except RepoError as error:
                if hop and error.code is ErrorCode.NOT_FOUND:
                    raise explain_broken_link(named, "/".join(pending)) from None
                raise
            if isinstance(reached, OpenedFile):
                return reached
            pending = self._split_admitted("/".join(reached))
        raise explain_links()

    def read_walked(self, path: str, max_bytes: int) -> OpenedFile:
        """Read a file by a path from the walk: normalised already and free of links. Raises as `read`.

        A link on the way is NOT_A_FILE. The file's directory stays open for a moment, so that
        reading files in path order opens each directory once.
        """
        self._refuse_denied(path)
        try:
            directory = self._kept.take(path.rpartition("/")[0])
        except OSError as error:
            raise explain_os_error(error, path) from None
        try:
            return self.read_child(directory.descriptor, path, max_bytes)
        finally:
            self._kept.give_back(directory)

    def read_child(self, directory: int, path: str, max_bytes: int) -> OpenedFile:
        """Return the bytes of the file at `path`, whose directory is open. Raises as `read_walked` does.

        For the walk, which has already checked `path` against the policy.
        """
        try:
            return _read_entry(directory, path.rpartition("/")[2], path, max_bytes, self.bounds)
        except _LinkMet:
            raise explain_no_file(path) from None
        except OSError as error:
            raise explain_os_error(error, path) from None

    def _read_many(
        self, paths: Sequence[str], read: Callable[[int, str, str], Read]
    ) -> list[Read | RepoError]:
        """Return, for each path, the result of `read` for its (directory, name, path), or the error it met.

        A directory is opened once for neighbouring `paths`.
        """
        found: list[Read | RepoError] = []
        opened: list[tuple[str, int]] = []  # the open directories down to the last file's, with descriptors
        entered: str | None = ""  # The last opened directory's path, with a final slash; None: unknown
        try:
            for path in paths:
                above, slash, name = path.rpartition("/")
                try:
                    self._refuse_denied(path)
                    if above + slash != entered:
                        entered = None
                        self._enter(above.split("/") if slash else [], opened)
                        entered = above + slash
                    found.append(read(opened[-1][1] if opened else self._root_directory, name, path))
                except _LinkMet:
                    found.append(explain_no_file(path))
                except OSError as error:
                    found.append(explain_os_error(error, path))
                except RepoError as error:
                    found.append(error)
        finally:
            self._enter([], opened)
        return found

    def _enter(self, names: list[str], opened: list[tuple[str, int]]) -> None:
        """Make `opened` the chain of directories `names`, keeping their common part. Raises OSError."""
        common = 0
        while common < min(len(names), len(opened)) and names[common] == opened[common][0]:
            common += 1
        while len(opened) > common:
            native.close_directory(opened.pop()[1])
        for name in names[common:]:
            parent = opened[-1][1] if opened else self._root_directory
            opened.append((name, self.open_child(parent, name)))

    def stat(self, path: str) -> FileStat | None:
        """Return the status of a regular file; None when it is missing, denied, a link or anything else."""
        if self._find_denial(path) is not None:
            return None
        directory_path, _, name = path.rpartition("/")
        try:
            directory = self._kept.take(directory_path)
        except (OSError, ValueError, RepoError):
            return None
        try:
            status = native.lstat(directory.descriptor, name)
        except (OSError, ValueError, RepoError):
            return None
        finally:
            self._kept.give_back(directory)
        served = modes.S_ISREG(status.st_mode) and self.bounds.find_refusal(status) is None
        return file_stat(status) if served else None

    def lstat(self, path: str) -> os.stat_result | None:
        """Return the status of any entry at a normalised path; None when it is missing or denied.

        Its directory is opened anew, because a question after a change must not see the old state.
        """
        directory_path, _, name = path.rpartition("/")
        try:
            self._refuse_denied(path + "/")
            directory = self._descend_to(directory_path)
        except (OSError, ValueError, RepoError):
            return None
        try:
            status = native.lstat(directory, name)
        except (OSError, ValueError, RepoError):
            return None
        finally:
            native.close_directory(directory)
        is_served = modes.S_ISDIR(status.st_mode) or self._find_denial(path) is None
        return status if is_served else None

    def open_directory(self, path: str) -> int:
        """Return a descriptor of the directory at a normalised path, for `close_directory`. Raises RepoError.

        Links are not followed: one on the way is NOT_A_DIRECTORY.
        """
        self._refuse_denied(path + "/")
        try:
            return self._descend_to(path)
        except OSError as error:
            if error.errno == errno.EXDEV:
                raise explain_refusal(path, OTHER_FILE_SYSTEM) from None
            code = ErrorCode.NOT_A_DIRECTORY if error.errno in _LINK_OR_FILE else choose_code(error)
            raise RepoError(code, f"Cannot open the directory {shown(path)}.") from None

    def open_child(self, directory: int, name: str) -> int:
        """Return a descriptor of the real directory `name` in an open one. Raises OSError.

        Its errno is EXDEV for another file system where only the root's is served. For the walk, which has
        already checked `name` against the policy.
        """
        child = native.open_directory(directory, name)
        device = self.bounds.device
        if device is not None and native.directory_stat(child).st_dev != device:
            native.close_directory(child)
            raise OSError(errno.EXDEV, "another file system")
        return child

    def scan(self, directory: int) -> list[os.DirEntry[str]]:
        """Return the entries of an open directory, unsorted. Raises OSError when it cannot be listed."""
        return native.scan(directory)

    def close_directory(self, directory: int) -> None:
        """Close a descriptor from `open_directory` or `open_child`."""
        native.close_directory(directory)

    def close(self) -> None:
        """Close the root. The reader must not be used afterwards."""
        self._kept.close()
        root, self._root_directory = self._root_directory, _CLOSED
        native.close_directory(root)

    def _refuse_denied(self, path: str) -> None:
        """Raise RepoError with PATH_DENIED when the policy refuses a component of the normalised path."""
        denial = self._find_denial(path)
        if denial is not None:
            rule = str(getattr(denial, "rule", "of the policy"))
            what = f"{shown(path.rstrip('/'))} is denied by the rule {rule}."
            raise RepoError(ErrorCode.PATH_DENIED, what, str(getattr(denial, "hint", "")), {"rule": rule})

    def _split_admitted(self, path: str, slash: str = "") -> list[str]:
        """Return the components of a normalised path; `slash` for a directory. Raises PATH_DENIED."""
        self._refuse_denied(path + slash)
        return path.split("/") if path else []

    def _duplicate_root(self, path: str) -> int:
        """Return a new descriptor of the root. Raises RepoError, naming `path`, if there is none left."""
        try:
            return native.duplicate(self._root_directory)
        except OSError as error:
            raise explain_os_error(error, path) from None

    def _descend_to(self, path: str) -> int:
        """Return a descriptor of the real directory at a normalised path. Raises OSError."""
        descriptor = native.duplicate(self._root_directory)
        for name in path.split("/") if path else ():
            try:
                child = self.open_child(descriptor, name)
            finally:
                native.close_directory(descriptor)
            descriptor = child
        return descriptor

    def _reach_directory(self, path: str) -> str:
        """Return the path of a real directory. See the function `reach_directory`."""
        named = self.normalise(path)
        try:
            return self._follow_directories(named)
        except RepoError:
            self._refuse_denied(named)  # what no directory has must not tell whether there is such a file
            raise

    def _follow_directories(self, path: str) -> str:
        pending = self._split_admitted(path, "/")
        for _ in range(_MAX_LINK_HOPS):
            replaced = self._replace_link(pending)
            if replaced is None:
                return "/".join(pending)
            pending = self._split_admitted("/".join(replaced), "/")
        raise explain_links()

    def _replace_link(self, parts: list[str]) -> list[str] | None:
        """Return the components with the first link replaced; None when all are real directories."""
        path = "/".join(parts)

        def enter(directory: int, name: str, status: os.stat_result) -> None:
            if not modes.S_ISDIR(status.st_mode):
                raise RepoError(
                    ErrorCode.NOT_A_DIRECTORY, f"{shown(path)} is not a directory.", "Open it instead."
                )
            native.close_directory(self.open_child(directory, name))

        if not parts:
            native.close_directory(self._duplicate_root(path))
            return None
        return self._reach(parts, enter)

    def _read_unless_linked(self, parts: list[str], max_bytes: int) -> OpenedFile | list[str]:
        """Return the file at `parts`, or the components with their first link replaced."""
        path = "/".join(parts)

        def read(directory: int, name: str, status: os.stat_result) -> OpenedFile:
            if modes.S_ISDIR(status.st_mode):
                raise explain_no_file(path, is_directory=True)
            return _read_entry(directory, name, path, max_bytes, self.bounds)

        if not parts:
            raise explain_no_file(path, is_directory=True)
        return self._reach(parts, read)

    def _reach(
        self, parts: list[str], take_last: Callable[[int, str, os.stat_result], Read]
    ) -> Read | list[str]:
        """Walk to the last of some components, of which there is at least one, without following a link.

        Return what `take_last` makes of the directory of the last one, its name and its status. But if a
        component is a symbolic link, return the components with the first link replaced.
        """
        descriptor = self._duplicate_root("/".join(parts))
        try:
            for depth, name in enumerate(parts[:-1]):
                if modes.S_ISLNK(_look(descriptor, name).st_mode):
                    return self._follow_link(descriptor, parts, depth)
                child = self.open_child(descriptor, name)
                native.close_directory(descriptor)
                descriptor = child
            status = _look(descriptor, parts[-1])
            if modes.S_ISLNK(status.st_mode):
                return self._follow_link(descriptor, parts, len(parts) - 1)
            return take_last(descriptor, parts[-1], status)
        except _LinkMet:
            return parts  # it has become a link since: look again, and count the hop
        except OSError as error:
            raise explain_os_error(error, "/".join(parts)) from None
        finally:
            native.close_directory(descriptor)

    def _follow_link(self, directory: int, parts: list[str], depth: int) -> list[str]:
        """Return the components with the one at `depth`, a link in an open directory, replaced."""
        target = native.read_link(directory, parts[depth])
        return self.names.follow_link(parts[:depth], target) + parts[depth + 1 :]


def reach_directory(reader: RepositoryReader, path: str) -> str:
    """Return the path of the real directory that a client's path leads to, resolving links inside the root.

    Raises RepoError with NOT_A_DIRECTORY for anything else, and as `RepositoryReader.read` does. Opens
    nothing for the caller: opening the path afterwards checks it again.
    """
    return reader._reach_directory(path)


def read_bytes(reader: RepositoryReader, path: str, max_bytes: int) -> bytes:
    """Return the bytes of a file. See `RepositoryReader.read_walked`."""
    return reader.read_walked(path, max_bytes).data


def read_many(reader: RepositoryReader, paths: Sequence[str], max_bytes: int) -> list[bytes | None]:
    """Return the bytes of walked files; None for those that `RepositoryReader.read_walked` would refuse.

    For bulk scans: it does not report files that change while they are read, and takes half the time.
    """

    def read(directory: int, name: str, _path: str) -> bytes | None:
        return _read_at_once(directory, name, max_bytes, reader.bounds)

    found = reader._read_many(paths, read)
    return [one if isinstance(one, bytes) else None for one in found]


def deny_nothing(_path: str) -> None:
    """Return None: for a reader that checks the root alone, or reads one file of a fixed name."""


def open_many(reader: RepositoryReader, paths: Sequence[str], max_bytes: int) -> list[OpenedFile | RepoError]:
    """Return the files of walked paths as `read_walked` gives them, or the error that it raises for one."""

    def read(directory: int, name: str, path: str) -> OpenedFile:
        return _read_entry(directory, name, path, max_bytes, reader.bounds)

    return reader._read_many(paths, read)


def _look(directory: int, name: str) -> os.stat_result:
    """Return an entry's status. A short name must be its real name, not its 8.3 alias. Raises OSError."""
    status = native.lstat(directory, name)
    if windows_paths.is_short_name(name) and name not in map(native.entry_name, native.scan(directory)):
        raise FileNotFoundError(errno.ENOENT, "short name")
    return status


def _read_entry(directory: int, name: str, path: str, max_bytes: int, bounds: Bounds) -> OpenedFile:
    """Return the regular file `name`. Raises `_LinkMet` when it is a link, else `OSError`, `RepoError`."""
    try:
        descriptor = native.open_file(directory, name)
    except OSError as error:
        if error.errno in _LINK:
            raise _LinkMet from None
        raise
    try:
        return read_open_file(descriptor, path, max_bytes, bounds)
    finally:
        os.close(descriptor)


def _read_at_once(directory: int, name: str, max_bytes: int, bounds: Bounds) -> bytes | None:
    """Return the bytes of a regular file; None if it is anything else, refused or too large."""
    descriptor = native.open_file(directory, name)
    try:
        return read_at_once(descriptor, max_bytes, bounds)
    finally:
        os.close(descriptor)


def _open_root(root: HeldDirectory) -> int:
    """Return a descriptor of the root. Raises OSError, with ESTALE where its path leads to another."""
    opened = root.get()
    if opened.descriptor is not None:
        return native.duplicate(opened.descriptor)
    directory = native.open_root(root.path)
    if identify(native.directory_stat(directory)) != root.identity:
        native.close_directory(directory)
        raise OSError(errno.ESTALE, MOVED)
    return directory
