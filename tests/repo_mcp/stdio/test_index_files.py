"""Over real pipes: `index_files` while the index is built. The builder process is stopped meanwhile."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.forked import IMPATIENT, popen
from tests.repo_mcp.stdio import retrieval_client
from tests.repo_mcp.stdio.retrieval_client import RetrievalClient
from tests.repo_mcp.stdio.test_graph import start, wait_until_ready
from tests.waiting import wait_until

SHARDS = 2
SHARD_BYTES = 8 * 1024 * 1024  # as the program cuts them
LAST = "zz/deep/down/last.py"
LINE = "value = {'name': 1, 'other': 2, 'more': 3}  # of which there are many\n"


def find_builders(server: int) -> list[int]:
    """Return the processes of a server that build shards; the parsers of symbols are of another kind."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server and b"multiprocessing.spawn" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def write_shards(root: Path) -> None:
    """Write two shards of files that no parser reads, half a megabyte each, and a late one deep down."""
    text = LINE * (SHARD_BYTES // 16 // len(LINE) + 1)
    for number in range(16 * SHARDS):
        (root / f"p{number % 8}").mkdir(parents=True, exist_ok=True)
        (root / f"p{number % 8}" / f"module{number}.rb").write_text(f"def made_{number}() = 1\n{text}")
    (root / LAST).parent.mkdir(parents=True)
    (root / LAST).write_text("def early_bird():\n    return 1\n")
    (root / "p0/image.dat").write_bytes(b"\0\1" * 9)
    (root / ".gitignore").write_text("*.log\n")
    (root / "ignored.log").write_text("nothing\n")


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_file_is_indexed_at_once_while_the_index_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval_client, "popen", partial(popen, forks_children=False))
    root = tmp_path / "tree"
    write_shards(root)
    options = ("--workers", "1", "--no-last-bundle")
    with closing(start(root, *options, program=IMPATIENT)) as client:
        builders = stop_builders(client)
        try:
            found = client.call("index_files", paths=[LAST, "missing.py"])
            assert found["files"] == [{"path": LAST, "parse_status": "full"}]
            assert [row["code"] for row in found["errors"]] == ["not_found"]
            never = client.call("index_files", paths=[LAST, "p0/image.dat", "ignored.log"])
            reported = [(row["path"], row["code"]) for row in never["errors"]]
            assert reported == [("p0/image.dat", "binary_file"), ("ignored.log", "invalid_parameter")]
            assert client.call("get_status")["state"] == "partial"  # the build goes on
            assert LAST in json.dumps(client.call("search_symbols", query="early_bird"))
            (root / LAST).write_text("def second_thought():\n    return 2\n")
            (root / "p0" / "new.py").write_text("def brand_new():\n    return 3\n")
            late = client.call("index_files", paths=[LAST, "p0/new.py"])
            assert [(row["path"], row["code"]) for row in late["errors"]] == [
                (LAST, "busy"),
                ("p0/new.py", "busy"),
            ]
            assert any("files are done" in text for text in late["warnings"])  # how far it is
        finally:
            for one in builders:
                os.kill(one, signal.SIGCONT)
        joined = client.call("index_files", paths=[LAST, "p0/new.py"])
        if joined["errors"]:  # a slow machine builds longer than a call waits
            wait_until_ready(client)
            joined = client.call("index_files", paths=[LAST, "p0/new.py"])
        assert [row["path"] for row in joined["files"]] == [LAST, "p0/new.py"]


def stop_builders(client: RetrievalClient) -> list[int]:
    """Stop the builders as soon as there are any, and wait until the tree is listed."""
    builders: list[int] = wait_until(lambda: find_builders(client.process.pid))
    for one in builders:
        os.kill(one, signal.SIGSTOP)
    return builders
