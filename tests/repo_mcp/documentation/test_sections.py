"""Documents as sections: a partition of their lines, with breadcrumbs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.documentation.sections import (
    MAX_BREADCRUMB_CHARS,
    MAX_PART_LINES,
    Section,
    clean_title,
    cut_parts,
    find_sections,
    join_breadcrumb,
    split_sections,
)
from tests.deep.sizes import examples

FORMATS = [
    ("a.md", "markdown"),
    ("a.rst", "rst"),
    ("a.txt", "text"),
    ("a.adoc", "text"),
    ("a.org", "text"),
    ("a.html", "html"),
    ("a.xml", "xml"),
    ("README", "unknown"),
]
LINES = st.lists(
    st.sampled_from(
        [
            "",
            "text",
            "# One",
            "<section><title>One</title>",
            "</section>",
            "<!--",
            "## Two",
            "###### Six",
            "===",
            "---",
            "~~~",
            "====",
            "```",
            "<!--",
            "-->",
            "= A",
            "== B",
            "* A",
            "** B",
            "<h1>A</h1>",
            "<h2>",
            "</h2>",
            "title: x",
            "1. One",
            "CAPITALS",
            " indented",
            "....",
            "----",
        ]
    ),
    max_size=60,
)


def show(sections: list[Section]) -> list[tuple[int, int, int, str]]:
    return [(one.start_line, one.end_line, one.body_line, " > ".join(one.names)) for one in sections]


def test_a_guide() -> None:
    text = (
        "before\n# Guide\n\ntext\n## Installation\n### pip\nrun pip\n### conda\nrun conda\n## Usage\nuse it"
    )
    assert show(split_sections("docs/guide.md", "markdown", text.split("\n"))) == [
        (1, 1, 1, "guide.md"),
        (2, 4, 3, "Guide"),
        (5, 5, 6, "Guide > Installation"),
        (6, 7, 7, "Guide > Installation > pip"),
        (8, 9, 9, "Guide > Installation > conda"),
        (10, 11, 11, "Guide > Usage"),
    ]


def test_the_title_of_the_front_matter_names_the_document() -> None:
    lines = ["---", 'title: "The *Title*"', "---", "text", "## One", "more"]
    assert show(split_sections("a.md", "markdown", lines)) == [
        (1, 4, 4, "The Title"),
        (5, 6, 6, "The Title > One"),
    ]
    repeated = ["---", "title: One", "---", "# One", "more"]
    assert show(split_sections("a.md", "markdown", repeated))[1] == (4, 5, 5, "One")


def test_a_text_without_headings_is_one_section() -> None:
    assert show(split_sections("a/notes.txt", "text", ["x", "y"])) == [(1, 2, 1, "notes.txt")]
    assert split_sections("a.md", "markdown", []) == []


def test_levels_that_are_skipped_do_no_harm() -> None:
    lines = ["### C", "# A", "#### D", "## B"]
    assert [" > ".join(one.names) for one in split_sections("a.md", "markdown", lines)] == [
        "C",
        "A",
        "A > D",
        "A > B",
    ]


@given(LINES)
@settings(max_examples=examples(300))
def test_sections_are_a_partition_of_the_lines(lines: list[str]) -> None:
    for path, language in FORMATS:
        sections = split_sections(path, language, lines)
        starts = [one.start_line for one in sections]
        ends = [one.end_line for one in sections]
        assert starts == ([1] if lines else []) + [end + 1 for end in ends[:-1]]
        assert ends[-1:] == ([len(lines)] if lines else [])
        assert all(one.start_line <= one.end_line for one in sections)
        assert all(one.start_line <= one.body_line <= one.end_line + 1 for one in sections)


@given(st.integers(1, 400), st.sets(st.integers(1, 400)))
@settings(max_examples=examples(200))
def test_parts_are_a_partition_of_a_section(count: int, empty: set[int]) -> None:
    lines = ["" if number in empty else "text" for number in range(1, count + 3)]
    section = Section(2, count + 1, 3, "x", ())
    parts = cut_parts(section, lines)
    assert [one.start_line for one in parts] == [2, *(one.end_line + 1 for one in parts[:-1])]
    assert parts[-1].end_line == count + 1
    assert all(0 <= one.end_line - one.start_line < MAX_PART_LINES for one in parts)


def test_ten_thousand_headings_and_one_long_line() -> None:
    many = split_sections("a.md", "markdown", [f"# {number}" for number in range(20_000)])
    assert len(many) == 10_000
    assert many[-1].end_line == 20_000
    deep = [f"{'#' * (1 + number % 6)} x" for number in range(5_000)]
    assert max(len(one.above) for one in split_sections("a.md", "markdown", deep)) == 5
    long = split_sections("a.md", "markdown", ["# " + "x" * 2_000_000, "text"])
    assert len(long) == 1
    assert len(long[0].heading) <= 200


def test_titles_lose_their_marks() -> None:
    for text, title in [
        ("**Bold** and *slanted*", "Bold and slanted"),
        ("The `code` of [links](http://x/y) { #anchor }", "The code of links"),
        ("![logo](logo.png) Name", "logo Name"),
        ("Name [![status](https://x/y.svg)](https://x/y)", "Name status"),
        ("<a name='x'></a>Name<br/>", "Name"),
        ("/proc/<pid>/maps and Option<T>", "/proc/<pid>/maps and Option<T>"),
        (":ref:`text <target>` of ``code``", "text of code"),
        ("snake_case __init__", "snake_case __init__"),
        ("Name {/* hidden */}", "Name"),
        ("", ""),
    ]:
        assert clean_title(text) == title


@given(st.lists(st.text(max_size=300), max_size=80))
def test_breadcrumbs_are_bounded(names: list[str]) -> None:
    assert len(join_breadcrumb(names)) <= MAX_BREADCRUMB_CHARS


def test_a_long_breadcrumb_keeps_its_ends() -> None:
    names = ["first", *(["middle " * 10] * 20), "last"]
    assert join_breadcrumb(names).startswith("first > ")
    assert join_breadcrumb(names).endswith(" > last")


def test_sections_are_kept_for_the_same_bytes_of_a_path() -> None:
    lines = ["# Gates", "", "They open."]
    found = find_sections("kept.md", "markdown", lines, b"1")
    assert [*found] == split_sections("kept.md", "markdown", lines)
    assert find_sections("kept.md", "markdown", lines, b"1") is found
    assert find_sections("kept.md", "markdown", [*lines, "# Bars"], b"2") != found
