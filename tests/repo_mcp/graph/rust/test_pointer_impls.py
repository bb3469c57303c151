"""Rust: `self` in an `impl` for a pointer, and names of what such blocks are for."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        use std::sync::Arc;
        pub trait Run { fn start(&self); fn halt(&self) { self.start() } }
        pub struct Motor { speed: u8 }
        impl Motor {
            fn turn(&self) {}
            fn start(&self) {}
            fn clone(&self) {}
            fn make(me: &Arc<Self>) {
                me.turn(); // by a pointer to Self
                me.halt(); // of a trait for the pointer
            }
        }
        impl Run for Arc<Motor> {
            fn start(&self) {
                self.turn(); // behind the pointer
                self.start(); // of the block
                self.halt(); // of the trait
                self.clone(); // of either
                drop(self.speed); // a field
            }
        }
        impl<T: Run> Run for Box<T> {
            fn start(&self) { (**self).start() }
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("// by a pointer to Self", "turn", ["src/lib.rs:5 turn exact"]),
        ("// of a trait for the pointer", "halt", ["src/lib.rs:2 halt exact"]),
        ("// behind the pointer", "turn", ["src/lib.rs:5 turn exact"]),
        ("// of the block", "start", ["src/lib.rs:14 start exact"]),
        ("// of the trait", "halt", ["src/lib.rs:2 halt exact"]),
        ("// of either", "clone", ["src/lib.rs:7 clone probable"]),
        ("// a field", "speed", ["src/lib.rs:3 speed exact"]),
    ],
)
def test_self_in_an_impl_for_a_pointer_has_the_members_of_the_trait_and_of_the_pointee(
    repository: Repository, line: str, name: str, means: list[str]
) -> None:
    assert repository.ask("src/lib.rs", line, name) == means
