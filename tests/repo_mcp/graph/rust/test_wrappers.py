"""Rust: types that point to their type argument, types of which a configuration chooses one, and modules
with many re-exports.
"""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

MANY = 20  # modules that one re-exports
TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        use std::ops::Deref;
        use outer::Padded;
        pub struct Channel<T> { head: T }
        impl<T> Channel<T> { fn send(&self) {} }
        pub struct Position { index: u8 }
        pub struct Shared<C> { inner: *mut C }
        impl<C> Shared<C> { fn release(&self) {} }
        impl<C> Deref for Shared<C> { type Target = C; }
        pub struct Queue { at: Padded<Position>, given: Shared<Channel<u8>> }
        pub enum Flavor { Array(Shared<Channel<u8>>) }
        impl Queue {
            fn run(&self, flavor: Flavor) {
                self.given.send(); // by a field
                self.given.release(); // of its own
                drop(self.at.index); // of an external type
                self.at.index(); // a method of it
                match flavor { Flavor::Array(one) => one.send() } // by a pattern
            }
        }
        """,
    "src/lazy.rs": """
        mod imp { pub struct Lazy; impl Lazy { pub fn find_it(&self) {} } }
        mod imp { pub struct Lazy; impl Lazy { pub fn find_it(&self) {} } }
        pub struct Cache { lazy: imp::Lazy }
        impl Cache { fn run(&self) { self.lazy.find_it(); } }
        """,
    "src/many/mod.rs": "".join(f"mod m{n};\npub use self::m{n}::*;\n" for n in range(MANY)),
    **{f"src/many/m{n}.rs": f"pub struct One{n};\n" for n in range(MANY)},
    "src/user.rs": f"use crate::many::One{MANY - 1};\nfn run(one: One{MANY - 1}) {{}}\n",
}


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("// by a field", "send", ["src/lib.rs:4 send probable"]),
        ("// of its own", "release", ["src/lib.rs:7 release exact"]),
        ("// of an external type", "index", ["src/lib.rs:5 index probable"]),
        ("// a method of it", "index", ["-> outer.Padded.index"]),
        ("// by a pattern", "send", ["src/lib.rs:4 send probable"]),
    ],
)
def test_a_type_has_the_members_of_what_it_points_to(
    repository: Repository, line: str, name: str, means: list[str]
) -> None:
    assert repository.ask("src/lib.rs", line, name) == means


def test_of_types_that_a_configuration_chooses_between_no_member_is_sure(repository: Repository) -> None:
    said = repository.ask("src/lazy.rs", "self.lazy.find_it", "find_it")
    assert said
    assert not [one for one in said if one.endswith("exact")]


def test_a_module_may_give_on_many_others(repository: Repository) -> None:
    last = MANY - 1
    assert repository.ask("src/user.rs", "fn run", f"One{last}") == [f"src/many/m{last}.rs:1 One{last} exact"]
