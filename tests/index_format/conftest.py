"""What several tests of the format begin with."""

from __future__ import annotations

import pytest

from tests.index_format.segment_bytes import build_small


@pytest.fixture(scope="session")
def small() -> bytes:
    """Return the bytes of a segment of three files, with every kind of section."""
    return build_small()
