"""The references in Python expressions; the walk over assignments in `assignments` builds on this.

One stack is emptied for each piece of a text: a node is popped, and the method of its type adds its rows and
pushes its inner nodes. Nothing recurses. A chain such as `a.b().c[0].d` is handled at once, from its root.

    a.b.c()    CALL c of "a.b", USE b of "a", and `a`, which is read in the scope
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeGuard

from repo_mcp.languages.python.bound_variables import BIND, BoundVariables, add_declaring_blocks
from repo_mcp.languages.python.declarations import list_parameter_names, list_targets
from repo_mcp.languages.python.narrowing import EXCLUDED, WIDENED, Narrowing, narrow_expression
from repo_mcp.languages.python.paths import (
    MAX_PATH_CHARS,
    UNKNOWN,
    find_cast,
    find_path,
    is_cast,
    parse_quoted,
    write_arguments,
    write_key,
)
from repo_mcp.languages.python.scopes import CLASS, COMPREHENSION, FUNCTION, MODULE, Scope, ScopeKind
from repo_mcp.languages.python.symbols import SymbolDrafts
from repo_mcp.languages.python.types import ITEM, SAME, list_paired_forms, list_value_forms
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import AS_KEYWORD, FROM_ITSELF
from repo_mcp.symbols.record_builder import ReferenceKey, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import ReferenceRole

_BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr"})
USE, CALL, TYPE = int(ReferenceRole.USE), int(ReferenceRole.CALL), int(ReferenceRole.TYPE)
_Attribute, _Call, _Subscript, _Await = ast.Attribute, ast.Call, ast.Subscript, ast.Await
_Name, _Constant, _Starred = ast.Name, ast.Constant, ast.Starred
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_TemplateStr: Any = getattr(ast, "TemplateStr", ast.JoinedStr)  # Python 3.14
_Field: Any = getattr(ast, "Interpolation", ast.FormattedValue)
_WRAPPERS = (ast.FormattedValue, _Field, ast.Starred, ast.UnaryOp, ast.Yield, ast.YieldFrom, ast.keyword)


def push_fields(*names: str) -> Callable[[Any, Any], None]:
    """Return the method for nodes whose fields are only pushed; the first field is processed last."""
    get = attrgetter(*names)

    def push(walk: ExpressionWalk, node: ast.AST) -> None:
        walk.stack += get(node)

    return push


class EnterScope:
    """A mark on the stack: the nodes under it belong to this scope and symbol."""

    __slots__ = ("scope", "symbol")

    def __init__(self, scope: Scope, symbol: int) -> None:
        self.scope = scope
        self.symbol = symbol


@dataclass(frozen=True, slots=True)
class Piece:
    """The rows and scopes of some statements of the module."""

    before: int  # lines of the text before them; lines in rows and scopes are relative to it
    rows: dict[ReferenceKey, int]  # -> arguments; of two equal calls on a line, of the later one
    scopes: list[Scope]  # the module's first; each after those around it
    bound: BoundVariables


class ExpressionWalk:
    """The references gathered from one text, and the methods for its expressions."""

    def __init__(self, drafts: SymbolDrafts) -> None:
        self.drafts = drafts
        self.module = Scope(MODULE, None, 0, 1)
        self.pieces: list[Piece] = []
        self.symbol = 0
        self.stack: list[Any] = []

    def walk(self, statements: Sequence[ast.stmt], lines: Sequence[bytes], before: int = 0) -> None:
        """Gather the symbols and references of the next statements of the module."""
        drafted = len(self.drafts.rows)
        self.lines = lines
        self.rows: dict[ReferenceKey, int] = {}
        self.bound = BoundVariables()
        self.scope = self.module.share_names()
        self.scopes = [self.scope]
        self.pieces.append(Piece(before, self.rows, self.scopes, self.bound))
        self.stack += reversed(statements)
        self._run()
        self.bound.add_rows(self.rows)
        self.drafts.move_down(drafted, before)

    def give(self, builder: SymbolRecordBuilder) -> None:
        """Add all references to a builder, bare names last: if there are too many, those are dropped."""
        self.module.find_variables()
        add_declaring_blocks([(piece.bound, piece.rows) for piece in self.pieces])
        for piece in self.pieces:
            builder.add_distinct(piece.rows, piece.before)
        for piece in self.pieces:
            reads: dict[ReferenceKey, int] = {}
            for scope in piece.scopes:
                scope.find_variables()
                scope.give(reads)
            builder.add_distinct(reads, piece.before)

    def _run(self) -> None:
        """Process the stack until it is empty."""
        stack, find = self.stack, self.METHODS.get
        pop = stack.pop
        while stack:
            node = pop()
            kind = type(node)
            if kind is _Constant:
                continue
            if kind is _Name:  # a read: bound names are not pushed
                scope = self.scope
                if node.id not in scope.local:
                    scope.reads[self.symbol, USE, node.id, "", "", node.lineno] = 0
            elif (method := find(kind)) is not None:
                method(self, node)

    def _enter(self, mark: EnterScope) -> None:
        self.scope = mark.scope
        self.symbol = mark.symbol

    def open_scope(self, kind: ScopeKind, owner: int, line: int) -> Scope:
        """Add a scope inside the current one, which stays current."""
        scope = Scope(kind, self.scope, owner, line)
        self.scopes.append(scope)
        return scope

    def bind(self, target: ast.expr, statement: ast.AST) -> None:
        """Bind the names of an assignment target; its other expressions go on the stack."""
        for node in list_targets(target):
            if isinstance(node, ast.Name):
                self.bind_name(node.id, statement)
            elif isinstance(node, ast.Attribute):
                self.store_attribute(node, statement)
            else:
                self.stack.append(node)

    def bind_name(self, name: str, statement: ast.AST) -> None:
        """Bind a name that a statement or walrus assigns. Implemented by the walk over assignments."""
        raise NotImplementedError

    def store_attribute(self, node: ast.Attribute, statement: ast.AST) -> None:
        """Add an attribute that a statement assigns. Implemented by the walk over assignments."""
        raise NotImplementedError

    def bind_forms(self, alias: str, forms: list[tuple[str, str, int]], line: int) -> None:
        """Add the BIND rows of a variable."""
        for qualifier, name, form in forms:
            if name != alias or qualifier or form & ~FROM_ITSELF != SAME:
                self.rows.setdefault((self.symbol, BIND, name, qualifier, alias, line), form)
        if forms:
            self.bound.lines.setdefault((self.symbol, alias), set()).add(line)
            if alias.startswith("self."):
                self.bound.attributes.add((self.scope.class_ordinal, alias.removeprefix("self.")))
            elif self.scope.kind is CLASS:
                self.bound.attributes.add((self.symbol, alias))

    def narrow(self, narrowings: Iterable[Narrowing]) -> None:
        """Add the BIND rows of variables whose class a condition decides, where that begins and ends."""
        for one in narrowings:
            is_bound = bool(self.bound.lines.get((self.symbol, one.name)))
            for qualifier, name, form in one.forms:
                key = (self.symbol, BIND, name, qualifier, one.name, one.start)
                if form == EXCLUDED and not is_bound:
                    continue  # the class of the variable is not known anyway
                # The condition of a branch is added before its `and`; where that ends, `else` may begin.
                if self.rows.get(key, WIDENED) == WIDENED:
                    self.rows[key] = form
                    self.rows.setdefault((*key[:5], one.end), WIDENED)
                    self.bound.lines.setdefault((self.symbol, one.name), set())

    def _attribute(self, node: ast.Attribute) -> None:
        value = node.value
        if type(value) is _Name:  # most are
            symbol, root, scope = self.symbol, value.id, self.scope
            if root not in scope.local:
                scope.reads[symbol, USE, root, "", "", value.lineno] = 0
            before = UNKNOWN if root in scope.opaque else root
            self.rows[symbol, USE, node.attr, before, "", node.end_lineno or 0] = 0
        else:
            self.chain(node)

    def _call(self, node: ast.Call) -> None:
        func: Any = node.func
        root = func.value if type(func) is _Attribute else func
        if type(root) is not _Name:
            self.chain(node)
            return
        reads, local = self.scope.reads, self.scope.local
        stack, symbol = self.stack, self.symbol
        args, keywords = node.args, node.keywords
        count = len(args) + len(keywords) + 1  # the same as `_count`
        for one in args:
            kind = type(one)
            if kind is _Name:
                if (read := one.id) not in local:  # type: ignore[attr-defined]
                    reads[symbol, USE, read, "", "", one.lineno] = 0
            elif kind is not _Constant:
                stack.append(one)
                if kind is _Starred:
                    count = 0
        for keyword in keywords:
            stack.append(keyword.value)
            if keyword.arg is None:
                count = 0
        name = root.id
        if name == "cast" or (root is not func and func.attr == "cast"):
            self._quote(node)
        elif root is func and name in _BY_NAME:
            self._name_attribute(node)
        before = UNKNOWN if name in self.scope.opaque else name
        if root is not func:
            if name not in local:
                reads[symbol, USE, name, "", "", root.lineno] = 0
            self.rows[symbol, CALL, func.attr, before, "", func.end_lineno] = count
            if keywords:
                self._set_fields(func.attr, f"{before}.{func.attr}()", keywords)
            return
        if name not in local:
            reads[symbol, CALL, name, "", "", root.lineno] = count
        if keywords:
            self._set_fields(name, f"{before}()", keywords)

    def _set_fields(self, made: str, call: str, keywords: list[ast.keyword]) -> None:
        """Add the keywords of a call that by its name makes an object: they may name fields of that."""
        if (made.lstrip("_")[:1].isupper() or made == "cls") and call[0] != UNKNOWN:
            for one in keywords:
                if one.arg is not None:
                    self.rows[self.symbol, USE, one.arg, call, "", one.lineno] = AS_KEYWORD

    def _name_attribute(self, call: ast.Call) -> None:
        """Add the attribute that a call names by a string: `getattr(value, "limit", None)`."""
        name = call.args[1] if len(call.args) > 1 else None
        if type(name) is _Constant and type(name.value) is str and name.value.isidentifier():
            path = find_path(call.args[0])
            path = UNKNOWN if path.partition(".")[0] in self.scope.opaque else path
            self.rows[self.symbol, USE, name.value, path, "", name.lineno] = 0

    def _quote(self, call: ast.Call) -> None:
        """Add the quoted type in `cast("A", value)`."""
        if is_cast(call) and isinstance(call.args[0], ast.Constant):
            self.annotate(call.args[0], TYPE)

    def _subscript(self, node: ast.Subscript) -> None:
        value = node.value
        if type(value) is _Name:
            if value.id not in self.scope.local:
                self.scope.reads[self.symbol, USE, value.id, "", "", value.lineno] = 0
            self.stack.append(node.slice)
        else:
            self.chain(node)

    def chain(self, node: ast.expr, role: int = USE, arguments: int = 0, line: int = 0) -> None:
        """Add rows of attributes, calls and subscripts; `role` and `arguments` are those of the last name.

        `line` replaces the lines of nodes that were parsed from a string.
        """
        links: list[Any] = []
        kind: type = type(node)
        inner: Any = node
        while kind is _Attribute or kind is _Call or kind is _Subscript or kind is _Await:
            links.append(inner)
            inner = inner.func if kind is _Call else inner.value
            kind = type(inner)
        path = UNKNOWN
        if kind is _Name:
            path = inner.id
            row = (CALL, _count(links[-1])) if links and type(links[-1]) is _Call else (USE, 0)
            if not links:
                row = (role, arguments)
            if path not in self.scope.local:
                self.scope.reads[self.symbol, row[0], path, "", "", line or inner.lineno] = row[1]
            path = UNKNOWN if path in self.scope.opaque else path
        elif kind is not _Constant:
            self.stack.append(inner)
        if links:
            self._links(links, path, role, arguments, line)

    def _links(self, links: list[Any], path: str, role: int, arguments: int, line: int) -> None:
        symbol, rows, stack = self.symbol, self.rows, self.stack
        for number in range(len(links) - 1, -1, -1):
            link = links[number]
            kind = type(link)
            if kind is _Attribute:
                name = link.attr
                if number and type(links[number - 1]) is _Call:
                    count = _count(links[number - 1])
                    rows[symbol, CALL, name, path, "", line or link.end_lineno] = count
                elif number:
                    rows[symbol, USE, name, path, "", line or link.end_lineno] = 0
                else:
                    rows[symbol, role, name, path, "", line or link.end_lineno] = arguments
                path = path if path is UNKNOWN else f"{path}.{name}"
            elif kind is _Call:
                cast = find_cast(link)
                if cast is not None:
                    path = find_path(cast)
                    self._quote(link)
                stack += link.args
                if link.keywords:
                    stack += [keyword.value for keyword in link.keywords]
                    self._set_fields(path.rpartition(".")[2], f"{path}()", link.keywords)
                if number and path is not UNKNOWN:
                    path += (
                        self._write_super(link)
                        if path == "super"
                        else "()"
                        if cast
                        else write_arguments(link)
                    )
            elif kind is _Subscript:
                stack.append(link.slice)
                path = path if path is UNKNOWN else path + write_key(link)
            if len(path) > MAX_PATH_CHARS:
                path = UNKNOWN

    def _write_super(self, call: ast.Call) -> str:
        """Return the arguments of a call of `super`: a class that is named, unless it is the one around."""
        named = call.args[0] if call.args else None
        own = self.drafts.rows[self.scope.class_ordinal].name if self.scope.class_ordinal else ""
        return f"({named.id})" if isinstance(named, _Name) and named.id not in {own, "__class__"} else "()"

    def annotate(self, annotation: ast.expr, role: int) -> None:
        """Add the types in an annotation, including quoted ones."""
        waiting: list[tuple[Any, int]] = [(annotation, 0)]
        while waiting:
            node, line = waiting.pop()
            kind = type(node)
            if kind is _Name or kind is _Attribute:
                self.chain(node, role, 0, line)
            elif kind is _Constant:
                if type(node.value) is str and not line and (quoted := parse_quoted(node.value)) is not None:
                    waiting.append((quoted, node.lineno))
            elif kind is _Subscript:
                waiting.append((node.value, line))
                self._annotate_inner(node, line, waiting)
            elif kind is ast.Tuple or kind is ast.List:
                waiting += [(one, line) for one in node.elts]
            elif kind is ast.BinOp:
                waiting += ((node.left, line), (node.right, line))
            elif kind is ast.Starred:
                waiting.append((node.value, line))
            elif not line:
                self.stack.append(node)

    def _annotate_inner(self, node: ast.Subscript, line: int, waiting: list[tuple[Any, int]]) -> None:
        base = node.value
        word = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        inner = node.slice
        if word == "Annotated" and isinstance(inner, ast.Tuple) and inner.elts:
            waiting.append((inner.elts[0], line))
            if not line:
                self.stack += inner.elts[1:]
        elif word != "Literal":
            waiting.append((inner, line))
        else:  # its strings are not types, but it may use members of an enumeration
            values = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            waiting += [(one, line) for one in values if isinstance(one, ast.Attribute | ast.Name)]

    def _lambda(self, node: ast.Lambda) -> None:
        scope = self.open_scope(FUNCTION, self.symbol, node.lineno)
        args = node.args
        scope.variables.update(list_parameter_names(args))
        scope.opaque = scope.opaque | scope.variables
        if scope.self_name in scope.variables:
            scope.self_name = ""
        self.stack += (EnterScope(self.scope, self.symbol), node.body, EnterScope(scope, self.symbol))
        self.stack += args.defaults
        self.stack += args.kw_defaults

    def _comprehension(self, node: Any) -> None:
        scope = self.open_scope(COMPREHENSION, self.symbol, node.lineno)
        stack, outer = self.stack, self.scope
        stack.append(EnterScope(outer, self.symbol))
        if type(node) is ast.DictComp:
            stack += (node.value, node.key)
        else:
            stack.append(node.elt)
        for number, generator in enumerate(node.generators):
            stack += generator.ifs
            for one in generator.ifs:
                self.narrow(narrow_expression(one, node))
            if number:
                stack.append(generator.iter)
            self._bind_generator(generator, scope, node)
        stack += (EnterScope(scope, self.symbol), node.generators[0].iter)

    def _bind_generator(self, generator: ast.comprehension, scope: Scope, around: Any) -> None:
        """Bind the variables of a comprehension from its first line to its last one."""
        first, last = around.lineno, around.end_lineno or around.lineno
        self.bind_items(generator.target, generator.iter, first)
        for node in list_targets(generator.target):
            if isinstance(node, ast.Name):
                scope.variables.add(node.id)
                self.bind_forms(node.id, [("", str(last - first), WIDENED)], last)
                self.bound.comprehended.update(((self.symbol, node.id, first), (self.symbol, node.id, last)))
            else:
                self.stack.append(node)

    def bind_items(self, target: ast.expr, values: ast.expr, line: int) -> None:
        """Add the BIND rows of the variable of a loop, from a line on; of `enumerate(x)`, those of x."""
        if isinstance(target, ast.Tuple) and len(target.elts) == 2 and _is_enumeration(values):
            target, values = target.elts[1], values.args[0]
        if isinstance(target, ast.Name):
            self.bind_forms(target.id, list_value_forms(values, ITEM), line)
        elif isinstance(target, ast.Tuple) and isinstance(values, ast.Call):
            for one, forms in zip(target.elts, list_paired_forms(values), strict=False):
                if isinstance(one, ast.Name):
                    self.bind_forms(one.id, forms, line)

    def _named(self, node: ast.NamedExpr) -> None:
        self.bind_name(node.target.id, node)
        self.bind_forms(node.target.id, list_value_forms(node.value), node.lineno)
        self.stack.append(node.value)

    def _conditions(self, node: ast.BoolOp) -> None:
        if type(node.op) is ast.And:
            self.narrow(narrow_expression(node, node))
        self.stack += node.values

    def _compare(self, node: ast.Compare) -> None:
        self.stack += node.comparators
        self.stack.append(node.left)

    def _dict(self, node: ast.Dict) -> None:
        self.stack += node.values
        self.stack += node.keys

    def _inner(self, node: Any) -> None:
        self.stack.append(node.operand if type(node) is ast.UnaryOp else node.value)
        self.stack.append(getattr(node, "format_spec", None))  # of fields in f-strings and t-strings

    METHODS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        EnterScope: _enter,
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.Subscript: _subscript,
        ast.Await: chain,
        ast.Lambda: _lambda,
        ast.NamedExpr: _named,
        ast.BinOp: push_fields("right", "left"),
        ast.Compare: _compare,
        ast.Dict: _dict,
        ast.IfExp: push_fields("orelse", "body", "test"),
        ast.Slice: push_fields("step", "upper", "lower"),
        **dict.fromkeys(_COMPREHENSIONS, _comprehension),
        **dict.fromkeys((ast.Tuple, ast.List, ast.Set), push_fields("elts")),
        ast.BoolOp: _conditions,
        **dict.fromkeys((ast.JoinedStr, _TemplateStr), push_fields("values")),
        **dict.fromkeys(_WRAPPERS, _inner),
    }


def _count(call: ast.Call) -> int:
    """Return the number of arguments plus 1; 0 if a star makes it unknown."""
    args, keywords = call.args, call.keywords
    for one in args:
        if type(one) is _Starred:
            return 0
    if not keywords:
        return len(args) + 1
    for keyword in keywords:
        if keyword.arg is None:
            return 0
    return len(args) + len(keywords) + 1


def _is_enumeration(node: ast.expr) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "enumerate"
