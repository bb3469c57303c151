"""Answers as text for people: coloured on a terminal, plain in a pipe.

The contents of files are shown with their control characters made visible, so that no file can
move the cursor or rewrite what stands on the screen.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from repo_mcp.model import (
    CompactReport,
    ExactAnswer,
    Hit,
    IndexStatus,
    OpenedText,
    Outline,
    RefreshReport,
    SearchAnswer,
)
from repo_mcp.tool_model import escape_text

_PATH = "bold magenta"
_NUMBER = "green"
_MATCH = "bold red"
_FAINT = "dim"


class Renderer:
    """Prints each kind of answer on one console."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def found(self, answer: SearchAnswer, *, explain: bool = False) -> None:
        """The hits, best first, and how many there were; with the points of each where that is asked for."""
        for rank, hit in enumerate(answer.hits, 1):
            self._print(_hit_header(rank, hit))
            if explain:
                points = ", ".join(f"{name} {value:+.3f}" for name, value in hit.explanation)
                self._print(Text(f"    {points}", _FAINT))
            pattern = _match_pattern(hit.matched_terms)
            for line in hit.snippet.removesuffix("\n").split("\n"):
                self._print(_numbered(line, pattern))
            self._print(Text())
        if not answer.hits:
            self._print(Text("Nothing found.", _FAINT))
        elif answer.total > len(answer.hits):
            self._print(Text(f"{len(answer.hits)} of {answer.total:,} matches; more with --top-k.", _FAINT))

    def matched(self, answer: ExactAnswer) -> None:
        """The lines that match, each with its path and number, and how many there are."""
        for match in answer.matches:
            place = Text.assemble(
                (escape_text(match.path), _PATH), ":", (str(match.start_line), _NUMBER), ": "
            )
            self._print(place.append(visible(match.line)))
        if not answer.total:
            self._print(Text("Nothing found.", _FAINT))
        elif answer.truncated:
            more = " or more" if answer.total_is_lower_bound else ""
            shown = f"{len(answer.matches):,} of {answer.total:,}{more} lines; more with --top-k."
            self._print(Text(shown, _FAINT))

    def opened(self, text: OpenedText) -> None:
        """The lines with their numbers, and what is missing."""
        for number, line in enumerate(text.lines, text.start_line):
            self._print(_numbered(f"{number}\t{line}", None))
        if text.truncated:
            rest = f"lines {text.start_line}-{text.end_line} of {text.total_lines:,}"
            self._print(Text(f"Cut: {rest}.", _FAINT))

    def outlined(self, outline: Outline) -> None:
        """The declarations with their lines, indented by what they stand in."""
        depths: dict[str, int] = {}
        width = max((len(f"{one.start_line}-{one.end_line}") for one in outline.symbols), default=0)
        for one in outline.symbols:
            parent = one.parent_symbol
            depth = 0 if parent is None else depths.get(parent, 0) + 1
            depths[one.name if parent is None else f"{parent}.{one.name}"] = depth
            lines = f"{one.start_line}-{one.end_line}".rjust(width)
            row = Text.assemble((lines, _NUMBER), "  " * (depth + 1), visible(one.signature))
            self._print(row.append(f"  {one.kind}", _FAINT))
        if not outline.symbols:
            self._print(Text("Nothing is declared.", _FAINT))

    def refreshed(self, report: RefreshReport, state: IndexStatus, phases: Mapping[str, str]) -> None:
        """What a refresh did, and how far the other phases are, a row for each."""
        self._rows(
            {
                "indexed": f"{state.indexed_files:,} files",
                "changed": f"{report.added:,} added, {report.updated:,} updated, {report.removed:,} removed, "
                f"{report.unchanged:,} unchanged",
                "left out": _counts(report.skipped),
                "index": f"{_size(state.index_bytes)} in {state.segments} segments",
                **phases,
                "time": f"{report.duration_ms / 1000:.2f} s",
                "snapshot": report.snapshot,
            }
        )
        self._warnings(report.warnings)

    def compacted(self, report: CompactReport) -> None:
        self._rows(
            {
                "segments": f"{report.segments_before} -> {report.segments_after}",
                "size": f"{_size(report.bytes_before)} -> {_size(report.bytes_after)}",
                "time": f"{report.duration_ms / 1000:.2f} s",
                "snapshot": report.snapshot,
            }
        )

    def told(self, root_name: str, state: IndexStatus, phases: Mapping[str, str]) -> None:
        """The state of the index, and how far the other phases are, a row for each."""
        rows = {"root": root_name, "state": state.state}
        if state.snapshot is not None:
            languages = sorted(state.languages.items(), key=lambda row: (-row[1], row[0]))
            rows |= {
                "snapshot": f"{state.snapshot} (generation {state.generation})",
                "indexed": f"{state.indexed_files:,} files",
                "left out": _counts(state.skipped),
                "index": f"{_size(state.index_bytes)} in {state.segments} segments",
                **phases,
                "changed since": "not known" if state.stale is None else f"{state.stale:,} files",
                "refreshed": _moment(state.last_refresh),
                "languages": ", ".join(f"{name} {count:,}" for name, count in languages) or "none",
            }
        self._rows(rows)
        self._warnings(state.warnings)
        if state.snapshot is None:
            self._print(Text("There is no index yet: repo-mcp index builds it.", _FAINT))

    def _rows(self, rows: Mapping[str, str]) -> None:
        width = max(map(len, rows))
        for name, value in rows.items():
            self._print(Text.assemble((name.ljust(width + 2), _FAINT), escape_text(value)))

    def _warnings(self, warnings: tuple[str, ...]) -> None:
        for message in warnings:
            self._print(Text.assemble(("warning: ", "yellow"), escape_text(message)))

    def _print(self, text: Text) -> None:
        self._console.print(text)


def _hit_header(rank: int, hit: Hit) -> Text:
    place = f"{escape_text(hit.path)}:{hit.start_line}-{hit.end_line}"
    header = Text.assemble((f"{rank:>2}. ", _FAINT), (place, _PATH), (f"  {hit.score:.3f}", _FAINT))
    if hit.symbol:
        header.append(f"  {escape_text(hit.symbol)}", "cyan")
    return header


def _numbered(line: str, pattern: re.Pattern[str] | None) -> Text:
    """A line of `<number>\\t<text>`, the number set apart and the matches marked."""
    number, _, content = line.partition("\t")
    shown = Text(visible(content))
    if pattern is not None:
        shown.highlight_regex(pattern, _MATCH)
    return Text.assemble((f"{number:>7}  ", _NUMBER), shown)


def visible(text: str) -> str:
    """Tabs as spaces, everything else that a terminal would obey as its code."""
    return escape_text(text.expandtabs(4))


def _match_pattern(terms: tuple[str, ...]) -> re.Pattern[str] | None:
    """Matches the terms wherever they stand, since a term may be a part or the stem of a word."""
    wanted = sorted({re.escape(term) for term in terms if term}, key=lambda term: (-len(term), term))
    return re.compile("|".join(wanted), re.IGNORECASE) if wanted else None


def _counts(counts: Mapping[str, int]) -> str:
    parts = [f"{count:,} {reason.replace('_', ' ')}" for reason, count in sorted(counts.items()) if count]
    return ", ".join(parts) or "nothing"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def _moment(seconds: float | None) -> str:
    return "never" if seconds is None else time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
