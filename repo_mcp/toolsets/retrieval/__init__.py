"""The `retrieval` toolset: exact search and reading in the two repositories `docs` and `code`.

Tools stand in the order in which clients see them. Each call checks its arguments strictly, asks the engine,
renders one envelope and, however it ended, writes one line of the log of calls.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.audit.call_recorder import CallRecorder
from repo_mcp.config.server_config import Limits
from repo_mcp.errors import RepoError
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import JsonSchema, Tool, ToolAnswer, Toolset, read_arguments
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import Call, answer_call
from repo_mcp.toolsets.arguments import Arguments
from repo_mcp.toolsets.binding import Entry, Opened, Taken, Write, bind
from repo_mcp.toolsets.retrieval import schemas, tools
from repo_mcp.toolsets.retrieval.answers import FORM, find_repo, name_repo
from repo_mcp.toolsets.retrieval.failures import explain_argument
from repo_mcp.toolsets.retrieval.roots import Roots, open_roots, prepare_place, raise_limits

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.repository import Repository

__all__ = ["Roots", "bind_toolset", "build_toolset", "open_roots", "prepare_place", "raise_limits"]

CANCELLED = "CANCELLED"  # nobody is told this code: the client did not wait for the answer


_ENTRIES = (
    Entry(
        "search",
        schemas.SEARCH_TITLE,
        schemas.SEARCH_DESCRIPTION,
        schemas.search_input,
        schemas.search_output,
        tools.search,
    ),
    Entry(
        "open_file",
        schemas.OPEN_TITLE,
        schemas.OPEN_DESCRIPTION,
        schemas.open_file_input,
        schemas.lines_output,
        tools.open_file,
    ),
    Entry(
        "get_snippet",
        schemas.SNIPPET_TITLE,
        schemas.SNIPPET_DESCRIPTION,
        schemas.get_snippet_input,
        schemas.lines_output,
        tools.get_snippet,
    ),
    Entry(
        "list_dir",
        schemas.LIST_TITLE,
        schemas.LIST_DESCRIPTION,
        schemas.list_dir_input,
        schemas.list_dir_output,
        tools.list_dir,
    ),
)


def build_toolset(roots: Roots, audit: AuditLog | None = None) -> Toolset:
    """Return the tools over `roots`, with the limits in their schemas. `audit` logs each call."""
    return bind_toolset(roots.limits, lambda: (roots, audit))


def bind_toolset(limits: Limits, opened: Opened[Roots], guard: CallGuard = UNGUARDED) -> Toolset:
    """Return the tools over the roots that `opened` gives when one is called; `limits` go into schemas."""
    tools = bind(
        _ENTRIES, limits, opened, _answer, _find_writer, icon=icons.RETRIEVAL, take=_take, guard=guard
    )
    find_resources = partial(_bind_resources, limits, opened, guard)
    return Toolset("retrieval", tools, instructions.RETRIEVAL, find_resources)


def _bind_resources(limits: Limits, opened: Opened[Roots], guard: CallGuard) -> tuple[Tool, ...]:
    from repo_mcp.toolsets.resources import bind_resources  # of no use to most clients

    places = {name: partial(_open_root, name) for name in schemas.REPOS}
    return bind_resources(limits, opened, guard, places)


def _open_root(name: str, roots: Roots) -> Repository:
    return tools.open_root(roots, name)


def _take(tool: str, schema: JsonSchema, arguments: Arguments, free_text: frozenset[str]) -> Taken:
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
