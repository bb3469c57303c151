"""Find what calls the members that one more of a kind overrides: it says when they run, and on what.

    foreach (var sink in sinks)
        if (sink.Accepts(entry))          the program calls `Accepts` and `Write`, which each sink overrides
            sink.Write(entry);

A call may be one of the member of an interface, which the base of the kind implements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.bounds import SHORT
from repo_mcp.research.findings.locating import count_shared_folders
from repo_mcp.research.findings.named_symbols import admits_node, read_code
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.open_members import is_required
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, DeclaredSymbol
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.roles import is_side_file

MOST_ASKED = 4  # members whose calls are looked for
MOST_CALLING = 2  # functions that are shown


@dataclass(frozen=True, slots=True)
class Calling:
    """A function that calls members of a kind."""

    node: Node
    name: str  # of the first of these members
    body: Body  # in which the lines with the calls count most


def list_calling(
    state: ResearchState, base: Node, members: Sequence[DeclaredSymbol], noun: str
) -> list[Calling]:
    """Return the functions that call most of some members of a base, first those where the calls are sure.

    One that overrides a member calls that of its own base, and says nothing of the others. A call that may
    lead anywhere counts if its line has a word of the noun: `throttle.allow_request(request)`.
    """
    called: dict[Node, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    unsure: set[Node] = set()
    for member in _list_asked(state, base, members)[:MOST_ASKED]:
        own = state.get_node(Declaration(base.path, member.ordinal))
        for node in (own, *_list_overridden(state, own)):
            state.check()
            for edge in state.graph.find_incoming(node, CALLS, SHORT).edges:
                other = state.get_node(edge.other)
                if not _is_caller(state, base, other, {one.name for one in members}):
                    continue
                is_sure = edge.confidence is not Confidence.POSSIBLE
                if is_sure or _names_kind(state, other, edge.lines, noun):
                    called[other][member.name].update(edge.lines)
                    unsure |= set() if is_sure else {other}
    first = [one.name for one in members]
    ordered = sorted(
        called,
        key=lambda one: (
            one in unsure,
            min(map(first.index, called[one])),
            -len(called[one]),
            one.path,
            one.symbol.start_line,
        ),
    )
    return [_build(state, node, called[node]) for node in _choose(base, ordered, called)]


def _choose(base: Node, ordered: Sequence[Node], called: Mapping[Node, Collection[str]]) -> list[Node]:
    """Return the first function, then those that call further members, then those as near to the base.

    Others of its owner say the same again.
    """
    if not ordered:
        return []
    first = ordered[0]
    owner = (first.path, first.symbol.parent)
    others = [one for one in ordered[1:] if not {*called[one]} <= {*called[first]}]
    near = count_shared_folders(base.path, first.path)
    elsewhere = (
        one
        for one in ordered[1:]
        if (one.path, one.symbol.parent) != owner and count_shared_folders(base.path, one.path) >= near
    )
    return [first, *dict.fromkeys((*others, *elsewhere))][:MOST_CALLING]


def _list_asked(state: ResearchState, base: Node, members: Sequence[DeclaredSymbol]) -> list[DeclaredSymbol]:
    """Return the members that each of the kind must have, or else those with the name of the first one."""
    lines = state.source.read_lines(base.path)
    must = [one for one in members if is_required(lines, base, one)]
    return must or [one for one in members if one.name == members[0].name]


def _list_overridden(state: ResearchState, member: Node) -> list[Node]:
    """Return the members of interfaces and of further bases that a member overrides."""
    edges = state.graph.find_outgoing(member, (EdgeType.OVERRIDES,), SHORT).edges
    return [state.get_node(edge.other) for edge in edges]


def _is_caller(state: ResearchState, base: Node, node: Node, names: set[str]) -> bool:
    """Return True for a function of the program that overrides no member, and for one of the base."""
    if node.symbol.kind not in CALLABLE_KINDS or not admits_node(state, node) or is_side_file(node.path):
        return False
    is_own = (node.path, node.symbol.parent) == (base.path, base.symbol.ordinal)
    return is_own or node.symbol.name not in names


def _names_kind(state: ResearchState, node: Node, lines: Sequence[int], noun: str) -> bool:
    """Return True if a line that calls has a word of the noun."""
    read = state.source.read_lines(node.path)
    return any(shares_word(read[at - 1], noun.split()) for at in lines if at <= len(read))


def _build(state: ResearchState, node: Node, called: dict[str, set[int]]) -> Calling:
    terms = tuple(state.weights)
    lines = {at: terms for own in called.values() for at in own}
    return Calling(node, next(iter(called)), replace(read_code(state, node), terms=lines))
