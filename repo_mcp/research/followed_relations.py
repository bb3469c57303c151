"""Investigate the forms that ask for what is related to a symbol, a file, a folder or a name from outside.

Each function notes its findings and returns the chains or the imports that it found besides.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, NAMED
from repo_mcp.research.called_functions import show_called
from repo_mcp.research.claims.relation_sentence import list_filling_in
from repo_mcp.research.edges.chains import build_chains
from repo_mcp.research.edges.function_tables import note_tables
from repo_mcp.research.edges.hops import follow
from repo_mcp.research.edges.member_uses import note_member_uses
from repo_mcp.research.edges.named_dispatch import note_dispatched
from repo_mcp.research.edges.outside_uses import follow_outside, note_importers
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.edges.shown_users import show_implementers, show_users
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, CONFORMING, DEPENDENCIES, DEPENDENTS
from repo_mcp.research.findings.locating import is_program, is_test
from repo_mcp.research.findings.named_symbols import VALUES, show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Reading, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.gathered import Gathered
from repo_mcp.research.noted_subjects import OVERRIDING_CHARS, asks_how, asks_how_it_works
from repo_mcp.research.settings.field_readers import note_readers
from repo_mcp.research.settings.value_flow import show_value_flow
from repo_mcp.research.structure.architecture import scan_imports
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

UNIMPLEMENTED = "Nothing is known to implement or extend it; what depends on it is shown instead."
MAX_OVERRIDING = 4  # declarations that override a subject; of more, none is followed


def follow_callers(state: ResearchState, reading: Reading) -> Gathered:
    """Note what calls the subjects, with the chains of calls that lead to them."""
    nodes = reading.nodes
    if not nodes:
        follow_outside(state, reading.subjects[0], CALLS, CALLERS)
        return Gathered()
    follow(state, nodes, CALLERS, state.depth)
    note_dispatched(state, nodes)
    show_users(state)
    return Gathered(build_chains(state, nodes, upwards=True))


def follow_callees(state: ResearchState, reading: Reading) -> Gathered:
    """Note what the subjects call, with the chains of calls that begin at them."""
    nodes = reading.nodes
    if asks_how_it_works(state, reading):
        note_readers(state, nodes, below=True)
    follow(state, nodes, CALLEES, state.depth)
    _put_longest_first(state, nodes)
    show_called(state, nodes)
    return Gathered(build_chains(state, nodes, upwards=False))


def _put_longest_first(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Put the longest of what overrides the subjects first, and stubs and tests last."""
    filling = list_filling_in(state, nodes)
    places = [at for at, one in enumerate(state.findings) if one in filling]
    filling.sort(key=lambda one: (is_test(one.path, one.symbol), one.start_line - one.end_line))  # stable
    for at, one in zip(places, filling, strict=True):
        state.findings[at] = one


def follow_implementations(state: ResearchState, reading: Reading) -> None:
    """Note what implements or extends the subjects; if nothing does, what depends on them."""
    nodes = reading.nodes
    if sum(note_tables(state, node) for node in nodes):
        return
    if nodes:
        follow(state, nodes, CONFORMING, state.depth)
        show_implementers(state)
        if len(state.findings) <= len(nodes):
            state.is_unimplemented = True
            state.warnings.append(UNIMPLEMENTED)
            follow(state, nodes, DEPENDENTS, 1)
    else:
        follow_outside(state, reading.subjects[0], IMPLEMENTATIONS, CONFORMING)


def follow_dependents(state: ResearchState, reading: Reading) -> None:
    """Note what depends on the subject: on a symbol, a folder or a name from outside."""
    subject = reading.subjects[0]
    if subject.taken_as is TakenAs.FOLDER:
        note_importers(state, subject.name)
    elif not subject.nodes:
        follow_outside(state, subject, NAMED, DEPENDENTS)
    else:
        own = _note_overriding(state, subject.nodes)  # a change reaches them first
        if not sum(note_member_uses(state, node) for node in subject.nodes):
            follow(state, subject.nodes, DEPENDENTS, state.depth)
            note_dispatched(state, subject.nodes)
            show_users(state)
            if asks_how(state) and all(node.symbol.kind in VALUES for node in subject.nodes):
                show_value_flow(state, subject.nodes)
        else:
            follow(state, subject.nodes, DEPENDENTS, 1)
        if state.depth > 1 and own:
            follow(state, own, DEPENDENTS, 2, first_hop=2)
        note_readers(state, [node for node in subject.nodes if node.symbol.kind in CALLABLE_KINDS])


def _note_overriding(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Note and return the declarations that override or implement the subjects; none of too many.

    Code that calls an implementation through its own type depends on the signature just as much.
    """
    links = [link for node in nodes for link in list_overriding(state, node)]
    own = [link for link in links if is_program(link.source.path)]
    if len(own) > MAX_OVERRIDING:
        return []
    for link in own:
        other = state.get_node(link.source)
        filled = state.get_node(link.target).qualified_name
        reason = Reason(f"overrides or implements {filled}", Role.FILLS)
        state.add(other, reason, 1, link.confidence, shown=show_body(state, other, OVERRIDING_CHARS))
        state.link(link)
    return [state.get_node(link.source) for link in own]


def follow_dependencies(state: ResearchState, reading: Reading) -> Gathered:
    """Note what the subject depends on; of a file or folder, return what it imports."""
    subject = reading.subjects[0]
    if subject.taken_as is TakenAs.FOLDER:
        own = state.graph.scan.list_paths(subject.name)
        return Gathered(architecture=scan_imports(state, own, subject.name))
    files = [node for node in subject.nodes if node.symbol.kind is SymbolKind.FILE]
    if files:
        return Gathered(architecture=scan_imports(state, [files[0].path], files[0].path))
    follow(state, subject.nodes, DEPENDENCIES, state.depth)
    return Gathered()


def follow_flow(state: ResearchState, reading: Reading) -> Gathered:
    """Note the paths of calls from the first subject to the last, or back if there are none."""
    starts, ends = reading.subjects[0].nodes, reading.subjects[-1].nodes
    chains = find_paths(state, starts, ends)
    if not chains:
        chains = find_paths(state, starts, ends, guesses=True)
    if not chains:
        chains = find_paths(state, ends, starts)
        if chains:
            state.warnings.append("No path of calls leads there; these lead the other way.")
    if not chains:
        state.warnings.append(
            f"No path of calls was found within {state.depth} calls of either end;"
            " what the first calls and what calls the second is shown."
        )
        follow(state, starts, CALLEES, 1)
        follow(state, ends, CALLERS, 1)
    else:
        on_the_way = {end for link in state.links.values() for end in (link.source, link.target)}
        for node in (*starts, *ends):
            if node.declaration not in on_the_way:
                state.drop(node)
    state.report_hop(state.depth)
    return Gathered(chains)


def follow_defined(state: ResearchState, reading: Reading) -> None:
    """Note what uses the subjects and what they depend on."""
    nodes = reading.nodes
    follow(state, nodes, DEPENDENTS, 1)
    follow(state, nodes, DEPENDENCIES, state.depth - 1)  # its users say more of it
