"""Find what marks the types of a kind, as an attribute or a decorator does, and what makes one by a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import (
    DOING,
    count_lines,
    find_by_name,
    is_deprecated,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import TYPE_KINDS

LEAST_MARKED = 2  # of a kind, and half of those that are read
MOST_READ, MOST_ABOVE = 8, 6  # types of a kind, lines of each above its name
_MARK = re.compile(r"^\s*(?:\[|@|#\[)\s*([A-Za-z_]\w*(?:(?:\.|::)\w+)*)")
_MAKES = ("create", "make", "build", "new", "load", "get")
_NAME = re.compile(r"[A-Za-z_$][\w$]*+")


def find_mark(state: ResearchState, kind: Sequence[Node]) -> Node | None:
    """Return the attribute or decorator that most types of a kind have; None without one."""
    read = [node for node in kind if node.symbol.kind in TYPE_KINDS][:MOST_READ]
    marks = Counter(mark for node in read for mark in _list_marks(state, node))
    for mark, count in marks.most_common(2):
        name = re.split(r"\.|::", mark)[-1]
        if count >= LEAST_MARKED and 2 * count >= len(read):
            named = [node for one in (f"{name}Attribute", name) for node in find_by_name(state, one)]
            fitting = [node for node in named if _is_mark(node, name)]
            if fitting:
                return fitting[0]
    return None


def _list_marks(state: ResearchState, node: Node) -> set[str]:
    """Return the names of what marks a type, in the lines right above the one with its name."""
    lines = state.source.read_lines(node.path)
    first, end = (min(one, len(lines)) for one in (node.symbol.start_line, node.symbol.end_line))
    own = range(max(1, first), min(end, first + MOST_ABOVE) + 1)
    head = next((at for at in own if _MARK.match(lines[at - 1]) is None), first)
    above = head - 1
    while above > max(0, head - MOST_ABOVE) and _MARK.match(lines[above - 1]):
        above -= 1
    found = (_MARK.match(line) for line in lines[above:head])
    return {one[1] for one in found if one is not None}


def _is_mark(node: Node, name: str) -> bool:
    if node.symbol.name == f"{name}Attribute":
        return node.symbol.kind in TYPE_KINDS
    is_annotation = node.symbol.kind in TYPE_KINDS and node.language in ("java", "kotlin")
    return node.symbol.name == name and (is_annotation or node.symbol.kind in DOING)


def find_making(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest function that returns a type and whose name says that it makes one of something.

    It takes what tells which one. Return None if there is none.
    """
    name = base.symbol.name
    found = [node for verb in _MAKES[:3] for node in find_by_name(state, f"{verb} {name}")]
    fitting = [
        node
        for node in dict.fromkeys(found)
        if node.symbol.kind in DOING
        and node.symbol.parameter_count
        and not is_deprecated(node)
        and node.symbol.name.strip("_").lower().startswith(_MAKES)
        and name in _NAME.findall(node.symbol.return_type)
    ]
    return min(fitting, key=lambda node: (count_lines(node), node.path, node.symbol.start_line), default=None)
