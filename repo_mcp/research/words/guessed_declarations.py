"""Find the functions of exactly the names that a question guesses, and let them be shown.

    "Which shelves hold a parcel? (_list_holding_shelves)"  ->  the method of that name

Of 26 guessed names that a single function has, 18 were part of the answer. A name that several have tells
less: its holder must then be guessed as well, as in `Shelf.close`. Of nine with a line or two, and no word
of the question, none was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import computes, count_lines, find_by_name
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.rated_seeds import Seed, insert_seeds, skip_beside
from repo_mcp.symbols.symbol_record import SymbolKind

LEADING = 2  # best declarations, which stand before those of guessed names
LEAST_LINES = 4  # of one that no word of the question found
MOST_ALIKE, MOST_GUESSED = 2, 3  # functions of one name, such as twins of two platforms; and in all
_PARTS = re.compile(r"[^\w$]+")


def put_guessed_declarations(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; functions of guessed names come behind the best ones and what goes with these."""
    at = skip_beside(seeds, LEADING)
    known = {seed.node for seed in seeds}
    shown = {seed.node for seed in seeds[:at]}
    names = {seed.name for seed in seeds[:at]}  # whose namesakes often only pass a call on
    guessed = [
        node
        for node, is_sure in _find_guessed(state).items()
        if node not in shown
        and (is_sure or node.symbol.name not in names)
        and (node in known or count_lines(node) >= LEAST_LINES)
    ][:MOST_GUESSED]
    reason = Reason("has a name that the question guesses", Role.BESIDE)
    return insert_seeds(state, seeds, at, dict.fromkeys(guessed, reason))


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
