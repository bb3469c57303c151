"""What is an error or belongs to one, by its name."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.error_types import is_of_error
from tests.repo_mcp.research.asking import Asked


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


def test_errors_of_a_library_that_declares_their_root_are_errors() -> None:
    texts = {
        "lang/Throwable.java": "package lang;\n\npublic class Throwable {\n}\n",
        "lang/StateException.java": "package lang;\n\npublic class StateException extends Throwable {\n}\n",
        "lang/Walker.java": "package lang;\n\nclass Walker {\n    void walk() {\n        if (closed)\n"
        '            throw new StateException("Closed");\n    }\n}\n',
    }
    claim = Asked(texts).ask("which exceptions does Walker.walk throw?").claim
    assert "StateException (lang/Walker.java:6" in claim
