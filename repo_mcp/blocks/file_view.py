"""View a live file as a prompt does: its lines, its layout, and the prompt's terms in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from functools import cached_property

from repo_mcp.blocks.layouts import Layout
from repo_mcp.blocks.source import LiveFile
from repo_mcp.ranking.page.line_terms import encode_roots, find_words
from repo_mcp.text.analysis import LONG_WORD, get_word_terms
from repo_mcp.text.lines import is_import

MAX_IMPORT_LINES = 12  # of one import
IMPORT_SEARCH_LINES = 200  # from the top of the file
_OPENS = re.compile(r"[({]\s*(?:(?:#|//).*)?$")
# A line that is a statement without a word of its own.
_BARE_KEYWORD = re.compile(
    r"[\s}]*(?:pass|break|continue|return|raise|throw|else|try|finally|do|default|next|fallthrough)\s*(?:[:;{]\s*)?"
)


class PromptTermFinder:
    """Finds the prompt's terms in words. Words recur from file to file, so each is analysed once."""

    def __init__(self, terms: Collection[str]) -> None:
        self._by_word = _TermsByWord(frozenset(terms) - {LONG_WORD})
        self._roots = encode_roots(self._by_word.terms)

    def find_lines(self, lines: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Return the terms of the lines that have any, by 1-based number, each as often as it occurs."""
        text = "\n".join(lines)
        found: dict[int, list[str]] = {}  # a line of 2 MB may have 100,000
        line, passed = 1, 0
        for position, word in self._list_words(text):
            terms = self._by_word[word]
            if terms:
                line += text.count("\n", passed, position)
                passed = position
                found.setdefault(line, []).extend(terms)
        return {line: tuple(terms) for line, terms in found.items()}

    def find_first_words(self, lines: Sequence[str]) -> dict[str, str]:
        """Return the terms in the lines, each with the first word that yields it."""
        first: dict[str, str] = {}
        for _, word in self._list_words("\n".join(lines)):
            for term in self._by_word[word]:
                first.setdefault(term, word)
        return first

    def _list_words(self, text: str) -> list[tuple[int, str]]:
        """Return the words that may yield terms, each once with its offset, in order."""
        return sorted(set(find_words(text, self._roots)))


class _TermsByWord(dict[str, tuple[str, ...]]):
    """The prompt's terms in each word that was met."""

    def __init__(self, terms: Set[str]) -> None:
        super().__init__()
        self.terms = terms

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = self[word] = tuple(term for term in get_word_terms(word) if term in self.terms)
        return found


class FileView:
    """The text of a file as it is now, with the prompt's terms in its lines."""

    def __init__(self, live: LiveFile, layout: Layout, finder: PromptTermFinder) -> None:
        self.live = live
        self.layout = layout
        self.finder = finder

    @cached_property
    def line_terms(self) -> Mapping[int, tuple[str, ...]]:
        """Return the terms of lines that have any, by number; imports and bare keywords have none.

        Imports name much and explain nothing, and Python's `pass` passes nothing on. A question
        asks this of few files that only declare a name, and a report of every opened file.
        """
        lines = self.live.lines
        found = self.finder.find_lines(lines)
        for line in [number for number in found if _BARE_KEYWORD.fullmatch(lines[number - 1])]:
            del found[line]
        for first, last in list_imports(lines):
            for line in range(first + 1, last + 2):
                found.pop(line, None)
        return found


def list_imports(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the 0-based first and last line of each import at the top of the file."""
    statements = []
    line = 0
    while line < min(len(lines), IMPORT_SEARCH_LINES):
        end = line
        if is_import(lines[line]):
            if _OPENS.search(lines[line]):
                while (
                    end + 1 < len(lines)
                    and end - line < MAX_IMPORT_LINES
                    and not re.match(r"\s*[)}]", lines[end])
                ):
                    end += 1
            statements.append((line, end))
        line = end + 1
    return statements
