"""Opening an index and answering queries in this process. The page cache is warm.

A warm benchmark asks each of its class's queries in turn: the median and p95 are over queries.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed, open_searcher
from bench.queries import CLASSES
from repo_mcp.config import Limits
from repo_mcp.index.query import parse_query
from repo_mcp.index.searcher import Ranking, Searcher
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository

TOP_K = 10
PASSES = 4  # over the queries of a class
OPEN_ROUNDS = 50


def rank(searcher: Searcher, text: str) -> Ranking:
    """From the text of a query to ranked chunks, without their text."""
    return searcher.rank(parse_query(text, Limits().max_query_words), TOP_K)


def measure_queries(benchmark: BenchmarkFixture, texts: list[str], ask: Callable[[str], object]) -> None:
    """One round for each query, PASSES times over, after one pass that does not count."""
    in_turn = itertools.cycle(texts)
    benchmark.pedantic(
        ask,
        setup=lambda: ((next(in_turn),), {}),
        rounds=PASSES * len(texts),
        warmup_rounds=len(texts),
    )
    benchmark.extra_info["queries"] = len(texts)


def test_open_index(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    benchmark.pedantic(open_searcher, args=(indexed.index_path,), rounds=OPEN_ROUNDS, warmup_rounds=2)
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
