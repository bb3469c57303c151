"""Finds the declaration around a line of a text. Caches the declarations of recent texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import chain, compress
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from index_format import spread_runs
from repo_mcp.arrays import I64
from repo_mcp.languages.patterns.declared_spans import (
    MAX_SPANS,
    DeclaredRow,
    SymbolSpan,
    find_declared_rows,
    may_declare,
)
from repo_mcp.languages.patterns.landmarks import Language, scan
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.line_layout import Layout, Runs, find_runs
from repo_mcp.languages.patterns.macro_runs import NO_MACROS, Macros
from repo_mcp.languages.patterns.near_lines import CUT_LANGUAGES, cut_around
from repo_mcp.lru_cache import SizeAdjustedCache

CACHED_SPANS = 215_000  # of the files of a thousand pages; about 40 bytes each, with what is counted as such
LEAST_CUT = 8_192  # bytes of a text that is not searched whole for what is around some lines: about 0.5 ms
RECENT_SHARE = (
    0.5  # of that room is for those used last: a header of thousands takes long, and has several hits
)
NO_SPANS = 16  # counted for the arrays themselves: parts of texts have few declarations
COMMENTS_A_SPAN = 5  # comments take 8 bytes each, and so many are counted as a declaration
_COLUMNS, _LINES = 7, 4  # of a DeclaredRow: all, and those with numbers of lines
_TEXTS = 3  # of a span: what stands before the name in the qualified one, the name, the owner
_LINE_FEED = ord("\n")
OUTSIDE = -1  # the number of a declaration around lines that are in none


class Declarations:
    """The declarations of one text, in arrays: a tenth of the size of spans. Safe for several threads."""

    def __init__(
        self,
        rows: Sequence[DeclaredRow],
        above: int = 0,
        comments: Runs | None = None,
        macros: Macros = NO_MACROS,
    ) -> None:
        """`above` is the number of lines above the text in which the rows and macros were found.

        `comments` are the first and last lines of its comments and docstrings, counted from 0.
        """
        columns = [*zip(*rows, strict=True)] or [()] * _COLUMNS
        lines = np.array(columns[:_LINES], dtype=np.int32).T
        names, outer, owners = columns[_LINES:]
        texts = [*chain.from_iterable(zip(outer, names, owners, strict=True))]
        self._texts = "".join(texts)
        sizes = np.array([*map(len, texts)], dtype=np.int64).reshape(-1, _TEXTS)
        if len(macros.lines):
            lines, sizes, self._texts = _merge(lines, sizes, self._texts, macros)
        self._lines = _narrow(lines + np.int32(above))
        self._ends = _narrow(np.append(0, sizes.cumsum()).astype(np.int32))
        self._comments = np.zeros((0, 2), np.int32) if comments is None else comments + np.int32(above)
        # What it takes in the cache, as a number of declarations; asked for whenever others are dropped.
        self.weight = len(lines) + len(self._comments) // COMMENTS_A_SPAN + NO_SPANS

    def __len__(self) -> int:
        return len(self._lines)

    def mark_comments(self, line_count: int) -> bytearray:
        """Return for each line of the whole text, from the first, whether it is of a comment or docstring."""
        marks = bytearray(line_count)
        for first, last in self._comments.tolist():
            marks[first : last + 1] = b"\1" * (last + 1 - first)
        return marks[:line_count]

    def list_all(self) -> tuple[SymbolSpan, ...]:
        """Return all declarations, in order."""
        texts, ends = self._texts, self._ends.tolist()
        bounds = zip(ends[0:-1:_TEXTS], ends[1::_TEXTS], ends[2::_TEXTS], ends[3::_TEXTS], strict=True)
        return tuple(
            SymbolSpan(start, end, line, head, texts[at:behind], texts[first:behind], texts[behind:last])
            for (start, end, line, head), (first, at, behind, last) in zip(
                self._lines.tolist(), bounds, strict=True
            )
        )

    def list_named(self, names: Collection[str]) -> list[SymbolSpan]:
        """Return the declarations that have one of the names, in order."""
        texts = self._texts
        bounds = zip(self._ends[1::_TEXTS].tolist(), self._ends[2::_TEXTS].tolist(), strict=True)
        return [self.get(at) for at, (start, end) in enumerate(bounds) if texts[start:end] in names]

    def find_innermost(self, line: int, least_lines: int = 1) -> SymbolSpan | None:
        """Return the innermost declaration of at least `least_lines` around a line, counted from 1.

        A declaration begins at its decorators, not at the comments above it.
        """
        ends, heads = self._lines[:, 1], self._lines[:, 3]
        begun = int(heads.searchsorted(line, "right"))
        around = (ends[:begun] >= line) & (ends[:begun] - heads[:begun] >= least_lines - 1)
        places = around.nonzero()[0]
        return self.get(int(places[-1])) if len(places) else None  # the last to begin is innermost

    def group_innermost(
        self, first: int, marks: Sequence[int], *, with_comments: bool = False
    ) -> dict[int, list[int]]:
        """Return the places of the marks that are not 0 by the innermost declaration around their lines.

        `marks` are of the lines from `first` on. A declaration is given by its number, and OUTSIDE stands for
        what is in none. It begins at its decorators, or `with_comments` at the comment above it.
        """
        places = [*compress(range(len(marks)), marks)]
        if not places:
            return {}
        heads, ends = self._lines[:, 0 if with_comments else 3], self._lines[:, 1]
        reached = np.maximum.accumulate(ends)  # by any declaration so far
        low = int(reached.searchsorted(first + places[0]))  # those before it end above all marks
        high = int(heads.searchsorted(first + places[-1], "right"))
        begins, stops, so_far = heads[low:high].tolist(), ends[low:high].tolist(), reached[low:high].tolist()
        grouped: dict[int, list[int]] = {}
        begun: list[int] = []  # declarations that may be around the next line, the innermost last
        passed = 0
        for at in places:
            line = first + at
            count = bisect_right(begins, line)
            begun.extend(range(passed, count))
            passed = max(passed, count)
            if not count or so_far[count - 1] < line:
                begun.clear()
            while begun and stops[begun[-1]] < line:  # it is around no later line either
                begun.pop()
            grouped.setdefault(low + begun[-1] if begun else OUTSIDE, []).append(at)
        return grouped

    def get(self, number: int) -> SymbolSpan:
        """Return the declaration with a number."""
        start, end, name_line, head = self._lines[number].tolist()
        first, at, behind, last = self._ends[_TEXTS * number : _TEXTS * number + _TEXTS + 1].tolist()
        texts = self._texts
        names = texts[at:behind], texts[first:behind], texts[behind:last]
        return SymbolSpan(start, end, name_line, head, *names)

    def list_name_lines(self, numbers: Sequence[int]) -> list[int]:
        """Return the lines that hold the names of some declarations."""
        lines: list[int] = self._lines[:, 2].take(numbers).tolist()
        return lines

    def list_names(self, numbers: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the names of some declarations, and what their qualified names have before these."""
        firsts = _TEXTS * np.array(numbers, dtype=np.int64)
        starts, middles, stops = (self._ends.take(firsts + at).tolist() for at in range(_TEXTS))
        texts = self._texts
        names = [texts[at:stop] for at, stop in zip(middles, stops, strict=True)]
        return names, [texts[start:at] for start, at in zip(starts, middles, strict=True)]

    def find_between(self, first: int, last: int, holding: str = "") -> list[SymbolSpan]:
        """Return the declarations whose names are in the lines from `first` to `last`, in order.

        Those without the text `holding`, which is in lower case, may be left out if all names are ASCII.
        """
        names = self._lines[:, 2]
        start, stop = names.searchsorted((first, last + 1)).tolist()
        places = range(start, stop)
        if holding and start < stop and self._texts.isascii():
            return list(map(self.get, self._find_holding(holding, places)))
        return list(map(self.get, places))

    def _find_holding(self, text: str, places: range) -> list[int]:
        """Return the places of declarations that have a text in their names or owners, ignoring case."""
        start, *ends = self._ends[_TEXTS * places.start : _TEXTS * places.stop + 1 : _TEXTS].tolist()
        folded = self._texts[start : ends[-1]].lower()
        held = []
        at = folded.find(text)
        while at >= 0:
            place = bisect_right(ends, start + at)
            held.append(places[place])
            at = folded.find(text, ends[place] - start)
        return held


