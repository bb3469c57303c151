"""Says what the index lacks: words of a query that no file has, and a best hit without any telling word.

A ranked search always finds something. If a repository does not have what is asked for, the hits share only
common words with the question, and nothing in them shows that. So the words are looked up one by one.

A word is absent if no unit and no path has it, its stem or its base form (`grow` for "grown"). A name of
several parts is absent if the whole of it is nowhere, in any usual spelling, and in no longer name that a hit
shows (`read_all` in `reread_all`). A word is telling if it is rare: absent, or in no more units than the
square root of all. Of pasted text, which has many meaningless words, only names count. Words with which
anything is asked (`which`, `tell`, `among`) never count.

A query most of whose words are absent asks for what the repository does not have. A page of what matches the
rest would be noise: answers show little of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain

from repo_mcp.errors import RepoError
from repo_mcp.model import Hit
from repo_mcp.ranking.page.live_chunks import ReadLive
from repo_mcp.ranking.query.intent import spell
from repo_mcp.ranking.query.query import STORY_WORDS
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.lines import shorten_word
from repo_mcp.text.stop_words import QUESTION_WORDS
from repo_mcp.text.word_families import list_stand_ins

MAX_WORDS = 32  # of a query, looked up one by one
MAX_NAMED = 5  # in one sentence
MIN_CHARS = 3  # of a word
MIN_RARITY = 0.5  # from 0, in every unit, to 1, in one
LEAST_ABSENT = 3  # absent words; no question of 228 that files answer had so many, and over half of its own
_WORD = re.compile(r"\w+")
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w")  # camelCase, snake_case


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query, as it was written."""

    text: str
    terms: tuple[str, ...]  # by which a hit has it
    units: int  # that have it; 0: no file does
    has_stand_in: bool = False  # a file has what programs call it, though no file has the word


def look_up_words(text: str, count_units: Callable[[str], int]) -> list[QueryWord]:
    """Return the words of a query that may be telling, in order, with the units that have them."""
    words = []
    for word, terms, counted in _list_informative(text):
        units = max(map(count_units, counted))
        others = () if units else chain.from_iterable(map(list_stand_ins, counted))
        words.append(QueryWord(word, (*terms, *counted), units, any(map(count_units, others))))
    return words


@lru_cache(maxsize=4)
def _list_informative(text: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return the words that may tell something, with the terms of each and those that are counted."""
    words, is_story = _WORD.findall(text), _is_story(text)
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
        counted = spell(word) if len(terms) > 2 else (*terms, *_list_base_terms(word))
        found[folded] = (word, terms, counted)
    return list(found.values())


def _list_base_terms(word: str) -> tuple[str, ...]:
    base = find_base_form(word)
    return tuple(get_word_terms(base)) if base else ()


def _is_story(text: str) -> bool:
    """Return whether a text is of several lines or many words, and so was pasted."""
    return "\n" in text.strip() or len(_WORD.findall(text)) > STORY_WORDS


def lacks_most(text: str, words: Collection[QueryWord]) -> bool:
    """Return whether most words of a query are in no file, so that what matches the rest is noise.

    Never for pasted text: most of its words are not looked up. A word in whose place others are searched for
    is not lacking.
    """
    absent = len([word for word in words if not word.units and not word.has_stand_in])
    return absent >= LEAST_ABSENT and 2 * absent > len(words) and not _is_story(text)


def drop_shown(words: Sequence[QueryWord], hits: Iterable[Hit]) -> list[QueryWord]:
    """Return the words without names that no file has, but that hits show as a part of a longer name."""
    lacking = {one.text for one in words if not one.units and _SHAPED.search(one.text)}
    if not lacking:
        return [*words]
    shown = "\n".join(
        text for hit in hits for text in (hit.snippet, hit.symbol or "", *(name for name, _ in hit.also))
    ).lower()
    return [one for one in words if one.text not in lacking or one.text.lower() not in shown]


def describe_words(
    words: Sequence[QueryWord],
    searcher: Searcher,
    best: Sequence[RankedChunk],
    near: Sequence[str],
    read_live: ReadLive,
    *,
    is_whole: bool,
) -> list[str]:
    """Return sentences about words that no file has, and about a best hit without any telling word.

    `best` is the best chunk, if there is one. Words that the sentences `near` name are not named again.
    """
    said = " ".join(near)
    named = [word for word in words if f"`{word.text.lower()}`" not in said]
    notes = describe_absent(named, is_whole=is_whole)
    for chunk in best:
        read = partial(_read_text, read_live, chunk.path)
        notes += describe_best(words, searcher.snapshot.unit_count, chunk.matched_terms, read)
    return notes


def _read_text(read_live: ReadLive, path: str) -> str:
    try:
        return read_live(path).decode("utf-8", "replace")
    except RepoError:  # the page says that it is gone
        return ""


def describe_absent(words: Collection[QueryWord], *, is_whole: bool = True) -> list[str]:
    """Return a sentence that names the absent words, if any. `is_whole`: every file is indexed."""
    absent = [word.text for word in words if not word.units]
    if not absent:
        return []
    return [f"No {'' if is_whole else 'indexed '}file has: {_list(absent)}."]


def describe_best(
    words: Collection[QueryWord], unit_count: int, best: Collection[str], read_text: Callable[[], str]
) -> list[str]:
    """Return a sentence if the best hit, which matches the terms `best`, has no rare word of the query.

    There is none if the hit has over a third of the words, since in a small tree any word is rare, or if its
    file, whose text `read_text` returns, has a rare word elsewhere.
    """
    rare = [word for word in words if compute_rarity(word.units, unit_count) >= MIN_RARITY]
    had = [word for word in words if not set(word.terms).isdisjoint(best)]
    if not rare or not set(rare).isdisjoint(had) or 3 * len(had) > len(words):
        return []
    text = read_text().lower()
    if any(term in text for word in rare for term in word.terms):
        return []
    common = f"only common words of the query: {_list([word.text for word in had])}"
    said = f"The best hit has {common if had else 'none of the rare words of the query'}"
    rarest = min((word for word in rare if word.units), key=lambda word: word.units, default=None)
    there = f"; a search for {shorten_word(rarest.text)} alone finds where it is" if rarest else ""
    return [f"{said}{there}."]


def compute_rarity(units: int, unit_count: int) -> float:
    """Return the rarity of a word in that many of all units: 0 in every one, 1 in one, above 1 in none."""
    if unit_count < 2:
        return 1.0 if not units else 0.0
    return math.log(unit_count / max(units, 0.5)) / math.log(unit_count)


def _list(words: list[str]) -> str:
    more = len(words) - MAX_NAMED
    return ", ".join(map(shorten_word, words[:MAX_NAMED])) + (f" and {more} more" if more > 0 else "")
