"""JavaScript: members, exports and variables that are assigned again; members that override none."""

from __future__ import annotations

import pytest

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "lib.js": """
        function one() {}
        function two() {}
        exports.run = one
        if (process.env.OTHER) exports.run = two
        """,
    "lost.js": """
        function one() {}
        function two() {}
        exports.gone = one
        module.exports = two
        """,
    "use.js": """
        const lib = require("./lib")
        const { gone } = require("./lost")
        lib.run() // run
        gone() // lost
        class Left {
          go() {}
          go() {}
          static go() {}
          stay() {}
        }
        class Right { go() {} }
        Left.prototype.stay = function () {}
        const made = new Left()
        made.go() // last
        made.stay() // patched
        const spied = new Right()
        spied.go = function () {}
        spied.go() // spied
        function walk() {
          let side = new Left()
          side = new Right()
          side.go() // either
        }
        twice() // hoisted
        function twice() {}
        function twice() {}
        function choose(other) {
          if (other) return new Right()
          return new Left()
        }
        choose(true).go() // returned
        class Pair {
          constructor() { this.side = new Left() }
          swap() { this.side = new Right() }
          walk() { this.side.go() } // held
        }
        """,
}
CASES = {
    "an export that is assigned twice": ("// run", "run", ["lib.js:1 one probable", "lib.js:2 two probable"]),
    "an export that the whole replaces": ("// lost", "gone", ["lost.js:1 one probable"]),
    "the last method of a name": ("// last", "go", ["use.js:7 go exact"]),
    "a method of a prototype": ("// patched", "stay", ["use.js:9 stay probable", "use.js:12 stay probable"]),
    "a method of one object": ("// spied", "go", ["use.js:11 go probable", "use.js:17 go probable"]),
    "a variable with two values": ("// either", "go", ["use.js:7 go probable", "use.js:11 go probable"]),
    "a function that returns either": (
        "// returned",
        "go",
        ["use.js:11 go probable", "use.js:7 go probable"],
    ),
    "a property that is assigned twice": ("// held", "go", ["use.js:7 go probable", "use.js:11 go probable"]),
    "the last function of a name": ("// hoisted", "twice", ["use.js:26 twice exact"]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_assigned_again_is_less_sure(repository: Repository, case: str) -> None:
    line, name, expected = CASES[case]
    assert repository.ask("use.js", line, name) == expected


def test_private_and_static_members_override_none() -> None:
    text = """class Base {
  #hide() {}
  static make() {}
  show() {}
}
class Low extends Base {
  #hide() {}
  make() {}
  show() {}
}
"""
    graph = make_graph({"a.ts": text})
    found = {}
    for ordinal in range(2, 5):
        node = graph.get_node(Declaration("a.ts", ordinal))
        edges = graph.find_incoming(node, (EdgeType.OVERRIDES,)).edges
        found[node.qualified_name] = [graph.get_node(one.other).qualified_name for one in edges]
    assert found == {"Base.#hide": [], "Base.make": [], "Base.show": ["Low.show"]}


def test_private_members_of_python_override_none() -> None:
    text = "class Base:\n    def __hide(self): ...\nclass Low(Base):\n    def __hide(self): ...\n"
    assert not list_incoming(make_graph({"a.py": text}), "a.Base.__hide", EdgeType.OVERRIDES)
