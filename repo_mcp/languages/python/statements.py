"""The walk over the statements of a Python text: functions, classes, imports and control flow.

Decorators, defaults and annotations of a function are references of that function, since they are in its
span, although its scope opens after them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from repo_mcp.languages.python.assignments import IMPORT, RETURNED, AssignmentWalk
from repo_mcp.languages.python.bound_variables import STAR
from repo_mcp.languages.python.declarations import (
    TYPE_ALIAS_NODE,
    FunctionNode,
    list_parameter_names,
    list_targets,
)
from repo_mcp.languages.python.expressions import CALL, TYPE, USE, EnterScope, push_fields
from repo_mcp.languages.python.narrowing import narrow_block, narrow_branch, narrow_others
from repo_mcp.languages.python.paths import find_path
from repo_mcp.languages.python.scopes import CLASS, FUNCTION, MODULE, NO_NAMES, Scope
from repo_mcp.languages.python.symbols import SymbolDrafts, draft_class, draft_function
from repo_mcp.languages.python.types import (
    BOUND,
    ENTERED,
    MAX_UNPACKED,
    TELLING_NODES,
    list_alike,
    list_item_types,
    list_type_forms,
    list_value_forms,
)
from repo_mcp.symbols.model import AROUND_CLASS, DECORATES
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag

ACCEPT, INHERIT = int(ReferenceRole.ACCEPT), int(ReferenceRole.INHERIT)


class StatementWalk(AssignmentWalk):
    """The walk over a whole text."""

    def __init__(self, drafts: SymbolDrafts, is_stub: bool) -> None:
        super().__init__(drafts)
        self._is_stub = is_stub

    # Definitions

    def _function(self, node: FunctionNode) -> None:
        outer, outer_symbol = self.scope, self.symbol
        in_class = outer.kind is CLASS
        self._declare(node.name, node.lineno)
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
            has_self = names and not draft.flags & SymbolFlag.STATIC
            scope.self_name, scope.class_ordinal = (names[0], outer.owner) if has_self else ("", outer.owner)
        elif scope.self_name in scope.variables:
            scope.self_name = ""
        stack = self.stack
        stack.append(EnterScope(outer, outer_symbol))
        stack += reversed(node.body)
        before_body = len(stack)
        self.symbol, self.scope = ordinal, around  # type parameters are visible in annotations and defaults
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
            named: ast.expr = decorator
            if isinstance(decorator, ast.Call):
                named = decorator.func
                self.stack += (*decorator.args, *(keyword.value for keyword in decorator.keywords))
            if isinstance(named, ast.Name | ast.Attribute):
                self.chain(named, CALL, DECORATES)
            else:
                self.stack.append(named)

    def _open_type_parameters(self, node: Any) -> Scope:
        """Return the scope of `[T: Bound]` if there is one, else the current one."""
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
        self._declare(node.name, node.lineno)
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
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name):
                around.reads[ordinal, USE, keyword.value.id, "", AROUND_CLASS, keyword.value.lineno] = 0
            else:
                self.stack.append(keyword.value)
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

    def _declare(self, name: str, line: int) -> None:
        """Declare a name that def, class or import binds in the current scope."""
        self.bound.declared.setdefault((self.symbol, name), []).append(line)
        if name in self.scope.global_names:
            self.module.declared.add(name)
        else:
            self.scope.declare(name)

    def _type_alias(self, node: Any) -> None:
        self.bind_name(node.name.id, node)
        around = self._open_type_parameters(node)
        outer, self.scope = self.scope, around
        self.annotate(node.value, TYPE)
        self.scope = outer

    # Control flow

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.bound.branching.append((self.symbol, node))
        self.bind(node.target, node.target)
        self.bind_items(node.target, node.iter, node.target.lineno)
        self.narrow(narrow_block(node.body))
        self.stack += (*reversed(node.orelse), *reversed(node.body), node.iter)

    def _branch(self, node: ast.If | ast.While) -> None:
        self.bound.branching.append((self.symbol, node))
        self.narrow(narrow_branch(node.test, node.body))
        if isinstance(node, ast.If):
            self.narrow(narrow_others(node))
        self.narrow(narrow_block(node.body))
        self.narrow(narrow_block(node.orelse))
        self.stack += (*reversed(node.orelse), *reversed(node.body), node.test)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        self.bound.branching.append((self.symbol, node))
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
        self.bound.branching.append((self.symbol, node))
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
        self.bound.branching.append((self.symbol, node))
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
            self._declare(alias, line)
        else:
            self.bound.declared.setdefault((self.symbol, STAR), []).append(line)
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
        is_typed = self.drafts.rows[self.symbol].return_type or self.scope.kind is not FUNCTION
        if not is_typed and type(value) in TELLING_NODES:
            self.bind_forms(RETURNED, list_value_forms(value), node.lineno)
        elif not is_typed and isinstance(value, ast.Tuple):
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
        **AssignmentWalk.METHODS,
        **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _function),
        ast.ClassDef: _class,
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


def _list_assigned(body: list[ast.stmt]) -> set[str]:
    """Return the names that a class body assigns, except inside nested statements."""
    assigned = [node.targets for node in body if isinstance(node, ast.Assign)]
    assigned += [[node.target] for node in body if isinstance(node, ast.AnnAssign)]
    return {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}
