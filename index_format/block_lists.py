"""Posting lists of common terms, in blocks of BLOCK_DOCS doc ids, each of which can be read by itself.

Block b covers the doc ids 256 b to 256 b + 255. One list is laid out as follows:

    bounds       u8 for each block of the segment: 0 for a block without a posting, else an upper bound
                 of the tf norm of its postings (see below)
    block sizes  u8 for each block: its number of postings, with 0 for 256
    doc ids      u8 for each posting: doc id less 256 b
    frequencies  four bits for each posting, the even one in the low half: term frequency less 1;
                 15 means that the rest of the term frequency is among the escapes
    escapes      for each 15 in order: a varint (varints.py), term frequency less 16

The tf norm of a posting is BM25's term-frequency normalisation with k1 = 2 and b = .5:
tf / (tf + 1 + length / average), where length is the length of the document's field and average the mean
over the segment's documents. It lies between 0 and 1, and its bound is floor(255 tf norm) + 1. The bound
times 3 idf is the most that the term can add to the score of a document in the block, so a search can skip
blocks that cannot win (Ding and Suel, "Faster top-k document retrieval using block-max indexes", 2011).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from index_format import varints
from index_format.errors import CorruptIndex
from index_format.records import I64, MAX_TERM_FREQUENCY, U8, Integers
from index_format.runs import (
    BLOCK_BITS,
    BLOCK_DOCS,
    count_positions,
    find_changes,
    find_low,
    search_low,
    spread_positions,
    spread_runs,
)

U32 = npt.NDArray[np.uint32]
SATURATION_K1, SATURATION_B = 2.0, 0.5
BOUND_SCALE = 255
_TABLE_BYTES = 2  # one byte for the bound of a block, and one for its size
_FREQUENCY_ESCAPE = 15


def count_blocks(docs: int) -> int:
    """Return the number of blocks that cover `docs` documents."""
    return -(-docs // BLOCK_DOCS)


def compute_tf_norm(
    counts: I64, lengths: Integers, average: float | npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return BM25's tf norms (float64, between 0 and 1) of term frequencies in documents of these lengths."""
    k1, b = SATURATION_K1, SATURATION_B
    tf_norm: npt.NDArray[np.float64] = counts / (counts + (k1 * (1 - b) + (k1 * b / average) * lengths))
    return tf_norm


def encode_block_lists(
    frequencies: I64, docs: I64, counts: I64, blocks: I64, tf_norm: npt.NDArray[np.float64]
) -> tuple[bytes, I64]:
    """Return posting lists in this layout, one after the other, and the size of each in bytes (int64).

    `blocks` has the number of blocks of each list's level, `tf_norm` a tf norm for each entry of `docs`.
    """
    halves = np.minimum(counts - 1, _FREQUENCY_ESCAPE).astype(np.uint8)
    escaped = np.flatnonzero(halves == _FREQUENCY_ESCAPE)
    owners = np.cumsum(frequencies).searchsorted(escaped, side="right")
    escapes, ends = varints.encode(counts.take(escaped) - _FREQUENCY_ESCAPE - 1)
    escape_bytes = np.bincount(owners.repeat(np.diff(ends, prepend=0)), minlength=len(frequencies))
    half_bytes = (frequencies + 1) // 2
    sizes = _TABLE_BYTES * blocks + frequencies + half_bytes + escape_bytes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    offsets = np.cumsum(sizes) - sizes
    _put_tables(out, offsets, frequencies, docs, blocks, tf_norm)
    offsets += _TABLE_BYTES * blocks
    out[spread_runs(offsets, frequencies)] = docs.astype(np.uint8)  # the doc id less 256 b
    offsets += frequencies
    out[spread_runs(offsets, half_bytes)] = _pack_halves(halves, frequencies)
    out[spread_runs(offsets + half_bytes, escape_bytes)] = np.frombuffer(escapes, dtype=np.uint8)
    return out.tobytes(), sizes


