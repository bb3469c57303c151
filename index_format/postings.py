"""Posting lists: gaps between doc ids, and term frequencies, in narrow fixed widths with escapes.

One list, of document frequency df >= 1:

    u8 head          bits 0-1 gap width code: 0, 1, 2 for 1, 2, 4 bytes; bit 2: term frequencies follow;
                     bit 3: bounds follow; the other bits are zero
    bounds           u32 largest term frequency | u32 smallest field length of its documents
                     (only lists of df >= BOUNDS_FREQUENCY: what a query needs to skip a list)
    gaps             df integers of the gap width: the first doc id, then differences (>= 1);
                     the width's largest value (255, 65535) stands for an escape
    gap escapes      u32 for each escaped gap, in order
    frequencies      ceil(df / 2) bytes, the even posting in the low half: term frequency less 1,
                     where 15 stands for an escape; left out where every term frequency is 1
    frequency escapes  u32 for each, in order: term frequency less 1

The gap width is the one that makes the list smallest, the narrower of two equals. Doc ids 3, 4, 900
with term frequencies 1, 2, 40:

    05 | 03 00 01 00 80 03 | 10 0f | 27 00 00 00

Everything here works on many lists at a time with numpy, never posting by posting in Python: a list
is decoded at about 3 ns a posting. Left out on purpose: positions (the live text is the proof of a
phrase), compression below a byte a gap (it would halve nothing but the speed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from index_format.errors import CorruptIndex
from index_format.records import I64, U8

WIDTHS = (1, 2, 4)
ESCAPES = (0xFF, 0xFFFF, 1 << 32)  # the last is never reached
WIDTH_TYPES = tuple(np.dtype(f"<u{width}") for width in WIDTHS)
ESCAPE_BYTES = 4
WIDTH_MASK, FREQUENCIES_BIT, BOUNDS_BIT = 0b11, 0b100, 0b1000
FREQUENCY_ESCAPE = 15
BOUNDS_FREQUENCY = 64
BOUNDS_BYTES = 8
MAX_VALUE = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class EncodedLists:
    """Posting lists one after the other, and the bytes that each takes."""

    data: bytes
    sizes: I64


def encode_lists(frequencies: I64, docs: I64, term_frequencies: I64, lengths: I64) -> EncodedLists:
    """The bytes of posting lists; `lengths` is the field length of each posting's document.

    Arrays are as in PostingRun: `docs` ascending within each list, all values below 2**32.
    """
    starts = np.cumsum(frequencies) - frequencies
    gaps = _to_gaps(docs, starts)
    counts = term_frequencies - 1
    codes, gap_sizes = _choose_widths(gaps, frequencies, starts)
    has_counts = np.maximum.reduceat(counts, starts) > 0
    count_escapes = np.add.reduceat((counts >= FREQUENCY_ESCAPE).astype(np.int64), starts)
    count_sizes = np.where(has_counts, (frequencies + 1) // 2 + ESCAPE_BYTES * count_escapes, 0)
    has_bounds = frequencies >= BOUNDS_FREQUENCY
    sizes = 1 + BOUNDS_BYTES * has_bounds + gap_sizes + count_sizes
    offsets = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    out[offsets] = codes | np.where(has_counts, FREQUENCIES_BIT, 0) | np.where(has_bounds, BOUNDS_BIT, 0)
    _put_bounds(out, offsets[has_bounds] + 1, counts, lengths, starts, has_bounds)
    gap_offsets = offsets + 1 + BOUNDS_BYTES * has_bounds
    for code in range(len(WIDTHS)):
        _put_gaps(out, code, gaps, frequencies, gap_offsets, codes == code)
    _put_counts(out, counts, frequencies, gap_offsets + gap_sizes, has_counts)
    return EncodedLists(out.tobytes(), sizes)


def _to_gaps(docs: I64, starts: I64) -> I64:
    gaps = np.diff(docs, prepend=0)
    gaps[starts] = docs[starts]
    return gaps


def _choose_widths(gaps: I64, frequencies: I64, starts: I64) -> tuple[I64, I64]:
    """For each list the width code of its gaps and the bytes they take, escapes included."""
    costs = []
    for width, escape in zip(WIDTHS, ESCAPES, strict=True):
        escaped = np.add.reduceat((gaps >= escape).astype(np.int64), starts)
        costs.append(width * frequencies + ESCAPE_BYTES * escaped)
    codes = np.argmin(np.stack(costs), axis=0)
    return codes.astype(np.int64), np.choose(codes, costs)


def _put_bounds(
    out: U8, offsets: I64, counts: I64, lengths: I64, starts: I64, has_bounds: npt.NDArray[np.bool_]
) -> None:
    _put_integers(out, offsets, np.maximum.reduceat(counts, starts)[has_bounds] + 1, 4)
    _put_integers(out, offsets + 4, np.minimum.reduceat(lengths, starts)[has_bounds], 4)


def _put_gaps(
    out: U8, code: int, gaps: I64, frequencies: I64, offsets: I64, chosen: npt.NDArray[np.bool_]
) -> None:
    if not chosen.any():
        return
    width, escape = WIDTHS[code], ESCAPES[code]
    own_gaps = gaps[np.repeat(chosen, frequencies)]
    own_frequencies, own_offsets = frequencies[chosen], offsets[chosen]
    places = _spread(own_offsets, own_frequencies, width)
    _put_integers(out, places, np.minimum(own_gaps, escape), width)
    _put_escapes(out, own_gaps, escape, own_frequencies, own_offsets + width * own_frequencies)


def _put_counts(
    out: U8, counts: I64, frequencies: I64, offsets: I64, has_counts: npt.NDArray[np.bool_]
) -> None:
    if not has_counts.any():
        return
    own_counts = counts[np.repeat(has_counts, frequencies)]
    own_frequencies, own_offsets = frequencies[has_counts], offsets[has_counts]
    index = _spread(np.zeros_like(own_frequencies), own_frequencies, 1)
    places = np.repeat(own_offsets, own_frequencies) + (index >> 1)
    halves = np.minimum(own_counts, FREQUENCY_ESCAPE).astype(np.uint8)
    even = (index & 1) == 0
    out[places[even]] = halves[even]
    out[places[~even]] |= halves[~even] << 4
    _put_escapes(out, own_counts, FREQUENCY_ESCAPE, own_frequencies, own_offsets + (own_frequencies + 1) // 2)


def _put_escapes(out: U8, values: I64, escape: int, frequencies: I64, offsets: I64) -> None:
    """Write the values that reach `escape`, each list's from its offset on."""
    escaped = values >= escape
    if not escaped.any():
        return
    per_list = np.add.reduceat(escaped.astype(np.int64), np.cumsum(frequencies) - frequencies)
    _put_integers(out, _spread(offsets, per_list, ESCAPE_BYTES), values[escaped], ESCAPE_BYTES)


