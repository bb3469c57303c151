"""Members of what a function of JavaScript makes, of its prototype, and of what a held class makes."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.js": """
        function Store(name) {
            this.name = name;
            this.part = new Part();
            this.own = function () { return this.part; }; // in its own function
            const inner = () => { this.late = 1; };
            function other() { this.lost = 1; }
        }
        Store.prototype.run = function () {
            this.part.fly(); // in a method
            this.own(); // a function of it
        };
        Store.prototype.kind = 1;
        class Part { fly() {} }
        function Pool() { this.items = []; }
        Pool.prototype = {
            put() { this.items.push(1); }, // in a prototype that is an object
        };
        function helper() { this.helped = 1; }
        const store = new Store(1);
        store.name; // of an object
        store.part.fly(); // of a part
        store.kind; // of the prototype
        store.late; // of an arrow
        store.lost; // of a function in it
        store.helped; // of a plain function
        new Pool().put(1); // by a new one
        Store.name; // of the function itself
        module.exports = Store;
        """,
    "b.js": """
        const Store = require("./a");
        const store = new Store(2);
        store.part; // elsewhere
        """,
}
CASES = {
    "this": ("a.js", "// in its own function", "part", ["a.js:3 part exact"]),
    "the prototype": ("a.js", "// in a method", "part", ["a.js:3 part exact"]),
    "what a member is": ("a.js", "// in a method", "fly", ["a.js:13 fly exact"]),
    "a function": ("a.js", "// a function of it", "own", ["a.js:4 own exact"]),
    "an object": ("a.js", "// in a prototype that is an object", "items", ["a.js:14 items exact"]),
    "a variable": ("a.js", "// of an object", "name", ["a.js:2 name exact"]),
    "a chain": ("a.js", "// of a part", "fly", ["a.js:13 fly exact"]),
    "no function": ("a.js", "// of the prototype", "kind", ["a.js:12 kind exact"]),
    "an arrow": ("a.js", "// of an arrow", "late", []),
    "another function": ("a.js", "// of a function in it", "lost", []),
    "a small letter": ("a.js", "// of a plain function", "helped", []),
    "a method of it": ("a.js", "// by a new one", "put", ["a.js:16 put possible"]),
    "not itself": ("a.js", "// of the function itself", "name", []),
    "another file": ("b.js", "// elsewhere", "part", ["a.js:3 part exact"]),
}


@pytest.mark.parametrize("case", CASES)
def test_members_of_what_a_function_makes(case: str) -> None:
    path, line, name, expected = CASES[case]
    assert Repository.build(TEXTS).ask(path, line, name) == expected


def test_methods_that_another_file_gives_to_a_class_are_declared() -> None:
    found = Repository.build(
        {
            "mix.js": """
            module.exports = function (Store, other) {
              Store.prototype.fetch = function (a) {};
              Store.produce = function () {};
              other.little = function () {};
            };
            """,
            "wide.js": """
            var Store = require("./store");
            Store.prototype.widen = function () {};
            """,
            "store.js": """
            module.exports = class Store {};
            """,
            "use.js": """
            function use(one) {
              one.fetch(1); // by a parameter
              one.produce(); // to the class itself
              one.widen(); // by an import
              one.little(); // of some object
            }
            """,
        }
    )
    assert found.ask("use.js", "// by a parameter", "fetch") == ["mix.js:2 fetch probable"]
    assert found.ask("use.js", "// to the class itself", "produce") == ["mix.js:3 produce probable"]
    assert found.ask("use.js", "// by an import", "widen") == ["wide.js:2 widen probable"]
    assert found.ask("use.js", "// of some object", "little") == []


HELD = {
    "watch.ts": """
        export class Watcher { go() {} }
        export class Other { go() {} }
        type Make = new () => Watcher
        export function first(Kind: typeof Watcher) {
          const made = new Kind()
          made.go() // of a parameter
        }
        export function second(part: { Kind: Make }) {
          const { Kind } = part
          const made = new Kind()
          made.go() // of a property
        }
        export function third(Kind: any) {
          const made = new Kind()
          made.go() // of anything
        }
        """
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// of a parameter", ["watch.ts:1 go exact"]),
        ("// of a property", ["watch.ts:1 go exact"]),
        ("// of anything", []),
    ],
)
def test_members_of_what_a_held_class_makes(line: str, expected: list[str]) -> None:
    assert Repository.build(HELD).ask("watch.ts", line, "go") == expected
