"""Find the setting that a question describes in words: `MaxRetries` for "how many times it tries again".

    words of the phrase -> declared values with most of them in their names, or in those of what is around
        -> the one with the most, least other words, and best known outside

"The limit on the size of a response body" is `Client.ResponseBodyLimit`. Left out on purpose: settings that
are only texts, which `repo_mcp/research/settings/` finds by their words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.research.findings.locating import is_program, is_test_symbol
from repo_mcp.research.findings.named_symbols import is_deprecated
from repo_mcp.symbols.symbol_record import SymbolFlag
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import count_words, list_words, shares_word
from repo_mcp.text.roles import is_side_file
from repo_mcp.text.word_families import list_synonyms, spell_stem

KINDS = ("property", "variable", "constant")  # that hold a value
MOST_WORDS = 8  # of a phrase
MOST_LOOKED_AT = 40  # values of a kind
LEAST_SHARE = 0.6  # of the words, that a name must have
IN_OTHER_WORDS, AROUND = 0.8, 0.7  # worth of a word that the name has as a synonym, or what is around it has
FOREIGN, KNOWN_OUTSIDE = 0.25, 0.3  # taken off for each other word of a name; added if it is public
_QUANTITIES = {"number": ("count", "num", "max"), "amount": ("count",), "size": ("length", "bytes", "max")}
_FURTHER = re.compile(r" (?:of|for|in|on|to|from|between|after|before|with|by|per|at) ", re.IGNORECASE)
# "the time after which a session expires" is the expiration of a session.
_AFTER_WHICH = re.compile(
    r"(?:the )?(?:time|period|delay|duration) (?:after|until|before) which (.+)", re.IGNORECASE
)
_BOUNDS = frozenset({"max", "min", "default", "maximum", "minimum", "limit", "num", "count"})


def find_worded_setting(graph: Graph, text: str, admits: Callable[[Node], bool]) -> list[Node]:
    """Return the declarations of the value whose name has most of some words; none if no name has enough."""
    after = _AFTER_WHICH.match(text)
    asked = text if after is None else after[1]
    words = [word for word in list_words(asked) if len(word) > 1]
    if not 1 < len(words) <= MOST_WORDS:
        return []
    found = {
        node: None
        for kind in KINDS
        for query in _list_queries(words)
        for node, _ in graph.search(query, SymbolFilter(kind), MOST_LOOKED_AT)
        if admits(node) and is_program(node.path) and not (is_side_file(node.path) or is_test_symbol(node))
    }
    head = _find_head(asked, words)
    rated = {node: _rate(node, words) if _has_head(node.symbol.name, head, words) else 0.0 for node in found}
    kept = [node for node, worth in rated.items() if worth]
    order = {node: (not is_deprecated(node), rated[node], node.path, node.symbol.start_line) for node in kept}
    best = max(kept, key=order.__getitem__, default=None)
    if best is None:
        return []
    own = [node for node in kept if _gives_default(best.symbol.name, node.symbol.name, words)]
    own = own or [node for node in kept if node.symbol.name == best.symbol.name]
    return sorted(own, key=lambda node: (-rated[node], node.path, node.symbol.start_line))


def _gives_default(default: str, name: str, words: Sequence[str]) -> bool:
    """Return True if a value is by its name the default of another, and the words ask for no default."""
    folded, own = (one.replace("_", "").lower() for one in (default, name))
    return folded == f"default{own}" and not shares_word("default", words)


def _list_queries(words: Sequence[str]) -> list[str]:
    """Return all words, and all but one, because the name may have another for it."""
    fewer = [" ".join(one for one in words if one is not left) for left in words] if len(words) > 2 else []
    return [" ".join(words), *fewer]


def _find_head(text: str, words: Sequence[str]) -> str:
    """Return the noun that says what is set: "width" in "the width of the help text"."""
    first = list_words(_FURTHER.split(text, maxsplit=1)[0])
    return (first or words)[-1]


def _has_head(name: str, head: str, words: Sequence[str]) -> bool:
    """Return True for a name that has the head noun, or says how many in another way: `MaxRetry`."""
    if shares_word(name, (head, *_list_other(head))):
        return True
    terms = get_word_terms(name)
    is_plural = name.lower().endswith("s") and shares_word(terms[-1], words)
    return head.lower() in _QUANTITIES and (bool(is_plural) or not _BOUNDS.isdisjoint(terms))


def _rate(node: Node, words: Sequence[str]) -> float:
    """Return the worth of a value as what some words describe; 0.0 if it has too few of them.

    It must have one of them as it is, and not only one akin: a `modelTimer` is no schedule of a mode.
    """
    name = node.symbol.name
    terms = {term for word in words for term in get_word_terms(word)}
    if terms.isdisjoint(get_word_terms(name)):
        return 0.0
    around = f"{node.qualified_name.removesuffix(name)} {node.path}"
    worths = [_rate_word(word, name, around) for word in words]
    own = sum(worth > AROUND for worth in worths)
    if not own or sum(worths) < LEAST_SHARE * len(words):
        return 0.0
    bounds = sum(term in _BOUNDS for term in get_word_terms(name)[1:])
    foreign = max(0, count_words(name) - own - bounds)
    is_public = bool(node.symbol.flags & SymbolFlag.PUBLIC_API)
    return sum(worths) - FOREIGN * foreign + KNOWN_OUTSIDE * is_public


def _rate_word(word: str, name: str, around: str) -> float:
    """Return how surely a name, or what is around it, has a word."""
    if shares_word(name, (word,)):
        return 1.0
    if shares_word(name, _list_other(word)):
        return IN_OTHER_WORDS
    return AROUND if shares_word(around, (word,)) else 0.0


def _list_other(word: str) -> list[str]:
    terms = get_word_terms(word)
    synonyms = [spell_stem(stem) for term in terms for stem in list_synonyms(term)]
    return [*_QUANTITIES.get(word.lower(), ()), *synonyms]
