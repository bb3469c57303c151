"""Uses of a library's methods in Java that are not taken for the only method of their name here."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a/Copy.java": """
        package a;
        import java.util.HashMap;
        import java.util.List;
        import java.util.Map;
        class Copy<K, V> {
            private Map<K, V> all() { return null; }
            private List<V> listed;
            boolean containsValue(Object value) {
                return all().containsValue(value); // of a result
            }
            void compute(K key, Object with) {
                Map<K, V> updated = new HashMap<>(old);
                updated.compute(key, with); // of a variable
            }
            void merge(Map<String, ?> any) {
                any.merge("key", 1); // of a wildcard's
            }
            void only() {}
            void ask(List<Copy<K, V>> known) {
                listed.get(0).only(); // of an item
                known.get(0).only(); // of a known item
                for (var one : all()) { one.only(); } // of a loop
            }
        }
        """,
    "a/Empty.java": """
        package a;
        import java.sql.ResultSet;
        class Empty implements ResultSet {
            @Override public boolean wasNull() { return true; }
            @Override public String getOwn() { return ""; }
        }
        interface Named { String getShort(); }
        class Short implements Named {
            @Override public String getShort() { return ""; }
        }
        class Use {
            Reader read() {
                return (row, one) -> row.wasNull() // of a lambda's parameter
                    && one.getShort(); // of a base here
            }
        }
        """,
}


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository.build(TEXTS)


@pytest.mark.parametrize(
    ("line", "name", "meaning"),
    [
        ("of a result", "containsValue", []),
        ("of a variable", "compute", ["-> java.util.Map.compute"]),
        ("of a wildcard's", "merge", ["-> java.util.Map.merge"]),
        ("of an item", "only", ["a/Copy.java:18 only probable"]),
        ("of a known item", "only", ["a/Copy.java:18 only probable"]),
        ("of a loop", "only", ["a/Copy.java:18 only probable"]),
    ],
)
def test_what_a_list_of_unknown_items_has(
    repository: Repository, line: str, name: str, meaning: list[str]
) -> None:
    assert repository.ask("a/Copy.java", line, name) == meaning


def test_an_override_of_a_librarys_method_is_only_possible_by_its_name(repository: Repository) -> None:
    asked = repository.ask("a/Empty.java", "of a lambda's parameter", "wasNull")
    assert asked == ["a/Empty.java:4 wasNull possible"]


def test_an_override_of_a_method_here_may_be_meant(repository: Repository) -> None:
    found = repository.ask("a/Empty.java", "of a base here", "getShort")
    assert found == ["a/Empty.java:7 getShort possible", "a/Empty.java:9 getShort possible"]
