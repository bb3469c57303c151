"""A reason names a call or a use only if the graph has one; else it gives the words that were found."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

FILLING = "    tick();\n" * 40  # a small class is shown as one
CLIENT = {
    "client.ts": f"""
export class LineClient {{
  private line: WebSocket;
  listen() {{
    if (this.isLost) {{
      this.line.disconnect(3000);
    }}
    this.dialAgain();
  }}
  disconnect() {{
    if (this.isLost) {{
      return;
    }}
    this.line = stop(this.line);
  }}
  dialAgain() {{
    if (this.isLost) {{
      this.line = start(this.line);
    }}
  }}
  count() {{
{FILLING}  }}
}}
"""
}


def test_a_call_of_something_else_with_the_name_is_no_reason() -> None:
    report = Asked(CLIENT).ask("how does a lost line dial again and disconnect?")
    why = {one.name: one.why for one in report.findings}
    assert why["dialAgain"] == "called by LineClient.listen"
    assert why["disconnect"].startswith("has words like ")
