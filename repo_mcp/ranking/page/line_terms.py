"""Finds which terms of a query each line of a text holds, and which lines show most of them.

Only words that hold the root of a term are cut into terms. A root is how a part of a word begins, so `art` in
`start` says nothing. Two characters distinguish most of what short roots are found in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from repo_mcp.text.analysis import LONG_WORD, MAX_WORD_BYTES, PART, get_root, get_word_terms

_WORD = re.compile(r"\w+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# ASCII words in lower case, with spaces in place of everything between them.
_FOLDED = bytes(ord(chr(byte).lower()) if _WORD.match(chr(byte)) else ord(" ") for byte in range(128)) * 2
_OTHER, _UPPER, _LOWER, _DIGIT = range(4)
_CLASSES = bytes(
    _DIGIT if 48 <= byte < 58 else _UPPER if 65 <= byte < 91 else _LOWER if 97 <= byte < 123 else _OTHER
    for byte in range(256)
)
_GOES_ON = {
    (_UPPER, _LOWER),
    (_LOWER, _LOWER),
    (_DIGIT, _DIGIT),
}  # no part begins between two such characters
_find_parts = re.compile(PART).findall
MIN_PART_CHARS = 2  # of a part that yields a term
PREPARED_TERMS = 4  # lists of terms that are kept prepared: the hits of a page share theirs
WINDOW_LINES = 8
KNOWN_WORDS = 1_000  # words, and as many parts, whose terms are kept for each list; together 1 MB


def find_line_terms(lines: Sequence[str], terms: Sequence[str]) -> list[int]:
    """Return, for each line, a bit set of the terms it holds; the first term is the lowest bit."""
    return find_text_terms("\n".join(lines), len(lines), terms)


def find_text_terms(text: str, line_count: int, terms: Sequence[str]) -> list[int]:
    """Return the terms of each of the lines of a text, as `find_line_terms` does."""
    wanted = _prepare_terms(tuple(terms))
    found = [0] * line_count
    words = wanted.words
    line = passed = 0
    for position, word in sorted(find_words(text, wanted.roots)):
        held = words[word]
        if held:
            line += text.count("\n", passed, position)
            passed = position
            found[line] |= held
    return found


class _Known(dict[str, int]):
    """The bits of texts, each computed once while few are known."""

    def __init__(self, compute: Callable[[str], int]) -> None:
        self._compute = compute

    def __missing__(self, text: str) -> int:
        if len(self) >= KNOWN_WORDS:
            self.clear()
        held = self[text] = self._compute(text)
        return held


class _WantedTerms:
    """The terms sought on a page, which its hits share. Safe for several threads."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._bits = {term: 1 << position for position, term in enumerate(terms)}
        self.roots = encode_roots(terms)
        self._beginnings = tuple(dict.fromkeys(map(get_root, terms)))  # of every part that yields a term
        self.words = _Known(self._find_in_word)  # the bits of the terms of each
        self._parts = _Known(self._find_in_part)  # few make up most names

    def _find_in_word(self, word: str) -> int:
        bits = self._bits
        if not word.isascii() or len(word) > MAX_WORD_BYTES or word[0].isdigit():
            return sum({bits.get(term, 0) for term in get_word_terms(word)})
        held, parts = bits.get(word.lower(), 0), self._parts
        for part in _find_parts(word):
            held |= parts[part]
        return held

    def _find_in_part(self, part: str) -> int:
        if len(part) < MIN_PART_CHARS or not part.lower().startswith(self._beginnings):
            return 0  # most of them, without a stem
        return self._bits.get(get_word_terms(part)[-1], 0)


_prepare_terms = lru_cache(maxsize=PREPARED_TERMS)(_WantedTerms)


def encode_roots(terms: Collection[str]) -> tuple[bytes, ...]:
    """Return the roots of the terms: a word that yields a term holds one. None if any word may yield one."""
    roots = dict.fromkeys(map(get_root, terms))
    if "" in roots or LONG_WORD in terms:
        return ()
    return tuple(root.encode("utf-8", "surrogatepass") for root in roots)


def find_words(text: str, roots: Sequence[bytes]) -> list[tuple[int, str]]:
    """Return positions and words of a text, including every word that holds a root; some repeat."""
    if not roots:
        return [(match.start(), match[0]) for match in _WORD.finditer(text)]
    found: list[tuple[int, str]] = []
    plain = text.encode("ascii", "replace")
    folded = bytearray(plain.translate(_FOLDED) + b" ")
    end = 0
    for other in () if text.isascii() else _NOT_ASCII.finditer(text):
        if other.start() >= end:
            start, end = text.rfind("\n", 0, other.start()) + 1, text.find("\n", other.end())
            end = len(text) if end < 0 else end
            found += [(match.start(), match[0]) for match in _WORD.finditer(text, start, end)]
            folded[start:end] = b" " * (end - start)
    for root in roots:
        at = folded.find(root)
        while at >= 0:
            if at and (_CLASSES[plain[at - 1]], _CLASSES[plain[at]]) in _GOES_ON:
                at = folded.find(root, at + 1)
                continue
            start, end = folded.rfind(b" ", 0, at) + 1, folded.index(b" ", at)
            found.append((start, text[start:end]))
            at = folded.find(root, end + 1)
    return found


def choose_window(
    found: Sequence[int], extra: Sequence[int] | None = None, size: int = WINDOW_LINES
) -> tuple[int, int]:
    """Return the half-open span of at most `size` lines with the highest value; the first on a tie.

    A window's value is the sum over its lines of their terms, where a term's first occurrence counts four
    times: eight lines with one term each show less than one line with all. `extra` is added per line.
    """
    extra = [0] * len(found) if extra is None else extra
    best, most = 0, count_worth(found[:size]) + sum(extra[:size])
    for last in range(size, len(found)):
        if found[last] or extra[last]:  # otherwise the window is worth no more than the one before
            start = last - size + 1
            worth = count_worth(found[start : last + 1]) + sum(extra[start : last + 1])
            if worth > most:
                best, most = start, worth
    return best, min(len(found), best + size)


def count_worth(found: Sequence[int]) -> int:
    """Return what lines are worth together: their terms, the first of each counted four times."""
    shown = worth = 0
    for held in found:
        shown |= held
        worth += held.bit_count()
    return worth + 3 * shown.bit_count()


def find_best_line(found: Sequence[int]) -> int:
    """Return the index of the first line among those that hold the most terms."""
    counts = list(map(int.bit_count, found))
    return counts.index(max(counts)) if counts else 0
