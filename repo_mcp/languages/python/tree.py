"""The declarations of a Python syntax tree, as plain rows in a fixed order.

A row says what is declared and where, never whether a branch is taken: `is_conditional` is true below any
control-flow statement, even with a class or function between. Assigned names are listed in modules
(constants, type aliases, annotated names, and what is made by a call or given another name) and in classes
(fields), once for each branch. Names assigned inside functions are left out: no reader of an outline looks
for them.

Each part of a signature is cut from the source if it stands on one line, so that it reads as written, and
is rewritten from the tree if it spans lines. The walk keeps a stack of its own, so that deep nesting cannot
end it. Nothing is evaluated.

The parse worker makes the rows from source text, by `ast`. The answer is JSON, one of

    {"symbols": [[kind, name, signature, start_line, end_line, doc, parent, scope, conditional, context]],
     "cut": false}
    {"failure": "syntax", "line": 3}

A text for a later Python is read as `newer_syntax` writes it; only type parameters are lost.

The failures are `syntax`, `newer` (the line is valid in a later Python, and that did not help), `nesting`
(deeper than the parser goes) and `value` (a NUL, or something else that no source may hold). A text that does
not parse yields no symbol at all: half an outline would look like a whole one.

Syntax is judged to be newer by the first and the last line that the parser refused, and by those alone.
`except a, b:` with two plain lower-case names stays an error: Python 2 wrote its variable so.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from repo_mcp.languages.outline.adapter import (
    CUT,
    MAX_DOC_CHARS,
    MAX_NAME_CHARS,
    MAX_PARENT_CHARS,
    MAX_SYMBOLS,
    cut,
)
from repo_mcp.languages.python.declarations import (
    DefinitionNode,
    find_docstring,
    find_last_name,
    find_start_line,
    is_declared_alias,
    is_made_type,
    is_property,
    iter_parameters,
    list_decorator_names,
)
from repo_mcp.languages.python.newer_syntax import write_older

MAX_SIGNATURE_CHARS = 1_000
MAX_PART_CHARS = 200  # of one default, annotation, base or decorator
MAX_LABEL_CHARS = 60
MAX_CONTEXT_CHARS = 240
MAX_REWRITTEN_BYTES = 2_000  # a longer expression of several lines is shown as "…"

Row = list[object]

_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")
_TYPE_MAKERS = frozenset({"NewType"})
_OBJECTS = (ast.Call, ast.Name, ast.Attribute, ast.Lambda)  # values of variables that are like declarations
_WORDS = {ast.FunctionDef: "def", ast.AsyncFunctionDef: "async def", ast.ClassDef: "class"}
_ERRORS = (SyntaxError, ValueError, OverflowError, SystemError, MemoryError, RecursionError)
_SHOWN_LINE_CHARS = 1_000  # of the line where the parser stopped

# First version with a syntax -> pattern of its lines. Repeats are bounded, because the text is not trusted.
_NEWER: tuple[tuple[tuple[int, int], str], ...] = (
    ((3, 12), r"^\s*type\s+\w+\s*(?:\[[^\]]{0,300}\]\s*)?="),
    ((3, 12), r"^\s*(?:async\s+)?(?:def|class)\s+\w+\s*\["),
    ((3, 13), r"^\s*(?:async\s+)?(?:def|class|type)\s+\w+\s*\[[^\]]{0,300}\w\s*=\s*\w"),
    ((3, 14), r"\b(?:[tT][rR]?|[rR][tT])[\"']"),
    ((3, 14), r"^\s*except\s+[\w.]+\s*,\s*(?:\w+\.[\w.]+|[A-Z]\w*)\s*:"),
    ((3, 14), r"^\s*except\s+[\w.]+(?:\s*,\s*[\w.]+){2,99}\s*:"),
    ((3, 14), r"^\s*except\s*\*\s*[\w.]+(?:\s*,\s*[\w.]+){1,99}\s*:"),
    ((3, 15), r"^\s*lazy\s+(?:import|from)\s+\w"),
)
NEWER_PATTERNS = tuple(re.compile(pattern) for version, pattern in _NEWER if sys.version_info[:2] < version)


_FREE_FSTRINGS = (3, 12)  # from this version on, a field may contain the quote of its string, and backslashes
_FSTRING = re.compile(r"\b(?:[fF][rR]?|[rR][fF])([\"'])(?!\1)")


def outline_python(source: bytes) -> bytes:
    """Return the answer for normalised UTF-8 text. Raises only exceptions that end the process."""
    return json.dumps(_parse(source)).encode("ascii")


def _parse(source: bytes) -> dict[str, object]:
    try:
        rows, cut = _list_rows_of(source, source)
    except SyntaxError as error:
        line = error.lineno or 0
        newer = [one for one in (line, error.end_lineno or 0) if _looks_newer(source, one)]
        if not newer:
            return {"failure": "syntax", "line": line}
        older = write_older(source.decode("utf-8")).encode()
        try:
            rows, cut = _list_rows_of(older, source)
        except _ERRORS:
            return {"failure": "newer", "line": newer[0]}
    except (MemoryError, RecursionError):  # raised by the parser for deep nesting
        return {"failure": "nesting", "line": 0}
    except (ValueError, OverflowError, SystemError):
        return {"failure": "value", "line": 0}
    return {"symbols": rows, "cut": cut}


def _list_rows_of(text: bytes, written: bytes) -> tuple[list[Row], bool]:
    """Return the rows of a text, and whether there were too many; `written` is it in its own syntax."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is the repository's affair
        tree = ast.parse(text.decode("utf-8"))
    return list_rows(tree, text.split(b"\n"), written.split(b"\n"))


