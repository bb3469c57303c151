"""Expressions that read whole files and lines, which may be long: no text takes them more than its length."""

from __future__ import annotations

import re
from typing import Any

import pytest

import repo_mcp
from repo_mcp.blocks.blocks import cut_blocks
from repo_mcp.blocks.layouts import _NAMED_ARGUMENT
from repo_mcp.graph.csharp.projects import _ITEM, _USING
from repo_mcp.graph.typescript.config_files import _COMMENTS, _TRAILING
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.near_lines import _ASSIGNED_OPENER
from repo_mcp.languages.rust.declarations import _NAMED_TYPE
from repo_mcp.languages.treesitter.capture_scopes import _RANGES
from repo_mcp.research.edges.unparsed import _WITH
from repo_mcp.research.words.shown_lines import _UNFILLED
from tests.growth import assert_linear
from tests.repo_mcp.repeats import iter_expressions, shares_a_run

# expression -> why it does not take long all the same
FAST = {
    "graph.csharp.signatures._PARAMETER": "records cut parameters",
    "languages.typescript.doc_tags._PART": "a name is between the two",
    "research.settings.traced_values._DOTTED": "words of lines that are cut",
    "research.settings.traced_values._RETURNED": "a few lines that are cut",
}


@pytest.mark.parametrize(
    ("expression", "begin", "piece"),
    [
        pytest.param(_NAMED_ARGUMENT, b",function", b" ", id="spaces behind function"),
        pytest.param(_ASSIGNED_OPENER, b"", b"=a", id="assignments in one line"),
        pytest.param(_USING, "", "<Using a ", id="elements that do not end"),
        pytest.param(_ITEM, "", "<Compile a ", id="items that do not end"),
        pytest.param(_COMMENTS, "", "/*a", id="comments that do not end"),
        pytest.param(_TRAILING, "", '"a\\', id="strings that do not end"),
        pytest.param(_NAMED_TYPE, "A<", "A", id="type arguments that do not end"),
        pytest.param(_WITH, "with a", "_", id="a name that is not the end"),
        pytest.param(_RANGES, b"[", b".", id="ranges that do not end"),
        pytest.param(_UNFILLED, "int a(", ")", id="brackets that do not open"),
        pytest.param(_UNFILLED, "a(", "):=", id="results that are none"),
    ],
)
def test_a_long_text_takes_time_in_proportion(expression: re.Pattern[Any], begin: Any, piece: Any) -> None:
    assert_linear(lambda size: begin + piece * size, lambda text: list(expression.finditer(text)), 1_000)


def test_no_repeat_shares_a_run_of_characters_with_the_next() -> None:
    """A run of n characters can be cut in n ways, and a text that does not match has all of them tried."""
    found = {name for name, source, flags in iter_expressions(repo_mcp) if shares_a_run(source, flags)}
    assert not found - FAST.keys()


@pytest.mark.parametrize(
    ("source", "shared"),
    [
        (r"\s*;?\s*$", True),
        (r"\s*+;?\s*$", False),
        (r"\s*(?:;\s*)?$", False),
        (r"a\s+(.+)", False),
        (r"a\s+(.+)b", True),
        (rb"(\w+)(?:x|[a-z]*)!", True),
        (r"\w+;\w+!", False),
    ],
)
def test_two_repeats_share_a_run(source: str | bytes, shared: bool) -> None:
    assert shares_a_run(source, 0) is shared


def test_a_line_of_spaces_is_cut_from_a_block_in_time_in_proportion() -> None:
    small = [SymbolSpan(1, 1, 1, 1, "f", "f")]
    assert_linear(lambda size: ["f();", " " * size + "x"], lambda lines: cut_blocks(lines, small, 0), 1_000)
