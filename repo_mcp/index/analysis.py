"""Text to terms: Whoosh's tokeniser and stemmer, and our filter for identifiers between them.

A word is a run of letters, digits and underscores. It gives the set of these terms:

- the whole word, lower-cased: `getHTTPResponse_v2` -> `gethttpresponse_v2`
- the stem of each of its parts, cut at underscores, at changes of case and between letters and
  digits, lower-cased: `get`, `http`, `respons`; parts of one character are left out, and a word
  that begins with a digit has no parts, for numbers would fill the dictionary with splinters
- a word of more than MAX_WORD_BYTES gives LONG_WORD alone: such data (base64, digests) would be most of the
  dictionary, but an exact search must still know where to look for it

So the terms of a text depend on its words alone, and analysis runs once for each distinct one.
`ANALYSER` is the clear version, a Whoosh analyser; `analyse_words` is its equal for many words at
once, four times as fast, because one regular expression runs over all of them joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.analysis import Filter, RegexTokenizer
from whoosh.lang.porter import stem as porter_stem

I64 = npt.NDArray[np.int64]
VERSION = 1  # part of the index's configuration: terms of two versions never mix
MAX_WORD_BYTES = 128
LONG_WORD = "\0long"
# Letters outside ASCII count as lower case: scripts without case have no humps to cut at.
PART = r"[A-Z]+(?![a-z\u0080-\U0010ffff])|[A-Z]?[a-z\u0080-\U0010ffff]+|[0-9]+"
_PARTS = re.compile(PART)
_PARTS_OF_LINES = re.compile(PART + r"|\n")
_WORD = re.compile(r"\w+")
TERM_BITS = 32
_TAB, _LINE_FEED, _LAST_ASCII, _DIGITS = 0x09, 0x0A, 0x7F, (0x30, 0x39)
_MAX_MEMO = 200_000  # stems kept; about 30 MB


class _Stems(dict[str, str]):
    """Lower-cased part -> stem, computed once. Parts that are not English letters are their own stem."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _MAX_MEMO:
            self.clear()
        stemmed = porter_stem(part) if part.isascii() and part.isalpha() else part
        self[part] = stemmed
        return stemmed


_STEMS = _Stems()


class _Numbers(dict[str, int]):
    """Term -> its number, given at first sight."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


def get_word_terms(word: str) -> tuple[str, ...]:
    """The terms of one word, each once, the whole word first. The definition of the module's text."""
    if len(word.encode("utf-8", "surrogatepass")) > MAX_WORD_BYTES:
        return (LONG_WORD,)
    whole = word.lower()
    if word[0].isdigit():
        return (whole,)
    parts = [_STEMS[part.lower()] for part in _PARTS.findall(word) if len(part) > 1]
    return tuple(dict.fromkeys([whole, *parts]))


class IdentifierFilter(Filter):  # type: ignore[misc]
    """A Whoosh filter: each word token becomes the tokens of its terms."""

    def __call__(self, tokens: Iterator[Any]) -> Iterator[Any]:
        """Yields Whoosh's one token object again and again, as its filters do."""
        for token in tokens:
            for term in get_word_terms(token.text):
                token.text = term
                yield token


ANALYSER = RegexTokenizer(r"\w+") | IdentifierFilter()


def analyse_text(text: str) -> list[str]:
    """The terms of a text in order, with repetitions, by the Whoosh analyser."""
    return [token.text for token in ANALYSER(text)]


@dataclass(frozen=True, slots=True)
class WordTerms:
    """The terms of many words: row i says that the word numbered words[i] gives the term numbered terms[i].

    Rows are sorted by word, then term, each pair once; a word of no terms has no row.
    """

    texts: list[str]  # the distinct terms, by number
    words: I64
    terms: I64


def analyse_words(words: Sequence[bytes]) -> WordTerms:
    """The terms of each word: the set of what `analyse_text` gives for it.

    A word here is a run of ASCII word characters and of bytes above 127, so that one that is not ASCII
    may hold several words or none.
    """
    numbers = _Numbers()
    plain = _find_plain(words)
    places = np.flatnonzero(plain)
    owners, terms = _analyse_plain(list(compress(words, plain.tolist())), numbers)
    rows = [
        (place, numbers[term])
        for place in np.flatnonzero(~plain).tolist()
        for term in _analyse_other(words[place])
    ]
    other_owners, other_terms = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    packed = np.concatenate([places[owners], other_owners]) << TERM_BITS
    packed |= np.concatenate([terms, other_terms])
    packed.sort()
    packed = packed[np.flatnonzero(np.diff(packed, prepend=-1))]
    return WordTerms(list(numbers), packed >> TERM_BITS, packed & ((1 << TERM_BITS) - 1))


def _find_plain(words: Sequence[bytes]) -> npt.NDArray[np.bool_]:
    """Which words are ASCII, not long, and do not begin with a digit: nearly all."""
    if not words:
        return np.zeros(0, dtype=np.bool_)
    raw = np.frombuffer(b"\n".join(words) + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(raw == _LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    first = raw[starts]
    plain: npt.NDArray[np.bool_] = ((first < _DIGITS[0]) | (first > _DIGITS[1])) & (
        ends - starts <= MAX_WORD_BYTES
    )
    plain[np.searchsorted(ends, np.flatnonzero(raw > _LAST_ASCII))] = False
    return plain


def _analyse_plain(words: Sequence[bytes], numbers: _Numbers) -> tuple[I64, I64]:
    """(place of the word, number of the term), with repetitions; ASCII words with no digit in front."""
    if not words:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    text = b"\n".join(words).decode("ascii")
    wholes = np.fromiter(map(numbers.__getitem__, text.lower().split("\n")), np.int64, len(words))
    joined = "\t".join(_PARTS_OF_LINES.findall(text)).lower()
    raw = np.frombuffer(joined.encode() + b"\t", dtype=np.uint8)
    ends = np.flatnonzero(raw == _TAB)
    starts = np.concatenate([[0], ends[:-1] + 1])
    line_ends = raw[starts] == _LINE_FEED
    kept = ends - starts > 1
    parts = compress(joined.split("\t"), kept.tolist())
    terms = np.fromiter(map(numbers.__getitem__, map(_STEMS.__getitem__, parts)), np.int64)
    owners = np.cumsum(line_ends)[kept]
    return np.concatenate([np.arange(len(words)), owners]), np.concatenate([wholes, terms])


def _analyse_other(word: bytes) -> list[str]:
    """The terms of a run that is not ASCII, is long, or begins with a digit."""
    if word.isascii():
        return [LONG_WORD] if len(word) > MAX_WORD_BYTES else [word.decode("ascii").lower()]
    return [
        term for found in _WORD.findall(word.decode("utf-8", "replace")) for term in get_word_terms(found)
    ]
