"""C and C++: which file includes which, and what follows for the uses of a common name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.c import includes as c_includes
from repo_mcp.graph.c.conditions import Setting, read_settings
from repo_mcp.graph.c.includes import IncludeGraph
from repo_mcp.graph.visibility.c import FEW
from repo_mcp.graph.vocabulary import NAMED, SymbolFilter
from repo_mcp.symbols.symbol_record import SymbolRecord
from tests.deep.sizes import examples
from tests.repo_mcp.graph.memory_index import MemoryIndex, make_graph

PATHS = ("a.h", "b.h", "lib/a.h", "lib/c.h", "lib/sub/d.h", "src/e.c", "src/f.c", "lib/sub/g.c")
SPELLINGS = (
    '"a.h"',
    '"b.h"',
    '"c.h"',
    '"../a.h"',
    '"../c.h"',
    "<lib/a.h>",
    "<sub/d.h>",
    '"f.c"',
    "<lib/c.h>",
)
TREES = st.dictionaries(
    st.sampled_from(PATHS), st.lists(st.sampled_from(SPELLINGS), max_size=3, unique=True), min_size=2
)


def graph_of(texts: Mapping[str, str]) -> IncludeGraph:
    return IncludeGraph.find(MemoryIndex(texts))


@pytest.mark.sized
@settings(max_examples=examples(100))
@given(TREES)
def test_includers_are_those_from_which_a_walk_along_the_includes_arrives(tree: dict[str, list[str]]) -> None:
    texts = {path: "".join(f"#include {one}\n" for one in found) for path, found in tree.items()}
    found = graph_of(texts)
    for target in texts:
        arriving = {target}
        while True:
            more = {path for path in texts if arriving.intersection(found.list_included(path))}
            if more <= arriving:
                break
            arriving |= more
        including = found.list_includers(target)
        assert including is not None
        assert arriving <= including
        named = {one.strip('<>"').rpartition("/")[2] for path in including for one in tree[path]}
        for path in including - arriving:  # an include that leads nowhere, or one in <>, names one of them
            assert tree[path]
            assert named & {one.rpartition("/")[2] for one in including}


def test_the_includers_of_what_too_many_include_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_includes, "MAX_INCLUDERS", 5)
    many = {f"src/{number}.c": '#include "../all.h"\n' for number in range(5)}
    found = graph_of({"all.h": "", "few.h": "", "one.c": '#include "few.h"\n', **many})
    assert found.list_includers("all.h") is None
    assert found.list_includers("few.h") == {"few.h", "one.c"}


COMMON = {
    "rare.h": "struct rare { int mode; };\n",
    "uses.c": '#include "rare.h"\n#include "part.h"\nint uses(struct rare *r) { return r->mode; }\n',
    "part.h": "int in_part(struct rare *r) { return r->mode; }\n",
    "own.c": "struct own { int mode; };\nstatic int probe(struct own *o) { return o->mode; }\n"
    "int go(struct own *o) { return probe(o); }\n",
    **{
        f"other/{number}.c": f"int probe(int);\nint f{number}(void *p) {{ return g(p)->mode + probe(1); }}\n"
        for number in range(FEW)
    },
}


def test_of_a_common_name_only_files_are_read_that_can_mean_the_field() -> None:
    graph = make_graph(COMMON)
    nodes, *_ = graph.look_up("mode", SymbolFilter())
    users = {}
    for node in nodes:
        edges = graph.find_incoming(node, NAMED)
        users[node.path] = [graph.get_node(edge.other).qualified_name for edge in edges.edges]
        assert [place.path for place in edges.unresolved] == [], "none of the others could mean it"
    assert users == {"rare.h": ["uses", "in_part"], "own.c": ["probe"]}, (
        "a header is read without its include"
    )
    (probe,) = [one for one in graph.look_up("probe", SymbolFilter())[0] if one.path == "own.c"]
    callers = graph.find_incoming(probe, NAMED).edges
    assert [(one.confidence.value, graph.get_node(one.other).qualified_name) for one in callers] == [
        ("exact", "go")
    ]


def test_conditions_are_read_only_where_they_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    found = graph_of(
        {
            "a.c": '#ifdef CONFIG_X\n#include "b.h"\n#endif\n#include "c.h"\n',
            "b.h": '#include "c.h"\n',
            "c.h": "int c;\n",
        }
    )
    read: list[str] = []

    def read_noted(path: str, record: SymbolRecord) -> tuple[list[int], list[Setting]]:
        read.append(path)
        return read_settings(path, record)

    monkeypatch.setattr(c_includes, "read_settings", read_noted)
    assert found.list_reached("a.c") == {"b.h", "c.h"}
    assert not read
    surely = [one for one in ("a.c", "b.h", "c.h") if found.is_surely_included("a.c", Setting(), one)]
    assert surely == ["a.c", "c.h"]
    assert read == ["a.c"]  # the others include nothing, or are not reached


def test_a_walk_along_sure_includes_ends_where_it_meets_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number}.h": f'#include "{number + 1}.h"\n' for number in range(1, 9)}
    found = graph_of({"a.c": '#include "1.h"\n', **texts, "9.h": "int x;\n"})
    read: list[str] = []

    def read_noted(path: str, record: SymbolRecord) -> tuple[list[int], list[Setting]]:
        read.append(path)
        return read_settings(path, record)

    monkeypatch.setattr(c_includes, "read_settings", read_noted)
    assert found.is_surely_included("a.c", Setting(), "2.h")
    assert read == ["a.c", "1.h"]
    assert found.is_surely_included("a.c", Setting(), f"{c_includes.MAX_DEPTH}.h")
    assert not found.is_surely_included("a.c", Setting(), f"{c_includes.MAX_DEPTH + 1}.h")
    assert found.is_surely_included("a.c", Setting(), "1.h")
    assert len(read) == c_includes.MAX_DEPTH
