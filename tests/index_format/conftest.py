"""What several tests of the format begin with."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from index_format import terms
from tests.index_format.segment_bytes import build_small


@pytest.fixture(scope="session")
def small() -> bytes:
    """Return the bytes of a segment of three files, with every kind of section."""
    return build_small()


@pytest.fixture(scope="module", params=["small", "large"])
def dictionary_size(request: pytest.FixtureRequest) -> Iterator[str]:
    """Take each dictionary for a small one, and then for a large one."""
    with patch.object(terms, "LARGE_PAGES", 1 if request.param == "large" else 1 << 40):
        yield request.param
