"""The symbol that a call is about: by its `node_id`, or by a name or a place in `symbol`.

Both arguments take all that `repo_mcp/graph/symbol_lookup.py` can read, since models mix them up. An answer
to a call without the id says which symbol it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.text.escapes import escape_text
from repo_mcp.toolsets.arguments import Arguments, find_text
from repo_mcp.toolsets.graph.rows import Row

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository


@contextmanager
def open_symbol(repository: Repository, arguments: Arguments) -> Iterator[tuple[Graph, Node]]:
    """Yield the graph and the symbol of a call. Raises RepoError as `LiveGraph.open_at` does, and
    INVALID_ARGUMENT where the arguments name no symbol, or two.
    """
    given = [name for name in ("node_id", "symbol") if name in arguments]
    texts = {str(arguments[name]) for name in given}
    if len(texts) != 1:
        said = "Two different symbols are given." if texts else "No symbol is given."
        what = "Give symbol, a name such as Class.method or a place such as path:line, or give node_id."
        raise RepoError(ErrorCode.INVALID_ARGUMENT, said, what, {"argument": "symbol"})
    with repository.engines.graph.open_at(texts.pop(), given[0]) as found:
        yield found


def render_chosen(node: Node, arguments: Arguments) -> Mapping[str, object]:
    """Return the field that says which symbol an answer is about; none where the id was given."""
    if node.node_id in (find_text(arguments, "node_id"), find_text(arguments, "symbol")):
        return {}
    return {"symbol": render_candidate(node)}


def render_candidate(node: Node) -> Row:
    """Return a symbol with what tells it from others of its name."""
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
    return [render_candidate(node) for node in candidates]
