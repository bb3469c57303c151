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

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_format import varints
from index_format.block_lists import (
    BlockList,
    compute_tf_norm,
    count_blocks,
    decode_block_lists,
    encode_block_lists,
)
from index_format.errors import CorruptIndex
from index_format.records import I64, MAX_TERM_FREQUENCY, NO_SINGLE, U8, Integers, PostingRun
from index_format.runs import BLOCK_DOCS, count_positions, find_changes, number_postings, spread_runs

Mask = npt.NDArray[np.bool_]
POST = b"POST"
# Measured on the 744,134 units of the kernel, 2,907 blocks: by gap, lists of two to six postings a block
# take 8 MB less (275 against 283 MB of index), and each is decoded whole in a fifth of a millisecond.
BLOCK_SHARE = 6
# Bits of the term frequency that are stored with each gap. With two bits the kernel's lists by gap take 209
# MB: 1.3 MB less than with one bit, and 0.1 MB less than with three.
COUNT_BITS = 2
_LARGE = (1 << COUNT_BITS) - 1  # value of the two bits when the rest of the term frequency follows the gaps


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


class FieldLengths:
    """The field lengths of all documents, laid out for encoding lists of any field together."""

    def __init__(self, columns: Sequence[Integers]) -> None:
        """Take one column for each field; there may be none."""
        sizes = [len(column) for column in columns]
        self.bases = np.cumsum([0, *sizes[:-1]])
        self.blocks = np.array(list(map(count_blocks, sizes)), dtype=np.int64)
        self.averages = np.array([max(1, int(column.sum())) / max(1, len(column)) for column in columns])
        self.values = np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)


def encode_lists(run: PostingRun, lengths: FieldLengths) -> EncodedLists:
    """Return the encoded posting lists, of values below 2**32."""
    frequencies = run.frequencies
    starts = np.cumsum(frequencies) - frequencies
    blocks = lengths.blocks.take(run.list_fields)
    is_repeated = _find_repeated(run, starts)
    firsts = run.docs.take(starts)
    is_single = ~is_repeated & (frequencies == 1) & (run.term_frequencies.take(starts) == 1)
    by_block = ~is_repeated & (frequencies >= BLOCK_SHARE * blocks)
    by_gap = ~(is_repeated | is_single | by_block)
    sizes = np.zeros(len(frequencies), dtype=np.int64)
    in_blocks, in_gaps = b"", b""
    if by_block.any():
        rows = np.flatnonzero(by_block)
        own, docs, counts = _take_lists(run, starts, rows)
        owners = number_postings(own)
        tf_norm = _compute_tf_norms(lengths, run.list_fields.take(rows), owners, docs, counts)
        in_blocks, sizes[rows] = encode_block_lists(own, docs, counts, blocks.take(rows), tf_norm)
    if by_gap.any():
        rows = np.flatnonzero(by_gap)
        in_gaps, sizes[rows] = encode_delta_lists(*_take_lists(run, starts, rows))
    data = _interleave(in_blocks, in_gaps, sizes, by_block)
    return EncodedLists(data, sizes, np.where(is_single, firsts, NO_SINGLE))


def _take_lists(run: PostingRun, starts: I64, rows: I64) -> tuple[I64, I64, I64]:
    """Return the frequencies of some lists, and their doc ids and term frequencies."""
    frequencies = run.frequencies.take(rows)
    at = spread_runs(starts.take(rows), frequencies)
    return frequencies, run.docs.take(at), run.term_frequencies.take(at)


def _compute_tf_norms(
    lengths: FieldLengths, fields: I64, owners: I64, docs: I64, counts: I64
) -> npt.NDArray[np.float64]:
    """Return the tf norm of each posting, whose list is of one of `fields`."""
    own = lengths.values.take(docs + lengths.bases.take(fields).take(owners))
    return compute_tf_norm(counts, own, lengths.averages.take(fields).take(owners))


def _interleave(in_blocks: bytes, in_gaps: bytes, sizes: I64, by_block: Mask) -> bytes:
    """Return the bytes of lists in order, given those of the lists by block, which are few, and of others."""
    if not in_blocks or not in_gaps:
        return in_blocks + in_gaps
    chosen = np.flatnonzero(by_block)
    ends = np.cumsum(sizes[chosen])
    gap_ends = np.append((np.cumsum(sizes)[chosen] - ends), len(in_gaps)).tolist()
    blocks = [in_blocks[start:end] for start, end in pairwise([0, *ends.tolist()])]
    gaps = [in_gaps[start:end] for start, end in pairwise([0, *gap_ends])]
    return b"".join(chain.from_iterable(zip(gaps, [*blocks, b""], strict=True)))


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


