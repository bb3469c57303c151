"""Over real stdio, in every toolset: pipelines and tracked files are found, and what is missing is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.stdio.test_server import Process
from tests.written_trees import write_tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
CANARY = "canary-never-served-77b1"
FILES = {
    ".github/workflows/ci.yml": "jobs:\n  quokka_build:\n    runs-on: ubuntu-latest\n",
    ".github/.env": f"{CANARY}\n",
    ".gitignore": "generated/\n*.log\n",
    "generated/api.py": "def quokka_api():\n    return 1\n",
    "generated/other.py": f"def quokka_other():\n    return '{CANARY}'\n",
    "main.py": "from generated.api import quokka_api\n\n\nprint(quokka_api())\n",
    "run.log": "quokka_log\n",
    ".cache/x.txt": "quokka_cache\n",
}
FOUND = [".github/workflows/ci.yml", "generated/api.py", "main.py"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    root = write_tree(tmp_path / "root", FILES)
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for command in (["init", "-q"], ["add", "-f", "generated/api.py", ".github/.env", "main.py"]):
        subprocess.run(["git", *command], cwd=root, env=quiet, check=True)
    process = Process(root, "--toolsets", "repo,graph,research")
    process.handshake()
    yield process
    process.close()


def call(server: Process, name: str, **arguments: object) -> dict[str, Any]:
    server.call(name, name, arguments)
    while (answer := server.read()).get("id") != name:
        pass
    assert CANARY not in json.dumps(answer)
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def test_pipelines_and_tracked_files_are_found_by_every_toolset(server: Process) -> None:
    call(server, "repo.refresh_index")
    listed = call(server, "repo.list_files")["result"]["files"]
    assert [one["path"] for one in listed] == FOUND
    for arguments in ({"mode": "literal"}, {"mode": "regex"}, {"mode": "literal", "detail": "files"}):
        result = call(server, "repo.search", query="quokka", **arguments)["result"]
        hits = result["files"] if "detail" in arguments else result["hits"]
        assert sorted({hit["path"] for hit in hits}) == FOUND
    for query, path in (("quokka_build", FOUND[0]), ("quokka_api", FOUND[1])):
        found = call(server, "repo.search", query=query)["result"]["hits"]
        assert path in [hit["path"] for hit in found]
    folders = json.dumps(call(server, "list_directory"))
    assert '".github"' in folders
    assert '"generated"' in folders
    assert ".cache" not in folders
    assert "quokka_build" in json.dumps(call(server, "search_code", query="quokka_build"))
    call(server, "index_files", paths=FOUND[1:])
    assert "generated/api.py" in json.dumps(call(server, "search_symbols", query="quokka_api"))


def test_what_is_left_out_and_what_no_file_has_is_said(server: Process) -> None:
    call(server, "repo.refresh_index")
    for mode in ("bm25", "literal"):
        answer = call(server, "repo.search", query="quokka_log", mode=mode, file_glob="*.log")
        assert "1 file matches but was left out: ignored." in answer["warnings"]
    answer = call(server, "repo.search", query="xylophone of quokka_api")
    assert answer["warnings"][0] == "No file has: xylophone."
    bundle = call(server, "repo.build_context_bundle", prompt="where does the xylophone call quokka_api")
    assert bundle["warnings"][0] == "No file has: xylophone."
