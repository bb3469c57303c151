"""Finds the lines of declarations by landmarks and indentation: cheap, for every language, without parsing.

A declaration begins at the comment, decorator or attribute lines that touch it from above; in C and similar
languages also at the line of its type, if the name begins the next line, as BSD and GNU write it. Where it
ends is found by `declaration_ends`. In Python, lines within strings and brackets and comment lines end
nothing. A heading reaches to the next heading that is not deeper. Text with another layout gives wrong spans,
never an error. The work is bounded: after MAX_STEPS lines examined, declarations are taken to end where the
search stops, and those after the first MAX_SPANS are left out.

A parser that finds spans can replace `list_declared_spans`. A header has up to 20,000 declarations, so they
are rows of plain values until they are stored or asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

import numpy as np

from repo_mcp.languages.patterns.declaration_ends import choose_end
from repo_mcp.languages.patterns.landmarks import Landmarks, Language, Spans, scan
from repo_mcp.languages.patterns.line_layout import Layout
from repo_mcp.languages.patterns.macro_runs import (
    DEFINE,
    MACRO_LANGUAGES,
    NO_MACROS,
    Macros,
    mark_apart,
    mark_macros,
    take_macros,
)
from repo_mcp.languages.patterns.owners import Owners, join_owner
from repo_mcp.languages.patterns.titled_lines import list_titled_calls, may_have_titled_calls
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass

MAX_NESTING = 50  # deeper declarations are named after the fiftieth that encloses them
MAX_SPANS = 50_000  # declarations of one file, the first ones: half a kilobyte each
_HEADING_LANGUAGES = frozenset(("markdown", "rst", "toml", "ini", "dockerfile"))
_HOLDS_MEMBERS = compile_late(
    r"\b(?:class|struct|interface|trait|impl|module|namespace|enum|object|extension|protocol|package|mod|union"
    r"|record|defmodule|describe)\b"
)
_ATTRIBUTE = compile_late(
    r"#!?\[[^\]]{0,500}\]"
)  # of Rust, which may hold the name: `#[cfg(test)] mod test {`
_SIGNED_LANGUAGES = frozenset(("c", "cpp"))  # headers of C++ are C by their names
_OPERATOR_SIGNS = compile_late(  # of a conversion, the type
    rb"[ \t]*(?:\([ \t]*\)|\[\]|\"\"[ \t]*\w+|[^\s\w(]{1,3})|[ \t]+[\w:][\w:<>,*& \t\[\]]{0,100}(?<![ \t])"
)
_BEFORE_NAME = b"~", b"operator "
_FUNCTION_VALUE_LANGUAGES = frozenset(("javascript", "typescript", "vue", "svelte"))
_MAX_PARAMETER_LINES = 20  # between a parameter and the bracket that opens its list

_Found = tuple[int, int, int, str, str]  # first line, last line, line of the name (from 0), name, owner
_Opened = tuple[int, int, tuple[str, str]]  # last line, line of the name (from 1), qualified name and owner
# The fields of a SymbolSpan up to its name, what stands before the name in the qualified one, and the owner.
DeclaredRow = tuple[int, int, int, int, str, str, str]


@dataclass(frozen=True, slots=True)
class SymbolSpan:
    """The lines of one declaration, 1-based, both included."""

    start_line: int
    end_line: int
    name_line: int  # the line that holds the name
    head_line: int  # the first of its decorators and attributes, after the comments above it
    name: str
    qualified_name: str
    owner: str = ""  # the type that it belongs to though it stands outside, as `Owners` finds it


def list_declared_spans(
    language: Language, text: bytes, landmarks: Landmarks | None = None
) -> tuple[SymbolSpan, ...]:
    """Return the declarations of normalised text in the order of their names; `landmarks` if known.

    Spans are nested or disjoint.
    """
    landmarks = landmarks or scan(language, text)
    if not may_declare(language, text, landmarks):
        return ()
    rows = list_declared_rows(Layout(text, landmarks.doc_spans, language.name), landmarks.definitions)
    return tuple([SymbolSpan(*row[:5], row[5] + row[4], row[6]) for row in rows])


def may_declare(language: Language, text: bytes, landmarks: Landmarks) -> bool:
    """Return False for a text that is known to declare nothing."""
    return bool(landmarks.definitions) or may_have_titled_calls(language.name, text)


def list_declared_rows(
    layout: Layout, definitions: Spans, within: tuple[int, int] | None = None
) -> list[DeclaredRow]:
    """Return the declarations of a text as rows, in the order of their names. See `find_declared_rows`."""
    rows, macros = find_declared_rows(layout, definitions, within)
    return sorted([*rows, *_iter_macro_rows(macros)], key=itemgetter(2)) if len(macros.lines) else rows


def _iter_macro_rows(macros: Macros) -> Iterator[DeclaredRow]:
    end = 0
    for line, size in zip((macros.lines + 1).tolist(), macros.sizes.tolist(), strict=True):
        end += size
        yield line, line, line, line, macros.names[end - size : end], "", ""


def find_declared_rows(
    layout: Layout, definitions: Spans, within: tuple[int, int] | None = None
) -> tuple[list[DeclaredRow], Macros]:
    """Return the declarations of a text as rows, in the order of their names, without its macros that stand
    apart; and these.

    `definitions` are those of the text's landmarks. If only those around or in the lines `within` are wanted,
    which are the first and the last, counted from 1, others may be left out.
    """
    text, language = layout.text, layout.language
    offsets = np.array(definitions[:MAX_SPANS], dtype=np.int64).reshape(-1, 2)
    lines = layout.find_lines(offsets[:, 0])
    is_macro = np.zeros(len(lines), dtype=np.bool_)
    if language in MACRO_LANGUAGES and DEFINE in text:
        is_macro = mark_macros(layout, lines)
    owners = Owners(language, layout.lines)
    others = (~is_macro).nonzero()[0]
    names = [
        (line, _read_name(language, text, start, end), owners.find_at(line, text, start))
        for line, (start, end) in zip(lines[others].tolist(), offsets[others].tolist(), strict=True)
        if not layout.is_inside[line] and not _is_parameter(layout, line, text[end : end + 3])
    ]
    if language in _HEADING_LANGUAGES:
        spans = _span_headings(layout, names)
    else:
        spans = _add_titled(layout, [*_iter_spans(layout, names, within)])
    if not is_macro.any():
        return _nest(spans, layout), NO_MACROS
    is_apart = mark_apart(lines, [(line, end) for _, end, line, _, _ in spans])
    if within is not None:
        is_macro &= (lines >= within[0] - 1) & (lines < within[1])
    macros = take_macros(layout, lines, offsets, is_macro & is_apart)
    is_macro[is_apart] &= not len(macros.lines)
    for at in is_macro.nonzero()[0].tolist():
        line, (start, end) = int(lines[at]), offsets[at].tolist()
        spans.append((line, line, line, text[start:end].decode("utf-8", "replace"), ""))
    return _nest(sorted(spans, key=itemgetter(2)), layout), macros


def find_signs(language: str, text: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the offsets of a declared name; of C++ with the signs of a destructor and an operator."""
    if language in _SIGNED_LANGUAGES:
        signs = _OPERATOR_SIGNS.match(text, end) if text[start:end] == b"operator" else None
        end = end if signs is None else signs.end()
        start -= next((len(one) for one in _BEFORE_NAME if text.endswith(one, 0, start)), 0)
    return start, end


