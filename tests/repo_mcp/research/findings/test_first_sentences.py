"""What the first sentence of a comment is, whatever its lines hold."""

from __future__ import annotations

from repo_mcp.research.findings.first_sentences import read_first_sentence
from tests.growth import BOUND, measure_growth


def test_a_tag_that_is_never_closed_is_read_once() -> None:
    growth = measure_growth(
        lambda size: [f"# {{@{'a' * size}{{", "depot = 1"],
        lambda lines: read_first_sentence(lines, {1}, 2),
        2_000,
    )
    assert growth < BOUND


def test_empty_lines_may_part_javadoc_from_what_it_documents() -> None:
    apart = [
        "package a;",
        "/** Keeps the books of",
        " * a year. Twice.",
        " */",
        "",
        "",
        "@Open",
        "class Ledger {",
    ]
    assert read_first_sentence(apart, {2, 3, 4}, 8) == "Keeps the books of a year."
    assert read_first_sentence(["/** All rights are", "kept. */", "", "class Ledger {"], {1, 2}, 4) == ""
    assert read_first_sentence(["package a;", "// The books of a year.", "", "class Ledger {"], {2}, 4) == ""


def test_a_name_of_an_annotation_ends_no_sentence() -> None:
    named = ["// Makes depots by annotations (like @OpenDepot) and names. Once. @param a", "class Depots {"]
    assert read_first_sentence(named, {1}, 2) == "Makes depots by annotations (like @OpenDepot) and names."
    tagged = ["// Makes depots @param name of each", "class Depots {"]
    assert read_first_sentence(tagged, {1}, 2) == "Makes depots."


def test_an_abbreviation_ends_no_sentence() -> None:
    shortened = [
        "// Called when a depot can no longer be used, e.g. because it burns. Twice.",
        "class Depot {",
    ]
    expected = "Called when a depot can no longer be used, e.g. because it burns."
    assert read_first_sentence(shortened, {1}, 2) == expected
