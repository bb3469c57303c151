"""Tell functions that do nothing themselves: they are only declared, or raise the error that says so.

def find(self, key):                throw new NotImplementedException();
    raise NotImplementedError
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import list_statements, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolFlag

LEAST_STATEMENTS = 3  # of a function that does something itself, its signature included
_OPEN = re.compile(r"\bNotImplemented(?:Error|Exception)?\b|\bunimplemented!")
_REFUSES = re.compile(rf"\s*(?:raise|throw)\b.*(?:{_OPEN.pattern})")  # nothing below it is reached


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
