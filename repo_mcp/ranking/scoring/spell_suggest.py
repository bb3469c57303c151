"""Suggests names similar to one that is not in the index.

After one slip (a letter changed, added, left out, or two swapped), one half of a word is still intact. So the
terms that begin or end with a half are read from the dictionary, and those that are similar and live are
kept. The second half may be anywhere in the dictionary, so this is only for the rare case. What was found in
a segment is cached as long as the segment is open, from one generation to the next.

This module also finds, without a search, which files have a name and how common a term is. Only live
documents count, so that the answers depend on the tree and not on its history.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from weakref import WeakKeyDictionary

from index_format import LiveSegment, Snapshot, iter_ending, iter_starting
from repo_mcp.lru_cache import LruCache
from repo_mcp.ranking.scoring.live_terms import count_units
from repo_mcp.text.analysis import DECLARED

MIN_CHARS = 6  # of a word that near ones are looked for
MAX_CHARS = 64
MAX_WORDS = 3  # of one query
MAX_OFFERED = 3  # for one word
MIN_LIKENESS = 0.8  # as difflib has it: twice the common letters over all letters
MAX_LENGTH_CHANGE = 2
SMALL_UNITS = 100_000  # the dictionary of so many is looked through in a few milliseconds
CACHED_WORDS = 64  # of each segment: who waits for a name asks for it again and again
_DECLARED = DECLARED.encode()


def suggest(snapshot: Snapshot, words: Iterable[str], *, thorough: bool) -> list[str]:
    """Return a sentence for each folded word that the index lacks, with the similar ones that it holds.

    `thorough` is that of `find_near`. Raises IndexFormatError.
    """
    wanted = [word for word in dict.fromkeys(words) if MIN_CHARS <= len(word) <= MAX_CHARS]
    sentences = []
    for word in wanted[:MAX_WORDS]:
        near = find_near(snapshot, word, thorough=thorough)
        if near:
            named = ", ".join(f"`{one}`" for one in near)
            sentences.append(f"`{word}` is not in the index; similar: {named}.")
    return sentences


def find_near(snapshot: Snapshot, word: str, *, thorough: bool = False) -> list[str]:
    """Return the live terms nearest to a word: the most similar first, then the commonest, then by letters.

    Similar words whose first half differs may be anywhere in the dictionary: in a large tree only a
    `thorough` search finds them. For the kernel that takes 5 ms at the median, and 15 on average.
    Raises IndexFormatError.
    """
    thorough = thorough or snapshot.unit_count <= SMALL_UNITS
    likeness: dict[str, float] = {}
    for segment in snapshot.segments:
        likeness |= _find_known(segment, word, thorough=thorough)
    counts = {term: count_units(snapshot, term) for term in likeness}
    live = [term for term, count in counts.items() if count]
    return sorted(live, key=lambda term: (-likeness[term], -counts[term], term))[:MAX_OFFERED]


def _find_in(segment: LiveSegment, word: str, *, thorough: bool) -> dict[str, float]:
    """Return the terms of a segment, live or not, that are near to a word, and how near."""
    middle = len(word) // 2
    letters = [*Counter(word).items()]
    likeness: dict[str, float] = {}
    for raw in _iter_halves(segment, word[:middle], word[middle:] if thorough else ""):
        change = len(raw) - len(word)  # of an ASCII term
        if change < -MAX_LENGTH_CHANGE or (change > MAX_LENGTH_CHANGE and raw.isascii()):
            continue
        term = raw.decode("utf-8", "replace")
        if abs(len(term) - len(word)) > MAX_LENGTH_CHANGE or term == word or term in likeness:
            continue
        common = sum([min(count, term.count(letter)) for letter, count in letters])
        if 2.0 * common / (len(word) + len(term)) >= MIN_LIKENESS:  # else they cannot be alike: most are not
            likeness[term] = compare(word, term)
    return {term: like for term, like in likeness.items() if like >= MIN_LIKENESS}


def _iter_halves(segment: LiveSegment, head: str, tail: str) -> Iterator[bytes]:
    """Yield the terms that begin with the one half or end with the other, if there is one."""
    dictionary = segment.reader.terms
    yield from iter_starting(dictionary, head.encode())
    if not tail:
        return
    found = iter_ending(dictionary, tail.encode())
    yield from (term for term in found if not term.startswith(_DECLARED))


# By opened segment: what was looked up there last. It goes with the segment.
_FOUND: WeakKeyDictionary[object, LruCache[tuple[str, bool], Mapping[str, float]]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def _find_known(segment: LiveSegment, word: str, *, thorough: bool) -> Mapping[str, float]:
    """Return what `_find_in` does, looked up once while it is asked for again and again."""
    with _LOCK:
        found = _FOUND.setdefault(segment.reader, LruCache(CACHED_WORDS))
    return found.get((word, thorough), lambda: _find_in(segment, word, thorough=thorough))


def compare(one: str, other: str) -> float:
    """Return how alike two words are, from 0 to 1."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.quick_ratio() < MIN_LIKENESS:  # an upper bound
        return 0.0
    return round(matcher.ratio(), 6)
