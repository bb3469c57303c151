"""Find where the types of a kind are listed, and which of them shows best how one is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import (
    DOING,
    VALUES,
    count_lines,
    find_by_name,
    is_deprecated,
    read_body,
)
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.base_types import is_enumeration, join_name, search_types
from repo_mcp.research.kinds.derived_types import is_left_open, is_unfilled, list_program_derived
from repo_mcp.research.kinds.open_members import list_overridable
from repo_mcp.research.question.members_of_types import list_members
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import count_words, shares_word

MODEL_LINES = 6  # a shorter type does not show how one of the kind is written
OPEN_LINES = 12  # of a type that may only say what others fill
MOST_MODELS = 8  # types of a kind whose uses are looked at
MOST_NAMED = 8  # further types whose names end with the kind's
_DOES = re.compile(r"[(\[]|\s=\s")  # in a member that does something
_MAKES = ("new", "make", "create", "build")
_NAME = re.compile(r"\w+")
LEAST_LISTED = 3  # a place lists a kind if it names at least this many of its types, or the only two


def find_listing(state: ResearchState, base: Node, own: Sequence[Node]) -> tuple[Node, int] | None:
    """Return the declaration that names most of a kind, as a registry does, and how many it names.

    Return None if none names LEAST_LISTED of the kind.
    """
    least = LEAST_LISTED if len(own) != 2 else 2
    met: Counter[Declaration] = Counter()
    known = {base.declaration, *(node.declaration for node in own)}
    for node in own:
        edges = (
            edge
            for one in (node, *_list_makers(state, node))
            for edge in list_users(state, one, GLANCE, (*CALLS, EdgeType.REFERENCES))
        )
        met.update({edge.other for edge in edges})
    listing = {
        one: count
        for one, count in met.items()
        if one not in known and count >= least and may_answer(one.path) and state.admits(one.path)
    }
    names = {node.symbol.name for node in own}
    order = sorted(listing, key=lambda one: (-listing[one], not one.ordinal, one.path, one.ordinal))
    for name in list_own_names(state.request.guesses):  # a table of names in texts refers to none of them
        for node in find_by_name(state, name):
            is_table = node.symbol.name == name and node.symbol.kind in VALUES
            listed = _count_listed(names, read_body(state, node)) if is_table else 0
            if listed >= LEAST_LISTED:
                return node, listed
    for node in map(state.get_node, order):
        table = _find_value(state, node.path, names) if not node.declaration.ordinal else None
        if table is not None:
            return table
        is_value = node.symbol.kind in VALUES or not node.declaration.ordinal
        if not is_value or _count_listed(names, read_body(state, node)) >= least:
            return node, listing[node.declaration]
    return None


def _find_value(state: ResearchState, path: str, names: Set[str]) -> tuple[Node, int] | None:
    """Return the constant or variable of a file that names most of a kind, if LEAST_LISTED or more.

    What lists a kind names each once: where lines repeat all names, each of them only uses one.
    """
    values = [one for one in state.graph.outline(path) if one.symbol.kind in VALUES]
    counts = [_count_listed(names, read_body(state, one)) for one in values]
    most = max(counts, default=0)
    return (values[counts.index(most)], most) if most >= LEAST_LISTED else None


def _count_listed(names: Set[str], lines: Sequence[str]) -> int:
    """Return how many of some names stand in lines, or 0 if too few of them stand in only one."""
    held = Counter(name for line in lines for name in names & {*_NAME.findall(line)})
    return len(held) if list(held.values()).count(1) >= min(LEAST_LISTED, len(names)) else 0


def _list_makers(state: ResearchState, node: Node) -> list[Node]:
    """Return the functions in the file of a type that are named after making one: `NewSorter` in Go."""
    made = join_name(node.symbol.name)
    names = {f"{verb}{made}" for verb in _MAKES}
    outline = state.graph.outline(node.path)
    return [one for one in outline if one.symbol.kind in DOING and join_name(one.symbol.name) in names]


def list_kind(state: ResearchState, base: Node, noun: str) -> list[Node]:
    """Return types derived from the base of a kind, then others of the program that are named after it.

    Of the latter, the base may be in another package. Of an enumeration, its members are returned.
    """
    if is_enumeration(base):
        values = [one for one in list_members(state.graph, base) if one.symbol.kind is SymbolKind.ENUM_MEMBER]
        return values[:MOST_MODELS]
    derived = list_program_derived(state, base)[:MOST_MODELS]
    ending = "".join(map(str.capitalize, noun.split()))
    named = [node for node in search_types(state, f"*{ending}") if may_answer(node.path)]
    return [*dict.fromkeys((*derived, *named[:MOST_NAMED]))]


def find_model(
    state: ResearchState,
    base: Node,
    telling: Sequence[str],
    members: Set[str] = frozenset(),
    wanted: Set[str] = frozenset(),
) -> Node | None:
    """Return the type of a kind that the question names, or the shortest with at least MODEL_LINES lines.

    `telling` has the words of the question that tell one of the kind from another. A type that declares more
    of `wanted`, which each must have, comes before others, then one with some of `members`, which are left
    open, then one whose members do something. One from which others derive is itself a base. If all that
    derive from the base are, one of the next level is returned. Return None if there is none.
    """
    level = list_program_derived(state, base)
    named = _find_named_model(state, level, telling)
    level = level[:MOST_MODELS]
    for _ in range(2 if named is None else 0):
        below = {node: list_program_derived(state, node)[:MOST_MODELS] for node in level}
        fitting = [node for node, own in below.items() if not own and _is_model(state, node)]
        if fitting:
            return min(
                fitting,
                key=lambda node: (
                    -len(wanted & (names := {one.name for one in list_overridable(state, node)})),
                    members.isdisjoint(names),
                    not _does_something(state, node),
                    count_lines(node),
                    node.path,
                    node.symbol.start_line,
                ),
            )
        level = [node for own in below.values() for node in own]
    return named


def _find_named_model(state: ResearchState, level: Sequence[Node], telling: Sequence[str]) -> Node | None:
    """Return the type whose name has most of the words that tell one of a kind; None if all have as many."""
    below = [two for one in level[:MOST_MODELS] for two in list_program_derived(state, one)]
    kind = [
        node
        for node in dict.fromkeys((*level, *below))
        if _is_whole(state, node) and list_overridable(state, node)
    ]
    held = {node: shares_word(node.symbol.name, telling) for node in kind}
    most = max(held.values(), default=0)
    best = [node for node in kind if held[node] == most]
    if not 0 < len(best) < len(kind):
        return None
    best.sort(key=lambda node: (count_words(node.symbol.name), count_lines(node), node.path))
    return next((node for node in best if not list_program_derived(state, node)), best[0])


def _is_model(state: ResearchState, node: Node) -> bool:
    """Return True for a type that shows how one of a kind is written."""
    return count_lines(node) >= MODEL_LINES and _is_whole(state, node)


def _does_something(state: ResearchState, node: Node) -> bool:
    """Return True for a type with a member that calls or computes something."""
    lines = state.source.read_lines(node.path)
    return any(
        _DOES.search("".join(lines[one.start_line : one.end_line])) or one.start_line == one.end_line
        for one in list_overridable(state, node)
        if one.kind is SymbolKind.METHOD
    )


def _is_whole(state: ResearchState, node: Node) -> bool:
    """Return True for a type in use that leaves nothing open and has a name: not `new Handler`, nor any `T`.

    A short one that raises for what derives from it to fill leaves all open.
    """
    name = node.symbol.name
    if is_left_open(node) or is_deprecated(node) or " " in name or len(name) == 1:
        return False
    return count_lines(node) > OPEN_LINES or not is_unfilled(state, node)
