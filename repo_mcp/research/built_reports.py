"""Build the report on a question from what its investigation has noted, with live text and the map."""

from __future__ import annotations

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.excerpts import add_excerpts
from repo_mcp.research.findings.records import (
    Focus,
    Form,
    Link,
    MapEdge,
    MapNode,
    Outside,
    Reading,
    Report,
    ResearchRequest,
    TakenAs,
)
from repo_mcp.research.findings.research_state import ResearchState, list_limits
from repo_mcp.research.gathered import Gathered
from repo_mcp.research.settings.used_values import quote_values
from repo_mcp.research.structure.architecture import Architecture
from repo_mcp.text.citations import write_citation

OF_USERS = frozenset({Form.CALLERS, Form.DEPENDENTS, Form.TESTS, Form.RAISED})  # show the lines of use alone
_WITH_OUTSIDE = frozenset({Form.CALLEES, Form.DEPENDENCIES, Form.DEFINED})  # list names declared outside
MAX_OUTSIDE = 40  # names declared outside that a report lists
MAX_EDGES = 200  # of the map


def build_report(
    request: ResearchRequest, state: ResearchState, reading: Reading, gathered: Gathered
) -> Report:
    """Return the report on an investigated question, with excerpts of the live text and the map."""
    findings, gone = add_excerpts(state.source, state.findings, only_uses=reading.form in OF_USERS)
    findings = quote_values(state, findings)
    if gone:
        state.warnings.append(f"Places left out because their files changed after indexing: {gone}.")
    nodes, edges = build_map(state)
    architecture = gathered.architecture
    if architecture is not None and architecture.map_nodes:
        nodes, edges = architecture.map_nodes, architecture.map_edges
    report = Report(
        request,
        _name_subject(state, reading),
        state.depth,
        gathered.claim,
        gathered.groups,
        tuple(findings),
        nodes,
        edges,
        tuple(gathered.chains),
        tuple(state.entry_points.values()),
        shapes=gathered.shapes,
        outside=_join_outside(state, reading, architecture),
        warnings=tuple(state.warnings),
        is_thin=reading.form is Form.OPEN and state.word_match.is_thin,
    )
    if architecture is not None and architecture.modules:
        report.modules, report.layers = architecture.modules, architecture.layers
    report.limits = list_limits(state)
    return report


def _name_subject(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading; of a question about the errors of a function that it names, this is the subject."""
    if reading.form is not Form.ERRORS or not state.failures.asked:
        return reading
    asked = reading.subjects[0]
    return replace(
        reading, subjects=(replace(asked, taken_as=TakenAs.DECLARED, nodes=tuple(state.failures.asked)),)
    )


def build_map(state: ResearchState) -> tuple[tuple[MapNode, ...], tuple[MapEdge, ...]]:
    """Return the symbols found and the edges between them, both in the order of discovery."""
    nodes = [
        MapNode(node.node_id, node.qualified_name, node.kind, node.path) for node in state.nodes.values()
    ]
    links = [
        link for link in state.links.values() if link.source in state.nodes and link.target in state.nodes
    ]
    if len(links) > MAX_EDGES:
        state.limit(f"{len(links) - MAX_EDGES} edges of the map", f"{MAX_EDGES} are shown")
    return tuple(nodes), tuple(_build_edge(state, link) for link in links[:MAX_EDGES])


def _build_edge(state: ResearchState, link: Link) -> MapEdge:
    source, target = state.nodes[link.source], state.nodes[link.target]
    line = link.lines[0] if link.lines else source.symbol.start_line
    citation = write_citation(source.path, line, line)
    count = max(1, link.line_count)
    return MapEdge(source.node_id, target.node_id, link.kind, link.confidence.value, citation, count)


def _join_outside(
    state: ResearchState, reading: Reading, architecture: Architecture | None
) -> tuple[Outside, ...] | None:
    """Return the names declared elsewhere with their uses added up, or None when they are not wanted."""
    if architecture is not None:
        return architecture.outside
    if reading.form not in _WITH_OUTSIDE and state.request.focus is not Focus.DEPENDENCIES:
        return None
    joined: dict[str, Outside] = {}
    for one in state.outside:
        known = joined.get(one.name)
        count = one.count + (known.count if known else 0)
        joined[one.name] = Outside(one.name, count, known.citation if known else one.citation)
    if len(joined) > MAX_OUTSIDE:
        state.limit(f"{len(joined) - MAX_OUTSIDE} more names declared outside", f"{MAX_OUTSIDE} are listed")
    return tuple(joined.values())[:MAX_OUTSIDE] or None
