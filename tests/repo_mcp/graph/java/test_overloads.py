"""Java: the types of the arguments of a call rule out overloads, and choose the nearest of those left."""

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
            void tally(int[] all, int one) {}
            void tally(long[] all, long one) {}
            void load(Item a, Class<?> b) {}
            void load(Class<?> a, Object b) {}
            void show(Item x) {}
            void show(Part x) {}
            void show(Object x) {}
            private final int size = 1;
            void note(int one) {}
            void note(boolean one) {}
            Item y() { return null; }
            void f(Item x, String s, Class<Item> c) {
                run("a", x); // a text
                run("a" + s); // joined texts
                run(s); // a variable
                bind("a", y()); // an argument that is not known
                bind("a", x); // a parameter
                int[] counts = {1};
                tally(counts, size); // a local variable and a field
                load(c, s); // a parameter with type arguments
                show(new Part()); // a type and one below it
                show((Item) y()); // a cast
                note(counts.length); // a length
                note(size < 2); // a comparison
                all.forEach(e -> show(e)); // a parameter without a type
                bind(1, x); // a number
                bind("a", -1); // both
                take(Item.class); // a class
                new A("b"); // made
                none(); // nothing
                set(Mode.FAST); // a constant of an enum
                set(Limit.NAMED); // a constant with a written type
                set(Other.NAMED); // a constant of an unknown class
            }
            void set(Mode one) {}
            void set(Limit one) {}
            void set(String one) {}
        }
        enum Mode { SLOW, FAST }
        class Limit { static final String NAMED = ""; }
        class Item {}
        class Part extends Item {}
        """
}
CASES = {
    "// a text": ("run", ["a/A.java:5 run probable"]),
    "// joined texts": ("run", ["a/A.java:5 run probable"]),
    "// a variable": ("run", ["a/A.java:5 run probable"]),
    '("a", x); // a parameter': ("bind", ["a/A.java:8 bind probable"]),
    "// a local variable and a field": ("tally", ["a/A.java:14 tally probable"]),
    "// a parameter with type arguments": ("load", ["a/A.java:17 load probable"]),
    "// a type and one below it": ("show", ["a/A.java:19 show probable"]),
    "// a length": ("note", ["a/A.java:22 note probable"]),
    "// a comparison": ("note", ["a/A.java:23 note probable"]),
    "// a cast": ("show", ["a/A.java:18 show probable"]),
    "// a parameter without a type": (
        "show",
        ["a/A.java:18 show possible", "a/A.java:19 show possible", "a/A.java:20 show possible"],
    ),
    "// an argument that is not known": (
        "bind",
        ["a/A.java:8 bind possible", "a/A.java:9 bind possible"],
    ),
    "// a number": ("bind", ["a/A.java:7 bind probable"]),
    "// both": ("bind", ["a/A.java:9 bind probable"]),
    "// a class": ("take", ["a/A.java:12 take probable"]),
    "// a constant of an enum": ("set", ["a/A.java:48 set probable"]),
    "// a constant with a written type": ("set", ["a/A.java:50 set probable"]),
    "// a constant of an unknown class": (
        "set",
        ["a/A.java:48 set possible", "a/A.java:49 set possible", "a/A.java:50 set possible"],
    ),
    "// nothing": ("none", ["a/A.java:10 none exact"]),
    "// made": ("A", ["a/A.java:3 A probable", "a/A.java:2 A exact"]),
}


@pytest.mark.parametrize("line", CASES)
def test_arguments_choose_between_overloads(line: str, repository: Repository) -> None:
    name, meant = CASES[line]
    assert repository.ask("a/A.java", line, name) == meant
