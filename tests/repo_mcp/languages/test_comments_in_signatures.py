"""Comments among the parameters of a declaration: its signature, which is one line, leaves them out."""

from __future__ import annotations

import pytest

from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.languages.treesitter.parser import find_captures
from repo_mcp.languages.treesitter.source_text import SourceText, leave_out_comments
from repo_mcp.symbols.symbol_record import decode_symbol_record

TEXTS = {
    "go": ("package a\nfunc build(\n\ta int, // first\n\tb int, /* last */\n) {}\n", "( a int, b int, )"),
    "java": (
        'class A {\n void build(\n String a, // "first\n int b /* last */) {}\n}\n',
        "( String a, int b)",
    ),
    "rust": ("fn build(\n a: &'static str, // first\n b: u32,\n) {}\n", "( a: &'static str, b: u32, )"),
    "c": ("void build(int a, // first\n int /*size*/b) {}\n", "(int a, int b)"),
    "cpp": (
        'void build(int /*a*/, // first\n const char *b = "http://x", char c = \'"\');\n',
        '(int, const char *b = "http://x", char c = \'"\')',
    ),
    "swift": (
        'func build(\n a: Int, // first\n b: String = "http://x"\n) {}\n',
        '(a: Int, b: String = "http://x")',
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_signature_has_no_comments(language: str) -> None:
    text, wanted = TEXTS[language]
    record = decode_symbol_record(PARSERS[language]("a.h", text.encode()))
    ordinal, *_ = record.find_symbols("build")
    assert record.get_symbol(ordinal).parameters == wanted


def test_a_line_is_as_long_as_without_its_comments() -> None:
    text = b"package a\nfunc build(" + b"a int, // %s\n" % (b"x" * 100) * 20 + b"b int) {}\n"
    found = find_captures("go", ("go",), text)
    assert found is not None
    function = found.nodes["function"][0]
    line = SourceText(text).read_line(function.child_by_field_name("parameters"))
    assert line == "(" + "a int, " * 20 + "b int)"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (b"a /* b */ c", b"a c"),
        (b"a/* b */c", b"a c"),
        (b"a /* never ends", b"a"),
        (b"`//` \"//\" '/' // b", b"`//` \"//\" '/'"),
        (b'"\\"//" /**/+', b'"\\"//"+'),
        (b'@"c:\\", "http://x", b // c', b'@"c:\\", "http://x", b'),
        (b'@"say ""//""", b', b'@"say ""//""", b'),
    ],
)
def test_what_looks_like_a_comment_in_a_text_stays(code: bytes, wanted: bytes) -> None:
    assert leave_out_comments(code) == wanted


def test_texts_that_do_not_end_are_read_once() -> None:
    code = b'"\\' * 100_000 + b"//"  # would take minutes if each quote were tried to the end
    assert leave_out_comments(code) == code
    assert leave_out_comments(b'"open // text\n"a" // b') == b'"open // text\n"a"'
