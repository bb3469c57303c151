"""Specification 3 over real pipes: a walk through the graph, the watcher, two toolsets, and the end."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from repo_mcp.config.server_config import load_config
from repo_mcp.serving.toolset_loader import load_toolsets
from tests.deep.sizes import IS_DEEP
from tests.forked import START, popen
from tests.growth import HANG_SECONDS
from tests.repo_mcp.stdio import retrieval_client
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, RetrievalClient, build_environment
from tests.repo_mcp.stdio.test_server import Process
from tests.repo_mcp.toolsets.graph.graph_roots import CANARY, TREE
from tests.repo_mcp.toolsets.graph.test_toolset import TOOLS
from tests.repo_mcp.toolsets.retrieval.test_toolset import TOOLS as RETRIEVAL_TOOLS
from tests.waiting import is_running, wait_until
from tests.written_trees import write_tree

EXIT_SECONDS = 2.0 + 3.0 if IS_DEEP else HANG_SECONDS  # promised, and room: `make deep` looks at it
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def start(
    root: Path, *options: str, toolsets: str = "graph", protocol: str = "2025-06-18", program: str = START
) -> RetrievalClient:
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-c", program, "--repo-root", str(root), "--toolsets", toolsets, *options]
    return RetrievalClient(command, build_environment(home), home, protocol)


def wait_until_ready(client: RetrievalClient) -> dict[str, Any]:
    def ready() -> dict[str, Any] | None:
        status = client.call("get_status")
        done = status["state"] == "ready" and status["structure"]["state"] == "ready"
        return status if done and status["structure"]["files_total"] else None

    found = wait_until(ready)
    assert found is not None
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "shop", TREE)


@pytest.fixture
def client(root: Path) -> Iterator[RetrievalClient]:
    client = start(root)
    yield client
    client.close()


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RetrievalClient]:
    """Start one server for all tests that change nothing in its tree."""
    client = start(write_tree(tmp_path_factory.mktemp("reading") / "shop", TREE))
    wait_until_ready(client)
    client._killer.cancel()  # together they may take longer than one
    yield client
    client.close()


def find(client: RetrievalClient, name: str) -> str:
    (row,) = client.call("lookup_symbol", qualified_name=name)["result"]
    return str(row["node_id"])


def test_tools_are_listed_and_files_read_before_anything_is_indexed(client: RetrievalClient) -> None:
    assert list(client.listed) == TOOLS
    for name, tool in client.listed.items():
        assert tool["title"]
        assert tool["description"]
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]["readOnlyHint"] is (name != "index_files")
    assert client.call("read_file", path="README.md")["content"] == "# The shop\n"
    answer = client.call("search_symbols", query="place_order")
    assert "result" in answer or answer["error"]["code"] == "engine_unavailable"


def test_a_whole_walk_from_a_name_to_the_lines_that_matter(reading: RetrievalClient) -> None:
    status = wait_until_ready(reading)
    assert status["healthy"] is True
    assert status["watcher_active"] is True

    found = reading.call("search_symbols", query="plus add", language="python")["result"][0]
    assert found["qualified_name"] == "shop.money.add"
    callers = reading.call("get_callers", node_id=found["node_id"])["result"]
    assert [row["name"] for row in callers] == ["place_order", "place_many", "store_many"]
    again = reading.call("get_callers", node_id=callers[0]["node_id"])["result"]
    assert [row["name"] for row in again] == ["post_order"]
    tests = reading.call("get_callers", node_id=again[0]["node_id"])["result"]
    assert [row["file_path"] for row in tests] == ["tests/test_orders.py"]

    callees = reading.call("get_callees", node_id=callers[0]["node_id"])["result"]
    (save,) = [row for row in callees if row["name"] == "Store.save"]
    implementations = reading.call("get_implementations", node_id=save["node_id"])["result"]
    assert [row["name"] for row in implementations] == ["OrderStore.save", "CachedStore.save"]
    dependents = reading.call("get_dependents", node_id=find(reading, "shop.base.Store"))["result"]
    assert {row["name"] for row in dependents} >= {"OrderStore", "place_order"}
    (span,) = reading.call("get_source_spans", node_id=implementations[0]["node_id"])["result"]
    text = reading.call(
        "read_file", path=span["file_path"], line_start=span["line_start"], line_end=span["line_end"]
    )["content"]
    assert text.startswith("    def save(self, item: object) -> bool:\n        self.check(item)\n")
    alike = reading.call("find_similar", node_id=callers[1]["node_id"])["result"]
    assert alike[0]["name"] == "store_many"


EDITED = """--- a/shop/money.py
+++ b/shop/money.py
@@ -7,2 +7,2 @@
-def add(one: Money, other: Money) -> Money:
+def sum_up(one: Money, other: Money) -> Money:
     return Money(one.amount + other.amount, one.currency)
