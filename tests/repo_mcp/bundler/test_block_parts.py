"""Which lines stand for a block that does not fit."""

from __future__ import annotations

from repo_mcp.bundler.block_parts import choose_parts, find_head
from tests.repo_mcp.blocks.small_views import cut, view
from tests.repo_mcp.symbol_spans import list_symbol_spans


def test_a_block_that_does_not_fit_is_shown_by_its_head_and_the_lines_that_match() -> None:
    body = "\n".join(f"    line{number} = 1" for number in range(300))
    text = f"@decorated\ndef long():\n{body.replace('line200', 'needle')}\n"
    (block,) = [one for one in cut(text) if one.span]
    assert choose_parts(view(text, "needle"), block, 10) == [(1, 2), (201, 205)]
    assert choose_parts(view(text, "needle"), block, 1) == [(1, 1)]


def test_the_head_of_a_declaration() -> None:
    text = "class A(\n    B,\n):\n    x = 1\n\n    def f(self):\n        pass\n"
    (outer, *_) = list_symbol_spans("a.py", text.encode())
    assert find_head(text.splitlines(), outer) == (1, 3)
