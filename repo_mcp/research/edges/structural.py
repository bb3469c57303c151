"""Find types that have all the methods of an interface without naming it, and what overrides a method.

Such interfaces are those of Go, and classes of Python that derive from `typing.Protocol`. Methods are
compared by name and number of parameters, in Go by their results as well. In Go the methods of a type may be
in several files of its folder. A type's embedded and inherited methods are not considered, so a type that
needs one is missed, and every type found is only probable.
"""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import EdgeType, list_implementing
from repo_mcp.research.edges.open_functions import is_open
from repo_mcp.research.findings.locating import weaker
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord

MAX_FILES = 300  # files that declare the rarest method
MAX_EMBEDDED = 8  # interfaces read: one and those it embeds
BOUNDS = Bounds(files=20, references=60)
_ABOVE = (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS)
_NO_OWNERS = frozenset({SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.INTERFACE})
MATCHED = "matched_by"  # the kind of a link from the method of a protocol to a function of a module
Shape = tuple[int, str]  # number of parameters, result
Owner = tuple[str, str]  # folder or path, name of the type


def list_structural(state: ResearchState, node: Node) -> list[Link]:
    """Return links from the types that have all the methods of a Go interface or a Python protocol."""
    if not _is_structural(state, node):
        return []
    wanted = _list_wanted(state, node)
    if not wanted:
        return []
    scan = state.graph.scan
    rarest = min(wanted, key=lambda name: (len(scan.list_declaring(name)), name))
    links: list[Link] = []
    seen: set[Owner] = set()
    for ordinal in scan.find_declared(rarest, MAX_FILES):
        owner = _find_owner(state, ordinal, node.language)
        if owner is None or owner in seen:
            continue
        seen.add(owner)
        if all(_has_method(state, owner, name, shape, node.language) for name, shape in wanted.items()):
            holder = _choose_holder(state, ordinal, owner, node.language)
            if holder != node.declaration:
                links.append(Link(holder, node.declaration, "has_methods_of", Confidence.PROBABLE))
    return links


def list_matched(state: ResearchState, node: Node) -> list[Link]:
    """Return links from the methods of Python protocols that a function of a module matches.

    A module may stand for an object of the protocol, as a plug-in does. Names and parameters are compared.
    """
    found = state.graph.name_uses.list_protocol_members(node)
    return [Link(one, node.declaration, MATCHED, Confidence.PROBABLE) for one in found]


def _is_structural(state: ResearchState, node: Node) -> bool:
    if node.language == "go":
        return node.symbol.kind is SymbolKind.INTERFACE
    if node.language != "python" or node.symbol.kind is not SymbolKind.CLASS:
        return False
    above = state.graph.find_outgoing(node, _ABOVE, BOUNDS)
    return any(
        one.name.endswith(("typing.Protocol", "typing_extensions.Protocol")) for one in above.externals
    )


def _list_wanted(state: ResearchState, node: Node) -> dict[str, Shape]:
    """Return the shapes of the required methods by name, including those of embedded interfaces."""
    wanted: dict[str, Shape] = {}
    waiting = [node]
    for _ in range(MAX_EMBEDDED):
        if not waiting:
            break
        one = waiting.pop()
        record = state.graph.scan.find_record(one.path)
        if record is None:
            continue
        for ordinal in record.list_children(one.symbol.ordinal):
            name = record.strings[record.names[ordinal]]
            is_special = name.startswith("__") and name.endswith("__")
            if int(record.kinds[ordinal]) == SymbolKind.METHOD and not is_special:
                wanted[name] = _read_shape(record, ordinal, node.language)
        if one.language == "go":
            above = state.graph.find_outgoing(one, _ABOVE, BOUNDS)
            waiting += [state.get_node(edge.other) for edge in above.edges]
    return wanted


def _read_shape(record: SymbolRecord, ordinal: int, language: str) -> Shape:
    result = record.strings[record.types[ordinal]] if language == "go" else ""
    return int(record.parameter_counts[ordinal]), result


