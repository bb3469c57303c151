"""The functions of a function type.

Nothing implements such a type, but functions return it or are declared as it, and whoever asks for its
implementations wants these.

Left out on purpose: functions whose type is only inferred, and those that are passed where the type is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.languages.typescript.types import read_function
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.roles import FileRole, find_role

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node

MAX_NAMED = 12
LOOK = Bounds(files=300, references=3_000)
_SCRIPTS = frozenset({"javascript", "typescript"})
_OF_TYPE = CALLABLE_KINDS | {SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.PROPERTY}


def is_function_type(node: Node) -> bool:
    """Return whether a symbol is a name of a function type, or a delegate of C#."""
    if node.symbol.kind is not SymbolKind.TYPE:
        return False
    is_alias = node.language in _SCRIPTS and read_function(node.symbol.return_type) is not None
    return is_alias or node.language == "csharp"


def find_functions(graph: Graph, node: Node) -> tuple[list[Node], bool]:
    """Return what returns a function type or is declared as it, and whether there may be more.

    Tests come last.
    """
    name = re.escape(node.symbol.name)
    written = re.compile(rf"(?:\w++<)?(?:\w++\.){{0,8}}{name}(?:<.*>)?[>?]?", re.DOTALL)
    edges = graph.find_incoming(node, (EdgeType.REFERENCES,), LOOK)
    others = [graph.get_node(one.other) for one in edges.edges if one.confidence is not Confidence.POSSIBLE]
    found = [
        one
        for one in others
        if one.symbol.kind in _OF_TYPE and written.fullmatch(one.symbol.return_type.strip(": "))
    ]
    found.sort(key=lambda one: (_rank(one.path), one.path, one.symbol.start_line))
    return list(dict.fromkeys(found)), edges.cut


def _rank(path: str) -> int:
    """Return a sort key: the program first, tests last."""
    role = find_role(path)
    return 2 if role is FileRole.TEST else int(role is not FileRole.CODE)


def describe_function_type(graph: Graph, node: Node, named: str = "This") -> str:
    """Return a sentence with the functions of the function type `named`; "" for any other symbol."""
    if not is_function_type(node):
        return ""
    found, is_cut = find_functions(graph, node)
    what = "a delegate" if node.language == "csharp" else "a function type"
    said = f"{named} is {what}, which nothing implements by name"
    if not found:
        return f"{said}; no function is known that returns it or is declared as it."
    listed = [f"{one.name_inside} ({one.path}:{one.symbol.start_line})" for one in found[:MAX_NAMED]]
    left = len(found) - len(listed)
    more = f" and {'at least ' if is_cut else ''}{left:,} more" if left else ""
    return f"{said}: these return it or are declared as it: {', '.join(listed)}{more}."
