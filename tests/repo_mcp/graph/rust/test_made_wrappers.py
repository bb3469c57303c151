"""Rust: variables that hold what `Arc::new` and the like were given, and what functions outside return."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        pub struct Gate;
        impl Gate {
            pub fn new(n: u8) -> Gate { Gate }
            pub fn close(&self) {}
            pub fn unlatch(&self) {}
            pub fn clone(&self) -> Gate { Gate }
        }
        pub struct Door { pub width: u8 }
        impl Door { pub fn knock(&self) {} }
        """,
    "src/user.rs": """
        use std::pin::Pin;
        use std::rc::Rc;
        use std::sync::{Arc, Mutex};
        use crate::{Door, Gate};
        fn run() {
            let one = Arc::new(Gate::new(1));
            one.close(); // in an Arc
            one.clone().close(); // of a clone
            let other = Arc::clone(&one);
            other.unlatch(); // of another clone
            let both = std::sync::Arc::new(Mutex::new(Gate::new(2)));
            both.lock().unwrap().unlatch(); // in a lock
            both.unlatch(); // not of the lock
            let door = Rc::new(Door { width: 1 });
            door.knock(); // of a literal
            let boxed = Box::pin(one.clone());
            boxed.close(); // of a pinned one
            one.clone(); // of the pointer or the gate
        }
        fn shadow(gate: Gate) {
            let gate = Arc::new(gate);
            gate.close(); // of the same name
        }
        fn outside() {
            Arc::new(|| 1).unlatch(); // of anything
            std::mem::take(1).unlatch(); // of what is returned
            std::fs::File::open("a").unwrap().sync_all(); // syncing a file
            std::fs::File::open("a").unwrap().unlatch(); // unlatching a file
            std::mem::take(1).elsewhere(); // declared nowhere
        }
        """,
    "own/Cargo.toml": '[package]\nname = "own"\n',
    "own/src/lib.rs": """
        pub struct Arc<T> { held: T }
        impl<T> Arc<T> { pub fn new(held: T) -> Self { Arc { held } } pub fn pinch(&self) {} }
        pub struct Leaf;
        fn run() {
            let own = Arc::new(Leaf);
            own.pinch();
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("// in an Arc", "close", ["src/lib.rs:4 close exact"]),
        ("// of a clone", "close", ["src/lib.rs:4 close exact"]),
        ("// of another clone", "unlatch", ["src/lib.rs:5 unlatch exact"]),
        ("// in a lock", "unlatch", ["src/lib.rs:5 unlatch exact"]),
        ("// not of the lock", "unlatch", ["-> Mutex.unlatch"]),
        ("// of a literal", "knock", ["src/lib.rs:9 knock exact"]),
        ("// of a pinned one", "close", ["src/lib.rs:4 close exact"]),
        ("// of the pointer or the gate", "clone", ["src/lib.rs:6 clone probable"]),
        ("// of the same name", "close", ["src/lib.rs:4 close exact"]),
    ],
)
def test_a_wrapper_has_the_members_of_what_it_was_given(
    repository: Repository, line: str, name: str, means: list[str]
) -> None:
    assert repository.ask("src/user.rs", line, name) == means


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("// of anything", "unlatch", []),
        ("// of what is returned", "unlatch", []),
        ("// syncing a file", "sync_all", ["-> std.fs.File.sync_all"]),
        ("// unlatching a file", "unlatch", ["-> std.fs.File.unlatch"]),
        ("// declared nowhere", "elsewhere", ["-> std.mem.take().elsewhere"]),
    ],
)
def test_what_a_function_outside_returns_may_have_members_declared_here(
    repository: Repository, line: str, name: str, means: list[str]
) -> None:
    assert repository.ask("src/user.rs", line, name) == means


def test_a_type_that_is_declared_here_is_not_external_because_it_was_not_found() -> None:
    found = Repository.build(
        {
            "src/lib.rs": """
                mod deep { pub struct Queue; }
                impl deep::Queue { pub fn refill(&self) {} pub fn pop(&self) {} }
                """,
            "src/user.rs": """
                fn run(one: &Queue, text: &Missing) {
                    one.refill();
                    one.pop();
                    text.pop();
                }
                """,
        }
    )
    assert found.ask("src/user.rs", "one.refill", "refill") == ["src/lib.rs:2 refill probable"]
    assert found.ask("src/user.rs", "one.pop", "pop") == []
    assert found.ask("src/user.rs", "text.pop", "pop") == ["-> Missing.pop"]


def test_a_wrapper_of_the_repository_has_its_own_members(repository: Repository) -> None:
    assert repository.ask("own/src/lib.rs", "own.pinch", "pinch") == ["own/src/lib.rs:2 pinch exact"]
