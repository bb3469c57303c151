"""Build the audit of a bundle: what was understood, searched, considered and left out; and its warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.evidence import Evidence
from repo_mcp.bundler.opened_files import RatedFile
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer
from repo_mcp.bundler.records import BundleAudit, Dropped, FoundChunk, Keyword, SearchTried, Selection
from repo_mcp.ranking.query.clues import ClueKind
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.record_classes import replace
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text

MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
MAX_NEXT = 5  # named in a warning
MAX_SEARCH_CHARS = 1_000  # of a search in an audit: a prompt may be a single word of 70,000


def build_audit(evidence: Evidence, packer: Packer, selections: Sequence[Selection]) -> BundleAudit:
    """Return the audit: what was understood, searched, considered and left out."""
    resolved = {one.clue for one in evidence.mentions}
    symbols = {clue.text for clue in evidence.clues if clue.kind is ClueKind.SYMBOL}
    keywords = [
        Keyword(clue.text, clue.kind)
        for clue in evidence.clues
        if (clue.kind is not ClueKind.PATH or clue in resolved)
        and (clue.kind is not ClueKind.WORD or clue.text not in symbols)
    ]
    accounted_for = {one.path for one in packer.dropped} | set(packer.paths)
    rest = [
        Dropped(one.path, None, None, "worth less per line than what was chosen")
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


def describe_left(left: Sequence[tuple[RatedFile, Block]]) -> list[str]:
    """Return a warning that names the best blocks that were left out although there was room."""
    if not left:
        return []
    files = len({one.candidate.path for one, _ in left})
    best = ", ".join(map(_cite, left[:MAX_NEXT]))
    return [
        "The budget is not used up: the rest is worth less than half as much"
        f" (excerpts: {len(left)}, files: {files}); next: {best}."
        " To use all of it, give only the title, on one line."
    ]


def describe_unfit(packer: Packer, shown_lines: int) -> list[str]:
    """Return a warning that names the best excerpts for which there were lines, but no tokens."""
    unfit = packer.unfit
    if not unfit:
        return []
    files = len({one.path for one in unfit})
    best = ", ".join(escape_text(one.citation) for one in unfit[:MAX_NEXT])
    most = packer.budget.max_total_lines
    return [
        f"{shown_lines:,} of {most:,} lines are shown: the text of others does not fit"
        f" (excerpts: {len(unfit)}, files: {files}); next: {best}."
    ]


def _cite(found: tuple[RatedFile, Block]) -> str:
    """Return where a block is, and the name of what it declares."""
    one, block = found
    name = f" {block.span.qualified_name}" if block.span is not None else ""
    return escape_text(f"{write_citation(one.candidate.path, block.start_line, block.end_line)}{name}")


def list_warnings(evidence: Evidence, packer: Packer, shown: Iterable[RatedFile]) -> tuple[str, ...]:
    """Return warnings about changed files and cut lines."""
    indexed = {chunk.path: chunk.fingerprint for chunk in evidence.ranking.chunks}
    live = {one.candidate.path: one.view.live.fingerprint for one in shown}
    changed = sum(indexed.get(path, fingerprint) != fingerprint for path, fingerprint in live.items())
    cut = sum(len(line) > MAX_LINE_CHARS for one in packer.selections for line in one.lines)
    warnings = [*evidence.warnings]
    if changed:
        warnings.append(f"{changed} of the files found changed after indexing: refresh the index.")
    if cut:
        lines = "1 line was" if cut == 1 else f"{cut} lines were"
        warnings.append(f"{lines} cut at {MAX_LINE_CHARS} characters.")
    return tuple(warnings)
