"""Findings of a question in words begin with the best and stand in the order of execution."""

from __future__ import annotations

import pytest

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.research.edges.execution import order_by_calls
from repo_mcp.research.findings.records import Finding, MapEdge
from repo_mcp.research.findings.research_state import NO_REASON
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, ParseStatus, SymbolFlag, SymbolKind
from repo_mcp.toolsets.research.report_record import cut_report
from tests.repo_mcp.research.asking import Asked


def build(name: str, hop: int = 0) -> Finding:
    symbol = DeclaredSymbol(1, name, SymbolKind.FUNCTION, 0, 1, 2, SymbolFlag(0), Access.NONE, "", 0, "")
    node = Node(name, Declaration("a.py", 1), name, name, "python", symbol, ParseStatus.FULL)
    return Finding("a.py", 1, 2, name, "function", node, NO_REASON, hop, "probable")


def call(source: str, target: str, line: int, kind: str = "calls") -> MapEdge:
    return MapEdge(source, target, kind, "exact", f"a.py:{line}-{line}")


@pytest.mark.parametrize(
    ("names", "edges", "ordered"),
    [
        ("best entry", [call("entry", "best", 3)], "best entry"),
        ("best entry below", [call("entry", "best", 3), call("best", "below", 5)], "best below entry"),
        ("best late early", [call("best", "late", 9), call("best", "early", 4)], "best early late"),
        ("best far near", [call("far", "near", 1), call("near", "best", 1)], "best far near"),
        ("best other", [call("other", "best", 1, "references")], "best other"),
        ("one two", [call("one", "two", 1), call("two", "one", 5)], "one two"),
        ("alone again", [call("alone", "alone", 2)], "alone again"),
        ("best mine yours", [call("mine", "best", 1), call("yours", "best", 1)], "best mine yours"),
    ],
)
def test_the_best_comes_first_and_callees_behind_their_caller_in_the_order_of_the_calls(
    names: str, edges: list[MapEdge], ordered: str
) -> None:
    found = order_by_calls([build(name) for name in names.split()], edges)
    assert [one.symbol for one in found] == ordered.split()


def test_what_is_reached_over_hops_stays_behind() -> None:
    found = order_by_calls(
        [build("near"), build("far", 1), build("next")], [call("far", "near", 1), call("next", "near", 1)]
    )
    assert [one.symbol for one in found] == ["near", "next", "far"]


KITCHEN = {
    "kitchen.py": '''def wash_dish(dish):
    if dish.is_dirty:
        dish.dirt = None
    return dish


def dry_dish(dish):
    while dish.is_wet:
        dish.wetness -= 1
    return dish


def clean_dish(dish):
    """Clean a dish: wash it, then dry it."""
    clean = wash_dish(dish)
    return dry_dish(clean)
'''
}


def test_an_answer_begins_with_what_its_first_sentence_names() -> None:
    report = Asked(KITCHEN).ask("how is a dish washed and dried?")
    shown = cut_report(report, len(report.findings)).result["findings"]
    assert isinstance(shown, list)
    names = [one["symbol"] for one in shown if not one["hop"]]
    assert "kitchen.wash_dish (kitchen.py:1-4) fits the other words best." in report.claim
    assert names == ["kitchen.wash_dish", "kitchen.clean_dish", "kitchen.dry_dish"]
