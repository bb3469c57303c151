"""A reason names a call or a use only if the graph has one; else it gives the words that were found."""

from __future__ import annotations

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.excerpts import add_excerpts
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.asked_words import PreferredKind
from repo_mcp.research.seeds.confirmed_reasons import confirm_reasons
from repo_mcp.research.seeds.seed import build_seed
from repo_mcp.research.words.shown_lines import note_seeds
from repo_mcp.toolsets.research.shown_findings import shorten
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


def test_a_namespace_calls_nothing_of_its_own() -> None:
    calls = "".join(f"  push{n}();\n" for n in range(450))  # more than are read
    asked = Asked({"gate.cpp": f"namespace post {{\nvoid open() {{\n}}\nvoid all() {{\n{calls}}}\n}}\n"})
    control, request = RunControl(lambda: False), ResearchRequest("how is it opened?")
    state = ResearchState(asked.open_source(), request, control, wants_tests=False)
    node = next(one for one in state.graph.outline("gate.cpp") if one.symbol.name == "open")
    seed = replace(build_seed(state, node, 1.0), reason=Reason("called by post"))
    assert [one.reason.text for one in confirm_reasons(state, [seed], {})] == ["fits the question"]


def test_a_type_is_not_called_by_what_calls_another_of_its_name() -> None:
    texts = {
        "web/errors.ts": "export class AccessError {\n  name = 1;\n}\n",
        "server/errors.ts": "export function AccessError() {\n  return 1;\n}\n",
        "server/rules.ts": """
import { AccessError } from "./errors";
export function authorize() {
  throw AccessError();
}
""",
        "web/client.ts": """
import { AccessError } from "./errors";
export function refuse() {
  throw new AccessError();
}
""",
    }
    control, request = RunControl(lambda: False), ResearchRequest("who is refused?")
    state = ResearchState(Asked(texts).open_source(), request, control, wants_tests=False)
    node = next(one for one in state.graph.outline("web/errors.ts") if one.symbol.name == "AccessError")
    for name, said in (("authorize", "fits the question"), ("refuse", "called by refuse")):
        seed = replace(build_seed(state, node, 1.0), reason=Reason(f"called by {name}"))
        assert [one.reason.text for one in confirm_reasons(state, [seed], {})] == [said]


def test_the_call_that_is_the_reason_is_evidence_which_no_page_leaves_out() -> None:
    steps = "".join(f"    step_{n}(row)\n" for n in range(12))
    text = f"def open_gate():\n    pass\n\n\ndef run(row):\n{steps}    if row.is_last:\n        open_gate()\n"
    asked = Asked({"gate.py": text})
    control, request = RunControl(lambda: False), ResearchRequest("how is it opened?")
    state = ResearchState(asked.open_source(), request, control, wants_tests=False)
    node = next(one for one in state.graph.outline("gate.py") if one.symbol.name == "run")
    seed = replace(build_seed(state, node, 1.0), reason=Reason("calls open_gate"))
    note_seeds(state, [seed], PreferredKind.NOTHING, is_named=False)
    (found,), _ = add_excerpts(state.source, state.findings)
    assert found.lines == (18, 19)
    short = shorten(found, 400)
    assert short is not None
    assert "if row.is_last:" in short.excerpt
    assert "open_gate()" in short.excerpt
    assert "step_11" not in short.excerpt
