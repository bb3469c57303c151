"""Turns a query into the answer of a search: ranked chunks with live text, and warnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from index_format import Snapshot
from repo_mcp.errors import RepoError
from repo_mcp.model import Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.asked_name import NO_MATCH, AskedName, Grade, list_words
from repo_mcp.ranking.bm25f import DECIMALS
from repo_mcp.ranking.intent import understand
from repo_mcp.ranking.look_up import Found, look_up
from repo_mcp.ranking.query import parse_query, widen
from repo_mcp.ranking.ranking import add_up, choose_unknown, rank
from repo_mcp.ranking.rare_words import look_up_words, tell_of_absent, tell_of_best
from repo_mcp.ranking.searcher import Filter, RankedChunk, Searcher
from repo_mcp.ranking.snippets import ReadLive, ShownHits, show_hits
from repo_mcp.ranking.spell_suggest import suggest
from repo_mcp.text.analysis import PART, get_word_terms
from repo_mcp.text.word_families import name_kin
from repo_mcp.workspace.ignore import GlobFilter

LEAD = 0.1  # points of a declaration that was looked up before the best of the ranked hits
PHRASE_DEPTH = 100  # chunks examined for an exact phrase
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)
NO_PHRASE = "No text contains the quoted phrase; these hits match its words."


def run_search(
    searcher: Searcher,
    request: SearchRequest,
    most_words: int,
    extensions: Mapping[str, str],
    read_live: ReadLive,
    describe_progress: Callable[[Snapshot], Sequence[str]],
) -> SearchAnswer:
    """Return the best chunks for a query. `describe_progress` gives warnings about an unfinished index.

    Raises RepoError with INVALID_ARGUMENT, and IndexFormatError for a damaged index.
    """
    query = parse_query(request.query, most_words)
    glob = request.file_glob
    wanted = Filter(
        GlobFilter(glob).matches if glob else None, glob or "", request.language, request.include_tests
    )
    progress = describe_progress(searcher.snapshot)
    look = partial(look_up, searcher, query, wanted, read_live, extensions, is_whole=not progress)
    if request.symbols_only:
        return _answer_look_up(searcher, look(request.top_k), (*query.warnings, *progress))
    # Only its text shows whether a chunk holds a phrase, so more chunks are examined.
    depth = max(request.top_k, PHRASE_DEPTH) if query.phrases else request.top_k
    widened = widen(query)
    ranking = rank(searcher, widened, depth, wanted)
    asked = understand(query.text).asked
    shown = show_hits(ranking.chunks, query.phrases, read_live, extensions, request.top_k, asked)
    if query.phrases and not shown.hits and query.has_other_words:
        shown = show_hits(ranking.chunks[: request.top_k], (), read_live, extensions)
        shown = replace(shown, warnings=(*shown.warnings, NO_PHRASE))
    if asked is not None:
        shown = _lead_with(shown, asked, request.top_k, partial(look, tells=False))
    unknown = choose_unknown(query, ranking)
    near = suggest(searcher.snapshot, unknown, thorough=not ranking.total) if unknown else []
    told = tell_of_words(query.text, searcher, ranking.chunks[:1], near, read_live, is_whole=not progress)
    total, is_least = ranking.total, ranking.total_is_lower_bound
    if query.phrases and NO_PHRASE not in shown.warnings:  # the index counts chunks with their words
        is_least = ranking.total > depth or len(shown.hits) >= request.top_k
        total = len(shown.hits)
    return SearchAnswer(
        _name_matched(query.text, widened.weights, shown.hits),
        total,
        truncated=is_least or total > len(shown.hits),
        snapshot=searcher.snapshot.name,
        warnings=(*told, *near, *query.warnings, *progress, *shown.warnings),
        total_is_lower_bound=is_least,
    )


def _answer_look_up(searcher: Searcher, found: Found, warnings: tuple[str, ...]) -> SearchAnswer:
    """Return the declarations as hits; their names say what matched."""
    return SearchAnswer(
        tuple(replace(hit, matched_terms=()) for hit in found.hits),
        found.total,
        truncated=found.total_is_lower_bound or found.total > len(found.hits),
        snapshot=searcher.snapshot.name,
        warnings=(*found.warnings, *warnings),
        total_is_lower_bound=found.total_is_lower_bound,
    )


def _name_matched(text: str, further: Collection[str], hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the words of the query that they match, as written, in place of their terms.

    Of a word of which only parts match, the parts. Then the words of the terms that the query was widened by.
    """
    words = _split_words(text)
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
        if further:
            matched |= {name_kin(term): None for term in hit.matched_terms if term in further}
        named.append(replace(hit, matched_terms=tuple(matched)))
    return tuple(named)


@lru_cache(maxsize=4)
def _split_words(text: str) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    """Return the words of a query, each with its whole term, and its parts' stems and texts."""
    words = dict.fromkeys(_WORD.findall(text))
    return tuple((word, get_word_terms(word)[0], tuple(_iter_parts(word))) for word in words)


def _iter_parts(word: str) -> Iterator[tuple[str, str]]:
    for part in _PART.findall(word):
        yield get_word_terms(part)[-1], part


def _lead_with(shown: ShownHits, asked: AskedName, top_k: int, look: Callable[[int], Found]) -> ShownHits:
    """Return the hits with the declaration of the name that is asked for before all others.

    Units cannot tell names that differ in case alone, nor which of them lies in a qualifier: where the first
    hit does not show what was asked for, it is looked up.
    """
    first = shown.hits[0] if shown.hits else None
    if first is not None and _grade(first, asked) == asked.best_grade:
        return shown
    found = look(1).hits
    if not found or not (NO_MATCH if first is None else _grade(first, asked)) < _grade(found[0], asked):
        return shown
    lead = found[0]
    rest = [hit for hit in shown.hits if (hit.path, hit.symbol_lines) != (lead.path, lead.symbol_lines)]
    if first is not None and lead.score <= first.score:
        more = round(first.score - lead.score + LEAD, DECIMALS)
        explained = (*lead.explanation, ("lead", more))
        lead = replace(lead, score=add_up(explained), explanation=explained)
    return replace(shown, hits=(lead, *rest)[:top_k])


def _grade(hit: Hit, asked: AskedName) -> Grade:
    return asked.grade(hit.symbol, list_words(hit.path, hit.snippet)) if hit.symbol else NO_MATCH


def tell_of_words(
    text: str,
    searcher: Searcher,
    best: Sequence[RankedChunk],
    near: Sequence[str],
    read_live: ReadLive,
    *,
    is_whole: bool,
) -> list[str]:
    """Return sentences on words that no file has, and on a best hit that has no word that tells anything.

    `best` is the best chunk, if there is one; what the sentences `near` name is not named again.
    """
    words = look_up_words(text, searcher.count_units)
    said = " ".join(near)
    named = [word for word in words if f"`{word.text.lower()}`" not in said]
    told = tell_of_absent(named, is_whole=is_whole)
    for chunk in best:
        read = partial(_read_text, read_live, chunk.path)
        told += tell_of_best(words, searcher.snapshot.unit_count, chunk.matched_terms, read)
    return told


def _read_text(read_live: ReadLive, path: str) -> str:
    try:
        return read_live(path).decode("utf-8", "replace")
    except RepoError:  # the page says that it is gone
        return ""
