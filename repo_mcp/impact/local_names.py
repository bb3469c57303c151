"""Tell the names in changed lines that only the function around them declares: a variable, a parameter.

What another file calls so is another thing. Only the text is read: a member of something is not local.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from repo_mcp.graph.graph import Graph
from repo_mcp.impact.records import ChangedSymbol
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_CHARS = 500  # of a line; a longer one was generated
_NO_TYPES = (
    "return|goto|case|else|new|delete|throw|raise|typeof|sizeof|await|yield|in|is|as|and|or|not|import|from"
)
# `let name`, `name :=`, `Type *name;`, `Type name)`: the name is the last word of each.
_DECLARED = re.compile(
    r"\b(?:let|var|val|const|auto)\s+(?:mut\s+)?(\w+)"
    r"|^\s*(\w+)(?:\s*,\s*\w+)*\s*:="
    rf"|(?<![\w.>])(?!(?:{_NO_TYPES})\b)[A-Za-z_]\w*(?:<[^<>;]*>|\[\])?(?:\s+[*&]*|\s*[*&]+\s*)(\w+)\s*(?:\[[^\]]*\]\s*)?"
    r"(?:[;,)]|=(?!=)|$)"
)


def list_local_names(graph: Graph, changed: Iterable[ChangedSymbol], touched: Sequence[str]) -> Set[str]:
    """Return the names that changed functions declare inside, or lines of the diff, and nothing outside."""
    names: set[str] = set()
    written = {name for line in touched for name in _list_declared(line)}
    declared: dict[str, set[str]] = {}  # by path: a diff may change thousands of functions of a file
    for one in changed:
        node = one.node
        if node is None or node.symbol.kind not in CALLABLE_KINDS:
            return set()  # lines outside functions may declare anything
        body = graph.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
        names |= written.union(name for line in body for name in _list_declared(line))
        if node.path not in declared:
            declared[node.path] = {other.symbol.name for other in graph.outline(node.path)}
        names -= declared[node.path]
    return names


def _list_declared(line: str) -> list[str]:
    found = _DECLARED.findall(line) if len(line) <= MAX_CHARS else ()
    return [name for groups in found for name in groups if name]
