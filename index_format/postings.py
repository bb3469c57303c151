"""Posting lists: doc ids and term frequencies of one term in one field, in one of four forms.

    repeated  no bytes: the doc ids of the term's first list, each with term frequency 1. A name
              that is defined where it is used is in two fields and costs one list.
    single    no bytes: one document, with term frequency 1, whose doc id stands in the dictionary (terms.py)
    by block  where there are BLOCK_SHARE or more postings for each block of documents
              (block_lists.py): can be read in part, and bounds the score of each part
    by gap    all others: the smallest

By gap, the differences between doc ids are varints (varints.py):

    df values    the first doc id, then differences (>= 1), times 4; plus the term frequency less 1, at most 3
    the rest     for each 3 in order: term frequency less 4

Doc ids 3, 4, 900 with term frequencies 1, 2, 40:

    0c 05 83 1c | 24

Nearly every list has one to four documents, so there is no header. Everything works on many lists at a
time with numpy, never posting by posting in Python.

Left out on purpose: positions (a phrase is verified in the live text).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_format import varints
from index_format.block_lists import (
    BlockEncoder,
    BlockList,
    compute_tf_norm,
    count_blocks,
    decode_block_lists,
)
from index_format.errors import CorruptIndex
from index_format.records import I64, MAX_TERM_FREQUENCY, NO_SINGLE, U8, Integers, PostingRun
from index_format.runs import BLOCK_DOCS, count_true, find_changes, spread_runs

Mask = npt.NDArray[np.bool_]
# Measured on the 744,134 units of the kernel, 2,907 blocks: by gap, lists of two to six postings a block
# take 8 MB less (275 against 283 MB of index), and each is decoded whole in a fifth of a millisecond.
BLOCK_SHARE = 6
# Of a term frequency, beside each gap: two bits make the lists by gap of 209 MB of the kernel 1.3 MB smaller
# than one bit, 0.1 MB smaller than three.
COUNT_BITS = 2
_LARGE = (1 << COUNT_BITS) - 1  # says that the rest of the term frequency comes behind all gaps


class EncodedLists(NamedTuple):
    """Encoded posting lists, one after the other, and the size of each in bytes. See EncodedRun."""

    data: bytes
    sizes: I64
    singles: I64


class ListTable(NamedTuple):
    """The facts that the dictionary stores about consecutive posting lists, one row per list."""

    terms: I64  # number of the list's term, never descending
    frequencies: I64
    sizes: I64
    singles: I64  # doc id of a list that stands in the dictionary, else NO_SINGLE
    docs: I64  # number of documents of the list's level


def is_by_block(frequency: int, docs: int) -> bool:
    """Return whether a list of `frequency` postings over `docs` documents is laid out by block."""
    return frequency >= BLOCK_SHARE * count_blocks(docs)


def encode_lists(run: PostingRun, lengths: Sequence[Integers]) -> EncodedLists:
    """Return the encoded posting lists, of values below 2**32. See SegmentContent for `lengths`."""
    frequencies = run.frequencies
    starts = np.cumsum(frequencies) - frequencies
    blocks = np.array([count_blocks(len(column)) for column in lengths])[run.list_fields]
    is_repeated = _find_repeated(run, starts)
    firsts = run.docs[starts]
    is_single = ~is_repeated & (frequencies == 1) & (run.term_frequencies[starts] == 1)
    by_block = ~is_repeated & (frequencies >= BLOCK_SHARE * blocks)
    by_gap = ~(is_repeated | is_single | by_block)
    sizes = np.zeros(len(frequencies), dtype=np.int64)
    encoders: list[tuple[Mask, BlockEncoder | DeltaEncoder]] = []
    if by_block.any():
        encoders.append((by_block, _start_blocks(run, by_block, blocks[by_block], lengths)))
    if by_gap.any():
        chosen = np.repeat(by_gap, frequencies)
        encoders.append(
            (by_gap, DeltaEncoder(frequencies[by_gap], run.docs[chosen], run.term_frequencies[chosen]))
        )
    for mask, encoder in encoders:
        sizes[mask] = encoder.sizes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    offsets = np.cumsum(sizes) - sizes
    for mask, encoder in encoders:
        encoder.put(out, offsets[mask])
    return EncodedLists(out.tobytes(), sizes, np.where(is_single, firsts, NO_SINGLE))


def _find_repeated(run: PostingRun, starts: I64) -> Mask:
    """Return a mask of the lists that have the doc ids of their term's first list, each once."""
    firsts = find_first_lists(run.list_terms)
    is_repeated: Mask = (firsts != np.arange(len(firsts))) & (run.frequencies == run.frequencies[firsts])
    chosen = np.flatnonzero(is_repeated)
    if not len(chosen):
        return is_repeated
    counts = run.frequencies[chosen]
    own, first = spread_runs(starts[chosen], counts), spread_runs(starts[firsts[chosen]], counts)
    alike = (run.docs[own] == run.docs[first]) & (run.term_frequencies[own] == 1)
    is_repeated[chosen] = np.logical_and.reduceat(alike, np.cumsum(counts) - counts)
    return is_repeated


