"""A tool before it has what it asks, and how it gets it: arguments checked, answered, written to the log.

A toolset lists its entries in the order in which clients see them; `bind` makes tools of them. Left out on
purpose: what an answer looks like. That is each toolset's own specification, and a function of its own; what
their answers have in common is in `repo_mcp.toolsets.answers`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from repo_mcp.audit.call_recorder import DROPPED, CallOutcome, CallRecorder, describe_round, new_request_id
from repo_mcp.config.server_config import Limits
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import (
    Annotations,
    AnswerNeeded,
    CallContext,
    JsonSchema,
    Tool,
    ToolAnswer,
    check_schema,
    validate_arguments,
)

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog

Asked = TypeVar("Asked")  # a repository, or several roots
Made = TypeVar("Made")  # what a call makes, before it is rendered
Arguments = Mapping[str, object]
Schema = JsonSchema | Callable[[Limits], JsonSchema]
Record = Callable[[str, CallOutcome], bool]  # given the request's id; False when it could not be recorded


@dataclass(frozen=True, slots=True)
class Entry(Generic[Asked, Made]):
    """One tool before it has what it asks."""

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema
    run: Callable[[Asked, Arguments, CallContext], Made]
    read_only: bool = True
    free_text: frozenset[str] = frozenset()  # arguments that may hold NUL
    may_be_task: bool = False  # takes long enough that a client may want to ask for the result later


@dataclass(frozen=True, slots=True)
class Call(Generic[Asked, Made]):
    """One call on the way to its answer."""

    tool: str
    arguments: Arguments  # not checked yet: `run` does
    asked: Asked
    run: Callable[[], Made]
    record: Record | None  # None where no log is kept


class NamesPaths(Protocol):
    """What can tell which path of a client may be named in the log."""

    def name_path(self, path: str) -> str:
        """The path as it may be said, or RepoError."""


class Check(Protocol):
    """Raises what is wrong with the arguments of a tool."""

    def __call__(
        self, tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]
    ) -> None:
        """Given the tool's name and schema, and which arguments may hold NUL."""


Opened = Callable[[], "tuple[Asked, AuditLog | None]"]  # may wait; always gives the same
Answer = Callable[[Call[Asked, Made]], ToolAnswer]  # raises no Exception
Write = Callable[[CallContext, str, CallOutcome], bool]  # of one call into the log
FindWriter = Callable[["AuditLog", str, JsonSchema, Asked, Arguments], Write]


def check_plainly(tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]) -> None:
    """The Check of toolsets without words of their own for it."""
    validate_arguments(schema, arguments, free_text)


def find_plain_writer(
    audit: AuditLog, tool: str, schema: JsonSchema, asked: NamesPaths, arguments: Arguments
) -> Write:
    """The writer of toolsets whose `path` is of one root."""
    return partial(CallRecorder(audit, tool, schema, asked.name_path).record, arguments)


def bind(
    entries: Iterable[Entry[Asked, Made]],
    limits: Limits,
    opened: Opened[Asked],
    answer: Answer[Asked, Made],
    find_writer: FindWriter[Asked],
    *,
    icon: str,
    check: Check = check_plainly,
    guard: CallGuard = UNGUARDED,
) -> tuple[Tool, ...]:
    """The tools of some entries, asking what `opened` gives when one is called."""
    return tuple(_bind(entry, limits, opened, answer, find_writer, icon, check, guard) for entry in entries)


def _bind(
    entry: Entry[Asked, Made],
    limits: Limits,
    opened: Opened[Asked],
    answer: Answer[Asked, Made],
    find_writer: FindWriter[Asked],
    icon: str,
    check: Check,
    guard: CallGuard,
) -> Tool:
    input_schema = _resolve(entry.input_schema, limits)
    check_schema(input_schema, entry.name)

    def find_write(arguments: Arguments) -> Write | None:
        asked, audit = opened()
        return None if audit is None else find_writer(audit, entry.name, input_schema, asked, arguments)

    def call(arguments: Arguments, context: CallContext) -> ToolAnswer:
        asked, _ = opened()
        started = time.monotonic()

        def work(guarded: CallContext) -> Made:
            check(entry.name, input_schema, arguments, entry.free_text)
            return entry.run(asked, arguments, guarded)

        def run() -> Made:
            return guard.run(work, context, has_time_limit=entry.read_only and not entry.may_be_task)

        record = _build_record(find_write(arguments), context, guard)
        try:
            return answer(Call(entry.name, arguments, asked, run, record))
        except AnswerNeeded:  # this round ends here; the client makes the call again, with the answer
            if record is not None:
                record(new_request_id(), describe_round(started))
            raise

    def drop(arguments: Arguments, context: CallContext) -> None:
        def write_line() -> bool:
            write = find_write(arguments)
            return write is None or write(context, new_request_id(), DROPPED)

        guard.record(write_line, apart=True)  # by whoever cancels: the thread that reads, or that of HTTP

    return Tool(
        entry.name,
        entry.title,
        entry.description,
        input_schema,
        _resolve(entry.output_schema, limits),
        Annotations(read_only=entry.read_only),
        call,
        drop,
        icon,
        may_be_task=entry.may_be_task,
    )


def _build_record(write: Write | None, context: CallContext, guard: CallGuard) -> Record | None:
    if write is None:
        return None
    return lambda request_id, outcome: guard.record(partial(write, context, request_id, outcome))


def _resolve(schema: Schema, limits: Limits) -> JsonSchema:
    return schema(limits) if callable(schema) else schema
