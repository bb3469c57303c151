"""The data directory: the only place this program ever writes to.

It is `<root>/.repo_mcp` unless the operator names another one. Whatever is there already is not trusted: a
symbolic link, another user's directory or one that others may write to is not used at all. When the
directory cannot be used, the user's cache directory takes its place, with a warning.

The directory is private (0700). Files in it say that it is not part of the repository (`.gitignore`) and can
be rebuilt (`CACHEDIR.TAG`). It is entered by descriptor (`repo_mcp.storage.held_directory`). If it vanishes
under a running server, it is made again in the same way, directly below the root that was opened.

Left out on purpose: judging the files inside, which the modules that write them do.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys
from collections.abc import Sequence
from contextlib import suppress

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.held_directory import HeldDirectory, OpenedDirectory, OwnDirectory

OWN_NAME = ".repo_mcp"
_CACHE_NAME = "repo-mcp"
# Prefixes of what servers write. A directory deleted under a running server has these but no marks.
_OWN_BEGINNINGS = (
    "index-",
    "structure-",
    "vectors-",
    "audit.",
    "poison",
    "last_bundle.",
    ".removed-",
    "allowed.",
)
# The signature is fixed by the Cache Directory Tagging Specification.
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# The index of repo-mcp; it can be rebuilt.\n"


@dataclass(frozen=True, slots=True)
class DataDir:
    """The data directory in use."""

    directory: OwnDirectory
    warnings: tuple[str, ...]  # why another directory than the requested one is used; names no absolute path
    inside_root: tuple[str, ...] | None  # components of its path below the root; None if it is elsewhere

    @property
    def path(self) -> str:
        """Return its absolute path, for people and comparisons."""
        return self.directory.path


class _Unusable(Exception):
    """The reason why a directory is not used, in words that name no path."""


def prepare_data_dir(held_root: HeldDirectory, configured: str | None, cache_home: str) -> DataDir:
    """Return the data directory, created if needed, or else the user's cache directory.

    Both paths must be absolute. Raises RepoError with CONFIG_INVALID when neither directory can be used.
    """
    root = held_root.path
    wanted = configured if configured is not None else os.path.join(root, OWN_NAME)
    try:
        _check_place(root, wanted)
        return DataDir(_prepare(wanted, held_root), (), _inside(root, wanted))
    except _Unusable as fault:
        warning = f"The data directory cannot be used ({fault}), so the user's cache directory is used."
    fallback = _name_fallback(root, cache_home)
    try:
        directory = _prepare(fallback, held_root)
    except _Unusable as fault:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"Neither the data directory nor the user's cache directory can be used ({fault}).",
            "Set --data-dir to a directory that you can write to.",
        ) from None
    return DataDir(directory, (warning,), _inside(root, fallback))


def examine_data_dir(root: str, configured: str | None) -> tuple[str, bool, str]:
    """Return the requested data directory, whether it exists, and why it cannot be used. Creates nothing.

    The reason is empty for a directory that can be used or created.
    """
    wanted = configured if configured is not None else os.path.join(root, OWN_NAME)
    try:
        _check_place(root, wanted)
        if os.path.lexists(wanted):
            _check_status(os.lstat(wanted))
        there = existing = wanted
        while not os.path.lexists(existing):
            existing = os.path.dirname(existing)
        if not os.access(existing, os.R_OK | os.W_OK | os.X_OK):
            raise _Unusable("it is not writable" if existing == there else "it cannot be created")
        return wanted, existing == there, ""
    except OSError as error:
        fault = error.strerror or "the system denies access"
    except _Unusable as unusable:
        fault = str(unusable)
    return wanted, os.path.lexists(wanted), fault


def list_data_dirs(root: str, configured: str | None, cache_home: str) -> list[OwnDirectory]:
    """Return the existing directories that may be the data directory of a root and that only we may write to.

    All paths are absolute. Creates and marks nothing, and never raises.
    """
    found = []
    for path in filter(None, (configured, os.path.join(root, OWN_NAME), _name_fallback(root, cache_home))):
        with suppress(OSError, ValueError, _Unusable):
            _check_status(os.lstat(path))
            above, name = os.path.split(path)
            found.append(OwnDirectory(HeldDirectory(above), name))
    return found


def take_outside_dir(roots: Sequence[str], path: str) -> OwnDirectory:
    """Return the directory `path`, created if needed.

    Raises RepoError with CONFIG_INVALID when it cannot be used and, before creating anything, when it is
    inside one of the roots: those are never written to.
    """
    if any(_is_at_or_below(os.path.realpath(path), os.path.realpath(root)) for root in roots):
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            "The directory for the index is inside a root, and roots are never written to.",
            "Set --data-dir or XDG_CACHE_HOME to a directory outside DOCS_ROOT and CODE_ROOT.",
        )
    try:
        return _prepare(path, None)
    except _Unusable as fault:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"The directory for the index cannot be used ({fault}).",
            "Set --data-dir to a directory that you can write to.",
        ) from None


def name_cache_dir(purpose: str, roots: Sequence[str], cache_home: str) -> str:
    """Return the path in the user's cache for these roots, in this order."""
    import hashlib  # imported here, as most servers do not need it

    digest = hashlib.blake2b("\0".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(cache_home, _CACHE_NAME, f"{purpose}-{digest}")


def name_canonically(path: str) -> str:
    """Return a directory's path with all links resolved: to compare it with others, not to open it."""
    return os.path.realpath(path)


def _name_fallback(root: str, cache_home: str) -> str:
    """Return the path in the user's cache for the data directory of a root, where no other can be used."""
    import hashlib  # imported here: it loads a large library, for which the list of tools need not wait

    return os.path.join(cache_home, _CACHE_NAME, hashlib.blake2b(os.fsencode(root)).hexdigest()[:16])


def _check_place(root: str, path: str) -> None:
    """Raise `_Unusable` for the root or a directory above it: the walk would skip the whole repository."""
    base, wanted = os.path.realpath(root), os.path.realpath(path)
    if _is_at_or_below(base, wanted):
        raise _Unusable("it is the root or a directory above it")


def _prepare(path: str, root: HeldDirectory | None) -> OwnDirectory:
    """Return the directory, made and marked, or checked. Raises `_Unusable` with the reason."""
    try:
        with suppress(FileNotFoundError):
            _check_status(os.lstat(path))
        directory = OwnDirectory(_hold_above(path, root), os.path.basename(path), _admit)
        directory.enter(create=True)
    except OSError as error:
        raise _Unusable(error.strerror or "the system denies access") from None
    except ValueError:
        raise _Unusable("its path is not valid") from None
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise _Unusable("it is not writable")
    return directory


def _hold_above(path: str, root: HeldDirectory | None) -> HeldDirectory:
    """Return the directory above `path`: the root, or one that is made if needed.

    Outside the root nobody but the operator can replace it, so there its path counts.
    """
    above = os.path.dirname(path)
    if root is not None and above == root.path:
        return root
    os.makedirs(above, mode=0o700, exist_ok=True)
    is_inside = root is not None and _is_at_or_below(os.path.realpath(above), os.path.realpath(root.path))
    return HeldDirectory(above, may_change=not is_inside)


def _admit(directory: OpenedDirectory) -> None:
    """Check and mark a directory that is entered for the first time. Raises OSError when it is not used."""
    here = directory.descriptor
    status = os.lstat(directory.path) if here is None else os.fstat(here)
    try:
        _check_status(status)
    except _Unusable as fault:
        raise PermissionError(errno.EPERM, f"the data directory cannot be used: {fault}") from None
    if _mark(directory) and here is not None and status.st_mode & 0o077:
        os.fchmod(here, 0o700)  # it came with the repository, or another program of ours made it


def _check_status(status: os.stat_result) -> None:
    """Raise `_Unusable` for anything but a real directory of ours that only we may write to."""
    if modes.S_ISLNK(status.st_mode):
        raise _Unusable("it is a symbolic link: give the directory that it leads to")
    if not modes.S_ISDIR(status.st_mode):
        raise _Unusable("it is not a directory")
    # Windows uses access control lists, and the user's own directories are private.
    if sys.platform != "win32":
        if status.st_uid != os.geteuid():
            raise _Unusable("it belongs to another user")
        if status.st_mode & 0o022:
            raise _Unusable("others may write to it")


def _mark(directory: OpenedDirectory) -> bool:
    """Write the two files that mark it, unless it holds files of others, which `*` would hide from Git.

    Returns whether it is ours alone.
    """
    names = set(os.listdir(directory.path if directory.descriptor is None else directory.descriptor))
    if "CACHEDIR.TAG" not in names and not all(name.startswith(_OWN_BEGINNINGS) for name in names):
        return False
    for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", b"*\n")):
        _write_once(directory.locate(name), text, directory.descriptor)
    return True


def _write_once(path: str, text: bytes, directory: int | None) -> None:
    """Write a file that does not exist yet. Whatever exists is left alone, so no half of one may stay."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags, 0o600, dir_fd=directory)
    except FileExistsError:
        return
    try:
        if sys.platform != "win32":
            os.fchmod(descriptor, 0o600)  # undo the umask
        os.write(descriptor, text)
    except OSError:
        os.unlink(path, dir_fd=directory)
        raise
    finally:
        os.close(descriptor)


def _inside(root: str, path: str) -> tuple[str, ...] | None:
    """Return the components of `path` below `root`, links in both resolved; None when it is elsewhere."""
    # This decides what the walk skips, not what may be opened.
    base, wanted = os.path.realpath(root), os.path.realpath(path)
    if base == wanted or not _is_at_or_below(wanted, base):
        return None
    return tuple(os.path.relpath(wanted, base).split(os.sep))


def _is_at_or_below(path: str, directory: str) -> bool:
    """Return True when resolved `path` is `directory` or inside it."""
    try:
        return os.path.commonpath([path, directory]) == directory
    except ValueError:  # different drives
        return False
