"""Rust: stars of other crates, modules named as crates of the compiler, and comments in macros."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname="stamps"\n',
    "src/lib.rs": """
        mod made;
        pub use made::*;
        mod dates;
        mod stamp;
        pub struct Holder { one: ::core::option::Option<test::Kind> }
        pub mod test { pub enum Kind { A } }
        """,
    "src/made.rs": "pub struct Stamp { pub at: i32 }",
    "src/stamp.rs": """
        use super::*;
        impl Stamp { pub fn date(at: i32) -> Stamp { Stamp { at } } }
        """,
    "src/dates.rs": """
        use crate::Stamp;
        fn check(at: i32) {}
        macro_rules! checked {
            ($at:expr) => {
                // Packed.
                check($at);
                value.
                    dated();
            };
        }
        mod tests {
            use super::*;
            use outside::prelude::*;
            use super::check as checking;
            fn two() { Stamp::date(2); Stamp::arbitrary(3); Unknown::date(4); }
            fn three() {
                struct Own;
                Own::shown(5);
            }
        }
        pub trait Shown { fn shown(at: i32) {} }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("src/dates.rs", "fn two", "date", ["src/stamp.rs:2 date exact", "-> outside.prelude.Unknown.date"]),
        ("src/dates.rs", "Own::shown", "shown", []),
        ("src/dates.rs", "check($at)", "check", ["src/dates.rs:2 check exact"]),
        ("src/dates.rs", "as checking", "check", ["src/dates.rs:2 check exact"]),
        ("src/dates.rs", "    use super::*", "*", []),
        ("src/lib.rs", "Option<test", "Kind", ["src/lib.rs:6 Kind exact"]),
    ],
)
def test_what_a_name_means(path: str, line: str, name: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask(path, line, name) == said


BESIDE = {
    "Cargo.toml": '[package]\nname = "app"\n[dependencies]\nparts = { path = "parts" }\nfutures = "1"\n',
    "src/lib.rs": """
        use futures::prelude::*;
        static HUB: LazyLock<Hub> = LazyLock::new(Hub::default);
        struct Hub;
        impl Hub { fn join(&self) {} }
        fn run() { HUB.join(); parts::draw(); parts::Part::new().paint(); Unseen::new(); }
        """,
    "parts/Cargo.toml": '[package]\nname = "parts"\n',
    "parts/src/lib.rs": "mod part;\npub struct Part;\npub fn draw() {}\n",
    "parts/src/part.rs": (
        "use crate::Part;\nimpl Part { pub fn new() -> Part { Part } pub fn paint(&self) {} }\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("join", ["src/lib.rs:4 join exact"]),
        ("draw", ["parts/src/lib.rs:3 draw exact"]),
        ("paint", ["parts/src/part.rs:2 paint exact"]),
        ("new", ["parts/src/part.rs:2 new exact", "-> futures.prelude.Unseen.new"]),
    ],
)
def test_a_star_of_another_repository_hides_no_crate_and_nothing_declared(name: str, said: list[str]) -> None:
    assert Repository.build(BESIDE).ask("src/lib.rs", "fn run", name) == said