def _put_tables(
    out: U8, offsets: I64, frequencies: I64, docs: I64, blocks: I64, tf_norm: npt.NDArray[np.float64]
) -> None:
    """Write bounds and block sizes of the lists that begin at `offsets`. `out` must hold zeros there."""
    rows = offsets.repeat(frequencies)
    rows += docs >> BLOCK_BITS
    firsts = np.flatnonzero(find_changes(rows))
    bounds = np.floor(BOUND_SCALE * np.maximum.reduceat(tf_norm, firsts)) + 1
    rows = rows.take(firsts)
    out[rows] = bounds
    rows += blocks.repeat(_count_by(offsets, rows))
    out[rows] = np.diff(firsts, append=len(docs)) & (BLOCK_DOCS - 1)


def _pack_halves(halves: U8, frequencies: I64) -> U8:
    """Pack two frequencies into each byte; a list of odd length is padded with a zero."""
    odd = np.cumsum(frequencies)[np.flatnonzero(frequencies & 1)]
    padded: U8 = np.insert(halves, odd, 0)
    packed = padded[0::2].copy()
    packed |= padded[1::2] << 4
    return packed


def _count_by(offsets: I64, rows: I64) -> I64:
    """Return, for each of the ascending offsets, the number of `rows` from it up to the next offset."""
    return np.diff(np.searchsorted(rows, offsets), append=len(rows))


class Escapes:
    """The decoded escapes of a list, kept when the bytes of the list are dropped from a cache."""

    def __init__(self, most: int) -> None:
        """Begin with no escapes decoded; the list has at most `most` of them."""
        self.most = most
        self.found: tuple[U32, Integers] | None = None  # Positions in the list; term frequencies less 16


