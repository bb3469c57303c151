"""Find what reads the fields that a function sets: the work that it leaves for later.

`prefetch_related` only notes what it is given in a field; what fetches is a function that reads the field. No
edge of the graph leads there, as fields are no symbols: their names are searched for, and only those that few
lines name count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.locating import is_program
from repo_mcp.research.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_FIELDS = 3  # of one function
MAX_MATCHES = 30  # a name that more lines hold says little of each
MAX_READERS = 4
_SET = re.compile(r"\b\w+(?:\.|->)(\w{4,})\s*(?:[+|]?=(?![=>])|\.(?:append|add|push|extend|insert)\()")


@dataclass(frozen=True, slots=True)
class Reader:
    """A function that reads a field."""

    node: Node
    field: str
    lines: tuple[int, ...]  # that name the field


def find_readers(state: ResearchState, node: Node) -> list[Reader]:
    """Return the functions that read the fields which a symbol sets, those of its own file first."""
    lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
    fields = list(dict.fromkeys(name for line in lines for name in _SET.findall(line)))
    readers: dict[Node, Reader] = {}
    for name in fields[:MAX_FIELDS]:
        state.check()
        found = state.source.search_exact(
            ExactRequest(name, whole_word=True, limit=MAX_MATCHES + 1, include_tests=False)
        )
        if len(found.matches) > MAX_MATCHES:
            continue
        for match in found.matches:
            _add_reader(state, readers, name, match)
    others = [one for one in readers.values() if one.node != node and state.admits(one.node.path)]
    others.sort(key=lambda one: (one.node.path != node.path, one.node.path, one.node.symbol.start_line))
    return others[:MAX_READERS]


def _add_reader(state: ResearchState, readers: dict[Node, Reader], name: str, match: ExactMatch) -> None:
    if not is_program(match.path) or re.search(rf"\b{name}\b\s*[+|]?=(?![=>])", match.line):
        return  # sets it
    around = state.source.find_around(match.path, match.start_line)
    if around is not None and around.symbol.kind in CALLABLE_KINDS:
        known = readers.get(around)
        lines = (*(known.lines if known is not None else ()), match.start_line)
        readers[around] = Reader(around, name if known is None else known.field, lines)
