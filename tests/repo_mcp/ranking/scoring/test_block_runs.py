"""The runs of a list's postings: found alike, whether or not every block has a place."""

from __future__ import annotations

import numpy as np
import pytest

from repo_mcp.ranking.scoring.block_runs import DenseRuns, SparseRuns, build_runs

BLOCKS, SIZES, COUNT = np.array([1, 4, 5, 9]), np.array([3, 1, 256, 2]), 12
FIRSTS = np.cumsum(SIZES) - SIZES
END = int(SIZES.sum())


@pytest.fixture(params=[DenseRuns, SparseRuns])
def runs(request: pytest.FixtureRequest) -> DenseRuns | SparseRuns:
    made: DenseRuns | SparseRuns = request.param(BLOCKS, FIRSTS, END, COUNT)
    return made


def test_each_block_has_its_run(runs: DenseRuns | SparseRuns) -> None:
    starts, sizes = runs.find(np.arange(COUNT))
    found = {
        block: (start, size) for block, start, size in zip(range(COUNT), starts, sizes, strict=True) if size
    }
    assert found == {1: (0, 3), 4: (3, 1), 5: (4, 256), 9: (260, 2)}


@pytest.mark.parametrize("blocks", [[4], [0, 1, 2], [9, 11], [0, 2, 3], list(range(COUNT))])
def test_runs_of_some_blocks_hold_all_their_postings(runs: DenseRuns | SparseRuns, blocks: list[int]) -> None:
    rows, starts, sizes = runs.find_held(np.array(blocks))
    held = {blocks[row]: (start, size) for row, start, size in zip(rows, starts, sizes, strict=True) if size}
    whole = zip(BLOCKS.tolist(), FIRSTS.tolist(), SIZES.tolist(), strict=True)
    assert held == {block: (start, size) for block, start, size in whole if block in blocks}


def test_postings_know_their_block(runs: DenseRuns | SparseRuns) -> None:
    assert runs.find_blocks(np.arange(END)).tolist() == BLOCKS.repeat(SIZES).tolist()


def test_values_are_spread_over_all_blocks(runs: DenseRuns | SparseRuns) -> None:
    arranged = runs.arrange(np.array([7, 8, 9, 255], dtype=np.uint8))
    assert runs.spread(arranged * 0.5).tolist() == [0, 3.5, 0, 0, 4, 4.5, 0, 0, 0, 127.5, 0, 0]


def test_only_a_list_in_many_blocks_has_a_place_for_each() -> None:
    assert isinstance(build_runs(BLOCKS, FIRSTS, END, 32), DenseRuns)
    assert isinstance(build_runs(BLOCKS, FIRSTS, END, 33), SparseRuns)
