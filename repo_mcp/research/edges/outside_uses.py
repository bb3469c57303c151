"""Find who uses a name that is declared outside the repository, and who imports the files of a folder."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.edges import Edges
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.edges.hops import follow
from repo_mcp.research.edges.read_edges import UNREAD, WIDE, note_unread
from repo_mcp.research.edges.traversals import DEPENDENTS, Traversal
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, relocate
from repo_mcp.symbols.symbol_record import SymbolKind

MAX_IMPORTED = 60  # files of a folder whose importers are searched for


def note_importers(state: ResearchState, folder: str) -> None:
    """Note the files outside a folder that import a file in it."""
    paths = state.graph.scan.list_paths(folder)
    if len(paths) > MAX_IMPORTED:
        state.limit(UNREAD, f"importers of {MAX_IMPORTED} files of {len(paths)} are looked for", folder)
    for path in paths[:MAX_IMPORTED]:
        state.check()
        file = state.source.find_file(path)
        if file is None:
            continue
        found = state.graph.find_incoming(file, (EdgeType.IMPORTS,), WIDE)
        if found.cut:
            note_unread(state, folder, WIDE)
        for edge in found.edges:
            if not edge.other.path.startswith(f"{folder}/"):
                importer, reason = state.get_node(edge.other), Reason(f"imports {path}")
                state.add(importer, reason, 1, edge.confidence, edge.lines)
    state.report_hop(state.depth)


def follow_outside(
    state: ResearchState, subject: Subject, types: Sequence[EdgeType], traversal: Traversal
) -> None:
    """Note the users of a name declared outside the repository as the first hop, and follow on from them."""
    _, found = state.graph.scan.find_outside(subject.name, types, WIDE)
    if not found.edges and EdgeType.IMPLEMENTS in types:
        found = state.graph.name_uses.find_external_derived(subject.name, "")
    nodes = _note_users(state, subject, found)
    state.report_hop(1)
    if nodes and traversal is not DEPENDENTS:
        follow(state, nodes, traversal, state.depth, first_hop=2)


def _note_users(state: ResearchState, subject: Subject, found: Edges) -> list[Node]:
    words = {"calls": "calls", "inherits": "inherits from", "implements": "implements", "extends": "extends"}
    nodes = []
    if found.cut:
        note_unread(state, subject.name, WIDE)
    for edge in found.edges:
        for holder, lines in relocate(state, edge.other, edge.lines):
            node = state.get_node(holder)
            verb = words.get(edge.type.value, edge.type.value)
            reason = Reason(f"{verb} {subject.name}, which is declared outside")
            if state.add(node, reason, 1, edge.confidence, lines) and node.symbol.kind is not SymbolKind.FILE:
                nodes.append(node)
    return nodes
