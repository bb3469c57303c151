"""The fixture of most tests of resolvers."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository


@pytest.fixture(scope="module")
def repository(request: pytest.FixtureRequest) -> Repository:
    """Return a repository of the TEXTS of the test's module. A module may have its own fixture instead."""
    return Repository.build(request.module.TEXTS)
