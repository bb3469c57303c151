"""Headings of documents and keys of configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.languages.outline.heading_readers import HeadingsAdapter
from repo_mcp.languages.outline.keys_adapter import KeysAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Outline

HEADINGS = HeadingsAdapter(find_language)
KEYS = KeysAdapter(find_language)


def outline(path: str, text: str) -> Outline:
    adapter = HEADINGS if HEADINGS.supports_path(path) else KEYS
    assert adapter.supports_path(path)
    return adapter.outline(path, text)


def rows(path: str, text: str) -> list[tuple[str, int, int, str | None]]:
    return [
        (one.name, one.start_line, one.end_line, one.parent_symbol) for one in outline(path, text).symbols
    ]


def test_markdown() -> None:
    text = (
        "---\ntitle: x\n---\n# Guide #\ntext\n## Install\n```sh\n# no heading\n```\n### Linux\n"
        "Set *up*\n--------\n- item\n---\nEnd\n===\n    # code\n#hashtag\n"
    )
    assert rows("a.md", text) == [
        ("Guide", 4, 14, None),
        ("Install", 6, 10, "Guide"),
        ("Linux", 10, 10, "Guide.Install"),
        ("Set *up*", 11, 14, "Guide"),
        ("End", 15, 18, None),
    ]


def test_restructuredtext() -> None:
    text = (
        "=====\nTitle\n=====\n\nOne\n===\n\nInner\n-----\n\ntext\n\nTwo\n===\n\n+---+\n| a |\n+---+\n"
        "\n====  ====\nA     B\n====  ====\n"
    )
    assert rows("a.rst", text) == [
        ("Title", 1, 22, None),
        ("One", 5, 12, "Title"),
        ("Inner", 8, 12, "Title.One"),
        ("Two", 13, 22, "Title"),
    ]


def test_asciidoc_and_org_are_known_by_their_extensions() -> None:
    assert rows("a.adoc", "= Guide\n\ntext\n\n== Filters\n\n----\n== code\n----\n") == [
        ("Guide", 1, 9, None),
        ("Filters", 5, 9, "Guide"),
    ]
    assert rows("a.org", "* One\n** Two\n") == [("One", 1, 2, None), ("Two", 2, 2, "One")]
    assert not HEADINGS.supports_path("a.txt")


def test_html() -> None:
    assert rows("a.html", "<h1 class='x'>A <b>b</b></h1>\n<p>\n<H2>C</H2>\n") == [
        ("A b", 1, 3, None),
        ("C", 3, 3, "A b"),
    ]


def test_toml_and_ini() -> None:
    toml = 'a = 1\n"b c" = """\n[no]\n"""\nlist = [\n  [1, 2],\n]\n[tool.x]\nkey = 1\n[[bin]]\n'
    assert rows("a.toml", toml) == [
        ("a", 1, 1, None),
        ("b c", 2, 4, None),
        ("list", 5, 7, None),
        ("tool.x", 8, 9, None),
        ("bin", 10, 10, None),
    ]
    assert [one.kind for one in outline("a.toml", toml).symbols] == ["key", "key", "key", "table", "table"]
    assert rows("a.ini", "top = 1\n[one]\nx = 1\n; c\n[two]\n") == [
        ("top", 1, 1, None),
        ("one", 2, 4, None),
        ("two", 5, 5, None),
    ]


def test_yaml() -> None:
    text = "# c\non:\n  push: 1\n'quoted key': [a]\ntext: |\n  no: key\nurl: http://x\n- item: 1\n"
    assert rows("a.yaml", text) == [
        ("on", 2, 3, None),
        ("quoted key", 4, 4, None),
        ("text", 5, 6, None),
        ("url", 7, 8, None),
    ]


def test_yaml_of_a_list() -> None:
    text = "---\n# c\n- name: Install it\n  apt:\n    - a\n- include_tasks: 'more.yml'\n- block:\n- one\n"
    assert rows("tasks.yml", text) == [
        ("Install it", 3, 5, None),
        ("more.yml", 6, 6, None),
        ("block", 7, 7, None),
        ("one", 8, 8, None),
    ]
    assert [one.kind for one in outline("tasks.yml", text).symbols] == ["item"] * 4
    assert outline("tasks.yml", text).symbols[0].signature == "- name: Install it"
    assert rows("two.yml", "on:\n- push\n---\n- name: other\n") == [("on", 1, 3, None), ("other", 4, 4, None)]


def test_json() -> None:
    text = '{\n  "a": {"x": 1, "y": [2]},\n  // comment "no": 1\n  "b": "}\\"{",\n  "c": null\n}\n'
    assert rows("a.json", text) == [("a", 2, 3, None), ("b", 4, 4, None), ("c", 5, 6, None)]
    assert outline("a.json", text).symbols[0].signature == '"a": {"x": 1, "y": [2]},'
    assert rows("a.json", '[{"a": 1}]') == []
    assert rows("a.jsonl", '{"a": 1}\n{"a": 2}\n') == []


def test_json_against_its_parser(tmp_path: Path) -> None:
    value = {f"key {number}": {"inner": ["x", {"y": number}], "q": 'a"b\\'} for number in range(200)}
    for indent in (None, 2):
        text = json.dumps(value, indent=indent)
        assert [name for name, *_ in rows("a.json", text)] == list(value)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", '{"' * 200_000),
        ("a.json", "{" * 500_000),
        ("a.json", '"\\"' * 160_000),
        ("a.json", '{"a": 1}' * 60_000),
        ("a.md", "#" * 400_000),
        ("a.md", "# a\n" * 100_000),
        ("a.md", "```\n~~~\n" * 100_000),
        ("a.md", "# " + " #" * 200_000),
        ("a.rst", "=====\n" * 100_000),
        ("a.html", "<h1>" * 100_000),
        ("a.yaml", "a" * 400_000),
        ("a.yaml", ("a" * 190 + "\n") * 5_000),
        ("a.toml", "[" * 400_000),
        ("a.toml", "a." * 200_000 + " = 1\n"),
        ("a.ini", "=" * 400_000),
    ],
)
def test_texts_made_to_be_slow_or_large_are_outlined(path: str, text: str) -> None:
    found = outline(path, text)
    assert len(found.symbols) <= 10_000
    assert all(1 <= one.start_line <= one.end_line for one in found.symbols)
    assert found.truncated == bool(found.warnings)
