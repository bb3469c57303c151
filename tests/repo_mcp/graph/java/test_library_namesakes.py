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
    "b/Filter.java": """
        package b;
        import org.web.GenericFilter;
        import org.web.Holder;
        class Security { Security debug(boolean on) { return this; } }
        class Filter extends GenericFilter {
            void run() {
                this.logger.debug(true); // a field of the library
                logger.debug(true); // without this
            }
        }
        class Login extends Filter {
            void run() { this.logger.debug(false); } // two classes below
        }
        class Held extends Holder<Security> {
            void run() { this.held.debug(true); } // of a generic class
        }
        """,
}


def test_an_override_of_a_librarys_method_is_only_possible_by_its_name(repository: Repository) -> None:
    asked = repository.ask("a/Empty.java", "of a lambda's parameter", "wasNull")
    assert asked == ["a/Empty.java:4 wasNull possible"]


def test_an_override_of_a_method_here_may_be_meant(repository: Repository) -> None:
    found = repository.ask("a/Empty.java", "of a base here", "getShort")
    assert found == ["a/Empty.java:7 getShort possible", "a/Empty.java:9 getShort possible"]


@pytest.mark.parametrize("line", ["a field of the library", "without this", "two classes below"])
def test_a_field_that_a_library_declares_has_a_type_of_the_library(repository: Repository, line: str) -> None:
    assert repository.ask("b/Filter.java", line, "debug") == ["-> org.web.GenericFilter.logger.debug"]


def test_a_field_of_a_generic_class_may_have_a_type_of_ours(repository: Repository) -> None:
    found = repository.ask("b/Filter.java", "of a generic class", "debug")
    assert found == ["b/Filter.java:4 debug probable"]
