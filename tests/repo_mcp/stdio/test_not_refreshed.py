"""Over real pipes: what an index could not take up is reported in every answer that may lack it.

The disk is really full (a small tmpfs in a namespace of its own), and the locks are really held, by another
process. Meanwhile every answer that comes out of an index names the change or fails, the status is not
healthy, nothing claims to have indexed; and as soon as the fault is gone everything heals without help.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.forked import IMPATIENT, START, popen
from tests.repo_mcp.stdio.retrieval_client import PROJECT, RetrievalClient, build_environment
from tests.repo_mcp.stdio.test_graph import wait_until_ready
from tests.repo_mcp.toolsets.graph.graph_roots import PYTHON
from tests.waiting import wait_until
from tests.written_trees import write_tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces and flock of Linux")

# $0 python, $1 the program, $2 where to mount, $3 a file that is there while the disk is full; then options.
ON_SMALL_DISK = """
set -e
mount -t tmpfs -o size=2m tmpfs "$2"
python=$0 program=$1 place=$2 full=$3
shift 3
(while kill -0 $$ 2>/dev/null; do
    if [ -e "$full" ]; then
        cat /dev/zero >> "$place/filler" 2>/dev/null || true
        touch "$full.done"
    else
        rm -f "$place/filler" "$full.done"
    fi
    sleep 0.05
done) </dev/null >/dev/null 2>&1 &
exec "$python" -c "$program" --data-dir "$place/data" "$@"
"""
HOLD = """
import fcntl, os, sys
held = [os.open(path, os.O_RDWR | os.O_CREAT, 0o600) for path in sys.argv[1:]]
for one in held:
    fcntl.flock(one, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
NEW = "shop/refunds.py"
NEW_TEXT = (
    "from shop.orders import OrderStore\n\n\ndef refund_everything(store: OrderStore) -> bool:\n"
    '    """Refund every order."""\n    return store.save("refund")\n'
)
NEW_NAME = "refund_everything"
WATCHED = {"watched": (), "not watched": ("--no-watch",)}


@dataclass(frozen=True)
class World:
    """A served tree whose index can be kept from being written."""

    client: RetrievalClient
    root: Path
    keep_out: Callable[[], Any]  # a context: nothing can be written in it
    reason: str  # what is reported meanwhile
    more_writers: tuple[tuple[str, dict[str, object]], ...] = ()  # that fail at once, too


def _start(root: Path, home: Path, command: list[str], options: tuple[str, ...]) -> RetrievalClient:
    home.mkdir()
    words = [*command, "--repo-root", str(root), "--toolsets", "repo,graph,research", "--workers", "1"]
    return RetrievalClient([*words, "--no-last-bundle", *options], build_environment(home), home)


@contextmanager
def _serve_on_small_disk(place: Path, root: Path, options: tuple[str, ...]) -> Iterator[World]:
    mounted, full = place / "mounted", place / "full"
    mounted.mkdir()
    trial = ["unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", str(mounted)]
    if shutil.which("unshare") is None or subprocess.run(trial, capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    script = ["unshare", "-Urm", "bash", "-c", ON_SMALL_DISK]
    client = _start(root, place / "home", [*script, sys.executable, START, str(mounted), str(full)], options)
    done = full.with_name("full.done")

    @contextmanager
    def fill() -> Iterator[None]:
        full.touch()
        wait_until(done.exists)
        try:
            yield
        finally:
            full.unlink()
            wait_until(lambda: not done.exists())

    try:
        yield World(client, root, fill, "No space left on device", (("index_codebase", {"path": "."}),))
    finally:
        client.close()


@contextmanager
def _serve_beside_another(place: Path, root: Path, options: tuple[str, ...]) -> Iterator[World]:
    data = place / "data"
    client = _start(root, place / "home", [sys.executable, "-c", IMPATIENT, "--data-dir", str(data)], options)

    @contextmanager
    def hold() -> Iterator[None]:
        locks = [str(path) for path in sorted(data.glob("*-*/lock"))]
        assert len(locks) == 2, sorted(data.rglob("*"))
        pipe = subprocess.PIPE
        with popen(
            [sys.executable, "-c", HOLD, *locks],
            cwd=PROJECT,
            env=build_environment(place),
            stdin=pipe,
            stdout=pipe,
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            try:
                yield
            finally:
                other.communicate(timeout=60)

    try:
        yield World(client, root, hold, "Another process")
    finally:
        client.close()


SERVE = {"a full disk": _serve_on_small_disk, "a lock that another process holds": _serve_beside_another}


OF_A_CHECK = "a lock that another process holds-watched"
CASES = [
    pytest.param(SERVE[fault], options, id=name, marks=() if name == OF_A_CHECK else pytest.mark.deep)
    for fault in SERVE
    for watched, options in WATCHED.items()
    for name in [f"{fault}-{watched}"]
]


def _list_calls(node_id: str) -> list[tuple[str, dict[str, object]]]:
    """Return every tool whose answer comes out of an index, once."""
    of_node = ("get_symbol", "get_source_spans", "find_similar", "get_callers", "get_callees")
    of_node += ("get_implementations", "get_references", "get_dependencies", "get_dependents")
    return [
        ("repo.search", {"query": NEW_NAME}),
        ("repo.build_context_bundle", {"prompt": f"who calls {NEW_NAME}"}),
        ("search_symbols", {"query": NEW_NAME}),
        ("lookup_symbol", {"qualified_name": f"shop.refunds.{NEW_NAME}"}),
        ("get_file_outline", {"path": NEW}),
        *((name, {"node_id": node_id}) for name in of_node),
        ("get_impact", {"diff": f"--- a/{NEW}\n+++ b/{NEW}\n@@ -1 +1 @@\n-a\n+b\n"}),
        ("get_symbol", {"node_id": "0" * 24}),  # of a file that is not indexed, as far as anybody knows
        ("search_code", {"query": NEW_NAME}),
        ("search_code", {"query": NEW_NAME, "expand_query": True, "synthesize": True}),
        ("search_docs", {"query": "refund every order"}),
        ("code_research", {"query": f"what calls {NEW_NAME}"}),
        ("code_research", {"query": "the architecture"}),
    ]


def _call(client: RetrievalClient, tool: str, /, **arguments: object) -> dict[str, Any]:
    """Return the envelope of one call, whatever its text is."""
    answer: dict[str, Any] = client.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
    assert answer.get("isError", False) == ("error" in answer["structuredContent"])
    found: dict[str, Any] = answer["structuredContent"]
    return found


def _tell(envelope: dict[str, Any]) -> str:
    """Return what an answer says in words: its warnings, or its error."""
    said = [*envelope.get("warnings", ())]
    if "error" in envelope:
        said.append(envelope["error"]["message"])
    return " ".join(said)


def _find_node(client: RetrievalClient) -> str:
    (row,) = _call(client, "lookup_symbol", qualified_name="shop.orders.OrderStore.save")["result"]
    return str(row["node_id"])


def _index(client: RetrievalClient) -> dict[str, Any]:
    """Return what indexing reports; nothing while a round in the background holds the lock."""
    found = _call(client, "index_codebase", path=".")
    return {} if "error" in found else found


@pytest.mark.parametrize(("serve", "options"), CASES)
def test_every_answer_tells_of_files_that_could_not_be_indexed(
    serve: Any, tmp_path: Path, options: tuple[str, ...]
) -> None:
    root = write_tree(tmp_path / "shop", PYTHON)
    with serve(tmp_path, root, options) as world:
        client = world.client
        if options:
            _call(client, "index_codebase")
        wait_until_ready(client)
        node_id = _find_node(client)
        before = _call(client, "get_status")
        assert (before["healthy"], before.get("warnings", [])) == (True, [])
        with world.keep_out():
            (root / NEW).write_text(NEW_TEXT)
            if options:
                failed = _call(client, "repo.refresh_index")
                assert world.reason in failed["error"]["message"], failed

            def is_reported() -> bool:
                return world.reason in _tell(_call(client, "get_status"))

            wait_until(is_reported)
            silent = {
                f"{name} {arguments}": answer
                for name, arguments in _list_calls(node_id)
                for answer in [_call(client, name, **arguments)]
                if world.reason not in _tell(answer)
            }
            assert silent == {}
            status = _call(client, "get_status")
            assert (status["healthy"], status["state"]) == (False, "degraded")
            state = _call(client, "repo.status")
            assert state["result"]["state"] == "degraded"
            assert world.reason in _tell(state)
            for name, arguments in (("index_files", {"paths": [NEW]}), *world.more_writers):
                answer = _call(client, name, **arguments)
                assert "error" in answer or [one["code"] for one in answer["errors"]] == ["busy"], name
            # What is read from the files themselves lacks nothing.
            exact = _call(client, "repo.search", query=NEW_NAME, mode="literal")
            assert [hit["path"] for hit in exact["result"]["hits"]] == [NEW]
        if options:
            reported = wait_until(lambda: _index(client))
            assert (reported["errors"], reported.get("warnings", [])) == (0, [])
        wait_until(lambda: _call(client, "search_symbols", query=NEW_NAME)["result"])
        wait_until(lambda: _call(client, "get_status")["healthy"])
        healed = wait_until_ready(client)
        assert (healed["healthy"], healed.get("warnings", [])) == (True, [])
        for name, arguments in _list_calls(_find_node(client)):
            assert world.reason not in _tell(_call(client, name, **arguments))
