"""Writes one call of a tool to the log: tool, shapes of the arguments, outcome, duration.

A shape has names, types, lengths and keyed digests of the arguments, not their text:

    {"query": {"type": "string", "chars": 14, "digest": "5f0c…"}, "top_k": {"type": "integer", "value": 5},
     "path": {"type": "path", "value": "src/a.py"}, "unknown": {"type": "unknown", "count": 1}}

A value is logged only where it cannot hold a secret: a number or a switch that the schema declares as one,
a word that the schema lists, a path that is inside the root, is not denied, and led nowhere denied through a
link. For everything else the log has the length, and a digest by which equal texts are recognised but nothing
can be guessed without the key. Names that the client made up are counted, never repeated.

Left out on purpose: the digest's key and the rules of denial; both are given by the caller.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from repo_mcp.errors import BLOCKED_CODES, ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext, JsonSchema
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import escape_text

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog, Shape


MAX_PATH_CHARS = 200  # characters of a path in the log; a longer one is cut
MAX_TEXT_CHARS = 240  # characters of a text that the operator asked to log: at most 2,880 bytes as ASCII JSON
MAX_OBJECTS = 20  # most objects of a list that are logged
_MAX_NUMBER = 1 << 53  # a larger number may be text in disguise


class PathClass(StrEnum):
    """The reason why a path argument is not logged."""

    DENIED = "denied"
    ESCAPE = "escape"  # outside the root
    INVALID = "invalid"  # no file can have this path


@dataclass(frozen=True, slots=True)
class ShapeRules:
    """All that is needed to describe the arguments of one call."""

    digest: Callable[[str], str]
    name_path: Callable[[str], str | PathClass]  # a path as it may be logged, or why it may not
    paths: frozenset[str]  # names of the arguments that are paths
    keep_text: bool = False  # the operator's choice: log the text of queries and the like too
    contents: frozenset[str] = frozenset()  # names of the arguments whose text is never logged


def describe_arguments(
    schema: JsonSchema, arguments: Mapping[str, object], rules: ShapeRules
) -> dict[str, Shape]:
    """Return the shapes of `arguments` in the order of the schema, whether they are valid or not."""
    declared = schema.get("properties")
    properties: Mapping[str, object] = declared if isinstance(declared, Mapping) else {}
    shapes: dict[str, Shape] = {}
    for name, inner in properties.items():
        if name in arguments and isinstance(inner, Mapping):
            is_path = name in rules.paths
            value = arguments[name]
            kept = replace(rules, keep_text=False) if name in rules.contents else rules
            shapes[name] = _describe_path(value, rules) if is_path else _describe(inner, value, kept)
    unknown = len(arguments.keys() - properties.keys())
    if unknown:
        shapes["unknown"] = {"type": "unknown", "count": unknown}
    return shapes


def _describe_path(value: object, rules: ShapeRules) -> Shape:
    if not isinstance(value, str):
        return {"type": _kind_of(value)}
    named = rules.name_path(value)
    if isinstance(named, PathClass):
        return {"type": "path", "class": named.value}
    shown = escape_text(named)
    if len(shown) <= MAX_PATH_CHARS:
        return {"type": "path", "value": shown}
    shown = shown[:MAX_PATH_CHARS]
    return {
        "type": "path",
        "value": shown[:MAX_PATH_CHARS],
        "chars": len(named),
        "digest": rules.digest(named),
    }


def _describe(schema: JsonSchema, value: object, rules: ShapeRules) -> Shape:
    kind = _kind_of(value)
    declared = schema.get("type")
    kinds = declared if isinstance(declared, list | tuple) else (declared,)
    match value:
        case str():
            return _describe_text(schema, value, rules)
        case bool() if kind in kinds:
            return {"type": kind, "value": value}
        case int() | float() if (kind in kinds or "number" in kinds) and abs(value) < _MAX_NUMBER:
            return {"type": kind, "value": value}
        case list():
            return {"type": kind, "length": len(value)} | _describe_objects(schema, value, rules)
        case dict() if kind in kinds:
            return {"type": kind, "properties": describe_arguments(schema, value, rules)}
    return {"type": kind}


def _describe_objects(schema: JsonSchema, value: list[object], rules: ShapeRules) -> dict[str, object]:
    """Return the shapes of the objects in a list that is declared to hold objects."""
    inner = schema.get("items")
    if not isinstance(inner, Mapping) or inner.get("type") != "object":
        return {}
    given = [one for one in value[:MAX_OBJECTS] if isinstance(one, Mapping)]
    return {"items": [describe_arguments(inner, one, rules) for one in given]}


def _describe_text(schema: JsonSchema, value: str, rules: ShapeRules) -> Shape:
    choices = schema.get("enum")
    if isinstance(choices, list | tuple) and value in choices:
        return {"type": "string", "value": value}
    shape = {"type": "string", "chars": len(value), "digest": rules.digest(value)}
    return shape | {"text": escape_text(value[:MAX_TEXT_CHARS])} if rules.keep_text else shape


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


_PATHS = frozenset({"path"})  # arguments that are paths
_CONTENTS = frozenset({"diff"})  # arguments that may hold lines of denied files
_CLASSES = {ErrorCode.PATH_DENIED: PathClass.DENIED, ErrorCode.PATH_ESCAPE: PathClass.ESCAPE}


CANCELLED = "cancelled"  # only in the log: the client did not wait for the answer


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of one call, without any text of its arguments or result."""

    error_code: str | None  # code as the toolset spells it; None for success
    blocked: bool = False  # a read was refused for safety
    cancelled: bool = False  # the client has cancelled the call
    path_class: PathClass | None = None  # why the requested path must not be logged
    rows: int = 0  # rows of the result that the answer has
    answer_bytes: int = 0
    warnings: int = 0
    duration_ms: int = 0
    questions: int = 0  # questions to the client's model with which this round of the call ended


DROPPED = CallOutcome(None, cancelled=True)  # outcome of a call that the client cancelled before it began


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
    import uuid  # imported here, as listing the tools needs no id

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
        self, arguments: Mapping[str, object], context: CallContext, request_id: str, outcome: CallOutcome
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
