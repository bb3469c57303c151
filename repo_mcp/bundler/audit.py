"""Build the audit of a bundle: what was understood, searched, considered and left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.blocks.evidence import Evidence, SearchTried
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.bundler.packing import Packer
from repo_mcp.bundler.records import BundleAudit, Dropped, FoundChunk, Keyword, Selection
from repo_mcp.ranking.query.clues import ClueKind
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.record_classes import replace

MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
WORTH_LESS = "worth less per line than what was chosen"
NOT_OPENED = "not opened: further down in the search"
MAX_SEARCH_CHARS = 1_000  # of a search in an audit: a prompt may be a single word of 70,000


def build_audit(
    evidence: Evidence, packer: Packer, selections: Sequence[Selection], opened: Sequence[RatedFile]
) -> BundleAudit:
    """Return the audit: what was understood, searched, considered and left out."""
    rated = {one.candidate.path for one in opened}
    resolved = {one.clue for one in evidence.mentions}
    symbols = {clue.text for clue in evidence.clues if clue.kind is ClueKind.SYMBOL}
    keywords = [
        Keyword(clue.text or clue.name or "", clue.kind)  # a frame of a kernel has only a function
        for clue in evidence.clues
        if (clue.kind is not ClueKind.PATH or clue in resolved)
        and (clue.kind is not ClueKind.WORD or clue.text not in symbols)
    ]
    accounted_for = {one.path for one in packer.dropped} | set(packer.paths)
    rest = [
        Dropped(one.path, None, None, WORTH_LESS if one.path in rated else NOT_OPENED)
        for one in evidence.candidates
        if one.path not in accounted_for
    ]
    dropped = [*packer.dropped, *rest]
    return BundleAudit(
        tuple(keywords[:MAX_KEYWORDS]),
        tuple(map(_shorten, evidence.searches)),
        tuple(islice(_iter_chunks(evidence.ranking, selections), MAX_CHUNKS)),
        len(evidence.candidates),
        tuple(dropped[:MAX_DROPPED]),
        len(dropped),
    )


def _shorten(search: SearchTried) -> SearchTried:
    return replace(search, name=_cut(search.name), query=_cut(search.query))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SEARCH_CHARS else f"{text[:MAX_SEARCH_CHARS]}..."


def _iter_chunks(ranking: Ranking, selections: Sequence[Selection]) -> Iterator[FoundChunk]:
    """Yield the chunks among the hits that share lines with an excerpt, each once, by excerpt, then line."""
    spans = {(one.path, one.chunk.start_line): one for one in ranking.chunks}
    seen: set[tuple[str, int]] = set()
    for selection in selections:
        for key in sorted(key for key in spans.keys() - seen if key[0] == selection.path):
            chunk = spans[key].chunk
            if chunk.start_line <= selection.end_line and selection.start_line <= chunk.end_line:
                seen.add(key)
                yield FoundChunk(spans[key].chunk_id, selection.path, chunk.start_line, chunk.end_line)
