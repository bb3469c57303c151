"""The assignments of a Python text: the names that they bind, and the values that show types.

A variable of a module or a class has a symbol, and so has an attribute that a method gives to its own object.
The values of `__all__` are exports.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from repo_mcp.languages.python.bound_variables import BIND
from repo_mcp.languages.python.declarations import find_last_name, is_declared_alias, is_made_type
from repo_mcp.languages.python.expressions import TYPE, USE, EnterScope, ExpressionWalk
from repo_mcp.languages.python.paths import find_path
from repo_mcp.languages.python.scopes import CLASS, FUNCTION, MODULE, Scope
from repo_mcp.languages.python.symbols import SymbolDraft, SymbolDrafts, cut_text
from repo_mcp.languages.python.types import (
    MAX_UNPACKED,
    SAME,
    TELLING_NODES,
    is_bare,
    list_alias_forms,
    list_bound_forms,
    list_type_forms,
    list_unpacked_forms,
    list_value_forms,
)
from repo_mcp.symbols.model import FROM_ITSELF, REPLACED, UNBOUND
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

IMPORT, EXPORT = int(ReferenceRole.IMPORT), int(ReferenceRole.EXPORT)
RETURNED = "()"  # the alias of a function's result
_VARIABLE, _PROPERTY, _CONSTANT = SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.CONSTANT
_TYPE, _ENUM, _ENUM_MEMBER = SymbolKind.TYPE, SymbolKind.ENUM, SymbolKind.ENUM_MEMBER
_RUNNABLE = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Lambda})  # values that may be called
_TYPE_MAKERS = frozenset({"NewType", "TypeVar", "ParamSpec", "TypeVarTuple", "TypeAliasType"})


class AssignmentWalk(ExpressionWalk):
    """The walk over expressions and assignments."""

    def __init__(self, drafts: SymbolDrafts) -> None:
        super().__init__(drafts)
        self._members: dict[int, set[str]] = {0: set()}  # names that a module or class has symbols for
        self._assigned: dict[int, set[str]] = {}  # names that a class body assigns, even after its methods
        self._methods: set[tuple[int, str]] = set()  # class, and the name of a function that it declares
        self._derived: set[int] = set()  # classes with bases
        self.exported: set[str] | None = None

    def bind_name(self, name: str, statement: ast.AST) -> None:
        """Bind a name in the current scope; in a module or class it also gets a symbol."""
        scope = self.scope.find_binder()
        if scope.kind is FUNCTION:
            if not _keeps_type(statement):
                self._bind_outer(scope, name, getattr(statement, "lineno", 1))
            if name not in scope.global_names:
                scope.variables.add(name)
                if not _keeps_type(statement):
                    self.bound.assigned.append((self.symbol, name, getattr(statement, "lineno", 1), 0))
                return
            self.scope.reads[self.symbol, USE, name, "", "", getattr(statement, "lineno", 1)] = 0
            self.module.variables.add(name)
            self._add_variable(name, 0, _VARIABLE, statement)
            return
        scope.variables.add(name)
        in_class = scope.kind is CLASS
        self._add_variable(name, scope.owner, _PROPERTY if in_class else _VARIABLE, statement)

    def _bind_outer(self, scope: Scope, name: str, line: int) -> None:
        """Record that a variable of the module, or of a function around, gets a value of unknown type."""
        around: Scope | None = None
        if name in scope.global_names:
            around = self.module
        elif name in scope.nonlocal_names:
            around = scope.parent
            while around is not None and not (around.kind is FUNCTION and name in around.variables):
                around = around.parent
        if around is not None:
            self.rows[around.owner, BIND, UNBOUND, "", name, line] = SAME

    def _add_variable(self, name: str, parent: int, kind: SymbolKind, statement: ast.AST) -> None:
        members = self._members[parent]
        if name in members or name == "_" or (not parent and name == "__all__"):
            return
        members.add(name)
        annotation = statement.annotation if isinstance(statement, ast.AnnAssign) else None
        type_text = "" if annotation is None else cut_text(annotation, self.lines)
        if is_declared_alias(statement) or is_made_type(statement, _TYPE_MAKERS):
            kind = _TYPE
        if kind is _VARIABLE and name.isupper():
            kind = _CONSTANT
        elif kind is _PROPERTY and self.drafts.rows[parent].kind is _ENUM:
            is_member = isinstance(statement, ast.Assign) and not name.startswith("_")
            kind = _ENUM_MEMBER if is_member else kind
        line = getattr(statement, "lineno", 1)
        end = getattr(statement, "end_lineno", None) or line
        self.drafts.add(SymbolDraft(name, kind, parent, line, end, return_type=type_text))

    def store_attribute(self, node: ast.Attribute, statement: ast.AST) -> None:
        """Add a property for `self.x = ...`, once per class; otherwise the rows of the attribute."""
        ordinal, is_own = self.scope.class_ordinal, self._is_self(node.value)
        if is_own and not _keeps_type(statement):
            self.bound.assigned.append((self.symbol, f"self.{node.attr}", node.lineno, ordinal))
        if (
            is_own
            and node.attr not in self._members.get(ordinal, ())
            and node.attr not in self._assigned.get(ordinal, ())
        ):
            self._add_variable(node.attr, ordinal, _PROPERTY, statement)
            if ordinal in self._derived:  # a base may declare it, so that this is a use
                self.chain(node)
        else:
            self._replace(node, statement)
            self.chain(node)

    def _replace(self, node: ast.Attribute, statement: ast.AST) -> None:
        """Record that an attribute gets a value that may be a function or a class.

        If it is an attribute of a class or a module, the value replaces what is declared there.
        """
        if not isinstance(statement, ast.Assign) or type(statement.value) not in _RUNNABLE:
            return
        path, is_own = find_path(node.value), self._is_self(node.value)
        if not path.replace(".", "").isidentifier():
            return
        if is_own and (self.scope.class_ordinal, node.attr) not in self._methods:
            return
        alias = f"{REPLACED}{node.attr}"
        self.rows[self.symbol, BIND, node.attr, path, alias, node.lineno] = SAME
        if path.partition(".")[0] not in self.scope.local | {self.scope.self_name}:
            self.rows.setdefault((0, IMPORT, "", "", alias, node.lineno), 0)

    def _is_self(self, node: ast.expr) -> bool:
        name = self.scope.self_name
        return bool(name) and isinstance(node, ast.Name) and node.id == name

    def _assign(self, node: ast.Assign) -> None:
        value, drafted = node.value, len(self.drafts.rows)
        for target in node.targets:
            if type(target) is ast.Name:  # most are
                self.bind_name(target.id, node)
                if type(value) in TELLING_NODES:
                    self._bind(target, value)
                continue
            self.bind(target, node)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                if len(target.elts) == len(value.elts):
                    for one, given in zip(target.elts, value.elts, strict=True):
                        self._record_target(one, given)
            elif isinstance(target, ast.Tuple):
                for position, one in enumerate(target.elts[:MAX_UNPACKED]):
                    if isinstance(one, ast.Starred):
                        break
                    if alias := self._find_alias(one):
                        self.bind_forms(alias, list_unpacked_forms(value, position), one.lineno)
            else:
                self._record_target(target, value)
        if not self.symbol and find_last_name(node.targets[0]) == "__all__":
            self._export(value)
        self._push_value(value, self._find_owner(drafted))

    def _find_owner(self, drafted: int) -> int:
        """Return the symbol to which the value of an assignment belongs: the only one that it added.

        In a class that is the class, whose names the value sees.
        """
        is_own = self.scope.kind is MODULE and len(self.drafts.rows) == drafted + 1
        return drafted if is_own else self.symbol

    def _push_value(self, value: ast.expr | None, owner: int) -> None:
        if owner == self.symbol:
            self.stack.append(value)
        else:
            self.stack += (EnterScope(self.scope, self.symbol), value, EnterScope(self.scope, owner))

    def _bind(self, target: ast.Name, value: ast.expr) -> None:
        """Add the BIND rows of a variable; see FROM_ITSELF."""
        forms = list_bound_forms(value) or list_alias_forms(value) or list_value_forms(value)
        line = target.lineno
        if forms and (self.symbol, target.id) in self.bound.lines and _reads(value, target.id):
            forms = [(qualifier, name, form | FROM_ITSELF) for qualifier, name, form in forms]
            line = value.end_lineno or line
            self.bound.lines[self.symbol, target.id].add(target.lineno)
        self.bind_forms(target.id, forms, line)

    def _record_target(self, target: ast.expr, value: ast.expr) -> None:
        if type(value) in TELLING_NODES and (alias := self._find_alias(target)):
            self.bind_forms(alias, list_value_forms(value), target.lineno)

    def _find_alias(self, target: ast.expr) -> str:
        """Return the name of the variable of a target in BIND rows; "" if it has none."""
        if isinstance(target, ast.Name):
            return target.id
        if isinstance(target, ast.Attribute) and self._is_self(target.value):
            return f"self.{target.attr}"
        return ""

    def _annotated(self, node: ast.AnnAssign) -> None:
        outer, drafted = self.symbol, len(self.drafts.rows)
        self.bind(node.target, node)
        self.symbol = owner = self._find_owner(drafted)
        self.annotate(node.annotation, TYPE)
        self.symbol = outer
        alias = self._find_alias(node.target)
        if alias:
            if is_declared_alias(node) and node.value is not None:
                forms = list_alias_forms(node.value) or list_value_forms(node.value)
                self.bind_forms(alias, forms, node.lineno)
            elif node.value is not None and is_bare(node.annotation):
                self.bind_forms(alias, list_value_forms(node.value), node.lineno)
            else:
                self.bind_forms(alias, list_type_forms(node.annotation), node.lineno)
        if self.scope.kind is MODULE and alias == "__all__" and node.value is not None:
            self._export(node.value)
        self._push_value(node.value, owner)

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            if self.scope.kind is MODULE and target.id == "__all__":
                self._export(node.value)
            self.scope.reads[self.symbol, USE, target.id, "", "", target.lineno] = 0
            self.bind_name(target.id, node)
        else:
            self.stack.append(target)
        self.stack.append(node.value)

    def _export(self, value: ast.expr) -> None:
        """Export the names in a value of `__all__`, or in a value added to it."""
        exported = self.exported if self.exported is not None else set()
        waiting = [value]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.BinOp):
                waiting += (node.right, node.left)
            elif isinstance(node, ast.Starred):
                waiting.append(node.value)
            elif isinstance(node, ast.List | ast.Tuple | ast.Set):
                waiting += reversed(node.elts)
            elif isinstance(node, ast.Call) and len(node.args) == 1:
                waiting.append(node.args[0])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                exported.add(node.value)
                self.rows[0, EXPORT, node.value, "", node.value, node.lineno] = 0
            elif (
                isinstance(node, ast.Attribute)
                and node.attr == "__all__"
                and isinstance(node.value, ast.Name)
            ):
                self.rows[0, EXPORT, "*", node.value.id, "", node.lineno] = 0
        self.exported = exported

    METHODS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        **ExpressionWalk.METHODS,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
    }


def _keeps_type(statement: ast.AST) -> bool:
    """Return whether an assignment leaves a variable with its earlier type.

    `x += y` does, and so does `x = None`, since no member of `x` is used before it gets another value.
    """
    if isinstance(statement, ast.Assign | ast.NamedExpr):
        return isinstance(statement.value, ast.Constant) and statement.value.value is None
    return isinstance(statement, ast.AugAssign)


def _reads(value: ast.expr, name: str) -> bool:
    """Return whether an expression reads a variable."""
    return any(type(one) is ast.Name and one.id == name for one in ast.walk(value))
