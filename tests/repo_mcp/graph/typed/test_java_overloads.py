"""Java: the literals of a call rule out overloads, and choose one if nothing else differs."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a/A.java": """
        package a;
        class A {
            A(String s) {}
            A(int s) {}
            void run(String a, Object... b) {}
            void run(CharSequence a, Object... b) {}
            void bind(int p, Item v) {}
            void bind(String p, Item v) {}
            void bind(String p, int v) {}
            void none() {}
            void none(String... a) {}
            void take(Class<?> t) {}
            void take(Item t) {}
            void f(Item x, String s) {
                run("a", x); // a text
                run("a" + s); // joined texts
                run(s); // a variable
                bind("a", x); // an argument that is not known
                bind(1, x); // a number
                bind("a", -1); // both
                take(Item.class); // a class
                new A("b"); // made
                none(); // nothing
            }
        }
        class Item {}
        """
}
CASES = {
    "// a text": ("run", ["a/A.java:5 run probable"]),
    "// joined texts": ("run", ["a/A.java:5 run probable"]),
    "// a variable": ("run", ["a/A.java:5 run possible", "a/A.java:6 run possible"]),
    "// an argument that is not known": (
        "bind",
        ["a/A.java:8 bind possible", "a/A.java:9 bind possible"],
    ),
    "// a number": ("bind", ["a/A.java:7 bind probable"]),
    "// both": ("bind", ["a/A.java:9 bind probable"]),
    "// a class": ("take", ["a/A.java:12 take probable"]),
    "// nothing": ("none", ["a/A.java:10 none exact"]),
    "// made": ("A", ["a/A.java:3 A probable", "a/A.java:2 A exact"]),
}


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository.build(TEXTS)


@pytest.mark.parametrize("line", CASES)
def test_literals_choose_between_overloads(line: str, repository: Repository) -> None:
    name, meant = CASES[line]
    assert repository.ask("a/A.java", line, name) == meant
