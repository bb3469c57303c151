"""C: what the preprocessor decides is no more than probable, and of alternatives each is meant."""

from __future__ import annotations

import pytest

from repo_mcp.graph.c import conditions as c_conditions
from repo_mcp.graph.c.conditions import (
    ALL,
    Setting,
    excludes,
    excludes_surely,
    lacks_condition,
    read_condition,
    read_path,
    read_setting,
)
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import NAMED, EdgeType, SymbolFilter
from tests.repo_mcp.graph.memory_index import make_graph

Found = list[tuple[str, str, tuple[int, ...]]]  # confidence, user, lines


def list_uses(graph: Graph, name: str, path: str, types: frozenset[EdgeType] = NAMED) -> Found:
    """Return the uses of the symbols of a name that a file declares, in order."""
    nodes, *_ = graph.look_up(name, SymbolFilter())
    edges = [edge for node in nodes if node.path == path for edge in graph.find_incoming(node, types).edges]
    found = [(one.confidence.value, graph.get_node(one.other).qualified_name, one.lines) for one in edges]
    return sorted(found, key=lambda one: one[1:])


# What conditions say


@pytest.mark.parametrize(
    ("text", "name", "is_certain", "may_be"),
    [
        ("defined(_WIN32)", "src/win/a.c", True, True),
        ("defined(_WIN32)", "src/unix/a.c", False, False),
        ("!defined(_WIN32)", "src/unix/a.c", True, True),
        ("!(defined(_WIN32) && OLD)", "src/linux/a.c", True, True),
        ("!(defined(_WIN32) && OLD)", "src/win/a.c", False, True),
        ("defined(__APPLE__) || defined(__linux__)", "src/linux/a.c", True, True),
        ("defined(_MSC_VER) && _MSC_VER < 1600", "src/win/a.c", False, True),
        ("defined(_MSC_VER) && _MSC_VER < 1600", "src/unix/a.c", False, False),
        ("_MSC_VER < 1600", "src/win/a.c", False, True),
        ("f(x, (3)) == 2 || defined(_AIX)", "src/aix/a.c", True, True),
        ("HAVE_THIS", "src/a.c", False, True),
        ("0", "src/a.c", False, False),
        ("1", "src/a.c", True, True),
        ("((((defined(_WIN32)", "src/a.c", False, True),
        ("(" * 500, "src/a.c", False, True),
        ("", "src/a.c", False, True),
    ],
)
def test_a_condition_holds_on_the_platforms_of_a_path(
    text: str, name: str, is_certain: bool, may_be: bool
) -> None:
    sure, may = read_condition(text)
    assert (not read_path(name) & ~sure, bool(read_path(name) & may)) == (is_certain, may_be)


def test_a_word_of_a_path_is_a_platform_only_as_a_whole() -> None:
    assert read_path("window/winner.c") == read_path("src/unixes.c") == ALL
    assert read_path("src/unix/linux.c") == read_path("linux.c") == read_path("a/linux-core.c")
    assert read_path("src/unix/no-proctitle.c") == read_path("src/posix.c")


def test_settings_that_exclude_each_other() -> None:
    both = read_setting("a.c", ["defined(A)", "B > 1"])
    assert excludes(both, read_setting("a.c", ["!(defined(A) && B > 1)"]))
    assert excludes(read_setting("a.c", ["!defined(A)"]), both)
    assert excludes(read_setting("src/win/a.c", []), read_setting("a.c", ["defined(__linux__)"]))
    assert not excludes_surely(read_setting("src/win/a.c", []), read_setting("a.c", ["defined(__linux__)"]))
    windows = read_setting("a.c", ["defined(_WIN32)"])
    assert excludes_surely(windows, read_setting("a.c", ["defined(__linux__)"]))
    assert not excludes(both, read_setting("a.c", ["defined(C)"]))
    assert lacks_condition(Setting(), both)
    assert not lacks_condition(both, both)


# What names mean


