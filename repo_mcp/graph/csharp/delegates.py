"""Functions as arguments of C# calls: which delegates they fit.

A function that returns nothing fits no `Func`. One that returns a value fits no `Action`, unless its body is
also a statement; then `Func` is better. The same holds for `Func<Task>` and `Func<Task<T>>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.signatures import PLAIN, Method, normalize_type, read_method
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.csharp.values import TYPE_PARAMETER, Place, Value, get_short, is_same
from repo_mcp.languages.csharp.chains import split_last, strip_types
from repo_mcp.languages.csharp.functions import ASYNC, Outcome
from repo_mcp.languages.csharp.types import FUNCTION, OF_CALL, OF_PARAMETER, read_type
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, DeclaredSymbol, SymbolKind

MISFIT = 1_000  # a grade: a lower one is better, None is unknown
_BODY = re.compile(rf"(\d*)({ASYNC}?)([vrb]?)(?:{OF_CALL}(.*))?", re.DOTALL)
_TASK = re.compile(r"(?:[\w.]+\.)?(?:Value)?Task(<)?")
_STRUCTS = frozenset({"TimeSpan", "CancellationToken", "DateTime", "DateTimeOffset", "Guid"})
_WORD = re.compile(r"\w+")
_VOID = "void"
_RETURNED = {"Action": _VOID, "Predicate": "bool", "Comparison": "int"}


class Function(NamedTuple):
    """The known facts of a function that is passed as an argument."""

    at: Place
    parameters: int = -1
    types: tuple[str, ...] = ()  # of its parameters, if they are written
    outcome: Outcome = Outcome.UNKNOWN
    returned: str = ""  # the type of its value, as written; empty if unknown
    is_async: bool = False
    is_written: bool = False  # a lambda, whose parameters have no types unless they are written

    @property
    def is_untyped(self) -> bool:
        """Return whether nothing shows the types of its parameters."""
        return self.is_written and self.parameters > 0 and not self.types


class Delegate(NamedTuple):
    """The parameters and the result of a delegate, as written."""

    parameters: tuple[str, ...]
    returned: str


def read_delegate(written: str) -> Delegate | None:
    """Return the parameters and the result of a library delegate; None for any other type."""
    plain = written.removeprefix("System.")
    if plain.startswith("Expression<"):
        plain = plain.removeprefix("Expression<").rstrip("?").removesuffix(">")
    name, _, type_arguments = plain.rstrip("?").partition("<")
    if name not in {"Func", "Action", "Predicate", "Comparison", "Converter"}:
        return None
    types = split_list(type_arguments.removesuffix(">"))
    if name == "Comparison":
        types = types * 2
    if name in _RETURNED:
        return Delegate(tuple(types), _RETURNED[name])
    return Delegate(tuple(types[:-1]), types[-1]) if types else None


class CSharpDelegates:
    """Grades functions as arguments."""

    def __init__(self, names: CSharpNames, types: CSharpTypes) -> None:
        self._names = names
        self._types = types

    def read(self, at: Place, text: str, line: int) -> Function:
        """Return what the text of an argument says of a function."""
        body, *types = text.removeprefix(FUNCTION).split(OF_PARAMETER)
        count, sign, letter, chain = _BODY.fullmatch(body).groups()  # type: ignore[union-attr]  # fits all
        found = Function(at, int(count or -1), tuple(types), Outcome(letter), "", bool(sign), True)
        if not chain:
            return found
        returned = self._find_returned(at, chain, line)
        if not returned:
            return found
        task = _TASK.match(returned) if sign else None
        is_nothing = returned == _VOID or (task is not None and not task[1])
        return found._replace(outcome=Outcome.NOTHING if is_nothing else Outcome.BOTH, returned=returned)

    def read_method(self, at: Place, symbol: DeclaredSymbol) -> Function:
        """Return what is known of a method that is passed by its name."""
        takes = read_method(symbol.parameters)
        if takes.type_parameters or takes.is_cut:
            return Function(at)
        outcome = Outcome.NOTHING if symbol.return_type == _VOID else Outcome.VALUE
        return Function(at, len(takes.parameters), (), outcome, normalize_type(symbol.return_type))

    def _find_returned(self, at: Place, chain: str, line: int) -> str:
        """Return the written result of the methods that a chain calls last, if they agree."""
        file, ordinal = at
        before, last = split_last(chain)
        name = strip_types(last.removesuffix("()"))
        if before:
            value = self._types.evaluate(file, ordinal, before, line)
            is_plain = value.is_known and not value.is_items
            owners = [value.type] if is_plain and value.type is not None else []
        else:
            found = (self._types.find_type_around(file, one) for one in file.list_types_around(ordinal))
            owners = [one for one in found if one is not None]
        for owner in owners:
            members = [one for _, one in self._types.find_members(owner, name) if one.kind in CALLABLE_KINDS]
            if members:
                results = {normalize_type(one.return_type) for one in members}
                is_void = {one == _VOID for one in results}
                return (
                    results.pop() if len(results) == 1 else "" if len(is_void) > 1 else _join_results(results)
                )
        return ""

    # Grades

    def find(self, written: str, at: Place) -> Delegate | TypeMeaning | None:
        """Return the delegate that a written type means, or another type that it means; None if unknown."""
        found = read_delegate(written)
        if found is not None:
            return found
        meaning = self._find_type(written, at)
        for part in meaning.parts if meaning is not None else ():
            file = self._names.find_file(part.path)
            symbol = file.record.get_symbol(part.ordinal) if file is not None else None
            if symbol is not None and symbol.kind is SymbolKind.TYPE:
                types = tuple(one.type for one in read_method(symbol.parameters).parameters)
                return Delegate(types, normalize_type(symbol.return_type))
        if meaning is None:
            return TypeMeaning(written)
        return meaning if meaning.parts else None

    def grade(self, function: Function, written: str, at: Place, names: frozenset[str]) -> int | None:
        """Grade a function passed for a written type, which is looked up `at` the method; None if unknown."""
        delegate = self.find(written, at)
        if delegate is None:
            return None
        if isinstance(delegate, TypeMeaning) or function.parameters not in {-1, len(delegate.parameters)}:
            return MISFIT
        declared = read_delegate(written) is None
        same = [
            one in names or (None if declared else self._is_same_text(own, function.at, one, at))
            for own, one in zip(function.types, delegate.parameters, strict=False)
        ]
        if False in same:
            return MISFIT
        grade = _grade_outcome(function, delegate.returned, names)
        return grade if grade == MISFIT or None not in same else None

    def _is_same_text(self, own: str, at: Place, wanted: str, where: Place) -> bool | None:
        """Return whether two written types are the same; None if that is not known."""
        own, wanted = (normalize_type(one).replace("string?", "string") for one in (own, wanted))
        one, other = self._find_type(own, at), self._find_type(wanted, where)
        if one is None or other is None:
            return own == wanted if one is other else False
        if not (one.parts or other.parts):
            return True if own == wanted else None
        return is_same(one, other) and own.rstrip("?").endswith("]") == wanted.rstrip("?").endswith("]")

    def _find_type(self, written: str, at: Place) -> TypeMeaning | None:
        found = read_type(written)
        file, ordinal = at
        if not found.name:
            return None
        return self._names.find_type(file, ordinal, found.name, found.qualifier, found.arity)


def _join_results(results: set[str]) -> str:
    """Return "var", for some value, where results differ; "" if any of them is a task: nothing is known."""
    return "" if any(_TASK.match(one) for one in results) else "var"


def _grade_outcome(function: Function, wanted: str, names: frozenset[str]) -> int | None:
    """Grade what a function returns against what a delegate returns."""
    outcome = function.outcome
    if outcome is Outcome.UNKNOWN or not wanted:
        return None
    if wanted == _VOID:
        return MISFIT if outcome is Outcome.VALUE else 1 if outcome is Outcome.NOTHING else 3
    task = _TASK.match(wanted)
    is_open = wanted in names or TYPE_PARAMETER.fullmatch(wanted) is not None
    if function.is_async:
        if task is None:
            return 2 if is_open else MISFIT
        return 1 if bool(task[1]) == (outcome is not Outcome.NOTHING) else MISFIT
    if outcome is Outcome.NOTHING:
        return MISFIT
    if not function.returned or function.returned == "var":
        is_undecided = task is not None or (outcome is Outcome.VALUE and not is_open and wanted not in PLAIN)
        return None if is_undecided else 1  # another delegate may return what fits better
    own = _TASK.match(function.returned)
    if task is None:
        return 2 if own is not None and is_open else 1
    if own is None:
        return MISFIT if not TYPE_PARAMETER.fullmatch(function.returned) else None
    return 1 if bool(own[1]) == bool(task[1]) else 2 if own[1] else MISFIT


def can_infer(takes: Method, types: Sequence[str], functions: Sequence[Function | None]) -> bool:
    """Return whether the arguments of a call determine all type parameters of a method.

    `types` are those of the parameters. A function without written types does not show what it takes.
    """
    inferred: set[str] = set()
    for written, function in zip(types, functions, strict=True):
        is_untyped = function is not None and function.is_untyped
        delegate = read_delegate(written) if is_untyped else None
        inferred.update(_WORD.findall(written if delegate is None else delegate.returned))
    return takes.is_cut or all(one in inferred for one in takes.type_parameters)


def grade_delegate(value: Value, wanted: str, names: frozenset[str]) -> int | None:
    """Grade a value that is a library delegate, passed for another one; another kind does not fit."""
    own = read_delegate(f"{get_short(value)}<{','.join('?' * len(value.type_arguments))}>")
    other = read_delegate(wanted)
    if own is None or other is None:
        return None
    if len(own.parameters) != len(other.parameters) or (own.returned == _VOID) != (other.returned == _VOID):
        return MISFIT
    same = [
        _is_same_argument(one, written, names)
        for one, written in zip(value.type_arguments, (*other.parameters, other.returned), strict=False)
    ]
    return MISFIT if False in same else None if None in same else 0


def _is_same_argument(value: Value, written: str, names: frozenset[str]) -> bool | None:
    """Return whether a type argument is the one that is wanted; None if that is not known."""
    found = read_type(written)
    if written in names:
        return True
    if value.type is None or not found.name:
        return None
    own = value.type.full_name.rpartition(".")[2].partition("`")[0]
    if own == found.name:
        return (value.is_items, value.is_task) == (found.is_items, found.is_task)
    return False if {own, found.name} & _STRUCTS else None
