"""Values of Python expressions: the types of variables, attributes and results, as far as texts show.

An expression is a path such as `self.rows[].make(_,True).x`: it begins with a name, and each further piece is
a step from the value before it (`repo_mcp/graph/python/steps.py`). Variables have the values in their BIND
rows. Nothing is executed; of control flow, only the order of lines counts and which blocks need not run
(`repo_mcp/graph/python/branches.py`). Every question ends after MAX_STEPS and MAX_DEPTH.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.python.bindings import (
    CONDITIONS,
    drop_comprehended,
    has_other,
    list_comprehended,
    list_excluded,
    list_holding,
    list_plain,
)
from repo_mcp.graph.python.branches import list_reaching
from repo_mcp.graph.python.classes import Class, PythonClasses
from repo_mcp.graph.python.names import Bound, PythonNames, list_arguments
from repo_mcp.graph.python.outside import is_any_type
from repo_mcp.graph.python.scoping import MAX_VALUES, Form, PythonScoping, Value, merge_values
from repo_mcp.graph.python.steps import PythonSteps
from repo_mcp.languages.python.paths import COPIED, KEYED
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import Binding, SymbolKind

MAX_KEPT = 200_000  # values of variables and functions
MAX_STEPS = 400  # path pieces evaluated for one question
MAX_DEPTH = 12  # of variables bound to other variables
_PIECE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|[^.()\[\]]+")
_KEY = re.compile(rf"(?:\[|\({KEYED})([^,\])]+)")
_ANNOTATED = frozenset({Binding.TYPE, Binding.ITEMS, Binding.VALUES, Binding.GIVES})  # bound by an annotation
_VARIABLES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.TYPE})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_CLASS_WORDS = ("cls", "klass", "mcs", "mcls", "metacls")
# Functions of other packages that return a copy of their argument.
_COPIERS = frozenset(
    {"copy.copy", "copy.deepcopy", "copy.replace", "dataclasses.replace", "attr.evolve", "attrs.evolve"}
)
_UNKNOWN = "?"
_KEYED = "[]"  # in keys of answers

Known = list[Value] | None  # None: nothing is known


class PythonEvaluator:
    """Evaluates expressions in the files of one program."""

    def __init__(self, scoping: PythonScoping) -> None:
        self._scoping = scoping
        self.classes = PythonClasses(scoping)
        self._steps = PythonSteps(scoping, self.classes, self._read_results)
        self._step_count = 0
        self._depth = 0
        self._active: set[tuple[str, int, str]] = set()
        self._was_cut = False
        self._ignores_conditions = False
        self.is_conditional = False  # in the last question, a condition decided a class
        self._answers: LruCache[tuple[str, int, str], list[Value]] = LruCache(MAX_KEPT)

    def ask(
        self, path: str, ordinal: int, expression: str, line: int, *, ignores_conditions: bool = False
    ) -> Known:
        """Return the values of an expression inside a symbol at a line; None if they are unknown.

        With `ignores_conditions`, its first name keeps its declared type, whatever conditions test.
        """
        self._step_count = self._depth = 0
        self._was_cut = self.is_conditional = False
        self._ignores_conditions = ignores_conditions
        return self.evaluate(path, ordinal, expression, line)

    def evaluate(self, path: str, ordinal: int, expression: str, line: int) -> Known:
        """Return the values of an expression within the limits of the current question. See `ask`."""
        names = self._scoping.find_names(path)
        pieces = _PIECE.findall(expression)
        self._step_count += 1
        if self._step_count > MAX_STEPS:
            self._was_cut = True
            return None
        if names is None or not pieces or _UNKNOWN in expression or expression.endswith("…"):
            return None
        if pieces[0] == "super" and len(pieces) > 1:
            values: Known = self._find_parent(path, names, ordinal, pieces[1])
            pieces = pieces[1:]
        else:
            values = self._find_root(path, names, ordinal, pieces[0], line)
        for piece in pieces[1:]:
            if not values:
                return values
            self._step_count += 1
            if self._step_count > MAX_STEPS:
                self._was_cut = True
                return None
            if piece.startswith("(" + COPIED):
                values = self._call_with(values, path, ordinal, piece, line)
                continue
            values = self._step(values, piece)
            if (key := _KEY.match(piece)) and all(one.form is Form.OUTSIDE for one in values or ()):
                values = self._list_keyed(path, ordinal, key[1], line) or values
        return values

    def _call_with(self, called: list[Value], path: str, ordinal: int, piece: str, line: int) -> Known:
        """Return the values of a call that may return a copy of its first argument, or an object of it."""
        given = piece[2:-1].partition(",")[0]
        if _are_copiers(called):
            return self.evaluate(path, ordinal, given, line) or self._step(called, piece)
        values = self._step(called, piece)
        if not values or not any(map(_is_any, values)):
            return values
        classes = self.evaluate(path, ordinal, given, line) or ()
        made = [
            one._replace(form=Form.INSTANCE, is_certain=False)
            for one in classes
            if self.classes.is_class(one)
        ]
        return merge_values([made, [one for one in values if not made or not _is_any(one)]])

    def _list_keyed(self, path: str, ordinal: int, key: str, line: int) -> list[Value]:
        """Return, as guesses, the values that a mapping has under a constant: T if its type is `Key[T]`."""
        found = [self._list_arguments(one) for one in self.evaluate(path, ordinal, key, line) or ()]
        return [one.guessed() for one in merge_values(found)]

    def _list_arguments(self, value: Value) -> list[Value]:
        """Return the values of T for a variable whose written type is `Key[T]`."""
        names = self._scoping.find_names_of(value)
        asked = (value.path, value.ordinal, _KEYED)
        if names is None or asked in self._active or self._depth >= MAX_DEPTH:
            return []
        found = self._answers.find(asked)
        return self._keep(asked, list_arguments(names, value.ordinal)) if found is None else found

    # Roots

    def _find_parent(self, path: str, names: PythonNames, ordinal: int, arguments: str) -> list[Value]:
        """Return the parent of the class around a symbol, or of the class that `super` is called with.

        The latter is a guess: a class that derives from both may have other bases between them.
        """
        owner = names.find_class(ordinal)
        if arguments == "()" or not owner:
            return [Value(Form.PARENT, path, owner)] if owner else []
        named = self._scoping.look_up(path, ordinal, arguments[1:-1])
        return [one._replace(form=Form.PARENT).guessed() for one in named if self.classes.is_class(one)]

    def _find_root(self, path: str, names: PythonNames, ordinal: int, name: str, line: int) -> Known:
        method = names.find_method(ordinal, name)
        if method:
            own_name = names.record.get_name(method)
            is_class = own_name in _CLASS_METHODS or name in _CLASS_WORDS
            form = Form.OBJECT if is_class else Form.INSTANCE
            return [Value(form, path, names.parents[method])]
        inside = list_comprehended(names.bounds.get((ordinal, name), ()), line)
        if inside is not None:
            return self._list_bound_values(path, self._choose(path, inside, line)) or None
        if (ordinal, name) in names.reads or names.is_class(ordinal):
            found = self._scoping.look_up(path, ordinal, name, line=line)
            if found:
                return found
        for around in names.iter_around(ordinal):
            if not around and ordinal:
                break  # names that a function reads from its module are recorded as its reads
            bounds = drop_comprehended(names.bounds.get((around, name), ()))
            if bounds and not names.is_class(around):
                bound_here = [one for one in bounds if not one.is_other]
                before = line if around == ordinal else 0
                chosen = self._choose(path, bound_here, before)
                known = self._list_bound_values(path, chosen)
                if known and all(one.form is Form.OUTSIDE for one in known):
                    known += self._list_annotated(path, bounds, chosen)
                if before and len(known) > 1:
                    known = self._drop_excluded(path, known, list_excluded(bounds, before))
                if known:
                    is_doubted = has_other(bounds, chosen, before)
                    return [one.guessed() for one in known] if is_doubted else known
                if around and list_plain(bounds):
                    return None  # bound here to an unknown value
            if around and not bounds and names.has_parameter(around, name):
                return self._find_inherited(path, names, around, name) or None
        return self._scoping.look_up(path, ordinal, name, line=line) or None if not ordinal else None

    def _list_annotated(self, path: str, bounds: Sequence[Bound], chosen: Sequence[Bound]) -> list[Value]:
        """Return, as guesses, the values of the annotation of a variable that an assignment hides.

        An annotated parameter keeps its type if the result of an external function replaces it.
        """
        hidden = [one for one in bounds if one.form in _ANNOTATED and one not in chosen]
        found = self._list_bound_values(path, hidden) if hidden else []
        return [one.guessed() for one in found if one.form is not Form.OUTSIDE]

    def _drop_excluded(self, path: str, known: list[Value], excluded: Sequence[Bound]) -> list[Value]:
        """Return the values of a variable without instances of classes that a condition excludes."""
        classes = [one[1:3] for row in excluded for one in self._evaluate_row(path, row) or ()]
        kept = [
            one
            for one in known
            if one.form is not Form.INSTANCE
            or not any(each in classes for each in self.classes.list_order((one.path, one.ordinal))[0])
        ]
        return kept or known

    def _find_inherited(self, path: str, names: PythonNames, ordinal: int, name: str) -> list[Value]:
        """Return the values of a parameter of a method that only the method of a base annotates."""
        owner = names.parents[ordinal]
        if not names.is_class(owner) or not names.has_parameter(ordinal, name):
            return []
        method = names.record.get_name(ordinal)
        for value in self.classes.find_member((path, owner), method, behind=True):
            base = self._scoping.find_names_of(value)
            if base is None:
                continue
            annotated = [one for one in base.bounds.get((value.ordinal, name), ()) if one.form in _ANNOTATED]
            if annotated:
                return [one.guessed() for one in self._list_bound_values(value.path, annotated)]
        return []

    def _choose(self, path: str, bounds: Sequence[Bound], line: int) -> Sequence[Bound]:
        """Return the bindings that may hold at a line; every binding if `line` is 0.

        A condition that decides the variable's class there takes precedence.
        """
        plain = list_plain(bounds)
        if not line:
            return plain
        reaching = list_reaching([one for one in bounds if one.form not in CONDITIONS], line)
        last = max((one.line for one in reaching if one.line <= line), default=0)
        if len(plain) < len(bounds) and not (self._ignores_conditions and not self._depth):
            holding = [
                one for one in list_holding(bounds, last, line) if one.name or self._is_guard(path, one)
            ]
            if holding:
                self.is_conditional = self.is_conditional or not self._depth
                return holding
        return reaching or plain

    def _is_guard(self, path: str, bound: Bound) -> bool:
        """Return whether a condition calls a declared type guard (`TypeGuard`, `TypeIs`)."""
        called = bound.qualifier.removesuffix("()")
        for value in self.evaluate(path, bound.symbol, called, bound.line) or ():
            names = self._scoping.find_names_of(value)
            if names is not None and names.is_type_guard(value.ordinal):
                return True
        return False

    # Variables

    def _list_bound_values(self, path: str, bounds: Sequence[Bound]) -> list[Value]:
        """Return the values in BIND rows; only those of annotations, if there are any.

        Without annotations, all values are guesses if the value of a row is unknown or there are too many
        rows, and alternatives if the rows have different values: the text does not show which of them holds.
        """
        bounds = [one for one in bounds if one.form != Binding.EXCLUDED]
        annotated = [one for one in bounds if one.form in _ANNOTATED]
        if annotated:
            return merge_values([self._list_values_of(path, one) for one in annotated[:MAX_VALUES]])
        known = _list_first([one for one in bounds if not one.is_other])
        groups = [self._list_values_of(path, one) for one in known]
        is_known = all(
            group or one.form in CONDITIONS or self._is_followed(path, one)
            for one, group in zip(known, groups, strict=True)
        )
        if _differ(known, groups):
            groups = [[one._replace(is_choice=True) for one in group] for group in groups]
        if len(known) < len(bounds) or not is_known:
            groups = [[one.guessed() for one in group] for group in groups]
        return merge_values(groups)

    def _is_followed(self, path: str, bound: Bound) -> bool:
        """Return whether a row is being followed that reads its own variable: `x = x.next` in a loop."""
        return bound.is_own and _get_key(path, bound) in self._active

    def _list_values_of(self, path: str, bound: Bound) -> list[Value]:
        key = _get_key(path, bound)
        if key in self._active or self._depth >= MAX_DEPTH:
            self._was_cut = True
            return []
        self._active.add(key)
        self._depth += 1
        try:
            known = self._evaluate_row(path, bound)
        finally:
            self._active.discard(key)
            self._depth -= 1
        return [] if known is None else self._apply(known, bound.form)

    def _evaluate_row(self, path: str, row: Bound) -> Known:
        return self.evaluate(path, row.symbol, row.expression, row.line)

    def _apply(self, values: list[Value], form: int) -> list[Value]:
        if form == Binding.SAME:
            return values
        if form == Binding.BOUND:  # an argument may be an object of a subclass, whose members take precedence
            return [one.guessed() for one in values]
        return merge_values(
            [self._steps.bind(held, form) for value in values for held in self._follow_variable(value)]
        )

    def get_variable(self, value: Value) -> list[Value]:
        """Return the values of a declared variable, attribute or property; empty for other objects."""
        names = self._scoping.find_names_of(value)
        if names is None:
            return []
        kind, parent = names.kinds[value.ordinal], names.parents[value.ordinal]
        if kind == SymbolKind.ENUM_MEMBER:
            return [Value(Form.INSTANCE, value.path, parent)]
        if kind not in _VARIABLES:
            return []
        if names.is_function(value.ordinal):
            return self._steps.call_function(value, "()")
        key = (value.path, value.ordinal, "")
        known = self._answers.find(key)
        if known is not None:
            return known
        if key in self._active or self._depth >= MAX_DEPTH:
            self._was_cut = True
            return []
        name = names.record.get_name(value.ordinal)
        bounds = [*drop_comprehended(names.bounds.get((parent, name), ()))]
        bounds += names.bounds.get((parent, f"self.{name}"), ()) if parent else ()
        return self._keep(key, bounds)

    def _follow_variable(self, value: Value) -> list[Value]:
        """Return the values of a variable, followed through others; any other value as it is."""
        held: list[Value] = []
        seen = {value[:3]}
        waiting = [value]
        while waiting and len(seen) <= MAX_STEPS:
            one = waiting.pop()
            if not self._is_variable(one):
                held.append(one)
                continue
            for bound in reversed(self._read_descriptors(one, self.get_variable(one))):
                if bound[:3] not in seen:
                    seen.add(bound[:3])
                    waiting.append(bound.like(one))
        return merge_values([held])

    def _read_descriptors(self, variable: Value, held: list[Value]) -> list[Value]:
        """Return what reading an attribute of a class gives: the result of `__get__` if it has one."""
        names = self._scoping.find_names(variable.path)
        if names is None or not names.is_class(names.parents[variable.ordinal]) or not variable.owner:
            return held
        if names.is_assigned_in_method(variable.ordinal):
            return held
        read = [each for one in held for each in self._steps.read_descriptor(one)]
        if not any(map(_is_any, read)):
            return read
        given = [one.guessed() for one in self._list_arguments(variable)]
        return [one for one in read if not given or not _is_any(one)] + given

    def _is_variable(self, value: Value) -> bool:
        names = self._scoping.find_names_of(value)
        if names is None:
            return False
        kind = names.kinds[value.ordinal]
        return kind in _VARIABLES or kind == SymbolKind.ENUM_MEMBER

    # Steps: the value before a step is never a variable

    def _step(self, values: list[Value], piece: str) -> Known:
        groups = [self._steps.take(held, piece) for value in values for held in self._follow_variable(value)]
        return merge_values(groups) or None

    def find_member(self, value: Value, name: str, reader: Class | None = None) -> list[Value]:
        """Return the values of an attribute; of a private one, as seen in the class `reader`."""
        groups = []
        for held in self._follow_variable(value):
            if reader is None or not (held.form is Form.INSTANCE or self.classes.is_class(held)):
                groups.append(self._steps.find_member(held, name))
            else:
                found = self.classes.find_private((held.path, held.ordinal), name, reader)
                groups.append([one.like(held) for one in found])
        return merge_values(groups)

    def _read_results(self, value: Value, names: PythonNames, result: str) -> list[Value]:
        bounds = names.bounds.get((value.ordinal, result), ())
        if not bounds:
            return []
        key = (value.path, value.ordinal, result)
        if key in self._active or self._depth >= MAX_DEPTH:
            self._was_cut = True
            return []
        found = self._answers.find(key)
        if found is None:
            found = self._keep(key, bounds)
        is_annotated = any(one.form in _ANNOTATED for one in bounds)
        return [one if is_annotated else one.guessed() for one in found]

    def _keep(self, key: tuple[str, int, str], bounds: Sequence[Bound]) -> list[Value]:
        """Return the values in BIND rows; cached unless a cycle or a limit cut them short."""
        was_cut, self._was_cut = self._was_cut, False
        self._active.add(key)
        self._depth += 1
        try:
            found = self._list_bound_values(key[0], bounds)
        finally:
            self._active.discard(key)
            self._depth -= 1
        if not self._was_cut:
            self._answers.put(key, found)
        self._was_cut |= was_cut
        return found


def _is_any(value: Value) -> bool:
    return value.form is Form.OUTSIDE and is_any_type(value.path)


def _are_copiers(values: Sequence[Value]) -> bool:
    return all(one.form is Form.OUTSIDE and one.path in _COPIERS for one in values)


def _get_key(path: str, bound: Bound) -> tuple[str, int, str]:
    return path, bound.symbol, f"{bound.expression} {bound.line}"


def _list_first(bounds: Sequence[Bound]) -> Sequence[Bound]:
    """Return at most MAX_VALUES rows; of more, those with different contents come first."""
    if len(bounds) <= MAX_VALUES:
        return bounds
    different = {(one.symbol, one.qualifier, one.name, one.form): one for one in reversed(bounds)}
    return list(reversed(different.values()))[:MAX_VALUES]


def _differ(known: Sequence[Bound], groups: Sequence[Sequence[Value]]) -> bool:
    """Return whether assignments have different values; a condition may name several classes, as a union."""
    values = {
        tuple(value[:3] for value in group)
        for one, group in zip(known, groups, strict=True)
        if one.form not in CONDITIONS
    }
    return len(values) > 1
