"""A build of more shards than this process may have files open, while it is searched."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from tests.forked import PATIENCE_SECONDS, PROJECT, popen
from tests.posix import posix
from tests.repo_mcp.indexing.test_determinism import read_segments

FILES = 56
DESCRIPTORS = 50  # the usual limit is 1,024, and 256 on macOS

# Builds with a shard for each file and as few descriptors as it is told. Each generation is opened, and
# another thread searches all the time where it is "searched". A "killed" one ends before its last merge.
BUILD = """
import json, os, resource, sys, threading
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.repo_mcp.indexing.small_shards import replace_shard_bytes

root, data_dir, workers, descriptors, ends = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_NOFILE, (int(descriptors), int(descriptors)))
BuildSettings.__init__.__defaults__ = replace_shard_bytes(1)
repository = Repository(load_config(root, data_dir=data_dir, workers=int(workers)))
segments, faults, done = [], [], threading.Event()

def search():
    while not done.wait(0.02):
        if ends != "searched":
            continue
        try:
            repository.search(SearchRequest("gizmo", 20))
        except RepoError as error:
            faults.extend([str(error)] if segments else [])

def look(progress):
    if ends == "killed" and progress.phase == "merge":
        os._exit(0)
    if progress.phase == "index" and progress.files_done:
        segments.append(len(repository.indexes.lexical.report.list_segments()))

searching = threading.Thread(target=search)
searching.start()
try:
    report = repository.refresh(progress=look)
finally:
    done.set()
    searching.join()
hits = [hit.path for hit in repository.search(SearchRequest("gizmo 7", 10)).hits]
print(json.dumps({"added": report.added, "warnings": report.warnings, "hits": hits, "faults": faults,
                  "segments": max(segments, default=0)}))
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("many") / "tree"
    root.mkdir()
    for number in range(FILES):
        (root / f"part{number:03}.c").write_text(f"/* gizmo {number} */\nint gizmo_{number}(void);\n")
    return root


def build(
    root: Path, data_dir: Path, *, workers: int = 0, descriptors: int = DESCRIPTORS, ends: str = "searched"
) -> dict[str, Any]:
    command = [sys.executable, "-c", BUILD, str(root), str(data_dir), str(workers), str(descriptors), ends]
    with popen(command, cwd=PROJECT, env=os.environ, stdout=PIPE, stderr=PIPE, text=True) as process:
        said, complained = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, complained
    return json.loads(said) if said else {}  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def free(root: Path) -> dict[str, Any]:
    """Return what a build says that may open enough; its index is in `free` beside the tree."""
    return build(root, root.with_name("free"), descriptors=1024)


@posix
def test_more_shards_than_descriptors_give_the_same_index(
    root: Path, free: dict[str, Any], tmp_path: Path
) -> None:
    assert (free["added"], free["warnings"], free["faults"]) == (FILES, [], [])
    segments = read_segments(root.with_name("free"))
    assert len(segments) == 1
    for workers in (0, 2):
        few = build(root, tmp_path / f"few{workers}", workers=workers)
        assert few["segments"] < DESCRIPTORS
        assert few == {**free, "segments": few["segments"]}
        assert read_segments(tmp_path / f"few{workers}") == segments


@posix
def test_an_index_of_too_many_segments_is_ended_by_who_may_open_few(
    root: Path, free: dict[str, Any], tmp_path: Path
) -> None:
    data = tmp_path / "left"
    assert build(root, data, descriptors=1024, ends="killed") == {}  # by who may open more
    assert len(read_segments(data)) > DESCRIPTORS
    assert build(root, data, ends="quiet")["hits"] == free["hits"]
    assert sum(map(len, read_segments(data).values())) > 0
    assert len(read_segments(data)) < DESCRIPTORS
