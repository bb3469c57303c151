"""Turn a call of any toolset into its one answer, and log the outcome.

A tool drafts a result that can lose rows from its end. `answer_call` renders as many rows as fit into the
limit of bytes, or renders the failure, and logs the outcome once. An answer that cannot be logged is still
returned, with a warning. No exception, traceback or path of ours reaches a client. Once the arguments of a
call have been checked, each has the type of its schema, or is left out.

Left out on purpose: the form of failures, which each toolset's specification and its `Form` define; what a
result leaves out because it says nothing (`repo_mcp.toolsets.pruning`); and cursors
(`repo_mcp.toolsets.pages`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from repo_mcp.audit.call_recorder import CallOutcome, classify, new_request_id
from repo_mcp.errors import ErrorCode, RepoError, describe_failed_read, explain_limit
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import Audio, Block, ToolAnswer
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import escape_texts
from repo_mcp.toolsets.pruning import Prune
from repo_mcp.toolsets.shown_text import ORDINARY_CHARS

ROOMS_TRIED = 3  # for the lines of one row more
LINE_BYTES = 80  # of most lines of code
NOT_RECORDED = "audit_unavailable"  # the warning of an answer that is not in the log

Asked = TypeVar("Asked")  # a repository, or several roots
Fitted = TypeVar("Fitted")
Result = dict[str, object]
Record = Callable[[str, CallOutcome], bool]  # given the request's id; False when it could not be recorded
Arguments = Mapping[str, object]


def find_text(arguments: Arguments, name: str) -> str | None:
    """Return a string argument; None if it is left out."""
    value = arguments.get(name)
    return value if isinstance(value, str) else None


def find_integer(arguments: Arguments, name: str) -> int | None:
    """Return an integer argument; None if it is left out."""
    value = arguments.get(name)
    return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True)
class Part:
    """A result with some of its rows."""

    result: Mapping[str, object]
    warnings: Sequence[str] = ()  # not escaped yet: the form escapes them
    truncated: bool = False  # for a form that shows this beside the result
    refusal: ErrorCode | None = None  # the code of a read, among several, that was refused for safety


@dataclass(frozen=True, slots=True)
class Draft:
    """A result that can be cut: `build(n)` returns it with its first n rows."""

    build: Callable[[int], Part]
    rows: int = 0  # all that there are
    ordinary: bool = False  # True when the arguments ask for no particular amount
    max_bytes: int | None = None  # of the answer; None: the limit that all answers have
    render: Callable[[Result], str] | None = None  # renders it as text for people, without warnings
    # Returns what `build(n)` does, and what fits of one row more into some bytes; None if that is too little.
    add_lines: Callable[[int, int], Part | None] | None = None
    find_blocks: Callable[[Result], tuple[Block, ...]] | None = None  # returns the blocks beside the text


@dataclass(frozen=True, slots=True)
class Call(Generic[Asked]):
    """One call on the way to its answer."""

    tool: str
    arguments: Arguments  # not checked yet: `run` does
    asked: Asked
    run: Callable[[], Draft]
    record: Record | None  # logs the outcome; None if no log is kept
    prune: Prune = dict  # leaves out of a result the fields that say nothing
    notes: tuple[str, ...] = ()  # warnings for a failure; a result has them already
    request_id: str = field(default_factory=new_request_id)
    started: float = field(default_factory=time.monotonic)

    def elapsed_ms(self) -> int:
        """Return the milliseconds since the call began."""
        return round((time.monotonic() - self.started) * 1000)


def measure_answer(_part: Part, answer: ToolAnswer) -> int:
    """Return the size of an answer in bytes: its text and the blocks beside it."""
    return len(answer.text.encode()) + sum(map(_measure_block, answer.blocks))


@dataclass(frozen=True, slots=True)
class Form(Generic[Asked]):
    """The particulars of the answers of one toolset."""

    toolset: str
    name_code: Callable[[RepoError], str]  # returns the code that clients and the log get
    render: Callable[[Call[Asked], Draft, Part], ToolAnswer]
    render_failure: Callable[[Call[Asked], RepoError, Sequence[str]], ToolAnswer]  # given the warnings
    reserved_bytes: int  # of an answer, for the warning NOT_RECORDED
    room: str = "{most:,} bytes"  # the limit in the message about an answer that does not fit
    measure: Callable[[Part, ToolAnswer], int] = measure_answer


def answer_call(form: Form[Asked], call: Call[Asked], *, max_bytes: int) -> ToolAnswer:
    """Run one call, render its outcome and record it. Raises no Exception."""
    part, rows = Part({}), 0
    failure: RepoError | None = None
    try:
        draft = call.run()
        (answer, part), rows = _fit(form, call, draft, max_bytes)
    except Exception as error:
        failure = _take_failure(form, call, error)
        answer = form.render_failure(call, failure, call.notes)
    if call.record is None:
        return answer
    outcome = CallOutcome(
        None if failure is None else form.name_code(failure),
        *classify(part.refusal if failure is None else failure.code),
        rows,
        measure_answer(part, answer),
        len(set(part.warnings)),
        call.elapsed_ms(),
    )
    if call.record(call.request_id, outcome):
        return answer
    if failure is not None:
        return form.render_failure(call, failure, (*call.notes, NOT_RECORDED))
    return form.render(call, draft, replace(part, warnings=(*part.warnings, NOT_RECORDED)))


def _take_failure(form: Form[Asked], call: Call[Asked], error: Exception) -> RepoError:
    if isinstance(error, RepoError):
        return error
    log_defect(form.toolset, call.tool, error, call.request_id)
    if isinstance(error, OSError):  # the reader reports those of files; this is the index, on a bad medium
        return describe_failed_read(error)
    return RepoError(ErrorCode.INTERNAL, "The server failed on this call.")


def _fit(
    form: Form[Asked], call: Call[Asked], draft: Draft, max_bytes: int
) -> tuple[tuple[ToolAnswer, Part], int]:
    """Return the answer with as many rows as fit, and their number.

    Raises RepoError with LIMIT_EXCEEDED if the answer does not fit even without rows.
    """
    whole = draft.max_bytes or max_bytes
    most = whole - form.reserved_bytes

    def measure(part: Part) -> tuple[tuple[ToolAnswer, Part], float]:
        answer = form.render(call, draft, part)
        share = form.measure(part, answer) / most if most > 0 else math.inf
        if draft.ordinary:  # some client would cut a longer one
            share = max(share, len(answer.text) / ORDINARY_CHARS)
        return (answer, part), share

    found = fit_rows(draft.rows, lambda rows: measure(draft.build(rows)))
    if found is None:
        raise RepoError(
            ErrorCode.LIMIT_EXCEEDED,
            f"The answer does not fit into {form.room.format(most=most, whole=whole)}.",
            explain_limit("max_total_bytes_per_response"),
        )
    (answer, part), rows = found
    if draft.add_lines is None or rows == draft.rows:
        return found
    room = most - form.measure(part, answer)
    for tried in range(ROOMS_TRIED):
        longer = draft.add_lines(rows, room)
        if longer is None:
            break
        filled, share = measure(longer)
        if share <= 1:
            return filled, rows
        # As text the lines take another room than as a record, and they are cut by whole ones.
        room -= math.ceil((share - 1) * most) + tried * LINE_BYTES
    return found


def warn_beside(draft: Draft, warnings: Sequence[str]) -> Draft:
    """Return the draft with some warnings after its own."""

    def build(rows: int) -> Part:
        part = draft.build(rows)
        return replace(part, warnings=(*part.warnings, *warnings))

    return replace(draft, build=build)


def fit_rows(rows: int, build: Callable[[int], tuple[Fitted, float]]) -> tuple[Fitted, int] | None:
    """Return the result of `build` for as many rows as fit, and their number.

    `build` also returns the share of the room that its result takes; above 1, it does not fit. Because rows
    are about equally long, the largest number that fits is found by the secant method. Every fifth guess
    halves what is left, so that no sizes make it slow. Returns None if not even zero rows fit.
    """
    whole, share = build(rows)
    if share <= 1:
        return whole, rows
    last, last_share = rows, share
    best, share = build(0) if rows else (whole, share)
    if share > 1:
        return None
    fitting, tried, too_many, guesses = 0, 0, rows, 0
    while too_many - fitting > 1:
        guesses += 1
        rise = (share - last_share) / (tried - last)
        is_guess = rise > 0 and guesses % 5
        guess = tried + int((1 - share) / rise) if is_guess else (fitting + too_many) // 2
        last, last_share, tried = tried, share, min(max(guess, fitting + 1), too_many - 1)
        result, share = build(tried)
        if share > 1:
            too_many = tried
        else:
            best, fitting = result, tried
    return best, fitting


def build_answer(
    structured: dict[str, object],
    *,
    prune: Prune = dict,
    is_error: bool = False,
    blocks: tuple[Block, ...] = (),
) -> ToolAnswer:
    """Return an answer whose text is the compact JSON of `structured`, pruned. Raises ValueError for NaN."""
    structured = prune(structured)
    text = encode_json(structured)
    return ToolAnswer(structured, text, is_error, blocks, text)


def render_result(call: Call[Asked], _draft: Draft, part: Part) -> ToolAnswer:
    """Return the answer for a result with its warnings."""
    return build_answer(add_warnings(part.result, part.warnings), prune=call.prune)


def render_envelope(call: Call[Asked], _draft: Draft, part: Part) -> ToolAnswer:
    """Return the answer for a result in the envelope of specification 1."""
    return build_answer(
        {
            "request_id": call.request_id,
            "ok": True,
            "result": part.result,
            "warnings": escape_texts(part.warnings),
            "blocked": part.refusal is not None,
        },
        prune=call.prune,
    )


def add_warnings(result: Mapping[str, object], warnings: Sequence[str]) -> Result:
    """Return the result with its warnings, each once, if there are any."""
    noted = list(dict.fromkeys(escape_texts(warnings)))
    return {**result, "warnings": noted} if noted else {**result}


def log_defect(toolset: str, tool: str, error: Exception, request_id: str = "") -> None:
    """Report a defect to standard error: its type and place, never its message, which may quote a file."""
    import logging  # here: tools are listed before anything is called
    import traceback

    places = traceback.extract_tb(error.__traceback__)
    where = f"{places[-1].name}:{places[-1].lineno}" if places else "?"
    request = f", request {request_id}" if request_id else ""
    log = logging.getLogger(f"repo_mcp.toolsets.{toolset}")
    log.error("%s failed: %s in %s%s", tool, type(error).__name__, where, request)


def _measure_block(block: Block) -> int:
    if isinstance(block, Audio):
        return len(block.data) + len(block.mime_type)
    return sum(len(text.encode()) for text in (block.uri, block.name, block.mime_type, block.description))


def plain_number(value: float) -> float | int:
    """Return an integral float as an integer: a client that writes 3.0 again may write 3."""
    return int(value) if value.is_integer() else value
