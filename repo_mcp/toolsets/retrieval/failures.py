"""The error codes of the `retrieval` toolset, and how every failure becomes one of them.

    {"code":"PATH_NOT_FOUND","message":"There is nothing at 'a.md' in docs.",
     "details":{"argument":"path","reason":"missing","hint":"…"}}

Codes, messages and `reason` are stable and documented in `docs/errors.md`, which a test compares with what
the tools answer. An unusable argument gets the code of that argument: there is no code for arguments as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from repo_mcp.errors import CALL_AGAIN, SIMILAR, ErrorCode, RepoError, explain_limit
from repo_mcp.workspace.reader.client_paths import shown


class Code(StrEnum):
    """The codes that clients get. `docs/errors.md` says when."""

    REPO_INVALID = "REPO_INVALID"
    CONFIG_MISSING = "CONFIG_MISSING"  # at the start alone: a server without its roots does not run
    CONFIG_INVALID = "CONFIG_INVALID"
    PATH_INVALID = "PATH_INVALID"
    PATH_OUT_OF_ROOT = "PATH_OUT_OF_ROOT"
    PATH_DENIED = "PATH_DENIED"
    PATH_NOT_FOUND = "PATH_NOT_FOUND"
    PATH_UNREADABLE = "PATH_UNREADABLE"
    PATH_IS_DIRECTORY = "PATH_IS_DIRECTORY"
    QUERY_EMPTY = "QUERY_EMPTY"
    QUERY_INVALID = "QUERY_INVALID"
    LIMIT_INVALID = "LIMIT_INVALID"
    RANGE_INVALID = "RANGE_INVALID"
    BINARY_FILE = "BINARY_FILE"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    BUSY = "BUSY"
    TIMEOUT = "TIMEOUT"
    INTERNAL = "INTERNAL"


_ARGUMENT_CODES: Mapping[str, Code] = {
    "repo": Code.REPO_INVALID,
    "path": Code.PATH_INVALID,
    "path_glob": Code.PATH_INVALID,
    "query": Code.QUERY_INVALID,
    "regex": Code.QUERY_INVALID,
    "case_sensitive": Code.QUERY_INVALID,
    "limit": Code.LIMIT_INVALID,
    "cursor": Code.LIMIT_INVALID,
    "start_line": Code.RANGE_INVALID,
    "end_line": Code.RANGE_INVALID,
}

_HINTS: Mapping[Code, str] = {
    Code.CONFIG_INVALID: "Ask the user to correct the roots and to start the server again.",
    Code.PATH_INVALID: "Give a path relative to the root of repo, with '/' between names.",
    Code.PATH_OUT_OF_ROOT: "Give a path inside the root of repo, relative to it.",
    Code.PATH_DENIED: "This name is never served. Work without it, or ask the user for what you need.",
    Code.PATH_NOT_FOUND: "Find the path with list_dir or search.",
    Code.PATH_UNREADABLE: "The system refuses to read it. Ask the user about its permissions.",
    Code.PATH_IS_DIRECTORY: "List it with list_dir.",
    Code.QUERY_INVALID: "Correct the query and search again.",
    Code.RANGE_INVALID: "Give 1 <= start_line <= end_line; end_line may lie beyond the end of the file.",
    Code.BINARY_FILE: "Only text files can be opened.",
    Code.FILE_TOO_LARGE: explain_limit("max_file_bytes"),
    Code.INTERNAL: CALL_AGAIN,
}


class Failure(RepoError):
    """A call that failed, as the client sees it."""

    def __init__(self, shown_code: Code, message: str, reason: str, **details: object) -> None:
        hint = _HINTS.get(shown_code, "")
        super().__init__(
            ErrorCode.INVALID_ARGUMENT, message, details={"reason": reason, "hint": hint, **details}
        )
        self.shown_code = shown_code


def explain_argument(tool: str, error: RepoError) -> Failure:
    """Return the failure for an argument that the schema refuses."""
    argument = str(error.details.get("argument", ""))
    code = _ARGUMENT_CODES.get(argument)
    if code is None:  # there is no such argument
        code = Code.QUERY_INVALID if tool == "search" else Code.PATH_INVALID
        return Failure(code, error.message, "unknown_argument", argument=argument, hint=error.hint)
    reason = "missing_argument" if error.message.endswith("is missing") else "argument"
    if argument == "query" and (reason == "missing_argument" or " is empty" in error.message):
        code = Code.QUERY_EMPTY
    return Failure(code, error.message, reason, argument=argument, hint=error.hint)


def explain(error: RepoError, tool: str, repo: str, path: str | None) -> Failure:
    """Return the failure for an error of the engine, and note a defect in the log of the server.

    `path` is the client's, None for a search.
    """
    if error.code is ErrorCode.INTERNAL:
        import logging  # here: tools are listed before anything is called

        logging.getLogger("repo_mcp.toolsets.retrieval").error("%s failed: %s", tool, error.message)
    failure = _EXPLAINERS.get(error.code, _explain_internal)(error, repo, path)
    failure.code = error.code
    return failure


def explain_refusal(error: RepoError) -> Failure:
    """Return the failure for a call that was refused or abandoned, whatever it asks."""
    if isinstance(error, Failure):
        return error
    if error.details.get("argument") == "cursor":
        return Failure(Code.LIMIT_INVALID, error.message, "cursor", argument="cursor", hint=error.hint)
    if error.code is ErrorCode.LIMIT_EXCEEDED:
        return Failure(Code.INTERNAL, error.message, "response_too_large", hint=error.hint)
    if error.code is ErrorCode.TOO_MANY_CALLS:
        return Failure(Code.BUSY, error.message, "busy", hint=error.hint)
    if error.code is ErrorCode.TIMEOUT:
        return Failure(Code.TIMEOUT, error.message, "timeout", hint=error.hint)
    return _explain_internal(error, "", None)


def _name(path: str | None, repo: str) -> str:
    return f"{shown(path or '.')} in {repo}"


def _explain_internal(error: RepoError, repo: str, path: str | None) -> Failure:
    return Failure(Code.INTERNAL, "The server failed on this call.", "internal")


def _explain_argument_of_engine(error: RepoError, repo: str, path: str | None) -> Failure:
    """Return the failure for arguments that only the engine can check: patterns, globs, lines of a file."""
    argument = str(error.details.get("argument", ""))
    if argument in ("start_line", "end_line"):
        total = error.details.get("total_lines")
        return Failure(Code.RANGE_INVALID, error.message, "range", argument=argument, total_lines=total)
    if "glob" in argument or "glob" in error.message.lower():
        return Failure(Code.PATH_INVALID, error.message, "pattern", argument="path_glob", hint=error.hint)
    return Failure(Code.QUERY_INVALID, error.message, "pattern", argument="query", **_hint_of(error))


def _hint_of(error: RepoError) -> dict[str, str]:
    return {"hint": error.hint} if error.hint else {}


def _explain_malformed(error: RepoError, repo: str, path: str | None) -> Failure:
    return Failure(Code.PATH_INVALID, error.message, "malformed", argument="path")


def _explain_escape(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"The path leaves the root of {repo}."
    return Failure(Code.PATH_OUT_OF_ROOT, message, "out_of_root", argument="path")


def _explain_denial(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"{_name(path, repo)} is denied by the rule {error.details.get('rule', '')}."
    hint = error.hint or _HINTS[Code.PATH_DENIED]
    return Failure(Code.PATH_DENIED, message, "denied", argument="path", hint=hint)


def _explain_missing(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"There is nothing at {_name(path, repo)}."
    hint = error.hint if error.hint.startswith(SIMILAR) else _HINTS[Code.PATH_NOT_FOUND]
    return Failure(Code.PATH_NOT_FOUND, message, "missing", argument="path", hint=hint)


def _explain_no_file(error: RepoError, repo: str, path: str | None) -> Failure:
    if error.details.get("is_directory"):
        return Failure(
            Code.PATH_IS_DIRECTORY, f"{_name(path, repo)} is a directory.", "directory", argument="path"
        )
    return Failure(
        Code.PATH_UNREADABLE, f"{_name(path, repo)} is not a regular file.", "unreadable", argument="path"
    )


def _explain_no_directory(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"{_name(path, repo)} is not a directory."
    return Failure(Code.PATH_INVALID, message, "not_a_directory", argument="path", hint="Open it instead.")


def _explain_unreadable(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"{_name(path, repo)} cannot be read."
    return Failure(Code.PATH_UNREADABLE, message, "unreadable", argument="path")


def _explain_size(error: RepoError, repo: str, path: str | None) -> Failure:
    most = error.details.get("max_bytes")
    message = f"{_name(path, repo)} has more than {most:,} bytes."
    return Failure(Code.FILE_TOO_LARGE, message, "too_large", argument="path", max_bytes=most)


def _explain_binary(error: RepoError, repo: str, path: str | None) -> Failure:
    message = f"{_name(path, repo)} is binary: it has a NUL byte near its start."
    return Failure(Code.BINARY_FILE, message, "binary", argument="path")


def _explain_cancelled(error: RepoError, repo: str, path: str | None) -> Failure:
    return Failure(Code.INTERNAL, "The call was cancelled.", "cancelled", hint="Call again.")


_EXPLAINERS: Mapping[ErrorCode, Callable[[RepoError, str, str | None], Failure]] = {
    ErrorCode.INVALID_ARGUMENT: _explain_argument_of_engine,
    ErrorCode.PATH_INVALID: _explain_malformed,
    ErrorCode.PATH_ESCAPE: _explain_escape,
    ErrorCode.PATH_DENIED: _explain_denial,
    ErrorCode.NOT_FOUND: _explain_missing,
    ErrorCode.NOT_A_FILE: _explain_no_file,
    ErrorCode.NOT_A_DIRECTORY: _explain_no_directory,
    ErrorCode.UNREADABLE: _explain_unreadable,
    ErrorCode.FILE_TOO_LARGE: _explain_size,
    ErrorCode.BINARY_FILE: _explain_binary,
    ErrorCode.CANCELLED: _explain_cancelled,
}
