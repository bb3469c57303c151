"""A candidate file as it is now, with the prompt's terms in its lines. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from repo_mcp.bundler.companions import find_licence, list_imports
from repo_mcp.bundler.source import LiveFile
from repo_mcp.bundler.spans import Layout
from repo_mcp.text.analysis import get_root, get_word_terms

_WORD = re.compile(r"\w+")


class TermFinder:
    """Finds the prompt's terms in words. Words recur from file to file, so each is analysed once."""

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = terms
        self._roots = sorted({get_root(term) for term in terms})
        self._near = re.compile("|".join(map(re.escape, self._roots)))  # in every word that has a term
        self._known: dict[str, tuple[str, ...]] = {}

    def find(self, text: str) -> tuple[str, ...]:
        """Return the terms in a text, in order, as often as its words give them."""
        known = self._known
        found: list[str] = []
        for word in _WORD.findall(text):
            terms = known.get(word)
            if terms is None:
                terms = known[word] = self._find_in_word(word)
            found += terms
        return tuple(found)

    def _find_in_word(self, word: str) -> tuple[str, ...]:
        if not self._near.search(word.lower()):
            return ()
        return tuple(term for term in get_word_terms(word) if term in self._terms)

    def find_lines(self, lines: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Return the terms of the lines that have any, by 1-based number. Only lines that hold the letters of
        a term are looked at closely: one in five or so."""
        text = "\n".join(lines).lower()
        starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        near: set[int] = set()
        for root in self._roots:
            offset = text.find(root)
            while offset >= 0:
                line = bisect_right(starts, offset)
                near.add(line)
                offset = text.find(root, starts[line])
        found = ((line, self.find(lines[line - 1])) for line in sorted(near))
        return {line: terms for line, terms in found if terms}


@dataclass(frozen=True, slots=True)
class FileView:
    """A live file with the prompt's terms in it."""

    live: LiveFile
    layout: Layout
    line_terms: Mapping[int, tuple[str, ...]]  # only lines with any; imports and licences have none


def view_file(live: LiveFile, layout: Layout, finder: TermFinder) -> FileView:
    """Return the view of a live file."""
    found = finder.find_lines(live.lines)
    # Imports and licences name everything and say nothing.
    for first, last in (*list_imports(live.lines), *find_licence(live.lines)):
        for line in range(first + 1, last + 2):
            found.pop(line, None)
    return FileView(live, layout, found)
