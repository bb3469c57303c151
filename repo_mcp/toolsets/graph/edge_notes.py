"""Say what the edges of a symbol leave open: why some may not be known, and what else concerns the symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.graph.unnamed_uses import describe_plain_type, describe_unnamed_uses
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.symbols.model import DERIVED, TYPE_KINDS, ParseStatus, ReferenceRole, SymbolKind
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.graph.found_edges import TEXT_ROWS, FoundEdges
from repo_mcp.toolsets.graph.handed_values import MOST_SOUGHT, describe_values
from repo_mcp.toolsets.graph.no_edges import describe_unparsed_rest, explain_kind
from repo_mcp.toolsets.graph.rows import warn_untracked

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository

_DIRECTLY = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS})
_BASES = TYPE_KINDS - {SymbolKind.EXTENSION}
MAX_ASKED = 20  # types of one page that are asked for subtypes
MAX_NAMED = 3  # of those that have some
PARTLY_PARSED = "This file was parsed only in part: what the rest of it leads to is not known."
ONLY_NUMBERS = (
    "More than {0} rows have only the numbers of their lines: a limit of {0} shows the lines as well."
)
SHARED = "{} may mean this {}: the build decides which of the {} headers that declare it is included there."
BY_MACRO = "{:,} derive(...) name it, such as {}: what a macro implements is not listed."
BY_SHAPE = "Only what names this interface is listed: too many classes have what it requires."


def list_blind_spots(repository: Repository, found: FoundEdges) -> list[str]:
    """Return the reasons why a symbol may have edges that are not known."""
    tool, graph, node = found.tool, found.graph, found.node
    if tool.types is None:
        is_distinctive = graph.edge_lists.is_distinctive(node.declaration)
        blind = [*[BY_SHAPE] * (not is_distinctive), describe_plain_type(node)]
    elif tool.is_incoming:
        blind = [*warn_untracked(node), describe_unnamed_uses(node), describe_plain_type(node)]
    else:
        blind = [PARTLY_PARSED] if not found.known.rows and node.status == ParseStatus.PARTIAL else []
    if tool.is_incoming and found.is_first_page and found.is_named_in_code:
        named = node.symbol.name, node.language, node.symbol.kind
        blind.append(repository.engines.describe_unread_uses(*named))
    if tool.types is None:
        blind += [*_name_bases(found), *(_count_derives(graph, node) if found.is_first_page else [])]
    return [one for one in blind if one]


def list_notes(
    repository: Repository, found: FoundEdges, blind: list[str], *, asks_text: bool = True
) -> list[str]:
    """Return notes on a symbol and on the edges that are known. `blind` has its blind spots.

    Of the symbol's name in text they say something only if `asks_text` is set.
    """
    from repo_mcp.graph.function_types import describe_function_type

    tool, graph, node, known = found.tool, found.graph, found.node, found.known
    notes = [] if known.rows or blind else explain_kind(graph, node, tool.types, found.asked)
    asks_text &= tool.name == "get_references" or not (known.rows or notes)
    if tool.types is None and found.is_first_page:
        notes += filter(None, [escape_text(describe_function_type(graph, node))])
    if tool.is_incoming and not (known.rows or blind or notes):
        notes = describe_unparsed_rest(repository, graph, node)
    if tool.name == "get_callers" and found.is_first_page:
        if not known.totals.edges:
            notes += filter(None, [escape_text(graph.outside_callers.describe(node))])
        notes += [*describe_values(graph, node, found.asked, known), *_name_called_overrides(found)]
    if tool.is_incoming and tool.types is not None and found.is_first_page:
        notes += _count_shared(found)
        notes += _describe_mentions(repository, found) if asks_text else []
    if tool.is_incoming and not found.has_text:
        notes.append(ONLY_NUMBERS.format(TEXT_ROWS))
    return notes


def _list_cited(found: FoundEdges) -> set[tuple[str, int]]:
    """Return the paths and lines of the edges that are known."""
    from repo_mcp.graph.edges import Edge

    rows = found.known.rows
    return {(row.other.path, line) for row in rows if isinstance(row, Edge) for line in row.lines}


def _count_shared(found: FoundEdges) -> list[str]:
    """Return a note on the lines that mean this symbol or another one of its name, as the build decides."""
    from repo_mcp.graph.edges import Unresolved

    shared = found.graph.variant_uses.find(found.node, found.asked.types)
    if shared is None or found.asked.folder:
        return []
    unresolved = [row for row in found.known.rows if isinstance(row, Unresolved)]
    listed = _list_cited(found) | {(row.path, line) for row in unresolved for line in row.lines}
    places = [one for one in shared.places if one not in listed]
    if places:
        path, line = places[0]
        said = f"{len(places):,} more line{'s' * (len(places) > 1)}, such as {escape_text(path)}:{line},"
    elif shared.most and not shared.places:
        said = f"Up to {shared.most:,} more lines"
    else:
        return []
    return [SHARED.format(said, found.node.symbol.name, shared.variants)]


def _describe_mentions(repository: Repository, found: FoundEdges) -> list[str]:
    """Return a note on the files with the name of a symbol in text, if these are quickly found."""
    node, asked = found.node, found.asked
    if not found.is_named_in_code or asked.folder:
        return []
    if found.graph.edge_lists.count_uses(asked) > MOST_SOUGHT:
        return []
    *holders, name = [part for part in node.qualified_name.split(".") if part.isidentifier()] or [""]
    said = repository.engines.describe_mentions(name, holders, node.language, _list_cited(found))
    return [said] if said else []


def _name_called_overrides(found: FoundEdges) -> list[str]:
    """Return a note on the overrides of a member that are called by their own types."""
    from repo_mcp.graph.called_overrides import describe_called_overrides

    totals = found.known.totals
    said = describe_called_overrides(found.graph, totals.below, is_complete=totals.is_complete)
    return [f"{said.removesuffix('.')}: ask for theirs."] if said else []


def _name_bases(found: FoundEdges) -> list[str]:
    """Return a note on the types of a page that have subtypes, which are implementations as well."""
    from repo_mcp.graph.edges import Edge

    graph = found.graph
    direct = (row for row in found.rows if isinstance(row, Edge) and row.type in _DIRECTLY)
    others = dict.fromkeys(row.other for row in direct)
    nodes = [graph.get_node(one) for one in [*others][:MAX_ASKED]]
    named = [node.symbol.name for node in nodes if node.symbol.kind in _BASES and _has_subtypes(graph, node)]
    if not named:
        return []
    more = f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    has = "has" if len(named) == 1 else "have"
    return [f"{', '.join(named[:MAX_NAMED])}{more} {has} subtypes that are not listed: ask for theirs."]


def _count_derives(graph: Graph, node: Node) -> list[str]:
    """Return a note on the types of Rust that derive a trait: a macro implements it for them."""
    if node.symbol.kind is not SymbolKind.TRAIT or node.language != "rust":
        return []
    places: list[str] = []
    found = graph.name_uses.list_rare(node.symbol.name, MOST_SOUGHT)
    for path in sorted({path for paths in found for path in paths}):
        record = graph.scan.find_record(path)
        for row in record.list_named_role(node.symbol.name, ReferenceRole.TYPE) if record is not None else ():
            if record is not None and record.get_reference(row).arguments == DERIVED:
                places.append(f"{path}:{record.ref_lines[row]}")
    return [BY_MACRO.format(len(places), places[0])] if places else []


def _has_subtypes(graph: Graph, node: Node) -> bool:
    below = map(graph.get_node, graph.edge_lists.list_derived(node.declaration))
    return any(one.symbol.name != node.symbol.name for one in below)  # not only extensions of its own
