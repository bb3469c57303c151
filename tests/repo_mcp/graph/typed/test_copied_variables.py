"""A variable whose only use is to be copied, or to be looped over, has a type as well."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Cargo.toml": '[package]\nname="stores"\n',
    "src/lib.rs": """
        pub struct Store { size: i32 }
        impl Store { fn run(&self) {} }
        struct Other;
        impl Other { fn run(&self) {} }
        fn copies() {
            let made = Store { size: 1 };
            let copied = made;
            copied.run();
        }
        fn loops() {
            let stores: Vec<Store> = read();
            for store in stores {
                store.run();
            }
        }
        fn yields(stores: impl Iterator<Item = &Store>, other: Outside) {
            for yielded in stores {
                yielded.run();
            }
            for unknown in other.list() {
                unknown.only_of_other();
            }
        }
        impl Other { fn only_of_other(&self) {} }
        """,
    "Store.java": """
        class Store { void run() {} }
        class Other { void run() {} }
        class User {
            void loops() {
                List<Store> stores = read();
                for (var store : stores) store.run();
            }
        }
        """,
    "store.cpp": """
        struct Store { void run() {} };
        struct Other { void run() {} };
        void loops() {
            std::vector<Store> stores = read();
            for (auto& store : stores)
                store.run();
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("src/lib.rs", "copied.run", ["src/lib.rs:2 run exact"]),
        ("src/lib.rs", "store.run", ["src/lib.rs:2 run probable"]),
        ("src/lib.rs", "yielded.run", ["src/lib.rs:2 run probable"]),
        ("Store.java", "store.run()", ["Store.java:1 run exact"]),
        ("store.cpp", "store.run", ["store.cpp:1 run exact"]),
    ],
)
def test_the_type_is_known(path: str, line: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask(path, line, "run") == said


def test_what_a_value_of_another_package_holds_may_be_of_any_type() -> None:
    found = Repository.build(TEXTS).ask("src/lib.rs", "unknown.only_of_other", "only_of_other")
    assert found == ["src/lib.rs:24 only_of_other probable"]