def test_a_macro_that_renames_a_type_is_what_the_type_s_name_means() -> None:
    texts = {
        "src/text.h": "typedef char *text;\ntext make(void);\n",
        "deps/compat/compat.h": "#define text other_text\n",
        "src/tool.c": '#include <compat.h>\n#include "text.h"\nint f(text one) { return 1; }\n',
        "src/main.c": '#include "text.h"\nint g(text one) { return 1; }\n',
    }
    graph = make_graph(texts)
    assert list_uses(graph, "text", "src/text.h") == [
        ("possible", "f", (3,)),
        ("exact", "g", (2,)),
        ("exact", "make", (2,)),
    ]
    assert ("exact", "f", (3,)) in list_uses(graph, "text", "deps/compat/compat.h")


def test_a_name_that_is_a_macro_on_another_platform_is_not_exact() -> None:
    text = (
        "#ifdef _WIN32\n# define unlink _unlink\n#endif\n"
        "int f(void) { return unlink(1); }\n"
        "#ifdef _WIN32\nint g(void) { return unlink(2); }\n#endif\n"
        "#ifndef _WIN32\nint h(void) { return unlink(3); }\n#endif\n"
    )
    found = list_uses(make_graph({"test.c": text}), "unlink", "test.c")
    assert found[:2] == [("possible", "f", (4,)), ("exact", "g", (6,))]


PLATFORMS = {
    "include/loop.h": (
        "#ifndef LOOP_H\n#define LOOP_H\n"
        "#if defined(_WIN32)\n# include \"loop/win.h\"\n#else\n# include \"loop/unix.h\"\n#endif\n"
        "int loop_run(buf_t *buf);\nint loop_title(void);\n"
        "#endif\n"
    ),
    "include/loop/win.h": "typedef struct { unsigned long len; } buf_t;\n#define LOOP_APPEND 1\n",
    "include/loop/unix.h": "typedef struct { long len; } buf_t;\n#define LOOP_APPEND 2\n",
    "src/win/core.c": (
        '#include "loop.h"\n'
        "int loop_run(buf_t *buf) { return buf->len; }\nint loop_title(void) { return 1; }\n"
    ),
    "src/unix/core.c": '#include "loop.h"\nint loop_run(buf_t *buf) { return buf->len; }\n',
    "src/unix/title.c": '#include "loop.h"\nint loop_title(void) { return LOOP_APPEND; }\n',
    "src/unix/aix.c": '#include "loop.h"\nint loop_title(void) { return loop_run(0); }\n',
    "test/use.c": (
        '#include "loop.h"\n'
        "int f(buf_t *buf) {\n  loop_run(buf);\n  loop_title();\n  return buf->len + LOOP_APPEND;\n}\n"
    ),
}  # fmt: skip


def test_of_a_twin_for_each_platform_every_one_is_probable() -> None:
    graph = make_graph(PLATFORMS)
    calls = frozenset({EdgeType.CALLS})
    for path in ("src/win/core.c", "src/unix/core.c"):
        assert ("probable", "f", (3,)) in list_uses(graph, "loop_run", path, calls)
    for path in ("src/win/core.c", "src/unix/title.c", "src/unix/aix.c"):
        assert list_uses(graph, "loop_title", path, calls) == [("probable", "f", (4,))]
    for path in ("include/loop/win.h", "include/loop/unix.h"):
        assert ("probable", "f", (5,)) in list_uses(graph, "buf_t.len", path)
        assert ("probable", "f", (5,)) in list_uses(graph, "LOOP_APPEND", path)
        assert ("probable", "f", (2,)) in list_uses(graph, "buf_t", path)


def test_a_use_in_the_folder_of_a_platform_means_the_twin_of_that_platform() -> None:
    graph = make_graph(PLATFORMS)
    for name in ("unix", "win"):
        uses = list_uses(graph, "buf_t.len", f"include/loop/{name}.h")
        assert [one for one in uses if one[1] == "loop_run"] == [("probable", "loop_run", (2,))]
    assert ("exact", "loop_title", (2,)) in list_uses(graph, "loop_run", "src/unix/core.c")
    assert "loop_title" not in [one[1] for one in list_uses(graph, "loop_run", "src/win/core.c")]


