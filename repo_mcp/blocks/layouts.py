"""Read a file's layout: its declarations, and the lines of its comments.

Line patterns miss functions that are values: the inner functions of a renderer, a method that is an arrow, a
function passed under a name. A symbol record adds those that its parser found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans, qualify_name
from repo_mcp.languages.patterns.enclosing import find_declarations
from repo_mcp.languages.patterns.landmarks import Spans, scan
from repo_mcp.languages.patterns.language_registry import find_dialect, find_language
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import Outline
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolRecord

NAME_LINES = 12  # first lines of a declaration that are searched for its name
LEAD_LINES = 40  # of comment above a declaration, at most
MAX_KEPT = 60_000  # declarations and lines of comments, a quarter of a kilobyte each at most
_SCRIPTS = frozenset({"javascript", "typescript"})
# Not a symbol of any record: `define(request, "ip", function ip() {`.
_NAMED_ARGUMENT = re.compile(
    rb"[(,][ \t]*+(?:async[ \t]++)?function[ \t]*+(?:\*[ \t]*+)?([A-Za-z_$][\w$]*)[ \t]*\("
)
_CODE = re.compile(rb"(?![ \t]*+(?:#|//|/\*|--))[^\w\n]*+\w")  # behind a comment, other than a further one
_WITH_BODIES = np.array(sorted(CALLABLE_KINDS | TYPE_KINDS))


@dataclass(frozen=True, slots=True)
class Layout:
    """The declarations of a text, and the lines of its comments and docstrings."""

    spans: tuple[SymbolSpan, ...]  # by line, each before those inside it
    comment_lines: frozenset[int]  # of comments that begin a line, and of docstrings


LayoutReader = Callable[[str, bytes], Layout]
FindRecord = Callable[[str], SymbolRecord | None]


def read_layout(
    path: str,
    text: bytes,
    overrides: Mapping[str, str] | None = None,
    find_outline: Callable[[str, bytes], Outline | None] = lambda _path, _text: None,
    find_record: FindRecord | None = None,
) -> Layout:
    """Return the layout of normalised text.

    The declarations are those of `find_outline` if it finds any, otherwise those of line patterns. With
    `find_record`, the latter include functions that are values. `overrides` maps file extensions to languages
    in place of the built-in ones.
    """
    of_file = find_language(path, overrides)
    language = find_dialect(of_file, text)
    is_script = find_record is not None and language.name in _SCRIPTS
    # Not kept for others: of 400,000 headings they take 48 MB, beside those that are found below.
    landmarks = scan(language, text) if is_script else None
    comments = _number_lines(text, (landmarks or scan(language, text)).doc_spans)
    outline = find_outline(path, text)
    spans = list_outlined_spans(outline) if outline is not None else ()
    if not spans:
        if landmarks is not None:
            named = {found.span(1) for found in _NAMED_ARGUMENT.finditer(text)}
            landmarks = replace(landmarks, definitions=sorted({*landmarks.definitions, *named}))
            found = list_declared_spans(language, text, landmarks)
        else:
            found = find_declarations(of_file, text, compute_fingerprint(text)).list_all()
        record = find_record(path) if find_record is not None else None
        if record is not None:
            found = (*found, *_list_further(record, found, text.decode("utf-8", "replace"), comments))
        spans = tuple(sorted(found, key=lambda span: (span.start_line, -span.end_line)))
        spans = spans if record is None else tuple(_nest(spans))
    return Layout(spans, comments)


class KeptLayouts:
    """Caches the layouts of recently read files. Safe for use from several threads.

    Questions about one tree open many of the same files, and layouts take a third of an answer's time.
    """

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._kept: LruCache[tuple[str, bytes, int, int], Layout] = LruCache(
            MAX_KEPT, lambda one: 1 + len(one.spans) + len(one.comment_lines)
        )

    def read(self, make: Callable[..., Layout], find_record: FindRecord, path: str, text: bytes) -> Layout:
        """Return the layout of a file with its symbol record; `make` is `read_layout` with its settings."""
        record = find_record(path)
        counts = (record.symbol_count, record.reference_count) if record is not None else (0, 0)
        key = (path, compute_fingerprint(text), *counts)
        return self._kept.get(key, lambda: make(path, text, find_record=lambda _path: record))


def _list_further(
    record: SymbolRecord, known: Sequence[SymbolSpan], text: str, comments: Set[int]
) -> Iterator[SymbolSpan]:
    """Yield the functions and types of a record that `known` lacks, each with the comment above it.

    If the record is of an earlier text, symbols that have moved are left out. So is the type in the head of a
    method, as in `func (p *Parcel) Weigh()`, of which a record makes a symbol with the lines of that method.
    """
    names = {(span.name_line, name) for span in known for name in (span.name, span.owner)}
    lines = text.split("\n")
    for ordinal in np.flatnonzero(np.isin(record.kinds, _WITH_BODIES)).tolist():
        head, name = int(record.starts[ordinal]), record.get_name(ordinal)
        end = head + int(record.spans[ordinal])
        near = range(head, min(end, head + NAME_LINES - 1) + 1) if end <= len(lines) else ()
        name_line = next((number for number in near if name in lines[number - 1]), end)
        if name_line < end and (name_line, name) not in names:
            start = head
            while start - 1 in comments and head - start < LEAD_LINES:
                start -= 1
            yield SymbolSpan(start, end, name_line, head, name, name)


def _nest(spans: Sequence[SymbolSpan]) -> Iterator[SymbolSpan]:
    """Yield the spans that do not cross the end of an earlier one, each qualified by its enclosing spans.

    The block `impl Parcel` around a function is its owner, and not named twice.
    """
    around: list[SymbolSpan] = []
    for span in spans:
        while around and around[-1].end_line < span.start_line:
            around.pop()
        if around and around[-1].end_line < span.end_line:
            continue
        outer = around[-1] if around else None
        owner = "" if outer is not None and outer.name == span.owner else span.owner
        around_it = None if outer is None else (outer.qualified_name, outer.owner)
        qualified = qualify_name(span.name, owner, around_it)
        around.append(replace(span, qualified_name=qualified))
        yield around[-1]


def list_outlined_spans(outline: Outline) -> tuple[SymbolSpan, ...]:
    """Return the declarations of an outline by line, each before those inside it."""
    spans = [
        SymbolSpan(
            one.start_line,
            one.end_line,
            one.start_line,
            one.start_line,
            one.name,
            one.name if one.parent_symbol is None else f"{one.parent_symbol}.{one.name}",
        )
        for one in outline.symbols
    ]
    return tuple(sorted(spans, key=lambda span: (span.start_line, -span.end_line)))


def _number_lines(text: bytes, spans: Spans) -> frozenset[int]:
    """Return the 1-based lines of half-open byte spans, which ascend, except lines with code behind a span.

    Rows of a table of C often begin with a comment: `/* TOKEN_DOT */ INFIX(PREC_CALL, call),`.
    """
    lines: set[int] = set()
    line, offset = 1, 0
    for position, (start, end) in enumerate(spans):
        line += text.count(b"\n", offset, start)
        last = line + text.count(b"\n", start, end)
        behind = text.find(b"\n", end)
        behind = len(text) if behind < 0 else behind
        behind = min(behind, spans[position + 1][0]) if position + 1 < len(spans) else behind
        is_code = end < behind and _CODE.match(text, end, behind) is not None
        lines.update(range(line, last + (not is_code)))
        line, offset = last, end
    return frozenset(lines)
