"""Likeness without a model: a near-clone comes first, whatever its names and numbers are."""

from __future__ import annotations

import time

import pytest

from repo_mcp.graph.graph import Graph
from tests.repo_mcp.graph.memory_index import find_node, make_graph

ORIGINAL = """def load_settings(path):
    settings = {}
    with open_source(path) as source:
        for line in read_lines(source):
            if line.startswith("#"):
                continue
            key, value = split_pair(line, 1)
            settings[key] = convert(value, 10)
    return Settings(settings)
"""
CLONE = """def fetch_options(filename):
    options = {}
    with open_source(filename) as handle:
        for row in read_lines(handle):
            if row.startswith(";"):
                continue
            name, text = split_pair(row, 2)
            options[name] = convert(text, 16)
    return Settings(options)
"""
NAMESAKE = "def load_settings_page(request):\n    return render(request)\n"
USER = "def show(x):\n    return convert(x, 2)\n"
OTHERS = "".join(
    f"def other_{number}(x):\n    for y in x:\n        print(y, {number})\n    return make_{number}(x)\n\n\n"
    for number in range(30)
)
FILES = {
    "a.py": ORIGINAL,
    "deep/down/b.py": CLONE,
    "c.py": NAMESAKE,
    "d.py": USER,
    "e.py": OTHERS,
    "f.py": "class Settings:\n    def convert(self): ...\n\n\nclass Options:\n    def convert(self): ...\n",
}


def list_similar(graph: Graph, name: str, limit: int = 10) -> list[str]:
    return [node.qualified_name for node, _ in graph.find_similar(find_node(graph, name), limit)]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return make_graph(FILES)


def test_a_near_clone_with_other_names_and_numbers_comes_first(graph: Graph) -> None:
    (node, best), *others = graph.find_similar(find_node(graph, "a.load_settings"), 10)
    assert node.qualified_name == "b.fetch_options"
    assert best.likeness > 0.7
    assert best.shape == 1.0
    assert {"split_pair", "read_lines", "open_source"} <= set(best.shared)
    assert all(other.likeness < best.likeness / 2 for _, other in others)
    assert list_similar(graph, "b.fetch_options")[0] == "a.load_settings"


def test_a_symbol_is_not_like_itself_nor_like_another_kind(graph: Graph) -> None:
    assert "a.load_settings" not in list_similar(graph, "a.load_settings")
    for node, _ in graph.find_similar(find_node(graph, "f.Settings"), 10):
        assert node.kind == "class"
    assert list_similar(graph, "f.Settings")[0] == "f.Options"


def test_the_limit_cuts_the_same_list(graph: Graph) -> None:
    whole = list_similar(graph, "e.other_3", 20)
    assert len(whole) == 20
    for limit in (1, 5, 19):
        assert list_similar(graph, "e.other_3", limit) == whole[:limit]


def test_likeness_is_the_same_in_every_order_of_files_and_calls() -> None:
    first = make_graph(FILES)
    wanted = {
        name: first.find_similar(find_node(first, name), 50) for name in ("a.load_settings", "e.other_7")
    }
    second = make_graph(dict(reversed(FILES.items())))
    for name in reversed(list(wanted)):
        assert second.find_similar(find_node(second, name), 50) == wanted[name]


def test_likeness_is_between_0_and_1_and_made_of_its_parts(graph: Graph) -> None:
    for _, one in graph.find_similar(find_node(graph, "e.other_3"), 50):
        assert 0 < one.likeness <= 1
        weighed = 0.45 * one.names + 0.35 * one.shape + 0.2 * one.name
        assert abs(one.likeness - weighed) < 0.001


def test_what_has_nothing_in_common_is_not_similar() -> None:
    graph = make_graph({"a.py": "def one(): ...\n", "b.py": "def two(): return zip(1)\n"})
    assert list_similar(graph, "a.one") == []


def test_quotes_that_nothing_closes_do_not_make_it_slow() -> None:
    quotes = '"' + '\\"' * 3_900
    text = "".join(f"def f{n}(a):\n    # {quotes}\n    return handle(a)\n\n\n" for n in range(40))
    started = time.process_time()
    assert list_similar(make_graph({"a.py": text}), "a.f1")
    assert time.process_time() - started < 6.0