def find_first_lists(list_terms: I64) -> I64:
    """Return, for each list, the first list of its term (int64)."""
    firsts = np.flatnonzero(find_changes(list_terms))
    return firsts.repeat(np.diff(firsts, append=len(list_terms)))


def _start_blocks(run: PostingRun, by_block: Mask, blocks: I64, lengths: Sequence[Integers]) -> BlockEncoder:
    frequencies = run.frequencies[by_block]
    chosen = np.repeat(by_block, run.frequencies)
    docs, counts = run.docs[chosen], run.term_frequencies[chosen]
    fields = np.repeat(run.list_fields[by_block].astype(np.uint8), frequencies)
    tf_norm = np.zeros(len(docs))
    for number, column in enumerate(lengths):
        own = np.flatnonzero(fields == number)
        if len(own):
            average = max(1, int(column.sum())) / len(column)
            tf_norm[own] = compute_tf_norm(counts[own], column[docs[own]], average)
    return BlockEncoder(frequencies, docs, counts, blocks, tf_norm)


def decode_lists(data: bytes, table: ListTable, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of consecutive lists that fill `data`.

    Raises CorruptIndex when a list does not fill its size exactly, its doc ids do not ascend, or one of them
    is not a document of the level.
    """
    frequencies, sizes = table.frequencies, table.sizes
    if len(data) != int(sizes.sum()) or (frequencies < 1).any() or (frequencies > table.docs).any():
        raise CorruptIndex(f"{where}: {len(data)} bytes of postings, {int(sizes.sum())} expected")
    is_single = table.singles != NO_SINGLE
    is_repeated = (sizes == 0) & ~is_single
    sources = _find_sources(table, is_repeated, where)
    if (sizes[sources] + is_single[sources] < frequencies).any():  # checked before memory is allocated
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    by_block = ~is_repeated & ~is_single & (frequencies >= BLOCK_SHARE * -(-table.docs // BLOCK_DOCS))
    raw = np.frombuffer(data, dtype=np.uint8)
    docs = np.empty(int(frequencies.sum()), dtype=np.int64)
    counts = np.ones(len(docs), dtype=np.int64)
    starts = np.cumsum(frequencies) - frequencies
    docs[starts[is_single]] = table.singles[is_single]
    for mask in (by_block, ~(is_repeated | is_single | by_block)):
        if mask.any():
            own = raw if mask.all() else raw[np.repeat(mask, sizes)]
            chosen = np.repeat(mask, frequencies)
            if mask is by_block:
                found = decode_block_lists(own, sizes[mask], frequencies[mask], table.docs[mask], where)
            else:
                found = decode_delta_lists(own, sizes[mask], frequencies[mask], where)
            docs[chosen], counts[chosen] = found
    if is_repeated.any():
        own_counts = frequencies[is_repeated]
        docs[spread_runs(starts[is_repeated], own_counts)] = docs[
            spread_runs(starts[sources[is_repeated]], own_counts)
        ]
    if (docs[np.cumsum(frequencies) - 1] >= table.docs).any():  # the last doc id of each list is its largest
        raise CorruptIndex(f"{where}: a document that the segment does not have")
    return docs, counts


def _find_sources(table: ListTable, is_repeated: Mask, where: str) -> I64:
    """Return, for each list, the list that holds its doc ids: itself, or its term's first. Raises
    CorruptIndex."""
    firsts = find_first_lists(table.terms)
    sources = np.where(is_repeated, firsts, np.arange(len(firsts)))
    if is_repeated[sources].any() or (table.frequencies[sources] != table.frequencies).any():
        raise CorruptIndex(f"{where}: a posting list without bytes that repeats no other")
    return sources


def decode_list(data: bytes, frequency: int, docs: int, where: str) -> tuple[I64, I64]:
    """Return doc ids and term frequencies of one list that fills `data`, faster. Raises CorruptIndex."""
    if not data or not 0 < frequency <= docs:
        raise CorruptIndex(f"{where}: {len(data)} bytes for {frequency} of {docs} documents")
    if is_by_block(frequency, docs):
        return BlockList(data, frequency, docs, where).read()
    found, counts = decode_delta_list(data, frequency, where)
    if int(found[-1]) >= docs:
        raise CorruptIndex(f"{where}: document {int(found[-1])} of {docs}")
    return found, counts


class DeltaEncoder:
    """Posting lists ready to be laid out; `sizes` gives the bytes of each (int64, one per list)."""

    def __init__(self, frequencies: I64, docs: I64, counts: I64) -> None:
        starts = np.cumsum(frequencies) - frequencies
        gaps = np.empty_like(docs)
        np.subtract(docs[1:], docs[:-1], out=gaps[1:])
        gaps[starts] = docs[starts]
        gaps <<= COUNT_BITS
        gaps |= np.minimum(counts - 1, _LARGE)
        is_large = counts > _LARGE
        large = np.flatnonzero(is_large)
        rests = count_true(is_large, starts + frequencies)
        self._value_counts = frequencies + rests
        ends = np.cumsum(self._value_counts)
        rest_positions = spread_runs(ends - rests, rests)
        self._values = np.empty(len(docs) + len(large), dtype=np.int64)
        is_gap = np.ones(len(self._values), dtype=np.bool_)
        is_gap[rest_positions] = False
        self._values[is_gap] = gaps
        self._values[rest_positions] = counts[large] - _LARGE - 1
        self._value_sizes = varints.measure(self._values)
        self._value_ends = np.cumsum(self._value_sizes, dtype=np.int64)
        self.sizes = np.diff(self._value_ends[ends - 1], prepend=0)

    def put(self, out: U8, offsets: I64) -> None:
        """Write each list into `out` at its offset."""
        positions = self._value_ends - self._value_sizes
        moves = offsets - (np.cumsum(self.sizes) - self.sizes)
        positions += np.repeat(moves, self._value_counts)
        varints.put(out, positions, self._values, self._value_sizes)


def decode_delta_lists(raw: U8, sizes: I64, frequencies: I64, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of consecutive lists that fill `raw`.

    Raises CorruptIndex when a list does not fill its size exactly or its doc ids do not ascend.
    """
    values, ends = varints.decode(raw, where)
    list_ends = np.cumsum(sizes)
    value_counts = count_true(raw < varints.MORE, list_ends)
    value_ends = np.cumsum(value_counts)
    if (value_counts < frequencies).any() or (ends[value_ends - 1] != list_ends).any():
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    rest_counts = value_counts - frequencies
    rest_positions = spread_runs(value_ends - rest_counts, rest_counts)
    is_gap = np.ones(len(values), dtype=np.bool_)
    is_gap[rest_positions] = False
    gaps, rests = values[is_gap], values.take(rest_positions)
    ends = np.cumsum(frequencies)
    counts, is_large = _split_counts(gaps)
    if not np.array_equal(count_true(is_large, ends), rest_counts):
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    _add_rests(counts, np.flatnonzero(is_large), rests, where)
    return _to_docs(gaps, ends - frequencies, frequencies, where), counts


def _split_counts(gaps: I64) -> tuple[I64, Mask]:
    """Take the term frequencies out of the gaps; return them, and a mask of those that have a rest."""
    counts = gaps & _LARGE
    is_large = counts == _LARGE
    counts += 1
    gaps >>= COUNT_BITS
    return counts, is_large


def _add_rests(counts: I64, large: I64, rests: I64, where: str) -> None:
    counts[large] += rests
    if int(rests.max(initial=0)) >= MAX_TERM_FREQUENCY - _LARGE:
        raise CorruptIndex(f"{where}: a term frequency of {int(counts.max())}")


def _to_docs(gaps: I64, starts: I64, frequencies: I64, where: str) -> I64:
    """Return the doc ids of gaps: running sums that restart with each list."""
    firsts = gaps[starts]
    if np.count_nonzero(gaps) - np.count_nonzero(firsts) != len(gaps) - len(firsts):
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    docs: I64 = np.cumsum(gaps)
    docs -= np.repeat(docs[starts] - firsts, frequencies)
    return docs


def decode_delta_list(data: bytes, frequency: int, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of the one list that fills `data`. Raises CorruptIndex."""
    values, _ = varints.decode(np.frombuffer(data, dtype=np.uint8), where)
    if len(values) < frequency:
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    gaps, rests = values[:frequency], values[frequency:]
    counts, is_large = _split_counts(gaps)
    large = is_large.nonzero()[0]
    if len(large) != len(rests):
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    if frequency > 1 and int(gaps[1:].min()) < 1:
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    if len(large):
        _add_rests(counts, large, rests, where)
    return np.cumsum(gaps), counts
