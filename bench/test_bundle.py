"""Context bundles of a warm repository: choosing, reading and packing the excerpts for a prompt."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from bench.rounds import measure_queries
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.repository import Repository


def test_bundle(benchmark: BenchmarkFixture, repository: Repository, queries: dict[str, list[str]]) -> None:
    measure_queries(
        benchmark, queries["questions"], lambda text: repository.engines.bundles.build(BundleRequest(text))
    )
