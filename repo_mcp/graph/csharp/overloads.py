"""The choice between C# methods of one name, by the types of the arguments of a call.

Each argument is graded against its parameter, following the C# specification (section 12.6.4) as far as the
text shows: the same type, a base type by its distance, a wider number, or object; otherwise it does not fit.
A method with an argument that does not fit is ruled out. Of the others, one is meant if no other is better
for any argument; ties go to a method without type parameters, then without `params`, then with the fewest
defaults.

Arguments are read in `arguments.py`. Left out on purpose: conversions declared by an external type. Where
these decide, or an argument that nothing is known of, all methods that may fit are returned.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from repo_mcp.graph.csharp.arguments import Argument, CSharpArguments
from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.delegates import (
    MISFIT,
    CSharpDelegates,
    Function,
    can_infer,
    grade_delegate,
    read_delegate,
)
from repo_mcp.graph.csharp.members import Member, Members
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.signatures import (
    PLAIN,
    WIDER,
    Method,
    Parameter,
    get_item_type,
    has_arity,
    read_method,
    strip_nullable,
)
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.csharp.values import TYPE_PARAMETER, Place, Value, is_same
from repo_mcp.languages.csharp.types import CONTAINERS, FUNCTION, NO_TYPE, NULL, read_type
from repo_mcp.symbols.symbol_record import Reference, SymbolFlag, SymbolKind

MAX_COMPARED = 60  # methods of one name that are compared; if there are more, all are returned
SAME, OBJECT = 0, 99  # grades, lower is better
_UNTYPED_SEQUENCE = 50  # a grade: `IEnumerable` for a sequence of something

Grade = int | None  # None: unknown

_WIDER_NUMBERS = {name: tuple(wider.split()) for name, wider in WIDER.items()}
# Types that a whole-number literal converts to, and those it converts to if its value is small enough.
_CONSTANT = ("uint", "nint", "long", "nuint", "ulong", "float", "double", "decimal")
_NARROWER = frozenset({"sbyte", "byte", "short", "ushort"})
_OBJECTS = frozenset({"object", "dynamic"})
_CONVERSION = re.compile(r"operator [A-Za-z]\w*")
_DELEGATE = re.compile(r"(?:Expression<)?(Func|Action|Predicate|Comparison|Converter)\b(?:<(.*)>)?")
# types that are treated as their type argument, although they are others
_HOLLOW = re.compile(r"(?:ReadOnly)?(?:Span|Memory)<|Lazy<")
_ENUMS = frozenset({SymbolKind.ENUM})
_VALUE_TYPES = frozenset({SymbolKind.ENUM, SymbolKind.STRUCT})


class _Rated(NamedTuple):
    grades: tuple[Grade, ...]  # one for each argument
    types: tuple[str, ...]  # of the parameters, one for each argument
    rank: tuple[bool, bool, int]  # generic, expanded `params`, defaults used: on a tie the lower wins


class CSharpOverloads:
    """Compares methods with calls."""

    def __init__(self, names: CSharpNames, types: CSharpTypes) -> None:
        self._names = names
        self._types = types
        self._delegates = CSharpDelegates(names, types)
        self._converted: dict[str, bool] = {}
        self.arguments = CSharpArguments(names, types, self._delegates)

    def narrow(
        self, file: CSharpFile, row: Reference, found: Members, receiver: Value | None = None
    ) -> Members:
        """Return the methods that a call may mean: none if none fits, one if that is certain.

        With a `receiver`, they are compared as extension methods of it. An override counts as a method of the
        base class: a method that the class declares anew takes precedence, however well the override fits.
        """
        if len(found) > MAX_COMPARED or not row.arguments:
            return found
        arity, arguments = self.arguments.read_call(file, row)
        if receiver is not None:
            arguments = [Argument(receiver), *arguments]
        rated: list[tuple[Member, _Rated]] = []
        for one in found:
            rating = self._rate(one, arguments, arity)
            if rating is not None:
                rated.append((one, rating))
        best = [one for one, own in rated if all(own is it or _is_better(own, it) for _, it in rated)]
        is_chosen = len(best) == 1 and not _is_override_beside_new(best[0], [one for one, _ in rated])
        return best if is_chosen else [one for one, _ in rated]

    def certainly_accepts(self, file: CSharpFile, row: Reference, found: Members) -> bool:
        """Return whether one of the methods accepts a call, and all of its arguments are known."""
        if not row.arguments:
            return bool(found)
        arity, arguments = self.arguments.read_call(file, row)
        ratings = (self._rate(one, arguments, arity) for one in found[:MAX_COMPARED])
        return any(one is not None and None not in one.grades for one in ratings)

    # Methods

    def _rate(self, method: Member, arguments: list[Argument], arity: int) -> _Rated | None:
        """Return how well the arguments fit a method; None if they do not."""
        declaration, symbol = method
        file = self._names.find_file(declaration.path)
        takes = read_method(symbol.parameters)
        if file is None or not has_arity(symbol, arity) or not (arity or takes.is_inferable):
            return None
        where = (file, symbol.ordinal)
        grades: list[Grade] = []
        types: list[str] = []
        filled: set[int] = set()
        is_expanded = False
        for number, argument in enumerate(arguments):
            position = takes.find(number, argument.name)
            if position is None:
                if not takes.is_cut:
                    return None
                grades.append(None)
                types.append("")
                continue
            filled.add(position)
            parameter = takes.parameters[position]
            grade = self._grade(argument, parameter, where, takes)
            if parameter.is_params and (grade == MISFIT or number > position):
                parameter = parameter._replace(type=get_item_type(parameter.type), is_params=False)
                grade = self._grade(argument, parameter, where, takes)
                is_expanded = True
            if grade == MISFIT:
                return None
            grades.append(grade)
            types.append(parameter.type)
        left = [one for position, one in enumerate(takes.parameters) if position not in filled]
        if not all(one.is_optional or one.is_params for one in left):
            return None
        if takes.type_parameters and not arity:
            functions = [one.function if one.form == FUNCTION else None for one in arguments]
            if not can_infer(takes, types, functions):
                return None
        return _Rated(tuple(grades), tuple(types), (bool(takes.type_parameters), is_expanded, len(left)))

    def _grade(self, argument: Argument, parameter: Parameter, where: Place, takes: Method) -> Grade:
        """Return how well an argument fits a parameter, whose type is looked up at `where`."""
        if parameter.is_reference not in {argument.is_reference, None}:
            return MISFIT
        if not argument.is_known:
            return None
        wanted = strip_nullable(parameter.type)
        if wanted in _OBJECTS:
            grade: Grade = SAME if argument.plain == "object" else OBJECT
        elif wanted in takes.type_parameters:
            grade = MISFIT if argument.form in {FUNCTION, NULL} else SAME
        elif TYPE_PARAMETER.fullmatch(wanted):
            grade = None
        elif argument.form == NO_TYPE or argument.plain == "object":
            grade = MISFIT
        elif argument.form == FUNCTION:
            function = argument.function or Function(where)
            grade = self._delegates.grade(function, parameter.type, where, takes.type_parameters)
        elif argument.form == NULL:
            grade = self._grade_null(parameter.type, where)
        elif argument.form or argument.plain in PLAIN:
            grade = self._grade_plain(argument, parameter.type, where)
        elif argument.plain == wanted:
            grade = self._grade_nullable(argument, parameter.type, where)
        elif argument.value is None:
            grade = self._grade_unlike(wanted, self._find_type(parameter.type, where))
        else:
            grade = self._grade_value(argument.value, parameter.type, where, takes)
        return MISFIT if argument.is_reference and grade not in {SAME, None} else grade

    def _grade_null(self, written: str, where: Place) -> Grade:
        """Grade `null`, which fits only types that can be null."""
        if written in PLAIN:
            return 1 if written == "string" else MISFIT
        meaning = self._find_type(written, where)
        if meaning is not None and not written.endswith("?"):
            if not meaning.parts:
                return None
            return MISFIT if self._has_kind(meaning, _VALUE_TYPES) else 1
        return 1

    def _grade_nullable(self, argument: Argument, written: str, where: Place) -> Grade:
        """Grade an argument of the type of the parameter, where one of both may be null."""
        if not argument.is_nullable or written.endswith("?"):
            return SAME
        meaning = self._find_type(written, where)
        if meaning is None or not meaning.parts:
            return None
        return MISFIT if self._has_kind(meaning, _VALUE_TYPES) else SAME

    def _grade_plain(self, argument: Argument, written: str, where: Place) -> Grade:
        """Grade a number, a string or the like."""
        plain, wanted = argument.plain or "int", strip_nullable(written)
        is_nullable = written.endswith("?")
        if wanted in PLAIN:
            if argument.is_nullable and not is_nullable and "string" not in {plain, wanted}:
                return MISFIT
            if plain == wanted:
                return SAME if argument.is_nullable == is_nullable or plain == "string" else 1
            if argument.form and wanted in _NARROWER:
                return None  # this depends on its value
            wider = _CONSTANT if argument.form else _WIDER_NUMBERS.get(plain, ())
            return 1 + wider.index(wanted) if wanted in wider else MISFIT
        if _DELEGATE.match(wanted) or wanted.endswith("[]"):
            return MISFIT
        meaning = self._find_type(written, where)
        if plain == "string" and ("char" in wanted or meaning is None):
            return None if "char" in wanted else MISFIT
        if meaning is not None and argument.form == "0" and self._has_kind(meaning, _ENUMS):
            return None
        return self._grade_unlike(wanted, meaning)

    def _grade_unlike(self, wanted: str, meaning: TypeMeaning | None) -> Grade:
        """Grade an argument of an external type against another type."""
        if wanted in PLAIN:
            return MISFIT
        if meaning is None or not meaning.parts:
            return None
        return None if self._has_conversions(meaning) else MISFIT

    def _grade_value(self, value: Value, written: str, where: Place, takes: Method) -> Grade:
        """Grade a value of a type that has members."""
        own = value.type
        wanted = strip_nullable(written)
        if own is None or _HOLLOW.match(wanted):
            return None
        is_plain_value = not value.is_items and not value.is_task
        is_converted = self._has_conversions(own)
        is_inside = bool(own.parts) and not is_converted
        found = read_type(written)
        if not found.name:  # the parameter is a number, a string, or a list of those
            return MISFIT if is_inside else None
        if read_delegate(wanted) is not None:
            return MISFIT if is_inside else grade_delegate(value, wanted, takes.type_parameters)
        meaning = self._find_type(written, where)
        if meaning is None or self._has_conversions(meaning):
            return None
        if value.is_items and not value.is_task and found.name in CONTAINERS and not found.arity:
            return _UNTYPED_SEQUENCE
        if found.is_items and value.is_items and found.name in takes.type_parameters:
            return 1
        if (found.is_items, found.is_task) != (value.is_items, value.is_task):
            return MISFIT if meaning.parts and not found.is_items and is_inside else None
        line = self._types.list_with_bases(own)
        for steps, one in enumerate(line):
            if is_same(one, meaning):
                return steps
        if is_converted:
            return None
        if meaning.parts:
            return MISFIT if is_inside or is_plain_value else None
        return MISFIT if is_inside and is_plain_value and all(one.parts for one in line) else None

    # Types

    def _find_type(self, written: str, where: Place) -> TypeMeaning | None:
        found = read_type(written)
        file, ordinal = where
        if not found.name:
            return None
        return self._names.find_type(file, ordinal, found.name, found.qualifier, found.arity)

    def _has_kind(self, meaning: TypeMeaning, kinds: frozenset[SymbolKind]) -> bool:
        return any(self._names.get_kind(part) in kinds for part in meaning.parts)

    def _has_conversions(self, meaning: TypeMeaning) -> bool:
        """Return whether a type declares conversion operators."""
        known = self._converted.get(meaning.full_name)
        if known is None:
            files = ((self._names.find_file(part.path), part.ordinal) for part in meaning.parts)
            known = any(
                _CONVERSION.match(name)
                for file, ordinal in files
                if file is not None
                for name in file.list_child_names(ordinal)
            )
            self._converted[meaning.full_name] = known
        return known


def _is_better(one: _Rated, other: _Rated) -> bool:
    """Return whether one method is preferred to another one that also fits."""
    is_closer = False
    for grade, its, own_type, its_type in zip(one.grades, other.grades, one.types, other.types, strict=True):
        if own_type == its_type:
            continue
        is_fit = its is not None and 0 < its < OBJECT
        if is_fit and TYPE_PARAMETER.fullmatch(own_type) and read_type(its_type).is_items:
            return False  # a type parameter is no better than a list of a type parameter
        if grade is None or (its is None and (grade != SAME or TYPE_PARAMETER.fullmatch(own_type))):
            return False
        if its is not None and grade > its:
            return False
        is_closer |= its is None or grade < its
    return is_closer or one.rank < other.rank


def _is_override_beside_new(chosen: Member, found: Members) -> bool:
    """Return whether a method is an override, and its class also declares a new one of that name."""
    at, symbol = chosen
    return bool(symbol.flags & SymbolFlag.OVERRIDE) and any(
        other.path == at.path and one.parent == symbol.parent and not one.flags & SymbolFlag.OVERRIDE
        for other, one in found
    )
