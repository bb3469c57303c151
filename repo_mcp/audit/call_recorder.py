"""Writes one call of a tool to the log: tool, shapes of the arguments, outcome, duration.

A path is logged only when it is inside the root, is not denied, and led nowhere denied through a link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.audit.argument_shapes import PathClass, ShapeRules, describe_arguments
from repo_mcp.errors import BLOCKED_CODES, ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext, JsonSchema

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog

_PATHS = frozenset({"path"})  # arguments that are paths
_CONTENTS = frozenset({"diff"})  # that hold lines of files, denied ones perhaps
_CLASSES = {ErrorCode.PATH_DENIED: PathClass.DENIED, ErrorCode.PATH_ESCAPE: PathClass.ESCAPE}


CANCELLED = "cancelled"  # only in the log: the client did not wait for the answer


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of one call, without any text of its arguments or result."""

    error_code: str | None  # in the toolset's spelling; None for success
    blocked: bool = False  # a read was refused for safety
    cancelled: bool = False  # by the client
    path_class: PathClass | None = None  # why the requested path must not be logged
    rows: int = 0  # of the result, in the answer
    answer_bytes: int = 0
    warnings: int = 0
    duration_ms: int = 0
    questions: int = 0  # to the client's model, that ended this round of the call


DROPPED = CallOutcome(None, cancelled=True)  # for a call that the client cancelled before it began


def describe_round(started: float) -> CallOutcome:
    """Return the outcome of a round, begun at `started` (time.monotonic), that ended in a question."""
    return CallOutcome(None, questions=1, duration_ms=round((time.monotonic() - started) * 1000))


def classify(code: ErrorCode | None) -> tuple[bool, bool, PathClass | None]:
    """Return whether an error code means blocked or cancelled, and why the path must not be logged."""
    return (
        code in BLOCKED_CODES,
        code is ErrorCode.CANCELLED,
        None if code is None else _CLASSES.get(code),
    )


def new_request_id() -> str:
    """Return an id that no other call has."""
    import uuid  # here: listing the tools needs none

    return str(uuid.uuid4())


class CallRecorder:
    """Writes the calls of one tool to the log."""

    def __init__(
        self,
        audit: AuditLog,
        tool: str,
        schema: JsonSchema,
        name_path: Callable[[str], str],
        *,
        cancelled_code: str = CANCELLED,
    ) -> None:
        """Take `name_path`, which returns a `path` argument as it may be logged, or raises RepoError."""
        self._audit = audit
        self._tool = tool
        self._schema = schema
        self._name_path = name_path
        self._cancelled_code = cancelled_code

    def record(
        self,
        arguments: Mapping[str, object],
        context: CallContext,
        request_id: str,
        outcome: CallOutcome,
    ) -> bool:
        """Write one call. Returns False when that was not possible; never raises."""
        from repo_mcp.audit.log import LoggedCall

        cancelled = context.cancelled() or outcome.cancelled
        call = LoggedCall(
            request_id,
            self._tool,
            describe_arguments(self._schema, arguments, self._build_rules(outcome)),
            ok=outcome.error_code is None and not cancelled,
            blocked=outcome.blocked,
            error_code=self._cancelled_code if cancelled else outcome.error_code,
            counts=_count(outcome),
            duration_ms=outcome.duration_ms,
            client=context.client,
        )
        return self._audit.write(call)

    def _build_rules(self, outcome: CallOutcome) -> ShapeRules:
        def name_path(path: str) -> str | PathClass:
            try:
                named = self._name_path(path)
            except RepoError as error:
                return _CLASSES.get(error.code, PathClass.INVALID)
            return outcome.path_class or named

        return ShapeRules(self._audit.digest, name_path, _PATHS, self._audit.keep_text, _CONTENTS)


def _count(outcome: CallOutcome) -> dict[str, int]:
    """Return the counts of every call, with the questions of a round that ended in one."""
    counts = {"rows": outcome.rows, "bytes": outcome.answer_bytes, "warnings": outcome.warnings}
    return counts | {"questions": outcome.questions} if outcome.questions else counts
