"""Low bytes that are found by arrays are those found one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import runs
from index_format.runs import find_low

BLOCKS = st.lists(
    st.dictionaries(st.integers(0, 255), st.integers(1, 3), max_size=40), min_size=1, max_size=5
)


@pytest.mark.parametrize("few", [0, 1_000])
@given(BLOCKS, st.data())
def test_low_bytes_are_found_between_start_and_end(
    few: int, blocks: list[dict[int, int]], data: st.DataObject
) -> None:
    laid = [[low for low, count in sorted(block.items()) for _ in range(count)] for block in blocks]
    bounds = np.cumsum([0, *map(len, laid)])
    low = bytes(byte for block in laid for byte in block)
    asked = data.draw(st.lists(st.integers(0, 256 * len(blocks) - 1), max_size=30).map(sorted))
    docs = np.array(asked, dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "FEW_DOCS", few)
        found = find_low(low or b"\0", bounds[docs >> 8], bounds[(docs >> 8) + 1], docs, 3)
    wanted = [
        (row, first, first + blocks[doc // 256][doc % 256])
        for row, doc in enumerate(asked)
        if doc % 256 in blocks[doc // 256]
        for first in [int(bounds[doc // 256]) + laid[doc // 256].index(doc % 256)]
    ]
    assert [*zip(*(column.tolist() for column in found), strict=True)] == wanted