def test_the_prototype_of_twins_is_called_where_they_are() -> None:
    graph = make_graph(PLATFORMS)
    assert ("probable", "f", (3,)) in list_uses(graph, "loop_run", "include/loop.h")


def test_definitions_of_two_programs_are_no_twins() -> None:
    texts = {
        "include/free.h": "void give(int);\n",
        "mm/one.c": '#include "free.h"\nvoid give(int n) {}\n',
        "tools/two.c": "void give(int n) {}\n",
        "drivers/use.c": '#include "free.h"\nvoid f(void) { give(1); }\n',
    }
    assert {one[0] for one in list_uses(make_graph(texts), "give", "mm/one.c")} == {"probable"}
    assert not list_uses(make_graph(texts), "give", "tools/two.c")


def test_of_two_programs_each_calls_the_definition_behind_its_own_header() -> None:
    header = "void give(int);\n"
    texts = {
        "include/free.h": header,
        "tools/include/free.h": header,
        "mm/one.c": "#include <free.h>\nvoid give(int n) {}\n",
        "mm/other.c": "#include <free.h>\nvoid give(int n) {}\n",
        "tools/lib/two.c": "#include <free.h>\nvoid give(int n) {}\n",
        "drivers/use.c": "#include <free.h>\nvoid f(void) { give(1); }\n",
        "tools/run/use.c": "#include <free.h>\nvoid g(void) { give(1); }\n",
    }
    graph, calls = make_graph(texts), frozenset({EdgeType.CALLS})
    for path in ("mm/one.c", "mm/other.c"):  # one of them, by configuration
        assert list_uses(graph, "give", path, calls) == [("possible", "f", (2,))]
    assert list_uses(graph, "give", "tools/lib/two.c", calls) == [("probable", "g", (2,))]


def test_both_branches_of_an_if_are_alternatives_and_a_use_in_one_means_that_one() -> None:
    text = (
        "#if defined(FAST) && LEVEL > 1\n"
        "static int step(int n) { return n; }\n"
        "static int one(void) { return step(1); }\n"
        "#else\n"
        "static int step(int n) { return -n; }\n"
        "static int two(void) { return step(2); }\n"
        "#endif\n"
        "int all(void) { return step(3); }\n"
    )
    graph = make_graph({"a.c": text})
    calls = frozenset({EdgeType.CALLS})
    assert sorted(list_uses(graph, "step", "a.c", calls)) == [
        *[("exact", "one", (3,)), ("exact", "two", (6,))],
        *[("probable", "all", (8,))] * 2,
    ]


def test_what_stands_under_no_condition_counts_before_what_does() -> None:
    texts = {
        "core.h": '#define CORE\n#include "module.h"\ntypedef long long span_t;\n',
        "module.h": "#ifndef CORE\ntypedef long long span_t;\n#endif\n",
        "use.c": '#include "core.h"\nspan_t f(void) { return 1; }\n',
    }
    graph = make_graph(texts)
    assert list_uses(graph, "span_t", "core.h") == [("probable", "f", (2,))]
    assert list_uses(graph, "span_t", "module.h") == []


def test_a_header_that_a_condition_includes_is_no_more_certain_than_the_condition() -> None:
    texts = {
        "calls.h": "struct event { int mask; };\n",
        "sure.h": '#ifndef SURE_H\n#define SURE_H\n#include "calls.h"\n#endif\n',
        "use.c": (
            '#ifdef __MVS__\n#include "calls.h"\n#endif\n'
            "int f(struct event *e) { return e->mask; }\n"
            "#ifdef __MVS__\nint g(struct event *e) { return e->mask; }\n#endif\n"
        ),
        "other.c": '#include "sure.h"\nint h(struct event *e) { return e->mask; }\n',
    }
    graph = make_graph(texts)
    expected = [("probable", "f", (4,)), ("exact", "g", (6,)), ("exact", "h", (2,))]
    assert list_uses(graph, "event.mask", "calls.h") == expected
    assert list_uses(graph, "event", "calls.h") == expected


