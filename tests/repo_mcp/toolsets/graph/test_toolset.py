"""The `graph` toolset as a whole: its tools and schemas, its errors, its log, its determinism."""

from __future__ import annotations

import json
import math
import os
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import DiskDirectory, IndexWriter
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.live_graph import LiveGraph
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.model import IndexProgress
from repo_mcp.protocol.meant_arguments import take_meant
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.symbol_index.schema import SYMBOL_FIELDS
from repo_mcp.toolsets.graph.answers import ERROR_CODES
from tests.architecture.source_tree import ROOT
from tests.deep.sizes import IS_DEEP, choose, examples
from tests.log_collector import collect_logs
from tests.repo_mcp.semantic.tiny_model import write_model
from tests.repo_mcp.toolsets.graph.graph_roots import CANARY, PNG, TREE, Served
from tests.written_trees import write_tree

TOOLS = [
    "list_directory", "read_file", "get_directory_tree", "search_symbols", "lookup_symbol", "find_similar",
    "get_symbol", "get_source_spans", "get_file_outline", "get_callers", "get_callees",
    "get_implementations", "get_references", "get_dependencies", "get_dependents", "get_impact",
    "index_files", "get_status",
]  # fmt: skip
OF_NODES = [
    "find_similar", "get_symbol", "get_source_spans", "get_callers", "get_callees", "get_implementations",
    "get_references", "get_dependencies", "get_dependents",
]  # fmt: skip
GOOD: dict[str, Any] = {
    "path": "shop/money.py", "line_start": 1, "line_end": 2, "query": "save", "qualified_name": "save",
    "paths": ["shop/money.py"], "diff": "--- a/shop/money.py\n+++ b/shop/money.py\n@@ -1 +1 @@\n-a\n+b\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("graph")
    with Served(write_tree(place / "shop", TREE | {"logo.png": PNG}), place / "data") as served:
        yield served


def build_arguments(served: Served, tool: str) -> dict[str, Any]:
    """Return arguments that a tool takes, every one that is required."""
    schema = cast(Any, served.tools[tool].input_schema)
    needed = ["node_id"] if "node_id" in schema["properties"] else schema["required"]
    good = GOOD | {"node_id": served.find("shop.orders.OrderStore")}
    return {name: good[name] for name in needed}


# Tools and schemas


def test_the_tools_in_their_order(served: Served) -> None:
    assert [tool.name for tool in served.toolset.tools] == TOOLS
    for tool in served.toolset.tools:
        hints = tool.annotations
        assert hints.read_only is (tool.name != "index_files")
        assert (hints.destructive, hints.idempotent, hints.open_world) == (False, True, False)
        assert tool.title
        assert tool.description
    assert served.toolset.instructions


def test_the_parameters_are_those_of_the_specification(served: Served) -> None:
    def describe(tool: str) -> dict[str, Any]:
        return cast(Any, served.tools[tool].input_schema)["properties"]

    required = {name: cast(Any, tool.input_schema)["required"] for name, tool in served.tools.items()}
    assert required == {
        "list_directory": [], "get_directory_tree": [], "get_status": [], "read_file": ["path"],
        "get_file_outline": ["path"], "search_symbols": ["query"], "lookup_symbol": ["qualified_name"],
        "index_files": ["paths"], "get_impact": ["diff"], **{tool: [] for tool in OF_NODES},
    }  # fmt: skip
    for tool in OF_NODES:  # one of them
        assert list(describe(tool))[:2] == ["symbol", "node_id"]
    assert list(describe("read_file")) == ["path", "line_start", "line_end"]
    assert list(describe("search_symbols")) == [
        "query", "project_id", "node_type", "language", "limit", "cursor",
    ]  # fmt: skip
    assert list(describe("lookup_symbol")) == ["qualified_name", "language", "project_id", "cursor"]
    for tool, name, default, most in (
        ("search_symbols", "limit", 20, 50),
        ("find_similar", "limit", 10, 50),
        ("get_directory_tree", "depth", 3, 10),
        ("get_impact", "depth", 2, 4),
    ):
        schema = describe(tool)[name]
        assert (schema["default"], schema["minimum"], schema["maximum"]) == (default, 1, most)
    assert describe("index_files")["paths"]["maxItems"] == 100
    types = [
        "calls", "inherits", "implements", "imports", "overrides", "references", "contains", "accepts",
        "extends",
    ]  # fmt: skip
    for tool in ("get_dependencies", "get_dependents"):
        assert describe(tool)["edge_type"]["enum"] == types
    kinds = {
        "class", "method", "interface", "property", "component", "file", "module", "type", "constructor",
    }  # fmt: skip
    assert kinds <= set(describe("search_symbols")["node_type"]["enum"])


@pytest.mark.sized
def test_arguments_that_the_schema_takes_are_taken_and_others_are_not(served: Served) -> None:
    """The schema and the check say the same of what is meant, but for null and too large integers."""
    values: list[object] = [
        "",
        "x",
        0,
        1,
        10,
        True,
        1.0,
        1.5,
        [],
        ["a"],
        [1],
        {},
        "a\0",
    ]
    for tool in served.toolset.tools:
        good = build_arguments(served, tool.name)
        properties: dict[str, dict[str, object]] = cast(Any, tool.input_schema)["properties"]
        unbounded = {name: {**one, "maximum": math.inf} for name, one in properties.items()}
        schema = jsonschema.Draft202012Validator({**tool.input_schema, "properties": unbounded})
        for name in [*properties, "unknown"]:
            for value in random.sample(values, choose(1, len(values))):
                arguments = good | {name: value}
                taken = schema.is_valid(take_meant(tool.input_schema, arguments))
                message = served.answer(tool.name, **arguments).get("error", {}).get("message", "")
                refused = message.startswith(("Argument ", "Unknown argument"))
                assert (not taken) == refused or value == "a\0", (tool.name, name, value, message)


def test_every_tool_answers_as_its_schema_says(served: Served) -> None:
    for tool in TOOLS:
        answer = served.call(tool, **build_arguments(served, tool))
        wanted = set(cast(Any, served.tools[tool].output_schema)["properties"]) - {"error", "warnings"}
        sometimes = {
            "warnings",
            "truncated",
            "cursor",
            "symbol",
            "references_by_name",
            "folders",
            "total_by_role",
        }
        sometimes |= {"total"} if tool in ("search_symbols", "lookup_symbol") else set()
        assert set(answer) - sometimes == wanted - sometimes, tool


# Errors


def test_the_codes_are_those_of_the_specification_and_blocked(served: Served) -> None:
    assert set(ERROR_CODES) == {
        "not_found", "invalid_parameter", "path_escape", "binary_file", "too_large", "engine_unavailable",
        "index_error", "blocked", "busy", "timeout",
    }  # fmt: skip


def test_the_page_of_errors_lists_every_code() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").split("\n## The toolset `graph`\n")[1]
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == list(ERROR_CODES)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("read_file", {"path": "nothing.py"}, "not_found"),
        ("get_symbol", {"node_id": "0" * 24}, "not_found"),
        ("search_symbols", {"query": "x", "project_id": "nowhere"}, "not_found"),
        ("search_symbols", {"query": "x", "limit": 0}, "invalid_parameter"),
        ("search_symbols", {"query": "x", "node_type": "animal"}, "invalid_parameter"),
        ("search_symbols", {"query": "x", "language": "klingon"}, "invalid_parameter"),
        ("lookup_symbol", {"qualified_name": "x", "language": "c#"}, "invalid_parameter"),
        ("read_file", {"path": "shop"}, "invalid_parameter"),
        ("list_directory", {"path": "shop/money.py"}, "invalid_parameter"),
        ("read_file", {"path": "../outside"}, "path_escape"),
        ("list_directory", {"path": "shop/../.."}, "path_escape"),
        ("get_directory_tree", {"path": "/etc"}, "path_escape"),
        ("get_file_outline", {"path": "../x.py"}, "path_escape"),
        ("read_file", {"path": "logo.png"}, "binary_file"),
        ("read_file", {"path": ".env"}, "blocked"),
        ("get_file_outline", {"path": ".env"}, "blocked"),
        ("list_directory", {"path": ".git"}, "blocked"),
    ],
)
def test_each_error_has_its_code_and_a_hint(
    served: Served, tool: str, arguments: dict[str, Any], code: str
) -> None:
    error = served.error(tool, **arguments)
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
    assert str(served.root) not in json.dumps(error)


