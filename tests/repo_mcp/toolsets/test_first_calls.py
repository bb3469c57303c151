"""Calls that a model makes before it knows our tools are answered, or say which call is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.protocol.meant_arguments import take_meant
from repo_mcp.protocol.tool_arguments import read_arguments
from repo_mcp.toolsets.repo import bind_toolset
from tests.architecture.tools_document import load_toolsets
from tests.repo_mcp.toolsets.served_toolset import ServedToolset
from tests.written_trees import write_tree

TOOLS = {tool.name: tool for toolset in load_toolsets() for tool in toolset.tools}
SEARCH, OPEN, LIST = "repo.search", "repo.open_file", "repo.list_files"


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        (
            SEARCH,
            {
                "pattern": "def f",
                "path": "src/",
                "glob": "*.py",
                "output_mode": "content",
                "-n": True,
                "-C": 2,
            },
            {
                "query": "def f",
                "mode": "regex",
                "file_glob": "src/**/*.py",
                "detail": "snippets",
                "context": 2,
            },
        ),
        (SEARCH, {"pattern": "f|g", "mode": "literal"}, {"query": "f|g", "mode": "literal"}),
        (SEARCH, {"query": "f", "mode": "grep"}, {"query": "f", "mode": "regex"}),
        (SEARCH, {"query": "f", "is_regex": True}, {"query": "f", "mode": "regex"}),
        (SEARCH, {"query": "f", "regex": False}, {"query": "f"}),
        (SEARCH, {"query": "f", "-F": True}, {"query": "f", "mode": "literal"}),
        (SEARCH, {"query": "f", "type": "py"}, {"query": "f", "language": "py"}),
        (SEARCH, {"query": ["f", "g"]}, {"query": "f g"}),
        (SEARCH, {"query": ["f(", "g"], "mode": "literal"}, {"query": r"f\(|g", "mode": "regex"}),
        (SEARCH, {"query": ["f", "g"], "mode": "regex"}, {"query": "f|g", "mode": "regex"}),
        (SEARCH, {"query": "f", "paths": ["a", "b"]}, {"query": "f", "file_glob": "{a,b}"}),
        (SEARCH, {"query": "f", "path": ".", "include": "*.c"}, {"query": "f", "file_glob": "*.c"}),
        (SEARCH, {"query": "f", "case_sensitive": False}, {"query": "f", "ignore_case": True}),
        (
            SEARCH,
            {"query": "f", "head_limit": "5", "-i": "true"},
            {"query": "f", "top_k": 5, "ignore_case": True},
        ),
        (SEARCH, {"query": "f", "output_mode": "files_with_matches"}, {"query": "f", "detail": "files"}),
        (
            OPEN,
            {"file_path": "a.py", "offset": 10, "limit": 5},
            {"path": "a.py", "start_line": 10, "end_line": 14},
        ),
        (OPEN, {"path": "a.py", "limit": 5}, {"path": "a.py", "start_line": 1, "end_line": 5}),
        (OPEN, {"path": "a.py", "start_line": "3"}, {"path": "a.py", "start_line": 3}),
        (OPEN, {"path": "a.py", "view_range": [3, 9]}, {"path": "a.py", "start_line": 3, "end_line": 9}),
        (OPEN, {"path": "a.py", "line": "3-9"}, {"path": "a.py", "start_line": 3, "end_line": 9}),
        (OPEN, {"path": "a.py", "line": "L3-L9"}, {"path": "a.py", "start_line": 3, "end_line": 9}),
        (OPEN, {"path": "a.py", "line": "255:13"}, {"path": "a.py", "line": 255}),
        (OPEN, {"path": "a.py", "line": "12:40"}, {"path": "a.py", "line": 12}),
        (OPEN, {"path": "a.py", "line": "9-3"}, {"path": "a.py", "line": 9}),
        (OPEN, {"path": "a.py", "line": "L12"}, {"path": "a.py", "line": 12}),
        (OPEN, {"spans": [{"path": "a.py", "line": "L12"}]}, {"spans": [{"path": "a.py", "line": 12}]}),
        (OPEN, {"path": "a.py", "lines": "12:40"}, {"path": "a.py", "start_line": 12, "end_line": 40}),
        (OPEN, {"path": "a.py", "line": [3, 9]}, {"path": "a.py", "start_line": 3, "end_line": 9}),
        (OPEN, {"path": "a.py", "line": "3"}, {"path": "a.py", "line": 3}),
        (OPEN, {"path": "a.py", "view_range": [3, -1]}, {"path": "a.py", "start_line": 3}),
        (OPEN, {"path": "a.py", "view_range": [0, 9]}, {"path": "a.py", "start_line": 1, "end_line": 9}),
        (OPEN, {"path": "a.py", "lines": "3-9"}, {"path": "a.py", "start_line": 3, "end_line": 9}),
        (OPEN, {"path": "a.py", "lines": "L3"}, {"path": "a.py", "start_line": 3, "end_line": 3}),
        (OPEN, {"paths": ["a.py", "b.py"]}, {"spans": [{"path": "a.py"}, {"path": "b.py"}]}),
        (
            OPEN,
            {"path": "a.py", "about": "tax", "spans": [{"symbol": "f"}, {"path": "b.py", "line": 3}]},
            {
                "spans": [
                    {"path": "a.py", "about": "tax", "symbol": "f"},
                    {"path": "b.py", "about": "tax", "line": 3},
                ]
            },
        ),
        (
            OPEN,
            {"path": "a.py", "symbol": ["f", "g"]},
            {"spans": [{"path": "a.py", "symbol": "f"}, {"path": "a.py", "symbol": "g"}]},
        ),
        (
            OPEN,
            {"spans": [{"file": "a.py", "lines": "3-9"}]},
            {"spans": [{"path": "a.py", "start_line": 3, "end_line": 9}]},
        ),
        ("repo.outline", {"relative_path": "a.py", "kind": "Class"}, {"path": "a.py", "kinds": ["Class"]}),
        (LIST, {"path": "src", "pattern": "*.py", "recursive": True}, {"glob": "src/**/*.py"}),
        (LIST, {"glob": ["*.c", "*.h"]}, {"glob": "{*.c,*.h}"}),
        (
            "repo.build_context_bundle",
            {"task": "x", "max_files": "3"},
            {"prompt": "x", "budget": {"max_files": 3}},
        ),
        (
            "repo.build_context_bundle",
            {"prompt": "x", "budget": '{"max_files": 3}'},
            {"prompt": "x", "budget": {"max_files": 3}},
        ),
        ("search_symbols", {"name": "F", "kind": "Class"}, {"query": "F", "node_type": "class"}),
        ("get_symbol", {"name_path": "/F/g"}, {"symbol": "F.g"}),
        ("search_symbols", {"query": "F", "type": "Enum-Member"}, {"query": "F", "node_type": "enum_member"}),
        ("get_references", {"path": "a.py", "line": 3, "character": 4}, {"symbol": "a.py:3"}),
        ("get_callers", {"file": "a.py", "function_name": "f"}, {"symbol": "a.py:f"}),
        ("get_symbol", {"path": "a.py"}, {"symbol": "a.py"}),
        (
            "read_file",
            {"file_path": "a", "offset": 3, "limit": 2},
            {"path": "a", "line_start": 3, "line_end": 4},
        ),
        ("code_research", {"question": ["how?"]}, {"query": "how?"}),
        (
            "search",
            {"pattern": "f", "is_regex": True, "-i": False},
            {"query": "f", "regex": True, "case_sensitive": True},
        ),
        ("get_snippet", {"path": "a", "line": "9:4"}, {"path": "a", "start_line": 9, "end_line": 9}),
        (
            "get_snippet",
            {"path": "a", "line": 9, "context": 2},
            {"path": "a", "start_line": 7, "end_line": 11},
        ),
    ],
)
def test_arguments_of_other_tools_are_taken_as_they_are_meant(
    tool: str, given: dict[str, object], meant: dict[str, object]
) -> None:
    schema = TOOLS[tool].input_schema
    taken = take_meant(schema, given)
    assert taken == meant
    assert take_meant(schema, taken) == meant  # and what is meant stays
    required = {name: "code" for name in ("repo",) if tool == "get_snippet"}
    read_arguments(schema, {**taken, **required})


def test_of_very_many_arguments_none_is_looked_at() -> None:
    schema = TOOLS[SEARCH].input_schema
    few: dict[str, object] = {"pattern": "f", "colour": 1}
    many = few | {f"k{number}": number for number in range(100)}
    assert take_meant(schema, few)["query"] == "f"
    assert take_meant(schema, many) is many


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        (SEARCH, {"query": "f", "colour": 1}),
        (SEARCH, {"query": [1, 2]}),
        (SEARCH, {"query": "f", "top_k": "many"}),
        (SEARCH, {"query": "f", "mode": "fast"}),
        (OPEN, {"path": "a.py", "lines": "all"}),
        (OPEN, {"path": "a.py", "view_range": [1, 2, 3]}),
        ("repo.build_context_bundle", {"prompt": "x", "budget": "{"}),
        ("repo.build_context_bundle", {"prompt": "x", "budget": '{"a":' * 50_000}),
        (OPEN, {"path": "a.py", "view_range": [1, None]}),
        ("repo.build_context_bundle", {"prompt": "x", "budget": 4000}),
    ],
)
def test_what_cannot_be_understood_stays_and_is_refused(tool: str, given: dict[str, object]) -> None:
    assert take_meant(TOOLS[tool].input_schema, given) == given


class Served(ServedToolset):
    """The tools of `repo`."""

    name = "repo"
    bind_toolset = staticmethod(bind_toolset)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the record of an answer."""
        record: dict[str, Any] = json.loads(self.ask(tool, arguments).text)
        return record


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("first")
    files = {f"lib/p{number}/names.py": f"n{number} = 1\n" for number in range(6)}
    root = write_tree(
        place / "r", {"shop/ledger.py": "class Ledger:\n    def post(self):\n        return 1\n", **files}
    )
    with Served(root, place / "data") as one:
        yield one


