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
