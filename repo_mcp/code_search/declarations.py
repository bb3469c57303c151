"""Order hits by the declarations that answer, beside the chunks that hold the words.

    chunks with their shares, declarations rated by the bundler -> one hit for each declaration that is worth
    something, one for each chunk that holds none, the best first

A chunk is found by its words, wherever they stand in it. The rating tells which declaration of a file answers
best, by its name, its text and what calls it. Code comes before documents and data unless the query asks for
those, and what says that it is deprecated comes after what replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from repo_mcp.bundler.rating import RatedBlock, weigh_failures, weigh_place, weigh_work
from repo_mcp.code_search.find import FoundChunks
from repo_mcp.ranking.intent import understand
from repo_mcp.ranking.searcher import RankedChunk
from repo_mcp.text.roles import FileRole, find_role

DEPTH = 50  # chunks that are put in order
MAX_RATED = 60  # declarations
LEAST_SHARE = 0.15  # of the worth of the best declaration, to be a hit of its own
WORDS, BESIDE = (
    0.5,
    0.3,
)  # weight of a chunk's share; how much of it counts for a declaration beside its best unit
OTHER_ROLE, DEPRECATED = 0.35, 0.4  # factors of a hit's worth
DOC_LINES = 8  # below a head that are searched for a mark of deprecation
DECIMALS = 6
_DEPRECATED = re.compile(
    r"@deprecated\b|\[Obsolete\b|#\[deprecated\b|\bDeprecated:|\.\. deprecated::", re.IGNORECASE
)
_ABOUT_FAILURES = re.compile(
    r"\b(?:errors?|exceptions?|raises?|raised|throws?|thrown|fails?|failing|panics?|reject(?:s|ed)?)\b",
    re.IGNORECASE,
)

Span = tuple[int, int]  # first and last line


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk, and the declaration in it that it is shown for, if there is one."""

    chunk: RankedChunk  # an object of its own
    share: float  # of the best score that could be reached
    span: Span | None


@dataclass(frozen=True, slots=True)
class OrderedHits:
    """Hits, best first, and what is known of the query's terms."""

    hits: tuple[Hit, ...]
    terms: Mapping[str, Mapping[int, tuple[str, ...]]]  # in rated files, by path and line
    weights: Mapping[str, float]


def order_hits(
    query: str, found: FoundChunks, rated: Sequence[RatedBlock], weights: Mapping[str, float]
) -> OrderedHits:
    """Return hits for the first DEPTH chunks in order, then the other chunks. Their shares never rise."""
    roles = {FileRole.CODE, *understand(query).roles}
    top = max(found.shares, default=0.0) or 1.0
    first = list(zip(found.chunks[:DEPTH], found.shares, strict=False))
    if _ABOUT_FAILURES.search(query):
        rated = [replace(one, worth=one.worth * weigh_failures(one)) for one in rated]
        rated.sort(key=lambda one: -one.worth)  # stable
    weighed = [
        (worth, at, hit)
        for at, (chunk, share) in enumerate(first)
        for worth, hit in _list_hits(chunk, share / top, share, rated)
    ]
    judged = []
    for worth, at, hit in weighed:
        factor = 1.0 if find_role(hit.chunk.path) in roles else OTHER_ROLE
        judged.append((round(worth * factor, DECIMALS), at, hit))
    judged.sort(key=lambda one: (-one[0], one[1]))
    most = judged[0][0] if judged and judged[0][0] else 1.0
    hits = [Hit(hit.chunk, top * worth / most, hit.span) for worth, _, hit in judged]
    least = hits[-1].share if hits else 1.0
    rest = zip(found.chunks[DEPTH:], found.shares[DEPTH:], strict=True)
    hits += [Hit(chunk, min(share, least), None) for chunk, share in rest]
    return OrderedHits(tuple(hits), {one.path: one.view.line_terms for one in rated}, weights)


def _list_hits(
    chunk: RankedChunk, relative: float, share: float, rated: Sequence[RatedBlock]
) -> list[tuple[float, Hit]]:
    """Return the hits of one chunk, each with its worth: of its declarations, or of itself."""
    best = rated[0].worth if rated else 1.0
    span = chunk.chunk
    found = []
    for one in rated:
        block = one.block
        if one.path != chunk.path or not span.start_line <= block.start_line <= span.end_line:
            continue
        if block.span is None or one.worth < LEAST_SHARE * best:
            continue
        near = block.start_line <= chunk.unit_end and chunk.unit_start <= block.end_line
        worth = one.worth / best * weigh_place(one) * weigh_work(one)
        worth += WORDS * relative * (1.0 if near else BESIDE)
        worth *= DEPRECATED if _is_deprecated(one) else 1.0
        found.append((worth, Hit(replace(chunk), share, (block.start_line, block.end_line))))
    return found or [(WORDS * relative, Hit(chunk, share, None))]


def _is_deprecated(one: RatedBlock) -> bool:
    head = one.block.start_line if one.block.span is None else one.block.span.head_line
    last = min(one.block.end_line, head + DOC_LINES)
    lines = one.view.live.lines[one.block.start_line - 1 : last]
    return any(map(_DEPRECATED.search, lines))
