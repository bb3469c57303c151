"""Turns a query into the answer of a search: hits with live text, and warnings.

`run_search` is what `repo.search` and `repo-mcp search` run in the modes `bm25` and `symbol`. Other modes are
in repo_mcp/exact/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from repo_mcp.lru_cache import LruCache
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits.name_lookup import Found, count_close, look_up
from repo_mcp.ranking.direct_hits.query_of_names import NamedHits, find_named
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.page.live_chunks import ReadLive
from repo_mcp.ranking.page.matched_words import name_matched
from repo_mcp.ranking.query.asked_name import AskedName, find_name
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.query.report_noise import read_template
from repo_mcp.ranking.ranked_answer import PHRASE_DEPTH, answer_ranked
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.live_terms import find_paths
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import replace
from repo_mcp.text.product_name import is_one_sentence, leave_out_product
from repo_mcp.workspace.glob_filter import GlobFilter

REMEMBERED_BYTES = 1 << 22  # of the files that one search reads
NO_PHRASE = "No text contains the quoted phrase; these hits match its words."
ONE_PHRASE = 'No text contains all of the quoted phrases; these hits have "{}".'
NOTHING_QUOTED = "No file contains the quoted text."
NOT_ALL_READ = (
    f"None of the {PHRASE_DEPTH} best chunks has the quoted text; mode literal searches every file."
)
CountCopies = Callable[[SearchAnswer], int]  # counts the hits of a page that it names with others
NAMED_COUNTED = 200  # places of names, where a number is asked for: each is read, 2 ms or so


def run_search(
    searcher: Searcher,
    request: SearchRequest,
    most_words: int,
    read_live: ReadLive,
    progress: Sequence[str] = (),
    *,
    is_whole: bool = True,
    count_copies: CountCopies | None = None,
) -> SearchAnswer:
    """Return the answer to a request, in the first of these ways that applies.

    Mode `symbol` looks names up (name_lookup.py). A query of nothing but names shows their declarations and
    the lines that use them (query_of_names.py). Anything else is ranked.

    Where a page names some of its hits with others, as `count_copies` says, it has as many further hits.

    `progress` are warnings about the index at this moment: hits never depend on them, but may depend on
    whether it `is_whole`. Raises RepoError with INVALID_ARGUMENT, and IndexFormatError for a damaged index.
    """
    read_live = _remember(read_live)
    read_own = partial(
        read_template,
        partial(find_paths, searcher.snapshot),
        lambda path: read_live(path).decode("utf-8", "replace"),
    )
    query = parse_query(_read_text(request, read_live), most_words, read_own)
    glob = request.file_glob
    wanted = Filter(
        GlobFilter(glob).matches if glob else None, glob or "", request.language, request.include_tests
    )
    scope = SearchScope(searcher, wanted, read_live, is_current=not progress)
    answer = _answer(scope, request, query, progress, is_whole=is_whole)
    copies = 0 if count_copies is None else count_copies(answer)
    if copies:
        request = replace(request, top_k=request.top_k + copies, copies=copies)
        answer = _answer(scope, request, query, progress, is_whole=is_whole)
    return answer


def _read_text(request: SearchRequest, read_live: ReadLive) -> str:
    """Return the text that a request searches for: words without the product that they are about."""
    text = request.query
    if request.symbols_only or not is_one_sentence(text):
        return text
    return leave_out_product(text, lambda path: read_live(path).decode("utf-8", "replace").split("\n"))


def _answer(
    scope: SearchScope, request: SearchRequest, query: Query, progress: Sequence[str], *, is_whole: bool
) -> SearchAnswer:
    """Return the answer to a request. Asked for more hits, it ranks and rates nothing again."""
    snapshot = scope.searcher.snapshot.name if request.names_snapshot else ""
    if request.symbols_only:
        found = look_up(scope, query, request.top_k)
        return _answer_look_up(snapshot, find_name(query.text), found, (*query.warnings, *progress))
    if request.names_alone:
        most = max(request.top_k, NAMED_COUNTED) if request.counts else request.top_k
        named = find_named(scope, query, most, ends_early=request.ends_early, copies=request.copies)
        if named is not None:
            return _answer_named(query, snapshot, named, (*query.warnings, *progress))
    answer = _answer_words(scope, request, query, progress, is_whole=is_whole)
    return replace(answer, snapshot=snapshot)


def _answer_words(
    scope: SearchScope, request: SearchRequest, query: Query, progress: Sequence[str], *, is_whole: bool
) -> SearchAnswer:
    """Return the ranked answer; if no text has all quoted phrases, by the longest that any has.

    If none has any, by the words of the phrases.
    """
    answer = answer_ranked(scope, request, query, progress, is_whole=is_whole)
    if not query.phrases or answer.hits:
        return answer
    for phrase in sorted(query.phrases, key=len, reverse=True) if len(query.phrases) > 1 else ():
        having = answer_ranked(scope, request, replace(query, phrases=[phrase]), progress, is_whole=is_whole)
        if having.hits:
            return replace(having, warnings=(*having.warnings, ONE_PHRASE.format(phrase)))
    apart = replace(query, phrases=[])
    by_words = answer_ranked(scope, request, apart, progress, is_whole=is_whole)
    if query.has_other_words:  # quotes of a title are not always meant
        notes = (NO_PHRASE,) if by_words.hits else ()
        return replace(by_words, warnings=(*by_words.warnings, *notes))
    return replace(answer, warnings=(*answer.warnings, _explain_no_phrase(answer, by_words)))


def _explain_no_phrase(quoted: SearchAnswer, by_words: SearchAnswer) -> str:
    """Return the warning of a query that is quoted as a whole and found nothing."""
    said = NOT_ALL_READ if quoted.total_is_lower_bound else NOTHING_QUOTED
    if not by_words.total:
        return said
    least = "at least " if by_words.total_is_lower_bound else ""
    hits = "is 1 hit" if by_words.total == 1 else f"are {least}{by_words.total:,} hits"
    return f"{said} Without the quotes there {hits}."


def _remember(read_live: ReadLive) -> ReadLive:
    """Return a function that reads each file of one search once, as long as not many bytes are read."""
    known: LruCache[str, bytes] = LruCache(REMEMBERED_BYTES, len)
    return lambda path: known.get(path, lambda: read_live(path))


def _answer_look_up(
    snapshot: str, asked: AskedName | None, found: Found, warnings: tuple[str, ...]
) -> SearchAnswer:
    """Return the declarations as hits; their names say what matched."""
    return SearchAnswer(
        tuple(replace(hit, matched_terms=()) for hit in found.hits),
        found.total,
        truncated=found.total_is_lower_bound or found.total > len(found.hits),
        snapshot=snapshot,
        warnings=(*found.warnings, *warnings),
        total_is_lower_bound=found.total_is_lower_bound,
        usual_hits=count_close(found.hits, asked),
    )


def _answer_named(query: Query, snapshot: str, named: NamedHits, warnings: tuple[str, ...]) -> SearchAnswer:
    return SearchAnswer(
        name_matched(query, named.hits),
        named.total,
        truncated=named.total_is_lower_bound or named.total > len(named.hits),
        snapshot=snapshot,
        warnings=(*warnings, *named.warnings),
        total_is_lower_bound=named.total_is_lower_bound,
        usual_hits=named.usual_hits,
    )
