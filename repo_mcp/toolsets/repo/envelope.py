"""The envelope of every answer of the `repo` toolset, for success, failure and refused reads.

    {"request_id":"…","ok":true,"result":{…},"warnings":[],"blocked":false}
    {"request_id":"…","ok":false,"result":null,"warnings":[],"blocked":true,
     "error":{"code":"path_denied","message":"…","hint":"…"},"reason":"…","hint":"…"}

An answer is kept within a number of bytes, measured on the JSON that is sent: rows are left out from the
end until it fits, and the draft says so. Whatever goes wrong inside becomes an envelope: no exception,
traceback or path of ours reaches a client. Each outcome is told to a recorder once; what it cannot record
is answered all the same, with a warning.
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
    build_answer,
    describe_outcome,
    get_fitting,
    is_too_long,
    run_call,
)
from repo_mcp.toolsets.binding import Call

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

_NOT_RECORDED_BYTES = len(f',"{NOT_RECORDED}"')

# The specification's codes; ours are finer. `busy` and `timeout` are ours: the call may be made again.
_CODES: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_ARGUMENT: "invalid_argument",
    ErrorCode.PATH_INVALID: "invalid_argument",
    ErrorCode.PATH_ESCAPE: "path_escape",
    ErrorCode.PATH_DENIED: "path_denied",
    ErrorCode.NOT_FOUND: "not_found",
    ErrorCode.NOT_A_FILE: "invalid_argument",
    ErrorCode.NOT_A_DIRECTORY: "invalid_argument",
    ErrorCode.UNREADABLE: "not_found",
    ErrorCode.FILE_TOO_LARGE: "file_too_large",
    ErrorCode.BINARY_FILE: "binary_file",
    ErrorCode.LIMIT_EXCEEDED: "limit_exceeded",
    ErrorCode.BUSY: "index_unavailable",
    ErrorCode.TOO_MANY_CALLS: "busy",
    ErrorCode.TIMEOUT: "timeout",
    ErrorCode.CANCELLED: "index_unavailable",
    ErrorCode.CONFIG_INVALID: "internal",
    ErrorCode.INDEX_UNAVAILABLE: "index_unavailable",
    ErrorCode.INTERNAL: "internal",
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own.
_DEFAULT_HINTS: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_ARGUMENT: "Correct the argument and call again.",
    ErrorCode.PATH_INVALID: "Give a path inside the repository, relative to its root, with `/`.",
    ErrorCode.PATH_ESCAPE: "Give a path inside the repository, relative to its root.",
    ErrorCode.PATH_DENIED: "This name is never served. Work without it, or ask the user for what you need.",
    ErrorCode.NOT_FOUND: "Find the path with repo.list_files.",
    ErrorCode.NOT_A_FILE: "List what lies in a directory with repo.list_files.",
    ErrorCode.NOT_A_DIRECTORY: "Open a file with repo.open_file.",
    ErrorCode.UNREADABLE: "The system refuses to read it. Ask the user about its permissions.",
    ErrorCode.FILE_TOO_LARGE: "Work without it, or ask the user to raise max_file_bytes.",
    ErrorCode.BINARY_FILE: "Only text files can be opened.",
    ErrorCode.LIMIT_EXCEEDED: "Ask for less.",
    ErrorCode.BUSY: "Try again in a few seconds.",
    ErrorCode.TOO_MANY_CALLS: "Try again in a few seconds.",
    ErrorCode.TIMEOUT: "Ask for less.",
    ErrorCode.CANCELLED: "Call again.",
    ErrorCode.CONFIG_INVALID: "Ask the user to correct the server's options.",
    ErrorCode.INDEX_UNAVAILABLE: "Call repo.status to see how far the index is, then try again.",
    ErrorCode.INTERNAL: "Try again; if it fails again, the details are on the server's standard error.",
}

Result = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Draft:
    """A result that can be cut: `build(n)` gives the result and warnings with the first n of its rows."""

    build: Callable[[int], tuple[Result, tuple[str, ...]]]
    rows: int = 0
    ordinary: bool = False  # True when the arguments ask for no particular amount


def answer_call(call: Call[Repository, Draft], *, max_bytes: int) -> ToolAnswer:
    """Run one call, render its outcome and have it recorded. Never raises."""
    request_id, started = new_request_id(), time.monotonic()
    reserved = 0 if call.record is None else _NOT_RECORDED_BYTES
    (answer, rows), code = run_call(
        "repo",
        call.tool,
        request_id,
        lambda: _fit(request_id, call.run(), max_bytes, reserved),
        lambda error: (_render_failure(request_id, error), 0),
    )
    if call.record is None:
        return answer
    name, answer_bytes = None if code is None else _CODES[code], len(answer.text.encode())
    outcome = describe_outcome(code, name, rows, answer_bytes, answer.structured["warnings"], started)
    return answer if call.record(request_id, outcome) else _warn(answer, NOT_RECORDED)


def _warn(answer: ToolAnswer, warning: str) -> ToolAnswer:
    """The answer with one more warning."""
    warnings = answer.structured["warnings"]
    envelope = {**answer.structured, "warnings": [*(warnings if isinstance(warnings, list) else ()), warning]}
    return build_answer(envelope, is_error=answer.is_error)


def _fit(request_id: str, draft: Draft, max_bytes: int, reserved: int) -> tuple[ToolAnswer, int]:
    """The answer with as many rows as fit. LIMIT_EXCEEDED when not even none does.

    `reserved` bytes are left for a warning that may have to be added.
    """

    def build(rows: int) -> ToolAnswer | None:
        answer = _render(request_id, draft, rows)
        return answer if _fits(answer, draft, max_bytes - reserved) else None

    return get_fitting(draft.rows, build, f"max_total_bytes_per_response, {max_bytes:,} bytes")


def _fits(answer: ToolAnswer, draft: Draft, max_bytes: int) -> bool:
    if is_too_long(answer.text, ordinary=draft.ordinary):
        return False
    return len(answer.text.encode("utf-8")) <= max_bytes


def _render(request_id: str, draft: Draft, rows: int) -> ToolAnswer:
    result, warnings = draft.build(rows)
    envelope = {
        "request_id": request_id,
        "ok": True,
        "result": result,
        "warnings": [escape_text(warning) for warning in warnings],
        "blocked": False,
    }
    return build_answer(envelope)


def _render_failure(request_id: str, error: RepoError) -> ToolAnswer:
    message = escape_text(error.message)
    hint = escape_text(error.hint) or _DEFAULT_HINTS[error.code]
    envelope: dict[str, object] = {
        "request_id": request_id,
        "ok": False,
        "result": None,
        "warnings": [],
        "blocked": error.blocked,
        "error": {"code": _CODES[error.code], "message": message, "hint": hint},
    }
    if error.blocked:
        envelope |= {"reason": message, "hint": hint}
    return build_answer(envelope, is_error=True)
