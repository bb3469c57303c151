"""Headings by format: what is one, what only looks like one, and texts that are made to be slow."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.heading_readers import find_reader
from tests.growth import assert_linear

Row = tuple[int, int, str, int]


def read(path: str, language: str, text: str) -> list[Row]:
    reader = find_reader(path, language)
    assert reader is not None
    return [(one.line, one.level, one.title, one.last_line) for one in reader(text.split("\n"))]


def test_titles_of_xml_lie_as_deep_as_their_sections() -> None:
    text = (
        "<db:book xmlns:db='x'>\n<bookinfo><title>Kettles &amp; pots</title></bookinfo>\n"
        "<!-- <section><title>Old</title>\n</section> -->\n<chapter>\n"
        "  <title>Use of <code>boil</code></title>\n"
        "  <figure><title>A kettle</title></figure>\n  <section/>\n  <section id='lime'>\n"
        "    <title>Lime</title>\n  </section>\n</chapter>\n<chapter><title>Care</title></chapter>\n"
        "<para>title</para>\n</db:book>\n"
    )
    assert read("a.xml", "xml", text) == [
        (2, 1, "Kettles & pots", 2),
        (6, 2, "Use of boil", 6),
        (10, 3, "Lime", 10),
        (13, 2, "Care", 13),
    ]
    assert read("a.aml", "unknown", text) == read("a.xml", "xml", text)


def test_markdown_headings_of_every_kind() -> None:
    text = (
        "# One #\n\nTwo\n===\n\nThree\n---\n### Four ##\n<h2 align='center'>Five <b>bold</b></h2>\n"
        "<h1>\n  Six\n</h1>\n#no\n####### seven\n"
    )
    assert read("a.md", "markdown", text) == [
        (1, 1, "One", 1),
        (3, 1, "Two", 4),
        (6, 2, "Three", 7),
        (8, 3, "Four", 8),
        (9, 2, "Five bold", 9),
        (10, 1, "Six", 12),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```",
        "```sh\n# no\n~~~\n# no\n```",
        "~~~~\n# no\n~~~\n# no\n~~~~",
        "````md\n```\n# no\n```\n````",
        "```\n# no, the fence never ends",
        "<!--\n# no\n-->",
        "{/* a comment of MDX\n# no */}\n",
        "{/*\n# no, as it never ends",
        "# {/* no title */}",
        "<!-- # no, the comment never ends\n# no\n## no",
        "---\ntitle: x\n# no\n---\n",
        "    # no\n",
        "- item\n---\n",
        "> quoted\n===\n",
        "#\n##\n",
        "<h1></h1>\n<h2>\n\n</h2>",
        "<h1>never closed",
    ],
)
def test_what_is_no_heading_of_markdown(text: str) -> None:
    assert read("a.md", "markdown", text) == []


def test_a_comment_at_the_end_is_no_part_of_a_heading() -> None:
    text = "# One {/*one*/}\n## Two <!-- omit in toc -->\n{/* off */}\n"
    text += "## Three {/* a */ } {/* b *//**/}\n## {4} ##\n"
    assert read("a.mdx", "markdown", text) == [
        (1, 1, "One", 1),
        (2, 2, "Two", 2),
        (4, 2, "Three {/* a */ }", 4),
        (5, 2, "{4}", 5),
    ]


def test_code_between_backquotes_in_a_line_opens_no_fence() -> None:
    assert read("a.md", "markdown", "```code``` in a line\n# Yes\n") == [(2, 1, "Yes", 2)]


def test_front_matter_that_never_ends_is_none() -> None:
    assert read("a.md", "markdown", "---\n# Yes\n") == [(2, 1, "Yes", 2)]


def test_restructuredtext_levels_by_order_of_their_marks() -> None:
    text = "=====\nTitle\n=====\n\nOne\n~~~\n\nTwo\n^^^\n\nThree\n~~~~~\n\n  indented\n  ~~~~~~~~\n"
    assert read("a.rst", "rst", text) == [
        (1, 1, "Title", 3),
        (5, 2, "One", 6),
        (8, 3, "Two", 9),
        (11, 2, "Three", 12),
    ]


def test_plain_text_headings() -> None:
    text = (
        "INTRODUCTION\n\ntext\n\nUsage\n-----\n\nmore\n\n1. First step\n\ntext\n\n1.1 Detail\n\ntext\n"
        "\nNot a title because\ntext follows.\n\nA b\n-------------------------\n"
    )
    assert read("notes.txt", "text", text) == [
        (1, 1, "INTRODUCTION", 1),
        (5, 2, "Usage", 6),
        (10, 3, "1. First step", 10),
        (14, 4, "1.1 Detail", 14),
    ]


def test_plain_text_that_is_ruled_above_and_below() -> None:
    text = "=====\nTitle\n=====\ntext\n"
    assert read("README", "text", text) == [(1, 1, "Title", 3)]


def test_asciidoc_without_its_listings() -> None:
    text = "= Title\n\n== One\n----\n== no\n----\n////\n== no\n////\n=== Two\n====\nexample\n====\n"
    assert read("a.adoc", "text", text) == [(1, 1, "Title", 1), (3, 2, "One", 3), (10, 3, "Two", 10)]


def test_asciidoc_with_underlined_titles() -> None:
    text = """The orders
