"""The call of the `graph` toolset about a diff: what it changes, and what that affects.

An answer has four lists, which are paged together: each page continues all of them. So the likeliest files
and the nearest tests are on the first page, however many symbols a diff changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from repo_mcp.graph.vocabulary import DEFAULT_IMPACT_DEPTH
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import ReadLines, escape_text, escape_texts
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer
from repo_mcp.toolsets.graph.argument_schemas import DEFAULT_REACHED
from repo_mcp.toolsets.graph.rows import Row, render_lines
from repo_mcp.toolsets.pages import Page

if TYPE_CHECKING:
    from repo_mcp.impact.records import ChangedSymbol, Impact, LeftOutFile, Reached, ReachedFile
    from repo_mcp.repository import Repository

LISTS = ("changed", "result", "tests", "left_out")
SHOWN_SYMBOLS = 8  # of one file
SHOWN_TESTS = 3  # of one file of tests: it is the file that is run
SHOWN_LINES = 3  # of one symbol, with their text, and names at the other ends of its edges
SHOWN_NUMBERS = 10  # of lines of one symbol
POSSIBLE = "possible"


def get_impact(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_impact`."""
    page = Page("get_impact", arguments)
    depth = find_integer(arguments, "depth") or DEFAULT_IMPACT_DEPTH
    impact = repository.engines.impact.find(str(arguments["diff"]), depth, context.cancelled)
    listed = list_rows(impact)
    keys = [f"{name} {key}" for name, key, _ in listed]
    page.check(keys)
    end = _find_end(listed, page.start, find_integer(arguments, "limit") or DEFAULT_REACHED)
    rows = listed[page.start : end]
    reached = [row.path for name, _, row in rows if name in ("result", "tests")]
    with repository.engines.graph.open(paths=reached) as graph:
        shown = [(name, _render(name, row, graph.read_lines)) for name, _, row in rows]
    counts: Result = {
        "total": len(impact.files),
        "possible": sum(one.confidence == POSSIBLE for one in impact.files),
        "tests_total": len(impact.tests),
        "unresolved": impact.unresolved,
    }
    notes = [*impact.notes, *repository.engines.graph.warn()]

    def build(count: int) -> Part:
        is_cut = page.start + count < len(listed)
        lists: Result = {one: [row for name, row in shown[:count] if name == one] for one in LISTS}
        result = {**lists, **counts, "truncated": is_cut, **page.follow(keys, count, is_cut)}
        return Part(result, notes)

    return Draft(build, len(shown), "limit" not in arguments)


def list_rows(impact: Impact) -> list[tuple[str, str, ChangedSymbol | ReachedFile | LeftOutFile]]:
    """Return the rows of all lists in turn, each with its list and its key."""
    lists = (
        [("changed", f"{one.path} {one.name} {one.kind} {one.change}", one) for one in impact.changed],
        [("result", one.path, one) for one in impact.files],
        [("tests", one.path, one) for one in impact.tests],
        [("left_out", one.path, one) for one in impact.left_out],
    )
    return [row for row in chain.from_iterable(zip_longest(*lists)) if row is not None]


def _find_end(listed: Sequence[tuple[str, str, object]], start: int, most: int) -> int:
    """Return where a page ends that has at most so many rows of each list."""
    left = dict.fromkeys(LISTS, most)
    for position in range(start, len(listed)):
        name = listed[position][0]
        if not left[name]:
            return position
        left[name] -= 1
    return len(listed)


def _render(name: str, row: ChangedSymbol | ReachedFile | LeftOutFile, read: ReadLines) -> Row:
    from repo_mcp.impact.records import ChangedSymbol, LeftOutFile

    if isinstance(row, LeftOutFile):
        return {"file_path": escape_text(row.path), "reason": row.reason}
    if isinstance(row, ChangedSymbol):
        return render_changed(row)
    return _render_file(row, read, SHOWN_TESTS if name == "tests" else SHOWN_SYMBOLS)


def render_changed(symbol: ChangedSymbol) -> Row:
    """Return a changed symbol as a row."""
    return {
        "node_id": None if symbol.node is None else symbol.node.node_id,
        "name": escape_text(symbol.name if symbol.node is None else symbol.node.name_in_package),
        "node_type": symbol.kind,
        "file_path": escape_text(symbol.path),
        "line_start": symbol.start_line,
        "change": symbol.change.value,
        "new_signature": symbol.has_new_signature,
    }


def _render_file(file: ReachedFile, read: ReadLines, most: int) -> Row:
    shown = file.symbols[:most]
    text = read(file.path) if shown else ()
    return {
        "file_path": escape_text(file.path),
        "confidence": file.confidence.value,
        "symbols": [_render_reached(one, text) for one in shown],
        "symbols_total": len(file.symbols) if len(file.symbols) > len(shown) else None,
        "reasons": escape_texts(file.reasons),
    }


def _render_lines(one: Reached, text: Sequence[str]) -> str:
    """Return the first lines with their text, the numbers of others, and how many more there are."""
    name = one.via[0].rpartition(".")[2] if one.via else ""
    shown = [render_lines(one.lines[:SHOWN_LINES], text, name)["lines"]]
    shown += one.lines[SHOWN_LINES:SHOWN_NUMBERS]
    left = len(one.lines) - SHOWN_NUMBERS
    return "\n".join([*map(str, shown), *([f"and {left} more"] if left > 0 else [])])


def _render_reached(one: Reached, text: Sequence[str]) -> Row:
    is_usual = one.node.symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return {
        "node_id": one.node.node_id,
        "name": escape_text(one.node.name_in_package),
        "node_type": None if is_usual else one.node.kind,
        "edge_type": one.edge_type.value,
        "confidence": one.confidence.value,
        "distance": one.distance,
        "via": escape_text(", ".join(one.via[:SHOWN_LINES])),
        "lines": _render_lines(one, text),
    }