def _find_owner(state: ResearchState, ordinal: Declaration, language: str) -> Owner | None:
    """Return the type that declares a method, in Go by its folder; None for a method of an interface."""
    record = state.graph.scan.find_record(ordinal.path)
    if record is None or state.graph.scan.find_language(ordinal.path) != language:
        return None
    parent = int(record.parents[ordinal.ordinal])
    kind = SymbolKind(int(record.kinds[parent]))
    if int(record.kinds[ordinal.ordinal]) != SymbolKind.METHOD or kind in _NO_OWNERS:
        return None
    name = record.strings[record.names[parent]]
    return (ordinal.path.rpartition("/")[0] if language == "go" else ordinal.path), name


def _has_method(state: ResearchState, owner: Owner, name: str, shape: Shape, language: str) -> bool:
    scan = state.graph.scan
    for path in scan.list_declaring(name):
        inside = path.rpartition("/")[0] == owner[0] if language == "go" else path == owner[0]
        record = scan.find_record(path) if inside else None
        for ordinal in record.find_symbols(name) if record is not None else ():
            assert record is not None
            parent = int(record.parents[ordinal])
            is_own = record.strings[record.names[parent]] == owner[1]
            is_own = is_own and int(record.kinds[parent]) not in _NO_OWNERS
            if is_own and _read_shape(record, ordinal, language) == shape:
                return True
    return False


def _choose_holder(state: ResearchState, ordinal: Declaration, owner: Owner, language: str) -> Declaration:
    """Return the type that holds a method: its own declaration, even if the method is in another file."""
    record = state.graph.scan.find_record(ordinal.path)
    assert record is not None
    parent = Declaration(ordinal.path, int(record.parents[ordinal.ordinal]))
    if language != "go" or int(record.kinds[parent.ordinal]) != SymbolKind.EXTENSION:
        return parent
    for one in state.graph.scan.find_declared(owner[1], MAX_FILES):
        other = state.graph.scan.find_record(one.path)
        same = one.path.rpartition("/")[0] == owner[0] and other is not None
        if same and other is not None and int(other.kinds[one.ordinal]) != SymbolKind.EXTENSION:
            return one
    return parent


def list_overriding(state: ResearchState, node: Node) -> list[Link]:
    """Return links from methods that override or implement a method, also in types found structurally."""
    if node.symbol.kind not in _MEMBERS:
        return []
    links = [
        Link(edge.other, node.declaration, "overrides", edge.confidence)
        for edge in state.graph.find_incoming(node, list_implementing(node.symbol.kind)).edges
    ]
    around = state.get_parent(node)
    owners = {link.source for link in list_structural(state, around)} if node.symbol.parent else set()
    known = {link.source for link in links}
    for one in state.graph.scan.find_declared(node.symbol.name, MAX_FILES) if owners else ():
        owner = _find_owner(state, one, node.language)
        is_own = owner is not None and _choose_holder(state, one, owner, node.language) in owners
        if is_own and one not in known:
            links.append(Link(one, node.declaration, "overrides", Confidence.PROBABLE))
    return links


_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})


def list_filling(state: ResearchState, node: Node, bounds: Bounds) -> tuple[list[Link], bool]:
    """Return links to the methods that a call of an abstract one may run, and whether the search was cut."""
    if node.symbol.kind not in _MEMBERS or not _is_left_open(state, node):
        return [], False
    found = state.graph.find_incoming(node, (EdgeType.OVERRIDES,), bounds)
    links = [
        Link(node.declaration, edge.other, "overridden_by", weaker(edge.confidence, Confidence.PROBABLE))
        for edge in found.edges
    ]
    return links, found.cut


def _is_left_open(state: ResearchState, node: Node) -> bool:
    return state.get_parent(node).symbol.kind in ABSTRACT_KINDS or is_open(state, node)
