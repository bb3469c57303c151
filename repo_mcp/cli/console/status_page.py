"""`repo-mcp status`: the health of an index in one line, then the facts behind it.

    ledger: healthy. Everything is indexed and up to date.

    state          ready, generation 3
    coverage       12 of 13 files   ██████████████████░░
    ...

Left out on purpose: single files and calls, which belong to the report (`repo-mcp report`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from repo_mcp.cli.console.render import count, count_reasons
from repo_mcp.cli.console.text import FAINT, Console, Text, show_size
from repo_mcp.model import IndexStatus, SkipReason, SymbolIndexStatus
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text

BAR_CELLS = 20
SHOWN_LANGUAGES = 12
_COLOURS = {"healthy": "bold green", "behind": "bold yellow", "incomplete": "bold yellow"}  # else red


@dataclass(frozen=True, slots=True)
class Health:
    """The verdict on an index."""

    word: str  # healthy, behind, incomplete, missing, damaged
    advice: str  # what the health means, and what to do


def judge(state: IndexStatus) -> Health:
    """Judge the health of an index by what is committed."""
    if state.state == "degraded" and state.snapshot is None:
        return Health("damaged", "The index cannot be read. Run repo-mcp index to rebuild it.")
    if state.snapshot is None:
        if state.state == "building":
            return Health("incomplete", "The first index is being built.")
        return Health("missing", "There is no index yet. Run repo-mcp index to build it.")
    if state.state != "ready":
        return Health("incomplete", "The last build did not finish. Run repo-mcp index to resume it.")
    if state.stale:
        advice = (
            f"{count(state.stale, 'file')} changed since. The next search, or repo-mcp index, catches up."
        )
        return Health("behind", advice)
    if state.stale is None:
        return Health("healthy", "Everything is indexed. The next search picks up later changes.")
    return Health("healthy", "Everything is indexed and up to date.")


def count_offered(state: IndexStatus) -> int:
    """Count the files with text: those indexed, and those left out though they may have been wanted."""
    wanted = [reason for reason in SkipReason if reason is not SkipReason.BINARY]
    return state.indexed_files + sum(state.skipped.get(reason.value, 0) for reason in wanted)


class StatusPage:
    """Prints the state of one index on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(
        self, root_name: str, state: IndexStatus, symbols: SymbolIndexStatus, phases: Mapping[str, str]
    ) -> None:
        """Print the verdict, the facts, the languages and the warnings, with a row for each further phase."""
        health = judge(state)
        colour = _COLOURS.get(health.word, "bold red")
        self._print(
            Text.assemble((escape_text(root_name), "bold"), ": ", (health.word, colour), f". {health.advice}")
        )
        if state.snapshot is not None:
            self._print(Text())
            self._show_facts(state, symbols, phases)
            self._show_languages(state.languages)
        for message in state.warnings:
            self._print(Text.assemble(("warning: ", "yellow"), escape_text(message)))

    def _show_facts(self, state: IndexStatus, symbols: SymbolIndexStatus, phases: Mapping[str, str]) -> None:
        offered = count_offered(state)
        self._row("state", f"{state.state}, snapshot {state.snapshot} (generation {state.generation})")
        covered = Text(f"{state.indexed_files:,} of {offered:,} files")
        self._row("coverage", covered.append_text(draw_bar(state.indexed_files, offered, before="   ")))
        is_known = bool(state.skipped) or state.state == "ready"
        self._row("left out", count_reasons(state.skipped) if is_known else "not known")
        parts = f"{count(state.segments, 'segment')}, {count(state.chunks, 'chunk')}"
        self._row("index", f"{show_size(state.index_bytes)} in {parts}")
        if state.origin:
            self._row("began with", state.origin)
        for name, phase in phases.items():
            line = Text(escape_text(phase))
            if name == "symbol index" and symbols.files_done:
                line.append_text(draw_bar(symbols.files_done, symbols.files_total, before="   "))
            self._row(name, line)
        self._row("changed since", "not known" if state.stale is None else count(state.stale, "file"))
        self._row("refreshed", show_moment(state.last_refresh))

    def _show_languages(self, languages: Mapping[str, int]) -> None:
        rows = sorted(languages.items(), key=lambda row: (-row[1], row[0]))
        if not rows:
            return
        self._print(Text())
        width = max(len(name) for name, _ in rows[:SHOWN_LANGUAGES])
        for name, files in rows[:SHOWN_LANGUAGES]:
            row = Text.assemble(f"{escape_text(name):<{width}}  ", (f"{files:>7,}", "green"))
            self._print(row.append_text(draw_bar(files, rows[0][1], before="  ", rest=" ")))
        if len(rows) > SHOWN_LANGUAGES:
            more = sum(files for _, files in rows[SHOWN_LANGUAGES:])
            self._print(Text(f"and {more:,} files of {len(rows) - SHOWN_LANGUAGES} more languages", FAINT))

    def _row(self, name: str, value: str | Text) -> None:
        text = Text(escape_text(value)) if isinstance(value, str) else value
        self._print(Text.assemble((name.ljust(15), FAINT), text))

    def _print(self, text: Text) -> None:
        text.rstrip()
        self._console.print(text)


def draw_bar(part: int, whole: int, *, before: str = "", rest: str = "░") -> Text:
    """Draw a bar of BAR_CELLS cells; full only when nothing is missing, empty only for nothing."""
    cells = part * BAR_CELLS // whole if whole else 0
    cells = max(cells, 1) if part else 0
    return Text.assemble(before, ("█" * cells, "green"), (rest * (BAR_CELLS - cells), FAINT))


def show_moment(seconds: float | None) -> str:
    """Render a time in seconds since the epoch as date and time in UTC."""
    return "never" if seconds is None else time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
