"""The reading side of the structure index: one committed generation beside one of the lexical index.

A record counts only while its file is the one that the lexical index holds. Names are asked for by the
dictionary and the posting lists, and cost no more than their files are many.

Left out on purpose: what a record means; see `repo_mcp/symbols/symbol_record.py`.
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
import numpy.typing as npt

from index_format import FINGERPRINT_BYTES, FLAGS, LiveSegment, Snapshot, find_prefix_end
from repo_mcp.live.live_index import count_languages
from repo_mcp.ranking.bm25f import DECIMALS, F64, I64, TermScorer
from repo_mcp.symbol_index.schema import DECLARES, PARTS, SYMBOL_FIELDS
from repo_mcp.symbols.symbol_record import ParseStatus

MAX_CONTAINING = 20_000  # terms of one segment
_UNKNOWN, _CURRENT, _CHANGED = range(3)
SCAN_PAGES = 16  # of a dictionary, read at a time: 2,048 terms

FindFingerprint = Callable[[str], bytes | None]


class SymbolSegment:
    """The paths and fingerprints of one segment, kept from one generation to the next."""

    def __init__(self, segment: LiveSegment) -> None:
        """Raises IndexFormatError."""
        self.name = segment.name
        self.paths = [path.decode() for path in segment.reader.files.read_paths()]
        self._prints = segment.reader.files.read_fingerprints()

    def find(self, path: str) -> int | None:
        """The number of a file, live or dead."""
        ordinal = bisect_left(self.paths, path)
        return ordinal if ordinal < len(self.paths) and self.paths[ordinal] == path else None

    def get_fingerprint(self, file: int) -> bytes:
        """Of the version that the record is of."""
        return self._prints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES]


class SymbolIndex:
    """What can be asked of one generation. Safe for several threads. Calls may raise IndexFormatError."""

    def __init__(
        self,
        snapshot: Snapshot,
        find_fingerprint: FindFingerprint,
        before: SymbolIndex | None = None,
    ) -> None:
        """`find_fingerprint` tells of the lexical index. What `before` has read of segments is used again."""
        self.snapshot = snapshot
        self._find_fingerprint = find_fingerprint
        kept: Sequence[SymbolSegment] = () if before is None else before.files
        known = {one.name: one for one in kept}
        self.files: list[SymbolSegment] = [
            known.get(one.name) or SymbolSegment(one) for one in snapshot.segments
        ]
        self._live = [segment.live_file_mask for segment in snapshot.segments]
        # For each file: is its record of the version that the lexical index holds? Few are asked for often.
        self._states = [bytearray(len(files.paths)) for files in self.files]

    # Files

    def find_record_bytes(self, path: str) -> bytes | None:
        """The structure record of a file; None for one without, or whose record is of another version."""
        for ordinal, files in enumerate(self.files):
            file = files.find(path)
            if file is not None and self._live[ordinal][file]:
                if not self._is_current(ordinal, file):
                    return None
                return self.snapshot.segments[ordinal].reader.records.read(file)
        return None

    def _is_current(self, ordinal: int, file: int) -> bool:
        """True for a file whose record is of the version that the lexical index holds."""
        states, files = self._states[ordinal], self.files[ordinal]
        if states[file] == _UNKNOWN:
            is_same = self._find_fingerprint(files.paths[file]) == files.get_fingerprint(file)
            states[file] = _CURRENT if is_same else _CHANGED
        return states[file] == _CURRENT

    def has_file(self, path: str) -> bool:
        """True for a file of the lexical index, with or without a structure."""
        return self._find_fingerprint(path) is not None

    def find_status(self, path: str) -> ParseStatus | None:
        """How much of a file was understood; None where `find_record_bytes` finds nothing."""
        for ordinal, segment in enumerate(self.snapshot.segments):
            files = self.files[ordinal]
            file = files.find(path)
            if file is not None and segment.live_file_mask[file]:
                if not self._is_current(ordinal, file):
                    return None
                return ParseStatus(int(segment.reader.files.read_column(FLAGS, file, file + 1)[0]))
        return None

    def iter_paths(self) -> Iterator[str]:
        """The paths of all live files, ascending."""
        live = [self._list_live(ordinal, np.flatnonzero(mask)) for ordinal, mask in enumerate(self._live)]
        return heapq.merge(*live)

    def _list_live(self, ordinal: int, files: I64) -> list[str]:
        paths = self.files[ordinal].paths
        return [paths[file] for file in files.tolist()]

    @cached_property
    def statuses(self) -> dict[ParseStatus, int]:
        """Live files by how much of them was understood."""
        counts: Counter[int] = Counter()
        for segment in self.snapshot.segments:
            flags = segment.reader.files.read_column(FLAGS)[segment.live_file_mask]
            counts.update(dict(enumerate(np.bincount(flags, minlength=len(ParseStatus)).tolist())))
        return {status: counts[status] for status in ParseStatus}

    @cached_property
    def languages(self) -> dict[str, int]:
        """Live files by language, sorted by name."""
        return count_languages(self.snapshot)

    @property
    def file_count(self) -> int:
        """Live files."""
        return self.snapshot.file_count

    @cached_property
    def symbol_count(self) -> int:
        """Declarations in all live files."""
        return self.snapshot.sum_lengths(DECLARES) - self.file_count  # each declares its own name

    # Names

    def list_paths(self, field: int, term: str) -> list[str]:
        """The live files that have a term in a field, ascending: DECLARES, PARTS, USES or MODULES."""
        found: list[list[str]] = []
        for ordinal, segment in enumerate(self.snapshot.segments):
            docs = self._read_docs(segment, field, term.encode())[0]
            if len(docs):
                found.append(self._list_live(ordinal, docs))
        return found[0] if len(found) == 1 else sorted(path for paths in found for path in paths)

    def count_paths(self, field: int, term: str) -> int:
        """How many `list_paths` gives."""
        count = 0
        for segment in self.snapshot.segments:
            if len(segment.dead_files):
                count += len(self._read_docs(segment, field, term.encode())[0])
            else:
                lists = segment.reader.find_lists(term.encode())
                count += sum(one.frequency for one in lists if one.field == field)
        return count

    def _read_docs(self, segment: LiveSegment, field: int, term: bytes) -> tuple[I64, I64]:
        """The live files of a term in a field, and how often each has it."""
        for one in segment.reader.find_lists(term):
            if one.field == field:
                docs, counts = segment.reader.read_postings(one)
                if len(segment.dead_files):
                    live = segment.live_file_mask[docs]
                    return docs[live], counts[live]
                return docs, counts
        none = np.zeros(0, dtype=np.int64)
        return none, none

    def iter_terms(
        self, field: int, prefix: str = "", pattern: re.Pattern[bytes] | None = None
    ) -> Iterator[str]:
        """The terms of a field in order of their UTF-8 bytes that begin with `prefix`, each once.

        `pattern` matches the whole line of a term and is searched for in many lines at a time: it must be
        compiled with re.MULTILINE, stand between `^` and `$`, and match no line feed. Among the terms may be
        some that only files have that are dead by now.
        """
        start = prefix.encode()
        each = [_iter_terms(segment, field, start, pattern) for segment in self.snapshot.segments]
        merged = each[0] if len(each) == 1 else (term for term, _ in groupby(heapq.merge(*each)))
        return (term.decode("utf-8", "replace") for term in merged)

    def find_containing(self, text: str) -> list[str]:
        """The terms of all fields that hold a text, ascending, each once."""
        found = {
            term
            for segment in self.snapshot.segments
            for term in segment.reader.terms.find_containing(text.encode(), MAX_CONTAINING)
        }
        return [term.decode("utf-8", "replace") for term in sorted(found)]

    def rank_files(
        self, terms: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> list[tuple[str, float]]:
        """The best files by BM25 over the parts of the names that they declare, ties by path.

        Terms are as `repo_mcp.text.analysis` gives them: lower case, stemmed. Where groups of terms are
        `needed`, only files count that have all terms of one of them.
        """
        scores = [np.zeros(segment.reader.file_count) for segment in self.snapshot.segments]
        for term in dict.fromkeys(terms):
            self._add_scores(term, scores)
        if needed:
            for segment, values in zip(self.snapshot.segments, scores, strict=True):
                values[~self._mark_files(segment, needed)] = 0.0
        best: list[tuple[float, str]] = []
        for ordinal, values in enumerate(scores):
            files, rounded = _take_largest(values, limit)
            best += zip((-rounded).tolist(), self._list_live(ordinal, files), strict=True)
        return [(path, -score) for score, path in heapq.nsmallest(limit, best)]

    def _mark_files(self, segment: LiveSegment, groups: Sequence[Sequence[str]]) -> npt.NDArray[np.bool_]:
        """True for each file with all terms of one of the groups."""
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
        average = self.snapshot.sum_lengths(PARTS) / self.file_count
        scorer = TermScorer(SYMBOL_FIELDS[PARTS].name, term, self.file_count, frequency, average)
        for segment, values, (docs, counts) in zip(segments, scores, found, strict=True):
            if len(docs):
                values[docs] += scorer.score(counts, segment.reader.norms.read_lengths(PARTS)[docs])


def _take_largest(values: F64, limit: int) -> tuple[I64, F64]:
    """Places of the largest values above 0, and of all that tie with the last; those values, rounded."""
    ordinals = values.nonzero()[0]
    rounded = np.round(values[ordinals], DECIMALS)  # of those alone: most files have none of the terms
    best = (rounded > 0).nonzero()[0]
    if len(best) > limit:
        last = np.partition(rounded[best], len(best) - limit)[len(best) - limit]
        best = best[rounded[best] >= last]
    return ordinals[best], rounded[best]


def _iter_terms(
    segment: LiveSegment, field: int, prefix: bytes, pattern: re.Pattern[bytes] | None
) -> Iterator[bytes]:
    """The terms of one segment."""
    terms = segment.reader.terms
    start, stop = terms.find_pages(prefix, find_prefix_end(prefix))
    bit = 1 << field
    for first in range(start, stop, SCAN_PAGES):
        text, masks = terms.read_masks(first, min(first + SCAN_PAGES, stop))
        if pattern is None:
            for term, mask in zip(text.split(b"\n"), masks, strict=False):
                if mask & bit and term.startswith(prefix):
                    yield term
            continue
        for match in pattern.finditer(text):
            if masks[text.count(b"\n", 0, match.start())] & bit and match[0].startswith(prefix):
                yield match[0]
