"""Uses of a name that each folder of variants, such as `arch/a`, declares in a header of the same place."""

from __future__ import annotations

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.variant_uses import SharedUses
from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import make_graph

CALLS = frozenset({EdgeType.CALLS})
TEXTS = {
    "arch/a/include/asm/cache.h": "static inline void flush(int a) {}\n",
    "arch/b/include/asm/cache.h": "#define flush(a) flush_all()\n",
    "arch/a/own.c": "#include <asm/cache.h>\nvoid own(void) { flush(1); }\n",
    "lib/cache.c": "#include <asm/cache.h>\nvoid shared(void)\n{\n\tflush(1);\n\tflush(2);\n}\n",
    "lib/other.c": "static void flush(int a) {}\nvoid other(void) { flush(1); }\n",
    "lib/plain.h": "static inline void only(int a) {}\n",
}


def find(graph: Graph, symbol: str) -> SharedUses | None:
    return graph.variant_uses.find(graph.choose(symbol), CALLS)


def test_uses_outside_the_folders_of_variants_may_mean_each_of_them() -> None:
    graph = make_graph(TEXTS)
    for arch in ("a", "b"):
        shared = find(graph, f"arch/{arch}/include/asm/cache.h:1")
        assert shared == SharedUses(2, [("lib/cache.c", 4), ("lib/cache.c", 5)], 3)


def test_variants_may_be_in_folders_of_the_root() -> None:
    graph = make_graph({path.removeprefix("arch/"): text for path, text in TEXTS.items()})
    assert find(graph, "a/include/asm/cache.h:1") == SharedUses(
        2, [("lib/cache.c", 4), ("lib/cache.c", 5)], 3
    )


def test_a_symbol_without_variants_shares_no_uses() -> None:
    graph = make_graph(TEXTS)
    assert find(graph, "only") is None
    assert find(graph, "lib/other.c:1") is None
