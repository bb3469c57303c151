"""Phrases of everyday English, such as "over and over", and what programs say instead: `poll`. Pure.

`everyday_phrases.txt` has a phrase and the words of programs for it in each line, the likeliest first:

    @link: link connection socket session        words that are said for one another, of which any will do
    @link * gone/lost: disconnect reconnect      one of the words, up to three words in place of the star, and
                                                 one of the words between slashes

Words are compared by their stems. Articles do not count, nor do words such as "its". The phrases are those
that led questions about programs to what they ask for, and some that mean only one thing. Others are left
out: a guess leads away as often as it helps (docs/decisions/0302). Where a phrase depends on what is around
it, it is an expression in idioms.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache

from repo_mcp.record_classes import dataclass
from repo_mcp.text.stemming import stem_word

ANY = "*"
MOST_BETWEEN = 3  # words in place of ANY
SHORT = 3  # characters of a word that is its own stem
_EVERYDAY_PHRASES = os.path.join(os.path.dirname(__file__), "everyday_phrases.txt")
_ARTICLES = frozenset({"a", "an", "the", "its", "their", "his", "her", "my", "our", "your"})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, with the words that programs have for it."""

    elements: tuple[frozenset[str], ...]  # stems, any one of which; none for any words
    plain: tuple[str, ...]


def find_phrases(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the phrases of a text as they are said, each with the words of programs for it."""
    places = [found for found in _WORD.finditer(text) if found[0].lower() not in _ARTICLES]
    stems = [_stem(found[0]) for found in places]
    phrases = _read_phrases()
    for at, stem in enumerate(stems):
        for phrase in phrases.get(stem, ()):
            end = _match(phrase.elements[1:], stems, at + 1)
            if end:
                yield text[places[at].start() : places[end - 1].end()], phrase.plain


def _match(elements: Sequence[frozenset[str]], stems: Sequence[str], at: int) -> int:
    """Return where the words end that the elements match from `at` on; 0 if they do not."""
    if not elements:
        return at
    if elements[0]:
        return _match(elements[1:], stems, at + 1) if at < len(stems) and stems[at] in elements[0] else 0
    starts = range(at, min(at + MOST_BETWEEN, len(stems)) + 1)
    return next(filter(None, (_match(elements[1:], stems, start) for start in starts)), 0)


def _stem(word: str) -> str:
    folded = word.lower()
    is_plain = len(folded) > SHORT and folded.isascii() and folded.isalpha()  # the stem of "one" is "on"
    return stem_word(folded.encode()).decode() if is_plain else folded


@cache
def _read_phrases() -> dict[str, tuple[Phrase, ...]]:
    """Return the phrases by each stem with which they may begin."""
    with open(_EVERYDAY_PHRASES, encoding="utf-8") as file:
        rows = [line.partition(": ") for line in file.read().splitlines()]
    sets = {said: _list_stems(words.replace(" ", "/")) for said, _, words in rows if _names_set(said)}
    by_first: dict[str, list[Phrase]] = {}
    for said, _, plain in rows:
        if said not in sets:
            words = [word for word in said.split() if word not in _ARTICLES]
            elements = tuple(sets.get(word) or _list_stems(word) for word in words)
            for stem in sorted(elements[0]):
                by_first.setdefault(stem, []).append(Phrase(elements, tuple(plain.split())))
    return {stem: tuple(phrases) for stem, phrases in by_first.items()}


def _list_stems(element: str) -> frozenset[str]:
    return frozenset() if element == ANY else frozenset(map(_stem, element.split("/")))


def _names_set(said: str) -> bool:
    return said.startswith("@") and said[1:].isalpha()
