"""Files without a symbol record: changed a moment ago, removed, or of no language with a parser.

The symbol index lists a file and its names until it has followed the lexical one. Whichever file it is, what
the graph returns can be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from repo_mcp.errors import RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType, SymbolFilter
from tests.repo_mcp.graph.memory_index import MemoryIndex
from tests.repo_mcp.graph.memory_program import iter_used

TEXTS = {
    "py/base.py": "class Base:\n    def run(self): ...\n",
    "py/use.py": "from py.base import Base\n\n\nclass Use(Base):\n    def run(self): return Base().run()\n",
    "ts/base.ts": "export interface Base { run(): number }\nexport function help() { return 1 }\n",
    "ts/use.ts": 'import { Base, help } from "./base";\n'
    "export class Use implements Base { run() { return help() } }\n",
    "cs/Base.cs": "namespace N { public partial class P { public virtual void Run() { } } }\n",
    "cs/Use.cs": "namespace N { public partial class P { } class U : P { override void Run() { } } }\n",
    "c/base.h": "int help(int a);\n#define TWICE(a) (2 * (a))\n",
    "c/base.c": '#include "base.h"\nint help(int a) { return TWICE(a); }\n',
    "c/use.c": '#include "base.h"\nint main(void) { return help(1); }\n',
    "go/base.go": "package g\n\ntype Base struct{}\n\nfunc (b Base) Run() int { return 1 }\n",
    "go/use.go": "package g\n\nfunc use() int { return Base{}.Run() }\n",
    "rs/base.rs": "pub trait Base { fn run(&self); }\n",
    "rs/use.rs": "use crate::base::Base;\npub struct Use;\nimpl Base for Use { fn run(&self) {} }\n",
    "java/Base.java": "class Base { void run() { } }\n",
    "java/Use.java": "class Use extends Base { void run() { super.run(); } }\n",
    "swift/Base.swift": "protocol Base { func run() }\n",
    "swift/Use.swift": "struct Use: Base { func run() { } }\nextension Use { func again() { run() } }\n",
}


@cache
def index_whole() -> MemoryIndex:
    """Return the index that has a record of each file."""
    return MemoryIndex(TEXTS)


class LateIndex(MemoryIndex):
    """An index that still lists a file of which it has no record."""

    def __init__(self, path: str, *, is_removed: bool) -> None:
        self.__dict__.update(index_whole().__dict__)
        self.kept = {}  # what is kept of the whole program is no fact of this one
        self._structures = {one: record for one, record in self._structures.items() if one != path}
        self._texts = {one: text for one, text in self._texts.items() if one != path or not is_removed}

    def list_paths(self) -> Sequence[str]:
        return sorted(index_whole()._structures)

    def list_uses(self, name: str) -> Sequence[tuple[str, int]]:
        records = {path: self._structures.get(path) for path in self.list_using(name)}
        return [
            (path, 0 if record is None else sum(one == name for one in iter_used(record)))
            for path, record in records.items()
        ]


@pytest.mark.parametrize("is_removed", [False, True])
@pytest.mark.parametrize("path", TEXTS)
def test_whatever_is_returned_can_be_named(path: str, is_removed: bool) -> None:
    program = LateIndex(path, is_removed=is_removed)
    graph = Graph(program, RESOLVERS)
    for other in TEXTS:
        for node in graph.outline(other):
            for edges in (graph.find_incoming(node, EdgeType), graph.find_outgoing(node, EdgeType)):
                for edge in edges.edges:
                    graph.get_node(edge.other)
            graph.list_spans(node)
        if other != path:
            file = graph.get_node(Declaration(other, 0))
            for edge in graph.find_outgoing(file, EdgeType).edges:
                graph.get_node(edge.other)


@pytest.mark.parametrize("is_removed", [False, True])
@pytest.mark.parametrize("path", TEXTS)
def test_whatever_is_looked_up_is_found_or_refused(path: str, is_removed: bool) -> None:
    graph = Graph(LateIndex(path, is_removed=is_removed), RESOLVERS)
    for text in (path, path.rpartition("/")[2], f"{path}:1", "Base", "Use", "run", "help"):
        graph.look_up(text, SymbolFilter())
        graph.search(text, SymbolFilter(), 10)
        try:
            assert graph.choose(text).path != path
        except RepoError:
            pass
