"""C: fields by the type of what they belong to, and macros and constants in all of their lines."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.questions import NAMED, EdgeType, SymbolFilter
from tests.repo_mcp.graph.memory_index import Row, list_incoming, make_graph

C = {
    "pool.h": (
        "#ifndef POOL_H\n#define POOL_H\n"
        "#define LIMIT 3\n"
        "typedef struct item_s { int size; struct { int left; } at; } item_t;\n"
        "struct pool { item_t first; item_t items[LIMIT]; struct pool *next; int (*grow)(int); };\n"
        "extern struct pool shared;\n"
        "struct pool *get_pool(int n);\n"
        "#endif\n"
    ),
    "pool.c": (
        '#include "pool.h"\n'
        "struct pool shared = {\n"
        "  .first = { .size = 1 },\n"
        "  .items = { { .size = 2 }, [LIMIT - 1] = { .size = 3 } },\n"
        "  .items[0].at.left = 4,\n"
        "};\n"
        "static struct item_s table[] = { { .size = 5 }, { .at = { .left = 6 } } };\n"
        "int use(struct pool *p, void *any) {\n"
        "  item_t one = (item_t){ .size = 7 };\n"
        "  one.size = p->first.size +\n"
        "    p->next->items[LIMIT].size;\n"
        "  ((struct pool *) any)->first.at.left = shared.items[0].at.left;\n"
        "  return get_pool(LIMIT)->grow(LIMIT) + offsetof(struct pool, next);\n"
        "}\n"
    ),
    "other.c": (
        "#include <sys/stat.h>\n"
        "struct size { int size; int rare; };\n"
        "int guess(struct stat *known, int n) {\n"
        "  return known->size + made(n)->rare + made(n)->size;\n"
        "}\n"
        "#define EXTRA(x) ((x)->rare + LIMIT + made(x))\n"
        "#ifdef LIMIT\n#endif\n"
    ),
}


@pytest.fixture(scope="module")
def c() -> Graph:
    return make_graph(C)


def list_in(graph: Graph, name: str, path: str) -> list[Row]:
    """The uses of the one symbol of a name that a file declares."""
    nodes, _ = graph.look_up(name, SymbolFilter())
    (node,) = [one for one in nodes if one.path == path]
    return [
        (one.type.value, one.confidence.value, graph.get_node(one.other).qualified_name, one.lines)
        for one in graph.find_incoming(node, NAMED).edges
    ]


def test_a_field_is_used_where_its_struct_is_known(c: Graph) -> None:
    assert list_in(c, "item_s.size", "pool.h") == [
        ("references", "exact", "shared", (3, 4)),
        ("references", "exact", "table", (7,)),
        ("references", "exact", "use", (9, 10, 11)),
    ]
    assert list_in(c, "pool.first", "pool.h") == [
        ("references", "exact", "shared", (3,)),
        ("references", "exact", "use", (10, 12)),
    ]
    assert list_in(c, "pool.next", "pool.h") == [("references", "exact", "use", (11, 13))]


def test_the_fields_of_a_struct_without_a_name_are_those_of_the_one_around_it(c: Graph) -> None:
    assert list_in(c, "item_s.left", "pool.h") == [
        ("references", "exact", "shared", (5,)),
        ("references", "exact", "table", (7,)),
        ("references", "exact", "use", (12,)),
    ]


def test_a_field_of_something_unknown_is_possible_and_never_more(c: Graph) -> None:
    assert list_incoming(c, "size.rare") == [
        ("references", "possible", "guess", (4,)),
        ("references", "possible", "EXTRA", (6,)),
    ]


def test_a_field_of_a_struct_of_elsewhere_is_none_of_ours() -> None:
    texts = {"a.c": "struct ours { int st_odd; };\nint f(struct stat *s) { return s->st_odd; }\n"}
    assert list_incoming(make_graph(texts), "ours.st_odd") == []


def test_a_struct_inside_another_is_named_without_it() -> None:
    text = "struct list {\n  struct level { struct list *forward; } level[2];\n};\n"
    graph = make_graph({"a.c": text + "void f(struct list *x) { x = x->level[1].forward; }\n"})
    assert list_incoming(graph, "list.level.forward") == [("references", "exact", "f", (4,))]


def test_a_field_that_is_called_is_called(c: Graph) -> None:
    assert list_incoming(c, "pool.grow", EdgeType.CALLS) == [("calls", "exact", "use", (13,))]


def test_macros_are_used_in_every_line_and_by_the_preprocessor(c: Graph) -> None:
    assert list_in(c, "LIMIT", "pool.h") == [
        ("references", "exact", "shared", (4,)),
        ("references", "exact", "use", (11, 13)),
        ("references", "exact", "pool.items", (5,)),
        ("references", "probable", "other.c", (7,)),
        ("references", "probable", "EXTRA", (6,)),
    ]
    assert list_in(c, "POOL_H", "pool.h") == [("references", "exact", "pool.h", (1,))]


def test_globals_are_used_in_every_line() -> None:
    texts = {
        "a.c": "struct s { int n; };\nstruct s kept;\nint f(void) {\n  kept.n = 1;\n  return kept.n;\n}\n",
        "b.c": "extern struct s kept;\nint g(void) { return kept.n; }\n",
    }
    found = list_incoming(make_graph(texts), "s.n")
    assert found == [("references", "exact", "f", (4, 5)), ("references", "exact", "g", (2,))]
