"""How a call of the `retrieval` toolset is written down: tool, repository, duration, error code.

As everywhere arguments are shapes, and a path is named only when it lies inside its root, is not denied, and
led nowhere denied through a link. There is one log for both roots.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from repo_mcp.argument_shapes import PathClass, ShapeRules, describe_arguments
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.tool_model import CallContext, JsonSchema
from repo_mcp.toolsets.retrieval.envelope import Outcome
from repo_mcp.toolsets.retrieval.failures import Code
from repo_mcp.toolsets.retrieval.roots import Roots
from repo_mcp.toolsets.retrieval.schemas import BOTH

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog

CANCELLED = "CANCELLED"  # nobody is told this code: the client did not wait for the answer
BLOCKED = frozenset({Code.PATH_DENIED, Code.PATH_OUT_OF_ROOT, Code.FILE_TOO_LARGE})
_PATHS = frozenset({"path"})
_CLASSES = {ErrorCode.PATH_DENIED: PathClass.DENIED, ErrorCode.PATH_ESCAPE: PathClass.ESCAPE}
_CODE_CLASSES = {Code.PATH_DENIED: PathClass.DENIED, Code.PATH_OUT_OF_ROOT: PathClass.ESCAPE}


class CallRecorder:
    """Writes the calls of one tool to the log."""

    def __init__(self, audit: AuditLog, roots: Roots, tool: str, schema: JsonSchema) -> None:
        self._audit = audit
        self._roots = roots
        self._tool = tool
        self._schema = schema

    def record(self, arguments: Mapping[str, object], context: CallContext, outcome: Outcome) -> bool:
        """Write one call. False when that was not possible; never raises."""
        from repo_mcp.audit import LoggedCall

        cancelled = outcome.cancelled or context.cancelled()
        given = {"repo": BOTH, **arguments} if self._tool == "search" else arguments
        call = LoggedCall(
            os.urandom(16).hex(),
            self._tool,
            describe_arguments(self._schema, given, self._build_rules(arguments, outcome.code)),
            ok=outcome.code is None and not cancelled,
            blocked=outcome.code in BLOCKED,
            error_code=CANCELLED if cancelled else outcome.code,
            counts={"rows": outcome.rows, "bytes": outcome.answer_bytes, "warnings": outcome.warnings},
            duration_ms=outcome.duration_ms,
            client=context.client,
        )
        return self._audit.write(call)

    def record_dropped(self, arguments: Mapping[str, object], context: CallContext) -> None:
        """Write a call that the client cancelled before it began."""
        self.record(arguments, context, Outcome(None, True, 0, 0, 0, 0))

    def _build_rules(self, arguments: Mapping[str, object], code: Code | None) -> ShapeRules:
        repository = self._roots.repositories.get(str(arguments.get("repo")))

        def name_path(path: str) -> str | PathClass:
            if repository is None:
                return PathClass.INVALID
            try:
                named = repository.name_path(path)
            except RepoError as error:
                return _CLASSES.get(error.code, PathClass.INVALID)
            return named if code is None else _CODE_CLASSES.get(code, named)

        return ShapeRules(self._audit.digest, name_path, _PATHS, self._audit.keep_text)
