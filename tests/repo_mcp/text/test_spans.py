"""Hashes numbered by a table of slots against a dictionary, however many share a slot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.arrays import U64
from repo_mcp.text import spans
from repo_mcp.text.spans import hash_spans, join_spans, rank_hashes

HALVES = st.one_of(st.integers(0, 3), st.sampled_from([1 << 63, (1 << 63) + 1, (1 << 64) - 1]))


@given(st.lists(st.tuples(HALVES, HALVES), max_size=60))
def test_equal_hashes_have_one_number_and_its_place(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[half] for pair in pairs], dtype=np.uint64) for half in (0, 1))
    ranks, positions = rank_hashes(first, second)
    assert positions.tolist() == sorted(set(positions.tolist()))
    assert len(positions) == len(set(pairs))
    assert [pairs[positions[rank]] for rank in ranks] == pairs


@pytest.mark.parametrize("count", [1, 2, 1000, 100_000])
def test_spans_of_a_large_text(count: int) -> None:
    texts = [b"w%d" % (number * number % 7919) for number in range(count)]
    ranks, positions = rank_hashes(*hash_spans(join_spans(texts)))
    assert len(positions) == len(set(texts))
    assert [texts[position] for position in positions[ranks]] == texts


def test_spans_of_many_lanes_differ_in_each_byte() -> None:
    texts = [b"a" * size for size in range(1, 41)]
    texts += [
        b"a" * position + b"b" + b"a" * (size - position - 1)
        for size in range(1, 41)
        for position in range(size)
    ]
    ranks, positions = rank_hashes(*hash_spans(join_spans([*texts, *reversed(texts)])))
    assert len(positions) == len(texts)
    assert ranks[: len(texts)].tolist() == ranks[len(texts) :][::-1].tolist()


def test_long_spans_differ_in_each_byte() -> None:
    texts = [b"a" * size for size in range(505, 520)]
    texts += [b"a" * position + b"b" + b"a" * (700 - position) for position in range(701)]
    ranks, positions = rank_hashes(*hash_spans(join_spans([*texts, *reversed(texts)])))
    assert len(positions) == len(texts)
    assert ranks[: len(texts)].tolist() == ranks[len(texts) :][::-1].tolist()


def test_a_word_of_a_megabyte_takes_no_step_for_each_eight_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []

    def count(hashes: U64, lane: U64, factor: np.uint64) -> U64:
        steps.append(len(lane))
        return hashes ^ lane * factor

    monkeypatch.setattr(spans, "_mix", count)
    hash_spans(join_spans([b"word", b"a" * 1_000_000, b"a" * 500]))
    assert 0 < len(steps) < 150