def _spread(offsets: I64, counts: I64, step: int) -> I64:
    """For each list `counts` places from its offset on, `step` apart."""
    before = np.cumsum(counts) - counts
    return np.repeat(offsets - step * before, counts) + step * np.arange(int(counts.sum()), dtype=np.int64)


def _put_integers(out: U8, places: I64, values: I64, width: int) -> None:
    for byte in range(width):
        out[places + byte] = (values >> (8 * byte)) & 0xFF


def decode_lists(data: bytes, sizes: I64, frequencies: I64, where: str) -> tuple[I64, I64]:
    """Doc ids and term frequencies of lists that lie one after the other in `data`.

    Raises CorruptIndex when a list does not fill its size exactly or its doc ids do not ascend.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    if len(raw) != int(sizes.sum()) or (sizes <= frequencies).any() or (frequencies < 1).any():
        raise CorruptIndex(f"{where}: {len(raw)} bytes of postings, {int(sizes.sum())} expected")
    offsets = np.cumsum(sizes) - sizes
    heads = raw[offsets]
    codes = heads & WIDTH_MASK
    if (codes >= len(WIDTHS)).any() or (heads >> 4).any():
        raise CorruptIndex(f"{where}: a posting list starts with an unknown head")
    starts = offsets + 1 + BOUNDS_BYTES * ((heads & BOUNDS_BIT) > 0)
    ends = offsets + sizes
    gaps = np.empty(int(frequencies.sum()), dtype=np.int64)
    gap_ends = np.empty_like(starts)
    for code in range(len(WIDTHS)):
        _get_gaps(raw, code, frequencies, starts, ends, codes == code, gaps, gap_ends, where)
    counts = _get_counts(raw, frequencies, gap_ends, ends, (heads & FREQUENCIES_BIT) > 0, where)
    return _to_docs(gaps, frequencies, where), counts + 1


def _get_gaps(
    raw: U8,
    code: int,
    frequencies: I64,
    starts: I64,
    ends: I64,
    chosen: npt.NDArray[np.bool_],
    gaps: I64,
    gap_ends: I64,
    where: str,
) -> None:
    """Fill in the gaps of the lists of one width, and where they end."""
    if not chosen.any():
        return
    width, own_frequencies = WIDTHS[code], frequencies[chosen]
    own_starts = starts[chosen]
    own_ends = own_starts + width * own_frequencies
    if (own_ends > ends[chosen]).any():
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency")
    values = _get_integers(raw, _spread(own_starts, own_frequencies, width), width)
    escaped_bytes = _fill_escapes(raw, values, ESCAPES[code], own_frequencies, own_ends, ends[chosen], where)
    gaps[np.repeat(chosen, frequencies)] = values
    gap_ends[chosen] = own_ends + escaped_bytes


def _get_counts(
    raw: U8, frequencies: I64, starts: I64, ends: I64, chosen: npt.NDArray[np.bool_], where: str
) -> I64:
    """Term frequencies less 1 of all lists; checks that every list ends where it should."""
    counts = np.zeros(int(frequencies.sum()), dtype=np.int64)
    own_ends = starts.copy()
    if chosen.any():
        own_frequencies = frequencies[chosen]
        half_ends = starts[chosen] + (own_frequencies + 1) // 2
        if (half_ends > ends[chosen]).any():
            raise CorruptIndex(f"{where}: a posting list has no room for its term frequencies")
        index = _spread(np.zeros_like(own_frequencies), own_frequencies, 1)
        bytes_of = raw[np.repeat(starts[chosen], own_frequencies) + (index >> 1)]
        values = ((bytes_of >> ((index & 1) * 4).astype(np.uint8)) & FREQUENCY_ESCAPE).astype(np.int64)
        escaped = _fill_escapes(
            raw, values, FREQUENCY_ESCAPE, own_frequencies, half_ends, ends[chosen], where
        )
        counts[np.repeat(chosen, frequencies)] = values
        own_ends[chosen] = half_ends + escaped
    if (own_ends != ends).any():
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes")
    return counts


def _fill_escapes(
    raw: U8, values: I64, escape: int, frequencies: I64, offsets: I64, ends: I64, where: str
) -> I64:
    """Replace the escaped values in place. Returns the bytes that each list's escapes take."""
    escaped = values == escape
    if not escaped.any():
        return np.zeros_like(frequencies)
    per_list = np.add.reduceat(escaped.astype(np.int64), np.cumsum(frequencies) - frequencies)
    if (offsets + ESCAPE_BYTES * per_list > ends).any():
        raise CorruptIndex(f"{where}: a posting list has no room for its escapes")
    values[escaped] = _get_integers(raw, _spread(offsets, per_list, ESCAPE_BYTES), ESCAPE_BYTES)
    return ESCAPE_BYTES * per_list


