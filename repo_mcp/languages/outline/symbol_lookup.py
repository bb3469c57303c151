"""Finds declarations in an outline: by name, or around a line.

Names are compared exactly, and qualified names from their end: `m` and `A.m` find `A.m`, as `A::m` and `A#m`
do. `empty` finds `empty?` if nothing has exactly that name, and `vec!` the macro `vec`. A declaration that an
outline does not list, such as a field or a value of an enum, is found by the line that declares it.

Left out on purpose: imported and inherited names, which the toolset `graph` resolves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import filterfalse

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.languages.patterns.declaration_kinds import FUNCTION_KINDS, IMPL
from repo_mcp.languages.patterns.declaring_lines import list_declaring_lines
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.citations import write_span
from repo_mcp.text.lines import is_comment, split_lines
from repo_mcp.titled_names import is_titled

MAX_SHOWN_CHARS = 64  # of a name given by the client
NEAR_LINES = 20  # before and after a line outside every declaration
MAX_NAMED = 5  # other declarations named in a message
MAX_COMPARED = 2_000  # declarations whose names are compared with an unknown one: at most 0.1 s
_SIGNS = "?!="  # at the end of names, in languages such as Ruby
# not meant by a line inside them.
_NO_BLOCK = frozenset({"constant", "variable", "type_alias", "key", "field"})

WITH_NAMESPACES = frozenset({"c", "cpp"})  # headers of C++ are C by their names


@dataclass(frozen=True, slots=True)
class DeclaredSpan:
    """The lines of a declaration, or the lines near one that no declaration encloses."""

    start_line: int
    end_line: int
    symbol: str | None  # qualified name
    notes: tuple[str, ...] = ()


def choose_span(outline: Outline, text: bytes, symbol: str | None, around: int | None) -> DeclaredSpan:
    """Return the lines of a declaration: by its name, or the innermost around a line if `symbol` is None.

    With both, it is the one nearest to the line that has this as its own name.

    A line in the comment above a declaration means that one, with the comment.

    `text` is the normalised text of the outlined file. Raises RepoError: NOT_FOUND for a name that is not
    declared, INVALID_ARGUMENT for a line beyond the end.
    """
    if symbol is not None:
        near = None if around is None else _find_nearest(outline.symbols, symbol, around)
        if near is not None:
            return DeclaredSpan(near.start_line, near.end_line, qualify(near))
        declared = None if find_named(outline.symbols, symbol) else _find_declaring(outline, text, symbol)
        if declared is not None:
            return declared
        best, notes = get_named(outline, symbol)
        accessors = _list_accessors(outline.symbols, best)
        if accessors:
            return DeclaredSpan(accessors[0].start_line, accessors[-1].end_line, qualify(best))
        return DeclaredSpan(best.start_line, best.end_line, qualify(best), notes)
    lines = split_lines(text)
    total_lines = len(lines)
    line = 1 if around is None else around
    if not 1 <= line <= max(1, total_lines):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no line {line}; the file has {total_lines} lines.",
            f"Give a line from 1 to {max(1, total_lines)}.",
            {"argument": "line", "total_lines": total_lines},
        )
    found = find_around(outline.symbols, line)
    if found is not None and _is_namespace(outline, found) and found.start_line != line:
        found = None  # which often is the whole file
    if found is None or (found.kind not in FUNCTION_KINDS and found.start_line < line):
        above = _find_comment(outline.symbols, lines, line)
        if above is not None:
            return above
    if found is not None:
        return DeclaredSpan(found.start_line, found.end_line, qualify(found))
    note = f"No declaration is around line {line}: the lines near it are shown."
    return DeclaredSpan(max(1, line - NEAR_LINES), max(1, min(line + NEAR_LINES, total_lines)), None, (note,))


def _is_namespace(outline: Outline, found: Symbol) -> bool:
    return found.kind == "module" and outline.language in WITH_NAMESPACES


def _find_comment(symbols: Sequence[Symbol], lines: Sequence[bytes], line: int) -> DeclaredSpan | None:
    """Return a declaration and the comment above it if the line is in that comment, else None."""
    first, below = line, line
    while first > max(1, line - NEAR_LINES) and _is_comment(lines[first - 2]):
        first -= 1
    while below <= len(lines) and _is_comment(lines[below - 1]):
        below += 1
    if below == line:
        return None
    found = [one for one in symbols if one.start_line == below and one.kind not in _NO_BLOCK | {"heading"}]
    return DeclaredSpan(first, found[0].end_line, qualify(found[0])) if found else None


def _is_comment(line: bytes) -> bool:
    """Return True for a line of a comment, which no quotes of Python are: these may end a docstring."""
    text = line.decode("utf-8", "replace")
    return is_comment(text) and not text.lstrip().startswith(('"""', "'''"))


