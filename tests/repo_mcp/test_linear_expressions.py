"""Expressions that are searched for in whole files: no text takes them more than its length."""

from __future__ import annotations

import re
from typing import Any

import pytest

from repo_mcp.bundler.layouts import _NAMED_ARGUMENT
from repo_mcp.graph.csharp.projects import _ITEM, _USING
from repo_mcp.graph.typescript.config_files import _COMMENTS, _TRAILING
from repo_mcp.languages.patterns.near_lines import _ASSIGNED_OPENER
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("expression", "begin", "piece"),
    [
        pytest.param(_NAMED_ARGUMENT, b",function", b" ", id="spaces behind function"),
        pytest.param(_ASSIGNED_OPENER, b"", b"=a", id="assignments in one line"),
        pytest.param(_USING, "", "<Using a ", id="elements that do not end"),
        pytest.param(_ITEM, "", "<Compile a ", id="items that do not end"),
        pytest.param(_COMMENTS, "", "/*a", id="comments that do not end"),
        pytest.param(_TRAILING, "", '"a\\', id="strings that do not end"),
    ],
)
def test_a_long_text_takes_time_in_proportion(expression: re.Pattern[Any], begin: Any, piece: Any) -> None:
    assert_linear(lambda size: begin + piece * size, lambda text: list(expression.finditer(text)), 1_000)
