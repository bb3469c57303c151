"""Find what runs when a function leaves a `with` block: it may raise another error than the block does.

with translated_errors:          translated_errors = Translating(ERRORS)
    return run(statement)        class Translating: def __exit__(self, kind, error, trace): raise ...
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.shared_members import find_members
from repo_mcp.research.findings.named_symbols import (
    VALUES,
    admits_node,
    count_lines,
    list_statements,
    read_body,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

MOST_DECLARING = 4  # declarations of a name; of more, it is not known which is entered
MOST_STATEMENTS, MOST_LINES = 2, 30  # of a function or property that only makes what is entered
LINE_CHARS = 300  # of a line that enters something; a longer one is not read
_ENTERS = re.compile(r"\s*(?:async )?with (.+):\s*(?:#.*)?$")
_NAME = re.compile(r"(?:^|, )(?:\w+\.)*(\w+)\s*(?:\(|,|$| as )")
_MAKES = re.compile(r"(?:=|\breturn)\s*(?:\w+\.)*([A-Z_]\w*)\(")


def list_leaving(state: ResearchState, node: Node) -> list[Node]:
    """Return the `__exit__` methods of what a Python function enters, where its type is known."""
    if node.language != "python":
        return []
    entered = (_ENTERS.match(line) for line in read_body(state, node) if len(line) <= LINE_CHARS)
    names = dict.fromkeys(name for one in entered if one for name in _NAME.findall(one[1]))
    types = dict.fromkeys(found for name in names for found in _find_types(state, name))
    leaving = (find_members(state, one).get("__exit__") for one in types)
    return [one for one in leaving if one is not None]


def _find_types(state: ResearchState, name: str) -> list[Node]:
    """Return the types of what a name stands for: a type, or a value or function that only makes one."""
    found = [node for node in _list_declared(state, name) if admits_node(state, node)]
    types = [node for node in found if node.symbol.kind in TYPE_KINDS]
    for node in found:
        is_value = node.symbol.kind in VALUES - {SymbolKind.PROPERTY}
        makes = node.symbol.kind in CALLABLE_KINDS | {SymbolKind.PROPERTY} and count_lines(node) <= MOST_LINES
        if is_value or (makes and len(list_statements(state, node)) <= MOST_STATEMENTS):
            made = _MAKES.findall("\n".join(read_body(state, node)))
            types += [
                one
                for type_name in made[:1]
                for one in _list_declared(state, type_name)
                if one.symbol.kind in TYPE_KINDS
            ]
    return types


def _list_declared(state: ResearchState, name: str) -> list[Node]:
    found = state.graph.scan.find_declared(name, MOST_DECLARING + 1)
    return [state.get_node(one) for one in found] if len(found) <= MOST_DECLARING else []
