"""Turns a client's path into a relative POSIX path, as text alone. Nothing is looked up.

`..` is folded as text before anything else; a result outside the root is refused, and so is
every spelling that another platform would read as an absolute path. Nothing is decoded or
expanded: `%2e`, `~` and `$HOME` are names like any other. Names are not changed: a path names
a file by its exact characters, or as answers show it (`RepositoryReader.normalise`).

Roots are compared component by component, never as a prefix of a string: `/srv/app-old` is not
inside `/srv/app`.

The errors of the repository reader are here too: they say what is wrong with a path, without any absolute
path of ours.
"""

from __future__ import annotations

import errno
import sys

from repo_mcp.errors import ErrorCode, RepoError, explain_limit
from repo_mcp.text.lines import escape_text
from repo_mcp.workspace.reader import windows_paths
from repo_mcp.workspace.reader.bounds import OTHER_FILE_SYSTEM, PRIVATE_KEY, RULES

MAX_PATH_BYTES = 4096  # PATH_MAX of Linux
MAX_COMPONENT_BYTES = 255  # NAME_MAX of every file system in use
USE_RELATIVE = "Give a path relative to the root, with '/' between names."
_OUTSIDE_BY_LINK = "A symbolic link in the path leads outside the root."
_OPEN_ANOTHER = "Such links are never followed. Open a file of the repository itself."
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL})


