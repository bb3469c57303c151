"""Text to terms. A chain of Whoosh's tokeniser and filters, `ANALYSER`, defines the terms.

    RegexTokenizer(r"\\w+") | LongWordFilter() | TeeWordFilter(LowercaseFilter(), parts)
    parts = PartFilter() | StopFilter(stoplist=None, minsize=2) | LowercaseFilter() | StemFilter(stem)

A word is a run of letters, digits and underscores. It yields these terms, each once:

- the whole word, lower-cased: `getHTTPResponse_v2` -> `gethttpresponse_v2`
- the stem of each of its parts, lower-cased and cut at underscores, at changes of case and between letters
  and digits: `get`, `http`, `respons`. Parts of one character are left out. A word that begins with a digit
  has no parts, as numbers would fill the dictionary with fragments. Porter's rules are for English: a part
  with a letter outside ASCII is its own stem
- for a word of more than MAX_WORD_BYTES, LONG_WORD instead: such data (base64, digests) would be most of
  the dictionary, but an exact search must still know where to look for it

Three filters are ours, as Whoosh has none that cuts `HTTPServer` or keeps the word beside its parts. The
words of a query go through the chain, by `analyse_text`. It takes 7 MB/s, so a build does not: the
terms of a text depend only on its words, and `analyse_words` finds those of many words at once, by array
arithmetic and a stemmer of our own (stemming.py); `get_word_terms` finds those of one. The tests hold
both to the chain, on the sources of ten languages and on generated text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from whoosh.analysis import Filter, LowercaseFilter, RegexTokenizer, StemFilter, StopFilter
from whoosh.lang.porter import stem

from repo_mcp.arrays import I64, Mask
from repo_mcp.record_classes import dataclass
from repo_mcp.text.spans import PADDING, Spans, hash_spans, join_spans, rank_hashes
from repo_mcp.text.stemming import stem_word

VERSION = 3  # part of the index's configuration: terms of two versions never mix
MAX_WORD_BYTES = 128
_SURELY_SHORT = MAX_WORD_BYTES // 4  # characters, of at most four bytes each
LONG_WORD = "\0long"
DECLARED = "\0="  # before a whole name of one word, as written: `Router` also is a part of `HeaderRouter`
NAME_TERMS = 2  # the most that a word without inner parts yields: `message` and `messag`
# Letters outside ASCII count as lower case, since scripts without case have no humps to cut at.
# A negated set: one that names the last code point takes 6 ms to compile.
_LOWER_LETTER = r"[^\0-`{-\x7f]"
PART = rf"[A-Z]+(?!{_LOWER_LETTER})|[A-Z]?{_LOWER_LETTER}+|[0-9]+"
_PARTS = re.compile(PART)
_WORD = re.compile(r"\w+")
TERM_BITS = 32
_LAST_ASCII = 0x7F
_NEITHER, _UPPER, _LOWER, _DIGIT = range(4)  # classes of ASCII word bytes
_CLASSES = bytes(
    _UPPER
    if 0x41 <= byte <= 0x5A
    else _LOWER
    if 0x61 <= byte <= 0x7A
    else _DIGIT
    if 0x30 <= byte <= 0x39
    else _NEITHER
    for byte in range(256)
)
_MAX_MEMO = 200_000  # stems cached; about 30 MB
_MAX_PARTS = 4_096  # of words that are analysed one by one; 0.6 MB
Tokens = Iterator[Any]  # Whoosh yields one token object repeatedly, with a new text each time


class LongWordFilter(Filter):  # type: ignore[misc]
    """Replaces each word of more than MAX_WORD_BYTES by LONG_WORD."""

    def __call__(self, tokens: Tokens) -> Tokens:
        """Yield every token, with its text replaced if it is too long."""
        for token in tokens:
            if len(token.text.encode("utf-8", "surrogatepass")) > MAX_WORD_BYTES:
                token.text = LONG_WORD
            yield token


class PartFilter(Filter):  # type: ignore[misc]
    """Cuts each word into the parts that PART matches. Long words and those with a digit first have none."""

    def __call__(self, tokens: Tokens) -> Tokens:
        """Yield a token for each part, as it is written."""
        for token in tokens:
            word = token.text
            if word == LONG_WORD or word[0].isdigit():
                continue
            for part in _PARTS.findall(word):
                token.text = part
                yield token


class TeeWordFilter(Filter):  # type: ignore[misc]
    """Passes each word to several filters and yields what they return, one filter after the other.

    Whoosh's TeeFilter reads on while a filter still yields the parts of a word, which mixes words up.
    """

    def __init__(self, *filters: Callable[[Tokens], Tokens]) -> None:
        self._filters = filters

    def __call__(self, tokens: Tokens) -> Tokens:
        """Yield a token for each distinct text made of a word, in the order of the filters."""
        for token in tokens:
            word = token.text
            made: dict[str, None] = {}
            for one in self._filters:
                token.text = word
                for part in one(iter((token,))):
                    made[part.text] = None
            for token.text in made:
                yield token


@lru_cache(maxsize=16_384)  # 2 MB; StemFilter's own cache has no lock
def _stem_english(part: str) -> str:
    stemmed: str = stem(part) if part.isascii() else part
    return stemmed


ANALYSER = (
    RegexTokenizer(r"\w+")
    | LongWordFilter()
    | TeeWordFilter(
        LowercaseFilter(),
        PartFilter()
        | StopFilter(stoplist=None, minsize=2)
        | LowercaseFilter()
        | StemFilter(_stem_english, cachesize=None),
    )
)


def analyse_text(text: str) -> list[str]:
    """Return the terms of a text in order, each once for each word, by Whoosh's chain."""
    return [token.text for token in ANALYSER(text)]


