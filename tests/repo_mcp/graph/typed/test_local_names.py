"""What a function or a block declares, and which of several declarations of one name a line means."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "step.c": """
        int fill(int n)
        {
        #ifdef _WIN32
        #define STEP(x) left(x)
        #else
        #define STEP(x) right(x)
        #endif
            return STEP(n); // of either branch
        }
        """,
    "point.c": """
        void place(void)
        {
            struct point { int x; };
            typedef struct point point;
            point one; // by both of its names
            one.x = 1; // a field
        }
        """,
    "part.cc": """
        struct part { int size; };
        TEST(First, Case) {
          struct part { int own; };
          part p; // in the first block
        }
        struct part q; // behind it
        TEST(Second, Case) {
          struct part { int own; };
          part p; // in the second block
        }
        """,
    "Shop.java": """
        class Part { }
        class Shop {
            void sell() {
                Part one = null; // before it is declared
                class Part { }
                Part two = null; // behind its declaration
            }
        }
        """,
    "src/lib.rs": """
        pub trait Grow { fn grow(&mut self); }
        impl<T> Grow for T { fn grow(&mut self) {} }
        impl Grow for String { fn grow(&mut self) {} }
        pub fn add(mut one: String) {
            one.push('b'); // of the library, whatever extends it here
        }
        """,
}
REPOSITORY = Repository.build(TEXTS)


@pytest.mark.parametrize(
    ("path", "line", "name", "meant"),
    [
        ("step.c", "of either branch", "STEP", ["step.c:4 STEP probable", "step.c:6 STEP probable"]),
        ("point.c", "by both of its names", "point", ["point.c:3 point exact", "point.c:4 point exact"]),
        ("point.c", "a field", "x", ["point.c:3 x exact"]),
        ("part.cc", "in the first block", "part", ["part.cc:3 part probable"]),
        ("part.cc", "behind it", "part", ["part.cc:1 part exact"]),
        ("part.cc", "in the second block", "part", ["part.cc:8 part probable"]),
        ("Shop.java", "before it is declared", "Part", ["Shop.java:1 Part exact"]),
        ("Shop.java", "behind its declaration", "Part", ["Shop.java:5 Part probable"]),
        ("src/lib.rs", "of the library", "push", ["-> String.push"]),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_a_line_means(path: str, line: str, name: str, meant: list[str]) -> None:
    assert REPOSITORY.ask(path, line, name) == meant
