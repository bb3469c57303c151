"""Find the functions of exactly the names that a question guesses, and let them be shown.

    "Which shelves hold a parcel? (_list_holding_shelves)"  ->  the method of that name

Of 26 guessed names that a single function has, 18 were part of the answer. A name that several have tells
less: its holder must then be guessed as well, as in `Shelf.close`. Of nine with a line or two, and no word
of the question, none was; one by which a good declaration decides may be.

A guessed field leads to the functions that set it or decide by it, which are often not those that use it:

    "How is the next van chosen? (nextVan, deadline)"  ->  return vans[at].deadline < vans[other].deadline
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.statements import decides
from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.named_symbols import admits_node, computes, count_lines, find_by_name
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.rated_seeds import LONG_LINES
from repo_mcp.research.seeds.seed import Seed, insert_seeds, skip_beside
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names

LEADING = 2  # best declarations, which stand before those of guessed names
GOOD = 6  # best declarations, by whose lines a short one may be found
LEAST_LINES = 4  # of one that no word of the question found
MOST_ALIKE, MOST_GUESSED = 2, 3  # functions of one name, such as twins of two platforms; and in all
MOST_LINES, MOST_USING = 40, 2  # with a guessed field, and functions that are shown for it
_OTHERS = frozenset({*CALLABLE_KINDS, *TYPE_KINDS})  # no fields
_PARTS = re.compile(r"[^\w$]+")


def put_guessed_declarations(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; functions of guessed names come behind the best ones and what goes with these."""
    at = skip_beside(seeds, LEADING)
    known = {seed.node for seed in seeds}
    shown = {seed.node for seed in seeds[:at]}
    names = {seed.name for seed in seeds[:at]}  # whose namesakes often only pass a call on
    good = [seed.body for seed in seeds[:GOOD]]
    lines = [line for body in good for line in body.lines[body.start_line : body.end_line]]
    guessed = [
        node
        for node, is_sure in _find_guessed(state).items()
        if node not in shown
        and (is_sure or node.symbol.name not in names)
        and (node in known or count_lines(node) >= LEAST_LINES or decides(node.symbol.name, lines))
    ][:MOST_GUESSED]
    text = "has a name that the question guesses"
    near = {node: Reason(text, Role.BESIDE, node.symbol.name) for node in guessed}
    using = _find_using(state, [seed.path for seed in seeds[:GOOD]])
    near |= {node: using[node] for node in using if node not in shown}
    return insert_seeds(state, seeds, at, near)


def _find_using(state: ResearchState, near: Sequence[str]) -> dict[Node, Reason]:
    """Return the functions that set or decide by a field of a guessed name, those in the first path first.

    Elsewhere than in these paths, the field is one of another type. A name that many lines have is one of
    many types, and a function of more than LONG_LINES does much besides.
    """
    found: dict[Node, Reason] = {}
    for name in list_own_names(state.request.guesses):
        if any(one.symbol.name == name and one.symbol.kind in _OTHERS for one in find_by_name(state, name)):
            continue
        request = ExactRequest(rf"[.>]{re.escape(name)}\b", regex=True, include_tests=False, limit=MOST_LINES)
        answer = state.source.search_exact(request)
        sets = re.compile(rf"[.>]{re.escape(name)}\s*(?:[-+*/|&^]|\?\?|\|\|)?=(?![=>])")
        for one in () if answer.truncated else answer.matches:
            node = state.source.find_around(one.path, one.start_line)
            if node is not None and computes(node) and (sets.search(one.line) or decides(name, [one.line])):
                found.setdefault(node, Reason(f"sets or tests {name}", Role.BESIDE, name))
    own = [
        node
        for node in found
        if admits_node(state, node)
        and node.symbol.kind is not SymbolKind.CONSTRUCTOR
        and node.path in near
        and count_lines(node) <= LONG_LINES
    ]
    own.sort(key=lambda node: node.path != near[0])  # stable
    return {node: found[node] for node in own[:MOST_USING]}


def _find_guessed(state: ResearchState) -> dict[Node, bool]:
    """Return the functions of the program that have the guessed names, in the order of the guesses.

    Each is returned with whether its type is guessed, too.
    """
    found: dict[Node, bool] = {}
    guesses = [[part for part in _PARTS.split(guess) if part] for guess in state.request.guesses]
    for parts in guesses:
        alike = [
            node
            for node in find_by_name(state, parts[-1])
            if node.symbol.name == parts[-1]
            and computes(node)
            and node.symbol.kind is not SymbolKind.CONSTRUCTOR  # whose name is that of the type
        ]
        held = [node for node in alike if _is_held(node, parts[:-1])]
        sure = [node for node in held if parts[1:] or _is_of_guessed(node, guesses)]
        held = held if len(held) <= MOST_ALIKE else sure
        if len(held) <= MOST_ALIKE:
            found |= {node: node in sure for node in held}
    return found


def _is_of_guessed(node: Node, owners: Sequence[Sequence[str]]) -> bool:
    """Return True for a member of a type that another guess names: `close`, with `hall.Shelf`."""
    own = node.qualified_name.split(".")[:-1]
    return any(own[-1:] == one[-1:] and set(one) <= {*own, *node.path.split("/")} for one in owners)


def _is_held(node: Node, holders: Sequence[str]) -> bool:
    """Return True for a symbol of which the qualified name ends with what a guess names before its own."""
    own = node.qualified_name.split(".")[:-1]
    return not holders or own[-len(holders) :] == [*holders]