def test_an_unknown_node_is_reported_with_the_nearest_names(served: Served) -> None:
    node = served.find("shop.money.add")
    for tool in OF_NODES:
        hint = served.error(tool, node_id=node[:8] + "0" * 16)["hint"]
        assert f"shop.money.add ({node})" in hint
        found = served.find("shop.orders.place_order")
        assert f"shop.orders.place_order ({found})" in served.error(tool, node_id="plcae_order")["hint"]


def test_a_file_over_the_limit_is_too_large(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "r", {"big.py": "x = 1\n" * 1_000, "small.py": "y = 2\n"})
    with Served(root, tmp_path / "data", max_file_bytes=1_000) as served:
        assert served.error("read_file", path="big.py")["code"] == "too_large"
        assert served.error("get_file_outline", path="big.py")["code"] == "too_large"
        (row,) = served.call("index_files", paths=["big.py"])["errors"]
        assert row["code"] == "too_large"


def test_without_an_index_navigation_says_what_to_do_and_files_can_be_read(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "r", TREE), tmp_path / "data", index=False) as served:
        asked = {"node_id": "0" * 24, "query": "x", "qualified_name": "x", "path": "shop/money.py"}
        for tool in [*OF_NODES, "search_symbols", "lookup_symbol", "get_file_outline"]:
            names = cast(Any, served.tools[tool].input_schema)["properties"]
            error = served.error(tool, **{name: asked[name] for name in asked if name in names})
            assert error["code"] == "engine_unavailable"
            assert "get_status" in error["hint"]
            assert "repo." not in error["hint"]  # a tool of another toolset
        assert served.call("read_file", path="shop/money.py")["total_lines"] == 8
        assert served.rows("list_directory")
        assert served.call("get_directory_tree")["children"]
        status = served.call("get_status")
        assert (status["healthy"], status["indexed_files"], status["indexed_symbols"]) == (False, 0, 0)
        assert status["last_batch_at"] is None
        assert status["structure"]["state"] == "missing"


