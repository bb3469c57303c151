"""Say what a bundle lacks: blocks that were left out or did not fit, changed files, and cut lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.rated_files import Place, RatedFile
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text, trim_blank

MAX_NEXT = 5  # named in a warning
MOSTLY_USED = 0.75  # of the lines: then they are used up


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