def test_globs_may_begin_with_the_root(served: Served) -> None:
    for glob in (f"{served.root}/shop", f"{served.root}/shop/", f"{served.root}/shop/*.py", "./shop/"):
        assert served.call(LIST, glob=glob)["result"]["total"] == 1
        for mode in ("bm25", "literal"):
            assert served.call(SEARCH, query="post", mode=mode, path=glob)["result"]["hits"], (glob, mode)
    assert served.call(LIST, path=str(served.root))["result"]["total"] == 7
    assert not served.call(LIST, glob=f"{served.root}er/*.py")["result"]["files"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("shop\\ledger.py", "Similar paths: 'shop/ledger.py'."),
        ("names.py", "Similar paths: 'lib/p0/names.py', 'lib/p1/names.py', 'lib/p2/names.py' and 3 more."),
        ("shop/l*.py", "Similar paths: 'shop/ledger.py'."),
        ("shop.ledger", "Similar paths: 'shop/ledger.py'."),
        ("Shop/Ledger.py", "Similar paths: 'shop/ledger.py'."),
        ("Far/Ledger.py", "Similar paths: 'shop/ledger.py'."),
        ("shop", "List the files in it to find one: 'shop/ledger.py'."),
    ],
)
def test_a_path_that_leads_to_no_file_is_answered_with_one_that_does(
    served: Served, path: str, hint: str
) -> None:
    for tool in (OPEN, "repo.outline"):
        assert served.call(tool, path=path)["error"]["hint"] == hint


