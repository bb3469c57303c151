"""Find the lines that help to read an excerpt: imports of the names it uses, the head of its declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.bundler.packing import Packer, build_selection
from repo_mcp.bundler.preamble import MAX_IMPORT_LINES, list_imports
from repo_mcp.bundler.records import Role, Selection
from repo_mcp.bundler.source import LiveFile
from repo_mcp.languages.patterns.declared_spans import SymbolSpan

MAX_HEAD_LINES = 6
MAX_NAMED_IMPORTS = 8  # in the reason for showing imports
# The names bound by `from x import a, b` and `import {a, b} from "x"`.
_BOUND = re.compile(
    r"\s*(?:from\s+[\w.]+\s+import\b(?P<python>.*)|(?:import|export)\b(?P<script>.*)\bfrom\b)", re.DOTALL
)
MIN_NAMES = 2  # imports of fewer names are seldom worth an excerpt
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS = "from import as use using require const let var type pub crate self include static"
_IMPORT_WORDS = frozenset(_KEYWORDS.split())


def take_heads(packer: Packer, live: LiveFile, spans: Sequence[SymbolSpan]) -> None:
    """Select the heads of the declarations around the excerpts of a file, if they fit."""
    for one in _list_excerpts(packer, live):
        around = find_around(spans, one.start_line, one.end_line)
        if around is not None and around.name_line < one.start_line:
            start, end = find_head(live.lines, around)
            reason = f"start of {around.qualified_name}, which encloses an excerpt"
            _add(packer, build_selection(live, start, end, Role.SIGNATURE, 0.0, (reason,)))


def take_imports(packer: Packer, live: LiveFile) -> None:
    """Select the imports of names that the excerpts of a file use, if they fit."""
    imports = find_imports(live.lines, [one.lines for one in _list_excerpts(packer, live)])
    if imports is not None:
        reason = f"imports {', '.join(imports[2][:MAX_NAMED_IMPORTS])}, used by excerpts of this file"
        _add(packer, build_selection(live, imports[0], imports[1], Role.IMPORTS, 0.0, (reason,)))


def _list_excerpts(packer: Packer, live: LiveFile) -> list[Selection]:
    return [one for one in packer.selections if one.path == live.path and one.role is Role.MATCH]


def _add(packer: Packer, companion: Selection) -> None:
    """Select a companion if all its lines are new and fit; one that does not fit is not reported."""
    taken = packer.list_taken(companion.path)
    lines = range(companion.start_line, companion.end_line + 1)
    if len(lines) <= packer.lines_left and taken.isdisjoint(lines):
        before = len(packer.dropped)
        packer.add(companion)
        del packer.dropped[before:]


def find_around(spans: Sequence[SymbolSpan], start_line: int, end_line: int) -> SymbolSpan | None:
    """Return the smallest declaration that holds all the lines, or None."""
    around = [span for span in spans if span.start_line <= start_line and end_line <= span.end_line]
    return min(around, key=lambda span: (span.end_line - span.start_line, span.name_line), default=None)


def find_imports(
    lines: Sequence[str], excerpts: Iterable[Sequence[str]]
) -> tuple[int, int, tuple[str, ...]] | None:
    """Return the first and last line of the imports that the excerpts use, and the names used.

    If the imports are far apart, the run within MAX_IMPORT_LINES that binds the most used names is chosen.
    Return None if that binds fewer than MIN_NAMES.
    """
    used = {name for excerpt in excerpts for line in excerpt for name in _NAME.findall(line)}
    found = [
        (start, end, names)
        for start, end in list_imports(lines)
        if (names := _find_used("\n".join(lines[start : end + 1]), used))
    ]
    best: tuple[int, int, tuple[str, ...]] | None = None
    for first, (start, _, _) in enumerate(found):
        run = [one for one in found[first:] if one[1] - start < MAX_IMPORT_LINES]
        names = tuple(dict.fromkeys(name for one in run for name in one[2]))
        if run and (best is None or len(names) > len(best[2])):
            best = (start + 1, run[-1][1] + 1, names)
    return best if best is not None and len(best[2]) >= MIN_NAMES else None


def _find_used(text: str, used: set[str]) -> tuple[str, ...]:
    """Return the names that an import binds, if its syntax shows that, and that are used."""
    bound = _BOUND.match(text)
    names = dict.fromkeys(_NAME.findall((bound["python"] or bound["script"]) if bound else text))
    return tuple(name for name in names if name in used and name not in _IMPORT_WORDS)


def find_head(lines: Sequence[str], around: SymbolSpan) -> tuple[int, int]:
    """Return the first and last line of a declaration's head: its name up to its parameters or bases."""
    end = around.name_line
    while end < min(around.end_line, around.name_line + MAX_HEAD_LINES - 1) and not re.search(
        r"[:{;]\s*(?:#.*|//.*)?$", lines[end - 1]
    ):
        end += 1
    return around.name_line, end
