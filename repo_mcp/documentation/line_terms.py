"""Find the terms of a query in lines, with the results of `ranking.snippets`, for many short texts at once.

A line is split into words only when it holds the prefix of a term: the term without its last letter, which
every word with that term shares, because stemming changes only endings. A word is analysed once per query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from repo_mcp.text.analysis import LONG_WORD, get_word_terms

_WORD = re.compile(r"\w+")
get_terms = lru_cache(maxsize=16_384)(get_word_terms)


class TermFinder:
    """Finds the terms of one query. Not safe for use from several threads."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = tuple(terms)
        starts = {_find_start(term) for term in self.terms}
        # Of two prefixes where one begins with the other, the shorter is enough.
        self._starts = tuple(sorted(one for one in starts if not _has_prefix(one, starts)))
        self._known = _WordBits({term: 1 << position for position, term in enumerate(self.terms)})

    def find(self, lines: Iterable[str]) -> list[int]:
        """Return for each line the bit set of the terms that it holds; the lowest bit is the first term."""
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
    """A cache from each word to the bit set of its terms."""

    def __init__(self, bits: Mapping[str, int]) -> None:
        super().__init__()
        self._bits = bits

    def __missing__(self, word: str) -> int:
        held = self[word] = sum(self._bits.get(term, 0) for term in get_terms(word))
        return held


def _find_start(term: str) -> str:
    """Return a prefix, in lower case, that every word with a term shares."""
    if term == LONG_WORD:
        return ""  # stands for any long word
    return term[:-1] if len(term) > 2 else term[:1]


def _has_prefix(text: str, others: Iterable[str]) -> bool:
    return any(text != one and text.startswith(one) for one in others)


def list_terms(bits: int, terms: Sequence[str]) -> list[str]:
    """Return the terms whose bits are set."""
    return [term for position, term in enumerate(terms) if bits >> position & 1]
