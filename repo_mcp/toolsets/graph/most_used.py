"""A name of several symbols: that which nearly all uses mean is taken, else the candidates are ordered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.errors import RepoError
from repo_mcp.symbols.model import SymbolFlag
from repo_mcp.text.lines import escape_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository
    from repo_mcp.toolsets.graph.rows import Row

MAX_OTHERS = 4  # named beside the symbol that is taken
TAKEN = "{} symbols have this name. Taken: {}, which {} of {} sampled uses mean; the others: {}."


def choose_most_used(repository: Repository, error: RepoError) -> tuple[Node, str] | None:
    """Return the symbol that nearly all uses of an ambiguous name mean, and a note on the others.

    Returns None if there is none. Then the candidates of the error are put in the order of their uses, with
    their definitions.
    """
    from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError

    if not isinstance(error, AmbiguousSymbolError):
        return None
    meant = error.meant
    if not meant or len({one.symbol.name for one in meant}) > 1:
        return None
    with repository.engines.graph.open(names=meant[0].symbol.name) as graph:
        found = graph.sample_uses(meant)
        if found.is_clear:
            first, others = _cite(graph, found.nodes[:1]), _cite(graph, found.nodes[1 : MAX_OTHERS + 1])
            more = f" and {len(meant) - 1 - MAX_OTHERS} more" if len(meant) - 1 > MAX_OTHERS else ""
            said = TAKEN.format(len(meant), first, found.counts[0], found.total, others + more)
            return found.nodes[0], said
        if found.total:
            error.candidates = tuple(found.nodes[: len(error.candidates)])
            for node, count in zip(error.candidates, found.counts, strict=False):
                defined = _list_defined(graph, node)
                facts: Row = {"sampled_uses": f"{count} of {found.total}"}
                error.facts[node.node_id] = facts | ({"definitions": defined} if defined else {})
    return None


def _cite(graph: Graph, nodes: Iterable[Node]) -> str:
    """Return the places of symbols, of a prototype also those of its definitions."""
    cited = []
    for node in nodes:
        defined = _list_defined(graph, node)
        place = f"{escape_text(node.path)}:{node.symbol.start_line}"
        cited.append(f"{place} (defined at {', '.join(defined)})" if defined else place)
    return ", ".join(cited)


def _list_defined(graph: Graph, node: Node) -> list[str]:
    """Return the places that define what a prototype declares."""
    if not node.symbol.flags & SymbolFlag.FORWARD:
        return []
    places = [graph.get_node(one.declaration) for one in graph.list_spans(node)]
    return [
        f"{escape_text(one.path)}:{one.symbol.start_line}"
        for one in places
        if not one.symbol.flags & SymbolFlag.FORWARD
    ]
