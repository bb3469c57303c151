"""Calls of functions in functions that have a variable of the same name."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        fn term() -> u8 { 1 }
        fn hash() -> Option<u8> { None }
        fn own() { let mut term = term(); }
        fn tested() { if let Some(hash) = hash() { take(hash); } }
        fn after() { { let term = 1; } term(); }
        fn closure() { let term = || 2; term(); }
        fn given(term: fn() -> u8) { term() }
        fn inside() { list(|term| term(), 1); }
        """,
    "go.mod": "module example.org/app\n",
    "a.go": """
        package a
        func count() int { return 1 }
        func own() { count := count(); take(count) }
        func tested() { if count := count(); count > 1 { take(count) } }
        func held() { count := func() int { return 2 }
            count() }
        func given(count func() int) { count() /* given */ }
        """,
    "A.java": """
        class A {
            static boolean exists(int a) { return a > 1; }
            void own() { boolean exists = exists(1); }
            void given(boolean exists) { if (exists) { exists(2); } }
            void inside(java.util.List<String> all) { all.forEach(exists -> exists(3)); }
        }
        """,
    "a.c": """
        static int size(void) { return 1; }
        static void given(int (*size)(void)) { size(); }
        static void block(void) { { int size = 2; use(size); } size(); }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("src/lib.rs", "let mut term = term();", "term", ["src/lib.rs:1 term exact"]),
        ("src/lib.rs", "= hash() {", "hash", ["src/lib.rs:2 hash exact"]),
        ("src/lib.rs", "fn after()", "term", ["src/lib.rs:1 term exact"]),
        ("a.go", "count := count(); take", "count", ["a.go:2 count exact"]),
        ("a.go", "if count := count();", "count", ["a.go:2 count exact"]),
        ("A.java", "boolean exists = ", "exists", ["A.java:2 exists exact"]),
        ("A.java", "if (exists)", "exists", ["A.java:2 exists exact"]),
        ("A.java", "all.forEach", "exists", ["A.java:2 exists exact"]),
        ("a.c", "{ { int size = 2;", "size", ["a.c:1 size exact"]),
    ],
)
def test_a_call_where_the_variable_is_not_seen_means_the_function(
    repository: Repository, path: str, line: str, name: str, said: list[str]
) -> None:
    assert repository.ask(path, line, name) == said


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("src/lib.rs", "let term = || 2; term();", "term"),
        ("src/lib.rs", "fn given", "term"),
        ("src/lib.rs", "|term| term()", "term"),
        ("a.go", "    count() }", "count"),
        ("a.go", "/* given */", "count"),
        ("a.c", "int (*size)(void)) {", "size"),
    ],
)
def test_a_call_of_a_variable_means_no_function(
    repository: Repository, path: str, line: str, name: str
) -> None:
    record = repository.program.find_record(path)
    assert record is not None
    rows = map(record.get_reference, record.find_references(name))
    number = repository.find_line(path, line)
    assert not [row for row in rows if row.line == number and row.role is ReferenceRole.CALL]
