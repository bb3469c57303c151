"""The time of navigation on a warm index: each kind of question for the same symbols, as a toolset asks it.

The symbols are drawn from all files by a fixed seed. A first round warms what is kept between calls; what is
measured are the rounds after it, one call after the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.rounds import measure_queries
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.questions import CALLS, NAMED, EdgeType, SymbolFilter
from repo_mcp.repository import Repository
from repo_mcp.symbols.symbol_record import SymbolKind

SEED = 7
SYMBOLS = 300
TRIES = 4  # files for each symbol: some declare nothing

QUESTIONS: Mapping[str, Callable[[Graph, Node], object]] = {
    "search": lambda graph, node: graph.search(node.symbol.name, SymbolFilter(), 20),
    "lookup": lambda graph, node: graph.look_up(node.qualified_name, SymbolFilter()),
    "symbol": lambda graph, node: graph.choose(node.node_id),
    "callers": lambda graph, node: graph.find_incoming(node, CALLS),
    "callees": lambda graph, node: graph.find_outgoing(node, CALLS),
    "implementations": lambda graph, node: graph.find_implementations(node),
    "references": lambda graph, node: graph.find_incoming(node, NAMED),
    "dependencies": lambda graph, node: graph.find_outgoing(node, tuple(EdgeType)),
    "dependents": lambda graph, node: graph.find_incoming(node, tuple(EdgeType)),
    "similar": lambda graph, node: graph.find_similar(node, 10),
}


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
    paths = list(view.iter_paths())
    draw = random.Random(SEED)
    chosen: list[Node] = []
    for path in draw.choices(paths, k=TRIES * SYMBOLS):
        declared = [node for node in graph.outline(path) if node.symbol.kind is not SymbolKind.FILE]
        if declared and len(chosen) < SYMBOLS:
            chosen.append(draw.choice(declared))
    return chosen


@pytest.mark.parametrize("question", QUESTIONS)
def test_navigation(benchmark: BenchmarkFixture, graph: Graph, nodes: list[Node], question: str) -> None:
    ask = QUESTIONS[question]
    measure_queries(benchmark, nodes, lambda node: ask(graph, node))


def test_navigation_of_a_file(benchmark: BenchmarkFixture, graph: Graph, nodes: list[Node]) -> None:
    files = [graph.get_node(Declaration(node.path, 0)) for node in nodes[: SYMBOLS // 3]]
    measure_queries(benchmark, files, lambda node: graph.find_incoming(node, tuple(EdgeType)))
