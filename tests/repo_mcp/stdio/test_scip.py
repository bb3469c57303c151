"""A SCIP index that one process takes in while another one serves: from its next answer on."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.forked import run_program
from tests.repo_mcp.scip.test_intake import FILES, LATER, LIB, OF_LIB, OF_USE, USE
from tests.repo_mcp.scip.written import write_index
from tests.repo_mcp.stdio.retrieval_client import RetrievalClient, build_environment
from tests.repo_mcp.stdio.test_graph import start, wait_until_ready
from tests.waiting import wait_until
from tests.written_trees import write_tree


def find_callers(client: RetrievalClient) -> dict[str, Any]:
    found: dict[str, Any] = client.call("get_callers", symbol="Disk.save")
    return found


def list_sources(client: RetrievalClient) -> list[tuple[str, str | None]]:
    return sorted((row["file_path"], row.get("source")) for row in find_callers(client)["result"])


def test_a_server_answers_by_what_is_taken_in_and_by_itself_after_an_edit(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", FILES)
    place = write_index(tmp_path / "a.scip", [OF_LIB, OF_USE])
    now = time.time_ns() + LATER
    os.utime(place, ns=(now, now))
    with closing(start(root)) as client:
        wait_until_ready(client)
        assert list_sources(client) == [("other.py", None), ("use.py", None)]
        environment = build_environment(tmp_path / "home")
        done = run_program(["index", "--scip", str(place), "--json"], cwd=root, env=environment)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["scip"] == {
            "files": 2, "symbols": 4, "references": 1, "left_out": {},
        }  # fmt: skip
        assert list_sources(client) == [("other.py", None), ("use.py", "scip")]
        done = run_program(["status"], cwd=root, env=environment)
        assert "2 files, by --scip" in done.stdout
        (root / "use.py").write_text("# edited\n" + USE)
        assert list_sources(client) == [("other.py", None), ("use.py", None)]
        (row,) = [row for row in find_callers(client)["result"] if row["file_path"] == "use.py"]
        assert row["lines"].startswith("6\t")
        (root / "lib.py").write_text(LIB)
        (root / "use.py").write_text(USE)
        wait_until(lambda: list_sources(client) == [("other.py", None), ("use.py", "scip")])
