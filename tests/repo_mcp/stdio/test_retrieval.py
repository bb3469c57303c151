"""Specification 2 over real pipes: its acceptance scenarios, its start, and what it leaves alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.deep.sizes import choose
from tests.repo_mcp.stdio.retrieval_client import (
    PATIENCE_SECONDS,
    START,
    RetrievalClient,
    build_environment,
    start_retrieval,
)
from tests.repo_mcp.toolsets.retrieval.retrieval_roots import CANARY, make_trees
from tests.repo_mcp.toolsets.retrieval.test_toolset import snapshot_tree

SEARCHES: list[dict[str, Any]] = [
    {"query": "mount"},
    {"query": "mount", "repo": "code", "limit": 2},
    {"query": r"def \w+\(", "regex": True},
    {"query": "MOUNT", "case_sensitive": True},
]


# In each of three processes: the trees are indexed after a fifth of a second, or later on a busy machine.
SEARCHED_SECONDS, LEAST_ROUNDS = choose(5, 15) / 10, 4


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    return make_trees(tmp_path)


@pytest.fixture
def client(roots: tuple[Path, Path], tmp_path: Path) -> Iterator[RetrievalClient]:
    client = start_retrieval(*roots, tmp_path / "home")
    yield client
    client.close()


def test_the_acceptance_scenarios(client: RetrievalClient) -> None:
    assert client.initialized["serverInfo"]["name"] == "repo-mcp"
    assert list(client.listed) == ["search", "open_file", "get_snippet", "list_dir"]
    for tool in client.listed.values():
        assert tool["title"]
        assert tool["description"]
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]["readOnlyHint"] is True

    listed = client.call("list_dir", repo="docs")  # at once, before anything is indexed
    assert [entry["path"] for entry in listed["result"]["entries"]] == ["README.md", "empty.md", "guide"]
    assert listed["meta"]["repo"] == "docs"

    first = client.call("search", query="mount", repo="docs")
    assert client.call("search", query="mount", repo="docs")["result"] == first["result"]
    row = first["result"]["matches"][0]
    assert first["meta"]["repo"] == "docs"
    assert row == {"path": "README.md", "line": 3, "preview": "How to mount a volume."}

    opened = client.call("open_file", repo="code", path="src/volume.py")
    assert opened["result"]["content"].splitlines()[3] == "4\tdef mount_volume(path):"
    snippet = client.call("get_snippet", repo="code", path="src/volume.py", start_line=4, end_line=99)
    assert snippet["result"]["content"].splitlines()[0] == "4\tdef mount_volume(path):"
    assert (snippet["result"]["end_line"], snippet["result"]["total_lines"]) == (5, 5)

    refused = client.call("open_file", repo="code", path="src/../../docs/README.md")
    assert refused["error"]["code"] == "PATH_OUT_OF_ROOT"
    assert client.call("list_dir", repo="wiki")["error"]["code"] == "REPO_INVALID"
    below = client.call("list_dir", repo="code", path="src")["result"]["entries"]
    assert [entry["path"] for entry in below] == ["src/Zeta.py", "src/native", "src/volume.py"]


@pytest.mark.sized
def test_searches_are_the_same_from_the_first_second_on_and_after_a_restart(
    roots: tuple[Path, Path], tmp_path: Path
) -> None:
    """While nothing is indexed, while something is, when all is; in another process, in another cache."""
    answers: list[list[Any]] = []
    for at, home in enumerate((tmp_path / "one", tmp_path / "one", tmp_path / "two"), 1):
        with closing(start_retrieval(*roots, home)) as client:
            deadline = time.monotonic() + SEARCHED_SECONDS
            while time.monotonic() < deadline or len(answers) < at * LEAST_ROUNDS:
                answers.append([client.call("search", **search)["result"] for search in SEARCHES])
    assert all(answer == answers[0] for answer in answers)
    assert [len(result["matches"]) for result in answers[0]] == [8, 2, 1, 0]


def test_a_change_is_found_soon(client: RetrievalClient, roots: tuple[Path, Path]) -> None:
    assert client.call("search", query="quarterly")["result"]["matches"] == []
    (roots[0] / "new.md").write_text("quarterly report\n")
    deadline = time.monotonic() + 60
    while not (found := client.call("search", query="quarterly")["result"]["matches"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert found == [{"repo": "docs", "path": "new.md", "line": 1, "preview": "quarterly report"}]


def test_nothing_is_written_but_the_cache_and_the_key(roots: tuple[Path, Path], tmp_path: Path) -> None:
    before = [snapshot_tree(root) for root in roots]
    home = tmp_path / "home"
    client = start_retrieval(*roots, home)
    try:
        for search in SEARCHES:
            client.call("search", **search)
        client.call("open_file", repo="docs", path="README.md")
        client.call("open_file", repo="code", path=".env")
    finally:
        errors = client.close()
    assert errors == ""
    assert [snapshot_tree(root) for root in roots] == before
    written = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    key = {".local/state/repo-mcp/user.key", ".local/state/repo-mcp/user.lock"}
    assert {path for path in written - key if not path.startswith(".cache/repo-mcp/retrieval-")} == set()
    (log,) = home.rglob("audit.jsonl")
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["tool"] for entry in entries] == ["search"] * 4 + ["open_file"] * 2
    repos = [entry["arguments"]["repo"]["value"] for entry in entries]
    assert repos == ["both", "code", "both", "both", "docs", "code"]
    assert [entry["error_code"] for entry in entries] == [None] * 5 + ["PATH_DENIED"]
    assert all(entry["duration_ms"] >= 0 for entry in entries)
    everything = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert CANARY.encode() not in everything
    assert b"How to mount" not in log.read_bytes()


@pytest.mark.skipif(not Path("/proc/self/net").exists(), reason="needs /proc")
def test_no_socket_is_ever_open(client: RetrievalClient) -> None:
    for search in SEARCHES:
        client.call("search", **search)
    place = Path(f"/proc/{client.process.pid}/fd")
    targets = []
    for descriptor in place.iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            targets.append(os.readlink(descriptor))
    # An event loop wakes itself through a pair of sockets that have no address.
    assert len([target for target in targets if target.startswith("socket:")]) <= 2
    tables = Path(f"/proc/{client.process.pid}/net")
    inodes = {target[8:-1] for target in targets if target.startswith("socket:[")}
    for name in ("tcp", "tcp6", "udp", "udp6"):
        rows = [line.split() for line in (tables / name).read_text().splitlines()[1:]]
        assert not inodes & {row[9] for row in rows}


def test_both_toolsets_may_be_served_together(roots: tuple[Path, Path], tmp_path: Path) -> None:
    docs, code = roots
    home = tmp_path / "home"
    home.mkdir()
    environment = build_environment(home, DOCS_ROOT=str(docs), CODE_ROOT=str(code))
    command = [sys.executable, "-c", START, "--toolsets", "repo,retrieval", "--repo-root", str(code)]
    with closing(
        RetrievalClient(
            [*command, "--data-dir", str(tmp_path / "data"), "--max-search-hits", "7"], environment, home
        )
    ) as client:
        assert list(client.listed)[-4:] == ["search", "open_file", "get_snippet", "list_dir"]
        assert [name for name in client.listed if name.startswith("repo.")] == list(client.listed)[:-4]
        limit = client.listed["search"]["inputSchema"]["properties"]["limit"]
        assert limit["description"].startswith("Maximum matches, 1 to 7.")
        assert client.call("search", query="mount_volume", repo="docs")["result"]["matches"]
        status = client.ask("tools/call", {"name": "repo.status", "arguments": {}})["result"]
        assert status["structuredContent"]["result"]["toolsets"] == ["repo", "retrieval"]
    assert (tmp_path / "data" / "retrieval" / "audit.jsonl").is_file()
    assert (tmp_path / "data" / "audit.jsonl").is_file()


def test_the_roots_may_come_from_a_file(roots: tuple[Path, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".config" / "repo-mcp").mkdir(parents=True)
    text = f"docs_root = {json.dumps(str(roots[0]))}\ncode_root = {json.dumps(str(roots[1]))}\n"
    (home / ".config" / "repo-mcp" / "retrieval.toml").write_text(text)
    named = tmp_path / "named.toml"
    named.write_text('docs_root = "docs"\ncode_root = "code"\n')
    for options in ([], ["--config", str(named)]):
        command = [sys.executable, "-c", START, "--toolsets", "retrieval", *options]
        with closing(RetrievalClient(command, build_environment(home), home)) as client:
            assert len(client.call("search", query="mount")["result"]["matches"]) == 8


def test_the_command_of_people_serves_it_too(roots: tuple[Path, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = build_environment(home, DOCS_ROOT=str(roots[0]), CODE_ROOT=str(roots[1]))
    command = [sys.executable, "-m", "repo_mcp", "serve", "--toolsets", "retrieval", "--no-watch"]
    with closing(RetrievalClient(command, environment, home)) as client:
        assert len(client.call("search", query="mount")["result"]["matches"]) == 8


@pytest.mark.parametrize(
    ("variables", "options", "words"),
    [
        ({}, [], "CONFIG_MISSING: DOCS_ROOT is not set. CONFIG_MISSING: CODE_ROOT is not set."),
        ({"DOCS_ROOT": "docs"}, [], "CONFIG_MISSING: CODE_ROOT is not set."),
        ({"DOCS_ROOT": "none", "CODE_ROOT": "code"}, [], "CONFIG_INVALID: DOCS_ROOT does not exist."),
        ({"DOCS_ROOT": "docs", "CODE_ROOT": "docs/README.md"}, [], "CODE_ROOT is not a directory."),
        ({"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, ["--config", "none"], "a file that does not exist"),
        ({"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, ["--data-dir", "docs/data"], "is inside a root"),
        ({"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, ["--toolsets", "repo,retrieval"], "--repo-root"),
        ({"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, ["--max-search-hits", "0"], "--max-search-hits"),
    ],
)
def test_a_start_that_cannot_be_is_exit_2_and_one_line_that_names_it(
    roots: tuple[Path, Path], tmp_path: Path, variables: dict[str, str], options: list[str], words: str
) -> None:
    before = [snapshot_tree(root) for root in roots]
    (tmp_path / "home").mkdir()
    given = {name: str(tmp_path / value) for name, value in variables.items()}
    where = ["--toolsets", "retrieval", *(str(tmp_path / one) if "/" in one else one for one in options)]
    done = subprocess.run(
        [sys.executable, "-c", START, *where],
        env=build_environment(tmp_path / "home", **given),
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert words.encode() in done.stderr
    assert str(tmp_path).encode() not in done.stderr
    assert [snapshot_tree(root) for root in roots] == before


def test_the_protocols_that_clients_open_with(roots: tuple[Path, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = build_environment(home, DOCS_ROOT=str(roots[0]), CODE_ROOT=str(roots[1]))
    for protocol in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        command = [sys.executable, "-c", START, "--toolsets", "retrieval"]
        with closing(RetrievalClient(command, environment, home, protocol)) as client:
            assert client.initialized["protocolVersion"] == protocol
            assert client.call("list_dir", repo="code")["result"]["entries"]
