"""Many files at a glance: imports, bases, calls at the top, users of what is declared elsewhere."""

from __future__ import annotations

import pytest

from repo_mcp.graph import bulk_scan
from repo_mcp.graph.bulk_scan import TOP_CALLS, TYPE_BASES, BulkScan, Uses
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import CALLS, EdgeType, SymbolFilter
from tests.counted_calls import count_calls
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, make_graph

FILES = {
    "pkg/__init__.py": "",
    "pkg/base.py": "import os\nfrom pkg import later\n\n\nclass Base: ...\n",
    "pkg/later.py": "from pkg.base import Base\nimport requests as web\n\n\n@web.hook\n"
    "class Later(Base, web.Session): ...\n\n\nweb.get('x')\n\n\ndef ask():\n    return web.get('y')\n",
    "main.ts": 'import { a } from "./other";\nexport const b = a();\n',
    "other.ts": "export function a() { return 1; }\n",
}
WIDE = Bounds(50, 100)


def make() -> Graph:
    return make_graph(FILES)


def test_imports_are_files_or_names_outside() -> None:
    scan = make().scan
    assert [(one.line, one.target, one.outside) for one in scan.list_imports("pkg/base.py")] == [
        (1, "", "os"),
        (2, "pkg/later.py", ""),
    ]
    assert [(one.line, one.target) for one in scan.list_imports("main.ts")] == [(1, "other.ts")]
    assert scan.list_imports("not/there.py") == []


def test_an_import_of_what_is_only_passed_on_is_one_of_who_passes_it_on() -> None:
    files = {
        "app/__init__.py": "from app.state import thing\n",
        "app/state.py": "def thing(): ...\n",
        "use.py": "from app import thing\nfrom app import state\nfrom app.state import thing as other\n",
        "src/index.ts": "export { a } from './deep/a';\n",
        "src/deep/a.ts": "export function a() {}\n",
        "src/use.ts": "import { a } from './index';\nimport { a as other } from './deep/a';\n",
    }
    scan = make_graph(files).scan
    assert [(one.line, one.target) for one in scan.list_imports("use.py")] == [
        (1, "app/__init__.py"),
        (2, "app/state.py"),
        (3, "app/state.py"),
    ]
    assert [(one.line, one.target) for one in scan.list_imports("src/use.ts")] == [
        (1, "src/index.ts"),
        (2, "src/deep/a.ts"),
    ]


def test_imports_of_csharp_are_the_files_whose_declarations_are_used() -> None:
    files = {
        "Tasks.cs": "namespace System.Threading.Tasks { class Shim {} }\n",
        "Filter.cs": "namespace App { public interface IFilter {} public interface ISite {} }\n",
        "Events.cs": "namespace App.Events { public class Raised {} }\n",
        "More.cs": "namespace App.Events { public class More {} }\n",
        "Retry.cs": "namespace App.Inner\n{\n    using System.Threading.Tasks;\n    using Events;\n"
        "    class Retry : IFilter, ISite { Raised raised; Task Run() => null; }\n}\n",
    }
    scan = make_graph(files).scan
    by_usings = [(3, "", "System.Threading.Tasks"), (4, "Events.cs", "")]
    assert [(one.line, one.target, one.outside) for one in scan.list_imports("Retry.cs")] == by_usings
    found = [(one.line, one.target, one.outside) for one in scan.list_imports("Retry.cs", Uses.ALL)]
    assert found == [*by_usings, (5, "Filter.cs", "")]
    named = [(one.line, one.target, one.outside) for one in scan.list_imports("Retry.cs", Uses.NAMED)]
    assert named == found


def test_uses_of_members_alone_count_only_if_all_are_asked_for() -> None:
    files = {
        "Tree.swift": "struct Tree {}\n",
        "Grow.swift": "extension Tree { func grow() {} }\n",
        "Park.swift": "func plant(tree: Tree) { tree.grow() }\n",
    }
    scan = make_graph(files).scan
    for uses, used in ((Uses.NAMED, ["Tree.swift"]), (Uses.ALL, ["Tree.swift", "Grow.swift"])):
        assert [one.target for one in scan.list_imports("Park.swift", uses)] == used


def test_files_that_are_seen_without_an_import_are_those_whose_declarations_are_used() -> None:
    files = {
        "Sources/App/Tree.swift": "struct Tree { func grow() {} }\n",
        "Sources/App/Park.swift": "import Foundation\nfunc plant(tree: Tree) { tree.grow() }\n",
        "app/ring.go": "package app\n\nfunc turn(w Wheel) {}\n",
        "app/wheel.go": "package app\n\ntype Wheel struct{}\n",
        "org/app/Ring.java": "package org.app;\nclass Ring { Wheel wheel; }\n",
        "org/app/Wheel.java": "package org.app;\nclass Wheel { }\n",
    }
    scan = make_graph(files).scan
    for path, line, used in (
        ("Sources/App/Park.swift", 2, "Sources/App/Tree.swift"),
        ("app/ring.go", 3, "app/wheel.go"),
        ("org/app/Ring.java", 2, "org/app/Wheel.java"),
    ):
        found = [(one.line, one.target) for one in scan.list_imports(path, Uses.ALL) if one.target]
        assert found == [(line, used)]
        named = [(one.line, one.target) for one in scan.list_imports(path, Uses.NAMED) if one.target]
        assert named == found
        assert not [one for one in scan.list_imports(path) if one.target]