def qualify(symbol: Symbol) -> str:
    """Return the qualified name of a declaration."""
    return symbol.name if symbol.parent_symbol is None else f"{symbol.parent_symbol}.{symbol.name}"


def find_parents(symbols: Sequence[Symbol]) -> list[int | None]:
    """Return for each declaration the number of the one around it; None at the top.

    Parents precede their members. A member of an `impl` of Rust, whose qualified name is that of the type, is
    in the `impl`.
    """
    parents: list[int | None] = []
    known: dict[str, int] = {}  # qualified name -> the last declaration that has it
    block: int | None = None  # the last `impl`
    for number, symbol in enumerate(symbols):
        parent = None if symbol.parent_symbol is None else known.get(symbol.parent_symbol)
        if (
            block is not None
            and symbol.end_line <= symbols[block].end_line
            and not (parent is not None and symbol.end_line <= symbols[parent].end_line)
        ):
            parent = block
        parents.append(parent)
        known[qualify(symbol)] = number
        if symbol.kind == IMPL:
            block = number
    return parents


def measure_depths(symbols: Sequence[Symbol], parents: Sequence[int | None]) -> list[int]:
    """Return the nesting depth of each symbol, from 1, given the result of `find_parents`.

    A method that stands above its type, or in another file, is as deep as one below it.
    """
    depths: list[int] = []
    for symbol, parent in zip(symbols, parents, strict=True):
        is_apart = symbol.kind == "method" and symbol.parent_symbol is not None
        depths.append((2 if is_apart else 1) if parent is None else depths[parent] + 1)
    return depths


def find_named(symbols: Sequence[Symbol], name: str) -> list[Symbol]:
    """Return the declarations with a qualified name, or if there are none those whose name ends with it."""
    wanted = (name, _unify(name))
    names = [(qualify(one), one) for one in symbols]
    exact = [one for whole, one in names if whole in wanted or _unify(whole) in wanted]
    ends = tuple(f".{one}" for one in wanted)
    return (
        exact
        or [one for whole, one in names if f".{_unify(whole)}".endswith(ends)]
        or [one for whole, one in names if f".{_unify(whole).rstrip(_SIGNS)}".endswith(ends)]
        or [one for whole, one in names if one.kind == "macro" and f".{_unify(whole)}!".endswith(ends)]
    )


def _find_nearest(symbols: Sequence[Symbol], name: str, line: int) -> Symbol | None:
    """Return the declaration with this own name that begins nearest to a line; None without any."""
    named = [one for one in symbols if one.name == name]
    return min(named, key=lambda one: abs(one.start_line - line), default=None)


def _list_accessors(symbols: Sequence[Symbol], one: Symbol) -> list[Symbol]:
    """Return the getter and the setter of a property; nothing unless they stand together."""
    found = [other for other in symbols if qualify(other) == qualify(one)]
    if len(found) < 2 or any(other.kind != "property" for other in found):
        return []
    lines = range(found[0].start_line, found[-1].end_line)
    beside = (other for other in symbols if other.parent_symbol == one.parent_symbol)
    between = (other for other in beside if other.start_line in lines and other.name != one.name)
    return [] if next(between, None) else found


