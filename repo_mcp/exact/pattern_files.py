"""Finds the indexed files that may match a pattern, by looking up its runs in the term dictionary.

For each word of a file the dictionary has the whole word, in lower case, or LONG_WORD for a very long
one. So the units that may contain a run are those of LONG_WORD and of the terms that contain the run, or
may. One unit must meet all needs that belong together, or one file if a match may span lines.

The rarest runs are looked up first. When few units are left, the other runs are not looked up at all, because
the live text decides anyway. A run that is in very many terms, or is itself a common word, is passed over.
The result always includes every file that matches.

A common word is in most files, but seldom beside a given punctuation character: `neighbour_bloom` knows
where. The other terms that may contain a run are looked up as usual, and their neighbours are left to the
live text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np

from index_format import FilesReader, LiveSegment, PostingList, TermsReader, sort_distinct
from repo_mcp.arrays import I64, Mask
from repo_mcp.exact.kept_bitmaps import BitmapPlace
from repo_mcp.exact.neighbour_bloom import NeighbourBloom
from repo_mcp.exact.pattern_texts import MIN_OPEN_BYTES, is_short
from repo_mcp.exact.punctuation_bigrams import PunctuationBigrams
from repo_mcp.exact.required_terms import All, Edge, Need, PatternReading, Run
from repo_mcp.exact.term_finder import FoundTerms, TermFinder, list_long_terms
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.schema import TEXT_FIELDS

ENOUGH = 64  # with so few units left, reading them costs less than looking up another run
# Most terms for a short run, or one that is mostly classes: more are slower than reading the files.
MAX_SHORT = 8_000
MAX_TERMS = 2_000  # most terms for any other run, at about 10 microseconds each
PATIENT_TERMS = 32_000  # most terms for a run in a patient look-up
QUICK_TERMS = 200  # if a run has more terms, its units are cached
MAX_PARTS = 200  # most alternatives that are looked up
COMMON_SHARE = 0.1  # A run that is a word in more than this share of the units is not looked up inside words
COMMON_WORD_SHARE = 0.25  # the same at the beginning of words, where looking up is cheaper
_SHARE_FLOOR = 1_000  # a word in fewer units is never too common
# Units expected to contain a run, by its length, before any look-up: longer runs are rarer.
_EXPECTED = (1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300, 100)


CACHED_RUNS = 64  # runs cached for each segment, because the next pattern often has one of them


class SegmentMemory:
    """Everything learnt about a segment's terms, shared by all snapshots that hold it. Safe for threads."""

    def __init__(self, terms: TermsReader, files: FilesReader, bigrams_place: BitmapPlace | None) -> None:
        self.finder = TermFinder(terms)
        self.bigrams = PunctuationBigrams(files, bigrams_place)
        self.neighbours = NeighbourBloom(files, terms)
        # 10 kB for each run in the kernel.
        self.occurrences: LruCache[Run, RunOccurrences] = LruCache(CACHED_RUNS)
        # One bit for each unit: 90 kB for each run in the kernel.
        self._units: LruCache[Run, bytes] = LruCache(CACHED_RUNS)
        self._least: LruCache[Run, int] = LruCache(CACHED_RUNS)  # The run has more terms than this
        # Finding the few terms of a run takes up to 200 ms, and forms of questions ask for the same runs.
        self._found: LruCache[Run, FoundTerms] = LruCache(CACHED_RUNS)

    def find_terms(self, run: Run, limit: int) -> FoundTerms | None:
        """Return the terms that may contain a run, as `TermFinder.find` does; note if there are too many."""
        if (self._least.find(run) or 0) >= limit:
            return None
        found = self._found.find(run) or self.finder.find(run, limit)
        if found is not None and len(found.terms) <= min(limit, QUICK_TERMS):
            self._found.put(run, found)
        elif found is None and not run.shape:  # a shape has None when time runs out too
            self._least.put(run, limit)
        return found

    def find(self, run: Run, count: int) -> I64 | None:
        """Return the cached units of a run, ascending; None if not cached. `count` is the segment's units."""
        bits = self._units.find(run)
        if bits is None:
            return None
        return np.flatnonzero(np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=count))

    def keep(self, run: Run, units: I64, count: int) -> None:
        """Cache the units of a run that took long to look up."""
        mask = np.zeros(count, dtype=np.bool_)
        mask[units] = True
        self._units.put(run, np.packbits(mask).tobytes())


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """The files of a segment that may match, ascending."""

    files: I64  # numbers of files
    narrowed: bool  # False: these are all live files
    passed_over: bool  # some run was too common to be looked up; a patient look-up may leave fewer files
    # Some run needs all pages of the dictionary, which were not read; reading them may leave fewer files.
    unscanned: bool


