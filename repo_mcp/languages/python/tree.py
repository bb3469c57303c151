"""The declarations of a Python syntax tree, as plain rows in a fixed order.

A row states what the text declares and where, never whether a branch is taken: `is_conditional` is true
below any control-flow statement, also when a class or function stands between. A name that is assigned
is listed in modules (constants, type aliases, annotated names) and in classes (fields), once for each
place; inside functions it is no declaration that a reader of an outline looks for.

Signatures are cut from the source where they stand on one line, so that they read as written, and are
written anew from the tree where they span lines. The walk keeps its own stack: no nesting of statements
ends it. Nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repo_mcp.languages.outline.outline_limits import (
    CUT,
    MAX_DOC_CHARS,
    MAX_NAME_CHARS,
    MAX_PARENT_CHARS,
    MAX_SYMBOLS,
    cut,
)

MAX_SIGNATURE_CHARS = 1_000
MAX_PART_CHARS = 200  # of one default, annotation, base or decorator
MAX_LABEL_CHARS = 60
MAX_CONTEXT_CHARS = 240
MAX_REWRITTEN_BYTES = 2_000  # a longer expression of several lines is shown as "…"

Row = list[object]

_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITHS = (ast.With, ast.AsyncWith)
_TRIES = (ast.Try, ast.TryStar)
_TYPE_ALIAS: type[ast.AST] | None = getattr(ast, "TypeAlias", None)  # Python 3.12


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What stands around a statement."""

    parent: str | None = None
    scope: str = "module"
    context: str | None = None

    def below(self, label: str | None) -> _Surroundings:
        """The same, under one more control-flow statement; with None the same."""
        if label is None:
            return self
        context = label if self.context is None else f"{self.context} > {label}"
        return replace(self, context=cut(context, MAX_CONTEXT_CHARS))


@dataclass(frozen=True, slots=True)
class _Declared:
    """One declaration, before it is a row."""

    kind: str
    name: str
    signature: str
    start_line: int
    end_line: int
    column: int  # bytes from the start of the line
    doc: str | None
    around: _Surroundings

    @property
    def order(self) -> tuple[int, int, int, str]:
        return self.start_line, self.end_line, self.column, self.name

    def to_row(self) -> Row:
        """As the worker's answer has it."""
        around = self.around
        where = (around.parent, around.scope, around.context is not None, around.context)
        return [self.kind, self.name, self.signature, self.start_line, self.end_line, self.doc, *where]


def list_rows(tree: ast.Module, lines: Sequence[bytes]) -> tuple[list[Row], bool]:
    """The rows of a module by start line, end line, column and name; True when there were too many."""
    walk = _Walk(lines)
    found = walk.collect(tree)
    found.sort(key=lambda one: one.order)
    return [one.to_row() for one in found], walk.cut


class _Walk:
    """One pass over the statements of a module."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._source = _Source(lines)
        self._assigned: set[tuple[_Surroundings, str]] = set()
        self.cut = False

    def collect(self, tree: ast.Module) -> list[_Declared]:
        """Every declaration, in the order of the text; no more than MAX_SYMBOLS."""
        found: list[_Declared] = []
        stack: list[tuple[ast.stmt, _Surroundings]] = [
            (node, _Surroundings()) for node in reversed(tree.body)
        ]
        while stack:
            node, around = stack.pop()
            found.extend(self._declare(node, around))
            if len(found) > MAX_SYMBOLS:
                self.cut = True
                return found[:MAX_SYMBOLS]
            for body, inner in reversed(self._list_bodies(node, around)):
                stack.extend((statement, inner) for statement in reversed(body))
        return found

    def _declare(self, node: ast.stmt, around: _Surroundings) -> Iterator[_Declared]:
        if isinstance(node, _FUNCTIONS):
            yield self._found(
                node, around, _function_kind(node, around), node.name, self._source.sign_function(node)
            )
        elif isinstance(node, ast.ClassDef):
            yield self._found(node, around, "class", node.name, self._source.sign_class(node))
        elif around.scope != "function":
            for kind, name in _assigned_names(node, around.scope):
                if (around, name) not in self._assigned:
                    self._assigned.add((around, name))
                    yield self._found(node, around, kind, name, self._source.sign_assignment(node, name))

    def _found(
        self, node: ast.stmt, around: _Surroundings, kind: str, name: str, signature: str
    ) -> _Declared:
        first, column = node.lineno, node.col_offset
        doc = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([first, *(one.lineno for one in node.decorator_list)])
            doc = _first_doc_line(node.body)
        cut_name = cut(name, MAX_NAME_CHARS)
        return _Declared(
            kind, cut_name, signature, first, node.end_lineno or node.lineno, column, doc, around
        )

    def _list_bodies(
        self, node: ast.stmt, around: _Surroundings
    ) -> list[tuple[list[ast.stmt], _Surroundings]]:
        """The statement lists inside a statement, in the order of the text, each with its place."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = "class" if isinstance(node, ast.ClassDef) else "function"
            name = node.name if around.parent is None else f"{around.parent}.{node.name}"
            return [(node.body, replace(around, parent=cut(name, MAX_PARENT_CHARS), scope=scope))]
        return [(body, around.below(label)) for body, label in self._source.list_branches(node)]


