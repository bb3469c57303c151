"""Put before the ranked hits what a query asks for in so many words: the origin of a message, or a name.

Such hits are looked up (repo_mcp/ranking/direct_hits/). They get more points than the best of the ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from repo_mcp.model import Hit, SearchRequest
from repo_mcp.ranking.direct_hits.message_origin import find_filled, find_said, list_quoted
from repo_mcp.ranking.direct_hits.name_lookup import Found
from repo_mcp.ranking.direct_hits.names_in_question import find_mentioned
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.files.ranked_file import LEAD, lift
from repo_mcp.ranking.page.snippets import ShownHits
from repo_mcp.ranking.query.asked_name import NO_MATCH, PARTS, SPELLING, AskedName, Grade, list_words
from repo_mcp.ranking.query.intent import asks
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.record_classes import replace


def find_leads(scope: SearchScope, request: SearchRequest, query: Query, *, is_name: bool) -> Sequence[Hit]:
    """Return the hits that come first: the origin of a copied message, or the places of names in a question.

    Names in a question lead only on a page that says where to look. Any other page shows whole declarations.
    """
    is_question = asks(query.text)
    said = [] if is_name or is_question else find_said(scope, query)
    said = said or find_filled(scope, query, list_quoted(request.query))
    if said or not (is_name or is_question):
        return _explain(said, "origin of a message")
    is_about_names = request.names_alone and not (query.symbols or query.phrases)
    if is_about_names and (is_name or not request.shows_whole):
        return _explain(find_mentioned(scope, query, request.top_k), "place of a name")
    return ()


def _explain(leads: Sequence[Hit], signal: str) -> Sequence[Hit]:
    """Return hits that come before all others, with the signal that put them there."""
    return [replace(hit, explanation=((signal, LEAD),)) for hit in leads]


def put_leads(shown: ShownHits, leads: Sequence[Hit], top_k: int) -> ShownHits:
    """Return the hits with the leads before all others."""
    best = shown.hits[0].score if shown.hits else 0.0
    score = round(best + LEAD, DECIMALS)
    leads = [replace(hit, score=score, explanation=((hit.explanation[0][0], score),)) for hit in leads]
    rest = [hit for hit in shown.hits if not any(hit.path == one.path and _shows(hit, one) for one in leads)]
    beside = [replace(hit, also=()) for hit in rest]
    return replace(shown, hits=(*_name_around(leads, shown.hits), *beside)[:top_k])


def _name_around(leads: Sequence[Hit], ranked: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the leads. The first of each file also names what the ranked hit of that file names."""
    also = {hit.path: hit.also for hit in reversed(ranked)}
    shown = {(hit.path, hit.symbol_lines) for hit in leads}
    for lead in leads:
        others = also.pop(lead.path, ())
        yield replace(lead, also=tuple(one for one in others if (lead.path, one[1]) not in shown))


def put_first(shown: ShownHits, asked: AskedName, top_k: int, look: Callable[..., Found]) -> ShownHits:
    """Return the hits with the declaration of the requested name before all others.

    Units do not distinguish names that differ only in case, nor say in which type or module a name is
    declared. So if the first hit does not show what was asked for, it is looked up. A name that only has the
    words of the requested one among others (`createApplication` for `application`) does not come before what
    ranks better.
    """
    first = shown.hits[0] if shown.hits else None
    if first is not None and _grade(first, asked) == asked.best_grade:
        return shown
    found = look(1, least=PARTS if first is None else SPELLING).hits
    if not found or not (NO_MATCH if first is None else _grade(first, asked)) < _grade(found[0], asked):
        return shown
    if first is not None and _grade(found[0], asked)[0] == PARTS:
        return shown
    [lead] = lift(found[:1], 0.0 if first is None else first.score)
    rest = [hit for hit in shown.hits if hit.path != lead.path or not _shows(hit, lead)]
    return replace(shown, hits=(lead, *rest)[:top_k])


def _shows(hit: Hit, lead: Hit) -> bool:
    """Return whether a hit of the same file shows the declaration that another one consists of."""
    if hit.symbol is None:  # lines outside all declarations that the index knows
        return hit.start_line <= lead.start_line <= hit.end_line
    return hit.symbol_lines == lead.symbol_lines


def _grade(hit: Hit, asked: AskedName) -> Grade:
    return asked.grade(hit.symbol, list_words(hit.path, hit.snippet)) if hit.symbol else NO_MATCH
