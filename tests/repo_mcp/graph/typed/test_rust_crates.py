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


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository.build(TEXTS)


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
