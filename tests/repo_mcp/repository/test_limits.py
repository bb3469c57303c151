"""Every limit of the configuration, over a real repository and the tools as clients call them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.audit.log import AuditLog
from repo_mcp.config.server_config import Limits, cap_defaults, load_config
from repo_mcp.errors import RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset

Call = Callable[..., dict[str, Any]]
Serve = Callable[..., Call]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(30):
        (root / f"file{number:02}.py").write_text(f"zeppelin = {number}\n" * 40)
    (root / "big.py").write_text("zeppelin = 'x'\n" * 1000)
    (root / "wide.py").write_text("w" * 9_000 + "\n")
    return root


@pytest.fixture
def serve(root: Path) -> Iterator[Serve]:
    """Yield a repository with given limits, indexed, as a function that calls its tools."""
    opened: list[Repository] = []

    def start(*, audited: bool = False, **limits: int) -> Call:
        config = load_config(str(root))
        if limits:  # among them some below the floors of operators, to see answers cut
            given = config.given | frozenset(limits)
            config = replace(config, limits=cap_defaults(Limits(**limits)), given=given)
        repository = Repository(config)
        opened.append(repository)
        repository.refresh()
        audit = AuditLog(repository.data_dir.path, str(root), b"k" * 32) if audited else None
        tools = {tool.name: tool for tool in build_toolset(repository, audit).tools}

        def call(tool: str, **arguments: object) -> dict[str, Any]:
            answer = tools[tool].call(arguments, CallContext(lambda: False))
            return {"bytes": len(answer.text.encode()), **json.loads(answer.text)}

        return call

    yield start
    for repository in opened:
        repository.close()


def test_max_file_bytes(serve: Serve) -> None:
    call = serve(max_file_bytes=10_000)
    refused = call("repo.open_file", path="big.py")
    assert (refused["blocked"], refused["error"]["code"]) == (True, "file_too_large")
    assert refused["reason"]
    assert "max_file_bytes" in refused["hint"]
    hits = call("repo.search", query="zeppelin", top_k=50)["result"]["hits"]
    assert "big.py" not in {hit["path"] for hit in hits}
    assert call("repo.status")["result"]["coverage"]["skipped"]["too_large"] == 1
    assert serve(max_file_bytes=20_000)("repo.open_file", path="big.py")["ok"]


def test_max_open_lines(serve: Serve) -> None:
    call = serve(max_open_lines=7, default_open_lines=3)
    asked = call("repo.open_file", path="file00.py", start_line=2, end_line=30)["result"]
    assert (asked["start_line"], asked["end_line"], asked["truncated"]) == (2, 8, True)
    assert asked["content"].count("\n") == 7
    plain = call("repo.open_file", path="file00.py")["result"]
    assert (plain["end_line"], plain.get("truncated")) == (3, True)
    exact = call("repo.open_file", path="file00.py", start_line=34, end_line=40)["result"]
    assert (exact["end_line"], exact.get("truncated", False)) == (40, False)


@pytest.mark.parametrize("audited", [False, True])
@pytest.mark.parametrize("cap", [700, 1_000, 1_700])
def test_max_total_bytes_per_response_is_of_the_serialised_answer(
    serve: Serve, cap: int, audited: bool
) -> None:
    call = serve(max_total_bytes_per_response=cap, audited=audited)
    for tool, arguments, rows in [
        ("repo.open_file", {"path": "big.py", "start_line": 1, "end_line": 1000}, "content"),
        ("repo.list_files", {"max_results": 1000}, "files"),
        ("repo.search", {"query": "zeppelin", "top_k": 50}, "hits"),
        ("repo.audit_log", {"limit": 1000}, "entries"),
    ]:
        for _ in range(30 if tool == "repo.audit_log" else 1):
            envelope = call(tool, **arguments)
        size = envelope.pop("bytes")
        assert size <= cap, tool
        if tool == "repo.audit_log" and not audited:
            continue
        assert envelope["result"]["truncated"], tool
        assert envelope["warnings"], tool
        assert cap < 1_700 or envelope["result"][rows]


def test_a_log_that_fails_never_takes_an_answer_over_the_cap(serve: Serve, root: Path) -> None:
    (root / ".repo_mcp").mkdir(mode=0o700)
    (root / ".repo_mcp" / "audit.jsonl").mkdir()
    for cap in range(1_000, 1_050):
        call = serve(audited=True, max_total_bytes_per_response=cap)
        envelope = call("repo.open_file", path="big.py", start_line=1, end_line=1000)
        assert "audit_unavailable" in envelope["warnings"]
        assert envelope["bytes"] <= cap


def test_max_search_hits(serve: Serve) -> None:
    call = serve(max_search_hits=6, default_search_hits=4)
    assert len(call("repo.search", query="zeppelin")["result"]["hits"]) == 4
    found = call("repo.search", query="zeppelin", top_k=6)["result"]
    assert (len(found["hits"]), found["truncated"]) == (6, True)
    assert found["total"] > 6
    over = call("repo.search", query="zeppelin", top_k=7)
    assert len(over["result"]["hits"]) == 6
    assert "top_k is above its maximum: 6 is used." in over["warnings"]


def test_max_bundle_files_and_lines(serve: Serve) -> None:
    call = serve(max_bundle_files=3, max_bundle_lines=60, default_bundle_files=2, default_bundle_lines=20)
    for budget, files, lines in [
        ({}, 2, 20),
        ({"max_files": 3, "max_total_lines": 60}, 3, 60),
        ({"max_files": 1}, 1, 20),
        ({"max_total_lines": 1}, 2, 1),
        ({"max_files": 4, "max_total_lines": 61}, 3, 60),
    ]:
        result = call("repo.build_context_bundle", prompt="zeppelin", budget=budget)["result"]
        selections = result["selections"]
        assert 1 <= len({one["path"] for one in selections}) <= files
        assert sum(one["end_line"] - one["start_line"] + 1 for one in selections) <= lines
    for budget in ({"max_files": 0}, {"max_total_lines": -1}):
        refused = call("repo.build_context_bundle", prompt="zeppelin", budget=budget)
        assert refused["error"]["code"] == "invalid_argument"
        assert next(iter(budget)) in refused["error"]["message"]


def test_a_bundle_stays_within_the_bytes_of_one_answer(serve: Serve) -> None:
    call = serve(max_total_bytes_per_response=4_000, audited=True)
    budget = {"max_files": 20, "max_total_lines": 2000}
    envelope = call("repo.build_context_bundle", prompt="zeppelin", budget=budget)
    assert envelope["ok"]
    assert envelope["bytes"] <= 4_000


def test_max_query_words(serve: Serve) -> None:
    call = serve(max_query_words=3)
    cut = call("repo.search", query="one two three zeppelin")
    assert cut["result"]["hits"] == []
    assert any("3" in warning for warning in cut["warnings"])
    assert call("repo.search", query="one two zeppelin")["result"]["hits"]


def test_max_list_results(serve: Serve) -> None:
    call = serve(max_list_results=5)
    listed = call("repo.list_files")["result"]
    assert (len(listed["files"]), listed["total"], listed["truncated"]) == (5, 32, True)
    over = call("repo.list_files", max_results=6)
    assert len(over["result"]["files"]) == 5
    assert "max_results is above its maximum: 5 is used." in over["warnings"]


def test_max_line_chars(serve: Serve) -> None:
    opened = serve(max_line_chars=100)("repo.open_file", path="wide.py")
    assert opened["result"]["truncated"]
    assert "w" * 101 not in opened["result"]["content"]
    assert "Lines are cut at 100 characters: line 1." in opened["warnings"]


def test_limits_of_the_repository_s_own_file_are_in_force(serve: Serve, root: Path) -> None:
    (root / "repo_mcp.toml").write_text("[limits]\nmax_open_lines = 2\nmax_search_hits = 100\n")
    call = serve()
    assert call("repo.open_file", path="file00.py", start_line=1, end_line=9)["result"]["end_line"] == 2
    status = call("repo.status")
    assert status["result"]["limits"]["max_open_lines"] == 2
    assert status["result"]["limits"]["max_search_hits"] == 50
    assert any("limits.max_search_hits" in warning for warning in status["warnings"])


def test_the_operator_passes_no_hard_cap(root: Path) -> None:
    with pytest.raises(RepoError) as caught:
        load_config(str(root), limits={"max_total_bytes_per_response": 100_000_000})
    assert "--max-total-bytes-per-response" in caught.value.message