def test_a_symbol_may_begin_with_its_module(served: Served) -> None:
    for symbol in (
        "shop.ledger.Ledger.post",
        "ledger.Ledger.post",
        "Ledger.post",
        "Ledger::post",
        "Ledger#post()",
        "Ledger<Money>.post(self)",
        ".post",
    ):
        assert served.call(OPEN, symbol=symbol)["result"]["start_line"] == 2
    assert served.call(OPEN, symbol="shop.other.Ledger")["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "symbol", ["Org\\Shop\\Ledger::post", "org.shop.Ledger.post", "Org.Shop.Ledger::post"]
)
def test_a_symbol_may_begin_with_the_package_of_its_folder(tmp_path: Path, symbol: str) -> None:
    texts = {
        "src/Org/Shop/Ledger.php": "<?php\nclass Ledger\n{\n    public function post() {}\n}\n",
        "src/org/shop/Ledger.java": "class Ledger {\n    void post() {}\n}\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as one:
        opened = one.call(OPEN, symbol=symbol)["result"]
    assert (opened["path"], opened["symbol"]) in (
        ("src/Org/Shop/Ledger.php", "Ledger.post"),
        ("src/org/shop/Ledger.java", "Ledger.post"),
    )


def test_a_query_for_another_mode_or_tool_is_answered_with_that(served: Served) -> None:
    for mode, query, words in (
        ("literal", "post|Ledger", "mode regex"),
        ("symbol", "po.*", "mode regex"),
        ("bm25", "shop/ledger.py:2", '{"path": "shop/ledger.py:2"}'),
        ("bm25", r"shop\ledger.py:2", r'{"path": "shop\\ledger.py:2"}'),
        ("bm25", "post -file:shop", "`!*shop*`"),
    ):
        assert words in "".join(served.call(SEARCH, query=query, mode=mode)["warnings"]), query
    for mode, query in (("literal", "post(self)"), ("symbol", "Ledger.post"), ("bm25", "post at 12:30")):
        assert not served.call(SEARCH, query=query, mode=mode)["warnings"], query


def test_filters_of_code_hosts_narrow_a_query(served: Served) -> None:
    for query in (
        "symbol:post repo:own/shop",
        "post language:python",
        "post file:ledger.py",
        "post path:shop/*.py",
    ):
        hits = served.call(SEARCH, query=query)["result"]["hits"]
        assert [hit["path"] for hit in hits] == ["shop/ledger.py"], query
    for query in ("post language:rust", "post filename:other.py"):
        assert not served.call(SEARCH, query=query)["result"]["hits"]
