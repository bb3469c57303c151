"""A value that is declared or cast to be anything: what it was before is a guess."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.memory_index import list_outgoing, make_graph


@pytest.mark.parametrize(
    ("given", "sure"),
    [
        ("given", "exact"),
        ("given as any", "probable"),
        ("(given as unknown)", "probable"),
        ("given as unknown as Parser", "exact"),
        ("given as const", "exact"),
    ],
)
def test_a_cast_to_anything_leaves_a_guess(given: str, sure: str) -> None:
    text = f"""interface Parser {{ check(one: number): void }}
interface Other {{ check(one: number): void }}
export function run(given: Parser) {{
  const held = {given};
  held.check(1);
}}
"""
    found = list_outgoing(make_graph({"a.ts": text}), "run")
    assert ("calls", sure, "Parser.check", (5,)) in found


def test_a_variable_of_any_type_leaves_a_guess() -> None:
    text = """interface Parser { check(one: number): void }
export function run(given: Parser, later: any = given) {
  const held: any = given;
  held.check(1);
  later.check(1);
}
"""
    found = list_outgoing(make_graph({"a.ts": text}), "run")
    assert ("calls", "probable", "Parser.check", (4, 5)) in found
