"""C#: variables that a loop takes apart are variables, with their written types."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
    class Item { public void Run() {} }
    class Other { public void Run() {} public void Own() {} }
    class Hub {
        List<(Item Item, string Path)> pairs;
        Dictionary<string, Item> map;
        void M(Item item) {
            foreach (var (other, _) in pairs) { other.Own(); }
            foreach ((string key, Item value) in map) { value.Run(); }
            foreach (var (item, (first, second)) in item.Run()) { second.Own(); }
            item.Run(); // behind
        }
    }
    """


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("other.Own()", "Own", ["a.cs:2 Own probable"]),
        ("value.Run()", "Run", ["a.cs:1 Run exact"]),
        ("in item.Run()", "Run", ["a.cs:1 Run exact"]),
        ("second.Own()", "Own", ["a.cs:2 Own probable"]),
        ("// behind", "Run", ["a.cs:1 Run exact"]),
    ],
)
def test_what_a_loop_takes_apart(line: str, name: str, said: list[str]) -> None:
    assert Repository.build({"a.cs": TEXT}).ask("a.cs", line, name) == said
