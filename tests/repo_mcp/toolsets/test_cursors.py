"""Cursors of every toolset: page by page a list is what it is as a whole, and no cursor leads astray."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from repo_mcp.audit.log import AuditLog
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.repository import Repository
from repo_mcp.toolsets import graph, repo, research
from repo_mcp.toolsets.pages import MAX_ROWS, Page, encode_cursor
from tests.repo_mcp.schema_check import validate
from tests.repo_mcp.stdio.test_server import Process
from tests.repo_mcp.toolsets.retrieval import retrieval_roots
from tests.written_trees import write_tree

USERS, DECLARED = 60, 300
Rows = list[dict[str, Any]]


def make_files() -> dict[str, str]:
    calls = "".join(f"    own_{one}()\n    os.made_up_{one}()\n" for one in range(30))
    own = "".join(f"def own_{one}():\n    pass\n\n\n" for one in range(30))
    header = "".join(f"int wide_{one:03}(int value);\n" for one in range(DECLARED))
    guide = "".join(f"## Lantern {one}\n\nHow lantern {one} is lit.\n\n" for one in range(30))
    return {
        "lib/target.py": "def target():\n    return 1\n",
        "lib/busy.py": f"import os\n\n\n{own}def busy():\n{calls}",
        "lib/wide.h": header,
        "docs/guide.md": f"# Guide\n\n{guide}",
        **{
            f"lib/use_{one:02}.py": "from lib.target import target\n\n\n"
            f"class User{one}:\n    def use_{one:02}(self):\n        return target()\n"
            for one in range(USERS)
        },
    }


class Served:
    """The tools of three toolsets over one repository, in answers of at most 16 KB."""

    def __init__(self, root: Path, data_dir: Path) -> None:
        limits = {"max_total_bytes_per_response": 16_384}
        self.root = root
        self.repository = Repository(load_config(str(root), data_dir=str(data_dir), limits=limits))
        self.repository.refresh()
        self.repository.symbol_index.build()
        audit = AuditLog(self.repository.data_dir.directory, str(root), b"k" * 32)
        self.tools: dict[str, Tool] = {
            tool.name: tool
            for bind in (repo.bind_toolset, graph.bind_toolset, research.bind_toolset)
            for tool in bind(self.repository.config.limits, lambda: (self.repository, audit)).tools
        }

    def close(self) -> None:
        self.repository.close()

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        answer = self.tools[tool].call(arguments, CallContext(lambda: False))
        structured = cast(dict[str, Any], answer.structured)
        validate(self.tools[tool].output_schema, structured)
        return structured

    def find(self, name: str) -> str:
        return str(self.ask("lookup_symbol", qualified_name=name)["result"][0]["node_id"])


def unwrap(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the result of an answer of `repo` or `retrieval`; answers of the others are their results."""
    assert "error" not in answer, answer
    inner = answer.get("result")
    return inner if isinstance(inner, dict) else answer


def walk(ask: Callable[..., dict[str, Any]], tool: str, **arguments: object) -> list[dict[str, Any]]:
    """Return the results of all pages. Each but the last is truncated, and leads to the next."""
    answer = ask(tool, **arguments)
    pages = [unwrap(answer)]
    while cursor := pages[-1].get("cursor"):
        assert (
            pages[-1].get("truncated") or answer.get("meta", {}).get("truncated") or "children" in pages[-1]
        )
        answer = ask(tool, **arguments, cursor=cursor)
        pages.append(unwrap(answer))
        assert len(pages) < 200
    return pages


def join(pages: list[dict[str, Any]], field: str) -> Rows:
    """Return all rows; one without a path has that of the row before."""
    rows: Rows = []
    for row in (row for page in pages for row in page.get(field, [])):
        is_edge = "lines" in row and "node_id" in row
        rows.append(
            {"file_path": rows[-1]["file_path"], **row} if is_edge and "file_path" not in row else row
        )
    return rows


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("cursors")
    with closing(Served(write_tree(place / "root", make_files()), place / "data")) as served:
        yield served