class _Stems(dict[bytes, bytes]):
    """A cache from lower-cased ASCII parts to stems. Parts that are not letters are their own stem."""

    def __missing__(self, part: bytes) -> bytes:
        if len(self) >= _MAX_MEMO:
            self.clear()
        stemmed = stem_word(part) if part.isalpha() else part
        self[part] = stemmed
        return stemmed


_STEMS = _Stems()


def get_word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word, the whole word first: as `analyse_text` does, in a tenth of the time."""
    if len(word) > _SURELY_SHORT and len(word.encode("utf-8", "surrogatepass")) > MAX_WORD_BYTES:
        return (LONG_WORD,)
    terms = {word.lower(): None}
    if not word[0].isdigit():
        stems = _PART_STEMS
        for part in _PARTS.findall(word):
            if len(part) > 1:
                terms[stems[part]] = None
    return tuple(terms)


class _PartStems(dict[str, str]):
    """A cache from parts of words, as they are written, to their stems."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _MAX_PARTS:
            self.clear()
        folded = part.lower()
        stemmed = self[part] = _STEMS[folded.encode()].decode() if folded.isascii() else folded
        return stemmed


_PART_STEMS = _PartStems()


def get_name_term(name: str) -> str:
    """Return the term of `symbol` that only a declaration of this whole name yields.

    This is the name in lower case. A name of one word may be a part of other names, so its term is DECLARED
    and the name as written.
    """
    terms = get_word_terms(name)
    return terms[0] if len(terms) > NAME_TERMS or terms[0] == LONG_WORD else DECLARED + name


def get_root(term: str) -> str:
    """Return the text found in the lower case of every ASCII word that yields `term` (up to MAX_WORD_BYTES).

    A stem is the beginning of its part, except that the stemmer may have rewritten its end to "e" or "i"; it
    turns "-bility" into "-ble", from which it usually drops the "e" again.
    """
    if term.endswith("ble"):
        return term[:-2]
    return term[:-1] if term.endswith(("e", "i", "bl")) else term


@dataclass(frozen=True, slots=True)
class WordTerms:
    """The terms of many words: row i pairs the word numbered words[i] with its term numbered terms[i].

    Rows are sorted by word, then term, each pair once. A word without terms has no row.
    """

    texts: Spans  # the distinct terms, in the order of their numbers
    words: I64  # for each row, the index of the word
    terms: I64  # for each row, the number of the term