def _read_name(language: str, text: bytes, start: int, end: int) -> str:
    start, end = find_signs(language, text, start, end)
    return text[start:end].decode("utf-8", "replace")


def _iter_spans(
    layout: Layout, names: Iterable[tuple[int, str, str]], within: tuple[int, int] | None
) -> Iterator[_Found]:
    """Yield what has the names, without what begins after the lines `within`."""
    find_end = choose_end(layout.language)
    last = len(layout.lines) if within is None else within[1] - 1
    for line, name, owner in names:
        start = layout.find_start(line)
        if start <= last:
            yield start, find_end(layout, line), line, name, owner


def _add_titled(layout: Layout, spans: list[_Found]) -> list[_Found]:
    """Return spans together with those of functions under titles, in the order of their names."""
    named = {line for _, _, line, _, _ in spans}
    titled = [
        (layout.find_start(one.line), one.end, one.line, one.name, "")
        for one in list_titled_calls(layout)
        if one.line not in named
    ]
    return sorted([*spans, *titled], key=itemgetter(2)) if titled else spans


def _is_parameter(layout: Layout, line: int, after: bytes) -> bool:
    """Return True for a parameter that is a function, on a line of its own: `matcher: (text) => boolean,`.

    Members of objects look the same, but are in braces. `after` is what follows the name.
    """
    if layout.language not in _FUNCTION_VALUE_LANGUAGES or after.lstrip()[:1] not in (b":", b"="):
        return False
    depth = layout.depths[line]
    for above in range(line - 1, max(-1, line - 1 - _MAX_PARAMETER_LINES), -1):
        if layout.depths[above] < depth:  # which a line without text never is
            return layout.lines[above].endswith(b"(")
    return False


