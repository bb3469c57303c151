"""Go, Java and Rust: variables that hide others of their name, and what the name means after their block."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "a.go": """
        package a
        type T struct { h int }
        type U struct { h int; down U }
        var f T
        func shadow(d map[string]U, g func() (U, T)) {
            f := d["1"]
            _ = f.h // of an item
            if true {
                f, k := g()
                _ = f.h // of a result
                _ = k.h // of the second result
            }
            for f := range d {
                _ = f.h // of a key
            }
            low := f.down
            _ = low.h // of a field
        }
        func fresh() {
            _ = f.h // of the package
        }
        func unnamed() {
            tests := []struct{ made int }{{1}}
            made() // the function
        }
        func made() {}
        """,
    "A.java": """
        class A {
            B one;
            void f(java.util.List<C> list, C two) {
                list.forEach(one -> one.go(1));
                one.go(2);
                { C one = null; one.go(3); }
                one.go(4);
                var two = list.x[1];
                two.go(5);
            }
        }
        class B { void go(int n) {} }
        class C { void go(int n) {} }
        """,
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        pub struct S { a: u8 }
        pub struct P { a: u8 }
        pub struct Held { found: Option<P> }
        impl S { fn new() -> S { S { a: 1 } } }
        fn shadow(one: S, held: Held, pairs: &[(P, u8)]) {
            for (one, _) in pairs {
                drop(one.a); // of a pair
            }
            drop(one.a); // of the parameter
            let two = match held.found {
                None => return,
                Some(two) => two,
            };
            drop(two.a); // of what is found
            let three = {
                let mut three = S::new();
                if three.a > 1 { let three = P { a: 1 }; drop(three.a) }
                three
            };
            drop(three.a); // of the block
            let (one, two) = swap(one.a, two.a);
            drop(one.a); // of the pair
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("// of an item", {"a.go:3 h exact"}),
        ("// of a result", {"a.go:2 h possible", "a.go:3 h possible"}),
        ("// of the second result", {"a.go:2 h possible", "a.go:3 h possible"}),
        ("// of a key", {"a.go:2 h possible", "a.go:3 h possible"}),
        ("// of a field", {"a.go:3 h exact"}),
        ("// of the package", {"a.go:2 h exact"}),
    ],
)
def test_a_variable_of_go_hides_those_around_it(repository: Repository, line: str, means: set[str]) -> None:
    assert set(repository.ask("a.go", line, "h")) == means


def test_a_field_of_an_unnamed_struct_is_no_name(repository: Repository) -> None:
    assert repository.ask("a.go", "// the function", "made") == ["a.go:26 made exact"]


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("go(1)", {"A.java:13 go probable"}),
        ("go(2)", {"A.java:12 go exact"}),
        ("go(3)", {"A.java:13 go exact"}),
        ("go(4)", {"A.java:12 go exact"}),
        ("go(5)", {"A.java:12 go possible", "A.java:13 go possible"}),
    ],
)
def test_a_variable_of_java_hides_a_field_in_its_block(
    repository: Repository, line: str, means: set[str]
) -> None:
    assert set(repository.ask("A.java", line, "go")) == means


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("// of a pair", {"src/lib.rs:1 a possible", "src/lib.rs:2 a possible"}),
        ("// of the parameter", {"src/lib.rs:1 a exact"}),
        ("// of what is found", {"src/lib.rs:2 a probable"}),
        ("// of the block", {"src/lib.rs:1 a exact"}),
        ("swap(one.a", {"src/lib.rs:1 a exact", "src/lib.rs:2 a probable"}),
        ("// of the pair", {"src/lib.rs:1 a possible", "src/lib.rs:2 a possible"}),
    ],
)
def test_a_variable_of_rust_has_the_type_of_what_its_block_gives(
    repository: Repository, line: str, means: set[str]
) -> None:
    assert set(repository.ask("src/lib.rs", line, "a")) == means
