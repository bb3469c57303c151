"""Find what two compared phrases mean by the words in which they differ.

"An implicit and an order-only dependency" are `Edge.is_implicit` and `Edge.is_order_only`: declared side by
side, the one with the words of the first in its name, the other with those of the second. So are the types
`ClientPlayback` and `ServerPlayback` of one folder for "client replay and server replay", if their lines say
what both phrases do: that word tells them from `ClientState` and `ServerState`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.research.findings.locating import is_program, is_test_symbol
from repo_mcp.research.findings.records import Subject, TakenAs
from repo_mcp.research.question.phrases import Phrase
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import count_words, shares_word
from repo_mcp.text.roles import is_side_file

MOST_LOOKED_AT = 40  # symbols for each phrase, and types
SPARE_WORDS = 1  # of a name beside those of its phrase: `is` in `is_implicit`
MANY = 5  # lines with the common word of the phrases, of which more say no more
_WORD = re.compile(r"\w+")


def find_compared(
    graph: Graph,
    phrases: Sequence[Phrase],
    admits: Callable[[Node], bool],
    read_lines: Callable[[str], Sequence[str]],
) -> tuple[Subject, ...]:
    """Return the subjects that two phrases with the same noun mean; none without a symbol for each."""
    first, second = (_WORD.findall(phrase.text.lower()) for phrase in phrases)
    if min(len(first), len(second)) < 2 or first[-1] != second[-1]:
        return ()
    own, others = (_list_named(graph, words[:-1], admits) for words in (first, second))
    beside = [(one, other) for one in own for other in others if one != other and _is_beside(one, other)]
    twins = [(one, other) for one in own for other in others if _are_twins(one, other, first, second)]
    about = {pair: min(_count_lines(read_lines, node, first[-1]) for node in pair) for pair in twins}
    pairs = [*beside, *(pair for pair in twins if about[pair])]
    best = min(pairs, key=lambda pair: (-about.get(pair, 0), *_rank(pair)), default=())
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
    filters = (SymbolFilter(), SymbolFilter("class"))
    found = (node for one in filters for node, _ in graph.search(" ".join(words), one, MOST_LOOKED_AT))
    return [
        node
        for node in dict.fromkeys(found)
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


def _are_twins(one: Node, other: Node, first: Sequence[str], second: Sequence[str]) -> bool:
    """Return True for types of one folder whose names are the same but for the words of their phrases."""
    is_near = one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
    is_type = one.symbol.kind is other.symbol.kind and one.symbol.kind in TYPE_KINDS
    return is_near and is_type and _leave_out(one, first[:-1]) == _leave_out(other, second[:-1]) != ""


def _leave_out(node: Node, words: Sequence[str]) -> str:
    """Return the folded name of a symbol without some words."""
    name = node.symbol.name.lower().replace("_", "")
    for word in words:
        name = name.replace(word, "")
    return name


def _count_lines(read_lines: Callable[[str], Sequence[str]], node: Node, word: str) -> int:
    """Return how many lines of a symbol have a word, up to MANY."""
    lines = read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
    return min(MANY, sum(word in line.lower() for line in lines))
