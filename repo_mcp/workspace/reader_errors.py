"""The errors of the repository reader: what is wrong with a path, without any absolute path of ours.

Left out on purpose: paths that are refused for their spelling (`repo_mcp.workspace.client_paths`).
"""

from __future__ import annotations

import errno

from repo_mcp.errors import ErrorCode, RepoError, explain_limit
from repo_mcp.workspace.client_paths import shown
from repo_mcp.workspace.reader_bounds import OTHER_FILE_SYSTEM, PRIVATE_KEY, RULES

_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL})


def explain_no_file(path: str, *, is_directory: bool = False) -> RepoError:
    """Return the error for what is not a regular file."""
    return RepoError(
        ErrorCode.NOT_A_FILE,
        f"{shown(path) if path else 'The root'} is not a regular file.",
        "List the files to find one to open.",
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


def explain_size(path: str, max_bytes: int) -> RepoError:
    """Return the error for a file above the limit."""
    return RepoError(
        ErrorCode.FILE_TOO_LARGE,
        f"{shown(path)} has more than {max_bytes} bytes.",
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
        return RepoError(code, f"There is no file {shown(path)}.", "List or search the files for its path.")
    if code is ErrorCode.NOT_A_FILE:
        return explain_no_file(path)
    reason = errno.errorcode.get(error.errno or 0, "error")
    return RepoError(code, f"{shown(path)} cannot be read ({reason}).", "Check its permissions.")
