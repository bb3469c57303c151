"""The repository that tests of `repo.search` share, also with one more file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.repository import Repository
from tests.repo_mcp.toolsets.repo.searched_roots import LEDGER, build


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with closing(build(tmp_path_factory.mktemp("search") / "root")) as repository:
        yield repository


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield the repository with one more file, in which there is much to find."""
    with closing(build(tmp_path_factory.mktemp("ledger") / "root", ledger=LEDGER)) as repository:
        yield repository


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Repository]:
    """Yield the same, for one test alone."""
    with closing(build(tmp_path / "root", ledger=LEDGER)) as repository:
        yield repository
