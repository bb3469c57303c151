"""The time of navigation on a warm index: each kind of question for the same symbols, as a toolset asks it.

A first round fills the caches that calls share; the rounds after it are measured, one call after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.rounds import measure_queries
from bench.symbols import QUESTIONS, SYMBOLS, choose_nodes
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.repository import Repository


@pytest.fixture(scope="module")
def graph(structured: Repository) -> Iterator[Graph]:
    """Yield the graph of the shared tree."""
    with structured.engines.graph.open() as found:
        yield found


@pytest.fixture(scope="module")
def nodes(structured: Repository, graph: Graph) -> list[Node]:
    """Return symbols of all files, the same in each run."""
    view = structured.symbol_index.find_view()
    assert view is not None
    return choose_nodes(view, graph)


@pytest.mark.parametrize("question", QUESTIONS)
def test_navigation(benchmark: BenchmarkFixture, graph: Graph, nodes: list[Node], question: str) -> None:
    ask = QUESTIONS[question]
    measure_queries(benchmark, nodes, lambda node: ask(graph, node))


def test_navigation_of_a_file(benchmark: BenchmarkFixture, graph: Graph, nodes: list[Node]) -> None:
    files = [graph.get_node(Declaration(node.path, 0)) for node in nodes[: SYMBOLS // 3]]
    measure_queries(benchmark, files, lambda node: graph.find_incoming(node, tuple(EdgeType)))
