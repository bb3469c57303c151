"""Choose among the types that declare a name, where a question about errors names none of them.

    Which errors can `get_row` raise?      Reader.get_row, of which there are twenty, and Parser._get_row

Nothing tells which one is meant, so several count: first what others can call, then the longest. What decides
is not how often each is called: of 305 functions with namesakes that questions are about, the longest of a
name were wanted 187 times, and those with the most callers 129 times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.raising_lines import fails
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, rank_owner
from repo_mcp.research.findings.research_state import ResearchState

MAX_DECLARED = 200  # declarations of one name that are looked at
MAX_FILES = 200  # that declare it
MOST_TYPES = 8  # whose functions are followed
MOST_OF_TYPE = 4  # overloads of one type that are followed
MOST_FAILING = 12  # of those that fail themselves: each tells an error
SHOWN_OF_TYPE = 2  # overloads shown of one of several types


def group_by_type(nodes: Iterable[Node]) -> list[list[Node]]:
    """Return functions of one name, those of one type together; in C# a type may be in several files."""
    grouped: dict[tuple[str, str], list[Node]] = {}
    for node in nodes:
        place = "" if node.language == "csharp" else node.path
        grouped.setdefault((node.qualified_name, place), []).append(node)
    return [*grouped.values()]


def choose_of_types(state: ResearchState, named: Sequence[Node], *, are_all: bool) -> list[Node]:
    """Return the functions to follow of the types that have one of a name, the likeliest type first.

    `named` has the first of them, or if they `are_all`, all.
    """
    found = [*named] if are_all else _list_declared(state, named)
    grouped = group_by_type(found)
    grouped.sort(key=lambda own: rank_owner(state, [own]))  # stable
    return [node for own in grouped[:MOST_TYPES] for node in _choose_overloads(state, own)]


def _list_declared(state: ResearchState, named: Sequence[Node]) -> list[Node]:
    """Return all functions of the program that have the name of some, of the same kinds."""
    kinds = {node.symbol.kind for node in named}
    declared = state.graph.scan.find_declared(named[0].symbol.name, MAX_FILES)[:MAX_DECLARED]
    found = (node for node in map(state.get_node, declared) if node.symbol.kind in kinds)
    return [node for node in found if admits_node(state, node)] or [*named]


def _choose_overloads(state: ResearchState, own: Sequence[Node]) -> list[Node]:
    """Return the overloads of a type that fail, and the longest others, which do what the rest hand on."""
    failing = [node for node in own if fails(state, node)][:MOST_FAILING]
    others = sorted((node for node in own if node not in failing), key=count_lines, reverse=True)
    chosen = {*failing, *others[: max(0, MOST_OF_TYPE - len(failing))]}
    return [node for node in own if node in chosen]


def list_leading(state: ResearchState, named: Sequence[Node]) -> list[Node]:
    """Return the functions to show of several types: of each the overloads that fail, or else the longest."""
    grouped = group_by_type(named)
    if len(grouped) == 1 and len(named) <= MOST_OF_TYPE:
        return [*named]
    shown: list[Node] = []
    for own in grouped:
        failing = [node for node in own if fails(state, node)]
        longest = sorted(own, key=count_lines, reverse=True)
        shown += (failing or longest)[: SHOWN_OF_TYPE if len(grouped) > 1 else MOST_FAILING]
    return shown
