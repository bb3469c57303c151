"""`repo-mcp export`: the graph of a repository as a SCIP index."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from repo_mcp.scip.messages import decode_document, iter_documents
from tests.repo_mcp.cli.program import make_tree, run
from tests.repo_mcp.scip.memory_file import MemoryFile


def test_the_index_is_whole_and_the_same_from_everywhere(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    done = run(tree, "export", "--scip", "../a.scip", "--json")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    (tmp_path / "elsewhere").mkdir()
    other = make_tree(tmp_path / "elsewhere")
    done = run(other, "export", "--scip", str(tmp_path / "b.scip"))
    assert "Left out: 3 references that are not certain" in done.stdout
    data = (tmp_path / "a.scip").read_bytes()
    assert data == (tmp_path / "b.scip").read_bytes()
    documents = [decode_document(one) for one in iter_documents(MemoryFile(data))]
    assert len(documents) == reported["documents"] > 5
    assert sum(len(one.occurrences) for one in documents) == reported["symbols"] + reported["references"]
    assert str(tmp_path).encode() not in data


def test_a_hyphen_prints_the_index(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    assert run(tree, "export", "--scip", "../a.scip").returncode == 0
    printed = subprocess.run(
        [sys.executable, "-m", "repo_mcp", "export", "--scip", "-"], cwd=tree, capture_output=True, check=True
    )
    assert printed.stdout == (tmp_path / "a.scip").read_bytes()
    assert b"Left out: 3 references that are not certain" in printed.stderr
    assert not (tree / "-").exists()
    both = run(tree, "export", "--scip", "-", "--json")
    assert (both.returncode, both.stdout) == (2, "")


def test_what_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    done = run(tree, "export", "--scip", "not/there/a.scip")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "repo-mcp: The file of --scip cannot be written (No such file or directory)."
        " Give a file in an existing directory.\n"
    )
    assert run(tree, "export").returncode == 2
