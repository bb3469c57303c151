"""A header that declares a function, or has an inline stub in its place if a feature is left out."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

HEADER = """
#ifdef CONFIG_TUNNEL
int compare(int a, int b);
#else
static inline int compare(int a, int b)
{
    return 0; /* the stub */
}
#endif
"""
TEXTS = {
    "include/tunnel.h": HEADER,
    "core/state.c": "#include <tunnel.h>\nint compare(int a, int b)\n{\n    return a - b;\n}\n",
    "ipv4/use.c": """
        #include <tunnel.h>
        int use(void) { return compare(1, 2); } // in any build
        #ifdef CONFIG_TUNNEL
        int with(void) { return compare(3, 4); } // with the feature
        #else
        int without(void) { return compare(5, 6); } // without it
        #endif
    """,
}
STUB, DEFINED = "include/tunnel.h:4 compare", "core/state.c:2 compare"


def test_a_call_means_the_stub_or_the_definition_by_the_build() -> None:
    ask = Repository.build(TEXTS).ask
    assert sorted(ask("ipv4/use.c", "in any build", "compare")) == [f"{DEFINED} probable", f"{STUB} probable"]
    assert ask("ipv4/use.c", "with the feature", "compare") == [f"{DEFINED} exact"]
    assert ask("ipv4/use.c", "without it", "compare") == [f"{STUB} exact"]


def test_a_definition_of_another_program_is_not_meant() -> None:
    other = {"tools/own.c": "int compare(int a, int b)\n{\n    return b;\n}\n"}
    found = Repository.build(TEXTS | other).ask("ipv4/use.c", "in any build", "compare")
    assert sorted(found) == [f"{DEFINED} probable", f"{STUB} probable"]
    found = Repository.build(TEXTS | {"core/state.c": other["tools/own.c"]}).ask(
        "ipv4/use.c", "in any build", "compare"
    )
    assert f"{STUB} probable" in found


def test_without_a_prototype_a_function_of_a_header_is_meant() -> None:
    texts = TEXTS | {"include/tunnel.h": HEADER.replace("int compare(int a, int b);", "")}
    found = Repository.build(texts).ask("ipv4/use.c", "in any build", "compare")
    assert [one.split(" ")[0] for one in found] == ["include/tunnel.h:4"]
