"""The table of the rows that units lie in: it says what a search says."""

from __future__ import annotations

import numpy as np
import pytest

from repo_mcp.ranking.scoring import unit_rows
from repo_mcp.ranking.scoring.unit_rows import UnitRows


@pytest.mark.parametrize("at_once", [256, 1 << 16])
@pytest.mark.parametrize("most", [1, 3, 900])
def test_rows_are_those_of_a_search(most: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where hundreds of rows without units end in one block."""
    monkeypatch.setattr(unit_rows, "UNITS_AT_ONCE", at_once)
    draw = np.random.default_rng(most)
    sizes = draw.integers(0, most + 1, 700)
    sizes[300:600] = 0
    ends = np.cumsum(sizes)
    units = np.arange(int(ends[-1]))
    assert UnitRows(ends, len(units)).find(units).tolist() == ends.searchsorted(units, side="right").tolist()


def test_no_units_have_no_rows() -> None:
    assert UnitRows(np.zeros(3, dtype=np.int64), 0).find(np.zeros(0, dtype=np.int64)).tolist() == []
