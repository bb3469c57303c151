"""The envelope of every answer of the `repo` toolset, for success, failure and refused reads.

{"request_id":"…","ok":true,"result":{…},"warnings":[],"blocked":false}
{"request_id":"…","ok":false,"result":null,"warnings":[],"blocked":true,
 "error":{"code":"path_denied","message":"…","hint":"…"},"reason":"…","hint":"…"}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import ToolAnswer
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import NOT_RECORDED, Call, Form, build_answer, render_envelope
from repo_mcp.toolsets.failure_hints import HINTS, choose_hint

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

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
    ErrorCode.NO_ROOT: "index_unavailable",
    ErrorCode.INDEX_UNAVAILABLE: "index_unavailable",
    ErrorCode.INTERNAL: "internal",
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own.
_HINTS: Mapping[ErrorCode, str] = {
    **HINTS,
    ErrorCode.NOT_FOUND: "Find the path with repo.list_files.",
    ErrorCode.NOT_A_FILE: "List a directory with repo.list_files.",
    ErrorCode.NOT_A_DIRECTORY: "Open a file with repo.open_file.",
    ErrorCode.BINARY_FILE: "Only text files can be opened.",
    ErrorCode.INDEX_UNAVAILABLE: "Call repo.status to see how far the index is, then try again.",
}


def describe_error(error: RepoError) -> dict[str, str]:
    """Return the code, message and hint of a failure, as clients see them."""
    message, hint = escape_text(error.message), choose_hint(error, _HINTS)
    return {"code": _CODES[error.code], "message": message, "hint": hint}


def _render_failure(call: Call[Repository], error: RepoError, warnings: Sequence[str]) -> ToolAnswer:
    described = describe_error(error)
    envelope: dict[str, object] = {
        "request_id": call.request_id,
        "ok": False,
        "result": None,
        "warnings": [*warnings],
        "blocked": error.blocked,
        "error": described,
    }
    if error.blocked:
        envelope |= {"reason": described["message"], "hint": described["hint"]}
    return build_answer(envelope, is_error=True)


FORM = Form(
    "repo",
    lambda error: _CODES[error.code],
    render_envelope,
    _render_failure,
    reserved_bytes=len(f',"{NOT_RECORDED}"'),
    room="max_total_bytes_per_response, {whole:,} bytes",
)
