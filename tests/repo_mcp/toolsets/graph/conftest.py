"""The fixture of most tests of the `graph` tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.repo_mcp.toolsets.graph.graph_roots import TREE, Served
from tests.written_trees import write_tree


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the tools over the FILES of the test's module, or over the shop if it has none."""
    place = tmp_path_factory.mktemp("graph")
    root = write_tree(place / "shop", getattr(request.module, "FILES", TREE))
    with Served(root, place / "data") as served:
        yield served
