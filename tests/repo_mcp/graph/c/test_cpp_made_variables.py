"""C++: a variable that is given a call looks like a function, and is none."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
struct Path { Path(int at); int name(); };
int find(int at, int most);
namespace Util { int give(int at); }
void f(int x, int y) {
  Path one(find(x, y));
  Path two(Util::give(find(x, y)));
  one.name();
  two.name();
  int declared(int a);
}
"""


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("Path one", "find", "2 find"),
        ("Path two", "give", "3 give"),
        ("Path two", "find", "2 find"),
        ("one.name", "name", "1 name"),
        ("two.name", "name", "1 name"),
    ],
)
def test_a_variable_that_is_given_a_call(line: str, name: str, expected: str) -> None:
    assert Repository.build({"a.cpp": TEXT}).ask("a.cpp", line, name) == [f"a.cpp:{expected} exact"]
