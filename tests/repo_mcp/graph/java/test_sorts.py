"""Names of Java that several sorts of declarations share, members that are not inherited, and outer types."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a/Query.java": "package a;\npublic class Query { public Query() {} }\n",
    "a/Maker.java": """
        package a;
        class Maker {
            Object make() { return new Query(); }
            static String Query() { return ""; }
        }
        """,
    "a/Base.java": """
        package a;
        class Base {
            private int hidden;
            int open;
            private void hide() {}
        }
        """,
    "a/Outer.java": """
        package a;
        class Outer {
            int hidden, open, size;
            void hide() {}
            int count() { return 1; }
            class Inner extends Base {
                int size() { return size; }
                int count = count();
                int own() { return hidden; }
                int inherited() { return open; }
                void call() { hide(); }
                int above() { return super.hidden; }
            }
            static class Held { static class Deep {} }
        }
        """,
    "a/User.java": """
        package a;
        class User {
            java.util.Map<String, Outer.Held> all;
            Object deep = new Outer.Held.Deep();
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("a/Maker.java", "new Query()", "Query", ["a/Query.java:2 Query exact"]),
        ("a/Outer.java", "return size;", "size", ["a/Outer.java:3 size exact"]),
        ("a/Outer.java", "int count = count();", "count", ["a/Outer.java:5 count exact"]),
        ("a/Outer.java", "return hidden;", "hidden", ["a/Outer.java:3 hidden exact"]),
        ("a/Outer.java", "return open;", "open", ["a/Base.java:4 open exact"]),
        ("a/Outer.java", "{ hide(); }", "hide", ["a/Outer.java:4 hide exact"]),
        ("a/Outer.java", "super.hidden", "hidden", ["a/Base.java:3 hidden exact"]),
    ],
)
def test_a_name_means_a_declaration_of_its_sort_that_the_type_has(
    repository: Repository, path: str, line: str, name: str, said: list[str]
) -> None:
    assert repository.ask(path, line, name) == said


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("Map<String, Outer.Held>", "Outer", ["a/Outer.java:2 Outer exact"]),
        ("new Outer.Held.Deep()", "Outer", ["a/Outer.java:2 Outer exact"]),
        ("new Outer.Held.Deep()", "Held", ["a/Outer.java:14 Held exact"]),
    ],
)
def test_a_nested_type_uses_the_types_around_it(
    repository: Repository, line: str, name: str, said: list[str]
) -> None:
    assert repository.ask("a/User.java", line, name, ReferenceRole.TYPE) == said
