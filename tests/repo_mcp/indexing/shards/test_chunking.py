"""How lines are cut into chunks and units."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.shards.chunking import UNIT_LINES, CutFile, cut_at, cut_lines
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository


def list_chunks(cut: CutFile) -> list[tuple[int, int]]:
    """Return the first and last line of each chunk."""
    ends = [0]
    for lines in cut.unit_lines:
        ends.append(ends[-1] + lines)
    return [
        (ends[first] + 1, ends[first + count])
        for first, count in zip(cut.chunk_first_units, cut.chunk_unit_counts, strict=True)
    ]


@pytest.mark.parametrize(
    ("lines", "chunks"),
    [
        (0, []),
        (1, [(1, 1)]),
        (200, [(1, 200)]),
        (201, [(1, 200), (171, 201)]),
        (370, [(1, 200), (171, 370)]),
        (371, [(1, 200), (171, 370), (341, 371)]),
    ],
)
def test_chunks_of_200_lines_that_share_30(lines: int, chunks: list[tuple[int, int]]) -> None:
    assert list_chunks(cut_lines(lines, 200, 30)) == chunks


@given(st.integers(1, 3000), st.integers(1, 300), st.data())
def test_units_partition_the_lines(lines: int, chunk_lines: int, data: st.DataObject) -> None:
    cut = cut_lines(lines, chunk_lines, data.draw(st.integers(0, chunk_lines - 1)))
    assert sum(cut.unit_lines) == lines
    assert 1 <= min(cut.unit_lines) <= max(cut.unit_lines) <= UNIT_LINES
    chunks = list_chunks(cut)
    assert (chunks[0][0], chunks[-1][1]) == (1, lines)
    assert all(last - first < chunk_lines for first, last in chunks)
    assert all(later[0] <= earlier[1] + 1 for earlier, later in pairwise(chunks))


@given(st.sets(st.integers(2, 900), max_size=9), st.integers(0, 300))
def test_chunks_at_given_lines(starts: set[int], more: int) -> None:
    first_lines = [1, *sorted(starts)]
    lines = first_lines[-1] + more
    cut = cut_at(lines, first_lines)
    assert list_chunks(cut) == list(
        zip(first_lines, [*(line - 1 for line in first_lines[1:]), lines], strict=True)
    )
    assert max(cut.unit_lines) <= UNIT_LINES


def test_chunks_of_code_begin_at_declarations(tmp_path: Path) -> None:
    functions = [f"def function_{number}():\n" + "    work()\n" * 69 for number in range(10)]
    root = tmp_path / "root"
    root.mkdir()
    (root / "long.py").write_text("".join(functions))
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    repository.refresh()
    hits = repository.search(SearchRequest("function_3", 10)).hits
    assert (hits[0].chunk_lines, hits[0].symbol) == ((141, 280), "function_3")
