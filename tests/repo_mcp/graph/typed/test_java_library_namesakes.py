"""Uses of a library's methods in Java that are not taken for the only method of their name here."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
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


def test_an_override_of_a_librarys_method_is_only_possible_by_its_name(repository: Repository) -> None:
    asked = repository.ask("a/Empty.java", "of a lambda's parameter", "wasNull")
    assert asked == ["a/Empty.java:4 wasNull possible"]


def test_an_override_of_a_method_here_may_be_meant(repository: Repository) -> None:
    found = repository.ask("a/Empty.java", "of a base here", "getShort")
    assert found == ["a/Empty.java:7 getShort possible", "a/Empty.java:9 getShort possible"]