def _find_declaring(outline: Outline, text: bytes, symbol: str) -> DeclaredSpan | None:
    """Return the first lines that declare a name missing from the outline, noting others; or None."""
    wanted = _unify(symbol.strip("$@.%-"))
    lines = list_declaring_lines(outline.language, text.decode("utf-8", "replace"), wanted.rpartition(".")[2])
    found = [DeclaredSpan(first, last, _qualify_line(outline, first, wanted)) for first, last in lines]
    found = [one for one in found if f".{one.symbol}".endswith(f".{wanted}")]
    if not found:
        return None
    others = ", ".join(
        f"{one.symbol} {write_span(one.start_line, one.end_line)}" for one in found[1 : MAX_NAMED + 1]
    )
    return replace(found[0], notes=(f"Other declarations of this name: {others}.",) if others else ())


def _qualify_line(outline: Outline, line: int, wanted: str) -> str:
    """Return the name that a line declares, qualified by the type around it."""
    name = wanted.rpartition(".")[2]
    outer = find_around(outline.symbols, line)
    if outer is None or outer.start_line == outer.end_line:
        return name
    around = outer.parent_symbol if outer.kind in FUNCTION_KINDS else qualify(outer)
    return _unify(f"{around}.{name}") if around else name


def _unify(name: str) -> str:
    return name.replace("::", ".").replace("#", ".")


def get_named(outline: Outline, name: str) -> tuple[Symbol, tuple[str, ...]]:
    """Return the longest declaration of a name, and a note that names the others. Raises NOT_FOUND.

    The longest is the one with a body: the others are overloads, prototypes and repetitions in other
    branches.
    """
    found = find_named(outline.symbols, name)
    if not found:
        asked, hint = name[:MAX_SHOWN_CHARS], _suggest(outline, name)
        said = f'The file declares no "{asked}".'
        if outline.truncated:
            said = f'None of the first {len(outline.symbols):,} declarations of the file is "{asked}".'
            hint = "If a search finds a later one, open the lines around it."
        raise RepoError(ErrorCode.NOT_FOUND, said, hint, {"argument": "symbol"})
    best = max(found, key=lambda one: (one.end_line - one.start_line, -one.start_line))
    others = [one for one in found if one is not best]
    if not others:
        return best, ()
    named = ", ".join(
        f"{qualify(one)} {write_span(one.start_line, one.end_line)}" for one in others[:MAX_NAMED]
    )
    more = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
    return best, (f"Other declarations of this name: {named}{more}.",)


def _suggest(outline: Outline, name: str) -> str:
    from difflib import get_close_matches  # here: names are seldom missing

    if not outline.symbols:
        why = outline.warnings[0] if outline.warnings else "Nothing is declared in it."
        return f"Give start_line and end_line instead. {why}"
    named: dict[str, list[str]] = {}
    for one in filterfalse(lambda one: is_titled(one.name), outline.symbols[:MAX_COMPARED]):
        named.setdefault(one.name, []).append(qualify(one))
    last = _unify(name).rpartition(".")[2][:MAX_SHOWN_CHARS]
    close = [whole for one in get_close_matches(last, named, MAX_NAMED) for whole in named[one]]
    if close:
        return f"Similar names: {', '.join(list(dict.fromkeys(close))[:MAX_NAMED])}."
    return "Outline the file to see what it declares."


def _is_line(symbol: Symbol) -> bool:
    """Return whether a line in a declaration rather means what is around it."""
    is_short = symbol.start_line == symbol.end_line
    return symbol.kind in _NO_BLOCK or (is_short and symbol.kind in ("property", "enum_member"))


def find_around(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the innermost declaration around a line, one with a body if possible; None if none is there."""
    around = [one for one in symbols if one.start_line <= line <= one.end_line]
    blocks = [one for one in around if not _is_line(one)]
    return min(
        blocks or around, key=lambda one: (one.end_line - one.start_line, -one.start_line), default=None
    )
