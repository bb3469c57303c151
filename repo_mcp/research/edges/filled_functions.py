"""Find the functions that stand in for one which does nothing itself, but leaves its work to others.

    def find(self, key):                class MemoryStore(Store):
        raise NotImplementedError           def find(self, key): ...

What such a function raises, a call of it never meets where another overrides it.
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, list_statements, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolFlag

LEAST_STATEMENTS = 3  # with the signature; a shorter function says what its call says
MOST_OVERRIDING = 2  # functions that override an open one, and stand in for it
_OPEN = re.compile(r"\bNotImplemented(?:Error|Exception)?\b|\bunimplemented!")
_REFUSES = re.compile(rf"\s*(?:raise|throw)\b.*(?:{_OPEN.pattern})")  # behind it nothing is reached


def is_open(state: ResearchState, node: Node) -> bool:
    """Return True for a function that others override, and which does nothing itself."""
    if node.symbol.flags & SymbolFlag.ABSTRACT:
        return True
    lines = read_body(state, node)
    if not any(map(_OPEN.search, lines)):
        return False
    statements = list_statements(state, node)
    begins = lines[statements[1].first - node.symbol.start_line] if len(statements) > 1 else ""
    return len(statements) < LEAST_STATEMENTS or _REFUSES.match(begins) is not None


def fill(state: ResearchState, node: Node) -> list[Node]:
    """Return a function; for one that does nothing itself, those that override it, the longest first."""
    return list_standing_in(state, node)[:MOST_OVERRIDING]


def list_standing_in(state: ResearchState, node: Node) -> list[Node]:
    """Return all functions of which `fill` returns the first."""
    if not is_open(state, node):
        return [node]
    others = [state.get_node(link.source) for link in list_overriding(state, node)]
    own = [other for other in others if may_answer(other.path) and admits_node(state, other)]
    return sorted(own, key=lambda other: (-count_lines(other), other.path, other.symbol.start_line))
