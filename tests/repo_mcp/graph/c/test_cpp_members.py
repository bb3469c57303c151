"""C++: members behind macros, values of enums in classes, macros in namespaces, bodies that a macro heads."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

HEADER = """
#define CHECK_OK(one) check(one)
namespace store {
namespace inner {
#define CHECK_SAME(one, other) check(one == other)
}
class Table {
 public:
  enum Direction { kForward, kReverse };
  static int Open(int mode);
  void Lock() ACQUIRE_LOCK(mutex_) { mutex_.Take(); }
  void Seek(int key) const EXCLUSIVE_LOCKS(mutex_);
 private:
  Mutex mutex_;
  Memory* memory_ GUARDED_BY(mutex_);
  int size_ GUARDED_BY(mutex_) = 0;
  Direction direction_;
};
}
"""
SOURCE = """
#include "table.h"
namespace store {
void Table::Seek(int key) const {
  direction_ = kForward;
  memory_ = nullptr;
  size_ += 1;
  CHECK_SAME(key, 1);
}
int start() { return Table::Open(1); }
int Count() { return 0; }
class Fixture {
 public:
  int Count() { return count_; }
  int count_;
};
TEST_F(Fixture, Counts) {
  int count = Count();
  count_ = 2;
}
TEST(Loose, Other) {
  int other = Count();
}
}
"""


@pytest.fixture(scope="module")
def table() -> Repository:
    return Repository.build({"table.h": HEADER, "table.cc": SOURCE})


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("direction_ = kForward", "kForward", "table.h:8 kForward exact"),  # a member of the class
        ("memory_ = nullptr", "memory_", "table.h:14 memory_ exact"),  # behind it stands a macro
        ("size_ += 1", "size_", "table.h:15 size_ exact"),
        ("CHECK_SAME(key", "CHECK_SAME", "table.h:4 CHECK_SAME exact"),  # a macro is in no namespace
        ("int count = Count()", "Count", "table.cc:13 Count exact"),  # the member of the fixture
        ("count_ = 2", "count_", "table.cc:14 count_ exact"),
        ("int other = Count()", "Count", "table.cc:10 Count exact"),  # of no class
    ],
)
def test_a_name_in_a_member_means_what_the_class_has(
    table: Repository, line: str, name: str, means: str
) -> None:
    assert table.ask("table.cc", line, name) == [means]


def test_a_class_before_two_colons_is_used(table: Repository) -> None:
    assert table.ask("table.cc", "Table::Open(1)", "Table") == ["table.h:6 Table exact"]


def test_what_stands_behind_a_head_is_no_function(table: Repository) -> None:
    record = table.program.find_record("table.h")
    assert record is not None
    names = {record.strings[number] for number in record.names.tolist()}
    assert names.isdisjoint({"ACQUIRE_LOCK", "EXCLUSIVE_LOCKS", "GUARDED_BY"})
    assert {"Lock", "Seek", "memory_", "size_"} <= names


def test_a_body_that_a_macro_heads_belongs_to_the_class_that_it_is_given(table: Repository) -> None:
    assert table.ask("table.cc", "TEST_F(Fixture", "Fixture", ReferenceRole.TYPE) == [
        "table.cc:11 Fixture exact"
    ]
    record = table.program.find_record("table.cc")
    assert record is not None
    (ordinal,) = record.find_symbols("Counts")
    symbol = record.get_symbol(ordinal)
    assert (symbol.start_line, symbol.end_line) == (16, 19)
    assert record.get_symbol(symbol.parent).name == "Fixture"


def test_a_class_with_a_macro_behind_its_name_has_its_base_and_its_members() -> None:
    found = Repository.build(
        {
            "store.hpp": """
                class Base { public: virtual void close() = 0; };
                class Store ANY_FINAL : public Base {
                 public:
                  void close() ANY_OVERRIDE;
                  int size() const ANY_NOEXCEPT { return count; }
                 private:
                  int count;
                };
                """,
            "use.cpp": """
                #include "store.hpp"
                void run(Store *store) { store->close(); }
                """,
        }
    )
    assert found.ask("store.hpp", "class Store", "Base") == ["store.hpp:1 Base exact"]
    assert found.ask("store.hpp", "return count", "count") == ["store.hpp:7 count exact"]
    assert found.ask("use.cpp", "void run", "close") == ["store.hpp:4 close exact"]