def test_what_depends_on_a_namespace_uses_any_of_its_files() -> None:
    graph = make_graph(
        {
            "One.cs": "namespace App.Events { public class One {} }\n",
            "Two.cs": "namespace App.Events { public class Two {} }\n",
            "a.cs": "namespace App.Inner { using Events; class A : One {} }\n",
            "b.cs": "using App.Events;\nclass B : Two {}\n",
            "c.cs": "namespace Other { using Events; class C {} }\n",
        }
    )
    for node in graph.look_up("App.Events", SymbolFilter())[0]:
        edges = graph.find_incoming(node, (EdgeType.IMPORTS,), WIDE).edges
        found = sorted((edge.other.path, edge.confidence.value) for edge in edges)
        assert found == [("a.cs", "exact"), ("b.cs", "exact")]


def test_bases_and_calls_at_the_top() -> None:
    scan = make().scan
    assert {(one.name, one.outside) for one in scan.list_named_uses("pkg/later.py", TYPE_BASES)} == {
        ("Base", ""),
        ("web.Session", "requests.Session"),
    }
    assert {one.line for one in scan.list_named_uses("pkg/later.py", TOP_CALLS)} == {5, 9, 13}


def test_users_of_what_is_declared_elsewhere() -> None:
    graph = make()
    whole, edges = graph.scan.find_outside("requests.get", CALLS, WIDE)
    assert whole == "requests.get"
    assert [(graph.get_node(one.other).qualified_name, one.lines) for one in edges.edges] == [
        ("pkg/later.py", (9,)),
        ("pkg.later.ask", (13,)),
    ]
    assert graph.scan.find_outside("Session", (EdgeType.INHERITS,), WIDE)[0] == "requests.Session"
    assert graph.scan.find_outside("Base", (EdgeType.INHERITS,), WIDE) == (
        "",
        graph.scan.find_outside("x", (), WIDE)[1],
    )


def test_a_search_for_users_outside_stops_at_its_bounds() -> None:
    files = {f"f{n}.py": "import os\n\n\ndef f():\n    os.getcwd()\n" for n in range(9)}
    _, edges = make_graph(files).scan.find_outside("os.getcwd", CALLS, Bounds(4, 100))
    assert (len(edges.edges), edges.cut) == (4, True)


def test_what_is_declared_by_a_name_and_where() -> None:
    scan = make().scan
    assert [one.path for one in scan.find_declared("Base", 10)] == ["pkg/base.py"]
    assert scan.find_declared("Base", 0) == []
    assert scan.list_paths("pkg") == ["pkg/__init__.py", "pkg/base.py", "pkg/later.py"]
    assert scan.has_folder("pkg")
    assert not scan.has_folder("nowhere")


def test_the_bounds_of_one_search_for_edges() -> None:
    files = {"a.py": "def f(): ...\n"} | {
        f"b{n}.py": "from a import f\n\n\ndef g():\n    f()\n" for n in range(9)
    }
    graph = make_graph(files)
    node = find_node(graph, "a.f")
    few = graph.find_incoming(node, CALLS, Bounds(files=4, references=100))
    assert (len(few.edges), few.cut) == (4, True)
    fewer = graph.find_incoming(node, CALLS, Bounds(files=100, references=6))
    assert fewer.cut
    assert len(fewer.edges) < 9
    assert not graph.find_incoming(node, CALLS, Bounds(files=100, references=100)).cut


def test_static_imports_of_java_are_listed_once_and_use_the_type() -> None:
    graph = make_graph(
        {
            "a/Held.java": "package a;\npublic class Held { public static void take() {} }\n",
            "b/Use.java": (
                "package b;\nimport static a.Held.take;\nimport static a.Held.*;\n"
                "import static org.other.Some.of;\nimport static org.other.All.*;\nclass Use {}\n"
            ),
        }
    )
    assert [(one.line, one.target, one.outside) for one in graph.scan.list_imports("b/Use.java")] == [
        (2, "a/Held.java", ""),
        (3, "a/Held.java", ""),
        (4, "", "org.other.Some"),
        (5, "", "org.other.All"),
    ]
    assert list_incoming(graph, "a.Held", EdgeType.IMPORTS) == [("imports", "exact", "b", (2, 3))]


def test_of_very_many_names_in_a_file_the_first_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_scan, "_MAX_NAMES", 20)
    calls = "".join(f"  void g{at}() {{ f{at}(); }}\n" for at in range(40))
    scan = make_graph({"Big.java": f"class Big {{\n{calls}}}\n"}).scan
    called = count_calls(monkeypatch, BulkScan, "_is_seen_by_name")
    assert scan.list_imports("Big.java", Uses.NAMED) == []
    assert len(called) == 20
