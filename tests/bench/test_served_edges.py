"""Edges that a server gives over stdio are those that the resolver finds."""

from __future__ import annotations

from pathlib import Path

from bench.graph.compare import Sides, collect
from bench.graph.scip import ScipIndex
from bench.graph.served import collect_served
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.languages.python.symbol_parser import parse
from tests.repo_mcp.graph.memory_program import MemoryProgram

CALLS = 90  # more than one page of an answer
TEXTS = {
    "a.py": "class A:\n    def run(self):\n        return helper()\n\n\ndef helper():\n    return 1\n",
    "b.py": "from a import A, helper\n\n\ndef many():\n" + "    helper()\n" * CALLS,
    "c.py": "from a import A\n\n\n" + "".join(f"def u{n}():\n    A().run()\n\n\n" for n in range(CALLS)),
}


def test_pages_of_a_server_have_all_that_is_resolved(tmp_path: Path) -> None:
    for path, text in TEXTS.items():
        (tmp_path / path).write_text(text)
    program = MemoryProgram(TEXTS, {"python": parse})
    index = ScipIndex(occurrences={path: [] for path in TEXTS})
    resolved = collect(program, PythonResolver(program), index, {path: [] for path in TEXTS})
    served, found = Sides(), collect_served(tmp_path, program, TEXTS)
    served.take_served(found)
    assert {place: set(found) for place, found in served.ours.items()} == {
        place: set(found) for place, found in resolved.ours.items()
    }
    assert served.our_calls == resolved.our_calls
    assert found.answers > len(TEXTS) + CALLS
