"""What most tests of the graph are about: the TEXTS of their module, parsed."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from tests.repo_mcp.graph.memory_index import make_graph
from tests.repo_mcp.graph.resolved import Repository


@pytest.fixture(scope="module")
def repository(request: pytest.FixtureRequest) -> Repository:
    """Return a repository of the TEXTS of the test's module. A module may have its own fixture instead."""
    return Repository.build(request.module.TEXTS)


@pytest.fixture(scope="module")
def graph(request: pytest.FixtureRequest) -> Graph:
    """Return the graph of the TEXTS of the test's module. A module may have its own fixture instead."""
    return make_graph(request.module.TEXTS)
