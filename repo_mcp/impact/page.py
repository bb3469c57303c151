"""Render an impact as a page of Markdown for reviewers: what changes, what to run and review, what is open.

Names and paths are in code spans that nothing in them can end. Certain, possible and unknown results have
sections of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from repo_mcp.graph.program import Confidence
from repo_mcp.graph.questions import EdgeType
from repo_mcp.impact.records import Change, ChangedSymbol, Impact, Reached, ReachedFile
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import escape_text

SHOWN_CHANGED = 60  # symbols, of all files
SHOWN_SYMBOLS = 8  # of one file
SHOWN_TESTS = 4  # of one file
SHOWN_LINES = 5  # of one symbol
_BREAKS_TEXT = re.compile(r"([\\`*_\[\]<>|#&])")
_VERBS = {
    EdgeType.CALLS: "calls",
    EdgeType.INHERITS: "inherits from",
    EdgeType.IMPLEMENTS: "implements",
    EdgeType.EXTENDS: "extends",
    EdgeType.OVERRIDES: "overrides",
    EdgeType.IMPORTS: "imports",
    EdgeType.REFERENCES: "uses",
    EdgeType.ACCEPTS: "takes",
    EdgeType.CONTAINS: "contains",
}


def render_page(impact: Impact, most_files: int) -> str:
    """Render the page, ending in a line end. Of longer lists the first `most_files` files are shown."""
    return "\n".join(_iter_lines(impact, most_files)) + "\n"


def _iter_lines(impact: Impact, most: int) -> Iterator[str]:
    sure = [one for one in impact.files if one.confidence is not Confidence.POSSIBLE]
    possible = [one for one in impact.files if one.confidence is Confidence.POSSIBLE]
    yield "# Impact"
    yield ""
    yield _sum_up(impact, len(sure), len(possible))
    yield from _iter_changed(impact.changed)
    yield from _iter_section("Tests to run, the nearest first", impact.tests, most, _iter_test)
    yield from _iter_section("What depends on it", sure, most, _iter_file)
    yield from _iter_section("What may have to change too", possible, most, _iter_file)
    notes = [f"{_code(one.path)}: {_plain(one.reason)}" for one in impact.left_out[:most]]
    notes += _count_rest(impact.left_out, most)
    if impact.unresolved:
        uses = _count(impact.unresolved, "use", "uses")
        notes.append(f"{uses} of the changed names could not be resolved: some may mean them")
    notes += [_plain(one) for one in impact.notes]
    if notes:
        yield from ("", "## What is not known", "")
        yield from (f"- {note}" for note in notes)


def _sum_up(impact: Impact, sure: int, possible: int) -> str:
    files = len({one.path for one in impact.changed})
    changed = _count(len(impact.changed), "symbol", "symbols")
    return (
        f"**{changed}** in {_count(files, 'file', 'files')} changed;"
        f" **{_count(sure, 'file depends', 'files depend')}** on that,"
        f" {possible:,} more may; **{_count(len(impact.tests), 'test file', 'test files')}**."
    )


def _iter_changed(changed: Sequence[ChangedSymbol]) -> Iterator[str]:
    if changed:
        yield from ("", "## What changes")
    for path, symbols in groupby(changed[:SHOWN_CHANGED], lambda one: one.path):
        yield from ("", f"{_code(path)}", "")
        for one in symbols:
            how = [f"**{one.change.value}**"] * (one.change in (Change.ADDED, Change.DELETED))
            how += ["(its imports)"] * (one.change is Change.IMPORTS)
            how += ["**new signature**"] * one.has_new_signature
            kind = " ".join([_plain(one.kind.replace("_", " ")), *how])
            yield f"- {_code(one.name)}, {kind}, line {one.start_line}"
    yield from (f"- {one}" for one in _count_rest(changed, SHOWN_CHANGED))


def _iter_section(
    title: str, files: Sequence[ReachedFile], most: int, render: Callable[[ReachedFile], Iterator[str]]
) -> Iterator[str]:
    if files:
        yield from ("", f"## {title}", "")
    for one in files[:most]:
        yield from render(one)
    yield from (f"- {one}" for one in _count_rest(files, most))


def _iter_test(file: ReachedFile) -> Iterator[str]:
    around = (SymbolKind.FILE, SymbolKind.MODULE)
    nodes = [one.node for one in file.symbols if one.node.symbol.kind not in around]
    names = dict.fromkeys(node.name_inside for node in nodes)
    shown = ", ".join(_code(name) for name in list(names)[:SHOWN_TESTS])
    more = f" and {len(names) - SHOWN_TESTS:,} more" if len(names) > SHOWN_TESTS else ""
    if not file.symbols:
        how = ", possible" * (file.confidence is Confidence.POSSIBLE)
        yield f"- {_code(file.path)}{how}: {_plain('; '.join(file.reasons))}"
        return
    near = file.symbols[0]
    how = _describe_distance(near.distance) + _describe_confidence(near.confidence)
    yield f"- {_code(file.path)}{': ' if shown else ''}{shown}{more}{how}"


def _iter_file(file: ReachedFile) -> Iterator[str]:
    if not file.symbols:
        yield f"- {_code(file.path)}: {_plain('; '.join(file.reasons))}"
        return
    yield f"- {_code(file.path)}"
    for one in file.symbols[:SHOWN_SYMBOLS]:
        yield f"  - {_describe(one)}"
    yield from (f"  - {one}" for one in _count_rest(file.symbols, SHOWN_SYMBOLS))


def _describe(one: Reached) -> str:
    lines = ", ".join(map(str, one.lines[:SHOWN_LINES])) + " ..." * (len(one.lines) > SHOWN_LINES)
    where = f", {'line' if len(one.lines) == 1 else 'lines'} {lines}" if one.lines else ""
    how = _describe_distance(one.distance) + _describe_confidence(one.confidence)
    return f"{_code(one.node.name_inside)} {_VERBS[one.edge_type]} {_code(one.via)}{where}{how}"


def _describe_distance(distance: int) -> str:
    return f" ({distance} edges away)" if distance > 1 else ""


def _describe_confidence(confidence: Confidence) -> str:
    return "" if confidence is Confidence.EXACT else f", *{confidence.value}*"


def _count_rest(rows: Sequence[object], shown: int) -> list[str]:
    return [f"and {len(rows) - shown:,} more"] if len(rows) > shown else []


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _code(text: str) -> str:
    """Return a name or path as a code span; the fence is longer than any run of backquotes inside."""
    shown = escape_text(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"`{shown}`"


def _plain(text: str) -> str:
    return _BREAKS_TEXT.sub(r"\\\1", escape_text(text))
