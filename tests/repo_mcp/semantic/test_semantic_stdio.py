"""A server with a model over real pipes: vectors come behind its answers and outlive a kill."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.forked import START, popen
from tests.growth import HANG_SECONDS
from tests.repo_mcp.semantic.semantic_roots import find_directory, make_tree
from tests.repo_mcp.semantic.tiny_model import write_model
from tests.repo_mcp.stdio import retrieval_client
from tests.repo_mcp.stdio.retrieval_client import RetrievalClient, build_environment
from tests.waiting import wait_until

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def build_command(root: Path, model: Path, data: Path, *more: str) -> list[str]:
    options = ["--repo-root", str(root), "--data-dir", str(data), "--toolsets", "research", *more]
    return [sys.executable, "-c", START, *options, "--semantic-model", str(model)]


def start(root: Path, model: Path, data: Path, *more: str) -> RetrievalClient:
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    command = build_command(root, model, data, *more)
    return RetrievalClient(command, build_environment(home), home, "2025-06-18")


def list_children(parent: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        try:
            text = Path(f"/proc/{name}/stat").read_text() if name.isdigit() else ""
        except OSError:
            continue
        if text and int(text.rpartition(")")[2].split()[1]) == parent:
            found.append(int(name))
    return found


def is_embedded(client: RetrievalClient, files: int = 4) -> bool:
    vectors: dict[str, Any] = client.call("index_codebase", path=".")["vectors"]
    return vectors["files"] == vectors["total"] == files


def finds_by_meaning(client: RetrievalClient) -> bool:
    """Return whether a word that occurs nowhere finds something, as it does once the model is loaded."""
    return bool(client.call("search_code", query="zzz", semantic_weight=1)["results"])


def test_vectors_come_behind_the_answers_and_stay(tmp_path: Path) -> None:
    root, model, data = make_tree(tmp_path / "root"), write_model(tmp_path / "model"), tmp_path / "data"
    client = start(root, model, data)
    wait_until(lambda: is_embedded(client) and finds_by_meaning(client))
    answer = client.call("search_code", query="how to open a token", semantic_weight=0.7)
    by_words = client.call("search_code", query="how to open a token", semantic_weight=0)
    assert answer["results"] != by_words["results"]
    assert "warnings" not in answer
    (root / "c.py").write_text("def write_token():\n    pass\n")
    wait_until(lambda: is_embedded(client, 5))
    client.close()
    before = sorted(path.name for path in find_directory(data).glob("*.seg"))
    client = start(root, model, data)
    wait_until(lambda: is_embedded(client, 5))
    assert sorted(path.name for path in find_directory(data).glob("*.seg")) == before
    wait_until(lambda: finds_by_meaning(client))
    client.close()


@linux_only
def test_a_killed_server_leaves_no_process_and_a_whole_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval_client, "popen", partial(popen, forks_children=False))
    root, model, data = make_tree(tmp_path / "root"), write_model(tmp_path / "model"), tmp_path / "data"
    for number in range(300):
        (root / f"f{number}.py").write_text(f"def read_{number}():\n    return the\n")
    client = start(root, model, data)
    wait_until(lambda: any(data.glob("vectors-*/lock")))
    children = list_children(client.process.pid)
    client.process.kill()
    client.process.communicate()
    wait_until(lambda: not any(os.path.exists(f"/proc/{child}") for child in children))
    client = start(root, model, data)
    wait_until(lambda: is_embedded(client, 304))
    client.close()


def test_a_hardened_server_may_read_its_model(tmp_path: Path) -> None:
    root, model = make_tree(tmp_path / "root"), write_model(tmp_path / "elsewhere" / "model")
    client = start(root, model, tmp_path / "data", "--harden")
    wait_until(lambda: is_embedded(client))
    wait_until(lambda: finds_by_meaning(client))
    client.close()


def test_a_folder_that_is_no_model_refuses_the_start(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "root")
    server = subprocess.Popen(
        build_command(root, tmp_path, tmp_path / "data"),
        stdin=subprocess.PIPE,  # which stays open: its end would be another reason to leave
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert server.wait(HANG_SECONDS) == 2
    said, reported = server.communicate()
    assert said == b""
    assert b"--semantic-model: the folder has no model.safetensors." in reported
    assert str(tmp_path).encode() not in reported


def test_without_a_model_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "root")
    config = f"load_config({str(root)!r}, data_dir={str(tmp_path / 'data')!r}, toolsets=['research'])"
    code = (
        "import sys; from repo_mcp.config.server_config import load_config\n"
        "from repo_mcp.repository import Repository\n"
        f"one = Repository({config})\n"
        "one.refresh(); one.close()\n"
        "print([name for name in sys.modules if name.startswith('repo_mcp.semantic')])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True)
    assert done.stdout.strip() == "[]"
