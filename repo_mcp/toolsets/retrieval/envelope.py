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

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from repo_mcp.audit.argument_shapes import PathClass
from repo_mcp.audit.call_recorder import CallOutcome, new_request_id
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import ToolAnswer, escape_text
from repo_mcp.toolsets.answers import NOT_RECORDED, build_answer, fit_rows, log_defect
from repo_mcp.toolsets.binding import Call
from repo_mcp.toolsets.retrieval.failures import Code, Failure, explain_refusal
from repo_mcp.toolsets.retrieval.roots import Roots

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


_BLOCKED = frozenset({Code.PATH_DENIED, Code.PATH_OUT_OF_ROOT, Code.FILE_TOO_LARGE})
_CLASSES = {Code.PATH_DENIED: PathClass.DENIED, Code.PATH_OUT_OF_ROOT: PathClass.ESCAPE}


def answer_call(call: Call[Roots, Draft], repo: str | None, max_bytes: int) -> ToolAnswer:
    """Run one call, render its outcome and have it recorded. Never raises."""
    started = time.monotonic()
    rows, encoded, failure = 0, "", None
    try:
        (part, encoded), rows = _fit(call.run(), max_bytes)
    except Failure as error:
        failure = error
    except RepoError as error:  # of the call as such, whatever it asks
        failure = explain_refusal(error)
        if failure.code is Code.INTERNAL:
            log_defect("retrieval", call.tool, error)
    except Exception as error:
        log_defect("retrieval", call.tool, error)
        failure = Failure(Code.INTERNAL, "The server failed on this call.", "internal")
    duration_ms = round((time.monotonic() - started) * 1000)
    body: dict[str, object] = {"result": part.result} if failure is None else {"error": _render(failure)}
    warnings = part.warnings if failure is None else ()
    meta: dict[str, object] = {
        "repo": repo,
        "duration_ms": duration_ms,
        "truncated": failure is None and part.truncated,
    }
    answer = _build_answer(body, encoded, meta, warnings)
    if call.record is None:
        return answer
    code = None if failure is None else failure.code
    cancelled = failure is not None and failure.details["reason"] == "cancelled"
    path_class = None if code is None else _CLASSES.get(code)
    sizes = (rows, len(answer.text.encode()), len(warnings), duration_ms)
    outcome = CallOutcome(code, code in _BLOCKED, cancelled, path_class, *sizes)
    recorded = call.record(new_request_id(), outcome)
    return answer if recorded else _build_answer(body, encoded, meta, (*warnings, NOT_RECORDED))


def _render(failure: Failure) -> dict[str, object]:
    details = {
        name: escape_text(value) if isinstance(value, str) else value
        for name, value in failure.details.items()
    }
    return {"code": failure.code.value, "message": escape_text(failure.message), "details": details}


def _build_answer(
    body: dict[str, object], encoded: str, meta: dict[str, object], warnings: tuple[str, ...]
) -> ToolAnswer:
    """The answer with its one member besides `meta`: `encoded` is the JSON of a result, "" for an error."""
    noted = {"warnings": [escape_text(warning) for warning in warnings]} if warnings else {}
    envelope = body | {"meta": meta | noted}
    if not encoded:
        return build_answer(envelope, is_error=True)
    text = f'{{"result":{encoded},"meta":{encode_json(envelope["meta"])}}}'
    return ToolAnswer(envelope, text, is_error=False, json=text)


def _fit(draft: Draft, max_bytes: int) -> tuple[tuple[Part, str], int]:
    """The result with as many rows as fit, and its JSON. A failure when not even none does."""

    def build(rows: int) -> tuple[Part, str] | None:
        part = draft.build(rows)
        encoded = encode_json(part.result)
        return (part, encoded) if _fits(part, encoded, max_bytes) else None

    found = fit_rows(draft.rows, build)
    if found is None:
        raise Failure(
            Code.INTERNAL,
            f"The answer does not fit into max_total_bytes_per_response, {max_bytes:,} bytes.",
            "response_too_large",
            hint="Ask the user to raise max_total_bytes_per_response.",
        )
    return found


def _fits(part: Part, encoded: str, max_bytes: int) -> bool:
    sent = f'{{"result":{encoded},"warnings":{encode_json(part.warnings)}}}'
    return len(sent.encode()) + _META_BYTES <= max_bytes


def as_failure(error: RepoError, explain: Callable[[RepoError], Failure], tool: str) -> Failure:
    """The failure for an error of the engine; a defect of ours is noted."""
    if error.code is ErrorCode.INTERNAL:
        import logging

        logging.getLogger("repo_mcp.toolsets.retrieval").error("%s failed: %s", tool, error.message)
    return explain(error)
