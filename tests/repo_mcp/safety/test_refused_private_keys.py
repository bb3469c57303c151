"""`--refuse-private-keys`: no text of a file with a private key leaves, by any tool, and that is said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.model import SearchRequest
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.stdio.retrieval_client import start_retrieval
from tests.repo_mcp.stdio.test_server import Process

CANARY = "xkkeycanaryqz"
LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"
KEY = f"-----BEGIN PRIVATE KEY-----\n{LINE}\n-----END PRIVATE KEY-----\n"
SOURCE = (
    f'def {CANARY}_sign():\n    """Sign with the {CANARY} key."""\n    return KEY\n\n\nKEY = """{KEY}"""\n'
)
OPTION = "--refuse-private-keys"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "tls.py").write_text(SOURCE)
    (root / "guide.md").write_text(f"# {CANARY}\n\nThe manual of it:\n\n{KEY}")
    (root / "app.py").write_text("from tls import KEY\n\n\ndef public_function():\n    return KEY\n")
    return root


def iter_calls() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield calls of every tool of three toolsets."""
    yield "repo.refresh_index", {"force": True}
    yield "index_codebase", {"path": "."}
    for path in ("tls.py", "guide.md"):
        for tool in ("repo.open_file", "repo.outline", "read_file", "get_file_outline"):
            yield tool, {"path": path}
        yield "repo.open_file", {"path": path, "start_line": 1, "end_line": 2}
        yield "read_file", {"path": path, "line_start": 1, "line_end": 2}
        yield "index_files", {"paths": [path]}
    for query in (CANARY, LINE, "sign key", f"{CANARY}_sign"):
        for mode in ("bm25", "literal", "regex", "symbol"):
            yield "repo.search", {"query": query, "mode": mode}
        yield "repo.build_context_bundle", {"prompt": f"{query} in tls.py and guide.md line 5"}
        yield "search_symbols", {"query": query}
        yield "lookup_symbol", {"qualified_name": f"tls.{query}"}
        for tool in ("search_code", "search_docs", "code_research"):
            yield tool, {"query": query, "path": "."}
    yield "get_directory_tree", {}
    yield "repo.audit_log", {"limit": 1_000}


def ask(process: Process, number: int, tool: str, arguments: dict[str, object]) -> dict[str, Any]:
    process.call(number, tool, arguments)
    while True:
        answer = process.read()
        if answer.get("id") == number:
            return answer


def collect(
    root: Path, *options: str, tools: Set[str] | None = None
) -> tuple[list[tuple[str, str, str]], dict[str, Any]]:
    """Return (tool, arguments, answer) of every call, or of some tools, and the result of `repo.status`."""
    with closing(Process(root, "--toolsets", "repo,graph,research", "--no-watch", *options)) as process:
        process.handshake()
        answers = [
            (tool, json.dumps(arguments), json.dumps(ask(process, number, tool, arguments)))
            for number, (tool, arguments) in enumerate(iter_calls())
            if tools is None or tool in tools
        ]
        status = ask(process, 9_999, "repo.status", {})["result"]["structuredContent"]["result"]
    return answers, status


def test_no_text_of_it_leaves_by_any_tool(root: Path) -> None:
    answers, status = collect(root, OPTION)
    leaks = [
        (tool, said)
        for tool, said, answer in answers
        if (LINE in answer and LINE not in said) or "Sign with the" in answer or "manual of it" in answer
    ]
    assert leaks == []
    assert status["coverage"]["skipped"] == {"private_key": 2}
    reported = {(tool, json.loads(said).get("path")): answer for tool, said, answer in answers}
    for tool in ("repo.open_file", "repo.outline", "read_file"):
        assert "private key" in reported[tool, "tls.py"]
        assert OPTION in reported[tool, "tls.py"]
    assert '"blocked": true' in reported["repo.open_file", "guide.md"]
    files = [path for path in (root / ".repo_mcp").rglob("*") if path.is_file()]
    holding = [path.name for path in files if b"Sign with the" in path.read_bytes()]
    assert holding == []
    assert not any(LINE.encode() in path.read_bytes() for path in files if "last_bundle" not in path.name)


def test_without_the_option_the_same_calls_find_it(root: Path) -> None:
    tools = {"repo.open_file", "read_file", "repo.search", "repo.build_context_bundle"}
    answers, status = collect(root, tools={"repo.refresh_index", *tools})
    assert "private_key" not in status["coverage"].get("skipped", {})
    finding = {tool for tool, said, answer in answers if LINE in answer and LINE not in said}
    assert tools <= finding


def test_the_named_roots_refuse_it_too(root: Path, tmp_path: Path) -> None:
    with closing(start_retrieval(root, root, tmp_path / "home", OPTION)) as client:
        for repo in ("docs", "code"):
            assert client.call("open_file", repo=repo, path="tls.py")["error"]["code"] == "PATH_DENIED"
            snippet = client.call("get_snippet", repo=repo, path="tls.py", start_line=1, end_line=2)
            assert OPTION in snippet["error"]["message"]
        for query in (CANARY, LINE):
            assert client.call("search", query=query)["result"]["matches"] == []


def test_a_key_that_comes_later_is_purged(root: Path) -> None:
    (root / "tls.py").write_text(f"def {CANARY}_plain(): ...\n")
    (root / "guide.md").unlink()
    refusals = {"refuse_private_keys": True}
    with open_indexed(root, workers=1, refusals=refusals) as repository:
        assert [hit.path for hit in repository.search(SearchRequest(f"{CANARY}_plain", 5)).hits] == ["tls.py"]
        (root / "tls.py").write_text(f"def {CANARY}_plain(): ...\n\n{KEY}")
        assert list(repository.search(SearchRequest(f"{CANARY}_plain", 5)).hits) == []  # before any refresh
        assert repository.refresh().skipped == {"private_key": 1}
        segments = [path.read_bytes() for path in (root / ".repo_mcp").rglob("*.seg")]
        assert not any(CANARY.encode() in data for data in segments)
        (root / "tls.py").write_text(f"def {CANARY}_plain(): ...\n\n\n")
        repository.refresh()
        assert [hit.path for hit in repository.search(SearchRequest(f"{CANARY}_plain", 5)).hits] == ["tls.py"]


def test_it_has_an_index_of_its_own() -> None:
    plain = load_config("/srv").fingerprint("")
    assert load_config("/srv", refusals={"refuse_private_keys": False}).fingerprint("") == plain
    assert load_config("/srv", refusals={"refuse_private_keys": True}).fingerprint("") != plain
