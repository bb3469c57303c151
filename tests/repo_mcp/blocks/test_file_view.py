"""On which lines of a file terms of a prompt are found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from repo_mcp.blocks.file_view import PromptTermFinder
from repo_mcp.text.analysis import analyse_text
from tests.growth import assert_linear
from tests.repo_mcp.blocks.small_views import SOURCE, view


def test_a_bare_keyword_is_found_in_linear_time() -> None:
    """A line of 100 KB, of a keyword and blanks, kept a search busy for a minute."""
    assert view("pass\n    } else {\ndefault:\npass it\n", "pass else default").line_terms == {4: ("pass",)}
    assert_linear(lambda size: "pass" + " " * size + "x", lambda text: view(text, "pass").line_terms, 2_000)


def test_the_terms_of_a_long_line_are_found_in_linear_time() -> None:
    """Each question took ten seconds where a repository had a file of 2 MB on one line."""
    assert_linear(
        lambda size: [", ".join(f"transfer{number % 99}(ledger)" for number in range(size))],
        lambda lines: PromptTermFinder({"transfer", "ledger"}).find_lines(lines),
        3_000,
    )


def test_imports_tell_nothing() -> None:
    assert 3 not in view().line_terms
    assert view().line_terms[6] == ("ledger",)


def test_terms_are_found_as_the_analyser_finds_them() -> None:
    text = "getHTTPResponses = relational\nnaïveÉtat = libraries\n\nx.transfer(1)\n"
    terms = set(analyse_text(text))
    assert view(text, " ".join(terms)).line_terms == {
        number: tuple(analyse_text(line)) for number, line in enumerate(text.splitlines(), 1) if line
    }


def test_words_are_found_only_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def find_lines(_finder: PromptTermFinder, lines: Sequence[str]) -> dict[int, tuple[str, ...]]:
        read.append(len(lines))
        return {}

    monkeypatch.setattr(PromptTermFinder, "find_lines", find_lines)
    seen = view()
    assert not read
    assert (seen.line_terms, seen.line_terms) == ({}, {})
    assert read == [len(SOURCE.splitlines())]
