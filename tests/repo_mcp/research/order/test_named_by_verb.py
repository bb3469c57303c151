"""A function whose name is the verb of the question leads, if it is among the good ones."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

FILLING = "    tick();\n" * 40  # a small class is shown as one
LINK = {
    "line_link.ts": f"""
export class LineLink {{
  constructor(line: Line) {{
    this.line = line;
    if (line.isLost) {{
      line.link = this;
    }}
    this.resume();
  }}
  resume() {{
    if (this.isOver) {{
      return;
    }}
    this.line = start(this.line);
  }}
  count() {{
{FILLING}  }}
}}
"""
}


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("how does the line link resume after the line is lost?", "resume"),
        ("how does the line link know that a link of a line is lost?", "constructor"),
    ],
)
def test_the_function_named_by_the_verb_leads(asked: str, best: str) -> None:
    report = Asked(LINK).ask(asked)
    assert report.findings[0].name == best
