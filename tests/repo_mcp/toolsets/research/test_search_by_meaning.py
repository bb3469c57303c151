"""`search_code` with a model: meaning counts, the scale stays one, and what is missing is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo_mcp.semantic.tiny_model import write_model
from tests.repo_mcp.toolsets.research.research_roots import TREE, Served
from tests.written_trees import write_tree

WEIGHTS = (0, 0.3, 0.7, 1)
QUERIES = ("authentication", "session", "how is the password checked", "qwertyuiop")


@pytest.fixture(name="served", scope="module")
def serve_with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("by_meaning")
    model = write_model(place / "model")
    with Served(write_tree(place / "service", TREE), place / "data", model=model) as served:
        yield served


@pytest.fixture(name="embedded", scope="module")
def make_vectors(served: Served) -> Served:
    assert served.repository.vectors is not None
    served.repository.vectors.build()
    return served


def test_before_the_vectors_are_there_words_count_and_it_is_said(tmp_path: Path) -> None:
    model = write_model(tmp_path / "model")
    with Served(write_tree(tmp_path / "service", TREE), tmp_path / "data", model=model) as served:
        by_words = served.call("search_code", query="session", semantic_weight=0)
        answer = served.call("search_code", query="session", semantic_weight=0.7)
        assert answer["results"] == by_words["results"]
        assert answer["warnings"] == [
            "Vectors are being computed: 0 of 9 files are done; the rest are ranked only by words."
        ]
        assert "warnings" not in by_words


def test_weight_0_is_the_search_without_a_model(embedded: Served, tmp_path: Path) -> None:
    with Served(embedded.root, tmp_path / "data") as plain:
        for query in QUERIES:
            weighted = embedded.call("search_code", query=query, semantic_weight=0)
            found = plain.call("search_code", query=query)
            assert {**weighted, "cursor": ""} == {**found, "cursor": ""}  # a cursor names its call


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_relevance_falls_and_stays_within_its_scale(embedded: Served, query: str, weight: float) -> None:
    rows = embedded.rows("search_code", query=query, semantic_weight=weight)
    shown = [row["relevance_percent"] for row in rows]
    assert shown == sorted(shown, reverse=True)
    assert all(0 < one <= 100 for one in shown)


def test_meaning_finds_what_no_word_does(embedded: Served) -> None:
    assert embedded.rows("search_code", query="qwertyuiop", semantic_weight=0) == []
    assert embedded.rows("search_code", query="qwertyuiop") == []  # nor unless meaning is asked for
    assert embedded.rows("search_code", query="qwertyuiop", semantic_weight=0.7)


def test_filters_hold(embedded: Served) -> None:
    rows = embedded.rows("search_code", query="session", semantic_weight=1, extensions="ts", path="web")
    assert rows
    assert {row["path"] for row in rows} <= {"web/login.ts", "web/http.ts"}
    rows = embedded.rows("search_code", query="session", semantic_weight=1, path_filter="docs/**")
    assert {row["path"] for row in rows} <= {"docs/guide.md"}


def test_the_same_question_has_the_same_answer(embedded: Served) -> None:
    one = embedded.call("search_code", query="how is a token made", semantic_weight=0.7)
    assert embedded.call("search_code", query="how is a token made", semantic_weight=0.7) == one
    assert (
        one["results"]
        != embedded.call("search_code", query="how is a token made", semantic_weight=0)["results"]
    )


def test_an_index_call_tells_how_far_the_vectors_are(embedded: Served, tmp_path: Path) -> None:
    assert embedded.call("index_codebase", path=".")["vectors"] == {"files": 9, "total": 9, "chunks": 8}
    with Served(embedded.root, tmp_path / "data") as plain:
        assert "vectors" not in plain.call("index_codebase", path=".")
