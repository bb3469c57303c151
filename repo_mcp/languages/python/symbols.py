"""The symbols of a Python text in the order of their start, with the flags that decorators and names imply.

A symbol is public API if neither its name nor that of anything around it begins with an underscore; in a
module with `__all__`, a top-level symbol is if `__all__` names it. Nothing inside a function is public API.
Access follows the underscore convention: `__x` is private, `_x` protected, all else public.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from repo_mcp.languages.python.declarations import (
    FunctionNode,
    find_docstring,
    find_last_name,
    find_start_line,
    is_property,
    iter_parameters,
    list_decorator_names,
)
from repo_mcp.languages.python.scopes import BUILTINS
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.record_builder import Head, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import MAX_SYMBOLS, Access, SymbolFlag, SymbolKind

MAX_SIGNATURE_CHARS = 300
MAX_SIGNATURE_LINES = 60

FUNCTION_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
_FUNCTION, _METHOD, _CONSTRUCTOR = SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR
_PROPERTY, _CLASS, _ENUM = SymbolKind.PROPERTY, SymbolKind.CLASS, SymbolKind.ENUM
_PUBLIC, _PROTECTED, _PRIVATE = Access.PUBLIC, Access.PROTECTED, Access.PRIVATE
_FLAGS: dict[str, int] = {
    "staticmethod": SymbolFlag.STATIC,
    "abstractstaticmethod": SymbolFlag.STATIC | SymbolFlag.ABSTRACT,
    "abstractmethod": SymbolFlag.ABSTRACT,
    "abstractproperty": SymbolFlag.ABSTRACT,
    "abstractclassmethod": SymbolFlag.ABSTRACT,
    "deprecated": SymbolFlag.DEPRECATED,
    "override": SymbolFlag.OVERRIDE,
    "overload": SymbolFlag.FORWARD,
}
_ABSTRACT_BASES = frozenset({"ABC", "Protocol", "ABCMeta"})
_ENUM_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


@dataclass(slots=True)
class SymbolDraft:
    """One symbol, before it is known whether it is public."""

    name: str
    kind: SymbolKind
    parent: int
    start_line: int
    end_line: int
    flags: int = 0
    parameters: str = ""
    parameter_count: int = 0
    return_type: str = ""


class SymbolDrafts:
    """The symbols gathered so far. Ordinal 0 is the file."""

    def __init__(self, file_name: str, lines: int) -> None:
        self.rows = [SymbolDraft(file_name, SymbolKind.FILE, 0, 1, max(1, lines))]
        self.is_full = False

    def add(self, draft: SymbolDraft) -> int:
        """Add a draft and return its ordinal, or that of its parent when there are too many."""
        if len(self.rows) >= MAX_SYMBOLS:
            self.is_full = True
            return draft.parent
        self.rows.append(draft)
        return len(self.rows) - 1

    def move_down(self, first: int, lines: int) -> None:
        """Move the symbols from ordinal `first` on down by some lines."""
        for draft in self.rows[first:]:
            draft.start_line += lines
            draft.end_line += lines

    def give(self, builder: SymbolRecordBuilder, exported: set[str] | None) -> None:
        """Add all symbols to a builder. `exported` holds the names in `__all__`; None if there is none."""
        rows = self.rows
        stem = rows[0].name.rpartition(".")[0]
        public = [_find_access(stem) is _PUBLIC]
        for draft in rows[1:]:
            name = draft.name
            access = _PUBLIC if name[0] != "_" else _find_access(name)
            holder = rows[draft.parent]
            is_public = public[draft.parent] and access is _PUBLIC and holder.kind not in FUNCTION_KINDS
            if exported is not None and not draft.parent:
                is_public = draft.name in exported
            public.append(is_public)
            builder.add_symbol(
                draft.name,
                draft.kind,
                draft.parent,
                draft.start_line,
                draft.end_line,
                Head(
                    flags=draft.flags | (SymbolFlag.PUBLIC_API if is_public else 0),
                    access=access,
                    parameters=draft.parameters,
                    parameter_count=draft.parameter_count,
                    return_type=draft.return_type,
                ),
            )


def _find_access(name: str) -> Access:
    if not name.startswith("_") or (name.startswith("__") and name.endswith("__")):
        return _PUBLIC
    return _PRIVATE if name.startswith("__") else _PROTECTED


def draft_function(
    node: FunctionNode, parent: int, in_class: bool, is_stub: bool, names: list[str], lines: Sequence[bytes]
) -> SymbolDraft:
    """Return the symbol of a function or method with these parameter names."""
    flags: int = 0 if find_docstring(node.body) is None else SymbolFlag.DOCUMENTED
    words = list_decorator_names(node)
    for word in words:
        flags |= _FLAGS.get(word, 0)
    kind = _FUNCTION
    if in_class:
        kind = _PROPERTY if is_property(words) else _METHOD
        if node.name == "__init__":
            kind = _CONSTRUCTOR
    args = node.args
    has_self = in_class and not flags & SymbolFlag.STATIC and (args.args or args.posonlyargs)
    count = len(names) - 1 if has_self else len(names)
    parameters = _sign(node, lines) if names else "()"
    flags |= SymbolFlag.ASYNC if type(node) is ast.AsyncFunctionDef else 0
    flags |= SymbolFlag.VARIADIC if args.vararg is not None else 0
    flags |= SymbolFlag.FORWARD if is_stub else 0
    start, end = find_start_line(node), node.end_lineno or node.lineno
    returns = "" if node.returns is None else cut_text(node.returns, lines)
    return SymbolDraft(node.name, kind, parent, start, end, flags, parameters, count, returns)


def draft_class(node: ast.ClassDef, parent: int) -> SymbolDraft:
    """Return the symbol of a class."""
    flags: int = 0 if find_docstring(node.body) is None else SymbolFlag.DOCUMENTED
    if "deprecated" in list_decorator_names(node):
        flags |= SymbolFlag.DEPRECATED
    bases = [find_last_name(base) for base in node.bases]
    bases += [find_last_name(one.value) for one in node.keywords if one.arg == "metaclass"]
    if not _ABSTRACT_BASES.isdisjoint(bases):
        flags |= SymbolFlag.ABSTRACT
    if any(map(_is_unnamed, node.bases)):
        flags |= SymbolFlag.UNNAMED_BASE
    kind = _CLASS if _ENUM_BASES.isdisjoint(bases) else _ENUM
    return SymbolDraft(node.name, kind, parent, find_start_line(node), node.end_lineno or node.lineno, flags)


def _is_unnamed(base: ast.expr) -> bool:
    """Return whether no reference names a base; `object` does not count, since it comes last anyway."""
    named = base.value if isinstance(base, ast.Subscript) else base
    if isinstance(named, ast.Name):
        return named.id in BUILTINS and named.id != "object"
    return not isinstance(named, ast.Attribute)


def cut_text(node: ast.expr, lines: Sequence[bytes]) -> str:
    """Return the text of an expression on one line, cut when it is long."""
    last, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    if node.lineno == last:
        end = min(end, node.col_offset + 4 * MAX_SIGNATURE_CHARS)
        return lines[last - 1][node.col_offset : end].decode("utf-8", "replace")
    return _cut_lines(node.lineno, node.col_offset, last, end, lines)


def _cut_lines(first: int, start: int, last: int, end: int, lines: Sequence[bytes]) -> str:
    """Return some lines as one, without comments that are easy to recognise."""
    most = 4 * MAX_SIGNATURE_CHARS
    pieces = [lines[first - 1][start : start + most]]
    for number in range(first, min(last, first + MAX_SIGNATURE_LINES)):
        pieces.append(lines[number][: end if number == last - 1 else most][:most])
    shown = [piece.partition(b" #")[0].strip() for piece in pieces]
    return b" ".join(one for one in shown if one and not one.startswith(b"#")).decode("utf-8", "replace")


def _sign(node: FunctionNode, lines: Sequence[bytes]) -> str:
    """Return `(a: int, *, b=1)` as written; there must be at least one parameter."""
    args, line = node.args, node.lineno
    tail = _find_tail(args)
    last, last_end = tail.end_lineno or line, tail.end_col_offset or 0
    start = lines[line - 1].find(b"(", node.col_offset)
    if start < 0 or getattr(node, "type_params", None):
        names = [stars if arg is None else stars + arg.arg for stars, arg, _ in iter_parameters(args)]
        return f"({', '.join(one for one in names if one != '/')})"
    if line == last:
        inner = lines[line - 1][start + 1 : last_end].decode("utf-8", "replace")
    else:
        inner = _cut_lines(line, start + 1, last, last_end, lines)
    missing = inner.count("(") - inner.count(")")
    inner += ")" * missing if 0 < missing < 9 else ""
    return f"({inner}, /)" if args.posonlyargs and "/" not in inner else f"({inner})"


def _find_tail(args: ast.arguments) -> ast.expr | ast.arg:
    """Return the last parameter or default; only ")", "/" and "," may follow it."""
    if args.kwarg is not None:
        return args.kwarg
    if args.kwonlyargs:
        return args.kw_defaults[-1] or args.kwonlyargs[-1]
    return args.vararg or (args.defaults or args.args or args.posonlyargs)[-1]
