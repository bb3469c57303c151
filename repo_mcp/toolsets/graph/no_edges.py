"""Words on an answer without edges: the symbol has none by its kind, or some may be missing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.errors import RepoError
from repo_mcp.graph.module_protocols import say_may_run
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTED_KINDS, NAMED, EdgeType, list_family
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import TYPE_KINDS, SymbolKind
from repo_mcp.toolsets.graph.rows import name_kind

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import EdgeQuestion
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository

_NEVER_CALLED = frozenset(
    {SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.EXTENSION}
)
_NEVER_CALLING = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.TYPE})
_READ = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.ENUM_MEMBER})
MOST_SOUGHT = 500  # references by name that are resolved to say how many there are
NOT_CALLED = "This is {}, which nothing calls: get_references lists what uses it."
READ_INSTEAD = "This is {}, which is read and not called: get_references has {}."
CALLS_NOTHING = "This is {}, which calls nothing itself: get_dependencies lists what it uses and contains."
TRACED = "This is an event, which code names as {}: ask for that."
NO_BASE = (
    "Nothing names this {} as its base, which in C nothing can: get_references lists what uses it, and of one"
    " of its members get_implementations lists the functions that tables set it to."
)
NOT_IMPLEMENTED = "Only a type, or a member of one, has implementations: this is {}."


def explain_kind(
    graph: Graph, node: Node, types: Iterable[EdgeType] | None, asked: EdgeQuestion
) -> list[str]:
    """Return why a symbol of this kind has no edges of the types asked for, if it cannot have any.

    `types` is None for the edges from its implementations.
    """
    kind = node.symbol.kind
    if kind is SymbolKind.EVENT and types is not None and asked.incoming:
        return _name_tracing(graph, node)
    if types is None and node.language == "c" and kind in TYPE_KINDS:
        return [NO_BASE.format(node.kind.replace("_", " "))]
    if types is None:
        return [] if kind in IMPLEMENTED_KINDS else [NOT_IMPLEMENTED.format(name_kind(node))]
    if types != CALLS:
        return []
    if not asked.incoming:
        return [CALLS_NOTHING.format(name_kind(node))] if kind in _NEVER_CALLING else []
    if kind in _NEVER_CALLED or (node.language == "c" and kind in TYPE_KINDS):
        return [NOT_CALLED.format(name_kind(node))]
    if kind in _READ:
        return _count_reads(graph, node, asked)
    members = graph.name_uses.list_protocol_members(node)
    return [say_may_run(graph.get_node(one)) for one in members[:1]]


def _name_tracing(graph: Graph, node: Node) -> list[str]:
    """Return a note on the function by which code names an event of C, declared by the same macro."""
    place, beside = node.symbol.start_line, graph.outline(node.path) if node.language == "c" else []
    named = [
        one for one in beside if one.symbol.start_line == place and one.symbol.kind is SymbolKind.FUNCTION
    ]
    return [TRACED.format(one.symbol.name) for one in named[:1]]


def _count_reads(graph: Graph, node: Node, asked: EdgeQuestion) -> list[str]:
    """Return a note on how often a value is used; none for one that no use is known of."""
    lists = graph.edge_lists
    if lists.count_uses(asked) > MOST_SOUGHT:
        return [NOT_CALLED.format(name_kind(node))]
    totals = lists.read(replace(asked, types=frozenset(NAMED), dispatches=False), 0).totals
    if not totals.lines:
        return []
    count = f"{'' if totals.is_complete else 'at least '}{totals.lines:,}"
    return [READ_INSTEAD.format(name_kind(node), count)]


def describe_unparsed_rest(repository: Repository, graph: Graph, node: Node) -> list[str]:
    """Return which files that have the name of a symbol were parsed only in part: they may use it."""
    from repo_mcp.graph.bulk_scan import is_partly_parsed  # not when tools are listed
    from repo_mcp.symbol_index.partly_parsed import describe_partly_parsed

    if not repository.symbol_index.status().partial:
        return []
    is_made = node.symbol.kind is SymbolKind.CONSTRUCTOR  # by the name of its type
    names = [part for part in node.qualified_name.split(".") if part.isidentifier()]
    name = names[-2] if is_made and len(names) > 1 else node.symbol.name
    try:
        search = repository.engines.exact.search
        said = describe_partly_parsed(
            name, list_family(node.language), partial(is_partly_parsed, graph.scan), search
        )
    except RepoError:  # while there is no index, the answer says so
        return []
    return [said] if said else []
