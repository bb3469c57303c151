"""Gather what lies around the findings in groups, a line each: implementers, callers, tests, documents.

What is a finding already is not named again. Tests and examples stand apart from the program here, and never
among the callers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.documentation.records import DocsRequest
from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.questions import CALLS, IMPLEMENTATIONS
from repo_mcp.research.claims import name_place
from repo_mcp.research.locating import is_program, is_test_place
from repo_mcp.research.records import Form, Group, Reading
from repo_mcp.research.research_state import ResearchState
from repo_mcp.research.structural import list_overriding
from repo_mcp.symbols.symbol_record import TYPE_KINDS

AROUND = 3  # of the best findings, whose surroundings are looked at
MAX_IMPLEMENTERS = 16
MAX_PLACES = 5  # of one group
BOUNDS = Bounds(files=30, references=120)
_ALONE = frozenset({Form.OVERVIEW, Form.FLOW, Form.CONFIGURED})


def gather_groups(state: ResearchState, reading: Reading) -> tuple[Group, ...]:
    """Return the groups that hold anything, in the order in which one reads them."""
    best = [node for node in state.nodes.values() if not is_test_place(node.path)][:AROUND]
    if reading.form in _ALONE or not best:
        return ()
    users = [state.get_node(edge.other) for node in best for edge in _find_users(state, node)]
    groups = (
        ("implementers", [] if reading.form is Form.IMPLEMENTATIONS else _list_implementers(state, best)),
        (
            "callers",
            [] if reading.form is Form.CALLERS else [node for node in users if is_program(node.path)],
        ),
        ("tests", [node for node in users if is_test_place(node.path)]),
        ("examples", [node for node in users if not is_program(node.path) and not is_test_place(node.path)]),
    )
    found = [
        Group(what, _name_places(state, nodes, MAX_IMPLEMENTERS if what == "implementers" else MAX_PLACES))
        for what, nodes in groups
    ]
    if not any(one.kind == "section" for one in state.findings):
        found.append(Group("documentation", _list_sections(state, best)))
    return tuple(one for one in found if one.places)


def _name_places(state: ResearchState, nodes: Iterable[Node], most: int) -> tuple[str, ...]:
    new = dict.fromkeys(node for node in nodes if node.declaration not in state.nodes)
    places = [name_place(node) for node in new if state.admits(node.path)]
    more = [f"and {len(places) - most} more"] if len(places) > most else []
    return (*places[:most], *more)


def _list_implementers(state: ResearchState, best: Sequence[Node]) -> list[Node]:
    found = []
    for node in best:
        state.check()
        found += [state.get_node(link.source) for link in list_overriding(state, node)]
        if node.symbol.kind in TYPE_KINDS:
            edges = state.graph.find_incoming(node, IMPLEMENTATIONS, BOUNDS).edges
            found += [state.get_node(edge.other) for edge in edges]
    return found


def _find_users(state: ResearchState, node: Node) -> Sequence[Edge]:
    state.check()
    return state.graph.find_incoming(node, CALLS, BOUNDS).edges


def _list_sections(state: ResearchState, best: Sequence[Node]) -> tuple[str, ...]:
    """Return the sections of documents that speak of the best finding by its name."""
    name = best[0].symbol.name
    answer = state.source.search_docs(DocsRequest(name, has_comments=False))
    named = [hit for hit in answer.hits if name in hit.snippet]
    shown = [hit for hit in named if state.admits(hit.path)][:2]
    return tuple(
        f"{hit.breadcrumb or hit.path} ({hit.path}:{hit.start_line}-{hit.end_line})" for hit in shown
    )
