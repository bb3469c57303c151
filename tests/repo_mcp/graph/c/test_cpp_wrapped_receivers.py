"""C++: receivers in pairs, pointers and mocks, and those whose type is a parameter; macros as types."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "pool.h": """
#pragma once
class Pool { public: void watch(int one); };
#define ON_EXIT auto left = Guard() + [&]
struct Task { void run(); };
template <class T> class BlockingQueue { public: T take(); };
""",
    "use.cpp": """
#include <utility>
#include "pool.h"
std::pair<std::unique_ptr<Pool>, int> make();
void pairs(std::pair<int, Pool*> both, std::pair<Unknown, int> other) {
  both.second->watch(1);
  auto made = make();
  made.first->watch(2);
  library.first->watch(3);
  both.first.watch(4);
}
struct Owner {
  std::unique_ptr<BlockingQueue<Task>> queue_;
  std::vector<Task> tasks_;
  void work() {
    queue_->take();
    tasks_.front().run();
  }
};
TYPED_TEST(PoolTest, watches) {
  TypeParam any{4};
  any.watch(5);
  ON_EXIT { close(any); };
  testing::NiceMock<Pool> nice;
  nice.watch(6);
}
""",
}


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("watch(1)", "watch", ["pool.h:2 watch exact"]),
        ("watch(2)", "watch", ["pool.h:2 watch exact"]),
        ("watch(3)", "watch", ["pool.h:2 watch probable"]),  # of any type, so found by its name
        ("watch(4)", "watch", ["-> int.watch"]),
        ("watch(5)", "watch", ["pool.h:2 watch probable"]),
        ("watch(6)", "watch", ["pool.h:2 watch exact"]),
        ("ON_EXIT", "ON_EXIT", ["pool.h:3 ON_EXIT exact"]),
        ("queue_->take()", "take", ["pool.h:5 take exact"]),
        ("front().run()", "run", ["pool.h:4 run probable"]),
    ],
)
def test_what_a_member_means(repository: Repository, line: str, name: str, means: list[str]) -> None:
    assert repository.ask("use.cpp", line, name) == means
