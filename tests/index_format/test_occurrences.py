"""Unordered postings against a dictionary, packed or not, in parts of any size."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import Occurrences, occurrences
from index_format.records import I64
from tests.index_format.plain_lists import build_column

ROWS = st.lists(
    st.tuples(
        st.integers(0, 3), st.one_of(st.integers(0, 4), st.integers(0, 2**32 - 1)), st.integers(1, 2**20)
    ),
    max_size=30,
)


def _spread(found: Occurrences) -> tuple[I64, I64, I64]:
    """Return the list, the document and the count of each posting."""
    lists, frequencies, docs, counts = found.finish()
    assert (np.diff(lists) > 0).all()
    assert (frequencies > 0).all()
    return np.repeat(lists, frequencies), docs, counts


@given(ROWS, st.sampled_from([3, 2**25, 2**40]), st.sampled_from([1, 2, 5, 1 << 16]), st.integers(0, 30))
def test_pairs_are_put_in_order_and_added_up(
    rows: list[tuple[int, int, int]], max_list: int, part: int, cut: int
) -> None:
    """The largest list number decides whether a posting fits into one integer."""
    max_doc = max((doc for _, doc, _ in rows), default=0)
    max_count = max((count for _, _, count in rows), default=0)
    found = Occurrences(len(rows), max_list, max_doc, max_count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occurrences, "PART_ROWS", part)
        for some in (rows[:cut], rows[cut:]):
            found.add(*(build_column([row[column] for row in some]) for column in range(3)))
        lists, docs, counts = _spread(found)
    wanted: Counter[tuple[int, int]] = Counter()
    for number, doc, count in rows:
        wanted[number, doc] += count
    assert list(zip(lists.tolist(), docs.tolist(), strict=True)) == sorted(wanted)
    assert counts.tolist() == [wanted[pair] for pair in sorted(wanted)]


@pytest.mark.parametrize("max_list", [9, 2**60])
def test_one_document_and_count_for_several_lists(max_list: int) -> None:
    found = Occurrences(5, max_list, 7, 3)
    lists, docs, counts = (build_column(one) for one in ([9, 1, 2, 9, 0], [7, 5], [3, 1]))
    found.add(lists, docs, counts, build_column([2, 3]))
    assert [column.tolist() for column in _spread(found)] == [
        [0, 1, 2, 9, 9],
        [5, 7, 5, 5, 7],
        [1, 3, 1, 1, 3],
    ]


@pytest.mark.parametrize("count_bits", [1, 20, 40])
def test_the_largest_values_that_fit_and_those_that_do_not(count_bits: int) -> None:
    for spare in (-1, 0, 1):
        max_list = (1 << (occurrences.PACKED_BITS - count_bits - 4 + spare)) - 1
        found = Occurrences(3, max_list, 15, (1 << count_bits) - 1)
        rows = [(max_list, 15, (1 << count_bits) - 1), (max_list, 14, 1), (0, 15, (1 << count_bits) - 1)]
        found.add(*(build_column([row[column] for row in rows]) for column in range(3)))
        lists, docs, counts = _spread(found)
        assert list(zip(lists.tolist(), docs.tolist(), counts.tolist(), strict=True)) == sorted(rows)


@pytest.mark.parametrize("max_list", [9, 2**60])
@pytest.mark.parametrize("rows", [0, 2])
def test_fewer_postings_than_there_is_room_for(max_list: int, rows: int) -> None:
    found = Occurrences(5, max_list, 7, 3)
    found.add(build_column([4, 4][:rows]), build_column([6, 6][:rows]), build_column([1, 2][:rows]))
    assert [column.tolist() for column in found.finish()] == [[4][:rows], [1][:rows], [6][:rows], [3][:rows]]
