"""Says that a name is declared nowhere, and finds the declared names that are nearest to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.page.live_chunks import ChunkReader, ReadLive
from repo_mcp.ranking.query.asked_name import PARTS, SPELLING, AskedName
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.spell_suggest import find_near
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.lines import shorten_word
from repo_mcp.text.schema import SYMBOL
from repo_mcp.titled_names import is_titled

NEAR_UNITS = 20  # looked through for names that share parts with one that is missing
MIN_SHARED = 0.5  # of the parts of two names together
MAX_NEAR = 3
MIN_CHARS = 4  # of a name that others are like: very many terms begin with half of a shorter one
SIMILAR = "; similar: "  # between a name that is missing and those
FindDeclared = Callable[[str], Sequence[Hit]]  # returns the declaration of a name in any case, if any


def describe_missing(
    scope: SearchScope,
    query: Query,
    asked: AskedName | None,
    words: Sequence[str],
    hits: Sequence[Hit],
    find: FindDeclared,
) -> list[str]:
    """Return a warning about the missing name or its missing container, with the nearest names."""
    best = max((dict(hit.explanation)["name"] for hit in hits), default=0.0)
    if not words or best >= (SPELLING if asked is not None else 0.2 * PARTS):
        lacks = asked is not None and asked.qualifiers and "qualifiers" not in dict(hits[0].explanation)
        return [f"No `{words[0]}` is declared in `{asked.qualifiers[-1]}`."] if asked and lacks else []
    missing = ([asked.name] if asked is not None else words)[:MAX_NEAR]
    named = " or ".join(f"`{shorten_word(word)}`" for word in missing)
    near = list(dict.fromkeys(hit.symbol for hit in hits if hit.symbol))[:MAX_NEAR]
    if not near:
        near = _take_distinct(_iter_near(scope, query, words, find), MAX_NEAR)
    warning = f"No {'' if scope.is_current else 'indexed '}declaration is named {named}"
    return [warning + (f"{SIMILAR}{', '.join(f'`{name}`' for name in near)}." if near else ".")]


def _take_distinct(names: Iterable[str], most: int) -> list[str]:
    """Return the first distinct names; asks for no more than these."""
    found: dict[str, None] = {}
    for name in names:
        found[name] = None
        if len(found) == most:
            break
    return list(found)


def _iter_near(scope: SearchScope, query: Query, words: Sequence[str], find: FindDeclared) -> Iterator[str]:
    """Yield declared names that are spelled like a missing one, then those that share most of its parts."""
    searcher = scope.searcher
    for word in words:
        if len(word) >= MIN_CHARS:
            yield from _iter_alike(searcher, find, word)
    best = searcher.find_best_units(query, NEAR_UNITS, scope.wanted, frozenset((SYMBOL,)))
    units = [
        one
        for part, found in zip(searcher.segments, best.segments, strict=True)
        for one in part.choose_best(found, NEAR_UNITS)
    ]
    chunks = searcher.describe(
        query, best, sorted(units, key=lambda one: (-one.score, one.segment, one.unit))
    )
    yield from _list_sharing(words, query, chunks, scope.read_live)


def _list_sharing(
    words: Sequence[str], query: Query, chunks: Iterable[RankedChunk], read_live: ReadLive
) -> list[str]:
    """Return the names declared in chunks, by the share of their parts that a word has as well."""
    shares: dict[str, float] = {}
    for live in ChunkReader((), read_live).iter(chunks):
        if not (live.is_changed or any(_may_share(word, query, live.ranked) for word in words)):
            continue
        first, last = live.start_line, live.end_line
        for span in live.find_near(first, last).find_between(first, last):
            if is_titled(span.name):  # which nobody means by a name
                continue
            shares[span.name] = max(_compare(word, span.name) for word in words)
    near = [name for name, share in shares.items() if share >= MIN_SHARED]
    return sorted(near, key=lambda name: (-shares[name], name))


def _may_share(word: str, query: Query, chunk: RankedChunk) -> bool:
    """Return whether a name in the lines of a chunk's best unit may have enough parts of a word.

    The lines have every part of such a name. It is not known whether they have those that do not rank.
    """
    parts = set(get_word_terms(word)[1:])
    held = parts.intersection(chunk.matched_terms) | parts.difference(query.terms)
    return len(held) >= MIN_SHARED * len(parts)


def _compare(one: str, other: str) -> float:
    """Return the share of their parts that two names have in common."""
    left, right = set(get_word_terms(one)[1:]), set(get_word_terms(other)[1:])
    return len(left & right) / max(1, len(left | right))


def _iter_alike(searcher: Searcher, find: FindDeclared, word: str) -> Iterator[str]:
    """Yield declared names spelled like a word, as they are written; the index has them in lower case."""
    near = find_near(searcher.snapshot, word.lower())
    for name, rows in zip(near, searcher.documents.find_files(near, SYMBOL), strict=True):
        yield from (hit.symbol for hit in (find(name) if len(rows) else ()) if hit.symbol)
