"""The kinds of edges that are followed, each with its direction: callers, callees, dependents and so on.

A traversal gives the edges of one symbol. hops.py follows them level by level, and paths.py from both ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.edges import Bounds, Edge, Edges
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, IMPL, IMPLEMENTATIONS, NAMED, EdgeType, list_implementing
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.edges.possible_calls import list_unresolved
from repo_mcp.research.edges.structural import BOUNDS, MATCHED, list_filling, list_matched, list_structural
from repo_mcp.research.findings.locating import weaker
from repo_mcp.research.findings.records import Link, Outside
from repo_mcp.research.findings.research_state import ResearchState, is_used_everywhere, relocate
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation

FIRST_FAN, FAN = 40, 8  # edges shown of one symbol: at the first level, at later ones
WIDTH = 12  # symbols of one later level that are followed
MAX_OUTSIDE_USES = 2_000  # of names that are declared elsewhere
LINE_CHARS = 400  # read of a line that may give a local name, so that none takes long
NAMES_TYPE = "names_type"
CALLS_BY_LOCAL = "calls_by_local"  # gives a function to a local name, and calls this
THROUGH = frozenset({"overridden_by", MATCHED})  # kinds of links from methods through which calls reach one
_SCRIPTS = frozenset({"typescript", "javascript"})
_DISPATCHED = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})  # calls of one may run an override
_HANDED_ON = CALLABLE_KINDS - {SymbolKind.CONSTRUCTOR}  # may be passed as values and called elsewhere
# A line that gives a name to a local one: `const hash = options.hash || hashKey`.
_LOCAL = r"(?<![\w.$])([\w$]+)(?:\s*:\s*[^=]{{1,80}})?\s*:?=(?!=).*(?<![\w$]){}(?![\w$]|\s*\()"
_TYPE_TEST = re.compile(r"\b(?:isinstance|issubclass|instanceof)\b")


@dataclass(frozen=True, slots=True)
class HopFindings:
    """The edges of one symbol in the direction that is followed."""

    links: tuple[Link, ...]
    cut: bool = False  # True: there were more references than the bounds allow


@dataclass(frozen=True, slots=True)
class Traversal:
    """A kind of edge and the direction in which it is followed."""

    expand: Callable[[ResearchState, Node, Bounds], HopFindings]
    upwards: bool  # towards what depends on a symbol
    first_fan: int = FIRST_FAN
    fan: int = FAN
    width: int = WIDTH
    finds_entries: bool = False  # a symbol that nothing leads to is an entry point


def _expand_callers(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return the callers of a symbol.

    For a function, add the symbols that name it as a value, since it may be called under another name. For a
    method, add the methods it overrides, through which calls may reach it, and for a function of a module
    that nothing calls those of protocols that it matches.
    """
    types = (*CALLS, EdgeType.REFERENCES) if node.symbol.kind in _HANDED_ON else CALLS
    links, cut = _find_in(state, node, types, bounds)
    links = [_name_local(state, link, node) for link in links if link.kind == "calls" or _passes_on(link)]
    links += _list_overridden(state, node, bounds)
    if not any(link.confidence is not Confidence.POSSIBLE and link.kind == "calls" for link in links):
        links += list_matched(state, node)
    if not any(link.confidence is not Confidence.POSSIBLE for link in links):
        links += _list_possible_causes(state, node, bounds)
    return HopFindings((*links, *list_unresolved(state, node, bounds)), cut)


def _list_overridden(state: ResearchState, node: Node, bounds: Bounds) -> list[Link]:
    """Return links from the methods that a method overrides: calls may reach it through them."""
    if node.symbol.kind not in _DISPATCHED:
        return []
    above = state.graph.find_outgoing(node, (EdgeType.OVERRIDES,), bounds)
    return [
        Link(edge.other, node.declaration, "overridden_by", weaker(edge.confidence, Confidence.PROBABLE))
        for edge in above.edges
    ]


def _name_local(state: ResearchState, link: Link, node: Node) -> Link:
    """Return a use of a function as a value as CALLS_BY_LOCAL, if a local name is given it and is called."""
    if link.kind != "references" or node.symbol.kind not in _HANDED_ON or len(link.lines) != 1:
        return link
    user = state.get_node(link.source)
    lines = state.source.read_lines(link.source.path)[link.lines[0] - 1 : user.symbol.end_line]
    given = re.search(_LOCAL.format(re.escape(node.symbol.name)), "".join(lines[:1])[:LINE_CHARS])
    is_called = given is not None and any(
        re.search(rf"(?<![\w.$]){re.escape(given[1])}\s*\(", line) for line in lines[1:]
    )
    is_own = user.symbol.kind in CALLABLE_KINDS and is_called
    return replace(link, kind=CALLS_BY_LOCAL) if is_own else link


def _passes_on(link: Link) -> bool:
    """Return True for a sure use as a value, except a function's use of itself."""
    return link.confidence is not Confidence.POSSIBLE and link.source != link.target


def _list_possible_causes(state: ResearchState, node: Node, bounds: Bounds) -> list[Link]:
    """Return links from the symbols that may cause a call of an uncalled symbol.

    These are the function it is declared in, and the symbols that name it, or the type it constructs, as a
    value.
    """
    around = state.get_parent(node)
    named = around if node.symbol.kind is SymbolKind.CONSTRUCTOR else node
    links = [
        link
        for link in _find_in(state, named, (EdgeType.REFERENCES,), bounds)[0]
        if link.source != node.declaration
    ]
    if named is not node:
        return [
            replace(link, target=node.declaration, kind=NAMES_TYPE, confidence=Confidence.POSSIBLE)
            for link in links
            if not _only_tests_types(state, link)
        ]
    if node.symbol.parent and around.symbol.kind in CALLABLE_KINDS:
        lines = (node.symbol.start_line,)
        links.append(Link(around.declaration, node.declaration, "contains", Confidence.EXACT, lines))
    return links


