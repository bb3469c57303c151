from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpus import write_corpus

FILES = 24


@pytest.fixture(scope="session")
def made_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small made corpus; nobody changes it."""
    root = tmp_path_factory.mktemp("bench") / "tree"
    write_corpus(root, FILES)
    return root
