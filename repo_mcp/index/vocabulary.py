"""The words of a text, found and numbered by array arithmetic, not by a Python object for each.

A word is a run of word bytes: ASCII letters, digits, underscore, and all bytes above 127. Each is
hashed eight bytes at a time, all words of a text together, to 128 bits, and words are the same when
these are: as with the fingerprints of files, nobody will see two that differ. Half of the bits find
the equal words and the other half tells apart what should collide in the first. The factors are
drawn anew in each process, so that nobody can prepare words that collide; they leave no trace in
the result.

The plain version is a dictionary over `split_words`; it takes three times as long, and the tests
hold this one against it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
WORD_BYTES = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(128, 256))
_TO_SPACES = bytes(byte if byte in WORD_BYTES else 0x20 for byte in range(256))
_LANE = 8  # bytes hashed at a time
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_LANE + 1)], dtype=np.uint64)
_FOLD = np.uint64(32)
_SLOTS_PER_WORD = 4


_FACTORS = tuple(np.uint64(secrets.randbits(64) | 1) for _ in range(4))


def split_words(data: bytes) -> list[bytes]:
    """The words of a text in order: the plain version."""
    return data.translate(_TO_SPACES).split()


@dataclass(frozen=True, slots=True)
class TextWords:
    """The words of one text in order."""

    starts: I64  # where each word begins
    ranks: I64  # number of each word among the text's distinct ones
    distinct: int  # how many those are


@dataclass(frozen=True, slots=True)
class _Sample:
    """The distinct words of one text, one after the other, and their hashes."""

    words: bytes
    ends: I64
    hashes: tuple[U64, U64]


class Vocabulary:
    """The distinct words of several texts."""

    def __init__(self) -> None:
        self._samples: list[_Sample] = []

    def add(self, text: bytes) -> TextWords:
        """Find the words of the next text and number them among themselves."""
        padded = text.translate(_TO_SPACES) + b" " * (2 * _LANE)
        edges = np.flatnonzero(np.diff(np.frombuffer(padded, dtype=np.uint8) != 0x20, prepend=False))
        starts, sizes = edges[0::2], edges[1::2] - edges[0::2]
        hashes = _hash_words(padded, starts, sizes)
        ranks, places = _rank(*hashes)
        first, second = hashes
        ends, gathered = _gather_words(padded, starts[places], sizes[places])
        self._samples.append(_Sample(gathered, ends, (first[places], second[places])))
        return TextWords(starts, ranks, len(places))

    def finish(self) -> tuple[list[bytes], list[I64]]:
        """All distinct words, and for each text its words' numbers among them. Spends the vocabulary."""
        samples, self._samples = self._samples, []
        if not samples:
            return [], []
        first, second = (np.concatenate([sample.hashes[half] for sample in samples]) for half in (0, 1))
        ranks, places = _rank(first, second)
        bounds = np.cumsum([len(sample.ends) for sample in samples])
        owners = np.searchsorted(bounds, places, side="right")
        words: list[bytes] = [b""] * len(places)
        for number, sample in enumerate(samples):
            own = np.flatnonzero(owners == number)
            rows = places[own] - (bounds[number] - len(sample.ends))
            ends = np.append(sample.ends, 0)  # what stands before the first word ends at 0
            for place, begin, end in zip(
                own.tolist(), ends[rows - 1].tolist(), ends[rows].tolist(), strict=True
            ):
                words[place] = sample.words[begin:end]
        return words, np.split(ranks, bounds[:-1])


def _gather_words(padded: bytes, starts: I64, sizes: I64) -> tuple[I64, bytes]:
    """Where each of the words ends when they stand one after the other, and that text."""
    ends = np.cumsum(sizes)
    places = np.repeat(starts - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    return ends, np.frombuffer(padded, dtype=np.uint8)[places].tobytes()


def _hash_words(padded: bytes, starts: I64, sizes: I64) -> tuple[U64, U64]:
    """Two hashes of each word's bytes. No word byte is zero, so a word's last lane tells its length."""
    lanes: U64 = np.ndarray(len(padded) - _LANE + 1, dtype="<u8", buffer=padded, strides=(1,))
    lane = lanes[starts] & _MASKS[np.minimum(sizes, _LANE)]
    first, second = lane * _FACTORS[0], lane * _FACTORS[1]
    longer = np.flatnonzero(sizes > _LANE)
    offset = _LANE
    while len(longer):
        lane = lanes[starts[longer] + offset] & _MASKS[np.minimum(sizes[longer] - offset, _LANE)]
        first[longer] = _mix(first[longer], lane, _FACTORS[2])
        second[longer] = _mix(second[longer], lane, _FACTORS[3])
        offset += _LANE
        longer = longer[sizes[longer] > offset]
    return _mix(first, _FOLD, _FACTORS[2]), second


def _mix(hashes: U64, lane: U64 | np.uint64, factor: np.uint64) -> U64:
    hashes ^= hashes >> _FOLD
    hashes ^= lane
    hashes *= factor
    return hashes


def _rank(first: U64, second: U64) -> tuple[I64, I64]:
    """The number of each hash among the distinct ones, and a place where each of those stands.

    Ranks by the first half; what differs from its namesake in the second is ranked behind, by that.
    """
    ranks, places = _rank_half(first)
    others = np.flatnonzero(second != second[places[ranks]]) if len(ranks) else ranks
    if len(others):
        more, more_places = _rank_half(second[others])
        ranks[others] = len(places) + more
        places = np.concatenate([places, others[more_places]])
    return ranks, places


def _rank_half(hashes: U64) -> tuple[I64, I64]:
    """The number of each hash among the distinct ones in ascending order, and a place of each of those.

    A table by the leading bits gives the last of the distinct hashes that share them; the one
    looked for is there or a few before it.
    """
    if not len(hashes):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ordered = np.sort(hashes)
    distinct = ordered[np.flatnonzero(np.diff(ordered, prepend=~ordered[0]))]
    bits = (_SLOTS_PER_WORD * len(distinct)).bit_length()
    shift = np.uint64(64 - bits)
    table = np.empty(1 << bits, dtype=np.int64)
    table[distinct >> shift] = np.arange(len(distinct))
    ranks = table[hashes >> shift]
    wrong = np.flatnonzero(distinct[ranks] != hashes)
    while len(wrong):
        ranks[wrong] -= 1
        wrong = wrong[distinct[ranks[wrong]] != hashes[wrong]]
    places = np.empty(len(distinct), dtype=np.int64)
    places[ranks] = np.arange(len(ranks))
    return ranks, places
