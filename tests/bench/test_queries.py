"""The queries that engines are compared by."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from bench.engine import find_index_path, measure_index
from bench.queries import MIX, choose_mixed
from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository


def test_the_mix_is_taken_from_the_tree_and_stays_the_same(made_tree: Path, tmp_path: Path) -> None:
    root, data_dir = tmp_path / "tree", tmp_path / "data"
    shutil.copytree(made_tree, root)
    with closing(Repository(Config(str(root), data_dir=str(data_dir)))) as repository:
        repository.refresh()
    indexed = measure_index(root, data_dir, find_index_path(data_dir))
    mixed = choose_mixed(indexed)
    assert mixed == choose_mixed(indexed)
    assert list(mixed) == list(MIX)
    assert all(0 < len(mixed[kind]) <= count for kind, count in MIX.items())
    text = "\n".join(file.read_text() for file in root.rglob("*") if file.is_file())
    assert all(one in text for kind in ("identifiers", "substrings") for one in mixed[kind])
    assert len(set(mixed["identifiers"])) == len(mixed["identifiers"])
    assert all(3 <= len(question.split()) <= 6 for question in mixed["questions"])
    assert all(len(pair.split()) == 2 for pair in mixed["pairs"])
