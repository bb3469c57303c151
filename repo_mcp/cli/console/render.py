"""Print lines, outlines and the reports of indexing as text for people.

Left out on purpose: search hits (`hits_page`) and the state of the index (`status_page`).
"""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.cli.console.endings import note, warn
from repo_mcp.cli.console.text import FAINT, NUMBER, Text, open_console, show_size, visible
from repo_mcp.languages.outline.symbol_lookup import find_parents, measure_depths
from repo_mcp.model import CompactReport, IndexStatus, OpenedText, Outline, RefreshReport
from repo_mcp.text.lines import escape_text


class Renderer:
    """Prints each kind of answer on one console."""

    def __init__(self) -> None:
        self._console = open_console()

    def opened(self, text: OpenedText) -> None:
        """Print the lines with their numbers, and say what is missing."""
        for number, line in enumerate(text.lines, text.start_line):
            self._print(Text.assemble((f"{number:>7}  ", NUMBER), visible(line)))
        if text.truncated:
            rest = f"lines {text.start_line}-{text.end_line} of {text.total_lines:,}"
            note(f"These are {rest}.")

    def outlined(self, outline: Outline) -> None:
        """Print the declarations with their lines, indented by nesting."""
        depths = measure_depths(outline.symbols, find_parents(outline.symbols))
        width = max((len(f"{one.start_line}-{one.end_line}") for one in outline.symbols), default=0)
        for one, depth in zip(outline.symbols, depths, strict=True):
            lines = f"{one.start_line}-{one.end_line}".rjust(width)
            row = Text.assemble((lines, NUMBER), "  " * depth, visible(one.signature))
            self._print(row.append(f"  {one.kind}", FAINT))
        if not outline.symbols:
            note("No declaration is listed." if outline.warnings else "The file declares nothing.")

    def refreshed(
        self, report: RefreshReport, state: IndexStatus, phases: Mapping[str, str], seconds: float
    ) -> None:
        """Print what a refresh did, one row for each further phase, and the seconds that all took."""
        self._rows(
            {
                "indexed": f"{state.indexed_files:,} files",
                "changed": f"{report.added:,} added, {report.updated:,} updated, {report.removed:,} removed, "
                f"{report.unchanged:,} unchanged",
                "left out": count_reasons(report.skipped),
                "index": f"{show_size(state.index_bytes)} in {count(state.segments, 'segment')}",
                **phases,
                "time": f"{seconds:.2f} s",
                "snapshot": report.snapshot,
            }
        )
        self._warnings(report.warnings)

    def compacted(self, index: str, report: CompactReport) -> None:
        """Print what a compaction of an index did."""
        self._print(Text(index))
        self._rows(
            {
                "segments": f"{report.segments_before} -> {report.segments_after}",
                "size": f"{show_size(report.bytes_before)} -> {show_size(report.bytes_after)}",
                "time": f"{report.duration_ms / 1000:.2f} s",
            }
            | ({"snapshot": report.snapshot} if report.snapshot else {})
        )

    def _rows(self, rows: Mapping[str, str]) -> None:
        width = max(map(len, rows))
        for name, value in rows.items():
            self._print(Text.assemble((name.ljust(width + 2), FAINT), escape_text(value)))

    def _warnings(self, warnings: tuple[str, ...]) -> None:
        for message in warnings:
            warn(message)

    def _print(self, text: Text) -> None:
        self._console.print(text)


def count_reasons(counts: Mapping[str, int]) -> str:
    """Describe the counts of reasons in words, or "nothing"."""
    parts = [f"{count:,} {reason.replace('_', ' ')}" for reason, count in sorted(counts.items()) if count]
    return ", ".join(parts) or "nothing"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
