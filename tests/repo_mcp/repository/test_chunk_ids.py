"""The id of a chunk: the same wherever it is named, and for as long as the file and its cut are the same."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

from index_format import DiskDirectory, iter_dump
from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset

LINES = 450  # three chunks of 200 lines that share 30
CHUNK = re.compile(r"  chunk (\d+)-(\d+) kind \d+ id ([0-9a-f]{32})")


def write_tree(root: Path) -> None:
    root.mkdir()
    (root / "notes.txt").write_text("zeppelin\n" * LINES)
    (root / "other.txt").write_text("airship\n" * LINES)


def open_root(root: Path) -> Repository:
    return Repository(load_config(str(root), workers=0))


def call(repository: Repository, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    tool = next(tool for tool in build_toolset(repository).tools if tool.name == name)
    envelope = json.loads(tool.call(arguments, CallContext(lambda: False)).text)
    assert envelope["ok"], envelope
    return dict(envelope["result"])


def find_ids(repository: Repository, query: str = "zeppelin") -> dict[tuple[str, int, int], str]:
    found = call(repository, "repo.search", {"query": query, "explain": True})["hits"]
    return {(one["path"], *one["chunk_lines"]): one["chunk_id"] for one in found}


def read_dump(root: Path) -> dict[tuple[str, int, int], str]:
    """Return the ids by path and lines, as `index-format dump` prints them."""
    (index,) = (root / ".repo_mcp").glob("index-*")
    path, found = "", {}
    for line in iter_dump(DiskDirectory(str(index)), postings=False):
        if line.startswith("file ") and not line.endswith(" dead"):
            path = line.split("'")[1]
        elif line.startswith("file "):
            path = ""
        elif (match := CHUNK.fullmatch(line)) and path:
            found[path, int(match[1]), int(match[2])] = match[3]
    return found


def test_search_bundle_and_dump_name_a_chunk_alike(tmp_path: Path) -> None:
    write_tree(tmp_path / "root")
    with closing(open_root(tmp_path / "root")) as repository:
        repository.refresh()
        ids = find_ids(repository)
        assert sorted(ids) == [("notes.txt", 1, 200), ("notes.txt", 171, 370), ("notes.txt", 341, 450)]
        plain = call(repository, "repo.search", {"query": "zeppelin"})["hits"]
        assert all("chunk_id" not in one for one in plain)
        audit = call(
            repository, "repo.build_context_bundle", {"prompt": "where is the zeppelin", "audit": True}
        )["audit"]
        named = {
            (one["path"], one["start_line"], one["end_line"]): one["chunk_id"] for one in audit["chunks"]
        }
        assert named
        assert named.items() <= ids.items()
    dumped = read_dump(tmp_path / "root")
    assert ids.items() <= dumped.items()
    assert len(set(dumped.values())) == len(dumped) == 6


def test_a_chunk_keeps_its_id_while_its_file_stays_the_same(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(root)
    with closing(open_root(root)) as repository:
        repository.refresh()
        before = find_ids(repository)
        (root / "other.txt").write_text("balloon\n" * LINES)
        repository.refresh()
        repository.compact(full=True)
        assert find_ids(repository) == before
        assert find_ids(repository, "balloon").keys() == {("other.txt", *key[1:]) for key in before}
        (root / "notes.txt").write_text("zeppelin\n" * LINES + "\n")
        repository.refresh()
        assert not set(find_ids(repository).values()) & set(before.values())
    write_tree(tmp_path / "twin")  # another place, another history
    with closing(open_root(tmp_path / "twin")) as repository:
        repository.refresh()
        assert find_ids(repository) == before
