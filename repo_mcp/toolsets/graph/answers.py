"""Answers of the `graph` toolset: results as specification 3 shows them, errors in its one format.

    {"result":[…],"truncated":false}
    {"error":{"code":"not_found","message":"…","hint":"…"}}

What specification 3 calls an array is `result` of an object, since structured content is one. `warnings` is
there only when something about the answer is incomplete or unusual.

An answer has at most a number of bytes, measured on the JSON that is sent: rows are left out from the end
until it fits, and `truncated` says so. No exception, traceback or path of ours reaches a client.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.audit.call_recorder import new_request_id
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import ToolAnswer, escape_text
from repo_mcp.toolsets.answers import (
    NOT_RECORDED,
    add_warnings,
    build_answer,
    describe_outcome,
    get_fitting,
    is_too_long,
    run_call,
)
from repo_mcp.toolsets.binding import Call

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

_NOT_RECORDED_BYTES = len(f',"warnings":["{NOT_RECORDED}"]')

# The specification's codes; ours are finer. `blocked` is ours: a name that is never served; so are `busy` and
# `timeout`: the call may be made again.
_CODES: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_ARGUMENT: "invalid_parameter",
    ErrorCode.PATH_INVALID: "invalid_parameter",
    ErrorCode.PATH_ESCAPE: "path_escape",
    ErrorCode.PATH_DENIED: "blocked",
    ErrorCode.NOT_FOUND: "not_found",
    ErrorCode.NOT_A_FILE: "invalid_parameter",
    ErrorCode.NOT_A_DIRECTORY: "invalid_parameter",
    ErrorCode.UNREADABLE: "not_found",
    ErrorCode.FILE_TOO_LARGE: "too_large",
    ErrorCode.BINARY_FILE: "binary_file",
    ErrorCode.LIMIT_EXCEEDED: "too_large",
    ErrorCode.BUSY: "engine_unavailable",
    ErrorCode.TOO_MANY_CALLS: "busy",
    ErrorCode.TIMEOUT: "timeout",
    ErrorCode.CANCELLED: "engine_unavailable",
    ErrorCode.CONFIG_INVALID: "engine_unavailable",
    ErrorCode.INDEX_UNAVAILABLE: "engine_unavailable",
    ErrorCode.INTERNAL: "index_error",
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own.
_DEFAULT_HINTS: Mapping[ErrorCode, str] = {
    ErrorCode.PATH_INVALID: "Give a path inside the repository, relative to its root, with `/`.",
    ErrorCode.PATH_ESCAPE: "Give a path inside the repository, relative to its root.",
    ErrorCode.PATH_DENIED: "This name is never served. Work without it, or ask the user for what you need.",
    ErrorCode.NOT_FOUND: "Find the path with list_directory or get_directory_tree.",
    ErrorCode.NOT_A_FILE: "List what lies in a directory with list_directory.",
    ErrorCode.NOT_A_DIRECTORY: "Read a file with read_file.",
    ErrorCode.UNREADABLE: "The system refuses to read it. Ask the user about its permissions.",
    ErrorCode.FILE_TOO_LARGE: "Work without it, or ask the user to raise max_file_bytes.",
    ErrorCode.BINARY_FILE: "Only text files can be read.",
    ErrorCode.LIMIT_EXCEEDED: "Ask for less.",
    ErrorCode.BUSY: "Try again in a few seconds.",
    ErrorCode.INDEX_UNAVAILABLE: "Files are being indexed: get_status tells how far that is. Until then"
    " list_directory, get_directory_tree and read_file work.",
    ErrorCode.INTERNAL: "Try again; if it fails again, the details are on the server's standard error.",
}
_OWN_HINTS = frozenset({ErrorCode.INDEX_UNAVAILABLE, ErrorCode.BUSY})  # others' hints name other tools

Result = dict[str, object]


@dataclass(frozen=True, slots=True)
class Draft:
    """A result that can be cut: `build(n)` gives it with the first n of its rows."""

    build: Callable[[int], Result]
    rows: int = 0
    ordinary: bool = False  # True when the arguments ask for no particular amount
    max_bytes: int | None = None  # where it is not that of the other answers


def answer_call(call: Call[Repository, Draft], *, max_bytes: int) -> ToolAnswer:
    """Run one call, render its outcome and have it recorded. Never raises."""
    request_id, started = new_request_id(), time.monotonic()
    (answer, rows), code = run_call(
        "graph",
        call.tool,
        request_id,
        lambda: _fit(call.run(), max_bytes),
        lambda error: (_render_failure(error), 0),
    )
    if call.record is None:
        return answer
    name, answer_bytes = None if code is None else _CODES[code], len(answer.text.encode())
    warnings = answer.structured.get("warnings")
    outcome = describe_outcome(code, name, rows, answer_bytes, warnings, started)
    if call.record(request_id, outcome):
        return answer
    return build_answer(add_warnings({**answer.structured}, [NOT_RECORDED]), is_error=answer.is_error)


def name_code(code: ErrorCode) -> str:
    """The specification's code for one of ours."""
    return _CODES[code]


def _fit(draft: Draft, max_bytes: int) -> tuple[ToolAnswer, int]:
    """The result with as many rows as fit. LIMIT_EXCEEDED when not even none does."""
    most = (draft.max_bytes or max_bytes) - _NOT_RECORDED_BYTES

    def build(rows: int) -> ToolAnswer | None:
        answer = build_answer(draft.build(rows))
        too_long = is_too_long(answer.text, ordinary=draft.ordinary)
        return None if too_long or len(answer.text.encode()) > most else answer

    return get_fitting(draft.rows, build, f"{most:,} bytes")


def _render_failure(error: RepoError) -> ToolAnswer:
    shown = {"code": _CODES[error.code], "message": escape_text(error.message)}
    own = _DEFAULT_HINTS.get(error.code, "")
    hint = own if error.code in _OWN_HINTS else escape_text(error.hint) or own
    return build_answer({"error": shown | ({"hint": hint} if hint else {})}, is_error=True)
