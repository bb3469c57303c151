"""The walk over the statements of a Python text: symbols, scopes, imports, and types of variables.

Decorators, defaults and annotations of a function are references of that function, since they are in its
span, though its scope opens after them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from repo_mcp.languages.python.declarations import (
    TYPE_ALIAS_NODE,
    FunctionNode,
    find_last_name,
    is_declared_alias,
    is_made_type,
    list_parameter_names,
    list_targets,
)
from repo_mcp.languages.python.expressions import (
    BIND,
    CALL,
    TYPE,
    USE,
    EnterScope,
    ExpressionWalk,
    push_fields,
)
from repo_mcp.languages.python.scopes import CLASS, FUNCTION, MODULE, NO_NAMES, Scope
from repo_mcp.languages.python.symbols import SymbolDraft, SymbolDrafts, cut_text, draft_class, draft_function
from repo_mcp.languages.python.types import (
    BOUND,
    ENTERED,
    MAX_UNPACKED,
    SAME,
    TELLING_NODES,
    find_path,
    is_bare,
    list_alias_forms,
    list_alike,
    list_bound_forms,
    list_item_types,
    list_type_forms,
    list_unpacked_forms,
    list_value_forms,
    narrow_block,
    narrow_branch,
)
from repo_mcp.symbols.model import FROM_ITSELF, REPLACED, UNBOUND
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind

IMPORT, EXPORT = int(ReferenceRole.IMPORT), int(ReferenceRole.EXPORT)
ACCEPT, INHERIT = int(ReferenceRole.ACCEPT), int(ReferenceRole.INHERIT)
RETURNED = "()"  # the alias of a function's result
STATIC = int(SymbolFlag.STATIC)
_VARIABLE, _PROPERTY, _CONSTANT = SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.CONSTANT
_TYPE, _ENUM, _ENUM_MEMBER = SymbolKind.TYPE, SymbolKind.ENUM, SymbolKind.ENUM_MEMBER
_RUNNABLE = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Lambda})  # values that may be called
_TYPE_MAKERS = frozenset({"NewType", "TypeVar", "ParamSpec", "TypeVarTuple", "TypeAliasType"})


class StatementWalk(ExpressionWalk):
    """The walk over a whole text."""

    def __init__(self, drafts: SymbolDrafts, is_stub: bool) -> None:
        super().__init__(drafts)
        self._is_stub = is_stub
        self._members: dict[int, set[str]] = {0: set()}  # names that a module or class has symbols for
        self._assigned: dict[int, set[str]] = {}  # names that a class body assigns, even after its methods
        self._methods: set[tuple[int, str]] = set()  # class, and the name of a function that it declares
        self._derived: set[int] = set()  # classes with bases
        self.exported: set[str] | None = None

    # Definitions

    def _function(self, node: FunctionNode) -> None:
        outer, outer_symbol = self.scope, self.symbol
        in_class = outer.kind is CLASS
        self._declare(node.name)
        names = list_parameter_names(node.args)
        draft = draft_function(node, outer.owner, in_class, self._is_stub, names, self.lines)
        ordinal = self.drafts.add(draft)
        if in_class:
            self._members[outer.owner].add(node.name)
            self._methods.add((outer.owner, node.name))
        around = self._open_type_parameters(node)
        scope = Scope(FUNCTION, around, ordinal, node.lineno)
        self.scopes.append(scope)
        scope.variables.update(names)
        if in_class:
            has_self = names and not draft.flags & STATIC
            scope.self_name, scope.class_ordinal = (names[0], outer.owner) if has_self else ("", outer.owner)
        elif scope.self_name in scope.variables:
            scope.self_name = ""
        stack = self.stack
        stack.append(EnterScope(outer, outer_symbol))
        stack += reversed(node.body)
        before_body = len(stack)
        self.symbol, self.scope = ordinal, around  # annotations and defaults see the type parameters
        self._record_type_parameters(node)
        self._signature(node)
        self.narrow(narrow_block(node.body))
        if around is not outer:
            stack.append(EnterScope(around, ordinal))
            self.scope = outer
        self._decorators(node.decorator_list)
        if len(stack) > before_body:
            stack.insert(before_body, EnterScope(scope, ordinal))
        else:
            self.scope = scope

    def _signature(self, node: FunctionNode) -> None:
        args = node.args
        self.stack += [one for one in args.defaults if type(one) is not ast.Constant]
        self.stack += [one for one in args.kw_defaults if one is not None and type(one) is not ast.Constant]
        for group in (args.posonlyargs, args.args, args.kwonlyargs):
            for arg in group:
                if arg.annotation is not None:
                    self.annotate(arg.annotation, ACCEPT)
                    self.bind_forms(arg.arg, list_type_forms(arg.annotation), arg.lineno)
        for star in (args.vararg, args.kwarg):
            if star is not None and star.annotation is not None:
                self.annotate(star.annotation, ACCEPT)
        if node.returns is not None:
            self.annotate(node.returns, TYPE)
            self.bind_forms(RETURNED, list_type_forms(node.returns), node.returns.lineno)
            for position, one in enumerate(list_item_types(node.returns)):
                self.bind_forms(f"{RETURNED}[{position}]", list_type_forms(one), one.lineno)

    def _decorators(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            kind = type(decorator)
            if kind is ast.Name or kind is ast.Attribute:
                self.chain(decorator, CALL, 2)
            else:
                self.stack.append(decorator)

    def _open_type_parameters(self, node: Any) -> Scope:
        """Return the scope of `[T: Bound]` if there is one; else the current one."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return self.scope
        scope = self.open_scope(FUNCTION, self.scope.owner, node.lineno)
        outer, self.scope = self.scope, scope
        for one in parameters:
            scope.variables.add(one.name)
            if getattr(one, "bound", None) is not None:
                self.annotate(one.bound, TYPE)
        self.scope = outer
        return scope

    def _record_type_parameters(self, node: Any) -> None:
        for one in getattr(node, "type_params", None) or ():
            bound = getattr(one, "bound", None)
            if bound is not None:
                bounds = bound.elts if isinstance(bound, ast.Tuple) else [bound]
                self.bind_forms(one.name, list_alike(bounds, BOUND), one.lineno)

    def _class(self, node: ast.ClassDef) -> None:
        outer, outer_symbol = self.scope, self.symbol
        self._declare(node.name)
        ordinal = self.drafts.add(draft_class(node, outer.owner))
        if outer.kind is CLASS:
            self._members[outer.owner].add(node.name)
        self._members.setdefault(ordinal, set())
        self._assigned[ordinal] = _list_assigned(node.body)
        around = self._open_type_parameters(node)
        scope = Scope(CLASS, around, ordinal, node.lineno)
        self.scopes.append(scope)
        scope.class_ordinal, scope.self_name = ordinal, ""
        self.stack += (EnterScope(outer, outer_symbol), *reversed(node.body), EnterScope(scope, ordinal))
        self.symbol, self.scope = ordinal, around
        if node.bases:
            self._derived.add(ordinal)
        for number, base in enumerate(node.bases, 1):
            if isinstance(base, ast.Subscript):
                self.annotate(base.slice, TYPE)
            self._base(base.value if isinstance(base, ast.Subscript) else base, number)
        self.stack += [keyword.value for keyword in node.keywords]
        # Expressions in bases are not uses by the class: names of its body are not visible there.
        self.stack.append(EnterScope(around, outer_symbol))
        self.scope = outer
        self._decorators(node.decorator_list)

    def _base(self, base: ast.expr, number: int) -> None:
        if isinstance(base, ast.Name):
            self.chain(base, INHERIT, number)
        elif isinstance(base, ast.Attribute):
            line = base.end_lineno or base.lineno
            self.rows[self.symbol, INHERIT, base.attr, find_path(base.value), "", line] = number
            self.stack.append(base.value)
        else:
            self.stack.append(base)

    def _declare(self, name: str) -> None:
        """Declare a name that def, class or import binds in the current scope."""
        if name in self.scope.global_names:
            self.module.declared.add(name)
        else:
            self.scope.declare(name)

    # Assignments

    def bind_name(self, name: str, statement: ast.AST) -> None:
        """Bind a name in the current scope; in a module or class it also gets a symbol."""
        scope = self.scope.find_binder()
        if scope.kind is FUNCTION:
            if not _keeps_type(statement):
                self._bind_outer(scope, name, getattr(statement, "lineno", 1))
            if name not in scope.global_names:
                scope.variables.add(name)
                if not _keeps_type(statement):
                    self.bound.append((self.symbol, name, getattr(statement, "lineno", 1), 0))
                return
            self.scope.reads[self.symbol, USE, name, "", "", getattr(statement, "lineno", 1)] = 0
            self.module.variables.add(name)
            self._add_variable(name, 0, _VARIABLE, statement)
            return
        scope.variables.add(name)
        in_class = scope.kind is CLASS
        self._add_variable(name, scope.owner, _PROPERTY if in_class else _VARIABLE, statement)

    def _bind_outer(self, scope: Scope, name: str, line: int) -> None:
        """Record that a variable of the module or of a function around gets a value of unknown type."""
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
        """Add a property for `self.x = ...`, once per class; else the rows of the attribute."""
        ordinal, is_own = self.scope.class_ordinal, self._is_self(node.value)
        if is_own and not _keeps_type(statement):
            self.bound.append((self.symbol, f"self.{node.attr}", node.lineno, ordinal))
        if (
            is_own
            and node.attr not in self._members.get(ordinal, ())
            and node.attr not in self._assigned.get(ordinal, ())
        ):
            self._add_variable(node.attr, ordinal, _PROPERTY, statement)
            if ordinal in self._derived:  # a base may declare it, so this is a use
                self.chain(node)
        else:
            self._replace(node, statement)
            self.chain(node)

    def _replace(self, node: ast.Attribute, statement: ast.AST) -> None:
        """Record that an attribute gets a value that may be a function or a class: of a class or a module, it
        replaces the one that is declared there."""
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
        value = node.value
        for target in node.targets:
            if type(target) is ast.Name:  # most are
                self.bind_name(target.id, node)
                if type(value) in TELLING_NODES:
                    self._tell(target, value)
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
        self.stack.append(value)

    def _tell(self, target: ast.Name, value: ast.expr) -> None:
        """Add the BIND rows of a variable; see FROM_ITSELF."""
        forms = list_bound_forms(value) or list_alias_forms(value) or list_value_forms(value)
        line = target.lineno
        if forms and (self.symbol, target.id) in self.told and _reads(value, target.id):
            forms = [(qualifier, name, form | FROM_ITSELF) for qualifier, name, form in forms]
            line = value.end_lineno or line
            self.told[self.symbol, target.id].add(target.lineno)
        self.bind_forms(target.id, forms, line)

    def _record_target(self, target: ast.expr, value: ast.expr) -> None:
        if type(value) in TELLING_NODES and (alias := self._find_alias(target)):
            self.bind_forms(alias, list_value_forms(value), target.lineno)

    def _find_alias(self, target: ast.expr) -> str:
        """Return the name of a target's variable in BIND rows; empty if these do not cover it."""
        if isinstance(target, ast.Name):
            return target.id
        if isinstance(target, ast.Attribute) and self._is_self(target.value):
            return f"self.{target.attr}"
        return ""

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.bind(node.target, node)
        self.annotate(node.annotation, TYPE)
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
        self.stack.append(node.value)

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

    def _type_alias(self, node: Any) -> None:
        self.bind_name(node.name.id, node)
        around = self._open_type_parameters(node)
        outer, self.scope = self.scope, around
        self.annotate(node.value, TYPE)
        self.scope = outer

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

    # Control flow

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.branching.append((self.symbol, node))
        self.bind(node.target, node.target)
        self.bind_items(node.target, node.iter, node.target.lineno)
        self.narrow(narrow_block(node.body))
        self.stack += (*reversed(node.orelse), *reversed(node.body), node.iter)

    def _branch(self, node: ast.If | ast.While) -> None:
        self.branching.append((self.symbol, node))
        self.narrow(narrow_branch(node.test, node.body))
        self.narrow(narrow_block(node.body))
        self.narrow(narrow_block(node.orelse))
        self.stack += (*reversed(node.orelse), *reversed(node.body), node.test)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        self.stack += reversed(node.body)
        self.narrow(narrow_block(node.body))
        for item in reversed(node.items):
            self.stack.append(item.context_expr)
            target = item.optional_vars
            if target is not None:
                self.bind(target, target)
                if alias := self._find_alias(target):
                    self.bind_forms(alias, list_value_forms(item.context_expr, ENTERED), target.lineno)

    def _try(self, node: Any) -> None:
        self.branching.append((self.symbol, node))
        for part in (node.finalbody, node.orelse, node.handlers, node.body):
            self.stack += reversed(part)
        self.narrow(narrow_block(node.body))

    def _handler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            if self.scope.kind is FUNCTION:
                self.bind_name(node.name, node)
            else:
                self.scope.variables.add(node.name)
            if node.type is not None:
                caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                for one in caught[:4]:
                    self.bind_forms(node.name, list_type_forms(one), node.lineno)
        self.stack += (*reversed(node.body), node.type)

    def _match(self, node: ast.Match) -> None:
        self.branching.append((self.symbol, node))
        self.stack += (*reversed(node.cases), node.subject)

    def _case(self, node: ast.match_case) -> None:
        self.stack += (*reversed(node.body), node.guard)
        waiting: list[Any] = [node.pattern]
        while waiting:
            pattern = waiting.pop()
            if isinstance(pattern, ast.MatchValue):
                self.stack.append(pattern.value)
            elif isinstance(pattern, ast.MatchClass):
                self.annotate(pattern.cls, TYPE)
                waiting += (*pattern.patterns, *pattern.kwd_patterns)
            elif isinstance(pattern, ast.MatchMapping):
                self.stack += pattern.keys
                waiting += pattern.patterns
            elif isinstance(pattern, ast.MatchSequence | ast.MatchOr):
                waiting += pattern.patterns
            elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
                waiting.append(pattern.pattern)
                if pattern.name is not None and isinstance(pattern.pattern, ast.MatchClass):
                    self.bind_forms(pattern.name, list_type_forms(pattern.pattern.cls), pattern.lineno)
            name = getattr(pattern, "rest" if isinstance(pattern, ast.MatchMapping) else "name", None)
            if name is not None:
                self.bind_name(name, pattern)

    def _global(self, node: ast.Global) -> None:
        self.scope.global_names = self.scope.global_names | set(node.names)
        self.scope.local = NO_NAMES

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocal_names = self.scope.nonlocal_names | set(node.names)
        self.scope.local = NO_NAMES

    # Imports

    def _import(self, node: ast.Import) -> None:
        for name in node.names:
            self._add_import("", name.name, name.asname or name.name.partition(".")[0], name.lineno)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * (node.level or 0) + (node.module or "")
        for name in node.names:
            alias = "" if name.name == "*" else name.asname or name.name
            self._add_import(name.name, module, alias, name.lineno)

    def _add_import(self, name: str, module: str, alias: str, line: int) -> None:
        if alias:
            self._declare(alias)
        symbol = 0 if alias in self.scope.global_names else self.symbol
        self.rows[symbol, IMPORT, name, module, alias, line] = 0

    # Other statements

    def _expression(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Call) and self.scope.kind is MODULE:
            grows = find_path(value.func) in ("__all__.extend", "__all__.append")
            if grows and len(value.args) == 1:
                self._export(value.args[0])
        self.stack.append(value)

    def _return(self, node: ast.Return) -> None:
        value = node.value
        if value is None:
            return
        is_told = self.drafts.rows[self.symbol].return_type or self.scope.kind is not FUNCTION
        if not is_told and type(value) in TELLING_NODES:
            self.bind_forms(RETURNED, list_value_forms(value), node.lineno)
        elif not is_told and isinstance(value, ast.Tuple):
            for position, one in enumerate(value.elts[:MAX_UNPACKED]):
                if type(one) in TELLING_NODES:
                    self.bind_forms(f"{RETURNED}[{position}]", list_value_forms(one), one.lineno)
        self.stack.append(value)

    def _delete(self, node: ast.Delete) -> None:
        for target in reversed([one for several in node.targets for one in list_targets(several)]):
            if isinstance(target, ast.Name):
                self._delete_name(target)
            else:
                self.stack.append(target)

    def _delete_name(self, target: ast.Name) -> None:
        if self.scope.kind is FUNCTION and target.id not in self.scope.global_names:
            self.scope.variables.add(target.id)
        else:
            self.scope.reads[self.symbol, USE, target.id, "", "", target.lineno] = 0

    METHODS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        **ExpressionWalk.METHODS,
        **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _function),
        ast.ClassDef: _class,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        **dict.fromkeys((ast.For, ast.AsyncFor), _for),
        **dict.fromkeys((ast.While, ast.If), _branch),
        **dict.fromkeys((ast.With, ast.AsyncWith), _with),
        **dict.fromkeys((ast.Try, ast.TryStar), _try),
        ast.ExceptHandler: _handler,
        ast.Match: _match,
        ast.match_case: _case,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Expr: _expression,
        ast.Return: _return,
        ast.Raise: push_fields("cause", "exc"),
        ast.Assert: push_fields("msg", "test"),
        ast.Delete: _delete,
        **({} if TYPE_ALIAS_NODE is None else {TYPE_ALIAS_NODE: _type_alias}),
    }


def _keeps_type(statement: ast.AST) -> bool:
    """Return whether an assignment leaves a variable with the type that it had.

    So does `x += y`, and `x = None`, behind which its members are not used before it gets another value.
    """
    if isinstance(statement, ast.Assign | ast.NamedExpr):
        return isinstance(statement.value, ast.Constant) and statement.value.value is None
    return isinstance(statement, ast.AugAssign)


def _reads(value: ast.expr, name: str) -> bool:
    """Return whether an expression reads a variable."""
    return any(type(one) is ast.Name and one.id == name for one in ast.walk(value))


def _list_assigned(body: list[ast.stmt]) -> set[str]:
    """Return the names that a class body assigns, except inside nested statements."""
    assigned = [node.targets for node in body if isinstance(node, ast.Assign)]
    assigned += [[node.target] for node in body if isinstance(node, ast.AnnAssign)]
    return {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}
