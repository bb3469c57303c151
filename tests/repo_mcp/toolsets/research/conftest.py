"""The fixture of most tests of the `research` tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.repo_mcp.toolsets.research.research_roots import TREE, Served
from tests.written_trees import write_tree


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the tools over the small service."""
    place = tmp_path_factory.mktemp("research")
    with Served(write_tree(place / "service", TREE), place / "data") as served:
        yield served