class _Source:
    """Pieces of the text of one file, by the places in its tree."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines

    def get(self, node: ast.AST, most: int = MAX_PART_CHARS) -> str:
        """The text of an expression on one line, cut at `most` characters."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0) or 0
        if first == last:
            piece = self._lines[first - 1][start : min(end, start + 4 * most + 4)]
            return cut(piece.decode("utf-8", "replace"), most)
        if last - first > MAX_REWRITTEN_BYTES // 2 or self._size(first, last) > MAX_REWRITTEN_BYTES:
            return CUT
        try:
            return cut(" ".join(ast.unparse(node).split("\n")), most)
        except (RecursionError, ValueError):  # deep, or an integer with too many digits
            return CUT

    def _size(self, first: int, last: int) -> int:
        return sum(len(line) for line in self._lines[first - 1 : last])

    def sign_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """`@decorator async def name[T](a, /, b: int = 1, *rest, c=2, **more) -> R`."""
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        head = f"{self._decorate(node)}{word} {cut(node.name, MAX_NAME_CHARS)}{self._type_parameters(node)}"
        tail = f" -> {self.get(node.returns)}" if node.returns is not None else ""
        return cut(f"{head}({_join(self._iter_parameters(node.args))}){tail}", MAX_SIGNATURE_CHARS)

    def sign_class(self, node: ast.ClassDef) -> str:
        """`@decorator class Name[T](Base, metaclass=Meta)`."""
        head = f"{self._decorate(node)}class {cut(node.name, MAX_NAME_CHARS)}{self._type_parameters(node)}"
        bases = _join(self._iter_bases(node))
        return cut(f"{head}({bases})" if bases else head, MAX_SIGNATURE_CHARS)

    def sign_assignment(self, node: ast.stmt, name: str) -> str:
        """`NAME: annotation = value`, long values given by their brackets."""
        shown = cut(name, MAX_NAME_CHARS)
        if isinstance(node, ast.AnnAssign):
            value = "" if node.value is None else f" = {self._preview(node.value)}"
            return f"{shown}: {self.get(node.annotation)}{value}"
        if isinstance(node, ast.Assign):
            several = not any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
            return f"{shown} = {CUT if several else self._preview(node.value)}"
        alias: ast.expr | None = getattr(node, "value", None)  # of a `type` statement
        return f"type {shown}{self._type_parameters(node)} = {CUT if alias is None else self.get(alias)}"

    def _preview(self, value: ast.expr) -> str:
        if value.lineno == value.end_lineno:
            return self.get(value)
        match value:
            case ast.List() | ast.ListComp():
                return f"[{CUT}]"
            case ast.Dict() | ast.Set() | ast.DictComp() | ast.SetComp():
                return f"{{{CUT}}}"
            case ast.Tuple():
                return f"({CUT})"
            case ast.Call():
                return f"{self.get(value.func)}({CUT})"
        return CUT

    def _decorate(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
        shown = _join((f"@{self.get(one)}" for one in node.decorator_list), " ")
        return f"{shown} " if shown else ""

    def _type_parameters(self, node: ast.AST) -> str:
        parameters = getattr(node, "type_params", ())  # Python 3.12
        return f"[{_join(self.get(one) for one in parameters)}]" if parameters else ""

    def _iter_bases(self, node: ast.ClassDef) -> Iterator[str]:
        for base in node.bases:
            yield self.get(base)
        for keyword in node.keywords:
            value = self.get(keyword.value)
            yield f"**{value}" if keyword.arg is None else f"{keyword.arg}={value}"

    def _iter_parameters(self, args: ast.arguments) -> Iterator[str]:
        positional = [*args.posonlyargs, *args.args]
        missing = len(positional) - len(args.defaults)
        for number, arg in enumerate(positional):
            yield self._parameter(arg, args.defaults[number - missing] if number >= missing else None)
            if number + 1 == len(args.posonlyargs):
                yield "/"
        if args.vararg is not None:
            yield "*" + self._parameter(args.vararg, None)
        elif args.kwonlyargs:
            yield "*"
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            yield self._parameter(arg, default)
        if args.kwarg is not None:
            yield "**" + self._parameter(args.kwarg, None)

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        name = cut(arg.arg, MAX_NAME_CHARS)
        shown = name if arg.annotation is None else f"{name}: {self.get(arg.annotation)}"
        if default is None:
            return shown
        return f"{shown}{'=' if arg.annotation is None else ' = '}{self.get(default)}"

    def list_branches(self, node: ast.stmt) -> list[tuple[list[ast.stmt], str | None]]:
        """The bodies of a control-flow statement with their labels; nothing for any other statement.

        An `elif` stands beside its `if`, not inside it: the tree nests it, without a label.
        """
        if isinstance(node, ast.If):
            test = self.get(node.test, MAX_LABEL_CHARS)
            word = "elif" if self._begins(node, b"elif") else "if"
            is_elif = len(node.orelse) == 1 and self._begins(node.orelse[0], b"elif")
            return [
                (node.body, f"{word} {test}"),
                (node.orelse, None if is_elif else f"else of {word} {test}"),
            ]
        if isinstance(node, _TRIES):
            return [
                (node.body, "try"),
                *((one.body, self._label_handler(one)) for one in node.handlers),
                (node.orelse, "try/else"),
                (node.finalbody, "try/finally"),
            ]
        if isinstance(node, _LOOPS):
            word = "while" if isinstance(node, ast.While) else "for"
            return [(node.body, word), (node.orelse, f"{word}/else")]
        if isinstance(node, _WITHS):
            return [(node.body, f"with {self.get(node.items[0].context_expr, MAX_LABEL_CHARS)}")]
        if isinstance(node, ast.Match):
            return [(case.body, f"match case {number}") for number, case in enumerate(node.cases, 1)]
        return []

    def _begins(self, node: ast.stmt, word: bytes) -> bool:
        return self._lines[node.lineno - 1].startswith(word, node.col_offset)

    def _label_handler(self, handler: ast.ExceptHandler) -> str:
        if handler.type is None:
            return "try/except"
        return f"try/except {self.get(handler.type, MAX_LABEL_CHARS)}"


def _function_kind(node: ast.FunctionDef | ast.AsyncFunctionDef, around: _Surroundings) -> str:
    prefix = "async_" if isinstance(node, ast.AsyncFunctionDef) else ""
    if around.scope != "class":
        return f"{prefix}function"
    if any(_last_name(one) in _PROPERTIES for one in node.decorator_list):
        return "property"
    return f"{prefix}method"


def _assigned_names(node: ast.stmt, scope: str) -> Iterator[tuple[str, str]]:
    """Kind and name of what an assignment declares in a module or class."""
    if _TYPE_ALIAS is not None and isinstance(node, _TYPE_ALIAS):
        name = getattr(node, "name", None)
        if isinstance(name, ast.Name):
            yield "type_alias", name.id
    elif isinstance(node, ast.AnnAssign):
        if isinstance(node.target, ast.Name) and node.simple:
            yield _annotated_kind(node, node.target.id), node.target.id
    elif isinstance(node, ast.Assign):
        is_type = isinstance(node.value, ast.Call) and _last_name(node.value) == "NewType"
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            for one in names:
                if isinstance(one, ast.Name) and (kind := _plain_kind(one.id, scope, is_type)):
                    yield kind, one.id


def _plain_kind(name: str, scope: str, is_type: bool) -> str | None:
    if is_type:
        return "type_alias"
    if _CONSTANT.fullmatch(name):
        return "constant"
    return "variable" if scope == "class" and not name.startswith("__") else None


def _annotated_kind(node: ast.AnnAssign, name: str) -> str:
    annotation = node.annotation
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    word = _last_name(annotation)
    if word == "TypeAlias":
        return "type_alias"
    return "constant" if word == "Final" or _CONSTANT.fullmatch(name) else "variable"


def _last_name(node: ast.expr) -> str:
    """`c` of `c`, `a.b.c` and `a.b.c(...)`; empty for anything else."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _first_doc_line(body: list[ast.stmt]) -> str | None:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        value = first.value.value
        if isinstance(value, str) and (text := value.strip()):
            return cut(text.split("\n", 1)[0].rstrip(), MAX_DOC_CHARS)
    return None


def _join(parts: Iterator[str], between: str = ", ") -> str:
    """The parts joined, and no more of them made than a signature can show."""
    taken: list[str] = []
    length = 0
    for part in parts:
        taken.append(part)
        length += len(part) + len(between)
        if length > MAX_SIGNATURE_CHARS:
            taken.append(CUT)
            break
    return between.join(taken)
