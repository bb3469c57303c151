"""What is an error or belongs to one, by its name."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.error_types import is_of_error


@pytest.mark.parametrize(
    ("symbol", "kind", "expected"),
    [
        ("rows.ReadError", "class", True),
        ("rows.ReadFailure", "class", True),
        ("rows.ReadError.of", "method", True),
        ("Error.Closed", "enum_member", True),
        ("rows.ReadError", "function", False),
        ("rows.Reader.read", "method", False),
    ],
)
def test_a_type_of_errors_and_its_members_are_of_an_error(symbol: str, kind: str, expected: bool) -> None:
    assert is_of_error(symbol, kind) is expected
