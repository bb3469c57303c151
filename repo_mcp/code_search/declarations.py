"""Order chunks by the declarations in them too, and say which declaration each is found for.

A chunk is found by its words, wherever they stand in it. The bundler's rating tells which declaration of a
file answers best, by its name, its text and what calls it; a hit is worth the sum of both, each as a share of
the best. Code comes before documents and data unless the query asks for those, and what says that it is
deprecated comes after what replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from repo_mcp.bundler.rating import RatedBlock
from repo_mcp.code_search.find import FoundChunks
from repo_mcp.ranking.intent import understand
from repo_mcp.ranking.searcher import RankedChunk
from repo_mcp.text.roles import FileRole, find_role

DEPTH = 50  # chunks that are put in order
MAX_RATED = 60  # declarations
OTHER_ROLE, DEPRECATED = 0.35, 0.4  # factors of a hit's worth
DOC_LINES = 8  # below a head that are searched for a mark of deprecation
DECIMALS = 6
_DEPRECATED = re.compile(
    r"@deprecated\b|\[Obsolete\b|#\[deprecated\b|\bDeprecated:|\.\. deprecated::", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class OrderedChunks:
    """Chunks in their order, each with the declaration that it is found for."""

    found: FoundChunks
    declared: Mapping[int, tuple[int, int]]  # by position: first and last line
    terms: Mapping[str, Mapping[int, tuple[str, ...]]]  # of the query in rated files, by path and line
    weights: Mapping[str, float]  # of those terms


def order_chunks(
    query: str, found: FoundChunks, rated: Sequence[RatedBlock], weights: Mapping[str, float]
) -> OrderedChunks:
    """Return the chunks with the first DEPTH of them put in order. Their shares stay in falling order."""
    roles = {FileRole.CODE, *understand(query).roles}
    best = max((one.worth for one in rated), default=0.0) or 1.0
    top = max(found.shares, default=0.0) or 1.0
    weighed = []
    for at, (chunk, share) in enumerate(zip(found.chunks[:DEPTH], found.shares, strict=False)):
        block = _find_block(chunk, rated)
        worth = share / top + (block.worth / best if block is not None else 0.0)
        worth *= 1.0 if find_role(chunk.path) in roles else OTHER_ROLE
        worth *= DEPRECATED if block is not None and _is_deprecated(block) else 1.0
        weighed.append((round(worth, DECIMALS), -at, chunk, block))
    weighed.sort(key=lambda one: (-one[0], -one[1]))
    most = weighed[0][0] if weighed else 1.0
    shares = tuple(top * worth / most for worth, *_ in weighed)
    least = shares[-1] if shares else 1.0
    rest = tuple(min(share, least) for share in found.shares[DEPTH:])
    chunks = (*(chunk for _, _, chunk, _ in weighed), *found.chunks[DEPTH:])
    declared = {
        at: (block.block.start_line, block.block.end_line)
        for at, (_, _, _, block) in enumerate(weighed)
        if block is not None and block.block.span is not None
    }
    terms = {one.path: one.view.line_terms for one in rated}
    return OrderedChunks(replace(found, chunks=chunks, shares=(*shares, *rest)), declared, terms, weights)


def _find_block(chunk: RankedChunk, rated: Sequence[RatedBlock]) -> RatedBlock | None:
    """Return the best block that begins in a chunk; `rated` are best first."""
    first, last = chunk.chunk.start_line, chunk.chunk.end_line
    inside = (one for one in rated if one.path == chunk.path and first <= one.block.start_line <= last)
    return next(inside, None)


def _is_deprecated(one: RatedBlock) -> bool:
    head = one.block.start_line if one.block.span is None else one.block.span.head_line
    last = min(one.block.end_line, head + DOC_LINES)
    lines = one.view.live.lines[one.block.start_line - 1 : last]
    return any(map(_DEPRECATED.search, lines))
