"""The signature of a declaration and its documentation, as the lines at its name have them.

A signature is joined from several lines while its parentheses are open, and that of a type while it names
what the type derives from. Comments behind it are left out. Documentation is the comment above, in some
languages the docstring right below, and of either the first line with text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from repo_mcp.languages.outline.adapter import MAX_DOC_CHARS, MAX_SIGNATURE_CHARS, cut
from repo_mcp.languages.patterns.landmarks import Spans
from repo_mcp.languages.patterns.singleton_lines import list_singleton_lines
from repo_mcp.languages.patterns.types_above import find_head_above

_SIGNATURE_LINES = 12  # joined at most while parentheses are open
MAX_EMPTY_LINES = 20  # between a comment and what it documents
_SIGNATURE_REACH = 40  # lines with the comments among them, which are left out
_NAMES_BASES = re.compile(rb"[ \t]*(?::(?!:)|(?:extends|implements|with)\b)")  # at the start of a line
_BASES_BELOW = re.compile(rb"(?:,|\b(?:extends|implements|with))$")  # at the end of one
_BODIES_AFTER_COLONS = frozenset({"python", "scala"})
_CONSTRAINT = re.compile(rb"\b(?:enable_if|requires\b)")  # by which overloads are told apart
_VALUE_BELOW = re.compile(rb"[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t][^\n]*=[ \t]*$")
_HASHES = frozenset("python ruby perl shell elixir julia r nim make cmake powershell graphql".split())  # noqa: SIM905
_DASHES = frozenset("lua haskell sql ada elm vhdl".split())  # noqa: SIM905
_BLOCK = re.compile(r" do(?: \|[^|]*\|)?$")  # at the end of a head in Ruby
# Of a method of the class itself, whose signature then gets the receiver.
_DEF = re.compile(r"\bdef (?!self\.)")
# In C# documentation `<summary>` is dropped, and `<see cref="Name"/>` becomes the name.
_XML_TAG = re.compile(r"""</?[a-z]+(?:\s+(?:cref|name|langword)=["']([^"'<>]*)["']|\s[^<>]*+)?\s*/?>""")
_COMMENT_MARKS = re.compile(r"^[\s/*#;!\-<>\"'=|%]+|[\s*/\-<>\"'=]+$")


class DeclarationHeads:
    """The lines of one text and where its comments are. Lines are counted from 0."""

    def __init__(self, language: str, data: bytes, comments: Spans) -> None:
        """`comments` are the byte spans of the text's comments."""
        self.lines = data.split(b"\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self._language = language
        mark = b"#" if language in _HASHES else b"--" if language in _DASHES else b"//"
        self._comment_behind = re.compile(rb"[ \t]" + mark)
        self._singletons = list_singleton_lines(self.lines) if language == "ruby" else frozenset()
        placed = [(self.find_line(first), self.find_line(last - 1)) for first, last in comments]
        self.comment_lines = {line for first, last in placed for line in range(first, last + 1)}
        self._comment_ends = {last: first for first, last in placed}
        self._comment_starts = {first for first, _ in placed}
        self._first_line = next((at for at, line in enumerate(self.lines) if line.strip()), 0)

    def find_line(self, offset: int) -> int:
        """Return the line of a byte offset."""
        return bisect_right(self.starts, offset) - 1

    def find_first(self, number: int) -> int:
        """Return the first line of the type and the parameters of a template above what a line declares."""
        return find_head_above(self._language, self.lines, number)[0]

    def sign(self, number: int, column: int, *, is_type: bool = False) -> tuple[str, int]:
        """Return the declaration's text on one line, and the line where it ends."""
        line = self.lines[number]
        if len(line) > 4 * MAX_SIGNATURE_CHARS:  # minified: take the name and what follows
            piece = line[max(0, column - 40) : column + MAX_SIGNATURE_CHARS]
            return cut(join_words(piece), MAX_SIGNATURE_CHARS), number
        parts = [self._cut_comment(line)]
        end = number
        depth = parts[0].count(b"(") - parts[0].count(b")")
        if _VALUE_BELOW.match(line) and number + 1 < len(self.lines):
            end += 1
            parts.append(self._cut_comment(self.lines[end][:MAX_SIGNATURE_CHARS]))
            depth += parts[-1].count(b"(") - parts[-1].count(b")")
        reach = min(number + _SIGNATURE_REACH, len(self.lines) - 1)
        while end < reach and len(parts) <= _SIGNATURE_LINES:
            if depth <= 0 and not (is_type and self._names_bases(end)):
                break
            end += 1
            if end not in self.comment_lines:
                parts.append(self._cut_comment(self.lines[end][:MAX_SIGNATURE_CHARS]))
                depth += parts[-1].count(b"(") - parts[-1].count(b")")
        if depth > 0:  # never closed: take the line alone
            parts, end = [self._cut_comment(line)], number
        parts[:0] = self._list_above(number)
        text = join_words(b" ".join(parts)).rstrip("{ ")
        if self._language == "python":
            text = text.removesuffix(":")
        if self._language == "ruby":
            text = _BLOCK.sub("", text)
        if number in self._singletons:
            text = _DEF.sub("def self.", text, count=1)
        return cut(text, MAX_SIGNATURE_CHARS), end

    def _list_above(self, number: int) -> list[bytes]:
        """Return the lines of the type above a name, and those of its template if these have a constraint."""
        first, typed = find_head_above(self._language, self.lines, number)
        templates = self.lines[first:typed]
        shown = templates if _CONSTRAINT.search(b" ".join(templates)) else []
        return [self._cut_comment(one) for one in (*shown, *self.lines[typed:number])]

    def _cut_comment(self, line: bytes) -> bytes:
        """Return a line without the comment behind its code; a mark between quotes begins none."""
        for found in self._comment_behind.finditer(line):
            before = line[: found.start()]
            if not (before.count(b'"') % 2 or before.count(b"'") % 2 or before.count(b"`") % 2):
                return before if before.strip() else line
        return line

    def _names_bases(self, number: int) -> bool:
        """Return True if the line below one in the head of a type names what the type derives from."""
        text, below = self._cut_comment(self.lines[number]).rstrip(), self.lines[number + 1]
        if b"{" in text or number + 1 in self.comment_lines:
            return False
        if text.endswith(b":"):
            return self._language not in _BODIES_AFTER_COLONS
        return _BASES_BELOW.search(text) is not None or _NAMES_BASES.match(below) is not None

    def find_doc(self, first: int, header_end: int) -> str | None:
        """Return the first line of the comment right above, or of the docstring right below; else None.

        Between `/** ... */` and the declaration there may be empty lines, unless it begins the file.
        """
        last = first - 1
        begin = self._comment_ends.get(last)
        if begin is None:
            while last > max(0, first - MAX_EMPTY_LINES) and not self.lines[last].strip():
                last -= 1
            begin = self._comment_ends.get(last)
            is_doc = begin is not None and self.lines[begin].lstrip().startswith(b"/**")
            begin = begin if is_doc and begin != self._first_line else None
        if begin is not None:
            return self._read_comment(begin, last)
        if self._language in ("python", "elixir") and header_end + 1 in self._comment_starts:
            return self._read_comment(header_end + 1, header_end + 3)
        return None

    def _read_comment(self, first: int, last: int) -> str | None:
        for line in self.lines[first : min(last + 1, first + _SIGNATURE_LINES)]:
            text = line[: 4 * MAX_DOC_CHARS].decode("utf-8", "replace")
            if self._language == "csharp":
                text = _XML_TAG.sub(r"\1", text)
            text = _COMMENT_MARKS.sub("", text)
            if text:
                return cut(text, MAX_DOC_CHARS)
        return None


def measure_indent(line: bytes) -> int:
    """Return the column in which the text of a line begins; tabs reach to the next eighth."""
    blank = line[: len(line) - len(line.lstrip(b" \t"))]
    return len(blank.expandtabs(8)) if b"\t" in blank else len(blank)


def join_words(text: bytes) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.decode("utf-8", "replace").split())
