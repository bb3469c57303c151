"""Describe a found chunk as a piece of code: its best lines, and the declaration that contains them.

The declaration comes from the file's symbol record where there is one, and from line patterns otherwise.
Signature and comment are always read from the live text around the declaration. Every step is bounded,
however large the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from repo_mcp.code_search.records import CodeHit
from repo_mcp.languages.outline.heading_readers import HeadingsAdapter
from repo_mcp.languages.outline.keys_adapter import KeysAdapter
from repo_mcp.languages.outline.lexical_adapter import LexicalAdapter, outline_lexically
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Symbol
from repo_mcp.ranking.page.line_terms import choose_window, find_line_terms
from repo_mcp.ranking.page.live_chunks import LiveChunk, decode_lines
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import CALLABLE_KINDS, TYPE_KINDS, DeclaredSymbol, SymbolKind
from repo_mcp.symbols.symbol_record import SymbolRecord
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.titled_names import split_qualified

WHOLE_LINES = 120  # together, of the declarations that are shown whole, the best first
WINDOW_LINES = 8  # shown of any other declaration or text, if it is among the first NEAR_HITS hits
NEAR_HITS = 3  # of further hits, only the best line is shown
MAX_LINE_CHARS = 240
MAX_SYMBOLS = 8  # named for one hit
MAX_DOC_CHARS = 300  # of a comment's first line
MAX_CRUMB_CHARS = 300  # of a breadcrumb
MAX_HEAD_BYTES = 2_000  # of a line from which a signature is read
LINES_ABOVE = 40  # above a declaration that may be its comment and decorators
LINES_BELOW = 24  # below its first line that may be its head
HEAD_LINES = 4  # read of a head that the line patterns do not recognise, such as a prototype
OUTLINE_BYTES = 96 * 1024  # no declarations are searched for by line patterns in a longer text
CRUMB = " > "

FindRecord = Callable[[str], SymbolRecord | None]

_AROUND = CALLABLE_KINDS | TYPE_KINDS | {SymbolKind.MODULE}
_ABOVE = re.compile(rb"[ \t]*(?://|/?\*|#|--|@|\[|\"\"\"|;)")  # a comment line or a decorator
# Kinds that have another name in line patterns than in symbol records.
_SAME_KINDS = {
    "heading": "section",
    "async_function": "function",
    "async_method": "method",
    "protocol": "trait",
    "type_alias": "type",
}
_HOLDERS = frozenset({"class", "interface", "struct", "trait", "record", "extension", "module", "enum"})
_KINDS = {"docs": "section", "config": "configuration", "data": "data", "code": "code"}


@dataclass(frozen=True, slots=True)
class _Enclosing:
    """The declaration that contains a line."""

    kind: str
    name: str
    start_line: int
    end_line: int
    crumbs: tuple[str, ...]  # names of the declarations around it, outermost first; its own is last
    declared: str = ""  # its signature in the symbol record or outline


class Describer:
    """Describes hits. For one call."""

    def __init__(self, find_record: FindRecord, extensions: Mapping[str, str]) -> None:
        """Take `extensions`, which maps file extensions to languages other than the built-in ones."""
        self._find_record = find_record
        self._extensions = extensions
        self._records: dict[str, SymbolRecord | None] = {}
        self._outlines: dict[str, tuple[Symbol, ...]] = {}

    def describe_all(
        self, found: Iterable[tuple[LiveChunk, float, SymbolSpan | None]]
    ) -> tuple[CodeHit, ...]:
        """Return the hits of chunks in their live files, in the order given: the best first.

        With each chunk come its score as a share of the best possible, 0 to 1, and the declaration for which
        it is shown, if any. That names the hit where no record has the declaration.
        """
        hits: list[CodeHit] = []
        room = WHOLE_LINES
        for live, share, declared in found:
            hit = self._describe(live, share, declared, room, WINDOW_LINES if len(hits) < NEAR_HITS else 1)
            hits.append(hit)
            if hit.declared_lines is None:
                room -= hit.end_line - hit.start_line + 1
        return tuple(hits)

    def _describe(
        self, live: LiveChunk, share: float, declared: SymbolSpan | None, room: int, window: int
    ) -> CodeHit:
        """Return one hit: its declaration whole if it has at most `room` lines, or else `window` lines."""
        path = live.ranked.path
        language = find_language(path, self._extensions)
        first, best = self._find_best(live, language)
        around = self._find_around(live, language, best)
        plain = _KINDS.get(language.kind, "code")
        if declared is not None and not live.is_changed and _is_left_out(around, declared, best):
            holding = self._find_holding(live, language, declared.name_line)
            is_known = holding is not None and holding.name == declared.name
            around = holding if is_known else _enclose(declared, plain)
        start, end = _choose_lines(live, around, first, best, room, window)
        terms = live.ranked.matched_terms
        content = "\n".join(_cut_around(line, terms) for line in decode_lines(live.lines, start, end))
        symbols = self._list_symbols(live, start, end)
        if around is None:
            return CodeHit(path, start, end, content, share, plain, symbols)
        signature, doc = _read_head(live, language, around)
        is_part = around.start_line < start or around.end_line > end
        return CodeHit(
            path,
            start,
            end,
            content,
            share,
            around.kind,
            tuple(dict.fromkeys((around.name, *symbols)))[:MAX_SYMBOLS],
            around.declared if signature.endswith("(") or not signature else signature,
            _cut(CRUMB.join(around.crumbs), MAX_CRUMB_CHARS) if len(around.crumbs) > 1 else "",
            doc,
            (around.start_line, around.end_line) if is_part else None,
        )

    def _find_best(self, live: LiveChunk, language: Language) -> tuple[int, int]:
        """Return the first line of the window with most of the matched terms, and the best line in it.

        A term in a declared name adds 2 to its line: that line is the subject, other lines only use it.
        """
        terms = live.ranked.matched_terms
        found = find_line_terms(decode_lines(live.lines, live.start_line, live.end_line), terms)
        asked, extra = set(terms), [0] * len(found)
        for line, name in self._iter_declared(live, language):
            if live.start_line <= line <= live.end_line:
                extra[line - live.start_line] += 2 * len(asked.intersection(get_word_terms(name)))
        first, last = choose_window(found, extra)
        counts = [held.bit_count() + more for held, more in zip(found, extra, strict=True)][first:last]
        best = counts.index(max(counts)) if counts else 0
        return live.start_line + first, live.start_line + first + best

    def _iter_declared(self, live: LiveChunk, language: Language) -> Iterator[tuple[int, str]]:
        """Yield the line and name of each declaration, at least of those in the chunk."""
        record = self._get_record(live)
        if record is None:
            for one in self._get_outline(live, language):
                yield one.start_line, one.name
            return
        starts = record.starts
        inside = (starts >= live.start_line) & (starts <= live.end_line)
        for ordinal in inside.nonzero()[0].tolist():
            if ordinal:
                yield int(starts[ordinal]), record.get_name(ordinal)

    def _find_around(self, live: LiveChunk, language: Language, line: int) -> _Enclosing | None:
        """Return the innermost declaration around a line, or the one whose comment includes the line."""
        found = self._find_holding(live, language, line)
        below = self._find_below(live, language, line) if found is None or not _is_inner(found) else None
        return below or found

    def _find_below(self, live: LiveChunk, language: Language, line: int) -> _Enclosing | None:
        """Return the declaration right below the comment that a line belongs to; None for any other line."""
        if not _ABOVE.match(live.lines[line - 1]):
            return None
        for start in range(line + 1, min(line + LINES_ABOVE, len(live.lines)) + 1):
            text = live.lines[start - 1]
            if not text.strip():
                return None
            if not _ABOVE.match(text) and not text.rstrip().endswith(b"*/"):
                found = self._find_holding(live, language, start)
                return found if found is not None and found.start_line >= line else None
        return None

    def _find_holding(self, live: LiveChunk, language: Language, line: int) -> _Enclosing | None:
        record = self._get_record(live)
        if record is not None:
            return _find_in_record(record, line)
        around = [one for one in self._get_outline(live, language) if one.start_line <= line <= one.end_line]
        if not around:
            return None
        inner = min(around, key=lambda one: (one.end_line - one.start_line, -one.start_line))
        holders = [one for one in around if one is inner or one.end_line - one.start_line > _size(inner)]
        crumbs = tuple(one.name for one in holders)
        kind = _SAME_KINDS.get(inner.kind, inner.kind)
        return _Enclosing(kind, inner.name, inner.start_line, inner.end_line, crumbs, inner.signature)

    def _get_record(self, live: LiveChunk) -> SymbolRecord | None:
        """Return the symbol record of a file, or None when the file has changed since it was parsed."""
        if live.is_changed:
            return None
        path = live.ranked.path
        if path not in self._records:
            self._records[path] = self._find_record(path)
        return self._records[path]

    def _get_outline(self, live: LiveChunk, language: Language) -> tuple[Symbol, ...]:
        """Return the declarations of a file by line patterns, outer ones before inner ones."""
        path = live.ranked.path
        if path not in self._outlines:
            self._outlines[path] = _outline(path, live.data, language)
        return self._outlines[path]

    def _list_symbols(self, live: LiveChunk, start: int, end: int) -> tuple[str, ...]:
        """Return the names declared in some lines."""
        record = self._get_record(live)
        if record is None:
            outline = self._outlines.get(live.ranked.path, ())
            names = [one.name for one in outline if start <= one.start_line <= end]
        else:
            starts = record.starts[1:]
            ordinals = ((starts >= start) & (starts <= end)).nonzero()[0] + 1
            names = [record.get_symbol(int(ordinal)).name for ordinal in ordinals[:MAX_SYMBOLS]]
        return tuple(dict.fromkeys(name for name in names if name))[:MAX_SYMBOLS]


def _is_left_out(around: _Enclosing | None, declared: SymbolSpan, line: int) -> bool:
    """Return True if `around`, which was found for a line, misses the declaration for which a hit is shown.

    There is nothing around the line, or it stands in the comment above that declaration.
    """
    if around is None:
        return True
    return around.start_line < declared.start_line <= line < declared.head_line


def _enclose(declared: SymbolSpan, kind: str) -> _Enclosing:
    """Return a declaration that no symbol record has, such as a named function passed as an argument."""
    crumbs = tuple(split_qualified(declared.qualified_name))
    return _Enclosing(kind, declared.name, declared.head_line, declared.end_line, crumbs)


def _find_in_record(record: SymbolRecord, line: int) -> _Enclosing | None:
    starts = record.starts
    holding = ((starts <= line) & (starts + record.spans >= line)).nonzero()[0].tolist()
    symbols = [record.get_symbol(ordinal) for ordinal in holding if ordinal]
    chosen = [one for one in symbols if one.kind in _AROUND] or symbols
    if not chosen:
        return None
    inner = min(chosen, key=lambda one: (one.end_line - one.start_line, -one.ordinal))
    crumbs = [inner.name]
    parent = inner.parent
    while parent:
        holder = record.get_symbol(parent)
        crumbs.append(holder.name)
        parent = holder.parent
    kind = inner.kind.name.lower()
    return _Enclosing(
        kind, inner.name, inner.start_line, inner.end_line, tuple(reversed(crumbs)), _sign(inner)
    )


def _sign(symbol: DeclaredSymbol) -> str:
    """Return the signature that a symbol record gives a declaration, on one line."""
    if symbol.kind is SymbolKind.EXTENSION:
        return symbol.return_type or symbol.name
    if not symbol.return_type:
        return f"{symbol.name}{symbol.parameters}"
    return f"{symbol.name}{symbol.parameters}{' -> ' if symbol.parameters else ': '}{symbol.return_type}"


def _outline(path: str, data: bytes, language: Language) -> tuple[Symbol, ...]:
    if len(data) > OUTLINE_BYTES:
        return ()
    adapters = [adapter(lambda _path: language) for adapter in (HeadingsAdapter, KeysAdapter, LexicalAdapter)]
    for adapter in adapters:
        if adapter.supports_path(path):
            return adapter.outline(path, data.decode("utf-8", "replace")).symbols
    return ()


def _size(symbol: Symbol) -> int:
    return symbol.end_line - symbol.start_line


def _choose_lines(
    live: LiveChunk, around: _Enclosing | None, first: int, best: int, room: int, window: int
) -> tuple[int, int]:
    """Return the lines to show: a declaration of at most `room` lines whole, or else `window` of its lines.

    `first` is the first of the lines that show most of the matched terms, and `best` the best of them.
    """
    total = len(live.lines)
    start = first if window > 1 else best
    if around is None:
        return start, min(start + window - 1, total)
    top = around.start_line if best >= around.start_line else min(best, _find_comment(live, around))
    if around.end_line - top < room:
        return top, min(around.end_line, total)
    start = max(top, min(start, around.end_line - window + 1))
    return start, min(max(best, start + window - 1), around.end_line, total)


def _read_head(live: LiveChunk, language: Language, around: _Enclosing) -> tuple[str, str]:
    """Return the signature of a declaration and the first line of its comment from the live text, or ""."""
    if language.kind != "code":
        return "", ""
    first = _find_comment(live, around)
    text = _read_lines(live, first, around.start_line + LINES_BELOW)
    named = [
        one for one in outline_lexically(live.ranked.path, language, text).symbols if one.name == around.name
    ]
    at = around.start_line - first + 1
    if not named:
        return _read_line(live, around), ""
    nearest = min(named, key=lambda one: abs(one.start_line - at))
    return nearest.signature, _cut(nearest.doc or "", MAX_DOC_CHARS)


def _read_lines(live: LiveChunk, first: int, last: int) -> str:
    """Return some lines joined, each cut to MAX_HEAD_BYTES, since a minified file is a single line."""
    return b"\n".join(line[:MAX_HEAD_BYTES] for line in live.lines[first - 1 : last]).decode(
        "utf-8", "replace"
    )


def _find_comment(live: LiveChunk, around: _Enclosing) -> int:
    """Return the first of the comment and decorator lines that touch a declaration from above."""
    first = around.start_line
    while first > 1 and around.start_line - first < LINES_ABOVE and _ABOVE.match(live.lines[first - 2]):
        first -= 1
    return first


def _read_line(live: LiveChunk, around: _Enclosing) -> str:
    """Return the first lines of a declaration up to the end of its head, on one line; "" without its name."""
    last = min(len(live.lines), around.end_line, around.start_line + HEAD_LINES - 1)
    head: list[str] = []
    for line in _read_lines(live, around.start_line, last).split("\n"):
        head.append(line.strip())
        if line.rstrip().endswith(("{", ";", ":", "=")):
            break
    text = " ".join(" ".join(head).split()).rstrip("{;:= ")
    return _cut(text, MAX_CRUMB_CHARS) if around.name in text else ""


def _is_inner(around: _Enclosing) -> bool:
    """Return True for a declaration that contains no others: a comment in it is about its own lines."""
    return around.kind not in _HOLDERS


def _cut_around(line: str, terms: Sequence[str]) -> str:
    """Return a line, or the part of a very long line around the first term that it holds."""
    if len(line) <= MAX_LINE_CHARS:
        return line
    folded = line.lower()
    at = min((ordinal for term in terms if (ordinal := folded.find(term)) >= 0), default=0)
    first = max(0, min(at - MAX_LINE_CHARS // 3, len(line) - MAX_LINE_CHARS))
    last = first + MAX_LINE_CHARS
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