def _looks_newer(source: bytes, line: int) -> bool:
    lines = source.split(b"\n", line)
    if not 1 <= line <= len(lines):
        return False
    text = lines[line - 1][:_SHOWN_LINE_CHARS].decode("utf-8", "replace")
    if any(pattern.search(text) for pattern in NEWER_PATTERNS):
        return True
    return sys.version_info[:2] < _FREE_FSTRINGS and any(
        _field_is_free(text, match.end(), match.group(1)) for match in _FSTRING.finditer(text)
    )


def _field_is_free(text: str, position: int, quote: str) -> bool:
    """Return whether the f-string field at `position` contains its quote or a backslash, and ends."""
    depth = 0
    while position < len(text):
        char = text[position]
        if depth == 0 and (char == "\\" or text.startswith("{{", position)):
            position += 1
        elif depth and char in ("\\", quote):
            rest = text[position + 1 :].partition(quote)[2]
            return "}" in rest
        elif char == quote:
            return False
        depth += (char == "{") - (char == "}" and depth > 0)
        position += 1
    return False


class _Surroundings(NamedTuple):
    """The definitions and control flow around a statement."""

    parent: str | None = None
    scope: str = "module"
    context: str | None = None

    def inside(self, node: DefinitionNode) -> _Surroundings:
        """Return the surroundings of the body of this definition."""
        scope = "class" if isinstance(node, ast.ClassDef) else "function"
        name = node.name if self.parent is None else f"{self.parent}.{node.name}"
        return self._replace(parent=cut(name, MAX_PARENT_CHARS), scope=scope)

    def below(self, label: str | None) -> _Surroundings:
        """Return these surroundings under one more control-flow statement; unchanged for None."""
        if label is None:
            return self
        context = label if self.context is None else f"{self.context} > {label}"
        return self._replace(context=cut(context, MAX_CONTEXT_CHARS))


def list_rows(tree: ast.Module, lines: Sequence[bytes], written: Sequence[bytes]) -> tuple[list[Row], bool]:
    """Return the rows of a module by start line, end line, column and name; True when there were too many.

    `lines` are those of the text that was parsed, and `written` the same ones in their own syntax.
    """
    walk = _Walk(lines, written)
    stack = [(node, _Surroundings()) for node in reversed(tree.body)]
    while stack and len(walk.found) <= MAX_SYMBOLS:
        node, around = stack.pop()
        for body, inner in reversed(walk.visit(node, around)):
            stack.extend((statement, inner) for statement in reversed(body))
    found = sorted(walk.found[:MAX_SYMBOLS], key=lambda one: one[:4])
    return [row for *_, row in found], len(walk.found) > MAX_SYMBOLS


