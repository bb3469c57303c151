"""Rust: what a range takes from a list is a list, as is what an alias or a pointer of one stands for."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/lib.rs": """
        pub struct Value { pub kind: u8 }
        impl Value {
            pub fn measure(&self) -> u32 { 0 }
            pub fn span(&self) -> u32 { 0 }
        }
        pub struct Tuple { values: Vec<Value> }
        impl std::ops::Deref for Tuple {
            type Target = [Value];
            fn deref(&self) -> &[Value] { &self.values }
        }
        type Locals = std::collections::BTreeMap<u32, Value>;
        pub struct Node<T> { inner: T }
        impl<T> Node<T> { pub fn span(&self) -> u32 { 1 } }
        impl<T> std::ops::Deref for Node<T> {
            type Target = T;
            fn deref(&self) -> &T { &self.inner }
        }
        pub struct Loop { pub iter: Value }
        pub struct Run { values: Vec<Value>, locals: Locals }
        impl Run {
            fn ranges(&self, tuple: &Tuple, at: usize) {
                self.values[1..].measure();
                self.values.get(at..).unwrap().measure();
                self.values[at].measure();
                self.values.get(at).unwrap().measure();
                tuple.measure();
                self.locals.measure();
                let part = &self.values[..at];
                part.measure();
            }
        }
        fn through(node: &Node<Loop>) { node.iter.span(); }
        """,
}


@pytest.mark.parametrize(
    "line", ["self.values[1..]", "get(at..)", "tuple.measure", "self.locals.measure", "part.measure"]
)
def test_a_list_has_no_member_of_its_items(repository: Repository, line: str) -> None:
    said = repository.ask("src/lib.rs", line, "measure")
    assert not [one for one in said if one.endswith("exact")]


@pytest.mark.parametrize("line", ["self.values[at]", "get(at).unwrap()"])
def test_an_item_has_its_own_members(repository: Repository, line: str) -> None:
    assert repository.ask("src/lib.rs", line, "measure") == ["src/lib.rs:3 measure exact"]


def test_a_field_behind_a_pointer_is_no_method_that_keeps_the_type(repository: Repository) -> None:
    assert "src/lib.rs:13 span exact" not in repository.ask("src/lib.rs", "node.iter.span", "span")
