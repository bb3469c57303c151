"""Lines `//go:linkname` of Go: a stub in one package leads to its body in another, and back."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, list_outgoing

TEXTS = {
    "go.mod": "module example.org/app\n",
    "engine/sema.go": (
        "package engine\n"
        'import _ "unsafe"\n'
        "// lock_acquire waits.\n"
        "//\n"
        "//go:linkname lock_acquire example.org/app/lock.acquire\n"
        "func lock_acquire(n int) { park() }\n"
        "func park() {}\n"
        "func wait() {}\n"
        "func other() {}\n"
    ),
    "lock/lock.go": "package lock\nfunc acquire(n int)\nfunc Lock() { acquire(1) }\n",
    "watch/watch.go": (
        "package watch\n"
        'import _ "unsafe"\n'
        "//go:linkname doPark example.org/app/engine.park\n"
        "func doPark()\n"
        "//go:linkname far example.org/far.away\n"
        "func far()\n"
        "//go:linkname doWait example.org/app/engine.wait\n" + "var _ int\n" * 20 + "func doWait()\n"
    ),
}
LINKED = [
    ("lock.acquire", "engine.lock_acquire", 2),
    ("watch.doPark", "engine.park", 4),
    ("watch.doWait", "engine.wait", 28),
]


@pytest.mark.parametrize(("stub", "body", "line"), LINKED)
def test_a_stub_calls_the_body_with_which_a_line_links_it(
    graph: Graph, stub: str, body: str, line: int
) -> None:
    assert list_outgoing(graph, stub, EdgeType.CALLS) == [("calls", "exact", body, (line,))]
    assert ("calls", "exact", stub, (line,)) in list_incoming(graph, body, EdgeType.CALLS)


def test_the_line_is_a_use_of_what_it_names_although_its_file_does_not_import_that(graph: Graph) -> None:
    found = list_incoming(graph, "lock.acquire", EdgeType.REFERENCES)
    assert found == [("references", "exact", "engine", (5,))]


def test_what_is_linked_with_nothing_here_has_no_such_edges(graph: Graph) -> None:
    assert graph.find_outgoing(find_node(graph, "watch.far"), CALLS).edges == ()
    assert graph.find_incoming(find_node(graph, "engine.other"), CALLS).edges == ()
