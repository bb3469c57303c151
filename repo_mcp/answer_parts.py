"""What the answers of all toolsets have in common: compact JSON, how many rows fit, what a defect may say.

Left out on purpose: what an answer looks like, which is each toolset's own specification.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

ORDINARY_CHARS = 19_000  # what every client passes on whole; more only when the arguments ask for it
NOT_RECORDED = "audit_unavailable"  # the warning of an answer that is not in the log

Fitted = TypeVar("Fitted")


def encode(value: Mapping[str, object]) -> str:
    """Compact JSON: the text block, byte for byte."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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


def log_defect(toolset: str, tool: str, error: Exception, request_id: str = "") -> None:
    """Tell standard error of a defect: the type and the place, never the message, which may quote a file."""
    import logging  # here: tools are listed before anything is called
    import traceback

    places = traceback.extract_tb(error.__traceback__)
    where = f"{places[-1].name}:{places[-1].lineno}" if places else "?"
    request = f", request {request_id}" if request_id else ""
    log = logging.getLogger(f"repo_mcp.toolsets.{toolset}")
    log.error("%s failed: %s in %s%s", tool, type(error).__name__, where, request)
