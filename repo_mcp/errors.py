"""Every failure of repo_mcp: one exception type, one list of codes.

A failure says what was found, what was expected and what to do. `message` is written for the client's model,
and `hint` tells it the next step. Neither ever holds an absolute path, the text of a file or a traceback.
Each toolset maps the codes to those of its own specification. A message repeats what it was given, but a
very long argument only in part.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum

MAX_MESSAGE_CHARS = 600
CALL_AGAIN = "Try again; if it fails again, the details are on the server's standard error."
CHECK_PLACE = "Check space and permissions of the data directory; an older index, if any, still answers."
HINTS_OF_ANY_TOOLSET = frozenset({CALL_AGAIN, CHECK_PLACE})  # they name no tool
SIMILAR = "Similar paths:"  # how a hint begins that names some


class ErrorCode(StrEnum):
    """The kinds of failure, finer than those of any toolset, so that each can map them to its own."""

    INVALID_ARGUMENT = "invalid_argument"  # an argument is missing, unknown, of a wrong type or out of bounds
    PATH_INVALID = "path_invalid"  # no file can have this path: NUL, too long, not encodable
    PATH_ESCAPE = "path_escape"  # the path leaves the root
    PATH_DENIED = "path_denied"  # the deny policy refuses the name
    NOT_FOUND = "not_found"  # nothing has this path
    NOT_A_FILE = "not_a_file"  # the path is a directory, FIFO, socket or device
    NOT_A_DIRECTORY = "not_a_directory"  # the path is a file where a directory was asked for
    UNREADABLE = "unreadable"  # it exists, but the system refuses to read it
    FILE_TOO_LARGE = "file_too_large"  # above max_file_bytes
    BINARY_FILE = "binary_file"  # not text
    LIMIT_EXCEEDED = "limit_exceeded"  # a limit of the server would be exceeded
    BUSY = "busy"  # another process or call holds what is needed; try again
    TOO_MANY_CALLS = "too_many_calls"  # in too short a time, or too many of them hang; try again
    TIMEOUT = "timeout"  # the call took longer than the limit for one call
    CANCELLED = "cancelled"  # the client asked to stop
    CONFIG_INVALID = "config_invalid"  # the start configuration cannot be used
    NO_ROOT = "no_root"  # neither the client nor the working directory gives a root that may be served
    INDEX_UNAVAILABLE = "index_unavailable"  # there is no index to answer from yet
    INTERNAL = "internal"  # a defect of this program


# Reads that were refused for safety rather than failed: answers carry `blocked: true`.
BLOCKED_CODES = frozenset({ErrorCode.PATH_DENIED, ErrorCode.PATH_ESCAPE, ErrorCode.FILE_TOO_LARGE})


class RepoError(Exception):
    """A failure with a code, a message, a hint on what to do, and details for machines."""

    def __init__(
        self, code: ErrorCode, message: str, hint: str = "", details: Mapping[str, object] | None = None
    ) -> None:
        self.message = shorten_message(message)
        super().__init__(self.message)
        self.code = code
        self.hint = hint
        self.details: Mapping[str, object] = details or {}

    @property
    def blocked(self) -> bool:
        """Return True when a read was refused by the sandbox or the policy."""
        return self.code in BLOCKED_CODES


def shorten_message(message: str) -> str:
    """Return a message cut in its middle to about MAX_MESSAGE_CHARS: what is wrong is said at its ends."""
    if len(message) <= MAX_MESSAGE_CHARS:
        return message
    half = MAX_MESSAGE_CHARS // 2
    return f"{message[:half]}…{message[-half:]}"


def explain_limit(key: str) -> str:
    """Return the hint for a limit that a call has met: who may set it, and where."""
    option = "--" + key.replace("_", "-")
    return f"Ask the user to raise {key} with {option}; limits.{key} in repo_mcp.toml may have lowered it."


def describe_failed_read(error: OSError) -> RepoError:
    """Return the failure of a call because the system could not read the index, in the system's own words.

    The index may be intact, so it is not rebuilt.
    """
    said = f": {os.strerror(error.errno)}" if error.errno else ""
    return RepoError(ErrorCode.INDEX_UNAVAILABLE, f"The system failed to read the index{said}.", CALL_AGAIN)