class SegmentCandidates:
    """Looks up needs in one segment. Safe for several threads."""

    def __init__(self, segment: LiveSegment, memory: SegmentMemory) -> None:
        self.segment = segment
        self.reader = segment.reader
        self.memory = memory

    def find_by_neighbours(self, reading: PatternReading) -> Mask | None:
        """Return a mask of the files that may contain the pattern's words beside its punctuation.

        Return None if that rules out no file, or is not known yet. Raises CorruptIndex.
        """
        neighbours = self.memory.neighbours
        if reading.neighbours is None or not neighbours.is_known:
            return None
        finder, kept = self.memory.finder, self.memory.occurrences
        return NeighbourFilter(self.segment, neighbours, kept, lambda run: finder.find(run, MAX_TERMS)).find(
            reading.neighbours
        )

    def find_files(
        self, reading: PatternReading, *, patiently: bool = False, scans: bool = False
    ) -> SegmentFiles:
        """Return the live files that may match, ignoring the punctuation beside words. Raises CorruptIndex.

        With `patiently`, runs that are in many terms are looked up too. With `scans`, so are runs that are
        short or mostly classes, for which all pages of the dictionary are read. Each may take some tenths of
        a second, still less than reading all files.
        """
        passed_over = unscanned = False
        files: I64 | None = None
        if reading.need is not None:
            lookup = _Lookup(self.segment, self.memory, reading.spans_lines, patiently, scans)
            docs = lookup.find(reading.need)
            files = docs if docs is None or reading.spans_lines else lookup.find_files(docs)
            passed_over, unscanned = lookup.passed_over, lookup.unscanned
        may_match = self.segment.live_file_mask
        pairs = self.memory.bigrams.find(reading.bigrams) if reading.bigrams else None
        if pairs is not None:
            may_match = may_match & pairs
        found = np.flatnonzero(may_match) if files is None else files[may_match[files]]
        return SegmentFiles(found, files is not None or pairs is not None, passed_over, unscanned)


class _Lookup:
    """One look-up of a pattern. Documents are units, or files where a match may span lines."""

    def __init__(
        self, segment: LiveSegment, memory: SegmentMemory, by_file: bool, patiently: bool, scans: bool
    ) -> None:
        self._segment = segment
        self._reader = segment.reader
        self._memory = memory
        self._by_file = by_file
        self.passed_over = self.unscanned = False  # see SegmentFiles
        self._count = segment.reader.file_count if by_file else segment.reader.unit_count
        self._patiently = patiently
        self._max_terms = PATIENT_TERMS if patiently else MAX_TERMS
        # Looking up a run may read all pages of the dictionary.
        self._scans = scans or not segment.reader.terms.is_large
        self._known: dict[Run, I64 | None] = {}  # the branches of an expression often share runs

    def find(self, need: Need) -> I64 | None:
        """Return ascending documents that may meet a need; None for all."""
        if isinstance(need, Run):
            return self._find_run(need)
        return self._find_all(need.parts) if isinstance(need, All) else self._find_either(need.parts)

    def find_files(self, units: I64) -> I64:
        """Return the files of ascending units, each once."""
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
        """Estimate how many documents a need leaves."""
        if isinstance(need, Run):
            if Edge.OPEN not in (need.left, need.right) and not need.shape:
                return self._count_units(self._find_lists(need.text.encode()))
            return _EXPECTED[min(len(need.text), len(_EXPECTED) - 1)]
        expected = [self._expect(part) for part in need.parts[:MAX_PARTS]]
        return min(expected) if isinstance(need, All) else sum(expected)

    def _find_run(self, run: Run) -> I64 | None:
        if run not in self._known:
            units = self._memory.find(run, self._reader.unit_count)
            if units is None:
                units = self._look_up(run)
            self._known[run] = self.find_files(units) if self._by_file and units is not None else units
        return self._known[run]

    def _look_up(self, run: Run) -> I64 | None:
        """Return the units of the terms that may contain the run; None if it is passed over."""
        found = self._find_terms(run)
        if found is None:
            return None
        terms = [*found.terms, *list_long_terms(run)]
        docs = [self._reader.postings.read_docs(sorted(terms), TEXT_FIELDS)]
        if found.span is not None:
            docs.append(read_span(self._segment, *found.span))
        units = _unite(docs, self._reader.unit_count)
        if len(terms) > QUICK_TERMS or _needs_all_pages(run):
            self._memory.keep(run, units, self._reader.unit_count)
        return units

    def _find_terms(self, run: Run) -> FoundTerms | None:
        """Return the terms that may contain the run; None when a look-up is not worthwhile."""
        if self._is_too_common(run):
            self.passed_over |= not is_short(run)
            return None
        scans = _needs_all_pages(run)
        if scans and not self._scans:
            self.unscanned = True
            return None
        limit = min(MAX_SHORT, self._max_terms) if scans or is_short(run) else self._max_terms
        found = self._memory.find_terms(run, limit)
        self.passed_over |= found is None
        return found

    def _is_too_common(self, run: Run) -> bool:
        """Return True for a run that is itself a common word; in a patient look-up, only for a short one."""
        if run.shape or (self._patiently and not is_short(run)):
            return False
        units = self._count_units(self._find_lists(run.text.encode()))
        share = COMMON_SHARE if run.left is Edge.OPEN else COMMON_WORD_SHARE
        return units > max(_SHARE_FLOOR, int(share * self._reader.unit_count))

    def _find_lists(self, term: bytes) -> list[PostingList]:
        return [one for one in self._reader.postings.find_lists(term) if one.field in TEXT_FIELDS]

    def _count_units(self, lists: Sequence[PostingList]) -> int:
        return sum(one.frequency for one in lists)


