"""A grammar that is absent or cannot be loaded: answers that need it name the package."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from repo_mcp.languages import symbol_parsers
from tests.repo_mcp.toolsets.graph import graph_roots
from tests.repo_mcp.toolsets.research import research_roots
from tests.written_trees import write_tree

MIXED = {
    "shop/orders.py": "class Orders:\n    pass\n",
    "server/Store.cs": "class Store { void Keep() {} }\n",
    "server/Shop.cs": "class Shop { Store store; }\n",
}
ABSENT = (
    "The symbols of 2 files in csharp are missing: tree-sitter-c-sharp is not installed."
    " Install tree-sitter-c-sharp for this Python, then start the server again."
)


@pytest.fixture
def no_csharp(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "tree_sitter_c_sharp", None)
    symbol_parsers.find_fault.cache_clear()
    yield
    monkeypatch.undo()
    symbol_parsers.find_fault.cache_clear()


@pytest.fixture
def graph(no_csharp: None, tmp_path: Path) -> Iterator[graph_roots.Served]:
    with graph_roots.Served(write_tree(tmp_path / "root", MIXED), tmp_path / "data") as served:
        yield served


def test_no_answer_about_symbols_is_silent(graph: graph_roots.Served) -> None:
    found = graph.call("search_symbols", query="Store")
    assert found["result"] == []
    assert found["warnings"][0].startswith("'Store' is declared at server/Store.cs:")
    assert found["warnings"][1:] == [ABSENT]
    outlined = graph.call("get_file_outline", path="server/Store.cs")
    assert ABSENT in outlined["warnings"]
    orders = graph.call("search_symbols", query="Orders")["result"][0]["node_id"]
    for tool in ("get_references", "get_callers", "get_implementations", "get_symbol", "find_similar"):
        assert ABSENT in graph.call(tool, node_id=orders)["warnings"], tool
    indexed = graph.call("index_files", paths=["server/Store.cs"])
    assert indexed["warnings"] == [ABSENT]


def test_the_status_is_not_healthy(graph: graph_roots.Served) -> None:
    status = graph.call("get_status")
    assert status["healthy"] is False
    assert status["warnings"].count(ABSENT) == 1
    assert ABSENT in graph.repository.status().warnings  # of repo.status


def test_index_codebase_counts_them_and_research_warns(no_csharp: None, tmp_path: Path) -> None:
    with closing(
        research_roots.Served(write_tree(tmp_path / "root", MIXED), tmp_path / "data", index=False)
    ) as served:
        done = served.call("index_codebase", path=".")
        assert done["errors"] == 2
        assert done["warnings"] == [ABSENT]
        assert ABSENT in served.call("search_code", query="store")["warnings"]
        assert ABSENT in served.call("code_research", query="what uses Store?")["warnings"]


def test_a_language_that_no_file_has_is_not_missed(no_csharp: None, tmp_path: Path) -> None:
    tree = {path: text for path, text in MIXED.items() if path.endswith(".py")}
    with graph_roots.Served(write_tree(tmp_path / "root", tree), tmp_path / "data") as served:
        assert served.call("get_status")["healthy"] is True
        assert "warnings" not in served.call("search_symbols", query="Store")


def language_of_another_time() -> object:
    raise ValueError("Incompatible Language version 99. Must be between 13 and 15")


@pytest.mark.parametrize(
    ("module", "fault"),
    [
        (SimpleNamespace(language=language_of_another_time), "does not fit the installed tree-sitter"),
        (SimpleNamespace(), "cannot be loaded"),
        (SimpleNamespace(language=lambda: None), "cannot be loaded"),
    ],
    ids=["version", "attribute", "type"],
)
def test_what_is_wrong_with_a_grammar_is_said(
    module: object, fault: str, no_csharp: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_c_sharp", module)
    assert str(symbol_parsers.list_faults(["csharp"])["csharp"]) == f"tree-sitter-c-sharp {fault}"


def test_without_the_library_the_library_is_named(no_csharp: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    faults = symbol_parsers.list_faults(["csharp", "go", "python"])
    assert {str(fault) for fault in faults.values()} == {"tree-sitter is not installed"}
    assert list(faults) == ["csharp", "go"]