class _Walk:
    """The rows found so far, each after its start line, end line, column in bytes and name."""

    def __init__(self, lines: Sequence[bytes], written: Sequence[bytes]) -> None:
        self.found: list[tuple[int, int, int, str, Row]] = []
        self._source = _Source(lines, written)
        self._assigned: set[tuple[_Surroundings, str]] = set()

    def visit(self, node: ast.stmt, around: _Surroundings) -> list[tuple[list[ast.stmt], _Surroundings]]:
        """Add the rows of a statement; return the statement lists inside it, in the order of the text."""
        if isinstance(node, DefinitionNode):
            self._add(node, around, _definition_kind(node, around.scope), node.name)
            return [(node.body, around.inside(node))]
        if around.scope != "function":
            for kind, name in _iter_assigned(node, around.scope):
                if (around, name) not in self._assigned:
                    self._assigned.add((around, name))
                    self._add(node, around, kind, name)
        return [(body, around.below(label)) for body, label in self._source.list_branches(node)]

    def _add(self, node: ast.stmt, around: _Surroundings, kind: str, name: str) -> None:
        source, shown, doc = self._source, cut(name, MAX_NAME_CHARS), None
        start, end = node.lineno, node.end_lineno or node.lineno
        if isinstance(node, DefinitionNode):
            signature = source.sign_definition(node)
            start, doc = find_start_line(node), _find_doc_line(node)
        else:
            signature = source.sign_assignment(node, name)
        where = (around.parent, around.scope, around.context is not None, around.context)
        row: Row = [kind, shown, signature, start, end, doc, *where]
        self.found.append((start, end, node.col_offset, shown, row))


