"""Name what hits match as the query has it written, in place of the terms of the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from repo_mcp.model import Hit
from repo_mcp.ranking.query.query import Query
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import PART, get_word_terms
from repo_mcp.text.lines import shorten_word
from repo_mcp.text.word_families import spell_stand_in

TERMS_OF_REPORT = 6  # named of those that a hit matches
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)


def name_matched(query: Query, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the words of the query that they match, as written, in place of their terms.

    If only parts of a word match, these are named. Words by which the query was widened follow. Names that
    the query's words make up are named only if there is nothing else, as they mostly hold these words.
    """
    words = _split_words(query.text)
    named = []
    for hit in hits:
        matched: dict[str, None] = {}
        for word, whole, parts in words:
            if whole in hit.matched_terms:
                matched[word] = None
                continue
            for stem, part in parts:
                if stem in hit.matched_terms:
                    matched[part] = None
        if query.synonyms:
            added = [term for term in hit.matched_terms if term in query.synonyms]
            matched |= {query.bases.get(term) or spell_stand_in(term): None for term in added}
        if not matched:
            matched |= {term: None for term in hit.matched_terms if term in query.names}
        named.append(replace(hit, matched_terms=tuple(matched)))
    return tuple(named)


def keep_telling(hits: Iterable[Hit], weights: Mapping[str, float]) -> Iterator[Hit]:
    """Yield the hits with the rarest of the terms that they match: a report has many, and most say little."""
    for hit in hits:
        known = [term for term in hit.matched_terms if term in weights]
        rarest = {*sorted(known, key=weights.__getitem__, reverse=True)[:TERMS_OF_REPORT]}
        yield replace(hit, matched_terms=tuple([one for one in known if one in rarest]))


@lru_cache(maxsize=4)
def _split_words(text: str) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    """Return the words of a query, each with its whole term, and its parts' stems and texts.

    Words are shortened, as a single one of pasted data can be longer than an answer may be.
    """
    words = dict.fromkeys(_WORD.findall(text))
    return tuple((shorten_word(word), get_word_terms(word)[0], tuple(_iter_parts(word))) for word in words)


def _iter_parts(word: str) -> Iterator[tuple[str, str]]:
    for part in _PART.findall(word):
        yield get_word_terms(part)[-1], shorten_word(part)
