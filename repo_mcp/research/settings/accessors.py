"""Find what reads a setting through a member that only returns it.

public long getPatience() { return patience; }       pool.wait(config.getPatience())  reads it, too
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.locating import is_program, is_test_node
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

ACCESSOR_LINES = 5  # of a member that has room for one statement at most, with an annotation
MOST_ACCESSORS = 4  # of one setting, whose users are read
_BOUNDS = Bounds(files=40, references=200)
_RETURNED = r"(?:\breturn|=>)\s+(?:self\.|this\.|this->|@)?_*{};?\s*(?:\}}\s*)?$"
_PREFIX = re.compile(r"^(?:#|_)*(?:get|is|has)?_?", re.IGNORECASE)


def list_through_accessors(
    state: ResearchState, name: str, reading: Sequence[ExactMatch]
) -> list[ExactMatch]:
    """Return the lines of the program that use the members around `reading` which only return a setting."""
    known = {(one.path, one.start_line) for one in reading}
    returned = re.compile(_RETURNED.format(re.escape(name)))
    around = ((state.source.find_around(one.path, one.start_line), one) for one in reading)
    accessors = [
        node
        for node, one in around
        if node is not None and (_is_named_after(node, name) or returned.search(one.line)) and _is_short(node)
    ]
    found: list[ExactMatch] = []
    for node in [*dict.fromkeys(accessors)][:MOST_ACCESSORS]:
        for edge in list_users(state, node, _BOUNDS, (*CALLS, EdgeType.REFERENCES)):
            user = state.get_node(edge.other)
            if not is_program(user.path) or is_test_node(user) or user == node:
                continue
            lines = state.source.read_lines(user.path)
            for at in edge.lines:
                if (user.path, at) not in known and at <= len(lines):
                    known.add((user.path, at))
                    found.append(ExactMatch(user.path, at, at, 1, lines[at - 1]))
    return found


def _is_short(node: Node) -> bool:
    is_member = node.symbol.kind in CALLABLE_KINDS or node.symbol.kind is SymbolKind.PROPERTY
    return is_member and count_lines(node) <= ACCESSOR_LINES


def _is_named_after(node: Node, name: str) -> bool:
    own, other = (_PREFIX.sub("", one).replace("_", "").lower() for one in (node.symbol.name, name))
    return own == other
