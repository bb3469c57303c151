"""Score how well symbols fit the words of a question: by their names, the names around them, and their text.

    words -> stems -> symbols in the text that a search finds, and symbols whose names fit
    points of a symbol: the sum over words of rarity among the candidates times weight of its best position

A word counts once for each symbol, at its best position. Two stems are equal when one begins with the other
("valid", "validat"), because English has more endings than the stemmer removes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from repo_mcp.graph.nodes import Node
from repo_mcp.research.locating import is_program
from repo_mcp.research.source import Source
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.stop_words import STOP_WORDS

IN_NAME, AROUND, IN_TEXT = 2.5, 1.6, 1.0
MAX_TEXT_LINES = 120  # read of one symbol
TYPE_LINES = 12  # read of a type: its head only, since the bodies belong to its members
LEAST_STEM, MOST_ENDING = 4, 3  # characters
BESIDE_CODE = 0.5  # factor for a symbol in an example or in others' code
DECIMALS = 6
_QUESTION_WORDS = frozenset(
    [
        "how",
        "what",
        "where",
        "which",
        "when",
        "why",
        "does",
        "work",
        "works",
        "working",
        "done",
        "handled",
        "handle",
        "handles",
        "used",
        "use",
        "uses",
        "implemented",
        "implementation",
        "code",
        "function",
        "functions",
        "class",
        "classes",
        "way",
        "happen",
        "happens",
        "mechanism",
        "logic",
        "process",
        "there",
        "happening",
        "place",
        "get",
        "gets",
    ]
)
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_get_terms = lru_cache(maxsize=32_768)(get_word_terms)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a symbol fits the words of a question."""

    points: float
    in_name: tuple[str, ...]  # words of the question
    in_text: tuple[str, ...]


def list_words(text: str) -> list[str]:
    """Return the words of a question that may stand in code."""
    words = list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) > 1))
    return [word for word in words if word.lower() not in STOP_WORDS | _QUESTION_WORDS] or words


def fit_all(source: Source, nodes: Iterable[Node], words: Sequence[str]) -> dict[Node, Fit]:
    """Return for each symbol how well it fits the words."""
    stems = [_stem(word) for word in words]
    found = {node: _Held.build(source, node, stems) for node in nodes}
    rarities = []
    for number in range(len(stems)):
        count = sum(held.strengths[number] > 0.0 for held in found.values())
        rarities.append(math.log(1.0 + len(found) / (1.0 + count)))
    return {node: _value(node, held, words, rarities) for node, held in found.items()}


@dataclass(frozen=True, slots=True)
class _Held:
    """For each word, the weight of its best position in a symbol, or 0 where the symbol lacks it."""

    strengths: tuple[float, ...]

    @classmethod
    def build(cls, source: Source, node: Node, stems: Sequence[str]) -> _Held:
        around, _, name = node.qualified_name.rpartition(".")
        own, outer = _list_stems([name]), _list_stems([around, node.path])
        text = _list_stems(_read(source, node))
        return cls(
            tuple(
                IN_NAME if _has(own, stem) else AROUND if _has(outer, stem) else IN_TEXT * _has(text, stem)
                for stem in stems
            )
        )


def _value(node: Node, held: _Held, words: Sequence[str], rarities: Sequence[float]) -> Fit:
    points = sum(rarity * strength for rarity, strength in zip(rarities, held.strengths, strict=True))
    factor = 1.0 if is_program(node.path) else BESIDE_CODE
    return Fit(
        round(points * factor, DECIMALS),
        tuple(word for word, strength in zip(words, held.strengths, strict=True) if strength >= AROUND),
        tuple(word for word, strength in zip(words, held.strengths, strict=True) if 0 < strength < AROUND),
    )


def _read(source: Source, node: Node) -> Sequence[str]:
    """Return the lines of a symbol, or the first lines of a type."""
    most = TYPE_LINES if node.symbol.kind in TYPE_KINDS else MAX_TEXT_LINES
    start = node.symbol.start_line
    return source.read_lines(node.path)[start - 1 : min(node.symbol.end_line, start + most - 1)]


def _stem(word: str) -> str:
    """Return the shortest of the terms of a word, which is its stem, or the first term of a compound word."""
    terms = _get_terms(word)
    return min(terms, key=len, default=word.lower()) if len(terms) <= 2 else terms[0]


def _list_stems(lines: Iterable[str]) -> Mapping[str, None]:
    words = {word for line in lines for word in _WORD.findall(line)}
    return dict.fromkeys(term for word in sorted(words) for term in _get_terms(word))


def _has(stems: Mapping[str, None], wanted: str) -> bool:
    if wanted in stems:
        return True
    if len(wanted) < LEAST_STEM:
        return False
    return any(_are_alike(one, wanted) for one in stems)


def _are_alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= LEAST_STEM and len(long) - len(short) <= MOST_ENDING and long.startswith(short)


def shares_word(name: str, words: Sequence[str]) -> int:
    """Return how many of the words a name holds."""
    own = _list_stems([name])
    return sum(_has(own, _stem(word)) for word in words)
