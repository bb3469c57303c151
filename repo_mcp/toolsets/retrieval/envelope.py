"""The envelope of every answer of the `retrieval` toolset.

    {"result":{…},"meta":{"repo":"docs","duration_ms":3,"truncated":false}}
    {"error":{"code":"PATH_NOT_FOUND","message":"…","details":{…}},
     "meta":{"repo":"docs","duration_ms":0,"truncated":false}}

`meta.repo` is the repository asked for, "both" included; null when the argument names none. What varies
from call to call stands in `meta` alone: equal trees and arguments give an equal `result`. `meta.warnings`
is there only when something about the answer is incomplete or unusual.

An answer has at most a number of bytes, measured on the JSON that is sent: rows are left out from the end
until it fits, and `meta.truncated` says so. No exception, traceback or path of ours reaches a client.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from repo_mcp.argument_shapes import PathClass
from repo_mcp.call_recorder import CallOutcome
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.tool_model import ToolAnswer, escape_text
from repo_mcp.toolsets.retrieval.failures import Code, Failure

NOT_RECORDED = "audit_unavailable"  # the warning of an answer that is not in the log
# What `meta` takes at most besides the warnings of the draft: the duration is not known before.
_META_BYTES = 128

Result = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Part:
    """A result with some of its rows."""

    result: Result
    truncated: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A result that can be cut: `build(n)` gives it with the first n of its rows."""

    build: Callable[[int], Part]
    rows: int


Recorder = Callable[[CallOutcome], bool]  # False when it could not be recorded

_BLOCKED = frozenset({Code.PATH_DENIED, Code.PATH_OUT_OF_ROOT, Code.FILE_TOO_LARGE})
_CLASSES = {Code.PATH_DENIED: PathClass.DENIED, Code.PATH_OUT_OF_ROOT: PathClass.ESCAPE}


def encode(value: Mapping[str, object]) -> str:
    """Compact JSON: the text block, byte for byte."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def answer_call(
    tool: str, repo: str | None, run: Callable[[], Draft], max_bytes: int, record: Recorder | None = None
) -> ToolAnswer:
    """Run one call, render its outcome and have it recorded. Never raises."""
    started = time.monotonic()
    rows, failure = 0, None
    try:
        part, rows = _fit(run(), max_bytes)
    except Failure as error:
        failure = error
    except Exception as error:
        failure = _note_defect(tool, error)
    duration_ms = round((time.monotonic() - started) * 1000)
    body: dict[str, object] = {"result": part.result} if failure is None else {"error": _render(failure)}
    warnings = part.warnings if failure is None else ()
    meta: dict[str, object] = {
        "repo": repo,
        "duration_ms": duration_ms,
        "truncated": failure is None and part.truncated,
    }
    answer = _build_answer(body, meta, warnings)
    if record is None:
        return answer
    code = None if failure is None else failure.code
    cancelled = failure is not None and failure.details["reason"] == "cancelled"
    path_class = None if code is None else _CLASSES.get(code)
    sizes = (rows, len(answer.text.encode()), len(warnings), duration_ms)
    outcome = CallOutcome(code, code in _BLOCKED, cancelled, path_class, *sizes)
    return answer if record(outcome) else _build_answer(body, meta, (*warnings, NOT_RECORDED))


def _note_defect(tool: str, error: Exception) -> Failure:
    """The type and the place go to standard error, never the message: it may quote a file."""
    import traceback  # here: tools are listed before anything is called

    places = traceback.extract_tb(error.__traceback__)
    where = f"{places[-1].name}:{places[-1].lineno}" if places else "?"
    _log("%s failed: %s in %s", tool, type(error).__name__, where)
    return Failure(Code.INTERNAL, "The server failed on this call.", "internal")


def _log(template: str, *words: str) -> None:
    import logging

    logging.getLogger("repo_mcp.toolsets.retrieval").error(template, *words)


def _render(failure: Failure) -> dict[str, object]:
    details = {
        name: escape_text(value) if isinstance(value, str) else value
        for name, value in failure.details.items()
    }
    return {"code": failure.code.value, "message": escape_text(failure.message), "details": details}


def _build_answer(body: dict[str, object], meta: dict[str, object], warnings: tuple[str, ...]) -> ToolAnswer:
    noted = {"warnings": [escape_text(warning) for warning in warnings]} if warnings else {}
    envelope = body | {"meta": meta | noted}
    return ToolAnswer(envelope, encode(envelope), is_error="error" in body)


def _fit(draft: Draft, max_bytes: int) -> tuple[Part, int]:
    """The result with as many rows as fit, found by halving. A failure when not even none does."""
    part = draft.build(draft.rows)
    if _fits(part, max_bytes):
        return part, draft.rows
    if draft.rows == 0 or not _fits(draft.build(0), max_bytes):
        raise Failure(
            Code.INTERNAL,
            f"The answer does not fit into max_total_bytes_per_response, {max_bytes:,} bytes.",
            "response_too_large",
            hint="Ask the user to raise max_total_bytes_per_response.",
        )
    fitting, too_many = 0, draft.rows
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if _fits(draft.build(middle), max_bytes):
            fitting = middle
        else:
            too_many = middle
    return draft.build(fitting), fitting


def _fits(part: Part, max_bytes: int) -> bool:
    sent = encode({"result": part.result, "warnings": list(part.warnings)})
    return len(sent.encode()) + _META_BYTES <= max_bytes


def as_failure(error: RepoError, explain: Callable[[RepoError], Failure], tool: str) -> Failure:
    """The failure for an error of the engine; a defect of ours is noted."""
    if error.code is ErrorCode.INTERNAL:
        _log("%s failed: %s", tool, error.message)
    return explain(error)
