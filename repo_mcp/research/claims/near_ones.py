"""Tell which good declarations have to do with the best one, so that they may be named beside it.

"How does it save a parcel? (store_parcel, Stock.sort)"
    store_parcel, the best one
    check_parcel  in its file, and called by it             named if the question guesses no names
    pack_parcel   elsewhere, and called by what calls it    named if the question guesses the name
    Stock.sort    guessed, but connected with nothing       named if it has two more words or guesses
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.asked_words import MAX_WORDS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[\w$]+")
LEAST_SAID = 2  # words of the question or other guesses, in a function that no call connects


def list_near(state: ResearchState, best: Node, others: Sequence[Node]) -> list[Node]:
    """Return those of the others that calls, its file or their words connect with the best declaration.

    Calls are those that are noted, also of a third declaration that calls both or is called by both.
    """
    calls = _read_calls(state)
    own = calls.get(best.declaration, set())
    names = [name for name in list_own_names(state.request.guesses) if name.lower() not in STOP_WORDS]
    words = list_words(state.request.query)[:MAX_WORDS]

    def is_near(node: Node) -> bool:
        is_beside = node.path == best.path
        reached = calls.get(node.declaration, set())
        if node.declaration in own or own & reached:
            return True
        is_named_so = shares_word(node.symbol.name, words) >= min(LEAST_SAID, len(words))
        if names and not is_named_so and node.symbol.name not in names:
            return False
        if is_beside and node.symbol.kind in (*TYPE_KINDS, best.symbol.kind):
            return True
        is_function = node.symbol.kind in CALLABLE_KINDS
        return is_function and _count_said(state, node, words, names) >= LEAST_SAID

    return [node for node in others if is_near(node) and is_guessed(state, node)]


def is_guessed(state: ResearchState, node: Node) -> bool:
    """Return True for what a question names or guesses, perhaps without underscores.

    All may be meant if only one that is noted is guessed. Of 204 declarations that were named beside the
    best, 27 of 101 with a guessed name were wanted, and 6 of the others.
    """
    noted = {one.symbol.name.strip("_") for one in state.nodes.values()}
    guesses = {name.strip("_") for name in list_own_names(state.request.guesses)}
    names = guesses.union(_WORD.findall(state.request.query))
    return len(guesses & noted) < LEAST_SAID or node.symbol.name.strip("_") in names


def _read_calls(state: ResearchState) -> dict[Declaration, set[Declaration]]:
    """Return what calls or is called by each declaration, as far as calls are noted."""
    calls: dict[Declaration, set[Declaration]] = {}
    for link in state.links.values():
        if link.kind == EdgeType.CALLS:
            calls.setdefault(link.source, set()).add(link.target)
            calls.setdefault(link.target, set()).add(link.source)
    return calls


def _count_said(state: ResearchState, node: Node, words: Sequence[str], names: Sequence[str]) -> int:
    """Return how many words of the question, and guessed names but its own, a declaration has."""
    lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
    text = "\n".join(lines)
    return shares_word(text, words) + sum(name in text for name in names if name != node.symbol.name)
