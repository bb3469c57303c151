"""Whole reports on a small service as people read them: golden text, changed on purpose only.

After a change that is meant: `python -m tests.repo_mcp.research.test_report_text`, and read the diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.records import MapEdge, MapNode, Report, ResearchRequest
from repo_mcp.toolsets.research.report_record import cut_report
from repo_mcp.toolsets.research.research_text import render_report
from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.research.test_research_answers import SERVICE

GOLDEN = Path(__file__).with_name("golden")
QUESTIONS = {
    "callers": "what calls authenticate()",
    "architecture": "architecture of the service",
    "way": "how does handle reach make_token",
    "open": "how are sessions opened for a user",
}


def render(question: str) -> str:
    return render_report(question, cut_report(Asked(SERVICE).ask(question, depth=3), 40).result)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_report_reads_as_it_did(name: str) -> None:
    assert render(QUESTIONS[name]) == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, question in QUESTIONS.items():
        (GOLDEN / f"{name}.md").write_text(render(question), encoding="utf-8")


def _list_callers(tests: int) -> Report:
    files = {
        "box.py": "def open_box(box):\n    return box.lid\n",
        "van.py": "from box import open_box\n\n\ndef load(box):\n    return open_box(box)\n",
        "tests/test_box.py": "from box import open_box\n"
        + "".join(f"\n\ndef test_box_{number}():\n    open_box({number})\n" for number in range(tests)),
    }
    return Asked(files).ask("who calls open_box?")


def test_callers_in_tests_are_counted_if_they_are_many() -> None:
    report = _list_callers(5)
    result = cut_report(report, 40).result
    assert _list_symbols(report) == ["box.open_box", "van.load"]
    assert result["surroundings"] == [
        {
            "what": "tests that lead to it",
            "places": [
                "test_box.test_box_0 (tests/test_box.py:4-5), test_box.test_box_1 (:8-9)",
                "and 3 more",
            ],
        }
    ]
    assert ", and at 5 places in tests" in report.claim


def test_few_callers_in_tests_are_findings() -> None:
    assert len(_list_symbols(_list_callers(2))) == 4
    asked = replace(_list_callers(5), request=ResearchRequest("who calls open_box?", findings=9))
    assert len(_list_symbols(asked)) == 7


def test_the_map_has_what_its_edges_connect() -> None:
    report = _list_callers(0)
    (_, caller) = report.map_nodes
    far, lone = (MapNode(one, one, "function", "far.py") for one in ("far", "lone"))
    wide = replace(
        report,
        map_nodes=(*report.map_nodes, lone, far),
        map_edges=(MapEdge("far", caller.key, "calls", "exact"),),
    )
    shown: Any = cut_report(wide, 40).result["dependency_map"]
    assert [one["label"] for one in shown["nodes"]] == [caller.label, "far"]
    known = replace(wide, map_nodes=(*report.map_nodes, lone), map_edges=report.map_edges)
    assert cut_report(known, 40).result["dependency_map"] == {"nodes": [], "edges": []}


def _list_symbols(report: Report) -> list[str]:
    findings: Any = cut_report(report, 40).result["findings"]
    return [one["symbol"] for one in findings]