def _needs_all_pages(run: Run) -> bool:
    """Return True when no literal part of the run is long enough to narrow the pages that must be read."""
    size = len(run.text.encode())
    if run.shape:
        return size < MIN_OPEN_BYTES
    if run.left is not Edge.OPEN:  # only words that begin with the run, perhaps after a Kelvin sign
        return is_short(run) and Edge.STRANGE in (run.left, run.right) and size < MIN_OPEN_BYTES - 1
    has_end = run.right is not Edge.OPEN  # the line feed at the end of a term counts as a byte
    return run.text.isascii() and size + has_end < MIN_OPEN_BYTES


def _unite(found: Sequence[I64], count: int) -> I64:
    """Return the documents of all lists, ascending, each once; `count` is the number of documents."""
    if sum(map(len, found)) <= ENOUGH:
        return sort_distinct(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
    mask = np.zeros(count, dtype=np.bool_)
    for docs in found:
        mask[docs] = True
    return np.flatnonzero(mask)


def _keep(left: I64, wanted: I64) -> I64:
    """Return the documents of `left` that are in `wanted`; both ascend."""
    if not len(wanted):
        return wanted
    positions = np.searchsorted(wanted, left)
    positions[positions == len(wanted)] = 0
    kept: I64 = left[wanted[positions] == left]
    return kept


@dataclass(frozen=True, slots=True)
class RunOccurrences:
    """The common words that may contain a run, and the files of the other terms that may."""

    common: tuple[bytes, ...]  # common words that may contain it
    others: bytes | None  # one bit for each file with another such term; None: too many terms


class NeighbourFilter:
    """Looks up, in one segment, needs whose runs have punctuation beside them."""

    def __init__(
        self,
        segment: LiveSegment,
        neighbours: NeighbourBloom,
        cache: LruCache[Run, RunOccurrences],
        find_terms: Callable[[Run], FoundTerms | None],
    ) -> None:
        """Take `find_terms`, which returns the terms that may contain a run, or None for too many."""
        self._segment = segment
        self._reader = segment.reader
        self._neighbours = neighbours
        self._find_terms = find_terms
        self._cache = cache

    def find(self, need: Need) -> Mask | None:
        """Return a mask of the files that may meet a need; None for all files. Raises CorruptIndex."""
        if isinstance(need, Run):
            return self._find_run(need)
        found = [self.find(part) for part in need.parts]
        masks = [mask for mask in found if mask is not None]
        if isinstance(need, All):
            return reduce(np.logical_and, masks) if masks else None
        return reduce(np.logical_or, masks) if len(masks) == len(found) else None

    def _find_run(self, run: Run) -> Mask | None:
        plain = replace(run, before="", behind="")
        found = self._cache.get(plain, lambda: self._look_up(plain))
        if found.others is None:
            return None
        bits = np.unpackbits(np.frombuffer(found.others, dtype=np.uint8), count=self._reader.file_count)
        mask: Mask = bits.astype(np.bool_)
        for term in found.common:
            beside = self._neighbours.find_beside(term, run.before, run.behind)
            if beside is None:
                return None
            mask |= beside
        return mask

    def _look_up(self, run: Run) -> RunOccurrences:
        found = self._find_terms(run)
        if found is None:
            return RunOccurrences((), None)
        common = [term for term in found.terms if self._neighbours.is_common(term)]
        if found.span is not None:
            common += self._neighbours.list_common(*found.span)
        others: Mask = np.zeros(self._reader.file_count, dtype=np.bool_)
        for units in self._iter_other_units(run, found, frozenset(common)):
            others[self._reader.files.find_files_of(units)] = True
        return RunOccurrences(tuple(common), np.packbits(others).tobytes())

    def _iter_other_units(self, run: Run, found: FoundTerms, common: frozenset[bytes]) -> Iterator[I64]:
        """Yield the units of all other terms, in no order."""
        terms = [*(term for term in found.terms if term not in common), *list_long_terms(run)]
        yield self._reader.postings.read_docs(sorted(terms), TEXT_FIELDS)
        if found.span is not None:
            first, end = found.span
            for term in sorted(common):
                if first <= term and (end is None or term < end):
                    yield read_span(self._segment, first, term)
                    first = term + b"\0"
            yield read_span(self._segment, first, end)


def read_span(segment: LiveSegment, first: bytes, end: bytes | None) -> I64:
    """Return the units of all terms [first, end), in no order, perhaps repeated. Raises CorruptIndex."""
    run = segment.reader.postings.read_run(first, end)
    if run is None:
        return np.zeros(0, dtype=np.int64)
    return run.docs[np.repeat(np.isin(run.list_fields, TEXT_FIELDS), run.frequencies)]