def _only_tests_types(state: ResearchState, link: Link) -> bool:
    """Return True when every use of a type only tests whether a value is of that type."""
    lines = state.source.read_lines(link.source.path)
    return all(line <= len(lines) and _TYPE_TEST.search(lines[line - 1]) for line in link.lines)


def _find_in(
    state: ResearchState, node: Node, types: Sequence[EdgeType], bounds: Bounds
) -> tuple[list[Link], bool]:
    """Return links from the innermost symbols that use a symbol, and whether the search was cut."""
    found = state.graph.find_incoming(node, types, bounds)
    links = []
    for edge in found.edges:
        if _is_export(node, edge):
            continue
        holders = relocate(state, edge.other, edge.lines)
        count = edge.count if len(holders) == 1 else 0  # else unknown for each holder
        links += [
            Link(holder, node.declaration, edge.type.value, edge.confidence, lines, count)
            for holder, lines in holders
        ]
    return links, found.cut


def _is_export(node: Node, edge: Edge) -> bool:
    """Return True if a script only lists a symbol of its own among what it exports, and does not use it."""
    is_own = edge.type is EdgeType.IMPORTS and edge.other == Declaration(node.path, 0)
    return is_own and node.language in _SCRIPTS and node.symbol.kind is not SymbolKind.FILE


def _expand_dependents(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return what uses a symbol, and the methods that a method overrides: what uses those may run it."""
    links, cut = _find_in(state, node, NAMED, bounds)
    links = [_name_local(state, link, node) for link in links]
    links += _list_overridden(state, node, bounds)
    return HopFindings((*links, *list_unresolved(state, node, bounds)), cut)


def _expand_conforming(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return links from the types that conform to a type; for an extension, also from the type it extends.

    In Rust that type has no row of its own: nothing derives from it, and its `impl` says all. In Go what
    embeds a type that conforms does so by its own methods, or does not.
    """
    if (
        node.language == "go"
        and node.symbol.kind is not SymbolKind.INTERFACE
        and not _is_subject(state, node)
    ):
        return HopFindings(())
    found = _expand_implementations(state, node, bounds)
    links: list[Link] = []
    for link in found.links:
        holder = state.get_node(link.source)
        if holder.symbol.kind is SymbolKind.EXTENSION and holder.symbol.name == node.symbol.name:
            continue  # an extension of the subject itself, which is not a conformance
        links.append(link)
        if holder.symbol.kind is SymbolKind.EXTENSION and holder.kind != IMPL:
            links += _list_extended(state, holder, link)
    known = {link.source for link in links}
    links += [link for link in list_structural(state, node) if link.source not in known]
    return HopFindings(tuple(links), found.cut)


def _is_subject(state: ResearchState, node: Node) -> bool:
    return any(one.node == node and not one.hop for one in state.findings)


def _expand_implementations(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    if node.symbol.kind in _DISPATCHED:
        if not _is_subject(state, node):
            return HopFindings(())  # what overrides an override was found with the subject
        below = state.graph.find_incoming(node, list_implementing(node.symbol.kind))
        links = [
            Link(edge.other, node.declaration, edge.type.value, edge.confidence, edge.lines)
            for edge in below.edges
        ]
        return HopFindings(tuple(links), below.cut)
    links, cut = _find_in(state, node, IMPLEMENTATIONS, bounds)
    return HopFindings(tuple(links), cut)


def _list_extended(state: ResearchState, holder: Node, link: Link) -> list[Link]:
    """Return links from the type that an extension extends, because that type conforms as well.

    In `extension Token: Authenticatable {}` the extension names the protocol, and `Token` conforms to it.
    """
    above = state.graph.find_outgoing(
        holder, (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS), BOUNDS
    )
    extended = [edge for edge in above.edges if state.get_node(edge.other).symbol.name == holder.symbol.name]
    for edge in extended[:1]:
        state.link(Link(holder.declaration, edge.other, "extension_of", edge.confidence, edge.lines))
    return [
        Link(edge.other, link.target, "conforms_by_extension", weaker(edge.confidence, link.confidence))
        for edge in extended[:1]
    ]


def _expand_callees(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return the callees of a symbol; for an abstract method, also the methods that implement it."""
    found = _expand_calls(state, node, bounds)
    filling, cut = list_filling(state, node, bounds)
    return HopFindings((*found.links, *filling), found.cut or cut)


def _expand_out(types: Sequence[EdgeType]) -> Callable[[ResearchState, Node, Bounds], HopFindings]:
    def expand(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
        found = state.graph.find_outgoing(node, types, bounds)
        note_outside(state, node, found)
        links = [
            Link(node.declaration, edge.other, edge.type.value, edge.confidence, edge.lines, edge.count)
            for edge in found.edges
            if not is_used_everywhere(state, state.get_node(edge.other))
        ]
        return HopFindings(tuple(links), found.cut)

    return expand


def note_outside(state: ResearchState, node: Node, found: Edges) -> None:
    """Note the names that are declared outside the repository."""
    for one in found.externals:
        line = one.lines[0] if one.lines else node.symbol.start_line
        if len(state.outside) < MAX_OUTSIDE_USES:
            state.outside.append(Outside(one.name, one.count, write_citation(node.path, line, line)))


_expand_calls = _expand_out(CALLS)
CALLERS = Traversal(_expand_callers, True, finds_entries=True)
DEPENDENTS = Traversal(_expand_dependents, True)
CONFORMING = Traversal(_expand_conforming, True, 120, 60, 60)
CALLEES = Traversal(_expand_callees, False)
DEPENDENCIES = Traversal(_expand_out(NAMED), False)