def qualify_name(name: str, owner: str, outer: tuple[str, str] | None) -> str:
    """Return the qualified name of a declaration by its owner and by the one that encloses it, if any.

    `outer` has the qualified name and the owner of that one.
    """
    if not owner:
        return name if outer is None else f"{outer[0]}.{name}"
    around, owner_around = outer or ("", "")
    return f"{join_owner(around, owner, owner_around)}.{name}"


def has_name(span: SymbolSpan, name: str) -> bool:
    """Return True if a declaration has a name, which may be qualified in part: `Reader.read`."""
    return f".{span.qualified_name}".endswith(f".{name}")


def holds_members(head: str, name: str) -> bool:
    """Return whether a declaration is that of a type, a module or the like, by the text of its head."""
    return _HOLDS_MEMBERS.search(_ATTRIBUTE.sub("", head).partition(name)[0]) is not None


def _span_headings(layout: Layout, names: Sequence[tuple[int, str, str]]) -> list[_Found]:
    """Return sections, each up to the next heading that is not deeper. `#` or underline gives the depth."""
    spans = []
    following: list[tuple[int, int]] = []  # depth and line of the next headings, each one less deep
    for line, name, owner in reversed(names):
        depth = _get_heading_depth(layout, line)
        while following and following[-1][0] > depth:
            following.pop()
        end = following[-1][1] if following else len(layout.lines)
        spans.append((line, layout.trim(line, end), line, name.strip(), owner))
        following.append((depth, line))
    return spans[::-1]


def _get_heading_depth(layout: Layout, line: int) -> int:
    text = layout.lines[line]
    if text.startswith(b"["):
        return 1
    if text.startswith(b"#"):
        return len(text) - len(text.lstrip(b"#"))
    under = layout.lines[line + 1][:1] if line + 1 < len(layout.lines) else b""
    return 1 + b'=-~^"'.find(under) if under in b'=-~^"' else 1


def _nest(spans: Sequence[_Found], layout: Layout) -> list[DeclaredRow]:
    """Qualify each span by its enclosing spans.

    A span that would cross the end of an enclosing one is cut there.
    """
    opened: list[_Opened] = []
    found: list[DeclaredRow] = []
    for start, end, line, name, owner in spans:
        first, last, name_line = start + 1, (end if end > line else line) + 1, line + 1
        while opened and opened[-1][0] < name_line:
            opened.pop()
        outer = None
        if opened:
            last_around, name_around, outer = opened[-1]
            first, last = max(first, name_around), min(last, last_around)
        qualified = qualify_name(name, owner, outer) if owner or outer is not None else name
        head = layout.find_head(first - 1, line) + 1 if first < name_line else first
        found.append((first, last, name_line, head, name, qualified.removesuffix(name), owner))
        if len(opened) < MAX_NESTING:
            opened.append((last, name_line, (qualified, owner)))
    return found