def test_a_defect_is_an_index_error_without_what_it_quotes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **_named: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr(LiveGraph, "open", fail)
    with collect_logs() as logged:
        error = served.error("search_symbols", query="x")
    assert error["code"] == "index_error"
    assert "ValueError" in logged.text
    assert CANARY not in logged.text


def test_an_index_that_is_busy_is_unavailable(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RepoError(ErrorCode.BUSY, "Another process writes the index.", "Ask repo.status.")

    monkeypatch.setattr(LiveGraph, "index_files", fail)
    error = served.error("index_files", paths=["a.py"])
    assert (error["code"], error["hint"]) == ("engine_unavailable", "Try again in a few seconds.")


TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "",
        ".",
        "..",
        "/",
        "shop",
        "shop/money.py",
        "shop/./money.py",
        "*",
        "a*b*",
        "sA",
        "Shop.Orders",
        "a" * 5_000,
    ]
)
NUMBERS = st.integers(0, 40)
HUNKS = st.builds(
    "--- a/{}\n+++ b/{}\n@@ -{},{} +{},{} @@\n-{}\n+{}\n {}\n".format,
    *(st.sampled_from([*TREE, "..", ".env", "nowhere.py", "/dev/null"]),) * 2,
    *(NUMBERS,) * 4,
    *(st.sampled_from(["", "class OrderStore:", "    return plus(", "def save(self):", "}"]),) * 3,
)
VALUES = {
    "path": TEXTS,
    "diff": TEXTS | st.lists(HUNKS, max_size=4).map("".join),
    "query": TEXTS,
    "qualified_name": TEXTS,
    "project_id": TEXTS,
    "cursor": TEXTS,
    "symbol": TEXTS | st.sampled_from(["save", "shop.orders", "shop/orders.py:12", "orders.py:nothing"]),
    "paths": st.lists(TEXTS, max_size=4),
    "folder": TEXTS | st.sampled_from(["shop", "shop/", ".", "../shop", "/shop", "nothing"]),
    "language": st.sampled_from(["python", "typescript", "csharp", "cobol", ""]),
    "node_type": st.sampled_from(["class", "method", "file", "nothing"]),
    "edge_type": st.sampled_from(["calls", "contains", "nothing"]),
    **dict.fromkeys(("limit", "depth", "line_start", "line_end"), st.integers(-1, 600)),
}


