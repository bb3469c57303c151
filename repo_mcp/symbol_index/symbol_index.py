"""The reading side of the symbol index: one committed generation next to one of the lexical index.

A record counts only while its file is the version that the lexical index holds. Names are looked up in the
dictionary and the posting lists, at a cost proportional to the number of their files.

Left out on purpose: the meaning of a record; see `repo_mcp/symbols/symbol_record.py`.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby

import numpy as np

from index_format import (
    FINGERPRINT_BYTES,
    FLAGS,
    LiveSegment,
    Snapshot,
    TermsReader,
    find_containing,
    find_prefix_end,
)
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.live.index_report import count_languages
from repo_mcp.ranking.scoring.bm25f import DECIMALS, TermScorer
from repo_mcp.symbol_index.schema import DECLARES, PARTS, SYMBOL_FIELDS
from repo_mcp.symbols.symbol_record import ParseStatus

MAX_CONTAINING = 20_000  # limit on matching terms per segment
_UNKNOWN, _CURRENT, _CHANGED = range(3)
SCAN_PAGES = 16  # of a dictionary, read at once: 2,048 terms

FindFingerprint = Callable[[str], bytes | None]


class SymbolSegment:
    """The paths and fingerprints of one segment, reused from one generation to the next."""

    def __init__(self, segment: LiveSegment) -> None:
        """Raises IndexFormatError."""
        self.name = segment.name
        self.paths = [path.decode() for path in segment.reader.files.iter_paths()]
        self._prints = segment.reader.files.read_fingerprints()

    def find(self, path: str) -> int | None:
        """Return the number of a file, live or dead, or None."""
        position = bisect_left(self.paths, path)
        return position if position < len(self.paths) and self.paths[position] == path else None

    def get_fingerprint(self, file: int) -> bytes:
        """Return the fingerprint of the version that the record describes."""
        return self._prints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES]


class SymbolIndex:
    """One generation of the symbol index. Safe for several threads. Calls may raise IndexFormatError."""

    def __init__(
        self, snapshot: Snapshot, find_fingerprint: FindFingerprint, before: SymbolIndex | None = None
    ) -> None:
        """`find_fingerprint` asks the lexical index. Segments that `before` has read are reused."""
        self.snapshot = snapshot
        self.find_fingerprint = find_fingerprint
        kept: Sequence[SymbolSegment] = () if before is None else before.files
        known = {one.name: one for one in kept}
        self.files: list[SymbolSegment] = [
            known.get(one.name) or SymbolSegment(one) for one in snapshot.segments
        ]
        self._live = [segment.live_file_mask for segment in snapshot.segments]
        # Per file: is its record of the version in the lexical index? Cached because few files recur often.
        self._states = [bytearray(len(files.paths)) for files in self.files]

    # Files

    def find_record_bytes(self, path: str) -> bytes | None:
        """Return the symbol record of a file; None without one, or when it is of another version."""
        for position, files in enumerate(self.files):
            file = files.find(path)
            if file is not None and self._live[position][file]:
                if not self._is_current(position, file):
                    return None
                return self.snapshot.segments[position].reader.records.read(file)
        return None

    def _is_current(self, segment: int, file: int) -> bool:
        """Return True when a file's record is of the version that the lexical index holds."""
        states, files = self._states[segment], self.files[segment]
        if states[file] == _UNKNOWN:
            is_same = self.find_fingerprint(files.paths[file]) == files.get_fingerprint(file)
            states[file] = _CURRENT if is_same else _CHANGED
        return states[file] == _CURRENT

    def has_file(self, path: str) -> bool:
        """Return True for a file of the lexical index, with or without a symbol record."""
        return self.find_fingerprint(path) is not None

    def find_status(self, path: str) -> ParseStatus | None:
        """Return how much of a file was understood; None where `find_record_bytes` finds nothing."""
        for position, segment in enumerate(self.snapshot.segments):
            files = self.files[position]
            file = files.find(path)
            if file is not None and segment.live_file_mask[file]:
                if not self._is_current(position, file):
                    return None
                return ParseStatus(int(segment.reader.files.read_column(FLAGS, file, file + 1)[0]))
        return None

    def iter_paths(self) -> Iterator[str]:
        """Yield the paths of all live files, ascending."""
        live = [self._list_live(position, np.flatnonzero(mask)) for position, mask in enumerate(self._live)]
        return heapq.merge(*live)

    def _list_live(self, segment: int, files: I64) -> list[str]:
        paths = self.files[segment].paths
        return [paths[file] for file in files.tolist()]

    @cached_property
    def statuses(self) -> dict[ParseStatus, int]:
        """Return the number of live files by how much of them was understood."""
        counts: Counter[int] = Counter()
        for segment in self.snapshot.segments:
            flags = segment.reader.files.read_column(FLAGS)[segment.live_file_mask]
            counts.update(dict(enumerate(np.bincount(flags, minlength=len(ParseStatus)).tolist())))
        return {status: counts[status] for status in ParseStatus}

    @cached_property
    def languages(self) -> dict[str, int]:
        """Return the number of live files by language, sorted by name."""
        return count_languages(self.snapshot)

    @cached_property
    def symbol_count(self) -> int:
        """Return the number of declarations in all live files."""
        own_names = self.snapshot.file_count  # each file declares its own name too
        return self.snapshot.sum_lengths(DECLARES) - own_names

    # Names

    def list_paths(self, field: int, term: str) -> list[str]:
        """Return the live files with a term in a field (DECLARES, PARTS, USES or MODULES), ascending."""
        found: list[list[str]] = []
        for position, segment in enumerate(self.snapshot.segments):
            docs = self._read_docs(segment, field, term.encode())[0]
            if len(docs):
                found.append(self._list_live(position, docs))
        return found[0] if len(found) == 1 else sorted(path for paths in found for path in paths)

    def count_paths(self, field: int, term: str) -> int:
        """Return the number of files that `list_paths` would return."""
        count = 0
        for segment in self.snapshot.segments:
            if len(segment.dead_files):
                count += len(self._read_docs(segment, field, term.encode())[0])
            else:
                lists = segment.reader.postings.find_lists(term.encode())
                count += sum(one.frequency for one in lists if one.field == field)
        return count

    def _read_docs(self, segment: LiveSegment, field: int, term: bytes) -> tuple[I64, I64]:
        """Return the live files of a term in a field, and the term's frequency in each."""
        for one in segment.reader.postings.find_lists(term):
            if one.field == field:
                docs, counts = segment.reader.postings.read(one)
                if len(segment.dead_files):
                    live = segment.live_file_mask[docs]
                    return docs[live], counts[live]
                return docs, counts
        none = np.zeros(0, dtype=np.int64)
        return none, none

    def iter_terms(
        self, field: int, prefix: str = "", pattern: re.Pattern[bytes] | None = None, literal: str = ""
    ) -> Iterator[str]:
        """Yield the distinct terms of a field that begin with `prefix`, in the order of their UTF-8 bytes.

        `pattern` must match a whole term and is searched for in many lines at a time: it must be compiled
        with re.MULTILINE, be enclosed in `^` and `$`, and match no line feed. What it matches must contain
        `literal`, in any case of the letters of ASCII, or end with it if a line feed is behind it. Terms that
        only dead files have may be included.
        """
        start, part = prefix.encode(), literal.encode().lower()
        each = [_iter_terms(segment, field, start, pattern, part) for segment in self.snapshot.segments]
        merged = each[0] if len(each) == 1 else (term for term, _ in groupby(heapq.merge(*each)))
        return (term.decode("utf-8", "replace") for term in merged)

    def find_containing(self, text: str) -> list[str]:
        """Return the distinct terms of all fields that contain a text, ascending."""
        found = {
            term
            for segment in self.snapshot.segments
            for term in find_containing(segment.reader.terms, text.encode(), MAX_CONTAINING)
        }
        return [term.decode("utf-8", "replace") for term in sorted(found)]

    def rank_files(
        self, terms: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> list[tuple[str, float]]:
        """Return the best files by BM25 over the parts of the names they declare, ties by path.

        Terms must be analysed by `repo_mcp.text.analysis`: lower case, stemmed. If groups of terms are
        `needed`, only files count that have all terms of at least one group.
        """
        scores = [np.zeros(segment.reader.file_count) for segment in self.snapshot.segments]
        for term in dict.fromkeys(terms):
            self._add_scores(term, scores)
        if needed:
            for segment, values in zip(self.snapshot.segments, scores, strict=True):
                values[~self._mark_files(segment, needed)] = 0.0
        best: list[tuple[float, str]] = []
        for position, values in enumerate(scores):
            files, rounded = _take_largest(values, limit)
            best += zip((-rounded).tolist(), self._list_live(position, files), strict=True)
        return [(path, -score) for score, path in heapq.nsmallest(limit, best)]

    def _mark_files(self, segment: LiveSegment, groups: Sequence[Sequence[str]]) -> Mask:
        """Return a mask of the files that have all terms of at least one group."""
        marks = np.zeros(segment.reader.file_count, dtype=np.bool_)
        for group in groups:
            counts = np.zeros(len(marks), dtype=np.intp)
            for term in group:
                counts[self._read_docs(segment, PARTS, term.encode())[0]] += 1
            marks |= counts == len(group)
        return marks

    def _add_scores(self, term: str, scores: list[F64]) -> None:
        segments = self.snapshot.segments
        found = [self._read_docs(segment, PARTS, term.encode()) for segment in segments]
        frequency = sum(len(docs) for docs, _ in found)
        if not frequency:
            return
        files = self.snapshot.file_count
        average = self.snapshot.sum_lengths(PARTS) / files
        scorer = TermScorer(SYMBOL_FIELDS[PARTS].name, term, files, frequency, average)
        for segment, values, (docs, counts) in zip(segments, scores, found, strict=True):
            if len(docs):
                values[docs] += scorer.score(counts, segment.reader.norms.read_lengths(PARTS)[docs])


def list_counts(index: SymbolIndex, field: int, term: str) -> list[tuple[str, int]]:
    """Return the live files with a term in a field, ascending, and how often each has it."""
    found: list[tuple[str, int]] = []
    for position, segment in enumerate(index.snapshot.segments):
        docs, counts = index._read_docs(segment, field, term.encode())
        found += zip(index._list_live(position, docs), counts.tolist(), strict=True)
    return sorted(found)


def _take_largest(values: F64, limit: int) -> tuple[I64, F64]:
    """Return the positions of the largest values above 0, with ties; and those values, rounded."""
    positions = values.nonzero()[0]
    rounded = np.round(values[positions], DECIMALS)  # of these alone, since most files have none of the terms
    best = (rounded > 0).nonzero()[0]
    if len(best) > limit:
        last = np.partition(rounded[best], len(best) - limit)[len(best) - limit]
        best = best[rounded[best] >= last]
    return positions[best], rounded[best]


def _iter_terms(
    segment: LiveSegment, field: int, prefix: bytes, pattern: re.Pattern[bytes] | None, literal: bytes
) -> Iterator[bytes]:
    """Yield the terms of one segment. `literal` is in lower case."""
    terms, own = segment.reader.terms, literal.rstrip(b"\n")
    if field == DECLARES and own.isascii() and own and not find_containing(terms, own, 1):
        return  # each declared name is also one of its parts, in lower case
    bit = 1 << field
    for first, last in _iter_spans(terms, prefix, literal):
        text, starts = terms.read_texts(first, last)
        matches = () if pattern is None else [*_iter_matches(pattern, text, literal)]
        if pattern is not None and not matches:
            continue  # as most spans: their field bits are not read
        masks = terms.read_masks(first, last, text, starts)
        if pattern is None:
            for term, mask in zip(text.split(b"\n"), masks, strict=False):
                if mask & bit and term.startswith(prefix):
                    yield term
            continue
        for match in matches:
            # What matches any name also matches nothing, behind the last term.
            if not match[0] or not match[0].startswith(prefix):
                continue
            if masks[text.count(b"\n", 0, match.start())] & bit:
                yield match[0]


def _iter_spans(terms: TermsReader, prefix: bytes, literal: bytes) -> Iterator[tuple[int, int]]:
    """Yield spans of pages that have all terms with a prefix and a literal, few pages at a time."""
    start, stop = terms.find_pages(prefix, find_prefix_end(prefix))
    if not literal:
        yield from ((first, min(first + SCAN_PAGES, stop)) for first in range(start, stop, SCAN_PAGES))
        return
    for first, last in terms.iter_spans(literal, any_case=True):
        if max(first, start) < min(last, stop):
            yield max(first, start), min(last, stop)


def _iter_matches(pattern: re.Pattern[bytes], text: bytes, literal: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the matches of a pattern that begin and end with a line.

    A line is looked at only if it contains `literal`, or ends with it: in a dictionary of a million names
    that takes a tenth of the time that the pattern takes.
    """
    if not literal:
        yield from pattern.finditer(text)
        return
    folded = text.lower()
    at = folded.find(literal)
    while at >= 0:
        end = folded.index(b"\n", at)
        match = pattern.match(text, folded.rfind(b"\n", 0, at) + 1, end)
        if match is not None:
            yield match
        at = folded.find(literal, end + 1)  # on the next line, even if the literal is a line feed alone