LISTS = [
    ("repo.list_files", {}, "files", "max_results", USERS + 4),
    ("repo.list_files", {"glob": "*.py"}, "files", "max_results", USERS + 2),
    ("search_symbols", {"query": "use_*"}, "result", "limit", None),
    ("search_code", {"query": "target"}, "results", "limit", None),
    ("search_docs", {"query": "lantern lit"}, "results", "limit", None),
    ("get_references", {"of": "target.target"}, "result", "limit", None),
    ("get_callers", {"of": "target.target"}, "result", "limit", USERS),
    ("get_dependents", {"of": "target.target", "edge_type": "imports"}, "result", "limit", USERS),
    ("get_callees", {"of": "busy.busy"}, "result", "limit", 30),
    ("get_callees", {"of": "busy.busy"}, "external", "limit", 30),
    ("get_dependencies", {"of": "busy"}, "result", "limit", None),
]


@pytest.mark.parametrize(("tool", "arguments", "field", "size", "count"), LISTS)
def test_pages_of_any_size_are_the_whole_list(
    served: Served, tool: str, arguments: dict[str, object], field: str, size: str, count: int | None
) -> None:
    given = {name: value for name, value in arguments.items() if name != "of"}
    if "of" in arguments:
        given["node_id"] = served.find(str(arguments["of"]))
    by_seven = walk(served.ask, tool, **given, **{size: 7})
    assert all(len(page.get(field, [])) <= 7 for page in by_seven)
    rows = join(by_seven, field)
    names = [json.dumps(row, sort_keys=True) for row in rows]
    assert len(set(names)) == len(names) > 7
    assert count is None or len(rows) == count
    assert join(walk(served.ask, tool, **given, **{size: 23}), field) == rows
    assert join(walk(served.ask, tool, **given), field) == rows  # as the limits of an answer cut it
    first = unwrap(served.ask(tool, **given, **{size: 7}))
    again = unwrap(served.ask(tool, **given, **{size: 5}, cursor=first["cursor"]))  # a page of another size
    assert join([first, again], field) == rows[: len(first[field]) + 5]


def test_an_outline_that_is_longer_than_an_answer_is_given_to_its_end(served: Served) -> None:
    pages = walk(served.ask, "get_file_outline", path="lib/wide.h")
    assert len(pages) > 2
    names = [row["name"] for row in join(pages, "result")]
    assert [name for name in names if name.startswith("wide_")] == [
        f"wide_{one:03}" for one in range(DECLARED)
    ]


def test_references_beyond_an_answer_are_counted_and_given(served: Served) -> None:
    pages = walk(served.ask, "get_references", node_id=served.find("target.target"), limit=50)
    assert len(pages) > 1
    assert [page["total"] for page in pages] == [len(join(pages, "result"))] * len(pages)


def test_a_folder_and_a_tree_in_pages(tmp_path: Path) -> None:
    wanted = [f"entry_number_{one:03}.txt" for one in range(300)]
    files = {f"many/{name}": "" for name in wanted} | {f"some{one}/a.txt": "" for one in range(3)}
    root = write_tree(tmp_path / "root", files)
    limits = {"max_total_bytes_per_response": 8_192}
    with closing(Repository(load_config(str(root), limits=limits))) as repository:
        bound = graph.bind_toolset(repository.config.limits, lambda: (repository, None))
        tools = {tool.name: tool for tool in bound.tools}

        def ask(tool: str, **arguments: object) -> dict[str, Any]:
            return cast(dict[str, Any], tools[tool].call(arguments, CallContext(lambda: False)).structured)

        pages = walk(ask, "list_directory", path="many")
        assert len(pages) > 1
        assert [row["name"] for row in join(pages, "result")] == wanted
        trees = walk(ask, "get_directory_tree")
    assert len(trees) > 1
    assert [child["name"] for child in trees[0]["children"]] == ["many", "some0", "some1", "some2"]
    assert [child.get("truncated") for child in trees[0]["children"]] == [True] * 4
    assert [child["name"] for child in trees[-1]["children"]] == ["many", "some0", "some1", "some2"]
    assert not any(child.get("truncated") for child in trees[-1]["children"])
    assert [row["name"] for tree in trees for row in join(tree["children"], "children")] == [
        *wanted, "a.txt", "a.txt", "a.txt",
    ]  # fmt: skip


