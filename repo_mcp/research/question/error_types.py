"""Tell the types of errors from others, by their names and by what they derive from.

class NoRoute(ShippingError)      derives from what is named as an error
class OAuthError(Serializable)    is only named like one, and is none where errors derive from one base
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS, KINDS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.lines import ReadLines

MAX_BASES = 12  # types looked at above one
HEAD_LINES, LINE_CHARS = 12, 400  # of a type, in which its bases stand; attributes and `#if` come first
_BOUNDS = Bounds(files=8, references=20)
_NAME = re.compile(r"(?:Error|Exception|Failure|Fault|Throwable)s?$")
_MAKER = re.compile(r"New\w*Err$")
_MADE_BY_FUNCTIONS = frozenset({"javascript", "typescript"})
_OF_CPP = frozenset({"exception", "logic_error", "runtime_error"})  # bases of the library
_ROOTS = frozenset({"BaseException", "Throwable"})  # bases of all errors, where the library is the program
# Languages in which only types are raised that derive from a base of all errors.
_OF_ONE_BASE = frozenset({"csharp", "java", "kotlin", "php", "python", "ruby", "scala"})


def is_error_name(name: str) -> bool:
    """Return True for a name that types of errors have."""
    return _NAME.search(name.rpartition(".")[2]) is not None


def is_of_error(symbol: str, kind: str) -> bool:
    """Return True for the type of an error and for its members, which hold, describe or make it.

    `symbol` is a qualified name, and `kind` is spelled as in answers.
    """
    owner, _, name = symbol.rpartition(".")
    return is_error_name(owner) or (KINDS.get(kind) in TYPE_KINDS and is_error_name(name))


def is_error(graph: Graph, node: Node, read_lines: ReadLines) -> bool:
    """Return True for what can be raised: a type of errors, or a value or a member of an enumeration of them.

    Of functions, those count that are named for what they make, as `NewClosedErr` is in Go, and
    `ClosedError` where only what makes something begins with a capital letter.
    """
    if node.symbol.kind in CALLABLE_KINDS:
        is_made_by = node.language in _MADE_BY_FUNCTIONS and node.symbol.name[:1].isupper()
        return _MAKER.match(node.symbol.name) is not None or (is_made_by and is_error_name(node.symbol.name))
    if is_error_name(node.symbol.name):
        return True
    if node.symbol.kind in TYPE_KINDS:
        return derives_from_error(graph, node, read_lines)
    return node.symbol.name.startswith("Err") or is_error_name(node.qualified_name.rpartition(".")[0])


def is_no_error(graph: Graph, node: Node, read_lines: ReadLines) -> bool:
    """Return True for a type that cannot be raised, whatever its name: it derives from no error."""
    is_type = node.symbol.kind in TYPE_KINDS and node.language in _OF_ONE_BASE
    return is_type and not derives_from_error(graph, node, read_lines)


def derives_from_error(graph: Graph, node: Node, read_lines: ReadLines) -> bool:
    """Return True if a type derives, at whatever distance, from a root, or an error declared elsewhere."""
    waiting, seen = [node], {node}
    while waiting and len(seen) <= MAX_BASES:
        one = waiting.pop()
        if one.symbol.name in _ROOTS:
            return True
        edges = graph.find_outgoing(one, IMPLEMENTATIONS, _BOUNDS).edges
        above = [graph.get_node(edge.other) for edge in edges]
        known = {one.symbol.name, *(base.symbol.name for base in above)}
        head = [name for name in _read_head(read_lines(one.path), one) if name not in known]
        if any(is_error_name(name) or name in _OF_CPP for name in head):
            return True
        waiting += [base for base in above if base not in seen]
        seen.update(above)
    return False


def _read_head(lines: Sequence[str], node: Node) -> list[str]:
    """Return the words of the head of a type, bases included: records leave out what a language declares."""
    first = node.symbol.start_line
    head = " ".join(line[:LINE_CHARS] for line in lines[first - 1 : first - 1 + HEAD_LINES])
    ends = "{;:" if node.language == "python" else "{;"
    named = re.search(rf"\b{re.escape(node.symbol.name)}\b([^{ends}]*)", head)
    return re.findall(r"\w+", named[1]) if named is not None else []
