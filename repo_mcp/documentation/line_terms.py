"""Which terms of a query the lines of a text hold: as `index.snippets` says it, for many short texts at once.

A line is only split into words when it holds the beginning of a term, which all words of the term share but
for its last letter: stemming changes how words end. A word is analysed once for each query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from repo_mcp.text.analysis import LONG_WORD, get_word_terms

_WORD = re.compile(r"\w+")
get_terms = lru_cache(maxsize=16_384)(get_word_terms)


class TermFinder:
    """Finds the terms of one query. For one thread."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = tuple(terms)
        starts = {_find_start(term) for term in self.terms}
        # Of two beginnings of which one begins as the other the shorter is enough.
        self._starts = tuple(sorted(one for one in starts if not _has_prefix(one, starts)))
        self._known = _WordBits({term: 1 << position for position, term in enumerate(self.terms)})

    def find(self, lines: Iterable[str]) -> list[int]:
        """For each line, which of the terms it holds: a bit for each, the first term's the lowest."""
        starts = self._starts
        found = []
        for line in lines:
            folded = line.lower()
            for start in starts:
                if start in folded:
                    found.append(self._read(line))
                    break
            else:
                found.append(0)
        return found

    def _read(self, line: str) -> int:
        held = 0
        known = self._known
        for word in _WORD.findall(line):
            held |= known[word]
        return held


class _WordBits(dict[str, int]):
    """The terms of each word as bits, computed once."""

    def __init__(self, bits: Mapping[str, int]) -> None:
        super().__init__()
        self._bits = bits

    def __missing__(self, word: str) -> int:
        held = self[word] = sum(self._bits.get(term, 0) for term in get_terms(word))
        return held


def _find_start(term: str) -> str:
    """What every word of a term holds, in lower case."""
    if term == LONG_WORD:
        return ""  # stands for any long word
    return term[:-1] if len(term) > 2 else term[:1]


def _has_prefix(text: str, others: Iterable[str]) -> bool:
    return any(text != one and text.startswith(one) for one in others)


def list_terms(bits: int, terms: Sequence[str]) -> list[str]:
    """The terms whose bits are set."""
    return [term for position, term in enumerate(terms) if bits >> position & 1]
