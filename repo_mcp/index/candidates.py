"""Which indexed files may match a pattern: its runs looked up in the term dictionary.

For each word of a file the dictionary has the whole word, in lower case, or LONG_WORD for a very long
one. So the units that may hold a run are those of the terms that hold it, or may, and of LONG_WORD. Needs
that must be met together are met by one unit, or by one file where a match may span lines.

The rarest runs are looked up first; when few units are left, the others are not looked up at all: the
live text decides anyway. A run that stands in very many terms, or is itself a common word, is passed
over. What comes out is at least what matches, never less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from index_format import LiveSegment, PostingList
from repo_mcp.index.analysis import LONG_WORD, MAX_WORD_BYTES
from repo_mcp.index.patterns import All, Edge, Need, Run
from repo_mcp.index.schema import BODY, DOC
from repo_mcp.index.term_finder import TermFinder

I64 = npt.NDArray[np.int64]
ENOUGH = 64  # units left: reading them costs less than looking up another run
MAX_TERMS = 1_000  # of one run; each costs 40 microseconds
PATIENT_TERMS = 8_000
MAX_PARTS = 200  # of an alternation
COMMON_SHARE = 0.1  # of all units: a run that is itself a word as common as that is not looked up in part
_SHARE_FLOOR = 1_000  # units; in a small segment nothing is too common
_TEXT = frozenset((BODY, DOC))  # together they hold every word of a file, each once
# What a run is expected to stand in, by its length, before anything was looked up: longer ones are rarer.
_EXPECTED = (1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300, 100)


class SegmentCandidates:
    """Looks up needs in one segment. Safe for several threads."""

    def __init__(self, segment: LiveSegment, finder: TermFinder) -> None:
        self.segment = segment
        self.reader = segment.reader
        self._finder = finder

    def find_files(self, need: Need, *, spans_lines: bool, patiently: bool = False) -> I64 | None:
        """The live files that may match, ascending; None for all of them.

        `patiently` looks up runs of many terms too, which costs a few tenths of a second: still less than
        reading all files.
        """
        lookup = _Lookup(self.segment, self._finder, spans_lines, patiently)
        docs = lookup.find(need)
        if docs is None:
            return None
        files = docs if spans_lines else lookup.find_files(docs)
        return files[self.segment.live_file_mask[files]]


class _Lookup:
    """The answer to one pattern. Documents are units, or files where a match may span lines."""

    def __init__(self, segment: LiveSegment, finder: TermFinder, by_file: bool, patiently: bool) -> None:
        self._reader = segment.reader
        self._finder = finder
        self._by_file = by_file
        self._count = segment.reader.file_count if by_file else segment.reader.unit_count
        units = segment.reader.unit_count
        self._common = units if patiently else max(_SHARE_FLOOR, int(COMMON_SHARE * units))
        self._max_terms = PATIENT_TERMS if patiently else MAX_TERMS

    def find(self, need: Need) -> I64 | None:
        """Ascending documents that may meet a need; None for all."""
        if isinstance(need, Run):
            return self._find_run(need)
        return self._find_all(need.parts) if isinstance(need, All) else self._find_either(need.parts)

    def find_files(self, units: I64) -> I64:
        """The files of ascending units, each once."""
        files = self._reader.files.find_files_of(units)
        return files[np.flatnonzero(np.diff(files, prepend=-1))]

    def _find_all(self, parts: Sequence[Need]) -> I64 | None:
        left: I64 | None = None
        for part in sorted(parts, key=self._expect):
            if left is not None and len(left) <= ENOUGH:
                break
            found = self.find(part)
            if found is not None:
                left = found if left is None else _keep(left, found)
        return left

    def _find_either(self, parts: Sequence[Need]) -> I64 | None:
        if len(parts) > MAX_PARTS:
            return None
        found: list[I64] = []
        for part in parts:
            docs = self.find(part)
            if docs is None:
                return None
            found.append(docs)
        return _unite(found, self._count)

    def _expect(self, need: Need) -> int:
        """How many documents a need may leave, roughly."""
        if isinstance(need, Run):
            if Edge.OPEN not in (need.left, need.right):
                return self._count_units(self._find_lists(need.text.encode()))
            return _EXPECTED[min(len(need.text), len(_EXPECTED) - 1)]
        expected = [self._expect(part) for part in need.parts[:MAX_PARTS]]
        return min(expected) if isinstance(need, All) else sum(expected)

    def _find_run(self, run: Run) -> I64 | None:
        text = run.text.encode()
        is_whole = run.left is run.right is Edge.CLOSED
        if Edge.OPEN in (run.left, run.right) and self._count_units(self._find_lists(text)) > self._common:
            return None
        terms = self._finder.find(run, self._max_terms)
        if terms is None:
            return None
        # Half of the limit: the lower case of a letter outside ASCII may take more bytes than the letter.
        if not is_whole or len(text) > MAX_WORD_BYTES // 2:
            terms = [*terms, LONG_WORD.encode()]
        lists = [one for term in terms for one in self._find_lists(term)]
        units = _unite([self._reader.read_postings(one)[0] for one in lists], self._reader.unit_count)
        return self.find_files(units) if self._by_file else units

    def _find_lists(self, term: bytes) -> list[PostingList]:
        return [one for one in self._reader.find_lists(term) if one.field in _TEXT]

    def _count_units(self, lists: Sequence[PostingList]) -> int:
        return sum(one.frequency for one in lists)


def _unite(found: Sequence[I64], count: int) -> I64:
    """The documents of all, of `count` there are, ascending, each once."""
    if sum(map(len, found)) <= ENOUGH:
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
    mask = np.zeros(count, dtype=np.bool_)
    for docs in found:
        mask[docs] = True
    return np.flatnonzero(mask)


def _keep(left: I64, wanted: I64) -> I64:
    """Those of `left` that are wanted."""
    if not len(wanted):
        return wanted
    places = np.searchsorted(wanted, left)
    places[places == len(wanted)] = 0
    kept: I64 = left[wanted[places] == left]
    return kept
