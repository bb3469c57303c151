"""Paths of Rust: by the modules of files, and through what a module gives on."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import SymbolFilter

CLOCK = "pub struct Clock;\nimpl Clock { pub fn now() -> u8 { 0 } }\n"
TEXTS = {
    "app/Cargo.toml": '[package]\nname = "app"\n',
    "app/src/lib.rs": "pub mod time;\npub mod sync;\npub use sync::one::{launch, Gate};\n",
    "app/src/time/mod.rs": "mod clock;\npub use clock::Clock;\n",
    "app/src/time/clock.rs": CLOCK,
    "app/src/sync/mod.rs": "pub mod one;\npub mod clock;\npub use one::Gate as Door;\n",
    "app/src/sync/clock.rs": CLOCK,
    "app/src/sync/one.rs": "pub struct Gate;\nimpl Gate { pub fn close(&self) {} }\npub fn launch() {}\n",
    "app/src/sync/two.rs": "pub struct Gate;\nimpl Gate { pub fn close(&self) {} }\npub fn launch() {}\n",
}


@pytest.mark.parametrize(
    ("path", "means"),
    [
        ("app::time::Clock", "app/src/time/clock.rs:1"),
        ("app::sync::clock::Clock::now", "app/src/sync/clock.rs:2"),
        ("app::time::Clock::now", "app/src/time/clock.rs:2"),
        ("app::launch", "app/src/sync/one.rs:3"),
        ("crate::sync::Door", "app/src/sync/one.rs:1"),
        ("app::sync::Door::close", "app/src/sync/one.rs:2"),
        ("app::Gate::close", "app/src/sync/one.rs:2"),
    ],
)
def test_a_path_is_read_by_modules_and_through_re_exports(graph: Graph, path: str, means: str) -> None:
    chosen = graph.choose(path)
    assert f"{chosen.path}:{chosen.symbol.start_line}" == means
    assert [one.node_id for one in graph.look_up(path, SymbolFilter())[0]] == [chosen.node_id]


def test_a_path_that_no_module_has_means_nothing(graph: Graph) -> None:
    assert graph.look_up("app::sync::Missing", SymbolFilter())[0] == []
