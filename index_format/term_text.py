"""Many terms as one piece of text, which array arithmetic sorts, ranks and gathers.

A dictionary has millions of terms. As Python objects they would cost more time than their posting
lists. Here they stay bytes of one text: seven bytes of every term are compared at a time, as one
integer (a lane). Only terms that are equal so far are compared further.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
Kind = Literal["quicksort", "stable"]  # numpy's names; the stable sort makes use of what is in order already
_LONG = 448  # bytes of a term that are compared by lanes; hardly any term is longer
_LANE = 7  # bytes of a term compared at a time; the eighth of an integer says how many are left
_WORD = 8  # bytes of an integer
_PADDING = bytes(_LANE + 1)  # the last lane of the last term may reach into it
_KEEP = np.array([(1 << 64) - (1 << (64 - 8 * count)) for count in range(_LANE + 1)], dtype=np.uint64)
_LEFT = 0xFF
_GATHERED = 1 << 12  # terms gathered at a time: each of their bytes takes 16 bytes meanwhile
_COUNTED = 16 * 1024  # bytes of a text for each stored count of terms


class TermText:
    """Terms one after the other, each followed by a line feed. No term contains one."""

    __slots__ = ("ends", "text")

    def __init__(self, text: bytes, ends: I64) -> None:
        self.text = text
        self.ends = ends  # offset behind each term's line feed

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, position: int) -> bytes:
        """Return one term, as `bisect` needs. Raises IndexError beyond the last."""
        start = int(self.ends[position - 1]) if position else 0
        return self.text[start : int(self.ends[position]) - 1]

    @property
    def starts(self) -> I64:
        """Return the offset of each term (int64)."""
        starts: I64 = np.concatenate([np.zeros(1, dtype=np.int64), self.ends])[: len(self.ends)]
        return starts

    def split(self) -> list[bytes]:
        """Return the terms as separate objects."""
        return self.text.split(b"\n")[:-1]

    def cut(self, low: int, high: int) -> TermText:
        """Return the terms [low, high)."""
        if (low, high) == (0, len(self)):
            return self
        start = int(self.ends[low - 1]) if low else 0
        ends = self.ends[low:high]
        return TermText(self.text[start : int(ends[-1]) if len(ends) else start], ends - start)

    def gather(self, positions: I64) -> TermText:
        """Return the terms at `positions`, in the order given."""
        starts = self.starts[positions]
        return gather_spans(self.text, starts, self.ends[positions] - 1 - starts)


class TermSearch:
    """Ascending terms, searched directly in their text: computing where each term ends takes longer."""

    def __init__(self, text: bytes) -> None:
        """Count the terms. Bytes after the last line feed are not a term."""
        self._text = text
        is_end = np.frombuffer(text, dtype=np.uint8) == ord("\n")
        counts = (int(np.count_nonzero(is_end[at : at + _COUNTED])) for at in range(0, len(text), _COUNTED))
        self._before = [0, *accumulate(counts)]  # terms that end before each _COUNTED bytes
        end = text.rfind(b"\n") + 1
        marks = [text.index(b"\n", at - 1) + 1 for at in range(_COUNTED, end, _COUNTED)]
        self._starts = [start for start in (0, *dict.fromkeys(marks)) if start < end]
        self._sample = [text[start : text.index(b"\n", start)] for start in self._starts]
        self._starts.append(end)

    def __len__(self) -> int:
        return self._before[-1]

    def count_up_to(self, term: bytes) -> int:
        """Return the number of terms not above `term`, like `bisect_right`."""
        place = bisect_right(self._sample, term)
        low, high = self._starts[max(0, place - 1)], self._starts[place]
        while low < high:
            start = max(low, self._text.rfind(b"\n", low, (low + high) // 2) + 1)
            end = self._text.index(b"\n", start)
            if self._text[start:end] <= term:
                low = end + 1
            else:
                high = start
        counted = low // _COUNTED
        return self._before[counted] + self._text.count(b"\n", counted * _COUNTED, low)


def build_term_text(terms: Sequence[bytes]) -> TermText:
    """Return terms that are separate objects as one text."""
    sizes = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
    return TermText(b"".join(term + b"\n" for term in terms), np.cumsum(sizes + 1))


def parse_term_text(text: bytes) -> TermText:
    """Return the terms of a text. Bytes after the last line feed are not a term, but stay in the text."""
    return TermText(text, np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")) + 1)


def join_term_texts(texts: Sequence[TermText]) -> TermText:
    """Return the terms of several texts as one text."""
    offsets = np.cumsum([0, *(len(one.text) for one in texts)]).tolist()
    ends = [one.ends + offset for one, offset in zip(texts, offsets, strict=False)]
    return TermText(b"".join(one.text for one in texts), np.concatenate([np.zeros(0, dtype=np.int64), *ends]))


def gather_spans(text: bytes, starts: I64, sizes: I64) -> TermText:
    """Return spans of a text as terms, in the order given. No span may reach the end of the text."""
    sizes = sizes + 1
    ends = np.cumsum(sizes)
    moves = starts - (ends - sizes)
    source = np.frombuffer(text, dtype=np.uint8)
    gathered = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    begin = 0
    for low in range(0, len(ends), _GATHERED):
        high = min(low + _GATHERED, len(ends))
        end = int(ends[high - 1])
        bytes_at = moves[low:high].repeat(sizes[low:high])
        bytes_at += np.arange(begin, end)
        gathered[begin:end] = source.take(bytes_at)
        begin = end
    gathered[ends - 1] = ord("\n")
    return TermText(gathered.tobytes(), ends)


def rank_terms(terms: TermText) -> tuple[I64, I64]:
    """Return each term's rank among the distinct ones in byte order, and an index of each distinct one.

    It is fastest where the terms ascend for long, as those of joined dictionaries do.
    """
    starts = terms.starts
    return rank_spans(terms.text, starts, terms.ends - 1 - starts, "stable")


def rank_spans(text: bytes, starts: I64, sizes: I64, kind: Kind = "quicksort") -> tuple[I64, I64]:
    """Return ranks and indexes for spans of a text, taken as terms. See `rank_terms`."""
    order, is_new = _sort(text, starts, sizes, kind)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(is_new) - 1
    return ranks, order[is_new]


def are_ascending(terms: TermText) -> bool:
    """Return True when each term is above the one before it, in byte order."""
    starts = terms.starts
    sizes = terms.ends - 1 - starts
    words = _open_words(terms.text)
    lanes = _get_lanes(words, starts, sizes)
    pairs = np.arange(len(terms) - 1)  # the first of every two neighbours that are equal so far
    lower, upper = lanes[:-1], lanes[1:]
    offset = 0
    while len(pairs):
        if (lower > upper).any():
            return False
        alike = np.flatnonzero(lower == upper)
        if (lower[alike] & np.uint64(_LEFT) <= _LANE).any():  # nothing is left to compare: they are equal
            return False
        pairs = pairs[alike]
        offset += _LANE
        if offset >= _LONG:
            return all(terms[position] < terms[position + 1] for position in pairs.tolist())
        lower = _get_lanes(words, starts[pairs] + offset, sizes[pairs] - offset)
        upper = _get_lanes(words, starts[pairs + 1] + offset, sizes[pairs + 1] - offset)
    return True


def count_shared(terms: TermText, most: int) -> I64:
    """Return how many bytes each term shares with the one before it, at most `most` (int64)."""
    words, starts = _open_words(terms.text), terms.starts
    sizes = terms.ends - 1 - starts
    limits = np.minimum(np.minimum(sizes[1:], sizes[:-1]), most)
    shared = np.zeros(len(terms), dtype=np.int64)
    pairs = np.arange(len(limits))  # the first of every two neighbours that are equal so far
    lanes = words[starts]
    lower, upper = lanes[:-1], lanes[1:]
    offset = 0
    while len(pairs):
        differs = lower ^ upper
        same = np.bitwise_count((differs - np.uint64(1)) & ~differs) >> 3  # bytes below the lowest one bit
        shared[pairs + 1] += same
        offset += _WORD
        pairs = pairs[(same == _WORD) & (limits[pairs] > offset)]
        lower, upper = words[starts[pairs] + offset], words[starts[pairs + 1] + offset]
    shared[1:] = np.minimum(shared[1:], limits)
    return shared


def _sort(text: bytes, starts: I64, sizes: I64, kind: Kind) -> tuple[I64, npt.NDArray[np.bool_]]:
    """Return the indexes of the spans in byte order, and a mask of those that differ from the one before."""
    words = _open_words(text)
    lanes = _get_lanes(words, starts, sizes)
    order = np.argsort(lanes, kind=kind)
    lanes = lanes[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    np.not_equal(lanes[1:], lanes[:-1], out=is_new[1:])
    open_at = _find_open(is_new, lanes)
    offset = _LANE
    while len(open_at):
        if offset >= _LONG:
            _sort_rests(text, starts, sizes, order, is_new, open_at, offset)
            break
        own, groups = order[open_at], np.cumsum(is_new[open_at], dtype=np.int64)
        lanes = _get_lanes(words, starts[own] + offset, sizes[own] - offset)
        _sort_groups(groups, lanes, own)
        order[open_at] = own
        is_new[open_at[1:]] |= lanes[1:] != lanes[:-1]
        open_at = open_at[_find_open(is_new[open_at], lanes)]
        offset += _LANE
    return order, is_new


def _sort_groups(groups: I64, lanes: npt.NDArray[np.uint64], own: I64) -> None:
    """Sort the lanes of each group, and `own` with them. Most groups need no sort: their spans are equal."""
    falls = np.flatnonzero((lanes[1:] < lanes[:-1]) & (groups[1:] == groups[:-1]))
    if not len(falls):
        return
    is_mixed = np.zeros(int(groups[-1]) + 1, dtype=np.bool_)
    is_mixed[groups.take(falls)] = True
    at = np.flatnonzero(is_mixed.take(groups))
    mixed = lanes.take(at)
    by_lane = np.argsort(mixed)
    bits = len(at).bit_length()
    keys = groups.take(at.take(by_lane)) << bits | np.arange(len(at))
    keys.sort()
    within = by_lane.take(keys & ((1 << bits) - 1))
    lanes[at] = mixed.take(within)
    own[at] = own.take(at).take(within)


def _sort_rests(
    text: bytes, starts: I64, sizes: I64, order: I64, is_new: npt.NDArray[np.bool_], open_at: I64, offset: int
) -> None:
    """Sort spans that are equal up to `offset` as objects: they are few, and would take many lanes."""
    own, groups = order[open_at], np.cumsum(is_new[open_at])
    spans = zip((starts[own] + offset).tolist(), (starts[own] + sizes[own]).tolist(), strict=True)
    keys = [(group, text[start:end]) for group, (start, end) in zip(groups.tolist(), spans, strict=True)]
    within = sorted(range(len(own)), key=keys.__getitem__)
    order[open_at] = own[within]
    differs = [keys[one] != keys[other] for one, other in pairwise(within)]
    is_new[open_at[1:]] |= np.array(differs, dtype=np.bool_)


def _open_words(text: bytes) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from each offset of a text on, as integers."""
    return np.ndarray(len(text) + 1, dtype="<u8", buffer=text + _PADDING, strides=(1,))


def _get_lanes(words: npt.NDArray[np.uint64], starts: I64, sizes: I64) -> npt.NDArray[np.uint64]:
    """Return the next lane of each term as an integer; of equal bytes the shorter term comes first."""
    lanes = words[starts].astype(np.uint64).byteswap()
    lanes &= _KEEP[np.minimum(sizes, _LANE)]
    lanes |= np.minimum(sizes, _LANE + 1).astype(np.uint64)
    return lanes


def _find_open(is_new: npt.NDArray[np.bool_], lanes: npt.NDArray[np.uint64]) -> I64:
    """Return the indexes of terms that are equal to a neighbour so far and continue behind their lane."""
    alike = ~is_new
    alike[:-1] |= ~is_new[1:]
    return np.flatnonzero(alike & (lanes & np.uint64(_LEFT) > _LANE))
