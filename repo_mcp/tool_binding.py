"""A tool before it has what it asks, and how it gets it: arguments checked, answered, written to the log.

A toolset lists its entries in the order in which clients see them; `bind` makes a tool of each. Left out on
purpose: what an answer looks like. That is each toolset's own specification, and a function of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from repo_mcp.call_recorder import DROPPED, CallOutcome, CallRecorder, new_request_id
from repo_mcp.config import Limits
from repo_mcp.tool_model import Annotations, CallContext, JsonSchema, Tool, ToolAnswer, check_schema

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog

Arguments = Mapping[str, object]
Record = Callable[[str, CallOutcome], bool]  # given the request's id; False when it could not be recorded


class Named(Protocol):
    """What tools ask: it can tell which path of a client may be named in the log."""

    def name_path(self, path: str) -> str:
        """The path as it may be said, or RepoError."""


Asked = TypeVar("Asked", bound=Named)
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Asked, Made]):
    """One tool before it has what it asks."""

    name: str
    title: str
    description: str
    input_schema: Callable[[Limits], JsonSchema]
    output_schema: Callable[[Limits], JsonSchema]
    run: Callable[[Asked, Arguments, CallContext], Made]
    read_only: bool = True
    free_text: frozenset[str] = frozenset()  # arguments that may hold NUL
    may_be_task: bool = False  # takes long enough that a client may want to ask for the result later


Opened = Callable[[], "tuple[Asked, AuditLog | None]"]  # may wait; always gives the same
Check = Callable[[JsonSchema, Arguments, frozenset[str]], None]  # raises what is wrong with the arguments
Answer = Callable[
    [str, Arguments, Callable[[], Made], "Record | None"], ToolAnswer
]  # never raises an Exception


def bind(
    entry: Entry[Asked, Made],
    limits: Limits,
    opened: Opened[Asked],
    check: Check,
    answer: Answer[Made],
    icon: str = "",
) -> Tool:
    """The tool of an entry, asking what `opened` gives when it is called."""
    input_schema = entry.input_schema(limits)
    check_schema(input_schema, entry.name)

    def find_record(arguments: Arguments, context: CallContext) -> Record | None:
        asked, audit = opened()
        if audit is None:
            return None
        recorder = CallRecorder(audit, entry.name, input_schema, asked.name_path)
        return partial(recorder.record, arguments, context)

    def call(arguments: Arguments, context: CallContext) -> ToolAnswer:
        asked, _ = opened()

        def run() -> Made:
            check(input_schema, arguments, entry.free_text)
            return entry.run(asked, arguments, context)

        return answer(entry.name, arguments, run, find_record(arguments, context))

    def drop(arguments: Arguments, context: CallContext) -> None:
        record = find_record(arguments, context)
        if record is not None:
            record(new_request_id(), DROPPED)

    return Tool(
        entry.name,
        entry.title,
        entry.description,
        input_schema,
        entry.output_schema(limits),
        Annotations(read_only=entry.read_only),
        call,
        drop,
        icon,
        may_be_task=entry.may_be_task,
    )
