"""A text for each language with line patterns: those that `test_landmarks` lacks, and none left out."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from tests.repo_mcp.languages.patterns.test_landmarks import SNIPPETS

# language -> a text, the names that it defines, and its comments; some have patterns for comments alone
TEXTS: dict[str, tuple[str, list[str], list[str]]] = {
    "assembly": (
        "/* Start. */\nENTRY(startup)\nloop_top:\n\tjmp loop_top\n",
        ["startup", "loop_top"],
        ["/* Start. */"],
    ),
    "cmake": ("# Options\nfunction(add_part name)\nendfunction()\n", ["add_part"], ["# Options"]),
    "css": (
        "/* Colours */\n.card-title { color: red; }\n#main { }\n",
        [],
        ["/* Colours */"],
    ),
    "devicetree": ("/* A board. */\nuart0: serial@1000 {\n};\n", ["uart0"], ["/* A board. */"]),
    "dockerfile": ("# Build\nFROM alpine AS builder\nARG VERSION=1\n", [], ["# Build"]),
    "groovy": (
        "/** A class. */\nclass Build {\n    def compile(x) {\n    }\n}\n",
        ["Build", "compile"],
        ["/** A class. */"],
    ),
    "html": ('<!-- A page. -->\n<h1 id="top">Title</h1>\n', [], ["<!-- A page. -->"]),
    "ini": ("; Servers\n[server]\nport = 1\n", ["server"], ["; Servers"]),
    "objective-c": ("/* A view. */\n@interface CardView : NSView\n@end\n", ["CardView"], ["/* A view. */"]),
    "svelte": (
        "<!-- A card. -->\n<script>\nexport function open() {}\n</script>\n",
        ["open"],
        ["<!-- A card. -->"],
    ),
    "terraform": ('# Network\nresource "aws_vpc" "main" {\n}\n', ["main"], ["# Network"]),
    "vue": (
        "<!-- A card. -->\n<script>\nexport function open() {}\n</script>\n",
        ["open"],
        ["<!-- A card. -->"],
    ),
    "xml": ('<!-- A list. -->\n<item name="one"/>\n', [], ["<!-- A list. -->"]),
    "yaml": ("# Jobs\njobs:\n  build: 1\n", [], ["# Jobs"]),
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_gives_its_names_and_comments(language: str) -> None:
    text, names, comments = TEXTS[language]
    data = text.encode()
    found = scan(LANGUAGES[language], data)
    assert [data[first:last].decode() for first, last in found.definitions] == names
    assert [data[first:last].decode() for first, last in found.doc_spans] == comments


def test_every_language_with_a_pattern_has_a_text() -> None:
    with_pattern = {name for name, language in LANGUAGES.items() if language.pattern is not None}
    assert with_pattern == set(SNIPPETS) | set(TEXTS)
    assert not set(SNIPPETS) & set(TEXTS)
