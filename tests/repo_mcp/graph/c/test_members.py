"""C: fields by the type of what they belong to, and macros and constants in all of their lines."""

from __future__ import annotations

import pytest

from repo_mcp.graph.edges import Edge
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import NAMED, EdgeType, SymbolFilter
from repo_mcp.symbols.symbol_record import ParseStatus
from tests.repo_mcp.graph.memory_index import Row, list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

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
    """Return the uses of the one symbol of a name that a file declares."""
    nodes, *_ = graph.look_up(name, SymbolFilter())
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
        ("references", "possible", "other.c", (7,)),
        ("references", "possible", "EXTRA", (6,)),
    ]
    assert list_in(c, "POOL_H", "pool.h") == [("references", "exact", "pool.h", (1,))]


def test_globals_are_used_in_every_line() -> None:
    texts = {
        "a.c": "struct s { int n; };\nstruct s kept;\nint f(void) {\n  kept.n = 1;\n  return kept.n;\n}\n",
        "b.c": "extern struct s kept;\nint g(void) { return kept.n; }\n",
    }
    found = list_incoming(make_graph(texts), "s.n")
    assert found == [("references", "exact", "f", (4, 5)), ("references", "exact", "g", (2,))]


FIELDS = {
    "node.h": (
        '#include "node/unix.h"\n#include "node/win.h"\n'
        "#define NODE_FIELDS                  \\\n"
        "  /* public */                       \\\n"
        "  void *data;                        \\\n"
        "  unsigned int flags, *more[2];      \\\n"
        "  void (*close)(struct node *one);   \\\n"
        "  union { int fd; long wide; } u;    \\\n"
        "  NODE_PLATFORM_FIELDS\n"
        "#define NO_FIELDS(x) x = 1; return x;\n"
        "struct node {\n"
        "  NODE_FIELDS\n"
        "  int last;\n"
        "};\n"
        "typedef struct node node_t;\n"
    ),
    "node/unix.h": "#define NODE_PLATFORM_FIELDS int handle; int only;\n",
    "node/win.h": "#define NODE_PLATFORM_FIELDS void *handle;\n",
    "src/node.c": (
        '#include "node.h"\n'
        "int f(node_t *n) {\n"
        "  n->close(n);\n"
        "  return n->flags + n->u.fd + n->last + n->handle + n->only;\n"
        "}\n"
    ),
    "src/win/node.c": '#include "node.h"\nvoid *g(node_t *n) { return n->handle; }\n',
}


def test_fields_that_a_macro_declares_are_those_of_the_struct() -> None:
    graph = make_graph(FIELDS)
    assert list_incoming(graph, "node.last") == [("references", "exact", "f", (4,))]
    for name in ("flags", "fd", "u"):
        assert list_incoming(graph, f"NODE_FIELDS.{name}") == [("references", "exact", "f", (4,))]
    assert list_incoming(graph, "NODE_FIELDS.close") == [("calls", "exact", "f", (3,))]
    names = [node.name_inside for node in graph.outline("node.h")]
    fields = ["data", "flags", "more", "close", "fd", "wide", "u"]
    assert names == [
        *("NODE_FIELDS", *(f"NODE_FIELDS.{one}" for one in fields)),
        *("NO_FIELDS", "node", "node.last", "node_t"),
    ]
    assert [row[2] for row in list_incoming(graph, "NODE_FIELDS", EdgeType.REFERENCES)] == ["node"]


LISTED = {
    "errors.h": (
        "#define ERRNO_MAP(XX)                \\\n"
        '  XX(EPERM, "not permitted, (yet)")  \\\n'
        "  /* of the disk */                  \\\n"
        '  XX(EIO, "i/o error")\n'
        "#define KINDS(X) X(file) X(pipe, 2)\n"
        "#define CALL(f) f(1)\n"
        "#define EVERY(X) X(one) + X(two)\n"
        "typedef enum {\n"
        "  FIRST,\n"
        "#define XX(code, _) LOOP_ ## code = -code,\n"
        "  ERRNO_MAP(XX)\n"
        "#undef XX\n"
        "} errno_t;\n"
        "enum kind {\n#define X(name, ...) name##_kind,\n  KINDS(X)\n};\n"
        "#define X(name, ...) NO_##name,\n"
        "KINDS(X)\n"
        "enum one { CALL(x), EVERY(X) };\n"
    ),
    "use.c": '#include "errors.h"\nint use(int n) {\n  return n == LOOP_EIO ? file_kind : LOOP_EPERM;\n}\n',
}


