"""Likeness without a model: a near-clone comes first, whatever its names and numbers are."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.graph.edges import mark_inside
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.similar import MAX_COMPARED, ShingleReader, SimilarFinder, build_shingles
from repo_mcp.text.analysis import get_root, get_word_terms
from tests.deep.sizes import IS_DEEP, choose
from tests.growth import assert_linear
from tests.repo_mcp.graph import plain_similar
from tests.repo_mcp.graph.memory_index import MemoryIndex, find_node, make_graph

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

STEP = 17 if IS_DEEP else 101  # of each so many symbols one is asked for


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


@pytest.mark.sized
def test_quotes_that_nothing_closes_do_not_make_it_slow() -> None:
    def prepare(count: int) -> Graph:
        quotes = '"' + '\\"' * count
        text = "".join(f"def f{n}(a):\n    # {quotes}\n    return handle(a)\n\n\n" for n in range(20))
        return make_graph({"a.py": text})

    assert_linear(prepare, lambda graph: list_similar(graph, "a.f1"), choose(80, 160))
    assert list_similar(prepare(3_900), "a.f1")


SOURCES = Path(__file__).parents[3] / "repo_mcp" / "graph"
ENDINGS = """
    s es ies sses ed eed ing ated izing y ly bly ably ality ivity bility ational ization ation ator alism
    iveness fulness ousness entli ously ogy icate ative alize icity ical ful ness al ance ence er able ible
    ant ement ment ent ion ou ism ate iti ous ive ize e ll
"""
MANY = "".join(f"def set_{n}(a):\n    return settle(a)\n\n\n" for n in range(300))
ODD = {
    "ä.py": """class Größe:
    def set_größe(self, größe): return settle(größe, 'ß')


def İstanbul(): settle(1)
""",
    "nest.py": """def outer():
    def inner():
        def set_deep(): return settle(settle(2))
        return settle
    return inner


class A:
    class B:
        class Settle:
            def setting(self): settle()
""",
    "anonymous.c": """struct a { struct { int settle; } ; union { int x; }; };
int settle(struct a *a) { return a->x; }
""",
    "empty.py": "",
    "many.py": MANY,
    "zany.py": MANY,  # more that tie than are candidates: those of the first path count
}


@pytest.fixture(scope="module")
def program() -> MemoryIndex:
    """Enough symbols that files and candidates are left out."""
    texts: dict[str, str | bytes] = {
        path.relative_to(SOURCES).as_posix(): path.read_bytes()
        for path in SOURCES.glob("**/*.py" if IS_DEEP else "*.py")
    }
    return MemoryIndex({**texts, **FILES, **ODD})


@pytest.mark.sized
def test_answers_are_those_of_the_plain_way(program: MemoryIndex) -> None:
    fast, plain = SimilarFinder(program), plain_similar.PlainFinder(program)
    asked = 0
    for number, path in enumerate(program.list_paths()):
        record = program.find_record(path)
        assert record is not None
        step = 1 if path in ODD and record.symbol_count < 20 else STEP
        for ordinal in range(number % step, record.symbol_count, step):
            limit = (1, 10, MAX_COMPARED + 11)[asked % 3]
            declaration = Declaration(path, ordinal)
            assert fast.find(declaration, limit) == plain.find(declaration, limit), (path, ordinal)
            asked += 1
    assert asked > 1_700 / STEP


def test_a_file_that_cannot_be_read_has_no_shape(
    program: MemoryIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "read_text", lambda path: None)
    found = SimilarFinder(program).find(Declaration("f.py", 1), 10)
    assert found
    assert all(one.shape == 0 for one in found)


def test_what_is_inside_of_a_symbol(program: MemoryIndex) -> None:
    for path in ("nest.py", "anonymous.c", "similar.py"):
        record = program.find_record(path)
        assert record is not None
        for ordinal in range(record.symbol_count):
            assert np.array_equal(mark_inside(record, ordinal), plain_similar.mark_inside(record, ordinal))


@given(st.text(st.sampled_from("ab_Z09.\"'\\\n \t\x1c\x1f()+éßΣ²٣"), max_size=60))
def test_shapes_are_those_of_the_plain_way(text: str) -> None:
    for one in (text, text.encode("ascii", "ignore").decode(), f"if {text} return None {text} x"):
        assert build_shingles(one) == plain_similar.shingle(one)


@given(st.text(st.sampled_from("a1+é\n"), max_size=30), st.integers(0, 3), st.integers(0, 4))
def test_a_text_is_cut_by_its_lines(text: str, first: int, count: int) -> None:
    program = MemoryIndex({"a.py": "\n" * first + "class A:\n" + "    x = 1\n" * (count + 1)})
    record = program.find_record("a.py")
    assert record is not None
    program.read_text = lambda path: text  # type: ignore[method-assign]
    for ordinal in range(record.symbol_count):
        symbol = record.get_symbol(ordinal)
        lines = text.split("\n")[symbol.start_line - 1 : symbol.end_line]
        assert ShingleReader(program).find(Declaration("a.py", ordinal), record) == build_shingles(
            "\n".join(lines)
        )


@pytest.mark.sized
def test_a_word_holds_the_root_of_each_of_its_terms() -> None:
    letters = [itertools.product("abelsty", repeat=count + 1) for count in range(choose(2, 3))]
    stems = ["".join(some) for some in itertools.chain(*letters)]
    for stem, ending, more in itertools.product(stems, ["", *ENDINGS.split()], ("", "s", "ly", "ness", "y")):
        word = stem + ending + more
        assert all(get_root(term) in word for term in get_word_terms(word)), word
