"""Rust: the files that can name a symbol, and the calls that cannot mean a method."""

from __future__ import annotations

import pytest

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.vocabulary import CALLS
from tests.repo_mcp.graph.memory_index import MemoryIndex
from tests.repo_mcp.graph.resolved import Repository

USES = "fn run(one: u8) { let it = make(one); it.close(1); it.close(); it.made(1); it.shut_all(); }\n"
TEXTS = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
pub struct Open;
impl Open {
    pub fn made(n: u8) -> Open { Open }
    pub fn close(&self) {}
}
pub(crate) struct Closed;
impl Closed {
    pub fn close(&self, n: u8) {}
}
pub trait Shutting { fn shut_all(&self); }
impl Shutting for Closed { fn shut_all(&self) {} }
type Short = Open;
""",
    "src/named.rs": "use crate::Open as Other;\nfn run() { Other::made(1); }\n",
    "src/short.rs": "use crate::Short;\nfn run() { Short::made(1); }\n",
    "src/near.rs": USES,
    "src/other.rs": "fn run() { Vec::made(1); Rest::<u8>::close(2, 3); }\n",
    **{f"tests/t{n}.rs": USES for n in range(5)},
}
PATHS = sorted(path for path in TEXTS if path.endswith(".rs"))


@pytest.fixture(scope="module")
def index() -> MemoryIndex:
    return MemoryIndex(TEXTS)


def find(index: MemoryIndex, name: str, owner: str) -> Declaration:
    record = index.find_record("src/lib.rs")
    assert record is not None
    found = [one for one in record.find_symbols(name) if record.get_name(record.get_parent(one)) == owner]
    return Declaration("src/lib.rs", found[-1])


@pytest.mark.parametrize(
    ("name", "owner", "files"),
    [
        ("made", "Open", ["src/lib.rs", "src/named.rs", "src/short.rs"]),
        ("close", "Open", PATHS),
        ("close", "Closed", [path for path in PATHS if path.startswith("src/")]),
        ("shut_all", "Closed", PATHS),
        ("shut_all", "Shutting", PATHS),
    ],
)
def test_a_symbol_is_named_where_it_is_seen(
    index: MemoryIndex, name: str, owner: str, files: list[str]
) -> None:
    finder = EdgeFinder(index, Resolvers(index, RESOLVERS))
    assert list(finder.narrow(find(index, name, owner), PATHS)) == files


@pytest.mark.parametrize(
    ("name", "owner", "count"), [("close", "Closed", 1), ("made", "Open", 0), ("close", "Open", 6)]
)
def test_a_call_with_other_arguments_or_of_another_type_may_not_mean_a_method(
    index: MemoryIndex, name: str, owner: str, count: int
) -> None:
    finder = EdgeFinder(index, Resolvers(index, RESOLVERS))
    edges = finder.find_incoming(find(index, name, owner), frozenset(CALLS))
    assert sum(one.count for one in edges.unresolved) == count


@pytest.mark.parametrize(
    ("path", "call", "meant"),
    [
        ("src/guess.rs", "given.fold_up(1);", ["src/kept.rs:1"]),
        ("src/guess.rs", "given.fold_up(1, 2);", []),
        ("tests/guess.rs", "given.fold_up(1);", []),
        ("tests/guess.rs", "given.fold_out();", ["src/kept.rs:3"]),
    ],
)
def test_only_what_is_seen_and_takes_the_arguments_is_guessed(path: str, call: str, meant: list[str]) -> None:
    kept = """
        impl Kept { pub fn fold_up(&self, n: u8) {} }
        pub(crate) struct Kept;
        impl super::Folding for Kept { fn fold_out(&self) {} }
        """
    user = f"fn run() {{\n    let given = make();\n    {call}\n}}\n"
    found = Repository.build({"Cargo.toml": TEXTS["Cargo.toml"], "src/kept.rs": kept, path: user})
    said = found.ask(path, call, call.split(".")[1].split("(", maxsplit=1)[0])
    assert [one.split(" ")[0] for one in said] == meant
