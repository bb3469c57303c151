"""What is not known is not called nothing: kinds that are not tracked, and references that were dropped."""

from __future__ import annotations

import pytest

from repo_mcp.graph.edges import Unresolved
from repo_mcp.graph.unnamed_uses import describe_unnamed_uses
from repo_mcp.graph.vocabulary import CALLS, NAMED, UNRECORDED_KINDS, are_uses_recorded, name_kind
from repo_mcp.symbols.symbol_record import SymbolKind
from tests.repo_mcp.graph.memory_index import find_node, make_graph

# A symbol of each kind that is not tracked, and a use of it.
USED = {
    ("cpp", "module"): ({"a.cpp": "namespace n { int g(); }\nusing namespace n;\n"}, "n"),
    ("java", "module"): ({"A.java": "package n;\nimport n.*;\nclass A {}\n"}, "n"),
    ("go", "module"): (
        {"go.mod": "module e\n", "b/b.go": 'package b\nimport "e/a"\n', "a/a.go": "package a\n"},
        "a",
    ),
    ("rust", "module"): ({"lib.rs": "mod x { pub fn f() {} }\nfn g() { x::f(); }\n"}, "x"),
    ("rust", "impl"): ({"lib.rs": "struct P;\nimpl P { fn f() {} }\nfn g() { P::f(); }\n"}, "P"),
    ("swift", "extension"): ({"a.swift": "struct P {}\nextension P { func f() {} }\nlet p = P()\n"}, "P"),
}


@pytest.mark.parametrize("case", USED)
def test_a_kind_that_is_not_tracked_is_one_whose_uses_nobody_records(case: tuple[str, str]) -> None:
    language, kind = case
    texts, name = USED[case]
    graph = make_graph(texts)
    (node,) = [
        node
        for path in texts
        for node in graph.outline(path)
        if (node.kind, node.name_inside) == (kind, name)
    ]
    assert node.language == language
    assert not are_uses_recorded(language, node.symbol.kind)
    assert graph.find_incoming(node, NAMED).edges == ()


def test_every_such_kind_is_shown() -> None:
    shown = {
        (language, name_kind(kind, language))
        for language, kinds in UNRECORDED_KINDS.items()
        for kind in kinds
    }
    assert shown == set(USED)
    assert are_uses_recorded("c", SymbolKind.PROPERTY)
    assert are_uses_recorded("cobol", SymbolKind.PROPERTY)


def test_what_is_unresolved_is_in_a_language_that_can_mean_the_symbol() -> None:
    graph = make_graph(
        {
            "a.py": "class Cache:\n    def fetch_one(self): ...\n",
            "b.py": "def use(x, y):\n    return x.fetch_one(), y\n",
            "c.js": "function use(x) { x.fetch_one(); }\n",
            "d.go": "package d\nfunc use(x I) { x.fetch_one() }\n",
            "e.ts": "export class Store { fetch_one() {} }\nexport class Other { fetch_one() {} }\n",
        }
    )
    found = graph.find_incoming(find_node(graph, "a.Cache.fetch_one"), CALLS)
    assert {edge.other.path for edge in found.edges} | {one.path for one in found.unresolved} == {"b.py"}
    found = graph.find_incoming(find_node(graph, "Store.fetch_one"), CALLS)
    assert {edge.other.path for edge in found.edges} | {one.path for one in found.unresolved} == {"c.js"}


def test_a_call_through_a_name_like_the_module_may_mean_the_function() -> None:
    graph = make_graph(
        {
            "pkg/__init__.py": "",
            "pkg/cache.py": "def get(key):\n    return key\n",
            "pkg/use.py": "def use(cache, other):\n    cache.get(1)\n    other.get(2)\n",
        }
    )
    found = graph.find_incoming(find_node(graph, "pkg.cache.get"), CALLS)
    assert found.unresolved == (Unresolved("pkg/use.py", (2,), 1),)


def test_an_initialiser_that_literals_call_says_so() -> None:
    text = "struct Size {\n  init(value: Int) {}\n  init(stringLiteral value: String) {}\n}\n"
    by_name, by_literal = make_graph({"a.swift": text}).outline("a.swift")[1:]
    assert describe_unnamed_uses(by_name) == ""
    said = "Literals call init(stringLiteral:) without its name: these are not followed."
    assert describe_unnamed_uses(by_literal) == said