def test_values_that_an_enum_takes_from_a_list_are_declared_in_its_rows() -> None:
    graph = make_graph(LISTED)
    for name in ("ERRNO_MAP.LOOP_EPERM", "ERRNO_MAP.LOOP_EIO", "KINDS.file_kind"):
        assert list_incoming(graph, name) == [("references", "exact", "use", (3,))]
    listed = [node for node in graph.outline("errors.h") if node.kind == "enum_member"]
    assert [(node.name_inside, node.symbol.start_line) for node in listed] == [
        ("ERRNO_MAP.LOOP_EPERM", 2),
        ("ERRNO_MAP.LOOP_EIO", 4),
        ("KINDS.file_kind", 5),
        ("KINDS.pipe_kind", 5),
        ("errno_t.FIRST", 9),
    ]


def test_of_fields_of_several_platforms_each_is_probable() -> None:
    graph = make_graph(FIELDS)
    unix, win = "node/unix.h", "node/win.h"
    assert list_in(graph, "NODE_PLATFORM_FIELDS.handle", unix) == [("references", "probable", "f", (4,))]
    assert list_in(graph, "NODE_PLATFORM_FIELDS.handle", win) == [
        ("references", "probable", "f", (4,)),
        ("references", "probable", "g", (2,)),
    ]
    assert list_in(graph, "NODE_PLATFORM_FIELDS.only", unix) == [("references", "exact", "f", (4,))]


def test_structs_without_a_name_have_fields_of_their_own() -> None:
    text = (
        "struct io {\n"
        "  struct {\n    int pos;\n  } file;\n"
        "  struct {\n    int pos;\n  } pipe;\n"
        "};\n"
        "int f(struct io *one) { return one->pipe.pos; }\n"
    )
    graph = make_graph({"a.c": text})
    fields = [node for node in graph.outline("a.c") if node.symbol.name == "pos"]
    counts = [len(graph.find_incoming(node, NAMED).edges) for node in fields]
    assert counts == [0, 1]


def test_what_follows_something_unsure_is_no_surer() -> None:
    texts = {
        "a/s.h": "struct s { struct t *t; };\n",
        "a/t.h": "struct t { int deep; };\n",
        "b/s.h": "struct s { struct t *t; };\n",
        "use.c": "int f(struct s *s) { return s->t->deep; }\n",
    }
    assert [row[1] for row in list_incoming(make_graph(texts), "t.deep")] == ["probable"]


def test_which_of_several_definitions_is_meant_is_not_certain() -> None:
    texts = {
        "a.h": (
            "#ifdef BIG\n#define SWAP(x) (x)\n#else\n#define SWAP(x) swap(x)\n#endif\n"
            "typedef struct twin_s twin_t;\nstruct twin_s { int n; };\n"
        ),
        "b.h": "typedef int word;\n",
        "c.h": "typedef long word;\n",
        "use.c": (
            '#include "a.h"\n#include "b.h"\n#include "c.h"\n'
            "int f(twin_t *t) { return SWAP(t->n); }\nword g(void) { return 1; }\n"
        ),
    }
    graph = make_graph(texts)
    macros = [node for node in graph.outline("a.h") if node.symbol.name == "SWAP"]
    for node in macros:
        edges = graph.find_incoming(node, NAMED).edges
        assert [(edge.confidence.value, edge.lines) for edge in edges] == [("probable", (4,))]
    for path in ("b.h", "c.h"):
        assert list_in(graph, "word", path) == [("references", "possible", "g", (5,))]
    assert [row[:2] for row in list_incoming(graph, "twin_t")] == [("accepts", "exact")]


