"""A client's own file: read with care, replaced whole, with a copy of its previous contents.

- A file of the user may be reached through links, because some people keep their settings elsewhere. Their
  target must be a file in the user's home or in the client's own directory.
- A file in a project comes with the repository: no link is followed, neither for it nor for a folder above.
- Only regular UTF-8 files of a bounded size are read. A file is replaced by renaming, and keeps its mode.
  Before that, its contents go into `NAME.bak-1`, or the next number that is free.
"""

from __future__ import annotations

import os
import stat as modes

from index_format import DiskDirectory, IndexFormatError, new_file
from repo_mcp.cli.clients.clients import FileLocation
from repo_mcp.config.home import find_home
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass

MAX_FILE_BYTES = 16 * 1024 * 1024  # Claude Code keeps its history beside its servers
MAX_BACKUPS = 99
BYTE_ORDER_MARK = "\ufeff"
_NEW_MODE = 0o644  # mode of a new file in a project, as other programs write it; at home 0600
_PRIVATE_MODE = 0o600


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One file and its current contents."""

    directory: str  # absolute, links resolved
    name: str
    shown: str
    text: str | None  # None: the file does not exist
    mode: int  # permissions of the file to be written


def read_client_file(place: FileLocation) -> ClientFile:
    """Read the file at a location. Raises RepoError with CONFIG_INVALID for one that we do not handle."""
    path = place.path
    if place.in_project:
        _check_no_links(place)
    elif os.path.islink(path) or os.path.realpath(place.base) != os.path.normpath(place.base):
        path = _follow(place)
    directory, name = os.path.split(path)
    try:
        file = DiskDirectory(directory).open(name)
    except FileNotFoundError:
        return ClientFile(
            directory, name, place.shown, None, _NEW_MODE if place.in_project else _PRIVATE_MODE
        )
    except IndexFormatError:
        raise _refuse(place, "is not a regular file") from None
    except NotADirectoryError:
        raise _refuse(place, "has a parent that is not a directory") from None
    except OSError as error:
        raise _refuse(place, f"cannot be read ({error.strerror})") from None
    try:
        if file.size > MAX_FILE_BYTES:
            raise _refuse(place, f"has more than {MAX_FILE_BYTES:,} bytes")
        text = file.read(0, file.size).decode()
    except UnicodeDecodeError:
        raise _refuse(place, "is not UTF-8") from None
    finally:
        file.close()
    return ClientFile(directory, name, place.shown, text, modes.S_IMODE(os.lstat(path).st_mode))


def write_client_file(file: ClientFile, text: str) -> str | None:
    """Replace the file's contents. Return the name of the backup, None for a new file.

    Raises RepoError with CONFIG_INVALID for a file that cannot be written.
    """
    try:
        return _replace_file(file, text)
    except OSError as error:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            f"{file.shown} cannot be written ({error.strerror}).",
            "Make room or give yourself access, or add the entry by hand.",
        ) from None


def _replace_file(file: ClientFile, text: str) -> str | None:
    os.makedirs(file.directory, mode=0o700 if file.mode == _PRIVATE_MODE else 0o755, exist_ok=True)
    directory = DiskDirectory(file.directory)
    backup = None
    if file.text is not None:
        backup = _choose_backup(file)
        _write(directory, file, backup, file.text)
    _write(directory, file, file.name, text)
    directory.sync()
    return backup


def _write(directory: DiskDirectory, file: ClientFile, name: str, text: str) -> None:
    temporary = f"{file.name}.repo-mcp-new"
    with new_file(directory, name, temporary) as new:
        new.write(text.encode())
        os.chmod(os.path.join(file.directory, temporary), file.mode)


def _choose_backup(file: ClientFile) -> str:
    for number in range(1, MAX_BACKUPS + 1):
        name = f"{file.name}.bak-{number}"
        if not os.path.lexists(os.path.join(file.directory, name)):
            return name
    raise RepoError(
        ErrorCode.CONFIG_INVALID,
        f"There are {MAX_BACKUPS} backups of {file.shown} already.",
        "Delete the ones that you do not need.",
    )


def _check_no_links(place: FileLocation) -> None:
    """Raise RepoError with CONFIG_INVALID when a project's file, or a folder above it, is a link."""
    path = place.base
    for name in place.below.split("/"):
        path = os.path.join(path, name)
        if os.path.islink(path):
            raise _refuse(place, "is reached through a link in the repository")


def _follow(place: FileLocation) -> str:
    """Return the target of a user's file. Raises RepoError with CONFIG_INVALID if it is not the user's."""
    target = os.path.realpath(place.path)
    for directory in (find_home(), place.base):
        if os.path.commonpath([os.path.realpath(directory), target]) == os.path.realpath(directory):
            return target
    raise _refuse(place, "is a link that leads out of your home directory")


def _refuse(place: FileLocation, what: str) -> RepoError:
    return RepoError(
        ErrorCode.CONFIG_INVALID,
        f"{place.shown} {what}.",
        "Nothing was changed. Run it without --write to print the entry, and add that by hand.",
    )
