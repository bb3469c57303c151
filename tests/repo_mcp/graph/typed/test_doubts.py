"""What looks sure and is not: what a function declares, `using` in one, type parameters, arguments."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "a.go": """
        package a
        type Conf struct { size int }
        func before() {
            c := Conf{} // of the package
            type Conf struct { own int }
            _ = c
        }
        func blocks() {
            {
                type part struct { size int }
                p := part{} // of the first block
                _ = p
            }
            {
                type part struct { size int }
                p := part{} // of the second block
                _ = p
            }
            func() {
                type Conf struct { size int }
            }()
            c := Conf{} // behind a block
            _ = c
        }
        func plain() {
            type mine struct { size int }
            m := mine{} // of the function
            m.size = 1 // a field of its own
            tests := []struct { mine mine }{{
                mine: mine{size: 1}, // beside a field of its name
            }}
        }
        """,
    "a.c": """
        enum color { RED };
        void f(void) {
            { enum { RED = 5 }; }
            int x = RED; // behind a block
        #define OWN(x) x
            OWN(1); // of a macro in a function
        }
        """,
    "a.cpp": """
        namespace k { struct B { void f(); }; void g(); void take(B); }
        namespace n { struct B { void f(); }; void g(); void take(B); void only(B); }
        void one() {
            using k::B;
            using namespace k;
            B b; // of k
            g(); // of k
        }
        namespace n {
            void two(k::B b) {
                B c; // of n
                g(); // of n
                take(b); // of either
                only(c); // of one alone
            }
        }
        struct Base { void run(); };
        template <class Base> struct Held {
            Base item;
            Base get();
            void use() {
                item.run(); // of a type parameter
                get().run(); // of its result
            }
        };
        """,
    "Node.java": """
        package a;
        class Node { void run() {} }
        class Shape { void draw() {} }
        interface Filled { void fill(); }
        class Holder<Node, S extends Shape, F extends Filled> {
            F filled;
            Node item;
            S shape;
            Node get() { return item; }
            void use() {
                item.run(); // of a type parameter
                get().run(); // of its result
                shape.draw(); // of a bounded one
                filled.fill(); // which a class below may narrow
            }
        }
        """,
}

CASES = {
    "go: declared below": ("a.go", "// of the package", "Conf", ["a.go:2 Conf exact"]),
    "go: one block": ("a.go", "// of the first block", "part", ["a.go:10 part probable"]),
    "go: another block": ("a.go", "// of the second block", "part", ["a.go:15 part probable"]),
    "go: behind a block": ("a.go", "// behind a block", "Conf", ["a.go:20 Conf probable"]),
    "go: without a namesake": ("a.go", "// of the function", "mine", ["a.go:26 mine exact"]),
    "go: its field": ("a.go", "// a field of its own", "size", ["a.go:26 size exact"]),
    "go: beside a field": ("a.go", "// beside a field of its name", "mine", ["a.go:26 mine exact"]),
    "c: behind a block": ("a.c", "// behind a block", "RED", ["a.c:3 RED probable"]),
    "c: a macro": ("a.c", "// of a macro in a function", "OWN", ["a.c:5 OWN exact"]),
    "c++: using": ("a.cpp", "// of k", "B", ["a.cpp:1 B exact"]),
    "c++: not in another function": ("a.cpp", "// of n", "B", ["a.cpp:2 B exact"]),
    "c++: found by argument": ("a.cpp", "// of either", "take", ["a.cpp:2 take probable"]),
    "c++: in one namespace": ("a.cpp", "// of one alone", "only", ["a.cpp:2 only exact"]),
    "c++: a type parameter": ("a.cpp", "// of a type parameter", "run", []),
    "c++: a result": ("a.cpp", "// of its result", "run", []),
    "java: a type parameter": ("Node.java", "// of a type parameter", "run", []),
    "java: a result": ("Node.java", "// of its result", "run", []),
    "java: a bounded one": ("Node.java", "// of a bounded one", "draw", ["Node.java:3 draw probable"]),
    "java: not sure": (
        "Node.java",
        "// which a class below may narrow",
        "fill",
        ["Node.java:4 fill probable"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_names_mean(case: str) -> None:
    path, line, name, expected = CASES[case]
    repository = Repository.build(TEXTS)
    number = next(one for one in TEXTS[path].split("\n") if one.strip().endswith(line)).strip()
    assert repository.ask(path, number, name) == expected
