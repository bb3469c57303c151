"""Hot symbols: what the first page says of all references, and how the rest is reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.graph import edge_finder
from repo_mcp.graph.edge_finder import FIRST
from repo_mcp.graph.edge_list import FolderUses
from repo_mcp.toolsets.graph.rows import render_folders, shorten
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.repo_mcp.toolsets.graph.test_edges import read_pages
from tests.written_trees import write_tree

LIBRARY = 120  # files that use it in lib/, and half as many in app/; twice in each
TWIN = 24  # files in tools/ that use another function of that name


def _use(module: str) -> str:
    return f"from {module} import give\n\n\ndef one():\n    give(1)\n\n\ndef two():\n    give(2)\n"


FILES = {
    "core.py": "def give(n): ...\n",
    "tools/own.py": "def give(n): ...\n",
    **{f"lib/net/m{number:03}.py": _use("core") for number in range(LIBRARY)},
    **{f"app/m{number:03}.py": _use("core") for number in range(LIBRARY // 2)},
    **{f"tools/m{number:03}.py": _use("tools.own") for number in range(TWIN)},
}


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_finder, "MAX_FILES", 100)


def _list_folders(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["folder"]: row for row in answer["folders"]}


def test_the_first_page_says_who_uses_it_before_all_is_resolved(served: Served) -> None:
    first = served.call("get_callers", symbol="core.give")
    assert first["total_is_lower_bound"]
    assert f"At least {first['reference_total']} references: not every file" in first["warnings"][-1]
    assert 0 < first["total"] <= FIRST.references
    calls = 2 * (LIBRARY + LIBRARY // 2)
    # Names of imports count as references, too: three by name in each file that uses it.
    assert first["references_by_name"] >= calls + 2 * TWIN
    folders = _list_folders(first)
    assert list(folders) == ["lib/net", "app", "tools"]
    assert [folders[one]["files"] for one in folders] == [LIBRARY, LIBRARY // 2, TWIN]
    assert sum(row["references"] for row in folders.values()) == first["references_by_name"]
    for folder in ("lib/net", "app"):
        row = folders[folder]
        assert row["references"] >= 2 * row["files"]
        assert 0 < row["exact"] <= row["resolved"] < row["references"]
        assert (row["probable"], row["possible"]) == (0, 0)
    other = folders["tools"]  # names the other one
    assert other["resolved"] > 0
    assert (other["exact"], other["probable"], other["possible"]) == (0, 0, 0)


def test_the_last_page_has_them_all_and_no_page_but_the_first_the_folders(served: Served) -> None:
    pages = read_pages(served, "get_callers", symbol="core.give", limit=100)
    last = pages[-1]
    calls = 2 * (LIBRARY + LIBRARY // 2)
    assert (last["total"], last["reference_total"], last["total_is_lower_bound"]) == (calls, calls, False)
    assert all(not page["folders"] and "references_by_name" not in page for page in pages[1:])
    rows = [row["node_id"] for page in pages for row in page["result"]]
    assert len(rows) == len(set(rows)) == calls
    assert calls <= pages[0]["references_by_name"]  # at most


def test_a_folder_is_asked_for_by_itself(served: Served) -> None:
    whole = _list_folders(served.call("get_callers", symbol="core.give"))
    page = served.call("get_callers", symbol="core.give", folder="app")
    assert {row["file_path"].partition("/")[0] for row in page["result"]} == {"app"}
    assert (page["total"], page["total_is_lower_bound"]) == (LIBRARY, False)
    (row,) = page["folders"]
    assert "resolved" not in row  # all are
    assert (row["folder"], row["files"], row["exact"]) == ("app", LIBRARY // 2, LIBRARY)
    assert row["references"] == whole["app"]["references"]
    assert (
        read_pages(served, "get_callers", symbol="core.give", folder="app/", limit=500)[-1]["total"]
        == LIBRARY
    )
    assert served.call("get_callers", symbol="core.give", folder="tools")["total"] == 0
    everywhere = served.call("get_callers", symbol="core.give", folder=".")
    assert everywhere["result"] == served.call("get_callers", symbol="core.give")["result"]
    for tool in ("get_references", "get_dependents"):
        found = read_pages(served, tool, symbol="core.give", folder="app", limit=500)
        assert {row["file_path"].partition("/")[0] for one in found for row in one["result"]} == {"app"}
    assert served.error("get_callers", symbol="core.give", folder="nowhere")["code"] == "not_found"


def test_the_program_comes_before_its_tests_and_examples_however_near_they_are(tmp_path: Path) -> None:
    use = _use("core.give")
    files = {"core/give.py": "def give(n): ...\n", "examples/one.py": use, "core/made_pb2.py": use}
    files |= {f"core/tests/test_{number:03}.py": use for number in range(90)}
    files |= {f"web/m{number:02}.py": use for number in range(20)}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        pages = read_pages(served, "get_callers", symbol="give.give", limit=50)
        referring = served.call("get_references", symbol="give.give", limit=20)
    rows = [row["file_path"] for page in pages for row in page["result"]]
    assert list(dict.fromkeys(path.partition("/")[0] for path in rows)) == [
        "web",
        "core",
        "examples",
    ]
    assert rows[-4:] == ["examples/one.py"] * 2 + ["core/made_pb2.py"] * 2
    assert pages[0]["total_by_role"]["code"] == 40
    assert {row["file_path"].partition("/")[0] for row in referring["result"]} == {"web"}


def test_a_module_of_tests_in_a_file_of_rust_comes_after_the_program(tmp_path: Path) -> None:
    inner = (
        "#[cfg(test)]\nmod tests {\n use super::*;\n fn checks() { give(1); }\n fn more() { give(2); }\n}\n"
    )
    files = {
        "Cargo.toml": '[package]\nname = "kit"\n',
        "src/lib.rs": f"pub mod till;\npub fn give(n: u8) {{}}\n{inner}",
        "src/till.rs": "use crate::give;\npub fn open() { give(3); }\n",
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        first = served.call("get_callers", symbol="give", limit=1)
        whole = served.call("get_callers", symbol="give")
    assert [row["name"] for row in whole["result"]] == ["open", "tests.checks", "tests.more"]
    assert first["total_by_role"] == {"code": 1, "test": 2}
    assert "total_by_role" not in whole  # all are shown


def test_a_list_that_is_short_has_no_folders(served: Served) -> None:
    answer = served.call("get_callers", symbol="core.give", folder="lib/net", limit=100)
    assert answer["folders"]  # a second page follows
    assert not served.call("get_callers", symbol="core.py:give", folder="tools")["folders"]
    assert "folders" not in served.call("get_implementations", symbol="core.give")


def test_guesses_come_at_once_where_there_is_nothing_better(tmp_path: Any) -> None:
    caller = "def use(thing):\n    thing.publish_now(1)\n"
    files = {f"m{number:03}.py": caller for number in range(110)} | {
        "a.py": "class A:\n    def publish_now(self, n): ...\n",
        "b.py": "class B:\n    def publish_now(self, n): ...\n",
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        first = served.call("get_callers", symbol="A.publish_now")
        assert first["result"]
        assert {row["confidence"] for row in first["result"]} == {"possible"}
        assert first["total_is_lower_bound"]
        (row,) = first["folders"]
        assert (row["folder"], row["references"], row["possible"]) == (".", 110, row["resolved"])
        pages = read_pages(served, "get_callers", symbol="A.publish_now", limit=200)
        assert len({one["node_id"] for page in pages for one in page["result"]}) == 110
        assert pages[-1]["possible"] == pages[-1]["total"] == 110


def test_the_first_page_has_the_subtypes_among_many_other_uses(tmp_path: Path) -> None:
    use = "from core import Base\n\n\n"
    files = {f"lib/m{number:03}.py": f"{use}def make():\n    Base()\n" for number in range(90)}
    files |= {f"zoo/t{number:02}.py": f"{use}class T{number}(Base): ...\n" for number in range(20)}
    with Served(
        write_tree(tmp_path / "r", {"core.py": "class Base: ...\n", **files}), tmp_path / "data"
    ) as served:
        first = served.call("get_implementations", symbol="core.Base")
    assert len(first["result"]) >= 9


def test_a_folder_says_that_its_row_is_only_the_rest_of_it() -> None:
    rows = [FolderUses(folder, 1, 1, 1, {}) for folder in ("lib", "", "lib/net", "libx")]
    shown: Any = render_folders(rows, is_complete=False)["folders"]
    assert [(row["folder"], row["rest"]) for row in shown] == [
        ("lib", True),
        (".", True),
        ("lib/net", False),
        ("libx", False),
    ]
    alone: Any = render_folders([FolderUses("", 1, 1, 1, {})], is_complete=False)["folders"]
    assert not alone[0]["rest"]


def test_a_long_line_with_a_call_is_cut_before_its_arguments() -> None:
    call = f"await {'hub.' * 9}give_more({', '.join(['one'] * 4)})"
    assert shorten(call, "give_more").startswith("…")
    assert shorten(call, "give_more").endswith(".give_more(one, one, one, one)")
    assert shorten(f"{call} or {call}", "hub").startswith("await hub.hub.")


def test_a_line_keeps_its_tabs_and_shows_what_hides() -> None:
    assert shorten("\t.open\t\t= give,\x1b", "give") == ".open\t\t= give,\\u001b"
