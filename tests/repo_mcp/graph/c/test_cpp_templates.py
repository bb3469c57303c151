"""C++: templates and their special cases, names of no namespace, alternatives, macros before declarations."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

HEADER = """
#ifdef SHARED_BUILD
#define SHOP_API __declspec(dllexport)
#else
#define SHOP_API
#endif
#define SHOP_INLINE inline
namespace shop {
template <typename T> struct format { int width; };
template <> struct format<int> { int depth; };
struct plain_level { void store(int level); };
#ifdef WITHOUT_THREADS
using level_t = plain_level;
#else
using level_t = std::atomic<int>;
#endif
SHOP_API int price(int number);
SHOP_INLINE int fsync(int file) { return ::fsync(file); }
}
"""
SOURCE = """
#include "shop.h"
namespace shop {
format<char> shown;
struct Till {
  shop::level_t level_;
  Mutex mutex_;
  void set(int level) {
    Lock held(mutex_);
    level_.store(level);
  }
};
}
"""


@pytest.fixture(scope="module")
def shop() -> Repository:
    return Repository.build({"shop.h": HEADER, "shop.cc": SOURCE})


@pytest.mark.parametrize(
    ("path", "line", "name", "means"),
    [
        ("shop.cc", "format<char> shown", "format", ["shop.h:8 format exact"]),
        ("shop.h", "::fsync(file)", "fsync", ["-> fsync"]),
        ("shop.cc", "held(mutex_)", "mutex_", ["shop.cc:6 mutex_ exact"]),
        ("shop.cc", "level_.store", "store", ["shop.h:10 store probable"]),
        ("shop.h", "SHOP_INLINE int", "SHOP_INLINE", ["shop.h:6 SHOP_INLINE exact"]),
        (
            "shop.h",
            "SHOP_API int",
            "SHOP_API",
            ["shop.h:2 SHOP_API probable", "shop.h:4 SHOP_API probable"],
        ),
    ],
)
def test_a_name_means_what_the_rules_leave(
    shop: Repository, path: str, line: str, name: str, means: list[str]
) -> None:
    assert shop.ask(path, line, name) == means


OUTSIDE_ITS_CLASS = """
template<typename T>
class Sparse {
 public:
  class Value;
  enum Mode { Small };
  void Add(Mode mode);
};
template<typename T>
class Sparse<T>::Value {
 public:
  int index() const { return index_; }
 private:
  friend class Sparse;
  int index_;
};
class Tree {
 public:
  class State { public: void Push(); };
};
void Tree::State::Push() {}
int take(Tree::State *state) { return 1; }
"""


def test_a_class_that_is_defined_outside_of_its_class_is_a_member_of_it() -> None:
    graph = make_graph({"src/sparse.cc": OUTSIDE_ITS_CLASS})
    names = [node.name_inside for node in graph.outline("src/sparse.cc")]
    assert "Sparse.Value" in names
    assert "Sparse.Value.index" in names
    friends = [row for row in list_incoming(graph, "Sparse") if 14 in row[3]]
    assert [row[1] for row in friends] == ["exact"]


def test_each_class_before_a_path_is_used() -> None:
    graph = make_graph({"src/sparse.cc": OUTSIDE_ITS_CLASS})
    lines = sorted(line for row in list_incoming(graph, "Tree") for line in row[3])
    assert lines == [21, 22]


def test_what_a_macro_may_put_something_before_is_not_sure() -> None:
    found = Repository.build(
        {
            "os.cc": """
                #if defined(A)
                #  define POSIX(call) ::call
                #else
                #  define POSIX(call) test_##call
                #endif
                #define CHECK(call) fail(call)
                #define LOG(text, ...) print(text, ##__VA_ARGS__)
                int close(int file);
                int open(int file);
                int dup(int file);
                int twice(int file) { return 0; }
                int f(int file) {
                  POSIX(close(file));
                  ::POSIX(open(file));
                  CHECK(dup(file));
                  LOG("", twice(file));
                }
            """
        }
    )
    assert found.ask("os.cc", "  POSIX(close", "close") == ["os.cc:8 close possible"]
    assert found.ask("os.cc", "::POSIX(open", "open") == ["os.cc:9 open possible"]
    assert found.ask("os.cc", "CHECK(dup", "dup") == ["os.cc:10 dup exact"]
    assert found.ask("os.cc", 'LOG("", twice', "twice") == ["os.cc:11 twice exact"]


def test_of_several_macros_and_special_cases_none_is_sure() -> None:
    found = Repository.build(
        {
            "base.h": """
                #ifdef LIMIT
                #elif VERSION < 2
                #  define LIMIT 0
                #elif VERSION < 3
                #  define LIMIT 0
                #endif
                #if NEW
                #  define LIMIT 1
                #endif
            """,
            "use.cc": """
                #include "base.h"
                template <> struct sort_of<int> { int a; };
                template <> struct sort_of<long> { int b; };
                int f() { return LIMIT; }
                sort_of<char> made();
            """,
        }
    )
    for line, name in (("return LIMIT", "LIMIT"), ("made()", "sort_of")):
        meant = found.ask("use.cc", line, name)
        assert meant
        assert not [one for one in meant if one.endswith("exact")]


def test_a_macro_opens_a_namespace() -> None:
    found = Repository.build(
        {
            "base.h": """
                #define OUR_BEGIN_NAMESPACE \\
                    namespace our {         \\
                    inline namespace v2 {
                #define OUR_END_NAMESPACE } }
            """,
            "color.h": """
                #include "base.h"
                OUR_BEGIN_NAMESPACE
                struct OUR_API("default") shade { int depth; };
                shade mix(shade one);
                OUR_END_NAMESPACE
            """,
            "other.h": "struct shade { int other; };\n",
            "use.cc": """
                #include "color.h"
                #include "other.h"
                int f(our::shade given) { return given.depth; }
                int g(shade given) { return given.other; }
                int h() { our::mix(0); }
            """,
        }
    )
    assert found.ask("use.cc", "our::shade", "shade") == ["color.h:3 shade exact"]
    assert found.ask("use.cc", "our::shade", "depth") == ["color.h:3 depth exact"]
    assert found.ask("use.cc", "int g(", "shade") == ["other.h:1 shade exact"]
    assert found.ask("use.cc", "our::mix", "mix") == ["color.h:4 mix exact"]
    assert found.ask("color.h", "shade mix", "shade") == ["color.h:3 shade exact"]


def test_a_macro_that_may_open_either_of_two_namespaces_opens_none() -> None:
    found = Repository.build(
        {
            "base.h": """
                #ifdef OLD
                #define BEGIN_NAMESPACE namespace one {
                #else
                #define BEGIN_NAMESPACE namespace two::inner {
                #endif
            """,
            "shade.h": """
                #include "base.h"
                BEGIN_NAMESPACE
                struct shade { int depth; };
                END_NAMESPACE
            """,
            "use.cc": """
                #include "shade.h"
                int f(one::shade given) { return 0; }
            """,
        }
    )
    assert not [one for one in found.ask("use.cc", "one::shade", "shade") if one.endswith("exact")]