==========
Ada <ada@example.org>

[[send]]
Sending
-------

Text above a listing
----
not
~~~
----

By post
~~~~~~~
Not a title, as it is much longer
-----
"""
    assert read("a.asciidoc", "text", text) == [
        (1, 1, "The orders", 2),
        (6, 2, "Sending", 7),
        (15, 3, "By post", 16),
    ]


def test_org_without_its_blocks() -> None:
    text = "* One\n#+BEGIN_SRC sh\n* no\n#+END_SRC\n** Two\n#+title: x\n"
    assert read("a.org", "text", text) == [(1, 1, "One", 1), (5, 2, "Two", 5)]


def test_other_languages_have_no_reader() -> None:
    assert find_reader("a.py", "python") is None


HOSTILE = [
    # language, what is repeated, what follows, how often
    ("markdown", "# " + "#" * 1_900 + "x\n", "", 1_000),
    ("markdown", "# " + " #" * 900 + "x\n", "", 1_000),
    ("markdown", "<h1>\n", "", 100_000),
    ("markdown", "<h1 " + "a" * 290, "", 5_000),
    ("markdown", "<!--" + "-" * 100, "", 10_000),
    ("markdown", "# " + "{/*" * 600 + "\n", "", 1_000),
    ("markdown", "{/*", "\n", 100_000),
    ("markdown", "text\n" + "-" * 100 + "\n", "", 10_000),
    ("markdown", "`", "", 2_000_000),
    ("markdown", "=", "x", 1_000_000),
    ("markdown", " ", "x", 1_000_000),
    ("rst", "=", "\n", 1_000_000),
    ("rst", "a\n=\n" * 10, "", 10_000),
    ("rst", "".join(f"a\n{mark * 5}\n" for mark in "=-~^'+*"), "", 5_000),
    ("text", "A\n===\n\n", "", 50_000),
    ("text", "1.1.1.1.1.1 " + "A" * 70 + "\n\n", "", 20_000),
    ("text", "A" * 1_900 + "\n\n", "", 1_000),
    ("html", "<h1>", "\n", 100_000),
    ("xml", "<title>", "\n", 100_000),
    ("xml", "<section>\n", "", 100_000),
    ("xml", "<section " + "a" * 900, "", 5_000),
    ("xml", "</section>\n", "", 100_000),
    ("xml", "<!--", "\n", 100_000),
    ("xml", "<section><title>a</title>\n", "", 50_000),
]


@pytest.mark.parametrize(("language", "piece", "end", "times"), HOSTILE)
def test_texts_made_to_be_slow_are_read_in_linear_time(
    language: str, piece: str, end: str, times: int
) -> None:
    reader = find_reader("a.txt", language)
    assert reader is not None
    assert_linear(
        lambda size: (piece * size + end).split("\n"), lambda lines: sum(1 for _ in reader(lines)), times // 8
    )
