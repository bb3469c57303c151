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
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("src/dates.rs", "fn two", "date", ["src/stamp.rs:2 date exact", "-> outside.prelude.Unknown.date"]),
        ("src/dates.rs", "check($at)", "check", ["src/dates.rs:2 check exact"]),
        ("src/dates.rs", "as checking", "check", ["src/dates.rs:2 check exact"]),
        ("src/dates.rs", "    use super::*", "*", []),
        ("src/lib.rs", "Option<test", "Kind", ["src/lib.rs:6 Kind exact"]),
    ],
)
def test_what_a_name_means(path: str, line: str, name: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask(path, line, name) == said