def test_the_log_is_read_backwards_while_it_grows(served: Served) -> None:
    for _ in range(25):
        served.ask("repo.status")
    first = unwrap(served.ask("repo.audit_log", limit=10))
    second = unwrap(served.ask("repo.audit_log", limit=10, cursor=first["cursor"]))
    together = unwrap(served.ask("repo.audit_log", limit=22))["entries"]
    assert [*second["entries"], *first["entries"]] == together[:20]  # two calls have been logged since
    last = walk(served.ask, "repo.audit_log", limit=1_000)[-1]
    assert "truncated" not in last
    lost = encode_cursor("repo.audit_log", {"limit": 10}, b"no such request")
    assert "out of date" in served.ask("repo.audit_log", limit=10, cursor=lost)["error"]["message"]


def test_exact_matches_and_a_folder_of_two_roots_in_pages(tmp_path: Path) -> None:
    lines = "".join(f"beacon {one}\n" for one in range(15))
    docs = write_tree(tmp_path / "docs", {f"page{one}.md": lines for one in range(2)})
    code = write_tree(tmp_path / "code", {"a.py": lines, **{f"src/f{one}.py": "x\n" for one in range(40)}})
    with closing(retrieval_roots.Served(docs, code, tmp_path / "data", max_list_results=15)) as both:
        whole = both.result("search", query="beacon")["matches"]
        assert len(whole) == 45
        for limit in (1, 10, 15, 30, 44):
            assert join(walk(both.call, "search", query="beacon", limit=limit), "matches") == whole
        entries = join(walk(both.call, "list_dir", repo="code", path="src"), "entries")
        assert [one["path"] for one in entries] == sorted(f"src/f{one}.py" for one in range(40))
        cursor = both.result("search", query="beacon", limit=20)["cursor"]
        (docs / "page0.md").unlink()
        for arguments in ({"query": "beacon", "cursor": cursor}, {"query": "light", "cursor": cursor}):
            assert both.error("search", **arguments)["code"] == "LIMIT_INVALID"
        assert both.error("list_dir", repo="code", cursor="x")["details"]["argument"] == "cursor"


def test_a_root_that_allows_fewer_matches_is_gone_through_before_the_next(tmp_path: Path) -> None:
    lines = "".join(f"beacon {one}\n" for one in range(25))
    settings = "[limits]\nmax_search_hits = 10\n"
    docs = write_tree(tmp_path / "docs", {"page.md": lines, "repo_mcp.toml": settings})
    code = write_tree(tmp_path / "code", {"a.py": lines})
    with closing(retrieval_roots.Served(docs, code, tmp_path / "data")) as both:
        rows = join(walk(both.call, "search", query="beacon"), "matches")
    assert [(row["repo"], row["line"]) for row in rows] == [
        (name, line) for name in ("docs", "code") for line in range(1, 26)
    ]


def test_a_cursor_of_another_call_is_refused(served: Served) -> None:
    cursor = unwrap(served.ask("repo.list_files", max_results=5))["cursor"]
    node = served.find("target.target")
    callers = unwrap(served.ask("get_callers", node_id=node, limit=5))["cursor"]
    for tool, arguments in (
        ("repo.list_files", {"glob": "*.py", "cursor": cursor}),
        ("repo.list_files", {"cursor": callers}),
        ("repo.list_files", {"cursor": ""}),
        ("repo.list_files", {"cursor": "x"}),
        ("repo.list_files", {"cursor": "\u00e4 +/"}),
        ("repo.list_files", {"cursor": "A" * 100_000}),
        ("repo.audit_log", {"cursor": cursor}),
        ("get_references", {"node_id": node, "cursor": callers}),
        ("get_callers", {"node_id": served.find("busy.busy"), "cursor": callers}),
        ("search_symbols", {"query": "use", "cursor": cursor}),
        ("search_code", {"query": "use", "cursor": cursor}),
        ("search_docs", {"query": "use", "cursor": cursor}),
        ("get_directory_tree", {"cursor": cursor}),
    ):
        error = served.ask(tool, **arguments)["error"]
        assert error["code"] in ("invalid_argument", "invalid_parameter"), (tool, arguments)
        message = "The cursor belongs to another call, or was altered."
        if len(arguments["cursor"]) < 5:
            message = "This is not a cursor: no answer gave it, or it was altered."
        assert error["message"].startswith(message), (tool, arguments)


