"""Which symbols of one name compete: import aliases and inner functions do not, and called values do."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError
from repo_mcp.graph.vocabulary import CALLED_KINDS, CALLS
from tests.repo_mcp.graph.memory_index import MemoryIndex

MADE = {
    "src/slice.ts": "export function make() {\n  return () => 1\n}\nexport const slice = make()\n",
    "src/use.ts": "import { slice } from './slice'\nexport const used = slice()\n",
    "old/app.ts": "import * as k from '../src/slice'\nimport slice = k.slice\nexport const one = slice()\n",
}
INNER = {
    "src/thunk.ts": "export const thunk = (() => {\n  function thunk() {}\n  return thunk\n})()\n",
    "src/use.ts": "import { thunk } from './thunk'\nexport const used = thunk()\n",
}


def build(texts: dict[str, str]) -> Graph:
    return Graph(MemoryIndex(texts), RESOLVERS)


def test_an_import_alias_does_not_compete_with_what_it_names() -> None:
    graph = build(MADE)
    for likely in (frozenset(), CALLED_KINDS):
        node = graph.choose("slice", likely=likely)
        assert (node.path, node.symbol.start_line) == ("src/slice.ts", 4)
    called_by = {edge.other.path for edge in graph.find_incoming(node, CALLS).edges}
    assert called_by == {"src/use.ts", "old/app.ts"}


def test_an_alias_alone_is_found() -> None:
    graph = build({"app.ts": "import * as kit from 'kit'\nimport slice = kit.slice\n"})
    assert graph.choose("slice").path == "app.ts"


def test_a_function_in_the_value_of_its_name_does_not_compete_with_it() -> None:
    graph = build(INNER)
    for likely in (frozenset(), CALLED_KINDS):
        assert graph.choose("thunk", likely=likely).qualified_name == "thunk"
    assert graph.choose("thunk.thunk").symbol.start_line == 2


def test_a_member_competes_with_the_object_that_holds_it() -> None:
    graph = build({"a.ts": "export const load = {\n  load() {}\n}\n"})
    with pytest.raises(AmbiguousSymbolError):
        graph.choose("load")


def test_a_value_that_is_called_competes_with_a_function() -> None:
    graph = build({**MADE, "lib/other.ts": "export function slice() {}\n"})
    with pytest.raises(AmbiguousSymbolError) as raised:
        graph.choose("slice", likely=CALLED_KINDS)
    assert [one.path for one in raised.value.candidates] == ["lib/other.ts", "src/slice.ts"]


def test_a_value_that_nothing_calls_does_not() -> None:
    graph = build({"a.ts": "export const size = 3\n", "b.ts": "export function size() {}\n"})
    assert graph.choose("size", likely=CALLED_KINDS).path == "b.ts"


def test_what_no_build_of_go_has_does_not_compete() -> None:
    graph = build(
        {
            "run/grow.go": "package run\n\nfunc grow() {}\n",
            "check/stubs/run.go": "//go:build ignore\n\npackage run\n\nfunc grow() {}\n\nfunc only() {}\n",
            "check/testdata/run.go": "package run\n\nfunc grow() {}\n",
        }
    )
    assert graph.choose("run.grow").path == "run/grow.go"
    assert graph.choose("run.only").path == "check/stubs/run.go"
