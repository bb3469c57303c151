"""Render an impact as a page of Markdown for reviewers: what changes, what to run and review, what is open.

Names and paths are in code spans that nothing in them can end. Certain, possible and unknown results have
sections of their own. What is said of several rows is said once: edges between the same names have their
lines together, members of a new type are counted, files listed for the same reason share a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.impact.records import Change, ChangedSymbol, Impact, Reached, ReachedFile
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import escape_text

SHOWN_CHANGED = 60  # symbols, of all files
SHOWN_SYMBOLS = 8  # of one file
SHOWN_TESTS = 4  # of one file
SHOWN_LINES = 5  # of one symbol
SHOWN_NAMES = 3  # at the other ends of its edges
_BREAKS_TEXT = re.compile(r"([\\`*_\[\]<>|#&])")
_NAMED = re.compile(r"(`[\w.-]+`)")  # what a reason names
_AROUND = (SymbolKind.FILE, SymbolKind.MODULE)
_ONE_SIDED = (Change.ADDED, Change.DELETED)
_OF_FILES = {
    Change.CHANGED: "statements outside of all declarations",
    Change.ADDED: "a new file",
    Change.DELETED: "the whole file is deleted",
    Change.IMPORTS: "imports",
}
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
    tests = [one for one in impact.tests if one.confidence is not Confidence.POSSIBLE]
    possible_tests = [one for one in impact.tests if one.confidence is Confidence.POSSIBLE]
    yield "# Impact"
    yield ""
    yield _sum_up(impact, sure, possible, tests)
    yield from _iter_changed(impact.changed)
    yield from _iter_without_symbols(impact)
    yield from _iter_section("Tests to run, the nearest first", tests, most, _iter_test)
    yield from _iter_section("Tests that may be affected", possible_tests, most, _iter_file)
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


def _sum_up(
    impact: Impact, sure: Sequence[ReachedFile], possible: Sequence[ReachedFile], tests: Sequence[ReachedFile]
) -> str:
    if not (impact.changed or sure or possible or tests):
        return "**No symbol changes**, and no file is known to be affected."
    own = {one.path for one in impact.changed}
    others = sum(one.path not in own for one in sure)
    symbols = _count(len(_fold_members(impact.changed)), "symbol changes", "symbols change")
    depend = _count(others, "other file depends", "other files depend")
    more = f"and {len(possible):,} more" if others else f"but {len(possible):,}"
    depend = f"**{depend}** on that{f', {more} may' if possible else ''}"
    files = _count(len(own or impact.without_symbols), "file", "files")
    run = _count(len(tests), "test file", "test files")
    return (
        f"**{symbols}** in {files}. {depend}."
        f" {f'**{run}** to run' if tests else 'No test is known to reach it'}."
    )


def _iter_changed(changed: Sequence[ChangedSymbol]) -> Iterator[str]:
    shown = _fold_members(changed)
    if shown:
        yield from ("", "## What changes")
    for path, rows in groupby(shown[:SHOWN_CHANGED], lambda row: row[0].path):
        yield from ("", _code(path), "")
        for one, members in rows:
            if one.node is not None and one.node.symbol.kind is SymbolKind.FILE:
                yield f"- {_OF_FILES[one.change]}"
                continue
            how = [f"**{one.change.value}**"] * (one.change in _ONE_SIDED)
            how += ["**new signature**"] * one.has_new_signature
            how += [f"with {_count(members, 'member', 'members')}"] * bool(members)
            kind = " ".join([_plain(one.kind.replace("_", " ")), *how])
            yield f"- {_code(one.short_name or one.name)}, {kind}, line {one.start_line}"
    yield from (f"- {one}" for one in _count_rest(shown, SHOWN_CHANGED))


def _fold_members(changed: Sequence[ChangedSymbol]) -> list[tuple[ChangedSymbol, int]]:
    """Return the symbols, each with the number of members that are added or deleted with it."""
    rows: list[tuple[ChangedSymbol, int]] = []
    for one in changed:
        last = rows[-1][0] if rows else one
        is_inside = one.path == last.path and one.name.startswith(f"{last.name}.")
        if is_inside and last.change in _ONE_SIDED and one.change is last.change:
            rows[-1] = (last, rows[-1][1] + 1)
        else:
            rows.append((one, 0))
    return rows


def _iter_without_symbols(impact: Impact) -> Iterator[str]:
    paths = impact.without_symbols
    if not paths:
        return
    if not impact.changed:
        yield from ("", "## What changes")
    yield from ("", f"No symbol changes in {_list_names(paths, SHOWN_SYMBOLS)}.")


def _iter_section(
    title: str, files: Sequence[ReachedFile], most: int, render: Callable[[ReachedFile], Iterator[str]]
) -> Iterator[str]:
    if files:
        yield from ("", f"## {title}", "")
    for reasons, alike in groupby(files[:most], lambda one: None if one.symbols else one.reasons):
        if reasons is None:
            for one in alike:
                yield from render(one)
        else:
            paths = ", ".join(_code(one.path) for one in alike)
            yield f"- {paths}: {'; '.join(map(_mark_up, reasons))}"
    yield from (f"- {one}" for one in _count_rest(files, most))


def _iter_test(file: ReachedFile) -> Iterator[str]:
    names = dict.fromkeys(one.name for one in file.symbols if one.node.symbol.kind not in _AROUND)
    near = file.symbols[0]
    how = _describe_distance(near.distance) + _describe_confidence(near.confidence)
    if names:
        yield f"- {_code(file.path)}: {_list_names(list(names), SHOWN_TESTS)}{how}"
    else:
        yield f"- {_code(file.path)} {_VERBS[near.edge_type]} {_list_names(near.via, SHOWN_NAMES)}{how}"


def _iter_file(file: ReachedFile) -> Iterator[str]:
    rows = [_describe(one, lines) for one, lines in _join_lines(file.symbols)]
    if len(rows) == 1 and file.symbols[0].node.symbol.kind is SymbolKind.FILE:
        yield f"- {_code(file.path)} {rows[0]}"
        return
    yield f"- {_code(file.path)}"
    yield from (f"  - {row}" for row in rows[:SHOWN_SYMBOLS])
    yield from (f"  - {one}" for one in _count_rest(rows, SHOWN_SYMBOLS))


def _join_lines(symbols: Sequence[Reached]) -> list[tuple[Reached, list[int]]]:
    """Return the reached symbols, each with the lines of all edges that read the same, as for overloads."""
    rows: dict[tuple[object, ...], tuple[Reached, set[int]]] = {}
    for one in symbols:
        key = (one.name, one.edge_type, one.via, one.distance, one.confidence)
        rows.setdefault(key, (one, set()))[1].update(one.lines)
    return [(one, sorted(lines)) for one, lines in rows.values()]


def _describe(one: Reached, numbers: Sequence[int]) -> str:
    lines = ", ".join(map(str, numbers[:SHOWN_LINES])) + " ..." * (len(numbers) > SHOWN_LINES)
    where = f", {'line' if len(numbers) == 1 else 'lines'} {lines}" if numbers else ""
    how = _describe_distance(one.distance) + _describe_confidence(one.confidence)
    name = "" if one.node.symbol.kind is SymbolKind.FILE else f"{_code(one.name)} "
    return f"{name}{_VERBS[one.edge_type]} {_list_names(one.via, SHOWN_NAMES)}{where}{how}"


def _list_names(names: Sequence[str], shown: int) -> str:
    more = "".join(f" and {one}" for one in _count_more(names, shown))
    return ", ".join(map(_code, names[:shown])) + more


def _describe_distance(distance: int) -> str:
    return f" ({distance} edges away)" if distance > 1 else ""


def _describe_confidence(confidence: Confidence) -> str:
    return "" if confidence is Confidence.EXACT else f", *{confidence.value}*"


def _count_rest(rows: Sequence[object], shown: int) -> list[str]:
    return [f"and {one}" for one in _count_more(rows, shown)]


def _count_more(rows: Sequence[object], shown: int) -> list[str]:
    return [f"{len(rows) - shown:,} more"] if len(rows) > shown else []


def _count(number: int, one: str, several: str) -> str:
    return f"{f'{number:,}' if number else 'No'} {one if number < 2 else several}"


def _code(text: str) -> str:
    """Return a name or path as a code span; the fence is longer than any run of backquotes inside."""
    shown = escape_text(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"`{shown}`"


def _plain(text: str) -> str:
    return _BREAKS_TEXT.sub(r"\\\1", escape_text(text))


def _mark_up(reason: str) -> str:
    """Return a reason with the names in its code spans as they are, and the rest as plain text."""
    parts = _NAMED.split(reason)
    return "".join(part if number % 2 else _plain(part) for number, part in enumerate(parts))
