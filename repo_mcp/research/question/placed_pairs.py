"""Read a comparison of one name in two places: "the difference between flush_range on arm64 and x86".

    arch/arm64/flush.h: int flush_range(...)        arch/x86/flush.h: #define flush_range(...) flush_all()

A place is a folder, or a file, above declarations of the name. What no path has is no place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.locating import rank_role
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.symbols.symbol_record import SymbolFlag

MAX_CHARS = 400  # of a question that is read so
MOST_DECLARING = 400  # files that declare the name
COMPARED = 3  # declarations of it in one place
_NAME, _PLACE = r"`?([A-Za-z_$][\w$]*)(?:\(\))?`?", r"(?:the )?`?([\w.@+-]+(?:/[\w.@+-]+)*)/?`?"
_IN = r"(?:on|in|for|under|of)"
_ASKED = re.compile(
    rf"(?:\b(?:differ\w*|compare|compared)\b|\bvs\b|\bversus\b).*?\b{_NAME} {_IN} {_PLACE}"
    rf" (?:and|or|vs\.?|versus|with|to|from|than)(?: `?\1(?:\(\))?`?)?(?: {_IN}| that {_IN})? {_PLACE}"
    r"(?: (?:architectures?|folders?|directories|files?))?[?.!\s]*$"
    rf"|\bhow (?:does|do|is|are) {_NAME} (?:differ\w*|compare\w*) (?:between|{_IN})"
    rf" {_PLACE} (?:and|or) {_PLACE}[?.!\s]*$",
    re.IGNORECASE,
)


def read_placed_pair(graph: Graph, query: str, admits: Callable[[str], bool]) -> Reading | None:
    """Return the reading of a question that compares the declarations of a name in two places, or None."""
    found = _ASKED.search(query) if len(query) <= MAX_CHARS else None
    if found is None:
        return None
    name, *places = [one for one in found.groups() if one]
    declared = graph.scan.find_declared(name, MOST_DECLARING)
    nodes = [graph.get_node(one) for one in declared if admits(one.path)]
    sides = [_list_inside(nodes, place) for place in places]
    if not all(sides) or sides[0] == sides[1]:
        return None
    subjects = tuple(
        Subject(name, TakenAs.DECLARED, tuple(own[:COMPARED]), name, max(0, len(own) - COMPARED))
        for own in sides
    )
    text = f"the difference between {name} in {places[0]} and {name} in {places[1]}"
    return Reading(Form.DIFFERENCE, text, subjects)


def _list_inside(nodes: Sequence[Node], place: str) -> list[Node]:
    """Return the declarations in a place: definitions before prototypes, those of the program first."""
    inside = [node for node in nodes if _lies_in(node.path.lower(), place.lower())]
    whole = [node for node in inside if not node.symbol.flags & SymbolFlag.FORWARD]
    return sorted(whole or inside, key=lambda node: (rank_role(node.path), node.path))


def _lies_in(path: str, place: str) -> bool:
    """Return True for a path with a place as some of its folders, or as its file, perhaps without ending."""
    stem = path.rpartition(".")[0]
    return any(f"/{place}/" in f"/{one}/" for one in (path, stem))