class BlockList:
    """One encoded posting list. Nothing is decoded before it is needed."""

    def __init__(
        self, data: bytes, frequency: int, docs: int, where: str, escapes: Escapes | None = None
    ) -> None:
        """Take the bytes of a list with `frequency` postings; its level has `docs` documents in the segment.

        `escapes` are what an earlier reading of the same list has decoded. Raises CorruptIndex.
        """
        self.frequency = frequency
        self._docs = docs
        self._where = where
        raw = np.frombuffer(data, dtype=np.uint8)
        blocks = count_blocks(docs)
        halves = _TABLE_BYTES * blocks + frequency
        rest = halves + (frequency + 1) // 2
        if not 0 < frequency <= docs or len(raw) < rest:
            raise self._corrupt()
        self.bounds = raw[:blocks]
        self._low = raw[_TABLE_BYTES * blocks : halves]
        self._data, self._low_start = data, _TABLE_BYTES * blocks
        self._halves = raw[halves:rest]
        self._escape_bytes = raw[rest:]
        self.escapes = escapes or Escapes(len(self._escape_bytes))
        sizes = _parse_block_sizes(self.bounds, raw[blocks : _TABLE_BYTES * blocks], where)
        # The first posting of each block, and the end as one more row; uint32, as many lists are cached.
        self._firsts = np.zeros(blocks + 1, dtype=np.uint32)
        sizes.cumsum(dtype=np.uint32, out=self._firsts[1:])
        if int(sizes.sum(dtype=np.int64)) != frequency:
            raise self._corrupt()

    def _corrupt(self) -> CorruptIndex:
        return CorruptIndex(f"{self._where}: a posting list does not fill its bytes")

    @property
    def byte_count(self) -> int:
        """Return about how many bytes of memory the list takes, without its escapes."""
        return len(self._data) + self._firsts.nbytes

    @property
    def block_sizes(self) -> U32:
        """Return the number of postings in each block (uint32)."""
        return self._firsts[1:] - self._firsts[:-1]

    def read(self) -> tuple[I64, I64]:
        """Return the doc ids and term frequencies of the whole list (both int64). Raises CorruptIndex."""
        docs = np.repeat(np.arange(len(self.bounds), dtype=np.int64) << BLOCK_BITS, self.block_sizes)
        docs |= self._low
        self._check(docs, int(docs[-1]))
        counts = np.empty(2 * len(self._halves), dtype=np.int64)
        np.bitwise_and(self._halves, _FREQUENCY_ESCAPE, out=counts[0::2], casting="unsafe")
        np.right_shift(self._halves, 4, out=counts[1::2], casting="unsafe")
        counts = counts[: self.frequency]
        counts += 1
        positions, rests = self._find_escapes()
        counts[positions] += rests
        return docs, counts

    def take(self, blocks: I64) -> tuple[I64, Integers]:
        """Return doc ids and term frequencies of the postings in ascending blocks. Raises CorruptIndex."""
        _, docs, counts = self.pick(blocks)
        return docs, counts

    def pick(self, blocks: I64) -> tuple[I64, I64, Integers]:
        """Return positions, doc ids and term frequencies of the postings in ascending blocks.

        Positions number the documents of these blocks in order, 256 to a block. Raises CorruptIndex.
        """
        numbers, sizes = self._find_numbers(blocks)
        # Once, because numpy would convert them for each operation below.
        low = self._low.take(numbers).astype(np.int64)
        positions = spread_positions(low, sizes)
        if len(positions):
            last = int(positions[-1])
            self._check(positions, int(blocks[last >> BLOCK_BITS]) << BLOCK_BITS | last & (BLOCK_DOCS - 1))
        docs = (blocks << BLOCK_BITS).repeat(sizes)
        docs |= low
        return positions, docs, self._read_counts(numbers)

    def place(self, blocks: I64) -> I64:
        """Return the same positions as `pick`, without reading the term frequencies."""
        numbers, sizes = self._find_numbers(blocks)
        return spread_positions(self._low.take(numbers), sizes)

    def _find_numbers(self, blocks: I64) -> tuple[I64, I64]:
        """Return the indexes in the list of all postings in some blocks, and how many each block has."""
        starts = self._firsts.take(blocks).astype(np.int64)
        sizes = self._firsts.take(blocks + 1) - starts
        return spread_runs(starts, sizes), sizes

    def hold(self, docs: I64) -> list[int]:
        """Return the indexes in `docs` of the documents that the list contains."""
        found = search_low(*self._find_spans(docs), docs)
        return [row for row, place in enumerate(found) if place >= 0]

    def look_up(self, docs: I64) -> tuple[I64, Integers]:
        """Return the documents of ascending `docs` that the list has: their indexes and term frequencies.

        Raises CorruptIndex.
        """
        rows, firsts, _ = find_low(*self._find_spans(docs), docs)
        return rows, self._read_counts(firsts - self._low_start)

    def _find_spans(self, docs: I64) -> tuple[bytes, Integers, Integers]:
        """Return the list's bytes, and where the low bytes of each document's block begin and end."""
        blocks = docs >> BLOCK_BITS
        starts, ends = self._firsts.take(blocks), self._firsts.take(blocks + 1)
        return self._data, starts + self._low_start, ends + self._low_start

    def _check(self, ascending: I64, last_doc: int) -> None:
        if last_doc >= self._docs or (ascending[1:] <= ascending[:-1]).any():
            raise CorruptIndex(f"{self._where}: doc ids do not ascend, or document {last_doc} does not exist")

    def _read_counts(self, positions: I64) -> Integers:
        """Return the term frequencies of the postings at ascending positions in the list, as bytes if none
        is escaped."""
        halves = self._halves.take(positions >> 1)
        is_odd = positions.astype(np.uint8)
        is_odd &= 1
        is_odd <<= 2
        halves >>= is_odd
        halves &= _FREQUENCY_ESCAPE
        halves += 1
        escaped = (halves > _FREQUENCY_ESCAPE).nonzero()[0]
        counts: Integers = halves
        if len(escaped):
            counts = halves.astype(np.int64)
            own, rests = self._find_escapes()
            # uint32, like the positions searched: else numpy would widen them all first.
            counts[escaped] += rests[own.searchsorted(positions[escaped].astype(np.uint32))]
        return counts

    def _find_escapes(self) -> tuple[U32, Integers]:
        """Return the positions of the escaped term frequencies in the list, and each of them less 16."""
        found = self.escapes.found
        if found is None:
            found = self.escapes.found = self._decode_escapes()
        return found

    def _decode_escapes(self) -> tuple[U32, Integers]:
        is_low = (self._halves & _FREQUENCY_ESCAPE) == _FREQUENCY_ESCAPE
        is_high = self._halves >= _FREQUENCY_ESCAPE << 4
        held = (is_low | is_high).nonzero()[0]  # few bytes: both halves of only these are looked at
        is_escape = np.stack([is_low.take(held), is_high.take(held)], axis=1)
        found = is_escape.ravel().nonzero()[0]
        positions = held.take(found >> 1) << 1 | found & 1
        rests, _ = varints.decode(self._escape_bytes, self._where)
        if len(rests) != len(positions) or (len(positions) and int(positions[-1]) >= self.frequency):
            raise CorruptIndex(
                f"{self._where}: {len(rests)} escapes, but {len(positions)} term frequencies need one"
            )
        _check_rests(rests, self._where)
        return positions.astype(np.uint32), rests.astype(np.min_scalar_type(int(rests.max(initial=0))))


