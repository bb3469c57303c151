"""Java: fields, methods and constructors that share a name."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
class Box {
  int size;
  Box() {}
  int size() { return size; }
  static Box of() { return null; }
  Runnable run() { return this::size; }
  class Inner {
    int outer() { return Box.this.size(); }
    Box make() { return Box.of(); }
  }
}
"""


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("return size;", "size", "3 size exact"),  # no call: the field
        ("Box.this.size()", "size", "5 size exact"),  # of the class around
        ("this::size", "size", "5 size exact"),  # behind two colons
        ("return Box.of()", "Box", "2 Box exact"),  # the class, and none of its constructors
    ],
)
def test_what_a_name_means_is_said_by_how_it_is_used(line: str, name: str, means: str) -> None:
    program = Repository.build({"p/Box.java": TEXT})
    assert program.ask("p/Box.java", line, name) == [f"p/Box.java:{means}"]


def test_a_field_does_not_hide_a_method_of_an_interface() -> None:
    found = Repository.build(
        {
            "p/Rule.java": """
                package p;
                interface Rule { default boolean range(int one) { return true; } }
                class Ranged implements Rule { private final Range range = null; }
                class Use {
                    private final Ranged ranged = null;
                    boolean ask() { return this.ranged.range(1); }
                }
            """,
        }
    )
    assert found.ask("p/Rule.java", "this.ranged", "range") == ["p/Rule.java:2 range exact"]


def test_a_method_is_no_value_though_a_parameter_has_its_name() -> None:
    found = Repository.build(
        {
            "p/Streams.java": """
                package p;
                import java.util.Collection;
                public class Streams {
                    static class Held { Held flow() { return null; } }
                    static Held flow(Stream given) { return null; }
                    static <O> Held of(final Collection<O> flow) {
                        return make(flow.flow());
                    }
                }
            """,
        }
    )
    assert found.ask("p/Streams.java", "make(", "flow") == ["p/Streams.java:4 flow probable"]


def test_what_overrides_nothing_of_its_base_stands_beside_it() -> None:
    found = Repository.build(
        {
            "p/Range.java": """
                package p;
                class Range<T> { T fit(T one) { return one; } boolean has(T one) { return true; } }
                class LongRange extends Range<Long> {
                    long fit(final long one) { return one; }
                    boolean has(Long one) { return true; }
                    void use(Long boxed) {
                        this.fit(boxed);
                        this.has(boxed);
                    }
                }
            """,
        }
    )
    assert found.ask("p/Range.java", "this.fit", "fit") == [
        "p/Range.java:4 fit possible",
        "p/Range.java:2 fit possible",
    ]
    assert found.ask("p/Range.java", "this.has", "has") == ["p/Range.java:5 has exact"]


def test_an_overload_of_a_base_stands_beside_a_method_that_overrides_another() -> None:
    found = Repository.build(
        {
            "p/Items.java": """
                package p;
                class Items<T> extends Outside {
                    T remove(int at) { return null; }
                    boolean remove(Object one) { return true; }
                    void warn(String text) {}
                    void add(Object one) {}
                    void keep(T one) {}
                }
                class Names extends Items<String> {
                    @Override String remove(final int at) { return null; }
                    void warn(State state) {}
                    @Override void add(String one) {}
                    void keep(String one) {}
                    void use(String one) {
                        this.remove(one);
                        this.warn("text");
                        this.add("one");
                        this.keep("two");
                    }
                }
            """,
        }
    )
    path = "p/Items.java"
    assert found.ask(path, "this.remove", "remove") == [f"{path}:4 remove probable"]
    assert found.ask(path, "this.warn", "warn") == [f"{path}:5 warn probable"]
    assert found.ask(path, "this.add", "add") == [f"{path}:12 add exact"]
    assert found.ask(path, "this.keep", "keep") == [f"{path}:13 keep exact"]


def test_what_overloads_with_other_results_return_is_not_sure() -> None:
    found = Repository.build(
        {
            "p/Node.java": """
                package p;
                class Node {
                    String attr(String key) { return null; }
                    String text() { return null; }
                    boolean same(Object other) { return true; }
                }
                class Element extends Node {
                    Element attr(String key, String value) { return this; }
                    Element child(int at) { return this; }
                    void use(Element one) {
                        one.attr("key").same(null);
                        one.child(1).same(null);
                    }
                }
            """,
        }
    )
    assert found.ask("p/Node.java", 'one.attr("key")', "same") == ["p/Node.java:5 same probable"]
    assert found.ask("p/Node.java", "one.child(1)", "same") == ["p/Node.java:5 same exact"]


def test_a_well_known_package_is_that_of_the_repository_if_it_declares_it() -> None:
    found = Repository.build(
        {
            "src/org/junit/rules/Rule.java": """
                package org.junit.rules;
                public class Rule { public void apply() {} }
            """,
            "src/org/junit/runners/Runner.java": """
                package org.junit.runners;
                import org.junit.rules.Rule;
                import org.junit.rules.Other;
                class Runner {
                    void run(Rule rule) { rule.apply(); }
                    void run(Other other) {}
                }
            """,
        }
    )
    path, declared = "src/org/junit/runners/Runner.java", "src/org/junit/rules/Rule.java:2"
    assert found.ask(path, "import org.junit.rules.Rule", "Rule") == [f"{declared} Rule exact"]
    assert found.ask(path, "rule.apply()", "apply") == [f"{declared} apply exact"]
    assert found.ask(path, "import org.junit.rules.Other", "Other") == ["-> org.junit.rules.Other"]


def test_a_type_behind_its_package_is_used() -> None:
    texts = {
        "io/store/Kind.java": """
            package io.store;
            public enum Kind { ONE; static Kind make() { return ONE; } }
            """,
        "io/use/User.java": """
            package io.use;
            class User {
                Object kind = io.store.Kind.make();
            }
            """,
    }
    repository = Repository.build(texts)
    assert repository.ask("io/use/User.java", "Kind.make", "Kind") == ["io/store/Kind.java:2 Kind exact"]
    assert repository.ask("io/use/User.java", "Kind.make", "make") == ["io/store/Kind.java:2 make exact"]


def test_super_means_the_class_above_and_none_of_the_interfaces() -> None:
    text = """
interface Named { boolean equals(Object one); default void tell() {} }
class Base implements Named { public int hashCode() { return 1; } }
class Alone implements Named {
  public boolean equals(Object one) { return super.equals(one); }
}
class Below extends Base implements Named {
  public int hashCode() { return super.hashCode(); }
  public void tell() { super.tell(); }
}
"""
    repository = Repository.build({"A.java": text})
    assert repository.ask("A.java", "super.equals", "equals") == ["-> super.equals"]
    assert repository.ask("A.java", "super.hashCode", "hashCode") == ["A.java:2 hashCode exact"]
    assert repository.ask("A.java", "super.tell", "tell") == ["A.java:1 tell exact"]
