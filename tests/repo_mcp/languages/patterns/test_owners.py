"""Owners of declarations in texts that are made to hurt; what they are: `outline/test_lexical_adapter.py`."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.languages.patterns.owners import Owners, join_owner
from tests.growth import assert_linear


@pytest.mark.parametrize(
    "text",
    [
        b"impl<A {\n fn a() {}\n",
        b"impl A {\n",
        b"impl<" + b"A" * 1_990 + b"\n",
        b"impl " + b"a::" * 600 + b"\n",
        b"  impl A {\n  }\n",
    ],
)
def test_blocks_are_found_in_linear_time(text: bytes) -> None:
    assert_linear(lambda size: (text * size).split(b"\n"), lambda lines: Owners("rust", lines), 40)


@pytest.mark.parametrize("language", ["go", "cpp", "rust", "python"])
def test_a_head_of_any_other_kind_has_no_owner(language: str) -> None:
    for before in (b"", b"x" * 10_000, b"func (" * 500, b"::" * 5_000, b"a<" * 500 + b"::", b"~", b"\xff::"):
        assert Owners(language, [before]).find(0, before) == ""


def test_every_language_is_answered() -> None:
    assert {Owners(language, [b"A::"]).find(0, b"A::") for language in LANGUAGES} == {"", "A"}


def test_the_owner_of_what_encloses_a_declaration_is_not_repeated() -> None:
    assert join_owner("", "A", "") == "A"
    assert join_owner("m", "A", "") == "m.A"
    assert join_owner("m.A.f", "A", "A") == "m.A.f"
    assert join_owner("A.f", "B", "A") == "A.f.B"
