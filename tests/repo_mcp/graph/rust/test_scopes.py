"""Rust: what modules and blocks see, imports that a cfg chooses, and what traits give types from outside."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/prelude.rs": """
        pub use http::*;
        pub use crate::deep::*;
        """,
    "src/deep.rs": """
        pub use self::frames::Frame;
        pub mod frames { pub struct Frame; }
        """,
    "src/blocks.rs": """
        use crate::deep::frames::Frame;
        impl Frame { fn size(&self) {} }
        mod tests {
            use super::*;
            fn each(frame: &Frame) {}
        }
        """,
    "src/user.rs": """
        use crate::prelude::*;
        fn take(frame: Frame) {}
        """,
    "src/lib.rs": """
        mod one { pub fn run() {} pub struct Part; impl Part { pub fn mend(&self) {} } }
        mod two { pub fn run() {} pub struct Part; impl Part { pub fn mend(&self) {} } }
        use one::run;
        #[cfg(unix)]
        use one::Part;
        #[cfg(not(unix))]
        use two::Part;
        fn weigh(at: u8) {}
        struct Text;
        impl Text { fn shout(&self) {} }
        fn blocks(at: bool) {
            {
                use two::run;
                run(); // inside
            }
            run(); // after
            if at { use two::run; run(); } // one line
            else { run(); } // other branch
        }
        fn whole() {
            run(); // above its use
            use two::run;
        }
        fn mend(part: Part) { part.mend(); }
        mod inner {
            fn call(text: Text) {
                weigh(1); // inner
                text.shout(); // outer type
            }
            mod deep {
                use super::super::*;
                fn call() { weigh(1); } // deep
            }
        }
        trait Shouts { fn shout(&self); }
        impl Shouts for str { fn shout(&self) {} }
        fn loud(name: &str) { name.shout(); }
        struct Held;
        impl Held { fn span(&self) {} }
        struct Cell { held: Held }
        impl Cell { fn span(&self) {} }
        impl std::ops::Deref for Cell {
            type Target = Held;
            fn deref(&self) -> &Held { &self.held }
        }
        fn through(cell: Cell) {
            cell.span(); // itself
            (*cell).span(); // behind it
        }
        """,
}
CASES = {
    "a use in a block": ("// inside", "run", ["src/lib.rs:2 run exact"]),
    "behind the block": ("// after", "run", ["src/lib.rs:1 run exact"]),
    "another branch": ("// other branch", "run", ["src/lib.rs:1 run exact"]),
    "a use of the whole function": ("// above its use", "run", ["src/lib.rs:2 run exact"]),
    "twins of a cfg": ("part.mend()", "mend", ["src/lib.rs:1 mend probable", "src/lib.rs:2 mend probable"]),
    "a name of the module around": ("// inner", "weigh", []),
    "what a star takes from there": ("// deep", "weigh", ["src/lib.rs:8 weigh exact"]),
    "a method that a trait gives `str`": ("name.shout()", "shout", ["src/lib.rs:36 shout probable"]),
    "a pointer's own method": ("// itself", "span", ["src/lib.rs:41 span exact"]),
    "one behind a pointer": (
        "// behind it",
        "span",
        ["src/lib.rs:41 span possible", "src/lib.rs:39 span possible"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_only_what_is_seen_is_meant(repository: Repository, case: str) -> None:
    line, name, expected = CASES[case]
    assert repository.ask("src/lib.rs", line, name) == expected


def test_stars_of_other_crates_come_after_all_of_this_one(repository: Repository) -> None:
    assert repository.ask("src/user.rs", "fn take", "Frame") == ["src/deep.rs:2 Frame exact"]


def test_a_star_passes_the_blocks_of_an_imported_type(repository: Repository) -> None:
    assert repository.ask("src/blocks.rs", "fn each", "Frame") == ["src/deep.rs:2 Frame exact"]


def test_an_import_that_names_a_type_hides_what_stars_would_give() -> None:
    kind = "pub struct Kind;\nimpl Kind { pub fn go(&self) {} }\n"
    repository = Repository.build(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": """
                pub mod one;
                pub mod two;
                pub use two::Kind;
                use one::*;
                mod inner {
                    use super::*;
                    fn walk(kind: Kind) { kind.go(); }
                }
                """,
            "src/one.rs": kind,
            "src/two.rs": kind,
        }
    )
    assert repository.ask("src/lib.rs", "fn walk", "Kind") == ["src/two.rs:1 Kind exact"]
    assert repository.ask("src/lib.rs", "fn walk", "go") == ["src/two.rs:2 go exact"]


def test_what_a_module_without_a_body_means_does_not_depend_on_who_asks_first() -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "app"\n',
        "src/lib.rs": "pub mod part;\nuse part::*;\n",
        "src/part.rs": "pub fn run() {}\n",
        "src/user.rs": "use crate::part;\n",
    }
    places = [("src/lib.rs", "use part", "*"), ("src/user.rs", "use crate", "part")]
    for order in (places, places[::-1]):
        repository = Repository.build(texts)
        assert [repository.ask(*place) for place in order] == [["src/part.rs:1 part.rs exact"]] * 2
