"""Rust: which macro a call means, and that no function is meant by it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "core/Cargo.toml": '[package]\nname = "core_lib"\n',
    "core/src/lib.rs": """
        #[macro_use]
        mod macros;
        mod early {
            fn run() { twice!(1); }
        }
        macro_rules! twice { ($x:expr) => { $x + $x } }
        mod inner {
            fn run() {
                twice!(2);
                macro_rules! twice { ($x:expr) => { 2 * $x } }
                twice!(3);
            }
        }
        mod closed {
            macro_rules! hidden { () => {} }
        }
        fn hidden() {}
        fn start() { hidden!(); }
        mod user;
        #[cfg(a)]
        macro_rules! either { () => { 1 } }
        #[cfg(not(a))]
        macro_rules! either { () => { 2 } }
        fn choose() { either!(); }
        """,
    "core/src/macros.rs": """
        macro_rules! ok { ($x:expr) => { match $x { Ok(v) => v, Err(e) => return Err(e) } } }
        #[macro_export]
        macro_rules! shown { () => {} }
        pub(crate) use ok as fine;
        """,
    "core/src/user.rs": """
        use crate::macros::fine;
        pub fn format(text: &str) -> String { format!("{}", text) }
        fn ok() {}
        fn run() {
            ok!(call());
            Some(ok!(one(shown!{})));
            fine!(call());
            crate::shown!();
            vec![1];
            ok();
        }
        """,
    "made/Cargo.toml": '[package]\nname = "made"\n[lib]\nproc-macro = true\n',
    "made/src/lib.rs": "#[proc_macro]\npub fn build(input: TokenStream) -> TokenStream { input }\n",
    "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\ncore_lib = { path = "../core" }\n'
    'made = { path = "../made" }\n',
    "app/src/main.rs": """
        use core_lib::shown;
        use made::build;
        fn main() {
            shown!();
            build!(x);
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "meant"),
    [
        ("core/src/user.rs", "ok!(call", "ok", ["core/src/macros.rs:1 ok exact"]),
        ("core/src/user.rs", "Some(ok!", "ok", ["core/src/macros.rs:1 ok exact"]),
        ("core/src/user.rs", "Some(ok!", "shown", ["core/src/macros.rs:2 shown exact"]),
        ("core/src/user.rs", "fine!(call", "fine", ["core/src/macros.rs:1 ok exact"]),
        ("core/src/user.rs", "crate::shown", "shown", ["core/src/macros.rs:2 shown exact"]),
        ("core/src/user.rs", "            ok();".strip(), "ok", ["core/src/user.rs:3 ok exact"]),
        ("core/src/user.rs", 'format!("{}"', "format", []),
        ("core/src/lib.rs", "twice!(2)", "twice", ["core/src/lib.rs:6 twice exact"]),
        ("core/src/lib.rs", "twice!(3)", "twice", ["core/src/lib.rs:10 twice exact"]),
        ("core/src/lib.rs", "fn start()", "hidden", ["core/src/lib.rs:15 hidden possible"]),
        ("core/src/lib.rs", "fn choose()", "either", [
            "core/src/lib.rs:20 either probable", "core/src/lib.rs:22 either probable",
        ]),
        ("app/src/main.rs", "    shown!", "shown", ["core/src/macros.rs:2 shown exact"]),
        ("app/src/main.rs", "build!", "build", ["made/src/lib.rs:1 build exact"]),
    ],
)  # fmt: skip
def test_a_macro_call_means_what_its_scope_or_path_leads_to(
    repository: Repository, path: str, line: str, name: str, meant: list[str]
) -> None:
    said = [one for one in repository.ask(path, line, name) if not one.startswith("->")]
    assert said == meant


def test_an_import_names_an_exported_macro_of_another_crate(repository: Repository) -> None:
    assert repository.ask("app/src/main.rs", "use core_lib::shown", "shown") == [
        "core/src/macros.rs:2 shown exact"
    ]


def test_a_macro_is_not_seen_before_its_definition(repository: Repository) -> None:
    assert "core/src/lib.rs:6 twice exact" not in repository.ask("core/src/lib.rs", "twice!(1)", "twice")


def test_what_a_macro_is_given_is_no_name_around_it() -> None:
    found = Repository.build(
        {
            "src/lib.rs": """
                pub struct T;
                impl T { pub fn make() {} }
                pub fn to_string(v: u8) {}
                macro_rules! all {
                    ($($n:expr)*) => {
                        $(
                            let said = $n.to_string();
                            let told = to_string($n);
                        )*
                    };
                }
                macro_rules! of { ($T:ty) => { $T::make() } }
            """,
        }
    )
    assert found.ask("src/lib.rs", "let said", "to_string") == []
    assert found.ask("src/lib.rs", "let told", "to_string") == ["src/lib.rs:3 to_string exact"]
    assert found.ask("src/lib.rs", "$T::make", "make") == ["src/lib.rs:2 make probable"]
