"""Note what a change of a type breaks that others implement: these, and what calls its members through it.

What only takes such a type as a parameter says little, and what calls that says less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.edges.shared_members import find_members
from repo_mcp.research.edges.traversals import CONFORMING
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.handed_on import MemberUses, OpenType, Place
from repo_mcp.research.findings.locating import is_program, is_test_node, may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag, SymbolKind

MOST_MEMBERS = 24  # of a type, whose calls are looked for
MOST_IMPLEMENTERS = 4  # noted of a type
MOST_CALLERS = 20  # noted of a type: of each member the first, then the second of each and so on
_IMPLEMENTERS = Bounds(files=60, references=240)
_FILES, _REFERENCES = 1_200, 9_000  # read for the callers of all members


def note_member_uses(state: ResearchState, node: Node) -> bool:
    """Note what implements a type, and what calls its members through it, grouped by these.

    Return False, and note nothing, if nothing of the program does the latter.
    """
    members = find_members(state, node) if node.symbol.kind in TYPE_KINDS else {}
    members = {name: one for name, one in members.items() if one.symbol.kind is not SymbolKind.CONSTRUCTOR}
    implementers = _list_implementers(state, node) if members else {}
    is_open = node.symbol.kind in ABSTRACT_KINDS or node.symbol.flags & SymbolFlag.ABSTRACT
    if len(members) > MOST_MEMBERS or not (implementers or (is_open and members)):
        return False
    bounds = Bounds(_FILES // len(members), _REFERENCES // len(members))
    found = {name: _find_callers(state, node, one, bounds) for name, one in members.items()}
    callers = {name: edges for name, (edges, _) in found.items()}
    if not any(callers.values()):
        return False
    own = [one for one in implementers if is_program(one.path) and not is_test_node(one)]
    own.sort(key=lambda one: not may_answer(one.path))  # stable
    verb = "implements" if node.symbol.kind in ABSTRACT_KINDS else "derives from"
    implements = Reason(f"{verb} {node.qualified_name}", Role.FILLS, node.qualified_name)
    for one in own[:MOST_IMPLEMENTERS]:
        state.add(one, implements, 1, implementers[one])
    _note_callers(state, node, callers)
    uses = tuple(MemberUses(name, _list_places(edges), cut) for name, (edges, cut) in found.items())
    state.open_types.append(OpenType(node, tuple(own), len(implementers) - len(own), uses))
    return True


def _list_implementers(state: ResearchState, node: Node) -> dict[Node, Confidence]:
    """Return the types that surely implement or extend a type, and how surely each does."""
    state.check()
    found: dict[Node, Confidence] = {}
    for link in CONFORMING.expand(state, node, _IMPLEMENTERS).links:
        other = state.get_node(link.source)
        if link.confidence is not Confidence.POSSIBLE and other.symbol.kind in TYPE_KINDS:
            found.setdefault(other, link.confidence)
    return found


def _find_callers(state: ResearchState, node: Node, member: Node, bounds: Bounds) -> tuple[list[Edge], bool]:
    """Return the edges from what surely calls a member of a type in the program, outside of the type.

    Return also whether there may be more.
    """
    state.check()
    found = state.graph.find_incoming(member, CALLS, bounds)
    edges = [edge for edge in found.edges if edge.confidence is not Confidence.POSSIBLE]
    return [edge for edge in edges if _is_outside(state.get_node(edge.other), node)], found.cut


def _is_outside(user: Node, node: Node) -> bool:
    """Return True for what lies in the program, and not inside a type."""
    is_inside = user.path == node.path and user.qualified_name.startswith(f"{node.qualified_name}.")
    return is_program(user.path) and not (is_inside or is_test_node(user))


def _note_callers(state: ResearchState, node: Node, found: Mapping[str, Sequence[Edge]]) -> None:
    """Note of each member the first callers, those of different folders first, each once."""
    called: dict[Declaration, list[tuple[int, str]]] = {}  # by caller, the lines and what each calls
    for name, edges in found.items():
        for edge in edges:
            called.setdefault(edge.other, []).extend((line, name) for line in edge.lines)
    spread = [_spread(edges) for edges in found.values()]
    chosen = dict.fromkeys(other for turn in zip_longest(*spread) for other in turn if other is not None)
    first = [*chosen][:MOST_CALLERS]
    for others in spread:
        for other in (one for one in others if one in first):
            own = sorted(called[other])
            names = join_names(f"{node.symbol.name}.{name}" for _, name in own)
            reason = Reason(f"calls {names}", Role.CALLS_MEMBER, node.qualified_name)
            lines = tuple(dict.fromkeys(line for line, _ in own))
            state.add(state.get_node(other), reason, 1, lines=lines)


def _spread(edges: Sequence[Edge]) -> list[Declaration]:
    """Return what calls a member, in turns one of each folder: the nearest alone tell little."""
    met: Counter[str] = Counter()
    turns = {}
    for other in dict.fromkeys(edge.other for edge in edges):
        folder = other.path.rpartition("/")[0]
        turns[other] = met[folder]
        met[folder] += 1
    return sorted(turns, key=turns.__getitem__)  # stable


def _list_places(edges: Sequence[Edge]) -> tuple[Place, ...]:
    """Return the lines of calls, the first of each caller before its others."""
    order = _spread(edges)
    turns = {other: turn for turn, other in enumerate(order)}
    ordered = [(at, turns[edge.other], line) for edge in edges for at, line in enumerate(edge.lines)]
    return tuple((order[caller].path, line) for _, caller, line in sorted(ordered))