@pytest.fixture(scope="module")
def nodes(served: Served) -> list[str]:
    paths = ("shop/orders.py", "web/src/shop.ts", "server/OrderStore.cs")
    return [row["node_id"] for path in paths for row in served.rows("get_file_outline", path=path)]


@given(st.sampled_from(TOOLS), st.data())
@settings(max_examples=examples(300))
def test_no_arguments_make_a_defect(served: Served, nodes: list[str], tool: str, data: st.DataObject) -> None:
    schema = cast(Any, served.tools[tool].input_schema)
    values = VALUES | {"node_id": st.sampled_from(nodes) | TEXTS}
    arguments = {
        name: data.draw(values[name], name)
        for name in schema["properties"]
        if name in schema["required"] or data.draw(st.booleans(), f"has {name}")
    }
    answer = served.answer(tool, **arguments)
    assert answer.get("error", {}).get("code") != "index_error", (tool, arguments)
    assert str(served.root) not in json.dumps(answer)


# get_status and index_files


def test_the_status_names_the_model_and_counts_its_vectors(tmp_path: Path) -> None:
    served = Served(
        write_tree(tmp_path / "shop", TREE), tmp_path / "data", model=write_model(tmp_path / "small")
    )
    found = served.call("get_status")
    assert (found["embedding_model"], found["embeddings_count"]) == ("small", 0)
    assert served.repository.vectors is not None
    served.repository.vectors.build()
    assert served.call("get_status")["embeddings_count"] > 0
    assert served.repository.engines._made_graph is None  # what the engine loads, a status can do without
    served.repository.close()


def test_a_watcher_that_gave_up_is_not_active(tmp_path: Path) -> None:
    """Whatever the switch says."""
    config = load_config(str(write_tree(tmp_path / "shop", TREE)), workers=1, watch=True)
    with closing(Repository(config)) as repository:
        repository.refresh()
        assert not repository.status().watched
        repository._index.start_watching()
        assert repository.status().watched
        repository._index._watch._stop("no more descriptors")
        assert (repository.status().watching, repository.status().watched) == (True, False)


@pytest.mark.parametrize(
    ("path", "code"), [("../x.py", "path_escape"), (".env", "blocked"), ("nothing.py", "not_found")]
)
def test_a_bad_path_is_refused_before_there_is_an_index(tmp_path: Path, path: str, code: str) -> None:
    served = Served(write_tree(tmp_path / "shop", TREE), tmp_path / "data", index=False)
    assert served.error("get_file_outline", path=path)["code"] == code
    served.repository.close()


def test_a_kind_that_there_is_not_is_refused(served: Served) -> None:
    with served.repository.engines.graph.open() as graph, pytest.raises(RepoError) as caught:
        graph.search("add", SymbolFilter(kind="gadget"), 5)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_the_status_has_the_fields_of_the_specification_and_no_path(served: Served) -> None:
    status = served.call("get_status")
    assert status["healthy"] is True
    assert status["schema_version"] >= 1
    assert status["indexed_files"] == 18
    assert status["indexed_symbols"] > 25
    assert {"python", "typescript"} <= set(status["languages"])
    assert status["watcher_active"] is False
    assert status["last_batch_at"].endswith("Z")
    assert (status["embedding_model"], status["embeddings_count"]) == (None, 0)
    structure = status["structure"]
    assert structure["state"] == "ready"
    assert structure["files_done"] == structure["files_total"] >= 9
    text = json.dumps(status)
    for place in (str(served.root), served.repository.data_dir.path, os.path.expanduser("~")):
        assert place not in text


