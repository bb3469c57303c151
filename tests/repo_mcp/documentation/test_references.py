"""Which files a text refers to, by format; and texts that are made to be slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.documentation.references import MAX_REFERENCES, find_definitions, find_references, is_local
from tests.growth import assert_linear


def find(text: str, *, is_rst: bool = False) -> list[tuple[str, str]]:
    lines = text.split("\n")
    definitions = {} if is_rst else find_definitions(lines)
    return [(one.target, one.text) for one in find_references(lines, definitions, is_rst=is_rst)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("![A plan](img/plan.png)", [("img/plan.png", "A plan")]),
        ('![](plan.png "The plan")', [("plan.png", "The plan")]),
        ("[Manual](docs/manual.pdf)", [("docs/manual.pdf", "Manual")]),
        ("![x](<with space.png>)", [("with space.png", "x")]),
        ("![x](a%20b(1).png)", [("a%20b(1).png", "x")]),
        ("![Logo][logo]\n\n[logo]: img/logo.svg 'title'", [("img/logo.svg", "Logo")]),
        ("![Logo][]\n\n[logo]: img/logo.svg", [("img/logo.svg", "Logo")]),
        ("![My  Logo]\n\n[my logo]: <img/logo.svg>", [("img/logo.svg", "My Logo")]),
        ("[![Badge](badge.svg)](https://x/y)", [("badge.svg", "Badge")]),
        ('<img src="a.png" alt="An image">', [("a.png", "An image")]),
        ("<img alt='An image'\n  src='a.png'\n/>", [("a.png", "An image")]),
        ("<img src=a.png width=5>", [("a.png", "")]),
        ("<img src={'a.png'} />", [("a.png", "")]),
        ('<audio controls src="a.ogg"></audio>', [("a.ogg", "")]),
        ('<video poster="p.jpg"><source src="v.mp4"></video>', [("p.jpg", ""), ("v.mp4", "")]),
        ('<a href="talk.mp3">The <b>talk</b></a>', [("talk.mp3", "The talk")]),
        ("![one](a.png) ![two](a.png)", [("a.png", "one")]),
        ("![](a.png) and ![two](a.png)", [("a.png", "two")]),
        ("image::plan.png[The plan,300]", [("plan.png", "The plan")]),
    ],
)
def test_markdown_html_and_asciidoc(text: str, found: list[tuple[str, str]]) -> None:
    assert find(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://example.org/a.png)",
        "![x](//example.org/a.png)",
        "![x](data:image/png;base64,AAAA)",
        "![x](#anchor)",
        "![x](\\\\server\\a.png)",
        "![x](C:\\a.png)",
        "![x]()",
        "![x](never closed",
        "![x](a.png\n\nb)",
        "<img src=''>",
        "<imgsrc='a.png'>",
        "<img never closed src='a.png'",
        "![x][nowhere]",
        "`text` (a.png)",
        "javascript:alert(1)",
    ],
)
def test_what_refers_to_no_file(text: str) -> None:
    assert find(text) == []


def test_restructuredtext() -> None:
    text = (
        ".. image:: img/one.png\n   :width: 300\n   :alt: The first\n\n"
        ".. figure:: two.svg\n   :align: center\n\n   The caption\n   of two.\n\n   A legend.\n\n"
        ".. |three| image:: three.png\n\n.. kernel-figure:: six.svg\n\n   Six\n\n"
        "See `the manual <manual.pdf>`_ and :download:`data <four.pdf>`.\n"
        "<img src='five.gif' alt='raw'>\n"
    )
    assert find(text, is_rst=True) == [
        ("img/one.png", "The first"),
        ("two.svg", "The caption of two."),
        ("three.png", "three"),
        ("six.svg", "Six"),
        ("manual.pdf", "the manual"),
        ("four.pdf", "data"),
        ("five.gif", "raw"),
    ]


def test_their_number_is_bounded() -> None:
    text = "\n".join(f"![x]({number}.png)" for number in range(5_000))
    assert len(find(text)) <= MAX_REFERENCES


HOSTILE = [
    ("](", 1_000_000),
    ("![", 1_000_000),
    ("[a](" + "(" * 700, 2_000),
    ("<img ", 400_000),
    ("<img src='", 200_000),
    ("<a href=x>", 200_000),
    ("`a <", 500_000),
    (".. image:: \n", 150_000),
    (".. image:: a\n   :alt\n", 80_000),
    ("[x]: a\n", 200_000),
    ("image::a[", 200_000),
    ("image::", 300_000),
    ("<" * 10, 200_000),
]


@pytest.mark.parametrize(("piece", "times"), HOSTILE)
@pytest.mark.parametrize("is_rst", [False, True])
def test_texts_made_to_be_slow(piece: str, times: int, is_rst: bool) -> None:
    assert_linear(lambda size: piece * size, lambda text: find(text, is_rst=is_rst), times // 32)


@given(st.text(alphabet="![]()<>`'\" :|.a#=\n/imgsrc", max_size=300), st.booleans())
def test_any_text_gives_local_targets_or_none(text: str, is_rst: bool) -> None:
    assert all(is_local(target) for target, _ in find(text, is_rst=is_rst))
