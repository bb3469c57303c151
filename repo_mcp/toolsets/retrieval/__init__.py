"""The `retrieval` toolset: exact search and reading in the two repositories `docs` and `code`.

Tools are in the order in which clients see them. Each call checks its arguments strictly, asks the engine,
renders one envelope and, however it ended, writes one line of the log of calls.

    {"result":{…},"meta":{"repo":"docs","duration_ms":3,"truncated":false}}
    {"error":{"code":"PATH_NOT_FOUND","message":"…","details":{…}},
     "meta":{"repo":"docs","duration_ms":0,"truncated":false}}

`meta.repo` is the repository asked for, "both" included; null when the argument names none. Only `meta`
varies from call to call: equal trees and arguments give an equal `result`. `meta.warnings` is present only if
something about the answer is incomplete or unusual.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.audit.call_recorder import CallRecorder
from repo_mcp.config.server_config import Limits
from repo_mcp.errors import RepoError
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_arguments import read_arguments
from repo_mcp.protocol.tool_model import JsonSchema, Tool, ToolAnswer, Toolset
from repo_mcp.text.lines import escape_text, escape_texts
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import (
    Arguments,
    Call,
    Draft,
    Form,
    Part,
    answer_call,
    build_answer,
    measure_answer,
)
from repo_mcp.toolsets.binding import Binding, Entry, Opened, TakenArguments, Write
from repo_mcp.toolsets.retrieval import calls, schemas
from repo_mcp.toolsets.retrieval.failures import explain_argument, explain_refusal
from repo_mcp.toolsets.retrieval.roots import Roots, open_roots, prepare_place, raise_limits
from repo_mcp.toolsets.retrieval.schemas import BOTH, REPOS

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.repository import Repository

__all__ = ["Roots", "bind_toolset", "build_toolset", "open_roots", "prepare_place", "raise_limits"]

CANCELLED = "CANCELLED"  # nobody gets this code: the client did not wait for the answer


_ENTRIES = (
    Entry(
        "search",
        schemas.SEARCH_TITLE,
        schemas.SEARCH_DESCRIPTION,
        schemas.search_input,
        schemas.search_output(),
        calls.search,
        is_beginning=True,
    ),
    Entry(
        "open_file",
        schemas.OPEN_TITLE,
        schemas.OPEN_DESCRIPTION,
        schemas.open_file_input(),
        schemas.lines_output(),
        calls.open_file,
    ),
    Entry(
        "get_snippet",
        schemas.SNIPPET_TITLE,
        schemas.SNIPPET_DESCRIPTION,
        schemas.get_snippet_input(),
        schemas.lines_output(),
        calls.get_snippet,
        is_beginning=True,
    ),
    Entry(
        "list_dir",
        schemas.LIST_TITLE,
        schemas.LIST_DESCRIPTION,
        schemas.list_dir_input(),
        schemas.list_dir_output(),
        calls.list_dir,
    ),
)
_OF_BOTH = "search"  # the tool that is about both repositories when it names none
_META_BYTES = 132  # that `meta` takes at most besides the warnings: the duration is not known before


def build_toolset(roots: Roots, audit: AuditLog | None = None) -> Toolset:
    """Return the tools over `roots`, with the limits in their schemas. `audit` logs each call."""
    return bind_toolset(roots.limits, lambda: (roots, audit))


def bind_toolset(limits: Limits, opened: Opened[Roots], guard: CallGuard = UNGUARDED) -> Toolset:
    """Return the tools over the roots that `opened` gives when one is called; `limits` go into schemas."""
    binding = Binding(limits, opened, _answer, _find_writer, icons.RETRIEVAL, take=_take, guard=guard)
    find_resources = partial(_bind_resources, limits, opened, guard)
    return Toolset("retrieval", binding.bind(_ENTRIES), instructions.RETRIEVAL, find_resources)


def _bind_resources(limits: Limits, opened: Opened[Roots], guard: CallGuard) -> tuple[Tool, ...]:
    from repo_mcp.toolsets.resources import bind_resources  # of no use to most clients

    places = {name: partial(_open_root, name) for name in schemas.REPOS}
    return bind_resources(limits, opened, guard, places)


def _open_root(name: str, roots: Roots) -> Repository:
    return calls.open_root(roots, name)


def _take(tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]) -> TakenArguments:
    try:
        return read_arguments(schema, arguments, free_text)
    except RepoError as error:
        raise explain_argument(tool, error) from error


def _find_writer(audit: AuditLog, tool: str, schema: JsonSchema, roots: Roots, arguments: Arguments) -> Write:
    name_path = partial(roots.name_path, arguments.get("repo"))
    recorder = CallRecorder(audit, tool, schema, name_path, cancelled_code=CANCELLED)
    return partial(recorder.record, name_repo(tool, arguments))


def _answer(call: Call[Roots]) -> ToolAnswer:
    return answer_call(FORM, call, max_bytes=call.asked.find_answer_bytes(find_repo(call)))


def name_repo(tool: str, arguments: Arguments) -> Arguments:
    """Return the arguments with the default repository if none is named."""
    is_named = tool != _OF_BOTH or arguments.get("repo") is not None
    return arguments if is_named else {**arguments, "repo": BOTH}


def find_repo(call: Call[Roots]) -> str | None:
    """Return the repository that a call asks for, "both" included; None if its argument names none."""
    named = name_repo(call.tool, call.arguments).get("repo")
    known = (*REPOS, BOTH) if call.tool == _OF_BOTH else REPOS
    return named if isinstance(named, str) and named in known else None


def _render(call: Call[Roots], _draft: Draft, part: Part) -> ToolAnswer:
    return build_answer(
        {"result": part.result, "meta": _describe(call, part.truncated, part.warnings)}, prune=call.prune
    )


def _render_failure(call: Call[Roots], error: RepoError, warnings: Sequence[str]) -> ToolAnswer:
    failure = explain_refusal(error)
    details = {
        name: escape_text(value) if isinstance(value, str) else value
        for name, value in failure.details.items()
    }
    shown = {"code": failure.shown_code.value, "message": escape_text(failure.message), "details": details}
    envelope = {"error": shown, "meta": _describe(call, False, warnings)}
    return build_answer(envelope, prune=call.prune, is_error=True)


def _describe(call: Call[Roots], truncated: bool, warnings: Sequence[str]) -> dict[str, object]:
    return {
        "repo": find_repo(call),
        "duration_ms": call.elapsed_ms(),
        "truncated": truncated,
        "warnings": escape_texts(warnings),
    }


def _measure(part: Part, answer: ToolAnswer) -> int:
    """Return the bytes of the result and the warnings: the rest of `meta` varies from call to call."""
    meta = encode_json(answer.structured["meta"])
    return measure_answer(part, answer) - len(meta.encode()) + len(encode_json(part.warnings).encode())


FORM = Form(
    "retrieval",
    lambda error: explain_refusal(error).shown_code,
    _render,
    _render_failure,
    reserved_bytes=_META_BYTES,
    room="max_total_bytes_per_response, {whole:,} bytes",
    measure=_measure,
)
