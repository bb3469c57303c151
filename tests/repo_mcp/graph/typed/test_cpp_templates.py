"""C++: templates and their special cases, names of no namespace, alternatives, macros before declarations."""

from __future__ import annotations

import pytest

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
