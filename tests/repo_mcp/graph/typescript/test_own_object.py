"""JavaScript: what `this` is in functions within methods, and the object that a CommonJS module is."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "kind.js": """
        class Kind {
          constructor() { this.size = 1; }
          all() {
            function plain() { return this.size; }
            const held = function () { return this.size; };
            const arrow = () => { return this.size; };
            function outer() { return () => this.size; }
            return [1].map(() => this.size);
          }
        }
        const object = {
          depth: 1,
          both() { return this.depth; },
          only: function () { return this.depth + 1; },
          inner() { const plain = function () { return this.depth + 2; }; },
        };
        """,
    "listed.js": """
        module.exports = {
          get header() { return 1; },
          both() { return this.header; },
          only: function () { return this.both(); },
          inner() { function plain() { return this.header + 1; } },
        };
        register({ other() {} });
        """,
    "use.js": """
        const listed = require("./listed");
        listed.both();
        listed.header;
        listed.other();
        """,
}


@pytest.mark.parametrize("line", ["const arrow", "[1].map"])
def test_an_arrow_function_has_the_object_of_the_method(repository: Repository, line: str) -> None:
    assert repository.ask("kind.js", line, "size") == ["kind.js:2 size exact"]


@pytest.mark.parametrize("line", ["plain() {", "const held", "outer() {"])
def test_a_plain_function_in_a_method_has_another(repository: Repository, line: str) -> None:
    assert "kind.js:2 size exact" not in repository.ask("kind.js", line, "size")


def test_a_function_that_is_a_member_has_its_object(repository: Repository) -> None:
    for line in ("both() {", "only: function"):
        assert repository.ask("kind.js", line, "depth") == ["kind.js:12 depth exact"]
    assert "kind.js:12 depth exact" not in repository.ask("kind.js", "inner() {", "depth")


def test_the_object_of_a_module_has_the_methods_that_it_lists(repository: Repository) -> None:
    assert repository.ask("use.js", "listed.both", "both") == ["listed.js:3 both exact"]
    assert repository.ask("use.js", "listed.header", "header") == ["listed.js:2 header exact"]
    assert "exact" not in str(repository.ask("use.js", "listed.other", "other"))


def test_its_methods_use_each_other(repository: Repository) -> None:
    assert repository.ask("listed.js", "both() { return", "header") == ["listed.js:2 header exact"]
    assert repository.ask("listed.js", "only: function", "both") == ["listed.js:3 both exact"]
    assert "exact" not in str(repository.ask("listed.js", "inner() {", "header"))