def test_a_prototype_that_a_condition_includes_makes_no_call_exact() -> None:
    texts = {
        "calls.h": "int epoll_ctl(int);\n",
        "calls.c": '#include "calls.h"\nint epoll_ctl(int n) { return n; }\n',
        "use.c": '#ifdef __MVS__\n#include "calls.h"\n#endif\nint f(void) { return epoll_ctl(1); }\n',
        "sure.c": '#include "calls.h"\nint g(void) { return epoll_ctl(1); }\n',
    }
    found = list_uses(make_graph(texts), "epoll_ctl", "calls.c")
    assert found == [("probable", "f", (4,)), ("exact", "g", (2,))]


def test_the_line_of_a_condition_is_outside_it() -> None:
    graph = make_graph({"a.c": "#ifndef LIMIT\n#define LIMIT 1\n#endif\nint f(void) { return LIMIT; }\n"})
    assert list_uses(graph, "LIMIT", "a.c") == [("probable", "a.c", (1,)), ("probable", "f", (4,))]


def test_the_guard_of_a_header_is_no_condition() -> None:
    texts = {
        "a.h": "/* text */\n#ifndef A_H\n/* more */\n# define A_H\nint made(int);\n#endif\n",
        "a.c": '#include "a.h"\nint made(int n) { return n; }\n',
        "use.c": '#include "a.h"\nint f(void) { return made(1); }\n',
    }
    assert list_uses(make_graph(texts), "made", "a.c") == [("exact", "f", (2,))]


def test_what_stands_in_for_a_name_of_the_system_is_possible() -> None:
    system = "#ifndef __NR_statx\n# define __NR_statx 332\n#endif\n"
    own = "#ifndef MAX_FILES\n# define MAX_FILES 32\n#endif\n"
    user = "int ask(void) {\n  return syscall(__NR_statx, MAX_FILES);\n}\n"
    graph = make_graph({"src/a.c": system + own + user})
    found = {one[0] for one in list_uses(graph, "__NR_statx", "src/a.c") if one[1] == "ask"}
    assert found == {"possible"}
    assert ("probable", "ask", (8,)) in list_uses(graph, "MAX_FILES", "src/a.c")


def test_what_is_never_compiled_with_a_use_is_possible() -> None:
    files = {
        "src/os390.h": "int epoll_ctl(int file);\n",
        "src/os390.c": '#include "os390.h"\nint epoll_ctl(int file) {\n  return file;\n}\n',
        "src/linux.c": "#include <sys/epoll.h>\nint watch(void) {\n  return epoll_ctl(1);\n}\n",
    }
    assert list_uses(make_graph(files), "epoll_ctl", "src/os390.c") == [("possible", "watch", (3,))]


@pytest.mark.parametrize("text", ["!defined(_LINUX_SLAB_H)", "defined(CONFIG_X) && !(A || B > C)", "", ")("])
def test_conditions_that_name_no_platform_are_not_parsed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(c_conditions, "_read_any", None)
    assert read_condition.__wrapped__(text) == (0, ALL)


def test_a_definition_under_a_condition_is_an_alternative_to_that_of_another_source() -> None:
    texts = {
        "include/free.h": "void give(int);\n",
        "mm/small.c": '#include "free.h"\nvoid give(int n) {}\n',
        "mm/usual.c": '#include "free.h"\n#ifndef SMALL\nvoid give(int n) {}\n#endif\n',
        "drivers/use.c": '#include "free.h"\nvoid f(void) { give(1); }\n',
    }
    graph = make_graph(texts)
    for path in ("mm/small.c", "mm/usual.c"):
        assert list_uses(graph, "give", path) == [("possible", "f", (2,))]
