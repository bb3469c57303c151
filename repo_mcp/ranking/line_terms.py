"""Finds which terms of a query each line of a text holds.

Only words that hold the root of a term are cut into terms. A root is how a part of a word begins, so `art` in
`start` tells nothing. Of what short roots are found in, most is told from that by two characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, get_root, get_word_terms

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
_get_terms = lru_cache(maxsize=2_048)(get_word_terms)  # hits on a page share words; 1 MB


def find_line_terms(lines: Sequence[str], terms: Sequence[str]) -> list[int]:
    """Return, for each line, a bit set of the terms it holds; the first term is the lowest bit."""
    return find_text_terms("\n".join(lines), len(lines), terms)


def find_text_terms(text: str, line_count: int, terms: Sequence[str]) -> list[int]:
    """Return the terms of each of the lines of a text, as `find_line_terms` does."""
    wanted = _prepare_terms(tuple(terms))
    found = [0] * line_count
    known: dict[str, int] = {}
    line = passed = 0
    for position, word in sorted(_find_words(text, wanted.roots)):
        held = known.get(word)
        if held is None:
            held = 0
            for term in _get_terms(word):
                held |= wanted.bits.get(term, 0)
            known[word] = held
        if held:
            line += text.count("\n", passed, position)
            passed = position
            found[line] |= held
    return found


@dataclass(frozen=True, slots=True)
class _WantedTerms:
    """The terms sought on a page, which its hits share."""

    bits: Mapping[str, int]  # each term's bit
    roots: tuple[bytes, ...]  # every word that yields a term holds one of them; none when any word may


@lru_cache(maxsize=64)
def _prepare_terms(terms: tuple[str, ...]) -> _WantedTerms:
    roots = {get_root(term).encode("utf-8", "surrogatepass") for term in terms}
    is_any = b"" in roots or LONG_WORD in terms
    bits = {term: 1 << position for position, term in enumerate(terms)}
    return _WantedTerms(bits, () if is_any else tuple(roots))


def _find_words(text: str, roots: Sequence[bytes]) -> list[tuple[int, str]]:
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
