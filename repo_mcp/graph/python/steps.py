"""The values that steps from one Python value lead to: its members, its items, what a call of it returns.

An object is followed through its class: `__call__` for a call, `__getitem__` for an item, `__iter__` for a
loop. Left out on purpose: variables, whose values are found first, and what the lines of a function return.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.python.classes import PythonClasses
from repo_mcp.graph.python.names import PythonNames
from repo_mcp.graph.python.scoping import (
    OUTER,
    Form,
    PythonScoping,
    Value,
    make_external,
    merge_values,
    take_item,
)
from repo_mcp.graph.python.siblings import PythonSiblings
from repo_mcp.symbols.symbol_record import Binding

_ITEM_METHODS = frozenset({"pop", "popleft", "get", "setdefault", "__getitem__", "__next__"})
_ITEMS_METHODS = frozenset({"values", "copy", "union", "difference"})
_MADE: dict[int, Form] = {
    Binding.ITEMS: Form.ITEMS,
    Binding.VALUES: Form.VALUES,
    Binding.GIVES: Form.GIVES_ITEM,
}
ANY_ARGUMENTS = "(*)"  # of a call whose arguments are not known

ReadResults = Callable[[Value, PythonNames, str], list[Value]]


class PythonSteps:
    """Takes steps from values in the files of one program."""

    def __init__(self, scoping: PythonScoping, classes: PythonClasses, read_results: ReadResults) -> None:
        """Take `read_results`, which returns what is bound to "()" or the like of a declared function."""
        self._scoping = scoping
        self._classes = classes
        self._read_results = read_results
        self._siblings = PythonSiblings(scoping.program, classes)

    def take(self, value: Value, piece: str) -> list[Value]:
        """Return the values of an attribute, a call or an item of a value, by its piece of the expression."""
        if piece[0] == "(":
            return [one.like(value) for one in self._call(value, piece)]
        return self._take_item(value) if piece[0] == "[" else self.find_member(value, piece)

    def bind(self, value: Value, form: int) -> list[Value]:
        """Return the values of a variable that a BIND row of a form binds to a value or to a part of it."""
        if form == Binding.ITEM:
            return self._iterate(value)
        if form == Binding.ENTERED:
            return self._enter(value)
        if form >= Binding.UNPACKED:
            return self.call_function(value, ANY_ARGUMENTS, f"()[{form - Binding.UNPACKED}]")
        return self._make_instances(value, form)

    def _make_instances(self, value: Value, form: int) -> list[Value]:
        """Return the values of a variable that is annotated with this value; several for a union."""
        if form == Binding.NARROWED and value.form is Form.INSTANCE:  # the result of a type guard
            return [value]
        made = _MADE.get(form, Form.INSTANCE)
        if self._classes.is_class(value):
            return [value._replace(form=made, owner=(), is_choice=False)]
        if value.form is not Form.OUTSIDE:
            return []
        return (
            [make_external(value.path + "()")] if made is Form.INSTANCE else [Value(made, value.path, OUTER)]
        )

    def read_descriptor(self, value: Value) -> list[Value]:
        """Return what reading an attribute of a class gives: the result of `__get__` if its value has one.

        A descriptor returns itself where it is read from the class, so that any other result comes first.
        """
        if value.form is not Form.INSTANCE:
            return [value]
        found = self._classes.find_member((value.path, value.ordinal), "__get__")
        getters = [one for one in found if one.form is Form.OBJECT]
        results = [each for getter in getters for each in self.call_function(getter, ANY_ARGUMENTS)]
        others = [each for each in results if each[:3] != value[:3]]
        return [each.guessed() for each in others or results] if getters else [value]

    def find_member(self, value: Value, name: str) -> list[Value]:
        """Return the values of an attribute."""
        if value.form is Form.OUTSIDE:
            return [make_external(f"{value.path}.{name}")]
        if value.form is Form.MODULE:
            found = self._scoping.find_member(value.path, name)
        elif value.form in (Form.ITEMS, Form.VALUES):
            is_items = name in _ITEMS_METHODS
            form = Form.GIVES_ITEMS if is_items else Form.GIVES_ITEM
            if is_items or name in _ITEM_METHODS:
                return [value._replace(form=form)]
            return [make_external(f"builtins.{name}")]
        elif value.form in (Form.INSTANCE, Form.PARENT) or self._classes.is_class(value):
            if name == "__class__" and value.form is Form.INSTANCE:
                return [value._replace(form=Form.OBJECT)]
            owner = value.path, value.ordinal
            found = self._classes.find_member(owner, name, value.form is Form.PARENT)
            if value.form is Form.PARENT:
                found = [
                    one.guessed() if self._siblings.may_precede(owner, one, name) else one for one in found
                ]
            if name == "__new__" and all(one.form is Form.OUTSIDE for one in found):
                return [value._replace(form=Form.MAKES)]
        else:
            return []
        return [one.like(value) for one in found]

    def _call(self, value: Value, arguments: str) -> list[Value]:
        """Return the values of a call."""
        if value.form is Form.OUTSIDE:
            return [make_external(value.path + "()")]
        # the referent of a weak reference is treated as an item
        if value.form in (Form.GIVES_ITEM, Form.ITEMS):
            return [take_item(value)]
        if value.form is Form.GIVES_ITEMS:
            return [value._replace(form=Form.ITEMS, is_certain=False)]
        if value.form is Form.INSTANCE:
            return self._call_member(value, "__call__", arguments=arguments)
        if value.form is Form.MAKES:
            return [value._replace(form=Form.INSTANCE, owner=())]
        return self._make(value) if self._classes.is_class(value) else self.call_function(value, arguments)

    def _make(self, value: Value) -> list[Value]:
        """Return the object that a call of a class makes, or the result of its `__new__`."""
        own = value._replace(form=Form.INSTANCE, owner=())
        makers = self._classes.find_member((value.path, value.ordinal), "__new__")
        results = [each for one in makers for each in self.call_function(one, ANY_ARGUMENTS)]
        others = [one for one in results if one.form is Form.INSTANCE and one[1:3] != own[1:3]]
        if others and others == results and all(one.is_certain for one in others):
            return others
        return [own.guessed(), *others] if others else [own]

    def _call_member(self, value: Value, *names: str, arguments: str = ANY_ARGUMENTS) -> list[Value]:
        """Return the results of the first of these methods that the class of an instance has, or nothing."""
        for name in names:
            members = self._classes.find_member((value.path, value.ordinal), name)
            if members:
                return merge_values([self.call_function(one, arguments) for one in members])
        return []

    def call_function(self, value: Value, arguments: str, result: str = "()") -> list[Value]:
        """Return the results of a declared function, by its annotation or else by its return statements.

        They are alternatives if a call may choose between overloads with different results. `result` is
        "()[0]" for the first item of a tuple.
        """
        names = self._scoping.find_names_of(value)
        if names is None:
            return []
        overloads = names.list_overloads(value.ordinal, arguments)
        if not overloads:
            return self._read_fitting(value, names, result)
        groups = [self._read_fitting(value._replace(ordinal=one), names, result) for one in overloads]
        annotated = {tuple(one[:3] for one in group) for group in groups if group}
        found = merge_values(groups)
        return found if len(annotated) < 2 else [one._replace(is_open=True) for one in found]

    def _read_fitting(self, method: Value, names: PythonNames, result: str) -> list[Value]:
        """Return the results of a function; of `self` and `Self`, the class on which it was looked up."""
        found = self._read_results(method, names, result)
        if not method.owner:
            return found
        path, ordinal = method.owner
        own = (method.path, names.parents[method.ordinal])
        fitted = []
        for one in found:
            is_self = one.form is Form.INSTANCE and (one.path, one.ordinal) == own
            if is_self or (one.form is Form.OUTSIDE and one.path.endswith(".Self()")):
                fitted.append(Value(Form.INSTANCE, path, ordinal).like(one))
            else:
                fitted.append(one)
        return fitted

    def _take_item(self, value: Value) -> list[Value]:
        """Return the values of `value[...]`; of a class, as in `Box[int]`, the class itself."""
        if value.form in (Form.ITEMS, Form.VALUES):
            return [take_item(value)]
        if value.form is Form.OUTSIDE:
            return [make_external(value.path + "[]")]
        if value.form is Form.INSTANCE:
            return self._call_member(value, "__getitem__")
        return [value] if self._classes.is_class(value) else []

    def _iterate(self, value: Value) -> list[Value]:
        """Return the values that a loop over a value binds."""
        if value.form is Form.ITEMS:
            return [take_item(value)]
        if value.form is Form.OUTSIDE:
            return [make_external(value.path + "[]")]
        if value.form is Form.INSTANCE:
            iterators = self._call_member(value, "__iter__", "__aiter__")
            return [take_item(one) for one in iterators if one.form is Form.ITEMS]
        return []

    def _enter(self, value: Value) -> list[Value]:
        """Return the values that `with value as x` binds to x."""
        # a function that is decorated as a context manager and annotated with an iterator
        if value.form is Form.ITEMS:
            return [take_item(value)]
        if value.form is Form.OUTSIDE:
            return [make_external(value.path + "()")]
        return self._call_member(value, "__enter__", "__aenter__") if value.form is Form.INSTANCE else []
