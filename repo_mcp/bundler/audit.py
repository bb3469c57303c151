"""Build the audit of a bundle: what was understood, searched, considered and left out; and its warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from repo_mcp.blocks.evidence import Evidence, SearchTried
from repo_mcp.blocks.rated_files import Place, RatedFile
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer
from repo_mcp.bundler.records import BundleAudit, Dropped, FoundChunk, Keyword, Selection
from repo_mcp.ranking.query.clues import ClueKind
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.record_classes import replace
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text, trim_blank

MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
MAX_NEXT = 5  # named in a warning
MOSTLY_USED = 0.75  # of the lines: then they are used up
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


def describe_lesser(lesser: Sequence[Place], *, has_trace: bool) -> list[str]:
    """Return a warning that names the best blocks that were left out although there was room.

    Who gives only the title of a report gets more, but to drop a trace would lose what it points at.
    """
    if not lesser:
        return []
    advice = "" if has_trace else " To use all of it, give only the title, on one line."
    return [
        "The budget is not used up: the rest is worth much less than what is shown"
        f" {_count(lesser)}; next: {_cite_best(lesser)}.{advice}"
    ]


def describe_unfit(
    packer: Packer, unfit: Sequence[Place], shown_lines: int, wanted_lines: int | None
) -> list[str]:
    """Return a warning that names the best excerpts for which there were no lines, or lines but no tokens.

    What the prompt points at is always named. The rest is if lines are left that were asked for: without an
    explicit limit nobody expects a number of lines, and a budget that is used up says enough.
    """
    most = packer.budget.max_total_lines
    if wanted_lines is None or shown_lines > MOSTLY_USED * most:
        unfit = [(one, at) for one, at in unfit if at in one.named or at in one.traced]
    said = f"{shown_lines:,} of {most:,} lines are shown: "
    if unfit:
        return [f"{said}the lines that are left hold no more {_count(unfit)}; next: {_cite_best(unfit)}."]
    lacking = packer.unfit if wanted_lines is not None else []
    if not lacking:
        return []
    files = len({one.path for one in lacking})
    best = ", ".join(escape_text(one.citation) for one in lacking[:MAX_NEXT])
    return [
        f"{said}the text of others does not fit (excerpts: {len(lacking)}, files: {files}); next: {best}."
    ]


def _count(places: Sequence[Place]) -> str:
    files = len({one.candidate.path for one, _ in places})
    return f"(excerpts: {len(places)}, files: {files})"


def _cite_best(places: Sequence[Place]) -> str:
    return ", ".join(map(_cite, places[:MAX_NEXT]))


def _cite(place: Place) -> str:
    """Return where a block is, without the empty lines at its end, and the name of what it declares."""
    one, at = place
    block = one.blocks[at]
    _, end = trim_blank(one.view.live.lines, block.start_line - 1, block.end_line)
    name = f" {block.span.qualified_name}" if block.span is not None else ""
    return escape_text(f"{write_citation(one.candidate.path, block.start_line, end)}{name}")


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
