"""Answers of the `graph` toolset: results as specification 3 shows them, errors in its one format.

    {"result":[…],"truncated":false}
    {"error":{"code":"not_found","message":"…","hint":"…","candidates":[…]}}

Structured content is an object, so an array of specification 3 is its `result`. `candidates` is there only
when several symbols fit what was given; `warnings` only when something about the answer is incomplete or
unusual. `truncated` says that rows were left out.

A call names the symbol that it is about by its `node_id`, or by a name or a place in `symbol`.

Both arguments take all that `repo_mcp/graph/lookup/symbol_lookup.py` can read, since models mix them up. An
answer to a call without the id says which symbol it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import ToolAnswer
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import (
    NOT_RECORDED,
    Arguments,
    Call,
    Form,
    Result,
    add_warnings,
    build_answer,
    find_text,
    render_result,
)
from repo_mcp.toolsets.failure_hints import HINTS, choose_hint
from repo_mcp.toolsets.graph.rows import Row

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph, Span
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository

# The specification's codes; ours are finer. `blocked` is ours: a name that is never served; so are `busy` and
# `timeout`: the call may be made again.
_CODES: Mapping[ErrorCode, str] = {
    ErrorCode.INVALID_ARGUMENT: "invalid_parameter",
    ErrorCode.PATH_INVALID: "invalid_parameter",
    ErrorCode.PATH_ESCAPE: "path_escape",
    ErrorCode.PATH_DENIED: "blocked",
    ErrorCode.NOT_FOUND: "not_found",
    ErrorCode.NOT_A_FILE: "invalid_parameter",
    ErrorCode.NOT_A_DIRECTORY: "invalid_parameter",
    ErrorCode.UNREADABLE: "not_found",
    ErrorCode.FILE_TOO_LARGE: "too_large",
    ErrorCode.BINARY_FILE: "binary_file",
    ErrorCode.LIMIT_EXCEEDED: "too_large",
    ErrorCode.BUSY: "engine_unavailable",
    ErrorCode.TOO_MANY_CALLS: "busy",
    ErrorCode.TIMEOUT: "timeout",
    ErrorCode.CANCELLED: "engine_unavailable",
    ErrorCode.CONFIG_INVALID: "engine_unavailable",
    ErrorCode.NO_ROOT: "engine_unavailable",
    ErrorCode.INDEX_UNAVAILABLE: "engine_unavailable",
    ErrorCode.INTERNAL: "index_error",
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own.
_HINTS: Mapping[ErrorCode, str] = {
    **HINTS,
    ErrorCode.NOT_FOUND: "Find the path with list_directory or get_directory_tree.",
    ErrorCode.NOT_A_FILE: "List a directory with list_directory.",
    ErrorCode.NOT_A_DIRECTORY: "Read a file with read_file.",
    ErrorCode.INDEX_UNAVAILABLE: "Files are being indexed; get_status shows the progress. Until then"
    " list_directory, get_directory_tree and read_file work.",
}
_OWN_HINTS = frozenset({ErrorCode.INDEX_UNAVAILABLE, ErrorCode.BUSY})  # others' hints name other tools


def name_code(code: ErrorCode) -> str:
    """Return the specification's code for one of ours."""
    return _CODES[code]


def _render_failure(call: Call[Repository], error: RepoError, warnings: Sequence[str]) -> ToolAnswer:
    hint = choose_hint(error, _HINTS, _OWN_HINTS)
    shown: Result = {"code": _CODES[error.code], "message": escape_text(error.message)}
    shown |= {"hint": hint} if hint else {}
    candidates = render_candidates(error)
    shown |= {"candidates": candidates} if candidates else {}
    return build_answer(add_warnings({"error": shown}, warnings), is_error=True, prune=call.prune)


FORM = Form(
    "graph",
    lambda error: _CODES[error.code],
    render_result,
    _render_failure,
    reserved_bytes=len(f',"warnings":["{NOT_RECORDED}"]'),
)


@contextmanager
def open_symbol(
    repository: Repository,
    arguments: Arguments,
    *,
    has_body: bool = False,
    likely: frozenset[SymbolKind] = frozenset(),
) -> Iterator[tuple[Graph, Node]]:
    """Yield the graph and the symbol of a call, chosen as `LiveGraph.open_at` does.

    Raises RepoError as `LiveGraph.open_at` does, and INVALID_ARGUMENT if the arguments name no symbol, or
    two.
    """
    given = [name for name in ("node_id", "symbol") if name in arguments]
    texts = {str(arguments[name]) for name in given}
    if len(texts) != 1:
        said = "Two different symbols are given." if texts else "No symbol is given."
        what = "Give symbol, a name such as Class.method or a place such as path:line, or give node_id."
        raise RepoError(ErrorCode.INVALID_ARGUMENT, said, what, {"argument": "symbol"})
    with repository.engines.graph.open_at(texts.pop(), given[0], has_body=has_body, likely=likely) as found:
        yield found


def render_chosen(node: Node, arguments: Arguments, spans: Sequence[Span] = ()) -> Mapping[str, object]:
    """Return the field that says which symbol an answer is about; none if the call gave its id.

    `spans` are its declarations if several platforms or builds have their own.
    """
    if node.node_id in (find_text(arguments, "node_id"), find_text(arguments, "symbol")):
        return {}
    chosen = dict(render_candidate(node))
    place = node.path, node.symbol.start_line
    constraint = next((one.constraint for one in spans if _place(one) == place), "")
    if constraint:
        chosen["constraint"] = escape_text(constraint)
    definitions = [
        f"{escape_text(one.path)}:{one.start_line}"
        + (f" ({escape_text(one.constraint)})" if one.constraint else "")
        for one in spans
        if _place(one) != place
    ]
    if definitions:
        chosen["definitions"] = definitions
    return {"symbol": chosen}


def _place(span: Span) -> tuple[str, int]:
    return span.path, span.start_line


def render_candidate(node: Node) -> Row:
    """Return a symbol with the facts that distinguish it from others of its name."""
    return {
        "node_id": node.node_id,
        "qualified_name": escape_text(node.qualified_name),
        "node_type": node.kind,
        "file_path": escape_text(node.path),
        "line_start": node.symbol.start_line,
        "parameter_signature": escape_text(node.symbol.parameters) or None,
    }


def render_candidates(error: RepoError) -> Sequence[Row]:
    """Return the symbols that an ambiguous text fits; none for any other failure."""
    candidates: Sequence[Node] = getattr(error, "candidates", ())
    facts: Mapping[str, Row] = getattr(error, "facts", {})
    return [{**render_candidate(node), **facts.get(node.node_id, {})} for node in candidates]