class RootNames:
    """The absolute names by which a client may know the root: as given, and with links resolved."""

    __slots__ = ("_names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def normalise(self, requested: str) -> str:
        """Return a client's path relative to the root, "" for the root itself.

        Raises RepoError with PATH_INVALID for impossible names, and PATH_ESCAPE for paths outside the root.
        """
        _check_spelling(requested)
        path = requested
        if sys.platform == "win32":
            path = windows_paths.to_posix(path)
        elif windows_paths.has_backslash_climb(path):
            raise _invalid("The path has '..' with backslashes.")
        if path.startswith("/") or windows_paths.is_windows_absolute(path):
            parts = self._relative_to_root(path)
        else:
            parts = _fold(path.split("/"))
        if sys.platform == "win32":
            for part in parts:
                check_windows_name(part)
        return "/".join(parts)

    def spell(self, requested: str) -> str | None:
        """Return a path that Windows would take for an absolute one as a relative one; None for any other.

        Elsewhere `a:3.py` and `c:/x` may be names in the root. Raises as `normalise` does.
        """
        if sys.platform == "win32" or requested.startswith("/"):
            return None
        return "/".join(_fold(requested.split("/"))) if windows_paths.is_windows_absolute(requested) else None

    def cut_root(self, glob: str) -> str:
        """Return a glob relative to the root if it begins with a name of it; an unchanged one otherwise."""
        for name in self._names:
            if glob == name or glob.startswith(f"{name}/"):
                return glob[len(name) :].strip("/") or "**"
        return glob

    def follow_link(self, directory: list[str], target: str) -> list[str]:
        """Return the components that a link in `directory` with this target leads to.

        Raises RepoError with PATH_ESCAPE when they are outside the root, whether anything exists there or
        not. The target's text never enters a message.
        """
        try:
            if target.startswith("/"):
                inside = self.normalise(target)
                return inside.split("/") if inside else []
            _check_spelling(target)
            return _fold(directory + target.split("/"))
        except RepoError:
            raise RepoError(ErrorCode.PATH_ESCAPE, _OUTSIDE_BY_LINK, _OPEN_ANOTHER) from None

    def _relative_to_root(self, path: str) -> list[str]:
        for name in self._names:
            if sys.platform == "win32":
                inside = windows_paths.relative_to_root(path, name)
                if inside is not None:
                    return _fold(inside)
            elif not windows_paths.is_windows_absolute(path):
                parts = _fold(path.split("/"))
                root = [part for part in name.split("/") if part]
                if parts[: len(root)] == root:
                    return parts[len(root) :]
        raise _escape()


def check_windows_name(name: str) -> None:
    """Raise RepoError with PATH_INVALID unless `name` is one name of a normalised path on Windows."""
    if name in ("", ".", "..") or "/" in name or "\0" in name or not is_unicode(name):
        raise explain_no_name()
    if fault := windows_paths.find_component_fault(name):
        raise _invalid(f"A name in the path cannot be used on Windows: {fault}.")


def explain_no_name() -> RepoError:
    """Return the error for a component of a path that is not one name."""
    return _invalid("The path is not in its normal form.")


def shown(path: str) -> str:
    """Return the path in quotes for a message, escaped as it is in answers."""
    return f"'{escape_text(path)}'"


def _check_spelling(path: str) -> None:
    """Raise RepoError with PATH_INVALID for what cannot name a file on any system."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        raise _invalid("The path is not valid Unicode.") from None
    if b"\0" in encoded:
        raise _invalid("The path contains a NUL character.")
    if len(encoded) > MAX_PATH_BYTES:
        raise _invalid(f"The path has more than {MAX_PATH_BYTES:,} bytes.")
    if len(encoded) > MAX_COMPONENT_BYTES and max(map(len, encoded.split(b"/"))) > MAX_COMPONENT_BYTES:
        raise _invalid(f"A name in the path has more than {MAX_COMPONENT_BYTES} bytes.")
    if path[:5].lower() == "file:":
        raise _invalid("Give a path, not a URI.")


def is_unicode(name: str) -> bool:
    """Return False for unpaired surrogates, which no UTF-8 name has."""
    return name.encode("utf-8", "replace").decode() == name


def _fold(parts: list[str]) -> list[str]:
    """Return the components without "", "." and "..". Raises PATH_ESCAPE if ".." climbs above the first."""
    folded: list[str] = []
    for part in parts:
        if part == "..":
            if not folded:
                raise _escape()
            folded.pop()
        elif part not in ("", "."):
            folded.append(part)
    return folded


def _escape() -> RepoError:
    return RepoError(ErrorCode.PATH_ESCAPE, "The path leaves the root.", USE_RELATIVE)


def _invalid(message: str) -> RepoError:
    return RepoError(ErrorCode.PATH_INVALID, message, USE_RELATIVE)


def explain_no_file(path: str, *, is_directory: bool = False) -> RepoError:
    """Return the error for anything but a regular file."""
    what = "a directory" if is_directory else "not a regular file"
    return RepoError(
        ErrorCode.NOT_A_FILE,
        f"{shown(path) if path else 'The root'} is {what}.",
        "List the files in it to find one." if is_directory else "List the files to find one to open.",
        {"is_directory": is_directory},
    )


def explain_refusal(path: str, refusal: str) -> RepoError:
    """Return the error for a file that the operator has refused whatever its name."""
    rule = RULES[refusal]
    why = " has a private key in it and" if refusal == PRIVATE_KEY else ""
    what = f"{shown(path)}{why} is denied by the rule {rule}."
    return RepoError(ErrorCode.PATH_DENIED, what, "The operator configured this.", {"rule": rule})


def explain_links() -> RepoError:
    """Return the error for a path through more links than are followed."""
    return RepoError(
        ErrorCode.UNREADABLE, "The path goes through too many symbolic links.", "Ask for the file itself."
    )


def explain_broken_link(path: str, target: str) -> RepoError:
    """Return the error for a path that leads, by links, to where nothing is."""
    return RepoError(
        ErrorCode.NOT_FOUND,
        f"{shown(path)} leads to {shown(target)}, where there is nothing.",
        "List or search the files for its path.",
    )


def explain_size(path: str, max_bytes: int) -> RepoError:
    """Return the error for a file above the limit."""
    return RepoError(
        ErrorCode.FILE_TOO_LARGE,
        f"{shown(path)} has more than {max_bytes:,} bytes.",
        explain_limit("max_file_bytes"),
        {"max_bytes": max_bytes},
    )


def choose_code(error: OSError) -> ErrorCode:
    """Return our code for an error of the system."""
    if error.errno in _NOT_THERE:
        return ErrorCode.NOT_FOUND
    return ErrorCode.NOT_A_FILE if error.errno in (errno.ENXIO, errno.EISDIR) else ErrorCode.UNREADABLE


def explain_os_error(error: OSError, path: str) -> RepoError:
    """Translate an OSError. Its own text may contain absolute paths and is dropped."""
    if error.errno == errno.EXDEV:
        return explain_refusal(path, OTHER_FILE_SYSTEM)
    code = choose_code(error)
    if code is ErrorCode.NOT_FOUND:
        return RepoError(
            code, f"There is nothing at {shown(path)}.", "List or search the files for its path."
        )
    if code is ErrorCode.NOT_A_FILE:
        return explain_no_file(path)
    reason = errno.errorcode.get(error.errno or 0, "error")
    return RepoError(code, f"{shown(path)} cannot be read ({reason}).", "Check its permissions.")
