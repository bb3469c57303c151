"""Edges that are drawn to be read by eye: the same for the same seed, with the lines of both ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.graph.sample import draw, iter_edges, main
from repo_mcp.graph.program import Confidence
from tests.repo_mcp.graph.memory_index import make_graph

FILES = {
    "shop/base.py": "class Base:\n    def run(self):\n        return helper()\n\n\n"
    "def helper():\n    return 1\n",
    "shop/use.py": "from shop.base import Base\n\n\ndef many(other):\n    Base().run()\n    other.run()\n",
    "web/lib.ts": "export function a() { return a; }\n",
}


def test_only_edges_of_the_language_and_the_confidence_are_drawn() -> None:
    scan = make_graph(FILES).scan
    sure = list(iter_edges(scan, "python", Confidence.EXACT))
    assert {(one.path, one.reference.line, one.reference.name) for one in sure} == {
        ("shop/base.py", 3, "helper"),
        ("shop/use.py", 1, "Base"),
        ("shop/use.py", 5, "Base"),
        ("shop/use.py", 5, "run"),
    }
    assert not any(one.reference.line == 5 for one in iter_edges(scan, "python", Confidence.POSSIBLE))
    assert [one.path for one in iter_edges(scan, "typescript", Confidence.EXACT)] == ["web/lib.ts"]
    assert draw(sure, 2, 7) == draw(sure, 2, 7)
    assert draw(sure, 9, 7) == sure


def test_both_lines_of_an_edge_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert main([str(tmp_path), "--language", "python", "--path", "shop/base"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1. shop/base.py:3 helper (call)",
        "    return helper()",
        " -> shop/base.py:6 helper (function)",
        "    def helper():",
        "drawn from 1 edges",
    ]
    assert main([str(tmp_path), "--language", "swift"]) == 1
