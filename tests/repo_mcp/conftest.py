"""Where what is parsed is not the matter but what is made of it, nothing is started to parse it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked_children import fork_children
from tests.forked_sdk import fork_servers
from tests.parsers_here import parse_here

HERE = Path(__file__).parent
ROOMS = ("bundler", "code_search", "documentation", "graph", "research", "semantic", "toolsets")


@pytest.fixture(scope="module", autouse=True)
def forked_children(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fork children, and the servers of the SDK, except where it matters how they are started."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.relative_to(HERE).parts[0] != "process":
            fork_children(patch)
            fork_servers(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def parsed_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """Parse in this process in the rooms above."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.relative_to(HERE).parts[0] in ROOMS:
            parse_here(patch)
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests of HTTP beside each other, so that few processes load the SDK: it takes two seconds."""
    items.sort(key=lambda item: "http" not in item.path.name)