def test_index_files_takes_changed_and_new_files_and_tells_of_each_other(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "shop", TREE | {"logo.png": PNG})
    with Served(root, tmp_path / "data") as served:
        write_tree(
            root,
            {
                "shop/money.py": "def double(price): ...\n",
                "shop/new.py": "from shop.money import double\n\ndef twice():\n    double(1)\n",
                "broken.py": "def whole(): ...\n\ndef half(:\n",
            },
        )
        paths = ["shop/money.py", "shop/new.py", "broken.py", "README.md", "nothing.py", ".env", "logo.png"]
        paths += ["shop", "../outside.py", "build/made.py"]
        answer = served.call("index_files", paths=paths)
        assert answer["indexed"] == len(answer["files"]) == 4
        assert answer["files"] == [
            {"path": "shop/money.py", "parse_status": "full"},
            {"path": "shop/new.py", "parse_status": "full"},
            {"path": "broken.py", "parse_status": "partial"},
            {"path": "README.md", "parse_status": None},
        ]
        assert [(row["path"], row["code"]) for row in answer["errors"]] == [
            ("nothing.py", "not_found"),
            (".env", "blocked"),
            ("logo.png", "binary_file"),
            ("shop", "invalid_parameter"),
            ("../outside.py", "path_escape"),
            ("build/made.py", "invalid_parameter"),
        ]
        assert all(row["message"] for row in answer["errors"])
        assert [
            row["qualified_name"]
            for row in served.rows("get_callers", node_id=served.find("shop.money.double"))
        ] == ["shop.new.twice"]
        assert served.rows("lookup_symbol", qualified_name="shop.money.add") == []
        (row,) = served.rows("lookup_symbol", qualified_name="broken.whole")
        assert served.call("get_symbol", node_id=row["node_id"])["parse_status"] == "partial"


def test_index_files_takes_a_hundred_paths_and_no_more(served: Served) -> None:
    answer = served.call("index_files", paths=[f"missing{number}.py" for number in range(100)])
    assert (answer["indexed"], len(answer["errors"])) == (0, 100)
    assert served.error("index_files", paths=["a.py"] * 101)["code"] == "invalid_parameter"
    assert served.call("index_files", paths=[]) == {"indexed": 0, "files": [], "errors": []}


def test_a_file_that_went_away_is_forgotten(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "r", {"a.py": "def gone(): ...\n", "b.py": "def here(): ...\n"})
    with Served(root, tmp_path / "data") as served:
        (root / "a.py").unlink()
        (row,) = served.call("index_files", paths=["a.py"])["errors"]
        assert row["code"] == "not_found"
        assert served.rows("search_symbols", query="gone") == []
        assert len(served.rows("search_symbols", query="here")) == 1


def test_answers_say_while_files_are_not_parsed_yet(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "r", TREE), tmp_path / "data") as served:
        progress = IndexProgress("structure", 3, 9, 30, 90)
        served.repository.symbol_index._progress = progress
        node = served.find("shop.money.add")
        for tool in OF_NODES:
            warnings = served.call(tool, node_id=node)["warnings"]
            assert [f"3 of {progress.files_total}" in one for one in warnings].count(True) == 1
        assert served.call("search_symbols", query="add")["warnings"]
        assert served.call("get_file_outline", path="shop/money.py")["warnings"]


def test_a_symbol_whose_file_is_being_parsed_anew_is_not_said_to_be_gone(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "r", {"a.py": "def f(): ...\n", "b.py": "def g(): ...\n"})
    with Served(root, tmp_path / "data") as served:
        node, other = served.find("a.f"), served.find("b.g")
        write_tree(root, {"a.py": "x = 1\n\n\ndef f(): ...\n"})
        served.repository.refresh()  # the structure lags behind
        error = served.error("get_symbol", node_id=node)
        assert (error["code"], error["hint"]) == ("engine_unavailable", "Try again in a few seconds.")
        assert served.call("get_symbol", node_id=other)["name"] == "g"
        served.repository.symbol_index.build()
        assert served.call("get_symbol", node_id=node)["line_start"] == 4


# The log of calls


def test_every_call_is_in_the_log_without_contents(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "shop", TREE), tmp_path / "data") as served:
        for tool in TOOLS:
            served.call(tool, **build_arguments(served, tool))
        served.error("read_file", path=".env")
        served.error("read_file", path="../../secret-outside")
        served.error("search_symbols", query="secret-words", limit=0)
        served.error("get_symbol", node_id="secret-words")
        text = (tmp_path / "data" / "audit.jsonl").read_text()
        entries = [json.loads(line) for line in text.splitlines()]
        assert {entry["tool"] for entry in entries if entry["ok"]} == set(TOOLS)
        ends = [(entry["tool"], entry["error_code"], entry["blocked"]) for entry in entries[-4:]]
        assert ends == [
            ("read_file", "blocked", True),
            ("read_file", "path_escape", True),
            ("search_symbols", "invalid_parameter", False),
            ("get_symbol", "not_found", False),
        ]
        for secret in (CANARY, "secret", "OrderStore", "place_order", "self.check", str(served.root)):
            assert secret not in text, secret


