"""Rust: types that a build chooses, methods of `Result`, and methods that one trait promises."""

from __future__ import annotations

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": "mod endian;\nmod table;\n",
    "src/endian.rs": """
        mod aligned {
            pub struct Size(u32);
            impl Size { pub fn made(n: u32) -> Self { Size(n) } }
        }
        #[cfg(not(feature = "unaligned"))]
        pub use aligned::*;
        pub struct Bytes([u8; 4]);
        impl Bytes { pub fn made(n: u32) -> Self { Bytes([0; 4]) } }
        #[cfg(feature = "unaligned")]
        pub type Size = Bytes;
        pub type Short = Bytes;
        """,
    "src/table.rs": """
        use crate::endian::{Short, Size};
        pub struct Table;
        impl Table {
            pub fn parse() -> Result<Self, ()> { Ok(Table) }
            pub fn map(&self) -> u32 { 0 }
            pub fn rows(&self) -> u32 { 0 }
        }
        pub trait ReadError<T> { fn read_error(self, text: &str) -> T; }
        impl<T> ReadError<T> for Result<T, ()> { fn read_error(self, text: &str) -> T { todo!() } }
        impl<T> ReadError<T> for Option<T> { fn read_error(self, text: &str) -> T { todo!() } }
        fn run(given: impl Fn() -> u8) {
            Size::made(1);
            Short::made(2);
            Table::parse().map(Some);
            Table::parse().rows();
            given().checked_add(1).read_error("none");
        }
        """,
}


def test_each_type_that_a_build_may_choose_is_probable(repository: Repository) -> None:
    said = repository.ask("src/table.rs", "Size::made", "made")
    assert sorted(said) == ["src/endian.rs:3 made probable", "src/endian.rs:8 made probable"]


def test_an_alias_that_is_no_choice_stays_sure(repository: Repository) -> None:
    assert repository.ask("src/table.rs", "Short::made", "made") == ["src/endian.rs:8 made exact"]


def test_a_result_has_methods_of_its_own(repository: Repository) -> None:
    assert repository.ask("src/table.rs", "map(Some)", "map") == ["src/table.rs:5 map probable"]
    assert repository.ask("src/table.rs", "parse().rows", "rows") == ["src/table.rs:6 rows exact"]


def test_what_one_trait_promises_is_probable_on_any_value(repository: Repository) -> None:
    said = repository.ask("src/table.rs", 'read_error("none")', "read_error")
    assert [one for one in said if one.endswith("probable")] == ["src/table.rs:8 read_error probable"]


def test_what_is_called_or_unpacked_is_no_enum_of_the_name() -> None:
    found = Repository.build(
        {
            "src/lib.rs": """
                pub enum Err { Error(u8) }
                pub struct Held(u8);
                fn make() -> Result<u8, Err> { Err(Err::Error(1)) }
                fn take(given: Result<u8, Err>) {
                    if let Err(one) = given {}
                    let Held(two) = Held(1);
                }
            """,
        }
    )
    enum = "src/lib.rs:1 Err exact"
    assert found.ask("src/lib.rs", "Err(Err::Error(1))", "Err", ReferenceRole.CALL) == []
    assert enum in found.ask("src/lib.rs", "Err(Err::Error(1))", "Err", ReferenceRole.TYPE)
    assert found.ask("src/lib.rs", "if let Err", "Err") == []
    assert found.ask("src/lib.rs", "let Held", "Held") == ["src/lib.rs:2 Held exact"]


def test_what_a_module_declares_and_imports_by_one_name_is_a_choice_of_the_build() -> None:
    found = Repository.build(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": "mod stub;\nmod pool;\nmod user;\nmod runtime;\nmod wide;\n",
            "src/runtime.rs": "pub use crate::pool::launch;\npub use crate::stub::park;\n",
            "src/pool.rs": "pub fn launch() {}\n",
            "src/stub.rs": """
                cfg_rt! {
                    pub use crate::runtime::{launch, park};
                }
                cfg_not_rt! {
                    pub fn launch() { panic!() }
                    pub fn park() {}
                }
                """,
            "src/wide.rs": "pub use crate::pool::*;\npub fn launch() {}\n",
            "src/user.rs": """
                use crate::stub::{launch, park};
                fn run() {
                    launch(); // either
                    park(); // a cycle
                    crate::wide::launch(); // hides the other
                }
                """,
        }
    )
    either = ["src/pool.rs:1 launch probable", "src/stub.rs:5 launch probable"]
    assert sorted(found.ask("src/user.rs", "// either", "launch")) == either
    assert found.ask("src/user.rs", "// a cycle", "park") == ["src/stub.rs:6 park exact"]
    assert found.ask("src/user.rs", "// hides the other", "launch") == ["src/wide.rs:2 launch exact"]
