"""Binds the tools of a toolset to the repository or the roots that they query.

A toolset lists its entries in the order in which clients see them, and its `Binding` makes tools of them. A
call of a tool waits until a `LoadedToolset` has opened its repository. Then its arguments are checked, it is
run, and its outcome is logged. Left out on purpose: how a call becomes an answer
(`repo_mcp.toolsets.answers`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from repo_mcp.audit.call_recorder import DROPPED, CallOutcome, CallRecorder, describe_round, new_request_id
from repo_mcp.config.server_config import Limits
from repo_mcp.errors import RepoError
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.meant_arguments import take_meant
from repo_mcp.protocol.tool_arguments import check_schema, read_arguments
from repo_mcp.protocol.tool_model import (
    Annotations,
    AnswerNeeded,
    CallContext,
    JsonSchema,
    Tool,
    ToolAnswer,
    Toolset,
)
from repo_mcp.record_classes import dataclass
from repo_mcp.toolsets.answers import Arguments, Asked, Call, Draft, Record, warn_beside
from repo_mcp.toolsets.pruning import Prune, compile_pruner

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.repository import Repository

Given = TypeVar("Given")
LimitedSchema = JsonSchema | Callable[[Limits], JsonSchema]  # or a function that fills the limits in


@dataclass(frozen=True, slots=True)
class Entry(Generic[Asked]):
    """One tool, not yet bound to a repository."""

    name: str
    title: str
    description: str
    input_schema: LimitedSchema
    output_schema: LimitedSchema
    run: Callable[[Asked, Arguments, CallContext], Draft]
    read_only: bool = True
    free_text: frozenset[str] = frozenset()  # arguments that may hold NUL
    may_be_task: bool = False  # may take so long that a client wants to fetch the result later
    is_beginning: bool = False  # one of those with which work begins


TakenArguments = tuple[Arguments, tuple[str, ...]]  # arguments as a tool takes them, and warnings


class TakeArguments(Protocol):
    """A function that checks the arguments of a call, and gives them the types of their schema."""

    def __call__(
        self, tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]
    ) -> TakenArguments:
        """Return the arguments for `tool`; those in `free_text` may contain NUL. Raises RepoError."""


Opened = Callable[[], "tuple[Asked, AuditLog | None]"]  # may wait; always returns the same; or RepoError
Answer = Callable[[Call[Asked]], ToolAnswer]  # raises no Exception
Write = Callable[[CallContext, str, CallOutcome], bool]  # logs one call; False if that failed
FindWriter = Callable[["AuditLog", str, JsonSchema, Asked, Arguments], Write]


class LoadedToolset(Generic[Given]):
    """One toolset, which may still have to be opened."""

    def __init__(
        self,
        bind: Callable[[Callable[[], Given]], Toolset],
        open_it: Callable[[], tuple[Iterable[Repository], Given]],
    ) -> None:
        """Make the tools with `bind`, from a function that blocks until `open_it` has been called."""
        self._open_it = open_it
        self._opened: list[Given] = []
        self._is_open = threading.Event()
        self.toolset = bind(self._get_opened)

    def open(self) -> tuple[Repository, ...]:
        """Open and return the repositories of the tools; calls then begin. Raises RepoError and OSError."""
        repositories, opened = self._open_it()
        self._opened.append(opened)
        self._is_open.set()
        return tuple(repositories)

    def _get_opened(self) -> Given:
        self._is_open.wait()
        return self._opened[0]


def take_plainly(
    tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]
) -> TakenArguments:
    """Return the arguments, for a toolset without error texts of its own.

    Raises RepoError with INVALID_ARGUMENT.
    """
    return read_arguments(schema, arguments, free_text)


def find_plain_writer(
    audit: AuditLog, tool: str, schema: JsonSchema, repository: Repository, arguments: Arguments
) -> Write:
    """Return the log writer for a toolset whose argument `path` belongs to one root."""
    return partial(CallRecorder(audit, tool, schema, repository.tree.name_path).record, arguments)


@dataclass(frozen=True, slots=True)
class Binding(Generic[Asked]):
    """Makes the tools of one toolset, whose calls are checked, answered and logged alike."""

    limits: Limits
    opened: Opened[Asked]  # if it raises RepoError, that is the answer
    answer: Answer[Asked]
    find_writer: FindWriter[Asked]
    icon: str
    take: TakeArguments = take_plainly
    guard: CallGuard = UNGUARDED
    roots: Sequence[str] = ()  # values of the argument `root`, if any

    def bind(self, entries: Iterable[Entry[Asked]]) -> tuple[Tool, ...]:
        """Return the tools of some entries. When one is called, it queries what `opened` returns."""
        return tuple(map(self._bind, entries))

    def _bind(self, entry: Entry[Asked]) -> Tool:
        input_schema = _add_root(_resolve(entry.input_schema, self.limits), self.roots)
        output_schema = _resolve(entry.output_schema, self.limits)
        check_schema(input_schema, entry.name)
        bound = _BoundEntry(self, entry, input_schema, compile_pruner(output_schema))
        return Tool(
            entry.name,
            entry.title,
            entry.description,
            input_schema,
            output_schema,
            Annotations(read_only=entry.read_only),
            bound.call,
            bound.drop,
            self.icon,
            may_be_task=entry.may_be_task,
            is_beginning=entry.is_beginning,
        )


@dataclass(frozen=True, slots=True)
class _BoundEntry(Generic[Asked]):
    """The calls of one tool: those that run, and those that were cancelled before."""

    binding: Binding[Asked]
    entry: Entry[Asked]
    schema: JsonSchema  # of its arguments
    prune: Prune

    def call(self, given: Arguments, context: CallContext) -> ToolAnswer:
        """Check the arguments, run the tool and log the outcome, whatever it is."""
        binding, entry, schema, prune = self.binding, self.entry, self.schema, self.prune
        arguments = take_meant(schema, given)
        try:
            asked, audit = binding.opened()
        except RepoError as error:
            return binding.answer(Call(entry.name, arguments, None, _refuse(error), None, prune))  # type: ignore[arg-type]

        def work(guarded: CallContext) -> Draft:
            taken, notes = binding.take(entry.name, schema, arguments, entry.free_text)
            draft = entry.run(asked, taken, guarded)
            notes = (*guarded.notes, *notes)
            return warn_beside(draft, notes) if notes else draft

        def run() -> Draft:
            has_time_limit = entry.read_only and not entry.may_be_task
            return binding.guard.run(work, context, has_time_limit=has_time_limit)

        record = _build_record(self._find_write(asked, audit, arguments), context, binding.guard)
        made = Call(entry.name, arguments, asked, run, record, prune, context.notes)
        try:
            return binding.answer(made)
        except AnswerNeeded:  # this round ends here; the client repeats the call, with the answer
            if record is not None:
                record(made.request_id, describe_round(made.started))
            raise

    def drop(self, given: Arguments, context: CallContext) -> None:
        """Log a call that was cancelled before it began."""

        def write_line() -> bool:
            asked, audit = self.binding.opened()
            write = self._find_write(asked, audit, take_meant(self.schema, given))
            return write is None or write(context, new_request_id(), DROPPED)

        # Called by the thread that cancels: one that reads, or HTTP's.
        self.binding.guard.record(write_line, apart=True)

    def _find_write(self, asked: Asked, audit: AuditLog | None, arguments: Arguments) -> Write | None:
        if audit is None:
            return None
        return self.binding.find_writer(audit, self.entry.name, self.schema, asked, arguments)


def _refuse(error: RepoError) -> Callable[[], Draft]:
    def run() -> Draft:
        raise error

    return run


def _add_root(schema: JsonSchema, roots: Sequence[str]) -> JsonSchema:
    """Return a schema with the argument that chooses among several roots."""
    if len(roots) < 2:
        return schema
    root = {"type": "string", "enum": list(roots), "description": "Root to ask (default: the first)"}
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {**schema, "properties": {**properties, "root": root}}


def _build_record(write: Write | None, context: CallContext, guard: CallGuard) -> Record | None:
    if write is None:
        return None
    return lambda request_id, outcome: guard.record(partial(write, context, request_id, outcome))


def _resolve(schema: LimitedSchema, limits: Limits) -> JsonSchema:
    return schema(limits) if callable(schema) else schema
