"""Go: packages of tests, files of one system, and methods that a field or another embedded type hides."""

from __future__ import annotations

import pytest

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "run.go": "package app\nfunc run() {}\nfunc Make() {}\n",
    "run_test.go": "package app\nfunc check() { run() }\n",
    "out_test.go": """
        package app_test
        import "example.org/app"
        func run() {}
        func Make() {}
        func check() {
            run() // own
            app.Make() // tested
        }
        """,
    "open_linux.go": "package app\nfunc open() {}\n",
    "open_windows.go": "package app\nfunc open() {}\n",
    "use.go": "package app\nfunc any() { open() }\n",
    "use_linux.go": "package app\nfunc here() { open() }\n",
    "use_android.go": "package app\nfunc phone() { open() }\n",
}
CASES = {
    "a test of the package": ("run_test.go", "check()", "run", ["run.go:2 run exact"]),
    "a package of tests": ("out_test.go", "// own", "run", ["out_test.go:3 run exact"]),
    "what it tests": ("out_test.go", "// tested", "Make", ["run.go:3 Make exact"]),
    "files of each system": (
        "use.go",
        "any()",
        "open",
        ["open_linux.go:2 open exact", "open_windows.go:2 open exact"],
    ),
    "a file of one system": ("use_linux.go", "here()", "open", ["open_linux.go:2 open exact"]),
    "a system inside another": ("use_android.go", "phone()", "open", ["open_linux.go:2 open exact"]),
}


@pytest.mark.parametrize("case", CASES)
def test_only_what_is_built_together_is_meant(repository: Repository, case: str) -> None:
    path, line, name, expected = CASES[case]
    assert repository.ask(path, line, name) == expected


def test_methods_of_equal_depth_and_those_behind_a_field_are_not_promoted() -> None:
    text = """package app
type Runs interface {
\tRun()
\tStop()
}
type Whole struct{}
func (Whole) Run()  {}
func (Whole) Stop() {}
type Other struct{}
func (Other) Run() {}
type Plain struct{ Whole }
type Both struct {
\tWhole
\tOther
}
type Nearer struct {
\tPlain
\tOther
}
type Hidden struct {
\tWhole
\tRun int
}
"""
    graph = make_graph({"go.mod": "module example.org/app\n", "a.go": text})
    found = [end for _, _, end, _ in list_incoming(graph, "app.Runs", EdgeType.IMPLEMENTS)]
    assert found == ["app.Whole", "app.Plain", "app.Nearer"]
    found = [end for _, _, end, _ in list_incoming(graph, "app.Runs.Run", EdgeType.OVERRIDES)]
    assert found == ["app.Whole.Run", "app.Other.Run"]


def test_an_embedded_type_of_two_systems_is_one_and_the_order_of_embedded_types_does_not_matter() -> None:
    texts = {
        "go.mod": "module example.org/app\n",
        "a.go": """package app
type Ends interface {
\tEnd()
\tMore()
}
type More interface{ More() }
type other struct{}
func (other) More() {}
type Holds struct {
\tconn
\tother
}
type First struct {
\tHolds
\tdeep
}
type deep struct {
\tconn
\tother
\tMore
}
type Last struct {
\tMore
\tconn
\tother
}
type Twice struct {
\tleft
\tright
}
type left struct{ other }
type right struct{ other }
""",
        "conn_linux.go": "package app\ntype conn struct{}\nfunc (conn) End() {}\n",
        "conn_windows.go": "package app\ntype conn struct{}\nfunc (conn) End() {}\n",
    }
    graph = make_graph(texts)
    found = [end for _, _, end, _ in list_incoming(graph, "app.Ends", EdgeType.IMPLEMENTS)]
    assert found == ["app.Holds"]
    found = [end for _, _, end, _ in list_incoming(graph, "app.Ends.End", EdgeType.OVERRIDES)]
    assert found == ["app.conn.End", "app.conn.End"]
    found = [end for _, _, end, _ in list_incoming(graph, "app.More", EdgeType.IMPLEMENTS)]
    assert "app.Twice" not in found
    assert {"app.left", "app.right", "app.Holds"} <= set(found)
