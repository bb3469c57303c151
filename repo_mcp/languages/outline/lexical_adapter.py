"""Outlines by line patterns, for every language without a parser here.

The patterns of `patterns/` find the declared names. The words around a name give its kind; indentation gives
its end and its parent. Formatted code is outlined well, minified code line by line. The text is read once: a
stack holds the open declarations. For most languages `declared_spans` has found where they end. In the
others, which declare without a body or for which it is right less often, a declaration ends at the first line
that is not indented deeper, unless that line continues it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from repo_mcp.languages.outline.adapter import (
    MAX_NAME_CHARS,
    MAX_PARENT_CHARS,
    MAX_SIGNATURE_CHARS,
    MAX_SYMBOLS,
    Adapter,
    cut,
)
from repo_mcp.languages.outline.declaration_heads import DeclarationHeads, join_words, measure_indent
from repo_mcp.languages.outline.listed_members import add_members
from repo_mcp.languages.outline.prototypes import Within, iter_prototypes
from repo_mcp.languages.outline.rust_blocks import add_blocks
from repo_mcp.languages.outline.titled_entries import add_titled
from repo_mcp.languages.patterns.declaration_kinds import CLASS_KINDS, FUNCTION_KINDS, find_kind
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, find_signs, list_declared_spans
from repo_mcp.languages.patterns.landmarks import Language, Spans, build_language, scan
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.line_layout import Layout
from repo_mcp.languages.patterns.owners import Owners, join_owner
from repo_mcp.languages.patterns.script_languages import RUBY, RUBY_WITH_BLOCKS
from repo_mcp.languages.patterns.titled_lines import list_titled_calls, may_have_titled_calls
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass, replace

PARSER = "lexical"
_ATTRIBUTE = re.compile(rb"[ \t]+(?:__|[A-Z_]{2})")  # of a prototype, below its brackets
_DECORATOR_LINES = 20

_ENDED_BY_LINES = frozenset({"typescript", "python", "assembly"})
_BY_INDENTATION = frozenset({"python"})
PREPROCESSED = frozenset({"c", "cpp", "objective-c", "csharp", "assembly"})
_CLOSER = re.compile(
    rb"[ \t]*(?:[)\]}]|(?:end|fi|done|esac|endfunction|endmodule|endclass)\b)", re.IGNORECASE
)
_LABEL = re.compile(rb"[ \t]*(?:\w{1,80}[ \t]*:(?!:)|(?:case|default)\b)")
_HEADER_GOES_ON = re.compile(rb"[ \t]*(?:\)|\{|->|where\b|throws\b|=>|:|>)")
_DECORATOR = re.compile(rb"[ \t]*(?:@|#\[|\[[A-Z])")

# For languages whose patterns find only comments, or nothing: a keyword and the name after it.
_GENERIC = build_language(
    "generic",
    "code",
    r"""
    {opt}\(?(?:(?:export|public|private|protected|static|abstract|final|pure|recursive|elemental|async|global
        |shared|partial|overloads|rec|inline){gap}){0,4}
    (?i:function|procedure|subroutine|program|module|defn-?|defmacro|defun|defmethod|defprotocol|defrecord
        |define|sub|proc|class|interface|contract|library|event|struct|type|enum|input|union|query|mutation
        |namespace|func|let|macro)
    {gap}(?:(?:rec|mutable){gap}){0,2}\(?({name}(?:[-:.?!]{1,2}{w}{1,60}){0,6})
    | ({name})\([^()\n]{0,200}+\){opt}(?:when[^\n]{0,200})?->
    """,
)


class LexicalAdapter(Adapter):
    """The adapter of every language that has line patterns, and of code in a language without."""

    name = "lexical"

    def __init__(self, find_language: Callable[[str], Language]) -> None:
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        """Return True for files of any language that has line patterns or is code."""
        language = self._find_language(path)
        return language.pattern is not None or language.kind == "code"

    def outline(self, path: str, text: str) -> Outline:
        """Return the outline that line patterns find."""
        return outline_lexically(path, self._find_language(path), text)


def outline_lexically(path: str, language: Language, text: str, warnings: tuple[str, ...] = ()) -> Outline:
    """Return the outline that line patterns find, in time linear in the length of the text."""
    data = text.encode()
    reading = _Reading(path, _choose_patterns(language), data)
    symbols, truncated = reading.read()
    listed = tuple(add_members(language.name, data, symbols))
    if may_have_titled_calls(language.name, data):
        layout = Layout(data, scan(language, data).doc_spans, language.name)
        listed = tuple(add_titled(listed, list_titled_calls(layout), reading.heads))
    if language.name == "rust":
        listed = tuple(add_blocks(reading.heads.lines, reading.heads.comment_lines, listed))
    symbols, truncated = listed[:MAX_SYMBOLS], truncated or len(listed) > MAX_SYMBOLS
    if truncated:
        warnings = (*warnings, f"Only the first {MAX_SYMBOLS:,} declarations are listed.")
    if not (symbols or warnings) and language.pattern is None and text.strip():
        warnings = (f"Declarations of {language.name} are not recognised here; search for words instead.",)
    return Outline(path, language.name, symbols, PARSER, warnings, truncated)


def _choose_patterns(language: Language) -> Language:
    if language.kind == "code" and (language.pattern is None or language.name == "css"):
        return replace(_GENERIC, name=language.name)
    return RUBY_WITH_BLOCKS if language is RUBY else language


@dataclass(slots=True)
class _Open:
    """A declaration whose end is not known yet."""

    number: int  # its position among the symbols
    line: int  # the line with its name
    indent: int
    has_body: bool  # whether a brace is still open
    owner: str = ""  # as `Owners` finds it


class _Reading:
    """One pass over one text."""

    def __init__(self, path: str, language: Language, data: bytes) -> None:
        language = find_dialect(language, data)
        landmarks = scan(language, data)
        self._language = language.name
        self._holders = CLASS_KINDS | {"module"} if language.name == "ruby" else CLASS_KINDS
        self._braces = language.name not in _BY_INDENTATION
        self._spans: dict[int, SymbolSpan] | None = None  # by the line of the name, from 0
        if language.name not in _ENDED_BY_LINES:
            spans = list_declared_spans(language, data, landmarks)
            self._spans = {one.name_line - 1: one for one in spans}
        self.heads = DeclarationHeads(language.name, data, landmarks.doc_spans)
        self._lines = self.heads.lines
        self._declared = self._locate_names(data, landmarks.definitions)
        if self._spans is not None:  # which leave out what is in a text of several lines
            self._declared = {line: one for line, one in self._declared.items() if line in self._spans}
        self._prototypes = self._locate_prototypes(path, data)
        self._owners = Owners(language.name, self._lines)
        self._symbols: list[Symbol] = []
        self._open: list[_Open] = []
        self._quote = b""  # quotes that close the current Python string
        self._macro = range(0)  # lines of the last macro, which end nothing that is around it

    def _locate_names(self, data: bytes, definitions: Spans) -> dict[int, tuple[int, int]]:
        """Return a mapping from line (from 0) to the columns of the name it declares, at most one."""
        placed: dict[int, tuple[int, int]] = {}
        for start, end in definitions:
            first, last = find_signs(self._language, data, start, end)
            line = self.heads.find_line(first)
            placed[line] = first - self.heads.starts[line], last - self.heads.starts[line]
        return placed

    def _locate_prototypes(self, path: str, data: bytes) -> dict[int, tuple[tuple[int, int], Within]]:
        """Return the lines that may be prototypes: the columns of the name, and what must enclose it."""
        placed = {}
        for (start, end), within in iter_prototypes(path, data):
            first, last = find_signs(self._language, data, start, end)
            line = self.heads.find_line(first)
            placed[line] = (first - self.heads.starts[line], last - self.heads.starts[line]), within
        return placed

    def _find_prototype(self, number: int) -> tuple[int, int] | None:
        """Return the columns of the name of a prototype in a line; None if the open blocks rule one out."""
        if number not in self._prototypes:
            return None
        columns, within = self._prototypes[number]
        around = self._symbols[self._open[-1].number] if self._open else None
        if within is Within.NO_FUNCTION:
            return None if around is not None and around.kind in FUNCTION_KINDS else columns
        if around is None or around.kind not in CLASS_KINDS:
            return None
        name = self._lines[number][slice(*columns)].decode("utf-8", "replace").removeprefix("~")
        return columns if within is Within.ANY_CLASS or name == around.name else None

    def read(self) -> tuple[tuple[Symbol, ...], bool]:
        """Return the symbols by start line, end line and order, and whether there are above MAX_SYMBOLS."""
        last = 0  # the last line that was neither blank nor a comment
        for number, line in enumerate(self._lines):
            if number in self.heads.comment_lines or not line.strip():
                continue
            if self._is_in_string(line):
                last = number
                continue
            self._leave_macro(number)
            columns = self._declared.get(number)
            if line.startswith(b"#") and self._language in PREPROCESSED:
                if columns is not None and number not in self._macro:
                    self._declare_macro(number, columns)
                continue
            indent = measure_indent(line)
            declares = columns is not None or number in self._prototypes
            if self._spans is not None:
                self._close_before(number)
            else:
                self._close(line, indent, number, last, declares=declares)
            if columns is not None:
                self._declare(number, columns, indent)
            elif (prototype := self._find_prototype(number)) is not None:
                self._end(self._find_semicolon(self._declare(number, prototype, indent, "function")))
            if not self._stands_in_macro(number):
                last = number
            if len(self._symbols) > MAX_SYMBOLS:
                break
        while self._open:
            self._end(last if self._spans is None else self._find_last(self._open[-1]))
        found = self._symbols[:MAX_SYMBOLS]
        order = sorted(range(len(found)), key=lambda at: (found[at].start_line, found[at].end_line, at))
        return tuple(found[at] for at in order), len(self._symbols) > MAX_SYMBOLS

    def _is_in_string(self, line: bytes) -> bool:
        """Return True when a line of Python begins inside a string, where indentation says nothing."""
        if self._language != "python":
            return False
        if self._quote:
            self._quote = b"" if self._quote in line else self._quote
            return True
        self._quote = next((mark for mark in (b'"""', b"'''") if line.count(mark) % 2), b"")
        return False

    def _stands_in_macro(self, number: int) -> bool:
        """Return True for a line of a macro if the innermost open declaration is not one of its own."""
        return number in self._macro and bool(self._open) and self._open[-1].line not in self._macro

    def _leave_macro(self, number: int) -> None:
        """End what the last macro declares if the given line is below it."""
        while self._open and self._open[-1].line in self._macro and number not in self._macro:
            self._end(self._macro[-1])

    def _close_before(self, number: int) -> None:
        """End the declarations whose last line is above the given one."""
        while self._open and self._find_last(self._open[-1]) < number:
            self._end(self._find_last(self._open[-1]))

    def _find_last(self, opened: _Open) -> int:
        """Return the last line of a declaration, from the ends that were found beforehand."""
        assert self._spans is not None
        span = self._spans.get(opened.line)
        return opened.line if span is None else span.end_line - 1

    def _close(self, line: bytes, indent: int, number: int, last: int, *, declares: bool) -> None:
        """End the declarations that this line is not part of."""
        while self._open and self._open[-1].indent >= indent and not self._stands_in_macro(number):
            top = self._open[-1]
            if top.indent == indent and not declares:
                if self._continues(top, line):
                    top.has_body = top.has_body or _opens(line)
                    return
                if _CLOSER.match(line) and (top.has_body or not line.lstrip().startswith(b"}")):
                    self._end(number)
                    return
            self._end(last)

    def _continues(self, top: _Open, line: bytes) -> bool:
        """Return True when a line no deeper than a declaration still belongs to it."""
        if line.rstrip().endswith((b"{", b"(")) and _CLOSER.match(line):
            return True
        if not self._braces:
            return line.lstrip()[:1] in (b")", b"]") and line.rstrip().endswith(b":")
        if top.has_body:
            return _LABEL.match(line) is not None
        return _HEADER_GOES_ON.match(line) is not None and not line.rstrip().endswith((b";", b","))

    def _end(self, line: int) -> None:
        top = self._open.pop()
        symbol = self._symbols[top.number]
        self._symbols[top.number] = replace(symbol, end_line=max(symbol.end_line, line + 1))

    def _find_semicolon(self, number: int) -> int:
        """Return the line in which a prototype ends, from the line that closes its brackets."""
        while not self._lines[number].rstrip().endswith(b";") and number + 1 < len(self._lines):
            if not _ATTRIBUTE.match(self._lines[number + 1]):
                break
            number += 1
        return number

    def _declare(self, number: int, columns: tuple[int, int], indent: int, kind: str = "") -> int:
        """Add a declaration that is open from here on. Return the line in which its head ends."""
        line = self._lines[number]
        name = line[columns[0] : columns[1]]
        kind = kind or find_kind(self._language, line[: columns[0]], name, line[columns[1] :])
        parent = self._symbols[self._open[-1].number] if self._open else None
        owner = self._owners.find(number, line[: columns[0]])
        around = join_owner(
            "" if parent is None else _qualify(parent), owner, self._open[-1].owner if self._open else ""
        )
        is_owned = around != ("" if parent is None else _qualify(parent))
        in_class = is_owned or (parent is not None and parent.kind in self._holders)
        scope = "class" if in_class else "function" if parent and parent.kind in FUNCTION_KINDS else "module"
        if in_class and kind in ("function", "async_function"):
            kind = kind.replace("function", "method")
        first = self._find_first_line(number)
        signature, header_end = self.heads.sign(number, columns[0], is_type=kind in CLASS_KINDS)
        if kind in ("variable", "constant") and signature.endswith("=>"):
            kind = "function"
        self._symbols.append(
            Symbol(
                kind,
                cut(name.decode("utf-8", "replace").strip(), MAX_NAME_CHARS),
                signature,
                first + 1,
                number + 1,
                self.heads.find_doc(first, header_end),
                cut(around, MAX_PARENT_CHARS) or None,
                scope,
            )
        )
        header = b"".join(self._lines[number : header_end + 1])
        self._open.append(_Open(len(self._symbols) - 1, number, indent, _opens(header), owner))
        return header_end

    def _declare_macro(self, number: int, columns: tuple[int, int]) -> None:
        """Add a macro: it ignores indentation and ends at the first line without a backslash."""
        line = self._lines[number]
        end = number
        while self._lines[end].endswith(b"\\") and end + 1 < len(self._lines):
            end += 1
        name = cut(line[columns[0] : columns[1]].decode("utf-8", "replace"), MAX_NAME_CHARS)
        signature = cut(join_words(line[: 4 * MAX_SIGNATURE_CHARS].rstrip(b"\\ \t")), MAX_SIGNATURE_CHARS)
        self._macro = range(number, end + 1)
        doc = self.heads.find_doc(number, end)
        self._symbols.append(Symbol("macro", name, signature, number + 1, end + 1, doc, None, "module"))

    def _find_first_line(self, number: int) -> int:
        """Return the line of the first decorator, attribute or type right above a declaration."""
        if self._spans is not None and number in self._spans:
            return self._spans[number].head_line - 1
        first = self.heads.find_first(number)
        while first > 0 and number - first < _DECORATOR_LINES and _DECORATOR.match(self._lines[first - 1]):
            first -= 1
        return first


def _opens(line: bytes) -> bool:
    return line.count(b"{") > line.count(b"}")


def _qualify(parent: Symbol) -> str:
    whole = parent.name if parent.parent_symbol is None else f"{parent.parent_symbol}.{parent.name}"
    return cut(whole, MAX_PARENT_CHARS)