"""


def test_an_edit_is_followed_to_what_it_breaks(client: RetrievalClient, root: Path) -> None:
    wait_until_ready(client)
    money = root / "shop" / "money.py"
    proposed = client.call("get_impact", diff=EDITED)
    assert [(row["name"], row["change"]) for row in proposed["changed"]] == [
        ("add", "deleted"),
        ("sum_up", "added"),
    ]
    money.write_text(money.read_text().replace("def add(", "def sum_up("))
    done = client.call("get_impact", diff=EDITED)
    assert [(row["name"], row["change"]) for row in done["changed"]] == [
        ("sum_up", "added"),
        ("add", "deleted"),
    ]
    for found in (proposed, done):  # the edges of what is there, then the uses of a name that is gone
        first = found["result"][0]
        assert first["file_path"] == "shop/orders.py"
        assert {"place_order", "place_many", "store_many"} <= {row["name"] for row in first["symbols"]}


def test_a_diff_of_megabytes_is_answered_and_a_larger_one_refused(reading: RetrievalClient) -> None:
    many = "".join(
        f"--- a/no/{number}.py\n+++ b/no/{number}.py\n@@ -1 +1 @@\n-a\n+b\n" for number in range(20_000)
    )
    found = reading.call("get_impact", diff=many + EDITED)
    assert [row["reason"].partition(":")[0] for row in found["left_out"]] == ["not in the tree"] * 20
    assert "cursor" in found
    assert reading.call("get_impact", diff="+" * 4_000_001)["error"]["code"] == "invalid_parameter"
    assert reading.call("get_impact", diff=EDITED)["changed"]


def test_a_name_and_a_line_do_for_an_id(reading: RetrievalClient) -> None:
    by_name = reading.call("get_callers", symbol="OrderStore.save")
    names = [row["name"] for row in by_name["result"]]
    assert names == ["CachedStore.save", "place_many", "store_many", "place_order"]
    assert reading.call("get_callers", symbol="shop/orders.py:11") == by_name
    assert reading.call("get_callers", node_id=by_name["symbol"]["node_id"])["result"] == by_name["result"]


def test_a_symbol_of_a_file_that_no_parser_reads_is_told_from_an_unknown_one(root: Path) -> None:
    write_tree(root, {"shop/rules.lua": "function discount(price)\n  return price\nend\n"})
    client = start(root)
    wait_until_ready(client)
    for place in ("shop/rules.lua:1", "shop/rules.lua:discount"):
        assert client.call("get_callers", symbol=place)["error"] == {
            "code": "not_found",
            "message": "The symbols of 'shop/rules.lua' are not known: no parser here reads lua.",
            "hint": "Search its text for the name instead.",
        }
    unknown = client.call("get_callers", symbol="zzyzx")["error"]
    assert unknown["hint"].startswith("Find the symbol with search_symbols.")
    client.close()


def test_pages_of_edges_and_queries_with_operators(reading: RetrievalClient) -> None:
    rows: list[dict[str, Any]] = []
    arguments: dict[str, object] = {"symbol": "Money", "limit": 2}
    while True:
        page = reading.call("get_references", **arguments)
        assert (page["total"], page["reference_total"]) == (10, 10)
        rows += page["result"]
        if not page.get("cursor"):
            break
        arguments["cursor"] = page["cursor"]
    assert sum(row["lines"].count("\n") + 1 for row in rows) == 10
    assert "8\treturn Money(one.amount + other.amount, one.currency)" in [row["lines"] for row in rows]
    found = reading.call("search_symbols", query="save AND cached")["result"]
    assert [row["qualified_name"] for row in found] == ["shop.orders.CachedStore.save"]


def test_a_list_of_many_pages_says_who_uses_it_by_folder(reading: RetrievalClient) -> None:
    first = reading.call("get_references", symbol="Money", limit=2)
    assert first["references_by_name"] >= first["reference_total"] == 10
    folders = {row["folder"]: row for row in first["folders"]}
    assert sum(row.get("exact", 0) for row in folders.values()) == 10
    name, row = next(iter(folders.items()))
    inside = reading.call("get_references", symbol="Money", folder=name)
    assert inside["reference_total"] == row["exact"]


def test_a_changed_file_is_followed_by_the_watcher(client: RetrievalClient, root: Path) -> None:
    wait_until_ready(client)
    node = find(client, "shop.money.add")
    write_tree(
        root, {"shop/late.py": "from shop.money import add\n\n\ndef later(x):\n    return add(x, x)\n"}
    )

    def called() -> bool:
        rows = client.call("get_callers", node_id=node).get("result", [])
        return "later" in [row["name"] for row in rows]

    wait_until(called)


@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_file_that_came_and_went_is_named_no_longer(
    client: RetrievalClient, root: Path, is_renamed: bool
) -> None:
    wait_until_ready(client)

    def list_places() -> set[str]:
        callers = client.call("get_callers", symbol="shop.money.add", limit=500)
        found = client.call("search_symbols", query="came_and_went")
        if callers.get("warnings") or found.get("warnings"):
            return {"not said to be whole"}
        return {row["file_path"] for row in [*callers["result"], *found["result"]] if "file_path" in row}

    came = root / "shop" / "came.py"
    came.write_text("from shop.money import add\n\n\ndef came_and_went():\n    add(1, 2)\n")
    wait_until(lambda: "shop/came.py" in list_places())
    if is_renamed:
        came.rename(root / "shop" / "went.py")
    else:
        came.unlink()
    assert "shop/came.py" not in list_places()
    wait_until(
        lambda: ("shop/went.py" in list_places()) == is_renamed and "shop/came.py" not in list_places()
    )


def test_a_changed_file_is_followed_at_once_by_index_files(root: Path) -> None:
    with closing(start(root, "--no-watch")) as client:
        assert wait_until_ready(client)["watcher_active"] is False
        node = find(client, "shop.money.add")
        write_tree(
            root, {"shop/late.py": "from shop.money import add\n\n\ndef later(x):\n    return add(x, x)\n"}
        )
        answer = client.call("index_files", paths=["shop/late.py", "shop/nothing.py"])
        assert answer["files"] == [{"path": "shop/late.py", "parse_status": "full"}]
        assert [row["code"] for row in answer["errors"]] == ["not_found"]
        rows = client.call("get_callers", node_id=node)["result"]
        assert "later" in [row["name"] for row in rows]


def ask_at_rest(client: RetrievalClient, tool: str, node_id: str) -> dict[str, Any]:
    """Return the answer once it warns of nothing: right after a build, its own files still change."""

    def ask() -> dict[str, Any] | None:
        answer = client.call(tool, node_id=node_id)
        return None if answer.get("warnings") else answer

    found: dict[str, Any] = wait_until(ask)
    return found


def test_answers_are_the_same_in_the_next_process(root: Path) -> None:
    answers = []
    for _ in range(2):
        with closing(start(root)) as client:
            wait_until_ready(client)
            node = find(client, "shop.orders.OrderStore")
            answers.append([ask_at_rest(client, tool, node) for tool in ("get_dependents", "get_symbol")])
    assert answers[0] == answers[1]


# Two toolsets, one repository


def test_two_toolsets_share_one_repository(root: Path, tmp_path: Path) -> None:
    config = load_config(str(root), data_dir=str(tmp_path / "data"), toolsets=["repo", "graph"], watch=False)
    loaded_toolsets = load_toolsets(config, lambda _warning: None)
    opened = [loaded.open() for loaded in loaded_toolsets]
    try:
        assert [len(repositories) for repositories in opened] == [1, 0]
        (repository,) = opened[0]
        assert [loaded.toolset.name for loaded in loaded_toolsets] == ["repo", "graph"]
        assert {loaded._get_opened()[0] for loaded in loaded_toolsets} == {repository}  # type: ignore[index]
        assert len({id(loaded._get_opened()[1]) for loaded in loaded_toolsets}) == 1  # type: ignore[index]
    finally:
        for repositories in opened:
            for one in repositories:
                one.close()


@linux_only
def test_both_toolsets_answer_and_one_watcher_runs(root: Path) -> None:
    with closing(start(root, toolsets="repo,graph")) as client:
        assert len(client.listed) == 8 + len(TOOLS)
        assert list(client.listed)[8:] == TOOLS
        names = [*client.listed, *RETRIEVAL_TOOLS]  # clients write `_` for every other character
        assert len({re.sub("[^A-Za-z0-9_]", "_", name) for name in names}) == len(names)
        wait_until_ready(client)
        status = client.call("repo.status")["result"]
        assert status["indexed_files"] == client.call("get_status")["indexed_files"]
        assert client.call("repo.search", query="place_order")["result"]["hits"]
        assert client.call("get_callers", node_id=find(client, "shop.orders.place_order"))["result"]
        descriptors = Path(f"/proc/{client.process.pid}/fd")
        links = [os.readlink(one) for one in descriptors.iterdir() if one.is_symlink()]
        assert sum("inotify" in link for link in links) == 1
        logged = client.call("repo.audit_log")["result"]["entries"]
        assert {"get_status", "get_callers", "repo.search"} <= {entry["tool"] for entry in logged}


def test_two_servers_of_one_root_answer_alike_and_see_what_the_other_indexed(root: Path) -> None:
    one, two = start(root, "--no-watch"), start(root, "--no-watch")
    try:
        for client in (one, two):
            wait_until_ready(client)
        node = find(one, "shop.money.add")
        assert one.call("get_dependents", node_id=node) == two.call("get_dependents", node_id=node)
        write_tree(
            root, {"shop/late.py": "from shop.money import add\n\n\ndef later(x):\n    return add(x, x)\n"}
        )
        assert one.call("index_files", paths=["shop/late.py"])["indexed"] == 1
        rows = two.call("get_callers", node_id=node)["result"]
        assert "later" in [row["name"] for row in rows]
    finally:
        one.close()
        two.close()


# The end


def list_descendants(pid: int) -> list[int]:
    """Return the processes below one, by /proc."""
    parents = {}
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                parents[int(one.name)] = int((one / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it ended meanwhile
                continue
    found = [pid]
    for parent in found:
        found += [child for child, above in parents.items() if above == parent]
    return found[1:]


@pytest.mark.sized
@linux_only
@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_the_end_comes_in_time_and_leaves_no_orphan_while_files_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(retrieval_client, "popen", partial(popen, forks_children=False))
    body = "".join(f"def f{number}(x):\n    return f{number + 1}(x)\n" for number in range(500))
    root = write_tree(tmp_path / "r", {f"m{number:03}.py": body for number in range(150)})
    client = start(root)
    try:

        def parsing() -> list[int]:
            structure = client.call("get_status")["structure"]
            return list_descendants(client.process.pid) if structure["state"] == "building" else []

        children = wait_until(parsing)
        began = time.monotonic()
        if how == "SIGTERM":
            client.process.send_signal(signal.SIGTERM)
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        assert client.process.wait(EXIT_SECONDS) == 0
        assert time.monotonic() - began < EXIT_SECONDS
        deadline = time.monotonic() + EXIT_SECONDS
        while any(map(is_running, children)):
            assert time.monotonic() < deadline, children
            time.sleep(0.02)
        assert client.process.stderr is not None
        assert "Traceback" not in client.process.stderr.read().decode()
    finally:
        client._killer.cancel()
        client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()


# Clients


@pytest.mark.parametrize("protocol", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_protocols_that_clients_open_with(root: Path, protocol: str) -> None:
    with closing(start(root, protocol=protocol)) as client:
        assert client.initialized["protocolVersion"] == protocol
        assert client.call("list_directory")["result"]


def test_the_newest_era_of_the_protocol(root: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    }
    with closing(Process(root, "--toolsets", "graph")) as server:
        server.send({"id": 1, "method": "server/discover", "params": {"_meta": meta}})
        assert "2026-07-28" in server.read()["result"]["supportedVersions"]
        server.call(2, "list_directory", {"path": "shop"}, _meta=meta)
        assert server.read()["result"]["structuredContent"]["total"] == 5


def test_the_sdks_own_client_walks_too(root: Path) -> None:
    home = root.parent / "home"
    home.mkdir()
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", str(root), "--toolsets", "graph"],
        env=build_environment(home),
        cwd=home,
    )

    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                assert (await session.initialize()).instructions
                listed = {tool.name: tool for tool in (await session.list_tools()).tools}
                assert list(listed) == TOOLS

                async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
                    answer = await session.call_tool(name, arguments)
                    found = answer.structured_content
                    assert isinstance(found, dict)
                    assert answer.is_error == ("error" in found)
                    schema = listed[name].output_schema or {}
                    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
                    assert CANARY not in str(answer)
                    return found

                while (await call("get_status", {}))["structure"]["state"] != "ready":
                    await anyio.sleep(0.05)
                found = await call("lookup_symbol", {"qualified_name": "shop.orders.place_order"})
                callers = await call("get_callers", {"node_id": found["result"][0]["node_id"]})
                assert callers["result"][0]["name"] == "post_order"
                assert (await call("read_file", {"path": ".env"}))["error"]["code"] == "blocked"

    anyio.run(main)
