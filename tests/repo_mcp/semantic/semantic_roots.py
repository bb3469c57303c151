"""A small tree and its repository with a tiny model."""

from __future__ import annotations

from pathlib import Path

from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository
from repo_mcp.semantic.live_vectors import LiveVectors
from tests.written_trees import write_tree

FILES = {
    "a.py": "def open_file():\n    return the\n",
    "b/reader.py": "".join(f"def read_{number}(): pass\n" for number in range(450)),
    "doc.md": "# The file\n\nHow to open a token.\n",
    "data.json": '{"the": "file"}\n',
    "empty.py": "",
    "vendor/x.py": "the = 1\n",
}


def make_tree(root: Path) -> Path:
    write_tree(root, FILES)
    return root


def open_root(
    root: Path, model: Path, data: Path, workers: int = 1, index_from: str | None = None
) -> Repository:
    config = Config(
        str(root),
        data_dir=str(data),
        semantic_model=str(model),
        workers=workers,
        toolsets=("research",),
        index_from=index_from,
    )
    return Repository(config)


def vectors_of(repository: Repository) -> LiveVectors:
    assert repository.vectors is not None
    return repository.vectors


def find_directory(data: Path) -> Path:
    (found,) = data.glob("vectors-*")
    return found
