"""Say what to do about a failure that comes without a hint, whatever the toolset."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.errors import CALL_AGAIN, HINTS_OF_ANY_TOOLSET, ErrorCode, RepoError, explain_limit
from repo_mcp.text.lines import escape_text

# What to do about failures that come without a hint, whatever the toolset. A toolset may name its own tools.
HINTS: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_ARGUMENT: "Correct the argument and call again.",
    ErrorCode.PATH_INVALID: "Give a path inside the repository, relative to its root, with `/`.",
    ErrorCode.PATH_ESCAPE: "Give a path inside the repository, relative to its root.",
    ErrorCode.PATH_DENIED: "This name is never served. Work without it, or ask the user for what you need.",
    ErrorCode.NOT_FOUND: "List or search the files for its path.",
    ErrorCode.NOT_A_FILE: "Give the path of a file.",
    ErrorCode.NOT_A_DIRECTORY: "Give the path of a folder.",
    ErrorCode.UNREADABLE: "The system refuses to read it. Ask the user about its permissions.",
    ErrorCode.FILE_TOO_LARGE: explain_limit("max_file_bytes"),
    ErrorCode.BINARY_FILE: "Only text files can be read.",
    ErrorCode.LIMIT_EXCEEDED: "Ask for less.",
    ErrorCode.BUSY: "Try again in a few seconds.",
    ErrorCode.TOO_MANY_CALLS: "Try again in a few seconds.",
    ErrorCode.TIMEOUT: "Ask for less.",
    ErrorCode.CANCELLED: "Call again.",
    ErrorCode.CONFIG_INVALID: "Ask the user to correct the server's options.",
    ErrorCode.NO_ROOT: "Ask the user to open a repository in the client.",
    ErrorCode.INDEX_UNAVAILABLE: "Try again in a moment.",
    ErrorCode.INTERNAL: CALL_AGAIN,
}


def choose_hint(
    error: RepoError, hints: Mapping[ErrorCode, str], own: frozenset[ErrorCode] = frozenset()
) -> str:
    """Return a failure's own hint, or else one of `hints`.

    For the codes in `own`, `hints` come first, unless the failure's own hint names no tool.
    """
    known = hints.get(error.code, "")
    takes_own = error.code in own and error.hint not in HINTS_OF_ANY_TOOLSET
    return escape_text(known if takes_own else error.hint or known)
