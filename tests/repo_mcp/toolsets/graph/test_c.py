"""Calls of the `graph` toolset over C: tables of functions, names that several files declare, variants."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.graph.most_used import TAKEN
from repo_mcp.toolsets.graph.no_edges import NO_BASE, NOT_CALLED, TRACED
from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "include/disk.h": (
        "struct operations {\n\tlong (*read)(int);\n\tint (*open)(int);\n};\n"
        "long generic_read(int a);\nvoid give(void *one);\n"
    ),
    "lib/disk.c": (
        '#include "../include/disk.h"\n'
        "long generic_read(int a) { return a; }\n"
        "static long fast_read(int a) { return a; }\n"
        "static int fast_open(int a) { return a; }\n"
        "struct operations fast = {\n\t.read = fast_read,\n\t.open = fast_open,\n};\n"
        "struct operations both = { .read = fast_read, .open = fast_open };\n"
    ),
    "lib/slow.c": (
        '#include "../include/disk.h"\n'
        "struct operations slow = {\n\t.read = generic_read,\n\t.open = 0,\n};\n"
    ),
    "lib/give.c": '#include "../include/disk.h"\nvoid give(void *one) {}\n',
    "tools/give.c": "void give(void *one) {}\n",
    "lib/flush.c": "static void flush(int a) {}\nvoid one(void) { flush(1); }\n",
    "lib/other.c": "static void flush(void) {}\nvoid other(void) { flush(); }\n",
    "include/runs.h": "TRACE_EVENT(runs, TP_PROTO(int a), TP_ARGS(a));\n",
    "lib/trace.c": '#include "../include/runs.h"\nvoid trace(void) { trace_runs(1); }\n',
    "lib/hand.c": "void run(int a) {}\nvoid hand(void) { CALL_ONE(run, 1); }\n",
} | {
    f"lib/use{number}.c": f'#include "../include/disk.h"\nvoid use{number}(void) {{ give(0); }}\n'
    for number in range(12)
}


def test_the_functions_in_tables_implement_a_member_of_a_struct(served: Served) -> None:
    answer = served.call("get_implementations", symbol="operations.read")
    found = {(one["name"], one["via"], one["lines"].partition("\t")[0]) for one in answer["result"]}
    assert found == {("generic_read", "slow", "2"), ("fast_read", "fast", "3"), ("fast_read", "both", "3")}
    assert {one["edge_type"] for one in answer["result"]} == {"implements"}


def test_a_struct_of_c_says_that_nothing_can_name_it_as_its_base(served: Served) -> None:
    answer = served.call("get_implementations", symbol="operations")
    assert (answer["result"], answer["warnings"]) == ([], [NO_BASE.format("struct")])


def test_a_struct_of_c_says_that_nothing_calls_it(served: Served) -> None:
    answer = served.call("get_callers", symbol="operations")
    assert (answer["result"], answer["warnings"]) == ([], [NOT_CALLED.format("a struct")])


@pytest.mark.parametrize("symbol", ["struct operations", " struct  operations ", "union operations"])
def test_a_keyword_before_a_type_is_no_part_of_its_name(served: Served, symbol: str) -> None:
    answer = served.call("get_dependents", symbol=symbol)
    assert answer["symbol"]["qualified_name"] == "operations"


def test_of_several_symbols_that_is_taken_which_nearly_all_uses_mean(served: Served) -> None:
    answer = served.call("get_callers", symbol="give")
    assert answer["total"] == 12
    said = TAKEN.format(2, "lib/give.c:2", 12, 12, "tools/give.c:1")
    assert said in answer["warnings"]


def test_an_event_names_the_function_that_traces_it(served: Served) -> None:
    answer = served.call("get_callers", symbol="runs")
    assert (answer["result"], answer["warnings"]) == ([], [TRACED.format("trace_runs")])
    assert [one["name"] for one in served.call("get_callers", symbol="trace_runs")["result"]] == ["trace"]


def test_candidates_say_how_many_uses_mean_them(served: Served) -> None:
    found = served.error("get_callers", symbol="flush")["candidates"]
    assert [one["sampled_uses"] for one in found] == ["1 of 2", "1 of 2"]


def test_the_few_places_that_hand_a_function_on_are_shown(served: Served) -> None:
    (said,) = served.call("get_callers", symbol="run")["warnings"]
    assert said == "One place uses it without a call: lib/hand.c:2 `void hand(void) { CALL_ONE(run, 1); }`."