class DecodedLists(NamedTuple):
    """Some posting lists, one after the other."""

    rows: I64  # number of each list, ascending
    owners: I64  # for each posting: index in `rows` of its list
    docs: I64
    counts: I64  # term frequencies


def decode_lists(data: bytes, table: ListTable, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of consecutive lists that fill `data`, in their order.

    Raises as `iter_decoded` does.
    """
    forms = list(iter_decoded(data, table, where))
    starts = np.cumsum(table.frequencies) - table.frequencies
    docs, counts = np.empty((2, sum(len(form.docs) for form in forms)), dtype=np.int64)
    for form in forms:
        at = spread_runs(starts.take(form.rows), table.frequencies.take(form.rows))
        docs[at], counts[at] = form.docs, form.counts
    return docs, counts


def iter_decoded(data: bytes, table: ListTable, where: str) -> Iterator[DecodedLists]:
    """Yield consecutive lists that fill `data`, those of each form together.

    Raises CorruptIndex when a list does not fill its size exactly, its doc ids do not ascend, or one of them
    is not a document of the level.
    """
    frequencies, sizes, limits = table.frequencies, table.sizes, table.docs
    if len(data) != int(sizes.sum()) or (frequencies < 1).any() or (frequencies > limits).any():
        raise CorruptIndex(f"{where}: {len(data)} bytes of postings, {int(sizes.sum())} expected")
    is_single = table.singles != NO_SINGLE
    is_repeated = (sizes == 0) & ~is_single
    sources = _find_sources(table, is_repeated, where)
    if (sizes[sources] + is_single[sources] < frequencies).any():  # checked before memory is allocated
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    repeating = np.flatnonzero(is_repeated)
    for form in _iter_forms(data, table, is_single, is_repeated, where):
        own = _repeat_lists(form, frequencies, repeating, sources.take(repeating))
        for one in (form, own) if len(own.rows) else (form,):
            last = np.cumsum(frequencies.take(one.rows)) - 1  # the last doc id of each list is its largest
            if (one.docs.take(last) >= limits.take(one.rows)).any():
                raise CorruptIndex(f"{where}: a document that the segment does not have")
            yield one


def _iter_forms(
    data: bytes, table: ListTable, is_single: Mask, is_repeated: Mask, where: str
) -> Iterator[DecodedLists]:
    """Yield the lists that repeat no other, by form."""
    by_block = table.frequencies >= BLOCK_SHARE * -(-table.docs // BLOCK_DOCS)
    by_block &= ~(is_repeated | is_single)
    in_blocks, in_gaps = _separate(data, table.sizes, by_block)
    rows = np.flatnonzero(is_single)
    if len(rows):
        yield DecodedLists(rows, np.arange(len(rows)), table.singles.take(rows), np.ones_like(rows))
    rows = np.flatnonzero(by_block)
    if len(rows):
        own = ListTable(*(column.take(rows) for column in table))
        found = decode_block_lists(in_blocks, own.sizes, own.frequencies, own.docs, where)
        yield DecodedLists(rows, number_postings(own.frequencies), *found)
    rows = np.flatnonzero(~(is_repeated | is_single | by_block))
    if len(rows):
        frequencies = table.frequencies.take(rows)
        yield DecodedLists(rows, *decode_delta_lists(in_gaps, table.sizes.take(rows), frequencies, where))


def _repeat_lists(form: DecodedLists, frequencies: I64, repeating: I64, sources: I64) -> DecodedLists:
    """Return the lists `repeating` others of this form, their `sources`."""
    places = form.rows.searchsorted(sources)
    mine = np.flatnonzero(form.rows.take(places, mode="clip") == sources)
    rows = repeating.take(mine)
    counts = frequencies.take(rows)
    starts = form.owners.searchsorted(places.take(mine))
    docs = form.docs.take(spread_runs(starts, counts))
    return DecodedLists(rows, number_postings(counts), docs, np.ones_like(docs))


def _separate(data: bytes, sizes: I64, by_block: Mask) -> tuple[U8, U8]:
    """Return the bytes of the lists by block, which are few, and those of all others."""
    ends = np.cumsum(sizes)[by_block]
    bounds = np.stack([ends - sizes[by_block], ends], axis=1).ravel().tolist()
    pieces = [memoryview(data)[start:end] for start, end in pairwise([0, *bounds, len(data)])]
    in_blocks, in_gaps = b"".join(pieces[1::2]), b"".join(pieces[::2])
    return np.frombuffer(in_blocks, dtype=np.uint8), np.frombuffer(in_gaps, dtype=np.uint8)


def _find_sources(table: ListTable, is_repeated: Mask, where: str) -> I64:
    """Return, for each list, the list that holds its doc ids: itself, or the first of its term.

    Raises CorruptIndex.
    """
    firsts = find_first_lists(table.terms)
    sources = np.where(is_repeated, firsts, np.arange(len(firsts)))
    if is_repeated[sources].any() or (table.frequencies[sources] != table.frequencies).any():
        raise CorruptIndex(f"{where}: a posting list without bytes that repeats no other")
    return sources


def decode_list(data: bytes, frequency: int, docs: int, where: str) -> tuple[I64, I64]:
    """Return doc ids and term frequencies of one list that fills `data`, faster. Raises CorruptIndex."""
    if not data or not 0 < frequency <= docs:
        raise CorruptIndex(
            f"{where}: {frequency} of {docs} documents in {len(data)} bytes, which is impossible"
        )
    if is_by_block(frequency, docs):
        return BlockList(data, frequency, docs, where).read()
    found, counts = decode_delta_list(data, frequency, where)
    if int(found[-1]) >= docs:
        raise CorruptIndex(f"{where}: document {int(found[-1])} of {docs}")
    return found, counts


def encode_delta_lists(frequencies: I64, docs: I64, counts: I64) -> tuple[bytes, I64]:
    """Return posting lists by gap, one after the other, and the size of each in bytes (int64)."""
    ends = np.cumsum(frequencies)
    values = np.empty_like(docs)
    np.subtract(docs[1:], docs[:-1], out=values[1:])
    starts = ends - frequencies
    values[starts] = docs.take(starts)
    values <<= COUNT_BITS
    values |= np.minimum(counts - 1, _LARGE)
    large = np.flatnonzero(counts > _LARGE)
    if len(large):
        rests = count_positions(large, ends)
        ends += np.cumsum(rests)
        at = _find_rests(ends, rests)
        gaps, values = values, np.empty(len(docs) + len(large), dtype=np.int64)
        values[_find_others(at, len(values))] = gaps
        values[at] = counts.take(large) - (_LARGE + 1)
    data, value_ends = varints.encode(values)
    return data, np.diff(value_ends.take(ends - 1), prepend=0)


def _find_rests(ends: I64, rests: I64) -> I64:
    """Return the positions of the last `rests` of the values of each list; hardly any list has some."""
    own = np.flatnonzero(rests)
    counts = rests.take(own)
    return spread_runs(ends.take(own) - counts, counts)


def _find_others(positions: I64, count: int) -> I64:
    """Return the numbers below `count` that are not among `positions`."""
    is_other = np.ones(count, dtype=np.bool_)
    is_other[positions] = False
    return np.flatnonzero(is_other)


def decode_delta_lists(raw: U8, sizes: I64, frequencies: I64, where: str) -> tuple[I64, I64, I64]:
    """Return three columns with a row for each posting: number of its list, doc id, term frequency.

    The lists follow one another and fill `raw`. Raises CorruptIndex when one does not fill its size exactly
    or its doc ids do not ascend.
    """
    values, ends = varints.decode(raw, where)
    is_end = np.zeros(len(raw) + 1, dtype=np.bool_)
    is_end[np.cumsum(sizes)] = True
    value_ends = np.flatnonzero(is_end.take(ends))
    value_ends += 1
    if len(value_ends) != len(sizes) or int(value_ends[-1]) != len(values):
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    rests = np.diff(value_ends, prepend=0) - frequencies
    if (rests < 0).any():
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    owners = number_postings(frequencies)
    at = _find_rests(value_ends, rests)
    gaps = values.take(_find_others(at, len(values))) if len(at) else values
    counts, is_large = _split_counts(gaps)
    large = np.flatnonzero(is_large)
    if len(large) != len(at) or (np.bincount(owners.take(large), minlength=len(sizes)) != rests).any():
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    _add_rests(counts, large, values.take(at), where)
    return owners, _to_docs(gaps, np.cumsum(frequencies) - frequencies, owners, where), counts


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
        raise CorruptIndex(f"{where}: a term frequency of {int(counts.max())} is too large")


def _to_docs(gaps: I64, starts: I64, owners: I64, where: str) -> I64:
    """Return the doc ids of gaps: running sums that restart with each list."""
    firsts = gaps.take(starts)
    if np.count_nonzero(gaps) - np.count_nonzero(firsts) != len(gaps) - len(firsts):
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    docs: I64 = np.cumsum(gaps)
    docs -= (docs.take(starts) - firsts).take(owners)
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