def test_a_call_that_cannot_be_logged_says_so(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.audit, "write", lambda _call: False)
    assert served.call("get_status")["warnings"] == ["audit_unavailable"]
    assert served.answer("get_symbol", node_id="0" * 24)["warnings"] == ["audit_unavailable"]


def test_a_dropped_call_is_logged_as_cancelled(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "r", {"a.py": "x = 1\n"}), tmp_path / "data") as served:
        drop = served.tools["get_status"].drop
        assert drop is not None
        drop({}, CallContext(lambda: True))
        (line,) = (tmp_path / "data" / "audit.jsonl").read_text().splitlines()
        assert json.loads(line)["error_code"] == "cancelled"


def test_a_star_after_a_name_finds_what_is_inside(served: Served) -> None:
    """It failed: a star alone also matches nothing, behind the last name of the index."""
    found = {row["qualified_name"] for row in served.rows("search_symbols", query="OrderStore.*")}
    assert found
    assert all("OrderStore" in one for one in found)


# The same question, the same answer


def ask_everything(served: Served) -> dict[str, str]:
    """Return the text of the answers to many questions, by question."""
    rows = []
    for path in sorted(TREE):
        if path.endswith((".py", ".ts", ".cs")) and not path.startswith("build"):
            rows += served.rows("get_file_outline", path=path)
    answers = {
        f"{tool} {row['node_id']}": served.ask(tool, {"node_id": row["node_id"]}).text
        for row in rows[:: 1 if IS_DEEP else 6]
        for tool in OF_NODES
    }
    for query in ("save", "sa*", "OrderStore.save", "oS", "order store", "Basket"):
        answers[query] = served.ask("search_symbols", {"query": query}).text
    assert len(answers) > (100 if IS_DEEP else 50)
    return answers


@pytest.mark.sized
def test_answers_depend_on_the_tree_alone(served: Served, tmp_path: Path) -> None:
    """The same bytes twice, in another place, after a history of changes, and after compaction."""
    wanted = ask_everything(served)
    assert ask_everything(served) == wanted
    root = write_tree(tmp_path / "elsewhere" / "shop", {"zoo/old.py": "def place_order(): ...\n"})
    with Served(root, tmp_path / "data") as other:
        for path, text in sorted(TREE.items(), reverse=True):
            write_tree(root, {path: text.replace("save", "keep")})
            if path.endswith("s.py"):
                other.index()
        write_tree(root, TREE | {"logo.png": PNG})
        shutil.rmtree(root / "zoo")
        other.index()
        assert ask_everything(other) == wanted
        other.repository.compact(full=True)
        other.repository.symbol_index.compact(full=True)
        assert ask_everything(other) == wanted


def test_files_whose_symbols_must_wait_are_pending_and_the_answer_says_so(tmp_path: Path) -> None:
    """Another process holds the lock of the symbol index."""
    root = write_tree(tmp_path / "root", {"a.py": "def a():\n    return 1\n"})
    with Served(root, tmp_path / "data") as served:
        phase = served.repository.symbol_index._phase
        (root / "late.py").write_text("def late():\n    return 1\n")
        with IndexWriter(DiskDirectory(phase.storage.directory), phase.storage.configuration, SYMBOL_FIELDS):
            found = served.call("index_files", paths=["late.py", "a.py"])
            said = served.repository.engines.graph.explain_unparsed("late.py")  # a call would wait for it
        assert said.endswith("it is not parsed. Ask again in a moment.")
        assert [row["parse_status"] for row in found["files"]] == ["pending", "full"]
        assert any(text.startswith("Files are being parsed: ") for text in found["warnings"])
        found = served.call("index_files", paths=["late.py"])
        assert ([row["parse_status"] for row in found["files"]], found.get("warnings")) == (["full"], None)
