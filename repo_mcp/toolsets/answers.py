"""What the answers of the toolsets have in common: compact JSON, how many rows fit, warnings, failures.

Left out on purpose: what an answer looks like, which is each toolset's own specification.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from repo_mcp.audit.call_recorder import CallOutcome, classify
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import Block, ToolAnswer, escape_text

ORDINARY_CHARS = 19_000  # what every client passes on whole; more only when the arguments ask for it
NOT_RECORDED = "audit_unavailable"  # the warning of an answer that is not in the log

Fitted = TypeVar("Fitted")
Done = TypeVar("Done")


def build_answer(
    structured: Mapping[str, object], *, is_error: bool = False, blocks: tuple[Block, ...] = ()
) -> ToolAnswer:
    """Return an answer whose text is the compact JSON of `structured`. Raises ValueError for NaN."""
    text = encode_json(structured)
    return ToolAnswer(structured, text, is_error, blocks, text)


def fit_rows(rows: int, build: Callable[[int], Fitted | None]) -> tuple[Fitted, int] | None:
    """What `build` gives for the most rows that it gives anything for, and their number, found by halving.

    `build` gives None for a number of rows that do not fit. None when not even none does.
    """
    whole = build(rows)
    if whole is not None:
        return whole, rows
    best = build(0) if rows else None
    if best is None:
        return None
    fitting, too_many = 0, rows
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        tried = build(middle)
        if tried is None:
            too_many = middle
        else:
            best, fitting = tried, middle
    return best, fitting


def get_fitting(rows: int, build: Callable[[int], Fitted | None], into: str) -> tuple[Fitted, int]:
    """As `fit_rows`; LIMIT_EXCEEDED, which says `into` what it does not fit, when not even none does."""
    found = fit_rows(rows, build)
    if found is None:
        raise RepoError(
            ErrorCode.LIMIT_EXCEEDED,
            f"The answer does not fit into {into}.",
            "Ask the user to raise max_total_bytes_per_response.",
        )
    return found


def is_too_long(text: str, *, ordinary: bool) -> bool:
    """True for what some client would cut, where the arguments ask for no particular amount."""
    return ordinary and len(text) > ORDINARY_CHARS


def add_warnings(result: dict[str, object], warnings: Sequence[str]) -> dict[str, object]:
    """The result with more warnings, if there are any."""
    known = result.get("warnings")
    shown = [*(known if isinstance(known, list) else []), *map(escape_text, warnings)]
    if shown:
        result["warnings"] = list(dict.fromkeys(shown))
    return result


def run_call(
    toolset: str, tool: str, request_id: str, run: Callable[[], Done], refuse: Callable[[RepoError], Done]
) -> tuple[Done, ErrorCode | None]:
    """What a call gives, or what `refuse` makes of its failure, and the code of that. Raises no Exception."""
    try:
        return run(), None
    except RepoError as error:
        return refuse(error), error.code
    except Exception as error:
        log_defect(toolset, tool, error, request_id)
        code = ErrorCode.INTERNAL
        return refuse(RepoError(code, "The server failed on this call.")), code


def describe_outcome(
    code: ErrorCode | None, name: str | None, rows: int, answer_bytes: int, warnings: object, started: float
) -> CallOutcome:
    """For the log: `name` is how the toolset calls `code`, `warnings` are the answer's, if it has a list.

    The call began at `started`, by time.monotonic.
    """
    noted = len(warnings) if isinstance(warnings, list) else 0
    duration_ms = round((time.monotonic() - started) * 1000)
    return CallOutcome(name, *classify(code), rows, answer_bytes, noted, duration_ms)


def log_defect(toolset: str, tool: str, error: Exception, request_id: str = "") -> None:
    """Tell standard error of a defect: the type and the place, never the message, which may quote a file."""
    import logging  # here: tools are listed before anything is called
    import traceback

    places = traceback.extract_tb(error.__traceback__)
    where = f"{places[-1].name}:{places[-1].lineno}" if places else "?"
    request = f", request {request_id}" if request_id else ""
    log = logging.getLogger(f"repo_mcp.toolsets.{toolset}")
    log.error("%s failed: %s in %s%s", tool, type(error).__name__, where, request)