def analyse_words(words: Spans) -> WordTerms:
    """Return the terms of each word: the set that `analyse_text` lists. Only spaces may separate words.

    Here a word is a run of ASCII word characters and bytes above 127, so one that is not ASCII may hold
    several words or none. Those, and long words, are analysed one by one. All others are handled by array
    arithmetic, and only the distinct parts become Python objects, for the stemmer.
    """
    is_plain = _find_plain(words)
    positions = np.flatnonzero(is_plain)
    lowered = Spans(words.padded.lower(), words.starts[positions], words.sizes[positions])
    owners, part_stems, stems = _stem_parts(words, is_plain, lowered.padded)
    rest = np.flatnonzero(~is_plain)
    others = [
        (position, term) for position, word in _iter_words(words, rest) for term in _analyse_other(word)
    ]
    rest_terms = join_spans([*stems, *(term for _, term in others)])
    whole_hashes, rest_hashes = hash_spans(lowered), hash_spans(rest_terms)
    numbers, first_positions = rank_hashes(
        np.concatenate([whole_hashes[0], rest_hashes[0]]), np.concatenate([whole_hashes[1], rest_hashes[1]])
    )
    wholes, stem_numbers, other_numbers = np.split(numbers, [len(positions), len(positions) + len(stems)])
    other_words = np.array([position for position, _ in others], dtype=np.int64)
    return WordTerms(
        _join_terms(lowered, rest_terms, first_positions),
        *_sort_rows(
            np.concatenate([positions, owners, other_words]),
            np.concatenate([wholes, stem_numbers[part_stems], other_numbers]),
        ),
    )


def _find_plain(words: Spans) -> Mask:
    """Return a mask of the words that are ASCII and not long: nearly all."""
    plain: Mask = words.sizes <= MAX_WORD_BYTES
    raw = np.frombuffer(words.padded, dtype=np.uint8)
    plain[np.searchsorted(words.starts, np.flatnonzero(raw > _LAST_ASCII), side="right") - 1] = False
    return plain


def _stem_parts(words: Spans, is_plain: Mask, lowered: bytes) -> tuple[I64, I64, list[bytes]]:
    """Return the word of each part, the index of its stem, and the stems, for plain words of text `lowered`.

    Parts are cut where PART cuts them: at a change of class, but a capital, even the last one of a run, goes
    with the small letters after it.
    """
    count = len(words.padded) - len(PADDING)
    classes = np.frombuffer(words.padded.translate(_CLASSES), dtype=np.uint8, count=count + 1)
    is_edge = np.zeros(count + 1, dtype=np.bool_)
    is_edge[words.starts] = True
    is_edge[count] = True
    before, here, behind = classes[: max(0, count - 1)], classes[1:count], classes[2:]
    cuts = (here != before) & ~((before == _UPPER) & (here == _LOWER))
    cuts |= (before == _UPPER) & (here == _UPPER) & (behind == _LOWER) & ~is_edge[2:]
    is_edge[1:count] |= cuts
    edges = np.flatnonzero(is_edge)
    starts, sizes = edges[:-1], np.diff(edges)
    is_word = np.zeros(count + 1, dtype=np.bool_)
    is_word[words.starts] = True
    owners = np.cumsum(is_word[starts]) - 1
    has_parts = is_plain & (classes[words.starts] != _DIGIT)
    wanted = (classes[starts] != _NEITHER) & (sizes > 1) & has_parts[owners]
    positions = np.flatnonzero(wanted)
    parts = Spans(lowered, starts[positions], sizes[positions])
    ranks, firsts = rank_hashes(*hash_spans(parts))
    distinct = Spans(lowered, parts.starts[firsts], parts.sizes[firsts]).slice()
    return owners[positions], ranks, list(map(_STEMS.__getitem__, distinct))


def _iter_words(words: Spans, positions: I64) -> Iterator[tuple[int, bytes]]:
    return zip(positions.tolist(), words.take(positions).slice(), strict=True)


def _join_terms(lowered: Spans, rest: Spans, positions: I64) -> Spans:
    """Return each distinct term as a span of one text; positions number the words, then the rest."""
    starts = np.concatenate([lowered.starts, rest.starts + len(lowered.padded)])
    sizes = np.concatenate([lowered.sizes, rest.sizes])
    return Spans(lowered.padded + rest.padded, starts[positions], sizes[positions])


def _sort_rows(words: I64, terms: I64) -> tuple[I64, I64]:
    """Return the rows sorted by word, then term, each once."""
    packed = words << TERM_BITS | terms
    packed.sort()
    packed = packed[np.flatnonzero(np.diff(packed, prepend=-1))]
    return packed >> TERM_BITS, packed & ((1 << TERM_BITS) - 1)


def _analyse_other(word: bytes) -> list[bytes]:
    """Return the terms of a run that is long or not ASCII."""
    return [
        term.encode("utf-8")
        for found in _WORD.findall(word.decode("utf-8", "replace"))
        for term in get_word_terms(found)
    ]