def decode_block_lists(raw: U8, sizes: I64, frequencies: I64, docs: I64, where: str) -> tuple[I64, I64]:
    """Return the doc ids and term frequencies of consecutive lists that fill `raw`.

    `docs` holds, for each list, the number of documents of its level. Raises CorruptIndex.
    """
    blocks = -(-docs // BLOCK_DOCS)
    offsets = np.cumsum(sizes) - sizes
    halves_at = offsets + _TABLE_BYTES * blocks + frequencies
    escapes_at = halves_at + (frequencies + 1) // 2
    escape_bytes = offsets + sizes - escapes_at
    if (escape_bytes < 0).any() or (frequencies > docs).any():
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    rows = spread_runs(offsets, blocks)
    block_sizes = _parse_block_sizes(raw[rows], raw[rows + np.repeat(blocks, blocks)], where)
    if (np.add.reduceat(block_sizes, np.cumsum(blocks) - blocks) != frequencies).any():
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    found = np.repeat(spread_runs(np.zeros_like(blocks), blocks) << BLOCK_BITS, block_sizes)
    found |= raw[spread_runs(halves_at - frequencies, frequencies)]
    starts = np.cumsum(frequencies) - frequencies
    rises = np.diff(found, prepend=-1) > 0
    rises[starts] = True
    if not rises.all() or (found[starts + frequencies - 1] >= docs).any():
        raise CorruptIndex(f"{where}: doc ids that do not ascend, or that the segment does not have")
    within = spread_runs(np.zeros_like(frequencies), frequencies)
    halves = raw[np.repeat(halves_at, frequencies) + (within >> 1)] >> ((within & 1) << 2).astype(np.uint8)
    halves &= _FREQUENCY_ESCAPE
    counts = halves.astype(np.int64)
    counts += 1
    escapes = raw[spread_runs(escapes_at, escape_bytes)]
    rests, ends = varints.decode(escapes, where)
    escaped = np.flatnonzero(halves == _FREQUENCY_ESCAPE)
    wanted = count_positions(escaped, starts + frequencies)
    byte_ends = np.append(0, ends)[np.minimum(np.cumsum(wanted), len(ends))]
    if len(rests) != int(wanted.sum()) or (byte_ends != np.cumsum(escape_bytes)).any():
        raise CorruptIndex(
            f"{where}: {len(rests)} escapes, but {int(wanted.sum())} term frequencies need one"
        )
    _check_rests(rests, where)
    counts[escaped] += rests
    return found, counts


def _check_rests(rests: I64, where: str) -> None:
    if int(rests.max(initial=0)) >= MAX_TERM_FREQUENCY - _FREQUENCY_ESCAPE:
        raise CorruptIndex(
            f"{where}: a term frequency of {int(rests.max()) + _FREQUENCY_ESCAPE + 1} is too large"
        )


def _parse_block_sizes(bounds: U8, sizes: U8, where: str) -> U32:
    has_bound, is_sized = bounds > 0, sizes > 0
    if (is_sized > has_bound).any():
        raise CorruptIndex(f"{where}: a block with postings and without a bound")
    found = sizes.astype(np.uint32)
    found[has_bound > is_sized] = BLOCK_DOCS
    return found