def _merge(
    lines: npt.NDArray[np.int32], sizes: I64, texts: str, macros: Macros
) -> tuple[npt.NDArray[np.int32], I64, str]:
    """Return the lines, sizes of texts and texts of declarations together with macros, by lines of names."""
    own = (macros.lines + 1).astype(np.int32).repeat(_LINES).reshape(-1, _LINES)
    own_sizes = np.zeros((len(own), _TEXTS), dtype=np.int64)
    own_sizes[:, 1] = macros.sizes
    lines, sizes = np.concatenate([lines, own]), np.concatenate([sizes, own_sizes])
    lengths = sizes.sum(axis=1)
    starts = lengths.cumsum() - lengths
    order = lines[:, 2].argsort(kind="stable")
    coding, width = ("ascii", np.uint8) if texts.isascii() else ("utf-32-le", np.uint32)
    characters = np.frombuffer((texts + macros.names).encode(coding), dtype=width)
    merged = characters.take(spread_runs(starts.take(order), lengths.take(order)))
    return lines[order], sizes[order], merged.tobytes().decode(coding)


def _narrow(values: npt.NDArray[np.int32]) -> npt.NDArray[np.unsignedinteger]:
    """Return values, none of them negative, as the narrowest integers that hold them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


_Part = tuple[str, bytes, tuple[int, int] | None]  # of a file, around some lines; None: all of it
_known: SizeAdjustedCache[_Part, Declarations] = SizeAdjustedCache(
    CACHED_SPANS, attrgetter("weight"), RECENT_SHARE
)


def find_declarations(language: Language, text: bytes, fingerprint: bytes) -> Declarations:
    """Return the declarations of normalised text. Takes about 6 ms for 100 KB, unless they are cached.

    `fingerprint` must be that of the text, or of the file that it comes from.
    """
    key = language.name, fingerprint, None
    return _known.get(key, lambda: _find_in_part(find_dialect(language, text), text, 0, len(text)))


def find_near(
    language: Language, text: bytes, fingerprint: bytes, lines: tuple[int, int], offsets: tuple[int, int]
) -> Declarations:
    """Return the declarations of normalised text that are around or in some lines, and perhaps others.

    `lines` are the first and the last, counted from 1, and `offsets` in bytes where the first begins and
    where the last ends. `fingerprint` is as in `find_declarations`.
    """
    key = language.name, fingerprint, lines
    known = _known.find(key)
    if known is not None:
        return known
    dialect = find_dialect(language, text)
    if dialect.name not in CUT_LANGUAGES or len(text) < LEAST_CUT or lines[1] > MAX_SPANS:
        return find_declarations(language, text, fingerprint)
    begin, end = cut_around(text, *offsets)
    if 2 * (end - begin) > len(text):  # the whole serves all further lines
        return find_declarations(language, text, fingerprint)
    above = lines[0] - 1 - text.count(b"\n", begin, offsets[0])
    return _known.put(key, _find_in_part(dialect, text, begin, end, above, lines))


def _find_in_part(
    language: Language,
    text: bytes,
    begin: int,
    end: int,
    above: int = 0,
    lines: tuple[int, int] | None = None,
) -> Declarations:
    """Return the declarations in a part of a text, with `above` lines of the text above it.

    If `lines` of the text are given, others than those around or in them may be left out.
    """
    within = None if lines is None else (lines[0] - above, lines[1] - above)
    part = text[begin:end]
    landmarks = scan(language, part)
    if not may_declare(language, part, landmarks):
        feeds = (np.frombuffer(part, dtype=np.uint8) == _LINE_FEED).nonzero()[0]
        return Declarations((), above, find_runs(feeds, landmarks.doc_spans))
    layout = Layout(part, landmarks.doc_spans, language.name)
    rows, macros = find_declared_rows(layout, landmarks.definitions, within)
    if begin:
        rows = [row for row in rows if row[2] > 1]  # the line of the name; no macro here is in the first
    return Declarations(rows, above, layout.doc_lines, macros)
