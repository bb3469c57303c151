"""`repo.build_context_bundle` over a real tree: what specification 1, 11.7 and 12, lists."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index_format import compute_fingerprint
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from tests.repo_mcp.indexed_roots import open_indexed

CORPUS = Path(__file__).resolve().parents[3] / "corpus" / "tiny_repo"
PROMPT = "How does transfer_funds change the balance of an Account?"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CORPUS, tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def repository(root: Path) -> Iterator[Repository]:
    with open_indexed(root) as repository:
        yield repository


def bundle(repository: Repository, **arguments: object) -> dict[str, Any]:
    tools = {tool.name: tool for tool in build_toolset(repository).tools}
    answer = tools["repo.build_context_bundle"].call(
        {"prompt": PROMPT} | arguments, CallContext(lambda: False)
    )
    envelope = json.loads(answer.text)
    assert isinstance(envelope, dict)
    return envelope


def test_outputs_and_citations_that_can_be_checked(repository: Repository, root: Path) -> None:
    result = bundle(repository, audit=True)["result"]
    assert result["bundle_id"]
    assert result["prompt_fingerprint"]
    contents = [one["content"] for one in result["selections"] if one["path"] == "src/ledger/accounts.py"]
    assert any("def transfer_funds" in content for content in contents)
    prints = result["audit"]["fingerprints"]
    for one in result["selections"]:
        assert one["rationale"]
        lines = (root / one["path"]).read_text().splitlines()
        numbers = range(one["start_line"], one["end_line"] + 1)
        assert one["content"] == "".join(f"{number}\t{lines[number - 1]}\n" for number in numbers)
        assert one["citation"] == f"{one['path']}:{one['start_line']}-{one['end_line']}"
        assert prints[one["path"]] == compute_fingerprint((root / one["path"]).read_bytes()).hex()
    assert {"keywords", "searches", "considered"} <= set(result["audit"])


def drop_nulls(value: Any) -> Any:
    rows = value if isinstance(value, list) else []
    return [{name: one for name, one in row.items() if one is not None} for row in rows] or value


def test_the_audit_is_keywords_and_counts_until_it_is_asked_for(repository: Repository, root: Path) -> None:
    short, whole = bundle(repository)["result"], bundle(repository, audit=True)["result"]
    assert set(short["audit"]) == {"keywords", "considered", "dropped_total"}
    assert short["audit"]["keywords"]["symbol"] == ["transfer_funds", "Account"]
    assert {name: whole["audit"][name] for name in short["audit"]} == short["audit"]
    assert [one["content"] for one in short["selections"]] == [one["content"] for one in whole["selections"]]
    for brief, full in zip(short["selections"], whole["selections"], strict=True):
        assert full["rationale"].startswith(brief["rationale"])
        assert brief["score"] == round(full["score"], 3)
        assert "matched_terms" not in brief
    kept = json.loads((root / ".repo_mcp" / "last_bundle.json").read_text())
    assert [one["rationale"] for one in kept["selections"]] == [
        one["rationale"] for one in whole["selections"]
    ]
    assert {one["fingerprint"] for one in kept["citations"]} == set(whole["audit"]["fingerprints"].values())
    for name in ("searches", "chunks", "considered", "dropped", "dropped_total"):
        assert drop_nulls(kept["audit"][name]) == whole["audit"].get(name, []), name
    assert kept["budget"]["max_files"] == whole["audit"]["budget"]["max_files"]


def test_the_same_tree_gives_the_same_bundle(repository: Repository, root: Path) -> None:
    first = bundle(repository)["result"]
    repository.refresh(force=True)
    assert bundle(repository)["result"] == first
    with open_indexed(root, data_dir=str(root.parent / "elsewhere")) as other:
        assert bundle(other)["result"] == first


def test_tests_are_left_out_when_asked(repository: Repository) -> None:
    prompt = "test_accounts: overdraw raises"
    with_tests = bundle(repository, prompt=prompt)["result"]["selections"]
    without = bundle(repository, prompt=prompt, include_tests=False)["result"]["selections"]
    assert any(one["path"].startswith("tests/") for one in with_tests)
    assert not any(one["path"].startswith("tests/") for one in without)


def test_the_last_bundle_is_kept_for_people_and_serves_no_client(repository: Repository, root: Path) -> None:
    result = bundle(repository)["result"]
    kept = json.loads((root / ".repo_mcp" / "last_bundle.json").read_text())
    assert kept["bundle_id"] == result["bundle_id"]
    assert result["bundle_id"] in (root / ".repo_mcp" / "last_bundle.md").read_text()
    listed = repository.list_files(None, 1000, include_hidden=True)
    assert not any("last_bundle" in file.path for file in listed.files)


def test_an_empty_prompt_is_an_error_and_one_that_matches_nothing_an_empty_bundle(
    repository: Repository,
) -> None:
    for prompt in ("", "  \n"):
        refused = bundle(repository, prompt=prompt)
        assert refused["error"]["code"] == "invalid_argument"
        assert "prompt" in refused["error"]["message"]
    empty = bundle(repository, prompt="xylophone quux", audit=True)
    assert empty["ok"]
    assert empty["result"]["selections"] == []
    assert empty["result"]["audit"]["searches"]
