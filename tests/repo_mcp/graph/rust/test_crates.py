"""Rust: what the tests and examples of a crate, and other crates, see of its modules and imports."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "macros/Cargo.toml": '[package]\nname = "macros"\n[lib]\nproc-macro = true\n',
    "macros/src/lib.rs": """
        mod check;
        mod kinds;
        pub mod open;
        use kinds::Kind::Extract;
        pub use kinds::Kind as Public;
        #[proc_macro_attribute]
        pub fn check(input: TokenStream) -> TokenStream { run(Extract) }
        """,
    "macros/src/check.rs": "pub fn run() {}\n",
    "macros/src/kinds.rs": "pub enum Kind { Extract }\n",
    "macros/src/open.rs": "use crate::Extract;\nuse crate::check as inner;\n",
    "macros/tests/all.rs": """
        use macros::Extract;
        use macros::Public;
        use macros::check;
        use macros::open;
        """,
    "macros/examples/one.rs": "use macros::Extract;\n",
    "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\nmacros = { path = "../macros" }\n',
    "app/src/lib.rs": "use macros::Extract;\nuse macros::check;\n",
}


@pytest.mark.parametrize("path", ["macros/tests/all.rs", "macros/examples/one.rs", "app/src/lib.rs"])
def test_an_import_that_is_not_public_is_not_seen_outside_the_crate(
    repository: Repository, path: str
) -> None:
    assert repository.ask(path, "macros::Extract", "Extract") == []
    assert repository.ask("macros/src/open.rs", "crate::Extract", "Extract") == [
        "macros/src/kinds.rs:1 Extract exact"
    ]


def test_a_public_import_is_seen_by_tests(repository: Repository) -> None:
    assert repository.ask("macros/tests/all.rs", "Public", "Public") == ["macros/src/kinds.rs:1 Kind exact"]


@pytest.mark.parametrize("path", ["macros/tests/all.rs", "app/src/lib.rs"])
def test_a_macro_is_meant_where_the_module_of_its_name_is_private(repository: Repository, path: str) -> None:
    assert repository.ask(path, "macros::check", "check") == ["macros/src/lib.rs:6 check exact"]


def test_a_module_is_seen_where_it_is_public_or_of_the_crate(repository: Repository) -> None:
    assert repository.ask("macros/tests/all.rs", "macros::open", "open") == [
        "macros/src/open.rs:1 open.rs exact"
    ]
    assert "macros/src/check.rs:1 check.rs exact" in repository.ask(
        "macros/src/open.rs", "crate::check", "check"
    )


TARGETS = {
    "Cargo.toml": """
        [package]
        name = "tool"
        [[bin]]
        bench = false
        path = "crates/main/main.rs"
        name = "run"
        [lib]
        name = "toolbox"
        path = "library/root.rs"
        [[test]]
        name = "whole"
        path = "tests/whole.rs"
        """,
    "crates/main/main.rs": """
        mod flags;
        mod search;
        pub struct Args;
        fn main() { search::run(flags::parse()); toolbox::open(); }
        """,
    "crates/main/flags/mod.rs": "pub mod low;\npub fn parse() -> crate::Args { low::read() }\n",
    "crates/main/flags/low.rs": "use crate::Args;\npub fn read() -> Args { super::super::Args }\n",
    "crates/main/search.rs": "use crate::flags::low::read;\npub fn run(args: crate::Args) { read(); }\n",
    "library/root.rs": "pub mod shapes;\npub fn open() { crate::shapes::draw(); }\npub struct Args;\n",
    "library/shapes.rs": "pub fn draw() -> super::Args { crate::Args }\n",
    "tests/whole.rs": """
        #[macro_use]
        mod common;
        use toolbox::shapes::draw;
        fn test() { common::prepare(); draw(); check!(1); }
        """,
    "tests/common/mod.rs": (
        "macro_rules! check { ($x:expr) => {} }\npub fn prepare() { deep::dig(); }\npub mod deep;\n"
    ),
    "tests/common/deep.rs": "pub fn dig() {}\n",
    "src/bin/extra.rs": "fn own() {}\nfn main() { crate::own(); toolbox::open(); }\n",
    "src/bin/more/main.rs": "mod parts;\nfn own() {}\nfn main() { parts::all(); self::own(); }\n",
    "src/bin/more/parts.rs": "pub fn all() { crate::own(); }\n",
}


@pytest.fixture(scope="module")
def targets() -> Repository:
    return Repository.build(TARGETS)


@pytest.mark.parametrize(
    ("path", "line", "name", "meant"),
    [
        ("crates/main/main.rs", "search::run", "run", "crates/main/search.rs:2 run exact"),
        ("crates/main/main.rs", "search::run", "parse", "crates/main/flags/mod.rs:2 parse exact"),
        ("crates/main/main.rs", "toolbox::open", "open", "library/root.rs:2 open exact"),
        ("crates/main/flags/mod.rs", "crate::Args", "Args", "crates/main/main.rs:3 Args exact"),
        ("crates/main/flags/mod.rs", "crate::Args", "read", "crates/main/flags/low.rs:2 read exact"),
        ("crates/main/flags/low.rs", "use crate", "Args", "crates/main/main.rs:3 Args exact"),
        ("crates/main/search.rs", "run(args", "read", "crates/main/flags/low.rs:2 read exact"),
        ("library/root.rs", "draw()", "draw", "library/shapes.rs:1 draw exact"),
        ("library/shapes.rs", "draw", "Args", "library/root.rs:3 Args exact"),
        ("tests/whole.rs", "prepare", "prepare", "tests/common/mod.rs:2 prepare exact"),
        ("tests/whole.rs", "prepare", "draw", "library/shapes.rs:1 draw exact"),
        ("tests/whole.rs", "prepare", "check", "tests/common/mod.rs:1 check exact"),
        ("tests/common/mod.rs", "dig", "dig", "tests/common/deep.rs:1 dig exact"),
        ("src/bin/extra.rs", "crate::own", "own", "src/bin/extra.rs:1 own exact"),
        ("src/bin/extra.rs", "crate::own", "open", "library/root.rs:2 open exact"),
        ("src/bin/more/main.rs", "parts::all", "all", "src/bin/more/parts.rs:1 all exact"),
        ("src/bin/more/main.rs", "parts::all", "own", "src/bin/more/main.rs:2 own exact"),
        ("src/bin/more/parts.rs", "crate::own", "own", "src/bin/more/main.rs:2 own exact"),
    ],
)
def test_each_target_of_a_package_has_its_own_root(
    targets: Repository, path: str, line: str, name: str, meant: str
) -> None:
    assert set(targets.ask(path, line, name)) == {meant}


WORKSPACE = {
    "Cargo.toml": """
        [workspace]
        members = ["base", "views", "app", "examples/*"]
        [package]
        name = "kit"
        [dependencies]
        kit_views.workspace = true
        kit_base = { workspace = true }
        [workspace.dependencies]
        kit = { version = "0.1", path = "." }
        kit_base = { version = "0.1", path = "base" }
        kit_views = { version = "0.1", path = "views" }
        kit_apart = "0.1"
        [patch.crates-io]
        kit_patched = { path = "patched" }
        """,
    "src/lib.rs": """
        use kit_views::core;
        pub mod parts;
        pub fn exit() {}
        """,
    "src/parts.rs": "pub mod widget { pub use crate::core::tree::*; }\npub use crate::core::tree::hidden;\n",
    "base/Cargo.toml": '[package]\nname = "kit_base"\n',
    "base/src/lib.rs": "pub mod tree;\npub fn draw() {}\n",
    "base/src/tree.rs": """
        use crate::draw as painted;
        pub struct Tree;
        impl Tree { pub fn grow(&self) {} }
        """,
    "patched/Cargo.toml": '[package]\nname = "kit_patched"\n',
    "patched/src/lib.rs": "pub fn mend() {}\n",
    "views/Cargo.toml": """
        [package]
        name = "kit_views"
        [dependencies]
        kit_base.workspace = true
        kit_patched = "0.1"
        kit_apart.workspace = true
        """,
    "views/src/lib.rs": """
        pub use kit_base as core;
        use core::tree::Tree;
        mod list;
        fn all(tree: &Tree) { tree.grow(); kit_patched::mend(); kit_apart::other(); }
        """,
    "views/src/list.rs": "use crate::core::draw;\nfn list() { draw(); core::mem::swap(); }\n",
    "examples/one/Cargo.toml": '[package]\nname = "one"\n[dependencies]\nkit.workspace = true\n',
    "examples/one/src/main.rs": """
        use kit::parts::widget::{Tree, painted};
        fn main(tree: Tree) { kit::exit(); tree.grow(); painted(); kit::core::draw(); }
        """,
}


@pytest.fixture(scope="module")
def workspace() -> Repository:
    return Repository.build(WORKSPACE)


@pytest.mark.parametrize(
    ("path", "line", "name", "meant"),
    [
        ("views/src/lib.rs", "fn all", "grow", "base/src/tree.rs:3 grow exact"),
        ("views/src/lib.rs", "fn all", "mend", "patched/src/lib.rs:1 mend exact"),
        ("views/src/lib.rs", "fn all", "other", "-> kit_apart.other"),
        ("views/src/list.rs", "fn list", "draw", "base/src/lib.rs:2 draw exact"),
        ("views/src/list.rs", "fn list", "swap", "-> core.mem.swap"),
        ("examples/one/src/main.rs", "fn main", "exit", "src/lib.rs:3 exit exact"),
        ("examples/one/src/main.rs", "fn main", "grow", "base/src/tree.rs:3 grow exact"),
        ("examples/one/src/main.rs", "fn main", "draw", None),
    ],
)
def test_a_dependency_is_found_by_the_manifest_of_the_workspace(
    workspace: Repository, path: str, line: str, name: str, meant: str | None
) -> None:
    assert workspace.ask(path, line, name) == ([] if meant is None else [meant])


def test_what_a_crate_imports_for_itself_counts_where_it_exports_members_of_it(workspace: Repository) -> None:
    said = workspace.ask("examples/one/src/main.rs", "fn main", "Tree")
    assert said == ["base/src/tree.rs:2 Tree exact"]
    assert workspace.ask("examples/one/src/main.rs", "fn main", "painted") == []  # not of the module itself