def test_types_and_macros_of_a_source_file_are_its_own() -> None:
    own = "#define LOCAL_ONE 1\nstruct local { int rare_field; };\nenum { LOCAL_TWO };\n"
    use = "int f(struct local *p, int n) { return LOCAL_ONE + LOCAL_TWO + made(n)->rare_field; }\n"
    graph = make_graph({"own.c": own, "use.c": use, "both.c": f'#include "own.c"\n{use}'})
    for name in ("LOCAL_ONE", "LOCAL_TWO", "local", "local.rare_field"):
        nodes = [graph.get_node(edge.other).path for edge in _list_edges(graph, name)]
        assert nodes == ["both.c"]


def _list_edges(graph: Graph, name: str) -> list[Edge]:
    (node,) = [one for one in graph.outline("own.c") if one.name_inside == name]
    return list(graph.find_incoming(node, NAMED).edges)


def test_a_macro_may_stand_for_a_type() -> None:
    texts = {"a.h": "#define word_t unsigned long\n", "a.c": '#include "a.h"\nword_t f(void) { return 1; }\n'}
    assert list_incoming(make_graph(texts), "word_t") == [("references", "exact", "f", (2,))]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.c", "#ifdef _WIN32\n", "#endif\n"),
        ("a.c", "#if A\n#elif B\n", "#else\n#endif\n"),
        ("a.c", "#if A\n#else\n", "#endif\n"),
        ("a.h", '#ifndef A_H\nextern "C" {\n', "}\n#endif\n"),
        ("a.cc", "namespace shop {\n", "}\n"),
        ("a.cc", "namespace shop {\n#if A\n", "#endif\n}\n"),
    ],
)
def test_the_body_of_a_function_that_a_macro_heads_declares_nothing_outside(
    path: str, before: str, after: str
) -> None:
    body = "  int local = 1;\n  char *name;\n  local = shared;\n  use(name);\n"
    functions = f"TEST(shop, one) {{\n{body}}}\nTEST(shop, two) {{\n{body}}}\n"
    graph = make_graph({path: f"{before}int shared;\n{functions}{after}"})
    names = [one.symbol.name for one in graph.outline(path)]
    assert "shared" in names
    assert not {"local", "name"} & set(names)
    (shared,) = (one for one in graph.outline(path) if one.symbol.name == "shared")
    lines = [line for edge in graph.find_incoming(shared, NAMED).edges for line in edge.lines]
    first = before.count("\n") + 5
    assert lines == [first, first + 6]


def test_a_function_that_a_condition_tears_apart_has_variables_of_its_own() -> None:
    text = (
        "static int global;\n"
        "void run(int n) {\n"
        "  struct item *one;\n"
        "#if A\n"
        "  for (;n;) {\n"
        "#else\n"
        "  for (;;) {\n"
        "#endif\n"
        "    one = use(global);\n"
        "  }\n"
        "}\n"
        "int more(void) {\n  return global;\n}\n"
    )
    graph = make_graph({"a.c": text})
    assert graph.find_status("a.c") is ParseStatus.PARTIAL
    assert "one" not in {node.symbol.name for node in graph.outline("a.c")}
    (edges,) = (
        graph.find_incoming(one, NAMED).edges for one in graph.outline("a.c") if one.symbol.name == "global"
    )
    assert {line for edge in edges for line in edge.lines} == {9, 13}


def test_the_name_that_a_macro_makes_another_of_is_no_use() -> None:
    text = "static void spawn(void) { }\nBENCH(spawn) {\n  spawn();\n}\n"
    assert [row[3] for row in list_incoming(make_graph({"a.c": text}), "spawn")] == [(3,)]


def test_a_name_that_a_macro_is_given_behind_a_struct_is_most_likely_its_member() -> None:
    found = Repository.build(
        {
            "pool.c": """
                static int links;
                struct link { int next; };
                struct part { struct link links; int size; };
                struct part *f(struct link *size) {
                    take(size, struct part, links);
                    take(size, struct part, links.next);
                    holder_of(size, struct part, size);
                    return make(links, struct other, links);
                }
            """
        }
    )
    assert found.ask("pool.c", "part, links);", "links") == ["pool.c:3 links probable"]
    assert found.ask("pool.c", "part, links);", "part") == ["pool.c:3 part exact"]
    assert found.ask("pool.c", "links.next", "next") == ["pool.c:2 next probable"]
    assert found.ask("pool.c", "holder_of", "size") == ["pool.c:3 size probable"]
    assert found.ask("pool.c", "struct other", "other") == []
