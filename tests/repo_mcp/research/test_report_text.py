"""Whole reports on a small service as people read them: golden text, changed on purpose only.

After a change that is meant: `python -m tests.repo_mcp.research.test_report_text`, and read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.toolsets.research.research_calls import cut_report
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
