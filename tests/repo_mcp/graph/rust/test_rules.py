"""Rust: which calls a function takes, by the number of its arguments."""

from __future__ import annotations

import pytest

from repo_mcp.graph.rust.rules import takes_arguments
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole


@pytest.mark.parametrize(
    ("qualifier", "passed", "is_taken"),
    [
        ("it", 1, True),
        ("it", 2, False),
        ("crate.Open", 2, True),  # the first is `self`
        ("crate.Open", 1, False),
        ("Open()", 1, True),  # the value of a tuple struct, and no path
        ("Open()", 2, False),
    ],
)
def test_self_is_passed_only_after_the_name_of_a_type(qualifier: str, passed: int, is_taken: bool) -> None:
    call = Reference(0, ReferenceRole.CALL, "close", qualifier, "", 1, passed + 1)
    assert takes_arguments(call, 1, is_static=False) is is_taken
