"""C++: tests in fixtures of other files, macros among members, and what tells overloads apart."""

from __future__ import annotations

import pytest

from repo_mcp.errors import RepoError
from tests.repo_mcp.graph.memory_index import make_graph
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "base.h": """
#define ERROR_DEF(parent, name) name(int code) : parent(code) {}
namespace lib {
class Error {};
class Lost : public Error {
  ERROR_DEF(Error, Lost)
  ERROR_DEF(Lost, Error)
  static Lost Make() { return Lost(1); }
};
class Found : public Error {
 public:
  ERROR_DEF(Error, Found)
};
class App {
 public:
  int Add(const char* name = "", int size = 0);
  int Add(App* other);
  int Count() const;
};
class Group : public App {
 public:
  using App::Add;
  int Add(Error* one);
};
}
struct Fixture {
  lib::App app;
  int count_;
};
""",
    "base.cc": """
#include "base.h"
namespace lib {
int App::Add(const char* name, int size) { return size; }
int App::Add(App* other) { return 1; }
int Group::Add(Error* one) { return 2; }
}
""",
    "use.cc": """
#include "base.h"
TEST_CASE("first") {
  lib::App app;
  app.Count();
}
TEST_CASE_METHOD(Fixture, "counts, twice", "[tag]") {
  count_ = 1;
  CHECK(app.Count() == 1);
  app.Add("name");
  CHECK_THROWS_AS(app.Add("other", 2), lib::Found);
}
TEST_F(Fixture, Named) {
  count_ = 2;
}
BOOST_FIXTURE_TEST_CASE(turned, Fixture) {
  count_ = 3;
}
TEST_P(Unknown, Other) {
  count_ = 4;
}
""",
    "group.cc": """
#include "base.h"
int use(lib::Group* group) { return group->Add("name"); }
""",
    "hidden.cc": """
#include "open.h"
namespace lib {
namespace {
bool Check(int one) { return true; }
bool Read(const char* text, int size) { return true; }
}
bool all(char* text, Source* from, Sink* to) { return Read(text, 1) && Read(from, to); }
}
""",
    "open.h": """
struct Source; struct Sink;
namespace lib {
bool Check(int one, int other);
bool Read(Source* from, Sink* to);
}
""",
    "open.cc": '#include "open.h"\nnamespace lib { bool Check(int one, int other) { return false; } }\n',
    "other.cc": '#include "open.h"\nbool other() { return lib::Check(1, 2); }\n',
}


@pytest.mark.parametrize(
    ("path", "line", "name", "means"),
    [
        # Only the declaration of `App::Add` has its defaults.
        ("use.cc", "count_ = 1", "count_", ["base.h:27 count_ exact"]),
        ("use.cc", "count_ = 2", "count_", ["base.h:27 count_ exact"]),
        ("use.cc", "count_ = 3", "count_", ["base.h:27 count_ exact"]),
        ("use.cc", "count_ = 4", "count_", []),
        ("use.cc", "CHECK(app.Count", "app", ["base.h:26 app exact"]),  # no variable of the first test
        ("use.cc", "CHECK(app.Count", "Count", ["base.h:17 Count exact"]),
        ("use.cc", "TEST_CASE_METHOD(", "Fixture", ["base.h:25 Fixture exact"]),
        ("use.cc", "CHECK_THROWS_AS(", "Found", ["base.h:9 Found exact"]),
        ("base.h", "return Lost(1)", "Lost", ["base.h:4 Lost exact"]),
        ("use.cc", 'app.Add("name")', "Add", ["base.cc:3 Add probable", "base.cc:4 Add possible"]),
        (
            "group.cc",
            'group->Add("name")',
            "Add",
            ["base.cc:3 Add probable", "base.cc:5 Add possible", "base.cc:4 Add possible"],
        ),
        ("other.cc", "lib::Check(1, 2)", "Check", ["open.cc:2 Check exact"]),
    ],
)
def test_what_a_name_means(repository: Repository, path: str, line: str, name: str, means: list[str]) -> None:
    assert repository.ask(path, line, name) == means


