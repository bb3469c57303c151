"""Finds texts of several lines whose indentation says nothing: heredocs, and quoted texts of other languages.

    $sql = <<<SQL          PHP: to a line that begins with the mark
    text = <<~TEXT         Ruby: to a line with the mark alone, in the first column after a plain `<<`
    cat <<-'END'           Shell and Perl
    $json = '{             PHP: to the next quote
    var sql = @"           C#: to the next quote that is not doubled; from three quotes on, to as many
    const sql = `          Go and TypeScript: to the next backtick; in TypeScript, to one without a backslash
    let sql = r#"          Rust: to the next quote with as many hashes; without r, to one without a backslash

Several heredocs may begin in one line, and follow each other below it. What looks like the beginning of one
is none if no line ends it (`1 <<COUNT`), or if it is in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from repo_mcp.late_patterns import compile_late

MAX_UNENDED = 50  # marks without an end, for each of which the rest of the text is searched
_RUBY = compile_late(
    rb"(?<![<\w])<<(?P<free>[~-])?(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]+)(?P=quote)|(?P<mark>[A-Z_a-z]\w*))"
)
_OPENINGS = {
    "perl": _RUBY,
    "ruby": _RUBY,
    "shell": compile_late(
        rb"(?<!<)<<(?P<free>-)?[ \t]*(?P<quote>[\"'\\])?(?P<mark>[A-Za-z_]\w*)(?P<quoted>)?"
    ),
}
_COMMENTS = (b"#", b"//", b"*")
# Comments, what stands outside of the code, and texts, of which the last two may have several lines.
_PHP = compile_late(
    rb"""
    /\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?
    | (?://|\#(?!\[))[^\n?]*+(?:\?(?!>)[^\n?]*+){0,2000}
    | \?>[^<]*+(?:<(?!\?(?:php\b|=))[^<]*+){0,20000}(?:<\?(?:php\b|=))?
    | <<<[ \t]*(?P<quote>["']?)(?P<mark>[A-Za-z_]\w*)(?P=quote)[ \t]*\n
    | (?P<single>'[^'\\]*+(?:\\.[^'\\]*+){0,20000}') | (?P<double>"[^"\\]*+(?:\\.[^"\\]*+){0,20000}")
    | ['"][\s\S]*+  # never closed: what follows is read as code
    """,
    re.VERBOSE | re.DOTALL,
)
# Comments, braces, and texts, of which the named ones may have several lines.
CSHARP_TOKENS = compile_late(
    rb"""
    /\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?
    | //[^\n]*+
    | (?P<raw_of_four>"{4}[^"]*+(?:"{1,3}(?!")[^"]*+){0,20000}(?:"{4,})?)
    | (?P<raw>"{3}[^"]*+(?:"{1,2}(?!")[^"]*+){0,20000}(?:"{3,})?)
    | (?:@\$?|\$@)(?P<verbatim>"[^"]*+(?:""[^"]*+){0,20000}"?)
    | "[^"\\\n]*+(?:\\.[^"\\\n]*+){0,2000}"?
    | '(?:\\[^\n][^'\n]{0,8}|[^'\\\n])'
    | [{}]
    """,
    re.VERBOSE,
)

_GO = compile_late(
    rb"""
    /\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?
    | //[^\n]*+
    | (?P<raw>`[^`]*+`)
    | "[^"\\\n]*+(?:\\.[^"\\\n]*+){0,2000}"
    | '(?:\\[^\n][^'\n]{0,8}|[^'\\\n])'
    """,
    re.VERBOSE,
)
# Of a raw text only the beginning is matched: its end has as many hashes.
_RUST = compile_late(
    rb"""
    /\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?
    | //[^\n]*+
    | \b[bc]?r(?P<raw>\#*+)"
    | (?P<text>"[^"\\]*+(?:\\.[^"\\]*+){0,20000}")
    | "[\s\S]*+  # never closed: what follows is read as code
    | '(?:\\[^\n][^'\n]{0,8}|[^'\\\n])'
    """,
    re.VERBOSE | re.DOTALL,
)
# An expression between slashes follows an operator or a bracket; a quote that its line does not end is none.
_SCRIPT_TOKENS = rb"""
    /\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?
    | //[^\n]*+
    | (?:[(,=:\[!&|?{;>]|\breturn\b)\s{0,200}/(?![*/])
      [^/\\\[\n]*+(?:(?:\\.|\[[^\]\\\n]*+(?:\\.[^\]\\\n]*+){0,200}\])[^/\\\[\n]*+){0,200}/
    | "[^"\\\n]*+(?:\\.[^"\\\n]*+){0,2000}"
    | '[^'\\\n]*+(?:\\.[^'\\\n]*+){0,2000}'
    """
_SCRIPT = compile_late(rb"(?P<template>`) |" + _SCRIPT_TOKENS, re.VERBOSE)
_EXPRESSION = compile_late(rb"[`{}] |" + _SCRIPT_TOKENS, re.VERBOSE)  # in `${...}`
_TEMPLATE = compile_late(rb"\\[\s\S]|`|\$\{")


def iter_texts(language: str, text: bytes) -> Iterator[tuple[int, int]]:
    """Yield the byte spans of texts of several lines in normalised text, each up to the line that ends it.

    A span begins at the second line of a text, or at the first if nothing stands before it there.
    """
    if language == "php":
        return _iter_php(text)
    if language == "csharp":
        is_likely = b'@"' in text or b'@$"' in text or b'"""' in text
        return _iter_named(CSHARP_TOKENS, text) if is_likely else iter(())
    if language in {"go", "javascript", "typescript"}:
        is_likely = b"`" in text and any(line.count(b"`") % 2 for line in text.split(b"\n"))
        found = _iter_named(_GO, text) if language == "go" else _iter_templates(text)
        return found if is_likely else iter(())
    if language == "rust":
        is_likely = any(line.count(b'"') % 2 for line in text.split(b"\n"))
        return _iter_rust(text) if is_likely else iter(())
    return _iter_heredocs(language, text) if language in _OPENINGS and b"<<" in text else iter(())


def _iter_php(text: bytes) -> Iterator[tuple[int, int]]:
    at, heredocs = max(0, text.find(b"<?")), _Endings(text, "php")
    while at < len(text):
        for match in _PHP.finditer(text, at):
            start, at = match.span()
            if match["mark"]:
                closed = heredocs.find(match["mark"], at, is_free=True)
                if closed is not None:
                    yield at, closed.start()
                    at = closed.end()
                    break  # quotes in it begin nothing
            elif match.lastgroup and (below := text.find(b"\n", start, at) + 1):
                yield below, text.rfind(b"\n", start, at) + 1
        else:
            return


def _iter_named(tokens: re.Pattern[bytes], text: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of texts in named groups."""
    for match in tokens.finditer(text):
        start, end = match.span()
        if match.lastgroup and (below := text.find(b"\n", start, end) + 1):
            yield below, text.rfind(b"\n", start, end) + 1


def _iter_rust(text: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(text):
        for match in _RUST.finditer(text, at):
            start, at = match.span()
            if match.lastgroup == "raw":
                at = text.find(b'"' + match["raw"], at) + 1 or len(text)
            if match.lastgroup and (below := text.find(b"\n", start, at) + 1):
                yield below, text.rfind(b"\n", start, at) + 1
            if match.lastgroup == "raw":
                break  # quotes in it begin nothing
        else:
            return


def _iter_templates(text: bytes) -> Iterator[tuple[int, int]]:
    at: int | None = 0
    while at is not None:
        start = next((one.start() for one in _SCRIPT.finditer(text, at) if one.lastgroup), None)
        at = _find_template_end(text, start + 1) if start is not None else None
        if start is not None and at is not None and (below := text.find(b"\n", start, at) + 1):
            yield below, text.rfind(b"\n", start, at) + 1


def _find_template_end(text: bytes, at: int) -> int | None:
    """Return where a template ends whose text begins at `at`; in `${...}` there may be further ones."""
    opened: list[int] = []  # braces in each of the expressions around
    is_text = True
    while (match := (_TEMPLATE if is_text else _EXPRESSION).search(text, at)) is not None:
        token, at = match[0], match.end()
        if token == b"`":
            if is_text and not opened:
                return at
            is_text = not is_text
        elif token == b"${" and is_text:
            opened.append(0)
            is_text = False
        elif not is_text and token in (b"{", b"}"):
            opened[-1] += 1 if token == b"{" else -1
            if opened[-1] < 0:
                opened.pop()
                is_text = True
    return None


def _iter_heredocs(language: str, text: bytes) -> Iterator[tuple[int, int]]:
    endings = _Endings(text, language)
    line_end = end = 0  # of the line with the last beginning, and of what it began
    for match in _OPENINGS[language].finditer(text):
        start = match.start()
        before = text[text.rfind(b"\n", 0, start) + 1 : start].lstrip()
        if line_end <= start < end or before.startswith(_COMMENTS):
            continue
        is_first = start >= line_end
        begin = (text.find(b"\n", start) + 1 or len(text)) if is_first else end
        closed = endings.find(match["quoted"] or match["mark"], begin, is_free=match["free"] is not None)
        if closed is not None:
            yield begin if before else start, closed.start()
            line_end, end = begin if is_first else line_end, closed.end()


class _Endings:
    """Finds the lines that end heredocs."""

    def __init__(self, text: bytes, language: str) -> None:
        self._text, self._language = text, language
        self._unended: set[tuple[bytes, bool]] = set()

    def find(self, mark: bytes, begin: int, *, is_free: bool) -> re.Match[bytes] | None:
        """Return the first end of a mark from `begin` on, which may be indented if it `is_free`."""
        if (mark, is_free) in self._unended or len(self._unended) > MAX_UNENDED:
            return None
        found = _compile_end(self._language, mark, is_free).search(self._text, begin)
        if found is None:
            self._unended.add((mark, is_free))
        return found


@lru_cache(256)
def _compile_end(language: str, mark: bytes, is_free: bool) -> re.Pattern[bytes]:
    after = rb"(?!\w)" if language == "php" else rb"[ \t]*(?:\n|\Z)"
    return re.compile(rb"^%b%b%b" % (rb"[ \t]*" if is_free else b"", re.escape(mark), after), re.MULTILINE)