def test_an_altered_cursor_is_said_to_be_altered(served: Served) -> None:
    cursor = str(unwrap(served.ask("repo.list_files", max_results=5))["cursor"])
    for altered in (
        cursor[:-1],
        cursor[:5],
        f"{cursor}AA",
        f"B{cursor[1:]}" if cursor[0] == "A" else f"A{cursor[1:]}",
        cursor[::-1],
        cursor.swapcase(),
        f" {cursor}",
    ):
        error = served.ask("repo.list_files", max_results=5, cursor=altered)["error"]
        assert "altered" in error["message"], altered


def test_a_cursor_holds_until_what_was_given_changes(tmp_path: Path) -> None:
    files = {f"f{one}.py": "x = 1\n" for one in range(9)}
    root = write_tree(tmp_path / "root", files)
    with closing(Served(root, tmp_path / "data")) as served:
        first = unwrap(served.ask("repo.list_files", max_results=3))
        assert unwrap(served.ask("repo.list_files", max_results=3))["cursor"] == first["cursor"]
        (root / "f7.py").unlink()
        (root / "f0.py").write_text("x = 2\n")
        rest = unwrap(served.ask("repo.list_files", cursor=first["cursor"]))["files"]
        assert [one["path"] for one in rest] == ["f3.py", "f4.py", "f5.py", "f6.py", "f8.py"]
        (root / "f1.py").unlink()
        error = served.ask("repo.list_files", cursor=first["cursor"])["error"]
        assert error == {
            "code": "invalid_argument",
            "message": "The cursor is out of date, or was altered: what was listed before it has changed.",
            "hint": "Make the call again without cursor.",
        }


@pytest.mark.parametrize("rows", [0, 1, 255, 256, MAX_ROWS, MAX_ROWS + 1])
def test_a_page_begins_where_the_one_before_ends(rows: int) -> None:
    keys = ["same"] * (rows + 1)
    follow = Page("tool", {"a": 1}).follow(keys, rows, is_cut=True)
    if not 1 <= rows <= MAX_ROWS:
        assert not follow
        return
    page = Page("tool", {"a": 1, "limit": 3, **follow})
    page.check(keys)
    assert page.start == rows
    for others in (keys[:-2], ["other", *keys[1:]]):
        with pytest.raises(RepoError):
            page.check(others)
    assert not page.follow(keys, 1, is_cut=False)


def test_people_read_the_cursor_too(served: Served) -> None:
    asked = {"query": "lantern", "limit": 2, "format": "human"}
    page = served.ask("search_docs", **asked)["text"]
    cursor = page.rpartition("More: cursor ")[2].split("\n")[0]
    assert served.ask("search_docs", **asked, cursor=cursor)["text"].startswith("Guide > Lantern")


def test_another_server_goes_on(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {f"f{one}.py": "x = 1\n" for one in range(9)})
    listed: list[str] = []
    arguments: dict[str, object] = {"max_results": 4}
    for _ in range(3):
        with closing(Process(root)) as server:
            server.handshake()
            server.call("list", "repo.list_files", arguments)
            result = server.read()["result"]["structuredContent"]["result"]
        listed += [one["path"] for one in result["files"]]
        arguments = {"max_results": 4, "cursor": result.get("cursor", "")}
    assert listed == [f"f{one}.py" for one in range(9)]
    assert not arguments["cursor"]
