"""Tell which good declarations have to do with the best one, so that they may be named beside it.

    "How does it save a parcel? (store_parcel, Stock.sort)"
        store_parcel, the best one
        check_parcel  in its file, and called by it             named
        pack_parcel   elsewhere, and called by what calls it    named if the question guesses the name
        Stock.sort    guessed, but connected with nothing       named if it has two more words or guesses

Of 72 declarations that were named as close, 34 were right; of the 14 that calls connect and the question
guesses, 12 were, and of 13 that are in other files, not connected and not guessed, three.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.asked_words import MAX_WORDS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.stop_words import STOP_WORDS

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
        is_named_so = shares_word(node.symbol.name, words) >= min(LEAST_SAID, len(words))
        is_guessed = not names or is_named_so or node.symbol.name in names
        is_beside = node.path == best.path
        reached = calls.get(node.declaration, set())
        if node.declaration in own or own & reached:
            return is_guessed or is_beside
        if is_beside and node.symbol.kind in (*TYPE_KINDS, best.symbol.kind):
            return is_guessed
        is_function = node.symbol.kind in CALLABLE_KINDS
        return is_guessed and is_function and _count_said(state, node, words, names) >= LEAST_SAID

    return [node for node in others if is_near(node)]


def calls_guessed(state: ResearchState, node: Node) -> bool:
    """Return True for what calls, or is called by, a declaration of a guessed name."""
    names = list_own_names(state.request.guesses)
    reached = _read_calls(state).get(node.declaration, set())
    return any(state.get_node(one).symbol.name in names for one in reached)


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
