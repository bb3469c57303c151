"""Find what a call of a name runs that is bound to a value, and what a package exports under a name.

    stop: _Stop = _Stop()            a call of `stop` runs `_Stop.__call__`
    export const halt = doHalt       a call of `halt` runs `doHalt`
    from ._stops import stop         in `tool/__init__.py`: `tool.stop` is that one

Left out on purpose: values that functions compute, of which nothing is known.
"""

from __future__ import annotations

import re

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.findings.locating import rank_role
from repo_mcp.research.question.members_of_types import REAL_TYPES, find_inherited_named, list_members
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.lines import ReadLines

# Members that run when an object is called: of Python, of C++, of Swift.
_CALLED = frozenset({"__call__", "operator()", "callAsFunction"})
_FACADES = ("__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "index.mjs")
_INNER = frozenset({"lib", "src"})  # folders of a package that its name leaves out
MAX_FACADES = 40  # files of one package that are looked at
_GLANCE = Bounds(files=4, references=20)
_MADE = (*CALLS, EdgeType.REFERENCES)
# `= Stop()`, `= doHalt`: what a value is given, and the bracket behind it if it is called.
_GIVEN = re.compile(r"=\s*(?:new\s+)?(?:[\w$]+(?:\.|::))*([\w$]+)\s*+([({]|;?\s*+$)")
_SCOPES = frozenset({SymbolKind.FILE, SymbolKind.MODULE})


def find_exported(graph: Graph, name: str) -> list[Node]:
    """Return what the package before the last dot of a name imports or exports under the last part."""
    owner, _, last = name.rpartition(".")
    module = owner.rpartition(".")[2]
    paths = [path for facade in _FACADES for path in graph.scan.list_declaring(facade)]
    own = sorted((path for path in paths if _name_package(path) == module.lower()), key=rank_role)  # stable
    for path in own[:MAX_FACADES] if module else ():
        if meant := graph.scan.find_meant(last, path=path):
            return [graph.get_node(one) for one in meant]
    return []


def find_run(graph: Graph, node: Node, read_lines: ReadLines) -> list[Node]:
    """Return what a call of a value surely runs, a type before its member; [] if it cannot be called."""
    around = graph.get_node(Declaration(node.path, node.symbol.parent))
    if node.symbol.kind not in VALUE_KINDS or around.symbol.kind not in _SCOPES:
        return []
    first = node.symbol.start_line - 1
    given = _GIVEN.search(" ".join(read_lines(node.path)[first : min(node.symbol.end_line, first + 2)]))
    name, bracket = (given[1], given[2].strip("; ")) if given is not None else ("", "")
    made = {node.symbol.return_type.rpartition(".")[2], name if bracket else ""} - {""}
    for edge in graph.find_outgoing(node, _MADE, _GLANCE).edges if made or name else ():
        other = graph.get_node(edge.other)
        if edge.confidence is Confidence.POSSIBLE:
            continue
        if other.symbol.kind in CALLABLE_KINDS and other.symbol.name == name and not bracket:
            return [other]
        is_made = other.symbol.kind in REAL_TYPES and other.symbol.name in made
        if is_made and (called := _find_called(graph, other)):
            return [other, *called]
    return []


def _find_called(graph: Graph, node: Node) -> list[Node]:
    """Return the member of a type, its own or inherited, that runs when an object of it is called."""
    own = [one for one in list_members(graph, node) if one.symbol.name in _CALLED]
    return own[:1] or (
        find_inherited_named(graph, [node], "__call__")[0][:1] if node.language == "python" else []
    )


def _name_package(path: str) -> str:
    """Return the name of the package that a facade stands for, in lower case: that of its folder."""
    folders = [one for one in path.split("/")[:-1] if one not in _INNER]
    return folders[-1].lower() if folders else ""