class _Source:
    """The text of one file, from which signatures and labels are made."""

    def __init__(self, lines: Sequence[bytes], written: Sequence[bytes]) -> None:
        self._lines = lines
        self._written = written

    def get(self, node: ast.AST, most: int = MAX_PART_CHARS) -> str:
        """Return the text of an expression on one line, cut at `most` characters."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0) or 0
        if first == last:
            piece = self._lines[first - 1][start : min(end, start + 4 * most + 4)]
            return cut(piece.decode("utf-8", "replace"), most)
        if last - first > MAX_REWRITTEN_BYTES // 2:
            return CUT
        if sum(map(len, self._lines[first - 1 : last])) > MAX_REWRITTEN_BYTES:
            return CUT
        try:
            return cut(" ".join(ast.unparse(node).split("\n")), most)
        except (RecursionError, ValueError):  # deep, or an integer with too many digits
            return CUT

    def sign_definition(self, node: DefinitionNode) -> str:
        """Return `@decorator async def f[T](a, *, b: int = 1) -> R` or `class C[T](Base, metaclass=M)`."""
        word = _WORDS[type(node)]
        decorators = _join((f"@{self.get(one)} " for one in node.decorator_list), "")
        head = f"{decorators}{word} {cut(node.name, MAX_NAME_CHARS)}{self._type_parameters(node)}"
        if isinstance(node, ast.ClassDef):
            bases = _join(self._iter_bases(node))
            return cut(f"{head}({bases})" if bases else head, MAX_SIGNATURE_CHARS)
        tail = f" -> {self.get(node.returns)}" if node.returns is not None else ""
        parameters = _join(self._parameter(*one) for one in iter_parameters(node.args))
        return cut(f"{head}({parameters}){tail}", MAX_SIGNATURE_CHARS)

    def sign_assignment(self, node: ast.stmt, name: str) -> str:
        """Return `NAME: annotation = value` or `type NAME = value`; a long value is shown by its brackets."""
        shown = cut(name, MAX_NAME_CHARS)
        if isinstance(node, ast.AnnAssign):
            if node.value is not None and self._written[node.lineno - 1].lstrip().startswith(b"type "):
                return f"type {shown} = {self.get(node.value)}"
            value = "" if node.value is None else f" = {self._preview(node.value)}"
            return f"{shown}: {self.get(node.annotation)}{value}"
        if isinstance(node, ast.Assign):
            is_direct = any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
            return f"{shown} = {self._preview(node.value) if is_direct else CUT}"
        return f"type {shown}{self._type_parameters(node)} = {self.get(cast(Any, node).value)}"

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

    def _type_parameters(self, node: ast.AST) -> str:
        parameters = getattr(node, "type_params", ())  # Python 3.12
        return f"[{_join(self.get(one) for one in parameters)}]" if parameters else ""

    def _iter_bases(self, node: ast.ClassDef) -> Iterator[str]:
        for base in node.bases:
            yield self.get(base)
        for keyword in node.keywords:
            value = self.get(keyword.value)
            yield f"**{value}" if keyword.arg is None else f"{keyword.arg}={value}"

    def _parameter(self, stars: str, arg: ast.arg | None, default: ast.expr | None) -> str:
        if arg is None:
            return stars
        shown, equals = stars + cut(arg.arg, MAX_NAME_CHARS), "="
        if arg.annotation is not None:
            shown, equals = f"{shown}: {self.get(arg.annotation)}", " = "
        return shown if default is None else f"{shown}{equals}{self.get(default)}"

    def list_branches(self, node: ast.stmt) -> list[tuple[list[ast.stmt], str | None]]:
        """Return the bodies of a control-flow statement with their labels; nothing for any other statement.

        An `elif` is beside its `if`, not inside it as in the tree.
        """
        match node:
            case ast.If():
                label = f"{self._if_word(node)} {self.get(node.test, MAX_LABEL_CHARS)}"
                is_elif = len(node.orelse) == 1 and self._if_word(node.orelse[0]) == "elif"
                return [(node.body, label), (node.orelse, None if is_elif else f"else of {label}")]
            case ast.Try() | ast.TryStar():
                handlers = [(one.body, self._label_handler(one)) for one in node.handlers]
                after = [(node.orelse, "try/else"), (node.finalbody, "try/finally")]
                return [(node.body, "try"), *handlers, *after]
            case ast.For() | ast.AsyncFor() | ast.While():
                word = "while" if isinstance(node, ast.While) else "for"
                return [(node.body, word), (node.orelse, f"{word}/else")]
            case ast.With() | ast.AsyncWith():
                return [(node.body, f"with {self.get(node.items[0].context_expr, MAX_LABEL_CHARS)}")]
            case ast.Match():
                return [(case.body, f"match case {number}") for number, case in enumerate(node.cases, 1)]
        return []

    def _if_word(self, node: ast.stmt) -> str:
        return "elif" if self._lines[node.lineno - 1].startswith(b"elif", node.col_offset) else "if"

    def _label_handler(self, handler: ast.ExceptHandler) -> str:
        kind = "" if handler.type is None else f" {self.get(handler.type, MAX_LABEL_CHARS)}"
        return f"try/except{kind}"


def _definition_kind(node: DefinitionNode, scope: str) -> str:
    if isinstance(node, ast.ClassDef):
        return "class"
    word = "async_" if isinstance(node, ast.AsyncFunctionDef) else ""
    if scope != "class":
        return f"{word}function"
    return "property" if is_property(list_decorator_names(node)) else f"{word}method"


def _iter_assigned(node: ast.stmt, scope: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of each declaration by an assignment or alias in a module or class."""
    if isinstance(node, ast.AnnAssign):
        if isinstance(node.target, ast.Name) and node.simple:
            yield _annotated_kind(node, node.target.id), node.target.id
    elif isinstance(node, ast.Assign):
        is_type = is_made_type(node, _TYPE_MAKERS)
        is_listed = scope == "class" or isinstance(node.value, _OBJECTS)
        for target in node.targets:
            for one in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                if isinstance(one, ast.Name) and (kind := _plain_kind(one.id, is_listed, is_type)):
                    yield kind, one.id
    elif is_declared_alias(node):
        yield "type_alias", cast(Any, node).name.id


def _plain_kind(name: str, is_listed: bool, is_type: bool) -> str | None:
    if is_type:
        return "type_alias"
    if _CONSTANT.fullmatch(name):
        return "constant"
    return "variable" if is_listed and not name.startswith("__") else None


def _annotated_kind(node: ast.AnnAssign, name: str) -> str:
    if is_declared_alias(node):
        return "type_alias"
    is_constant = find_last_name(node.annotation) == "Final" or _CONSTANT.fullmatch(name)
    return "constant" if is_constant else "variable"


def _find_doc_line(node: DefinitionNode) -> str | None:
    line = (find_docstring(node.body) or "").strip().split("\n", 1)[0].rstrip()
    return cut(line, MAX_DOC_CHARS) if line else None


def _join(parts: Iterable[str], between: str = ", ") -> str:
    """Return the parts joined, as many as a signature can show."""
    taken: list[str] = []
    length = 0
    for part in parts:
        taken.append(part)
        length += len(part) + len(between)
        if length > MAX_SIGNATURE_CHARS:
            taken.append(CUT)
            break
    return between.join(taken)
