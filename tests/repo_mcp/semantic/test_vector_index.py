"""The nearest chunks are found exactly, whatever the segments, filters and blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index_format import CorruptIndex
from repo_mcp.arrays import Mask
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.semantic.vector_index import VectorView, compare
from tests.repo_mcp.semantic.vector_trees import (
    DIMENSIONS,
    LINES,
    compute_cosine,
    list_chunks,
    make_vectors,
    open_searcher,
    write_vectors,
)
from tests.written_trees import write_tree

FILES = {f"d{number % 3}/f{number}.txt": f"word{number}\n" * LINES for number in range(9)} | {
    "a.py": "def one(): pass\n"
}
PATHS = sorted(FILES)
ALL = [PATHS]
SEVERAL = [PATHS[::3], PATHS[1::3], PATHS[2::3]]
QUESTION = np.array([2, -1, 0, 1, 2, 0, -2, 1], dtype=np.int8)


@pytest.fixture(name="searcher", scope="module")
def make_searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("root")
    write_tree(root, FILES)
    return open_searcher(root, tmp_path_factory.mktemp("data"))


def find(
    view: VectorView, count: int, masks: list[Mask | None] | None = None
) -> list[tuple[str, int, float]]:
    """Path, chunk of the file, cosine of the nearest, best first."""
    searcher = view.searcher
    found = []
    for part, own in zip(
        searcher.segments,
        view.find_nearest(QUESTION, masks or [None] * len(searcher.segments), count),
        strict=True,
    ):
        for chunk, cosine in zip(own.chunks.tolist(), own.cosines.tolist(), strict=True):
            file = part.find_file(int(part.find_first_units(np.array([chunk]))[0]))
            path = searcher.read_path(part.position, file)
            found.append((path, chunk - int(part.reader.files.first_chunks[file]), cosine))
    return sorted(found, key=lambda row: (-row[2], row[0], row[1]))


def find_slowly(vectors: dict[str, np.ndarray], count: int) -> list[tuple[str, int, float]]:
    rows = [
        (path, position, compute_cosine(QUESTION, row))
        for path, rows in vectors.items()
        for position, row in enumerate(rows)
    ]
    near = sorted((row for row in rows if row[2] > 0), key=lambda row: (-row[2], row[0], row[1]))
    return near[:count]


def test_the_tree_has_files_of_several_chunks(searcher: Searcher) -> None:
    assert list_chunks(searcher)["d0/f0.txt"] == [(1, 200), (171, 370), (341, 450)]


@pytest.mark.parametrize("groups", [ALL, SEVERAL])
@pytest.mark.parametrize("count", [1, 3, 7, 1_000])
@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
def test_as_by_looking_at_each(
    searcher: Searcher,
    tmp_path: Path,
    groups: list[list[str]],
    count: int,
    block_bytes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("repo_mcp.semantic.vector_index.BLOCK_BYTES", block_bytes)
    for seed in range(4):
        vectors = make_vectors(searcher, seed)
        view = write_vectors(tmp_path / str(seed), searcher, vectors, groups)
        assert view.chunk_count == 28
        assert find(view, count) == find_slowly(vectors, count)


def test_filters_are_kept(searcher: Searcher, tmp_path: Path) -> None:
    vectors = make_vectors(searcher, 5)
    view = write_vectors(tmp_path, searcher, vectors, SEVERAL)
    wanted = Filter(lambda path: path.startswith("d1/"), "d1")
    best = searcher.find_best_units(parse_query("word", 9), 10, wanted)
    parts = zip(searcher.segments, best.masks, strict=True)
    masks = [searcher.units.find(part, parse_query("word", 9), mask) for part, mask in parts]
    kept = {path: rows for path, rows in vectors.items() if path.startswith("d1/")}
    assert find(view, 5, masks) == find_slowly(kept, 5)


def test_a_file_of_another_version_does_not_count(searcher: Searcher, tmp_path: Path) -> None:
    vectors = make_vectors(searcher, 6)
    view = write_vectors(tmp_path, searcher, vectors, ALL, {"d0/f0.txt": b"x" * 16})
    left = {path: rows for path, rows in vectors.items() if path != "d0/f0.txt"}
    assert find(view, 100) == find_slowly(left, 100)
    assert view.chunk_count == 25


def test_a_file_with_other_chunks_does_not_count(searcher: Searcher, tmp_path: Path) -> None:
    vectors = make_vectors(searcher, 7)
    vectors["d0/f0.txt"] = vectors["d0/f0.txt"][:2]
    view = write_vectors(tmp_path, searcher, vectors, ALL)
    del vectors["d0/f0.txt"]
    assert find(view, 100) == find_slowly(vectors, 100)


def test_records_that_are_not_of_whole_vectors(searcher: Searcher, tmp_path: Path) -> None:
    vectors = make_vectors(searcher, 8)
    vectors["a.py"] = np.zeros((1, DIMENSIONS - 1), dtype=np.int8)
    with pytest.raises(CorruptIndex, match="whole vectors"):
        write_vectors(tmp_path, searcher, vectors, ALL)


def test_cosines_are_exact_to_the_last_of_the_largest_numbers() -> None:
    rows = np.full((3, 1_024), 127, dtype=np.int8)
    rows[1] = -127
    rows[2, 1:] = 126
    wanted = [compute_cosine(rows[0], row) for row in rows]
    assert compare(rows[0], rows).tolist() == wanted
    assert 127 * 127 * 1_024 < 1 << 24


def test_a_vector_of_zeros_is_near_nothing() -> None:
    rows = np.array([[0, 0], [1, 0]], dtype=np.int8)
    assert compare(np.array([1, 0], dtype=np.int8), rows).tolist() == [0.0, 1.0]
    assert compare(np.zeros(2, dtype=np.int8), rows).tolist() == [0.0, 0.0]
