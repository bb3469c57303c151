"""Words and meaning together: the sum is that of the docstring, and the ends are those of one alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.arrays import Mask
from repo_mcp.ranking.files.ranking import BEST_UNITS, rank, rank_files
from repo_mcp.ranking.files.ranking_weights import WEIGHTS
from repo_mcp.ranking.files.signals import find_role_in_tree, list_role_shares
from repo_mcp.ranking.query.intent import understand
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.semantic.live_vectors import NEXT_CHUNK, rank_blended
from repo_mcp.semantic.vector_index import NearChunks, VectorView
from tests.repo_mcp.semantic.vector_trees import (
    LINES,
    compute_cosine,
    make_vectors,
    open_searcher,
    write_vectors,
)
from tests.written_trees import write_tree

QUERY = parse_query("where is the token read", 100)
QUESTION = np.array([2, -1, 0, 1, 2, 0, -2, 1], dtype=np.int8)
FILES = {
    "token.py": "def read_token():\n    return token\n",
    "reader.py": "def read():\n    return 1\n" * 3,
    "tests/test_token.py": "def test_token():\n    read_token()\n",
    "docs/token.md": "# Token\n\nWhere a token is read.\n",
    "other.py": "def nothing():\n    pass\n",
    "long.txt": "token and more\n" + "nothing\n" * LINES,
    "web/strip.js": "function strip() {}\n",
    "web/strip.min.js": "function strip(){}\n",
    "far.txt": "nothing\n" * LINES,
}


@pytest.fixture(name="searcher", scope="module")
def make_searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("root")
    write_tree(root, FILES)
    return open_searcher(root, tmp_path_factory.mktemp("data"))


def blend(view: VectorView, weight: float, top_k: int = 50, wanted: Filter | None = None) -> Ranking:
    def find_near(masks: Sequence[Mask | None]) -> list[NearChunks]:
        return view.find_nearest(QUESTION, masks, 100)

    return rank_blended(view.searcher, QUERY, find_near, weight, top_k, wanted)


def blend_slowly(searcher: Searcher, vectors: dict[str, np.ndarray], weight: float) -> dict[str, float]:
    """Return the score of each file."""
    best = searcher.find_best_units(QUERY, BEST_UNITS, Filter())
    words = {one.path: one.score for one in rank_files(searcher, QUERY, best, 1_000)}
    shares = list_role_shares(understand(QUERY.text).roles, WEIGHTS)
    scores = {}
    for path, rows in vectors.items():
        near = sorted((max(0.0, compute_cosine(QUESTION, row)) for row in rows), reverse=True)
        total = sum(value * NEXT_CHUNK**position for position, value in enumerate(near))
        near_points = weight * total * shares[find_role_in_tree(searcher, path)]
        score = (1 - weight) * words.get(path, 0.0) + near_points
        if score:
            scores[path] = score
    return scores


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_files_come_by_the_weighted_sum(searcher: Searcher, tmp_path: Path, weight: float, seed: int) -> None:
    vectors = make_vectors(searcher, seed)
    found = blend(write_vectors(tmp_path, searcher, vectors, [sorted(FILES)]), weight)
    scores: dict[str, float] = {}
    for chunk in found.chunks:  # a file's first chunk has the score of the file
        scores.setdefault(chunk.path, chunk.score)
    assert scores == pytest.approx(blend_slowly(searcher, vectors, weight), abs=2e-5)
    assert [one.score for one in found.chunks] == sorted((one.score for one in found.chunks), reverse=True)


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_an_explanation_adds_up(searcher: Searcher, tmp_path: Path, weight: float) -> None:
    vectors = make_vectors(searcher, 4)
    for chunk in blend(write_vectors(tmp_path, searcher, vectors, [sorted(FILES)]), weight).chunks:
        assert sum(value for _, value in chunk.explanation) == pytest.approx(chunk.score, abs=2e-6)
        names = {name for name, _ in chunk.explanation}
        assert weight > 0 or "meaning" not in names
        assert weight < 1 or names <= {"meaning", "repeat"}


def test_without_meaning_it_is_the_ranking_by_words(searcher: Searcher, tmp_path: Path) -> None:
    view = write_vectors(tmp_path, searcher, make_vectors(searcher, 5), [sorted(FILES)])
    assert blend(view, 0.0, 5).chunks == rank(searcher, QUERY, 5).chunks


def test_of_a_file_the_nearest_chunk_is_shown(searcher: Searcher, tmp_path: Path) -> None:
    vectors = {path: np.zeros_like(rows) for path, rows in make_vectors(searcher, 6).items()}
    vectors["far.txt"][1] = QUESTION
    found = blend(write_vectors(tmp_path, searcher, vectors, [sorted(FILES)]), 0.9)
    assert (found.chunks[0].path, found.chunks[0].chunk.start_line) == ("far.txt", 171)
    assert found.chunks[0].matched_terms == ()
    assert found.chunks[0].unit_start >= 171
    alone = blend(write_vectors(tmp_path, searcher, vectors, [sorted(FILES)]), 1.0)
    assert [one.path for one in alone.chunks] == ["far.txt"]
    assert alone.total == 1


def test_filters_hold_for_meaning_too(searcher: Searcher, tmp_path: Path) -> None:
    vectors = {path: np.tile(QUESTION, (len(rows), 1)) for path, rows in make_vectors(searcher, 7).items()}
    view = write_vectors(tmp_path, searcher, vectors, [sorted(FILES)])
    wanted = Filter(lambda path: path.endswith(".md"), "md")
    assert {one.path for one in blend(view, 0.7, wanted=wanted).chunks} == {"docs/token.md"}
    assert "tests/test_token.py" not in {
        one.path for one in blend(view, 0.7, wanted=Filter(include_tests=False)).chunks
    }


def test_the_answer_does_not_depend_on_segments(searcher: Searcher, tmp_path: Path) -> None:
    vectors = make_vectors(searcher, 8)
    one = blend(write_vectors(tmp_path / "one", searcher, vectors, [sorted(FILES)]), 0.7)
    groups = [sorted(FILES)[:2], sorted(FILES)[2:]]
    assert blend(write_vectors(tmp_path / "two", searcher, vectors, groups), 0.7) == one
