"""Answers of the `research` toolset: results in the form asked for, errors as specification 4 has them.

    json     text is the compact JSON of the structured content, byte for byte: {"query":"…","results":[…]}
    human    text for people; toon: the same values as JSON has, in fewer tokens (repo_mcp/toolsets/toon.py).
             Structured content is then {"format":"human","text":"…"}: whoever reads only that loses nothing
    errors   text is the message alone, as the specification writes it, and structured content
             {"error":{"code":"not_found","message":"…"}}

An answer has at most a number of bytes, measured on its text and its blocks: rows are left out from the end
until it fits. No exception, traceback or path of ours reaches a client.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.audit.call_recorder import new_request_id
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import Audio, Block, JsonSchema, ToolAnswer, escape_text, validate_arguments
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

NOT_RECORDED_BYTES = 64  # that such a warning takes at most, in any form
JSON, HUMAN, TOON = FORMATS = ("json", "human", "toon")
_CODES: Mapping[ErrorCode, str] = {code: code.value for code in ErrorCode} | {
    ErrorCode.TOO_MANY_CALLS: "busy"
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own, and those whose own hints name tools of other toolsets.
_HINTS: Mapping[ErrorCode, str] = {
    ErrorCode.LIMIT_EXCEEDED: "Ask for less.",
    ErrorCode.BUSY: "Try again in a few seconds.",
    ErrorCode.INDEX_UNAVAILABLE: "Run 'index_codebase' tool, or try again in a moment.",
    ErrorCode.INTERNAL: "Try again; if it fails again, the details are on the server's standard error.",
}
_OWN_HINTS = frozenset({ErrorCode.BUSY, ErrorCode.INDEX_UNAVAILABLE})

Result = dict[str, object]


def _no_blocks(_result: Result) -> tuple[Block, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A result that can be cut: `build(n)` gives it with the first n of its rows."""

    build: Callable[[int], Result]  # its JSON form, with "warnings" where there are any
    render: Callable[[Result], str]  # the `human` form of what `build` gave, without its warnings
    rows: int = 0
    ordinary: bool = False  # True when the arguments ask for no particular amount
    blocks: Callable[[Result], tuple[Block, ...]] = _no_blocks  # beside the text


class Worded(RepoError):
    """A failure in the words of specification 4: nothing is added to them."""


def answer_call(call: Call[Repository, Draft], *, max_bytes: int) -> ToolAnswer:
    """Run one call, render its outcome in the form asked for, have it recorded. Raises no Exception."""
    request_id, started = new_request_id(), time.monotonic()
    asked = call.arguments.get("format")
    form = asked if isinstance(asked, str) and asked in FORMATS else JSON

    def run() -> tuple[Draft | None, ToolAnswer, Result, int]:
        draft = call.run()
        return draft, *_fit(draft, form, max_bytes - NOT_RECORDED_BYTES)

    (draft, answer, result, rows), code = run_call(
        "research", call.tool, request_id, run, lambda error: (None, _render_failure(error), {}, 0)
    )
    if call.record is None:
        return answer
    name = None if code is None else _CODES[code]
    outcome = describe_outcome(code, name, rows, _count_bytes(answer), result.get("warnings"), started)
    if call.record(request_id, outcome) or draft is None:
        return answer
    return _render(draft, add_warnings(result, [NOT_RECORDED]), form)


def check_arguments(
    tool: str, schema: JsonSchema, arguments: Mapping[str, object], free_text: frozenset[str]
) -> None:
    """As `validate_arguments`, but first what specification 4 words: what is missing, an empty query."""
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in arguments:
            raise Worded(ErrorCode.INVALID_ARGUMENT, f"Missing required argument: {name}")
    query = arguments.get("query")
    if isinstance(query, str) and not query.strip():
        raise Worded(ErrorCode.INVALID_ARGUMENT, "Query cannot be empty")
    validate_arguments(schema, arguments, free_text)


def _render_failure(error: RepoError) -> ToolAnswer:
    """The message, and what to do behind it."""
    own = _HINTS.get(error.code, "")
    hint = own if error.code in _OWN_HINTS else error.hint or own
    text = error.message
    if not isinstance(error, Worded) and hint:
        text = f"{text}{'' if text.endswith('.') else '.'} {hint}"
    text = escape_text(text)
    return ToolAnswer({"error": {"code": _CODES[error.code], "message": text}}, text, is_error=True)


def _count_bytes(answer: ToolAnswer) -> int:
    """What the text and the blocks take."""
    return len(answer.text.encode()) + sum(map(_count_block, answer.blocks))


def _count_block(block: Block) -> int:
    if isinstance(block, Audio):
        return len(block.data) + len(block.mime_type)
    return sum(len(text.encode()) for text in (block.uri, block.name, block.mime_type, block.description))


def _fit(draft: Draft, form: str, most: int) -> tuple[ToolAnswer, Result, int]:
    """The answer with as many rows as fit. LIMIT_EXCEEDED when not even none does."""

    def build(rows: int) -> tuple[ToolAnswer, Result] | None:
        result = draft.build(rows)
        answer = _render(draft, result, form)
        too_long = is_too_long(answer.text, ordinary=draft.ordinary)
        return None if too_long or _count_bytes(answer) > most else (answer, result)

    (answer, result), rows = get_fitting(draft.rows, build, f"{most:,} bytes")
    return answer, result, rows


def _render(draft: Draft, result: Result, form: str) -> ToolAnswer:
    blocks = draft.blocks(result)
    if form == JSON:
        return build_answer(result, blocks=blocks)
    if form == HUMAN:
        text = _append_warnings(draft.render(result), result)
    else:
        from repo_mcp.toolsets.toon import encode_toon  # here: tools are listed before anything is called

        text = encode_toon(result)
    return ToolAnswer({"format": form, "text": text}, text, False, blocks)


def _append_warnings(text: str, result: Result) -> str:
    warnings = result.get("warnings")
    if not isinstance(warnings, list):
        return text
    return "\n".join([text.rstrip("\n"), "", *(f"Note: {warning}" for warning in warnings)])
