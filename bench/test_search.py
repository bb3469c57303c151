"""Opening an index and answering queries in this process. The page cache is warm.

A warm benchmark asks each of its class's queries in turn: the median and p95 are over queries.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed, open_searcher
from bench.queries import CLASSES
from bench.rounds import measure_queries, run_rounds
from repo_mcp.config.server_config import Limits
from repo_mcp.model import SearchRequest
from repo_mcp.ranking.files.ranking import rank as rank_chunks
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.repository import Repository

TOP_K = 10
OPEN_ROUNDS = 50


def rank(searcher: Searcher, text: str) -> Ranking:
    """Rank chunks for the text of a query, without reading their text."""
    return rank_chunks(searcher, parse_query(text, Limits().max_query_words), TOP_K)


def test_open_index(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    run_rounds(benchmark, lambda: open_searcher(indexed.index_path), rounds=OPEN_ROUNDS, warmup_rounds=2)
    benchmark.extra_info |= indexed.describe()


@pytest.mark.parametrize("kind", CLASSES)
def test_open_index_and_first_query(
    benchmark: BenchmarkFixture, indexed: Indexed, queries: dict[str, list[str]], kind: str
) -> None:
    measure_queries(benchmark, queries[kind], lambda text: rank(open_searcher(indexed.index_path), text))


@pytest.mark.parametrize("kind", CLASSES)
def test_rank(
    benchmark: BenchmarkFixture, indexed: Indexed, queries: dict[str, list[str]], kind: str
) -> None:
    searcher = open_searcher(indexed.index_path)
    measure_queries(benchmark, queries[kind], lambda text: rank(searcher, text))


@pytest.mark.parametrize("kind", CLASSES)
def test_search(
    benchmark: BenchmarkFixture, repository: Repository, queries: dict[str, list[str]], kind: str
) -> None:
    measure_queries(benchmark, queries[kind], lambda text: repository.search(SearchRequest(text, TOP_K)))
