"""Notes on the uses of a function that do not call it: whatever gets it there may call it.

    table = [stop]                                the function is an argument, a part of a table, or assigned
    export const authorize = rules.authorize;     another name for it, which others call
    const Page = lazy(() => import("./Page"));    the same for what a file exports as default

Without them, the callers of a function alone would pass for all that runs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.graph.rows import shorten

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import EdgeQuestion, KnownEdges
    from repo_mcp.graph.edges import Edge
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node

# Functions are values in most languages, and a macro of Swift may be attached to a declaration.
_HANDED_ON = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO, SymbolKind.COMPONENT})
_HELD = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_USES = frozenset({*CALLS, EdgeType.REFERENCES})
_MENTIONS = frozenset({EdgeType.REFERENCES, EdgeType.IMPORTS})
MAX_QUOTED = 3  # places that use a function without a call
MAX_HELD = 3  # other names of a function
MOST_SOUGHT = 500  # references by name that are resolved for what uses a function without a call
USED_AS_VALUE = "{} without a call: {}."
LISTS_VALUES = " get_references lists what hands it on."
HANDED_OUT = "Handed out as {} ({}:{}), which {}: ask for the callers of that as well."


def describe_values(graph: Graph, node: Node, asked: EdgeQuestion, known: KnownEdges) -> list[str]:
    """Return notes on the places that use a function without calling it, if these are quickly found."""
    from repo_mcp.graph.edges import Edge
    from repo_mcp.graph.program import Confidence

    lists = graph.edge_lists
    if node.symbol.kind not in _HANDED_ON or not known.totals.is_complete:
        return []
    if lists.count_uses(asked) > MOST_SOUGHT:
        return []
    rows = lists.read(replace(asked, types=_MENTIONS, dispatches=False), 0).rows
    edges = [one for one in rows if isinstance(one, Edge) and one.confidence != Confidence.POSSIBLE]
    held = {(one.path, one.symbol.start_line): one for edge in edges for one in _list_held(graph, node, edge)}
    places = [
        place
        for edge in edges
        for line in edge.lines
        if edge.type is EdgeType.REFERENCES and (place := (edge.other.path, line)) not in held
    ]
    notes = [_describe_held(graph, asked, one) for one in [*held.values()][:MAX_HELD]]
    return notes + _describe_places(graph, node, places)


def _describe_places(graph: Graph, node: Node, places: list[tuple[str, int]]) -> list[str]:
    if not places:
        return []
    shown = "; ".join(_quote(graph, *one, node.symbol.name) for one in places[:MAX_QUOTED])
    count = "One place uses it" if len(places) == 1 else f"{len(places):,} places use it"
    if len(places) <= MAX_QUOTED:
        return [USED_AS_VALUE.format(count, shown)]
    return [USED_AS_VALUE.format(count, f"such as {shown}") + LISTS_VALUES]


def _quote(graph: Graph, path: str, line: int, name: str) -> str:
    """Return a place with the code on its line."""
    text = graph.read_lines(path)
    code = f" `{shorten(text[line - 1], name)}`" if line <= len(text) else ""
    return f"{escape_text(path)}:{line}{code}"


def _list_held(graph: Graph, node: Node, edge: Edge) -> list[Node]:
    """Return the variables that are another name for a function where an edge begins."""
    begins = graph.get_node(edge.other).symbol
    if begins.kind not in _HELD | {SymbolKind.FILE}:
        return []
    lines = set(edge.lines)
    declared = [
        one
        for one in graph.outline(edge.other.path)
        if one.symbol.kind in _HELD and one.symbol.start_line in lines and not one.symbol.parent
    ]
    if edge.type is EdgeType.IMPORTS:
        return [one for one in declared if one.declaration == edge.other]
    text = graph.read_lines(edge.other.path)
    whole = re.compile(rf".*=\s*+[\w$.]*\b{re.escape(node.symbol.name)}\s*+;?\s*+")
    return [
        one
        for one in declared
        if one.symbol.name == node.symbol.name
        or (one.declaration == edge.other and any(map(whole.fullmatch, _cut_line(text, one))))
    ]


def _cut_line(text: Sequence[str], node: Node) -> Sequence[str]:
    """Return the first line of a declaration; none if the file has become shorter since it was parsed."""
    return text[node.symbol.start_line - 1 : node.symbol.start_line]


def _describe_held(graph: Graph, asked: EdgeQuestion, held: Node) -> str:
    """Return a note on a variable that is another name for a function."""
    lists = graph.edge_lists
    own = replace(asked, declaration=held.declaration, types=_USES, dispatches=False)
    most = lists.count_uses(own)
    count = lists.read(own, 0).totals.lines if most <= MOST_SOUGHT else most
    used = "one line uses" if count == 1 else f"{'' if most <= MOST_SOUGHT else 'up to '}{count:,} lines use"
    return HANDED_OUT.format(
        escape_text(held.symbol.name), escape_text(held.path), held.symbol.start_line, used
    )
