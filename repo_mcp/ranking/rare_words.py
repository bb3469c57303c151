"""Says what of a query the index lacks: words that no file has, and a best hit that has no word that tells.

A ranked search always finds something. Asked for what a repository does not have, it gives what shares the
common words of the question, and nothing in the hits shows that. So the words are looked up one by one.

A word is absent when no unit and no path has it, nor its stem; a name of several parts when nobody has the
whole of it, in any usual spelling. A word tells something when it is rare: absent, or in no more units than
the square root of all. Of pasted text, which has many words that mean nothing, only names count; and
words with which anything is asked (`which`, `tell`, `among`) never do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from repo_mcp.ranking.intent import spell
from repo_mcp.ranking.query import STORY_WORDS
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.stop_words import QUESTION_WORDS

MAX_WORDS = 32  # of a query, looked up one by one
MAX_NAMED = 5  # in one sentence
MIN_CHARS = 3  # of a word
MIN_RARITY = 0.5  # from 0, in every unit, to 1, in one
_WORD = re.compile(r"\w+")
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w")  # camelCase, snake_case


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query, as it was written."""

    text: str
    terms: tuple[str, ...]  # by which a hit has it
    units: int  # that have it; 0: no file does


def look_up_words(text: str, count_units: Callable[[str], int]) -> list[QueryWord]:
    """Return the words of a query that may tell something, in order, with the units that have them."""
    return [
        QueryWord(word, (*terms, *counted), max(map(count_units, counted)))
        for word, terms, counted in _list_telling(text)
    ]


@lru_cache(maxsize=4)
def _list_telling(text: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return the words that may tell something, with the terms of each and those that are counted."""
    words = _WORD.findall(text)
    is_story = len(words) > STORY_WORDS or "\n" in text.strip()
    found: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
    for word in words:
        folded = word.lower()
        if len(word) < MIN_CHARS or word[0].isdigit() or folded in QUESTION_WORDS or folded in found:
            continue
        if is_story and not _SHAPED.search(word):
            continue
        if len(found) == MAX_WORDS:
            break
        terms = get_word_terms(word)
        counted = spell(word) if len(terms) > 2 else terms
        found[folded] = (word, terms, counted)
    return list(found.values())


def tell_of_absent(words: Collection[QueryWord], *, is_whole: bool = True) -> list[str]:
    """Return a sentence that names the absent words, if any. `is_whole` when every file is indexed."""
    absent = [word.text for word in words if not word.units]
    if not absent:
        return []
    return [f"No {'' if is_whole else 'indexed '}file has: {_list(absent)}."]


def tell_of_best(
    words: Collection[QueryWord], unit_count: int, best: Collection[str], read_text: Callable[[], str]
) -> list[str]:
    """Return a sentence when the best hit, which matches the terms `best`, has no rare word of the query.

    None where it has over a third of the words, since in a small tree any word is rare; nor where its file,
    whose text `read_text` gives, has a rare one elsewhere.
    """
    rare = [word for word in words if compute_rarity(word.units, unit_count) >= MIN_RARITY]
    had = [word for word in words if not set(word.terms).isdisjoint(best)]
    if not rare or not set(rare).isdisjoint(had) or 3 * len(had) > len(words):
        return []
    text = read_text().lower()
    if any(term in text for word in rare for term in word.terms):
        return []
    if not had:
        return ["The best hit has none of the rare words of the query."]
    return [f"The best hit has only common words of the query: {_list([word.text for word in had])}."]


def compute_rarity(units: int, unit_count: int) -> float:
    """Return the rarity of a word in that many of all units: 0 in every one, 1 in one, above 1 in none."""
    if unit_count < 2:
        return 1.0 if not units else 0.0
    return math.log(unit_count / max(units, 0.5)) / math.log(unit_count)


def _list(words: list[str]) -> str:
    more = len(words) - MAX_NAMED
    return ", ".join(words[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