def _get_integers(raw: U8, places: I64, width: int) -> I64:
    values = raw[places].astype(np.int64)
    for byte in range(1, width):
        values |= raw[places + byte].astype(np.int64) << (8 * byte)
    return values


def _to_docs(gaps: I64, frequencies: I64, where: str) -> I64:
    """Doc ids from gaps: running sums that start anew with each list."""
    starts = np.cumsum(frequencies) - frequencies
    first = np.zeros(len(gaps), dtype=np.bool_)
    first[starts] = True
    if ((gaps < 1) & ~first).any():
        raise CorruptIndex(f"{where}: doc ids that do not ascend")
    sums = np.cumsum(gaps)
    docs: I64 = sums - np.repeat(sums[starts] - gaps[starts], frequencies)
    return docs


def decode_list(
    data: bytes, frequency: int, where: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Doc ids and term frequencies of one list that fills `data`: `decode_lists` for a query's speed.

    Raises CorruptIndex as `decode_lists` does.
    """
    head = data[0] if data else 0xFF
    if head >> 4 or head & WIDTH_MASK >= len(WIDTHS) or frequency < 1:
        raise CorruptIndex(f"{where}: a posting list starts with an unknown head")
    code = head & WIDTH_MASK
    place = 1 + (BOUNDS_BYTES if head & BOUNDS_BIT else 0)
    try:
        gaps, place = _take(data, place, WIDTH_TYPES[code], frequency, ESCAPES[code])
        counts = np.ones(frequency, dtype=np.int64)
        if head & FREQUENCIES_BIT:
            counts, place = _take_counts(data, place, frequency)
    except ValueError as error:  # numpy: the buffer is smaller than asked for
        raise CorruptIndex(f"{where}: a posting list is shorter than its document frequency") from error
    if place != len(data) or (frequency > 1 and int(gaps[1:].min()) < 1):
        raise CorruptIndex(f"{where}: a posting list does not fill its bytes or does not ascend")
    return np.cumsum(gaps), counts


def _take(data: bytes, place: int, kind: np.dtype[Any], count: int, escape: int) -> tuple[I64, int]:
    values = np.frombuffer(data, dtype=kind, count=count, offset=place)
    place += values.nbytes
    return _take_escapes(data, place, values.astype(np.int64), values == escape)


def _take_escapes(data: bytes, place: int, values: I64, escaped: npt.NDArray[np.bool_]) -> tuple[I64, int]:
    count = int(np.count_nonzero(escaped))
    if count:
        values[escaped] = np.frombuffer(data, dtype="<u4", count=count, offset=place)
    return values, place + ESCAPE_BYTES * count


def _take_counts(data: bytes, place: int, count: int) -> tuple[I64, int]:
    halves = np.frombuffer(data, dtype=np.uint8, count=(count + 1) // 2, offset=place)
    values = np.empty(2 * len(halves), dtype=np.int64)
    values[0::2] = halves & FREQUENCY_ESCAPE
    values[1::2] = halves >> 4
    values, place = _take_escapes(
        data, place + len(halves), values[:count], values[:count] == FREQUENCY_ESCAPE
    )
    return values + 1, place


def read_bounds(head: bytes) -> tuple[int, int] | None:
    """(largest term frequency, smallest field length) from a list's first 9 bytes; None where it has none."""
    if len(head) < 1 + BOUNDS_BYTES or not head[0] & BOUNDS_BIT:
        return None
    return int.from_bytes(head[1:5], "little"), int.from_bytes(head[5:9], "little")