def test_a_test_has_the_name_that_its_macro_is_given(repository: Repository) -> None:
    record = repository.program.find_record("use.cc")
    assert record is not None
    names = {record.strings[number] for number in record.names.tolist()}
    assert {"counts, twice", "Named", "turned", "Other"} <= names


def test_a_test_without_a_fixture_is_a_function_of_its_whole_title() -> None:
    text = """int Count(int one);
namespace lib {
TEST(Counts, Count) {
  Count(1);
}
TEST_CASE("counts twice", "[tag]") { Count(2); }
}
"""
    repository = Repository.build({"a.cc": text, "count.cc": "int Count(int one) { return one; }\n"})
    record = repository.program.find_record("a.cc")
    assert record is not None
    tests = [record.get_symbol(record.find_symbols(name)[0]) for name in ("Counts.Count", "counts twice")]
    kinds = [(one.kind.name, one.start_line, one.end_line) for one in tests]
    assert kinds == [("FUNCTION", 3, 5), ("FUNCTION", 6, 6)]
    assert repository.ask("a.cc", "Count(1)", "Count") == ["count.cc:1 Count exact"]  # not the test itself


NAMED_ALIKE = {
    "count.h": """namespace n {
struct CountTest { int seen; };
class Counts { public: bool Count(int one); };
int size(int one);
}
""",
    "count.cc": """#include "count.h"
bool n::Counts::Count(int one) { return true; }
int n::size(int one) { return one; }
""",
    "count_test.cc": """#include "count.h"
using namespace n;
TEST(Counts, Count) {
  Counts counts;
  counts.Count(1);
}
TEST_F(CountTest, size) {
  size(2);
  seen = n::size(3);
}
""",
    "far.cc": "int far() { return any()->size(4); }\n",
}


def test_no_use_means_a_test() -> None:
    repository = Repository.build(NAMED_ALIKE)
    for line in ("size(2)", "n::size(3)"):
        assert repository.ask("count_test.cc", line, "size") == ["count.cc:3 size exact"]
    assert repository.ask("count_test.cc", "counts.Count(1)", "Count") == ["count.cc:2 Count exact"]
    assert repository.ask("far.cc", "size(4)", "size") == []


@pytest.mark.parametrize(
    ("asked", "name", "path"),
    [
        ("Counts::Count", "n.Counts.Count", "count.cc"),
        ("n::size", "n.size", "count.cc"),
        ("size", "n.size", "count.cc"),
        ("CountTest::size", "n.CountTest.size", "count_test.cc"),
    ],
)
def test_a_name_means_a_test_only_if_nothing_else_has_it(asked: str, name: str, path: str) -> None:
    node = make_graph(NAMED_ALIKE).choose(asked)
    assert (node.qualified_name.removeprefix("n."), node.path) == (name.removeprefix("n."), path)


def test_a_namespace_that_is_asked_for_is_no_folder_of_another_scope() -> None:
    graph = make_graph({"lib/area/tests/spawn_test.cc": "TEST_F(AreaTest, spawn) {\n}\n"})
    with pytest.raises(RepoError, match="No symbol is named"):
        graph.choose("lib::area::spawn")
    assert graph.choose("AreaTest::spawn").symbol.name == "spawn"


def test_macros_among_members_are_no_members(repository: Repository) -> None:
    record = repository.program.find_record("base.h")
    assert record is not None
    assert [record.get_symbol(one).kind.name for one in record.find_symbols("ERROR_DEF")] == ["MACRO"]
    assert [record.get_symbol(one).kind.name for one in record.find_symbols("Lost")] == ["CLASS"]


def test_the_type_of_an_enum_without_a_name_is_not_its_name() -> None:
    repository = Repository.build(
        {"a.cpp": "using Size = int;\nenum : Size { SMALL, LARGE };\nSize one = LARGE;\n"}
    )
    assert repository.ask("a.cpp", "Size one", "Size") == ["a.cpp:1 Size exact"]
    assert repository.ask("a.cpp", "Size one", "LARGE") == ["a.cpp:2 LARGE exact"]


def test_an_overload_of_as_many_parameters_is_not_sure(repository: Repository) -> None:
    assert all("exact" not in one for one in repository.ask("hidden.cc", "Read(from, to)", "Read"))
