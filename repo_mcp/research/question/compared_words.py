"""Find what two compared phrases mean by the words in which they differ.

"An implicit and an order-only dependency" are `Edge.is_implicit` and `Edge.is_order_only`: declared side by
side, the one with the words of the first in its name, the other with those of the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.research.findings.locating import is_program, is_test_symbol
from repo_mcp.research.findings.records import Subject, TakenAs
from repo_mcp.research.question.grammar import Phrase
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import count_words, shares_word
from repo_mcp.text.roles import is_side_file

MOST_LOOKED_AT = 40  # symbols for each phrase
SPARE_WORDS = 1  # of a name beside those of its phrase: `is` in `is_implicit`
_WORD = re.compile(r"\w+")


def find_compared(
    graph: Graph, phrases: Sequence[Phrase], admits: Callable[[Node], bool]
) -> tuple[Subject, ...]:
    """Return the subjects that two phrases with the same noun mean; none without a symbol for each."""
    first, second = (_WORD.findall(phrase.text.lower()) for phrase in phrases)
    if min(len(first), len(second)) < 2 or first[-1] != second[-1]:
        return ()
    own, others = (_list_named(graph, words[:-1], admits) for words in (first, second))
    pairs = [(one, other) for one in own for other in others if one != other and _is_beside(one, other)]
    best = min(pairs, key=_rank, default=())
    return tuple(
        Subject(phrase.text, TakenAs.WORDS, (node,), node.symbol.name)
        for phrase, node in zip(phrases, best, strict=False)
    )


def _rank(pair: tuple[Node, Node]) -> tuple[int, bool]:
    """Return what is least for the best pair: that with the shortest names, functions before values."""
    words = sum(count_words(node.symbol.name) for node in pair)
    return words, pair[0].symbol.kind not in CALLABLE_KINDS


def _list_named(graph: Graph, words: Sequence[str], admits: Callable[[Node], bool]) -> list[Node]:
    """Return the symbols of the program whose names consist of some words and at most SPARE_WORDS more."""
    return [
        node
        for node, _ in graph.search(" ".join(words), SymbolFilter(), MOST_LOOKED_AT)
        if admits(node)
        and is_program(node.path)
        and not (is_side_file(node.path) or is_test_symbol(node))
        and shares_word(node.symbol.name, words) == len(words)
        and count_words(node.symbol.name) <= len(words) + SPARE_WORDS
    ]


def _is_beside(one: Node, other: Node) -> bool:
    """Return True for symbols of one kind that the same type or file declares."""
    return (one.path, one.symbol.parent, one.symbol.kind) == (
        other.path,
        other.symbol.parent,
        other.symbol.kind,
    )
