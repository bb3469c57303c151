"""Where several names that a query guesses occur together comes first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.blocks.blocks import Block
from repo_mcp.code_search.declarations import GUESSED, _weigh, count_guessed
from repo_mcp.languages.patterns.declared_spans import SymbolSpan

GAP = "func gap(at int) bool {\n\treturn isStaleValue(at) && at < lookbackDelta\n}\n"
MARK = "func mark(at int) {\n\t// lookback\n\tset(at, StaleValue)\n\treturn\n}\n"


def rate(text: str, worth: float) -> RatedBlock:
    lines = text.splitlines()
    span = SymbolSpan(1, len(lines), 1, 1, "it", "it")
    comments = frozenset(at for at, line in enumerate(lines, 1) if "//" in line)
    view = SimpleNamespace(
        live=SimpleNamespace(lines=lines), layout=SimpleNamespace(comment_lines=comments), line_terms={}
    )
    return RatedBlock("gap.go", Block(1, len(lines), span), cast("object", view), worth, "")  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "count"), [(GAP, 2), (MARK, 1), ("func no() {\n}\n", 0)])
def test_guessed_names_count_in_code_also_within_others(text: str, count: int) -> None:
    assert count_guessed(rate(text, 1.0), ["StaleValue", "lookback", "at"]) == count


def test_a_declaration_with_two_guessed_names_comes_before_one_with_more_words() -> None:
    query = "decide whether a value is hidden (StaleValue, lookback)"
    both, one = rate(GAP, 1.0), rate(MARK, GUESSED - 0.5)
    weighed = _weigh(query, [one, both], {}, lambda _path: None, asks=True)
    assert [it.rated for it in weighed] == [both, one]
    alone = _weigh("decide whether a value is hidden", [one, both], {}, lambda _path: None, asks=True)
    assert [it.rated for it in alone] == [one, both]
