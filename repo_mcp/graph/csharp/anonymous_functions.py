"""The types of the parameters of anonymous C# functions, by the call, member or variable that takes one.

In `Map(m => m.Name)`, m is a T if the methods that the call may mean agree on their parameter `Func<T, ...>`;
the receiver, the type arguments and the other arguments show what T is. Library functions that call a
function with the items of a sequence pass these items. `new()` as an argument has the type of the parameter.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.delegates import read_delegate
from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.graph.csharp.overloads import CSharpOverloads
from repo_mcp.graph.csharp.signatures import get_item_type, read_method
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.csharp.values import (
    GIVING_ITEMS,
    GIVING_OUT,
    NOTHING_KNOWN,
    Place,
    TypeArguments,
    Value,
    get_short,
    get_type_key,
    spell_row,
    weaken_type,
)
from repo_mcp.graph.program import Confidence, Resolution, Target
from repo_mcp.languages.csharp.chains import Segment, split_chain, split_last
from repo_mcp.languages.csharp.types import (
    ARGUMENT_SHIFT,
    IS_ITSELF,
    IS_TYPE,
    IS_VALUE,
    PARAMETER_SHIFT,
    TypeName,
    count_arity,
    split_call,
)
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    list_references,
)

_MASK = 31
# file and row of a call, the called name, and the receiver
Call = tuple[CSharpFile, Reference, Segment, Value]


class AnonymousFunctions:
    """Finds the types of the parameters of anonymous functions."""

    def __init__(
        self,
        names: CSharpNames,
        types: CSharpTypes,
        overloads: CSharpOverloads,
        resolve: Callable[[CSharpFile, Reference], Resolution],
    ) -> None:
        self._names = names
        self._types = types
        self._overloads = overloads
        self._resolve = resolve
        self._calls: dict[str, dict[tuple[int, str, int], list[Reference]]] = {}
        self._found: dict[tuple[str, Reference], Value] = {}

    def find(self, file: CSharpFile, row: Reference, steps: int) -> Value:
        """Return the value of a parameter of an anonymous function, or of `new()`, by its BIND row."""
        key = file.path, row
        if key not in self._found:
            self._found[key] = NOTHING_KNOWN  # the answer inside a cycle
            self._found[key] = self._find(file, row, steps)
        return self._found[key]

    def _find(self, file: CSharpFile, row: Reference, steps: int) -> Value:
        argument = row.arguments >> ARGUMENT_SHIFT & _MASK
        parameter = row.arguments >> PARAMETER_SHIFT & _MASK
        if argument == IS_TYPE:
            _, _, type_arguments = row.qualifier.partition("<")
            form = TypeName(arity=count_arity(f"<{type_arguments}") if type_arguments else 0)
            return self._read_delegate_parameter(
                self._types.read_variable_type(file, row, form, steps), parameter, steps
            )
        dotted = spell_row(row)
        if argument == IS_VALUE:
            return self._read_delegate_parameter(
                self._types.evaluate(file, row.symbol, dotted, row.line, steps + 1), parameter, steps
            )
        before, _ = split_last(dotted)
        segment = split_chain(dotted)[-1]._replace(is_call=True)
        calls = self._list_calls(file, row.symbol, segment.name, row.line, before)
        receiver = self._find_receiver(file, row, before, steps)
        found: list[Value] = []
        for call in calls:
            targets = self._resolve(file, call).targets
            members = [one for one in targets if self._get_member(one) is not None]
            if not targets and segment.name in GIVING_ITEMS and not argument and not parameter:
                found.append(self._types.find_items(receiver))
            elif not targets and segment.name in GIVING_OUT and parameter == IS_ITSELF:
                found.append(self._types.evaluate(file, row.symbol, f"{before}[]", row.line, steps + 1))
            elif not targets and not argument and not parameter:
                found.append(_find_type_argument(receiver))
            for one in members:
                member = self._get_member(one)
                if member is not None:
                    value = self._find_parameter(
                        (file, call, segment, receiver), one, member, argument, parameter, steps
                    )
                    found.append(value)
        first = found[0] if found else NOTHING_KNOWN
        return first if len(set(map(get_type_key, found))) == 1 else NOTHING_KNOWN

    def _find_receiver(self, file: CSharpFile, row: Reference, before: str, steps: int) -> Value:
        if before:
            return self._types.evaluate(file, row.symbol, before, row.line, steps + 1)
        return Value(self._types.find_type_around(file, row.symbol))

    def _list_calls(
        self, file: CSharpFile, ordinal: int, name: str, line: int, qualifier: str
    ) -> list[Reference]:
        """Return the calls of a name on a line in a symbol, with the same receiver."""
        if file.path not in self._calls:
            known: dict[tuple[int, str, int], list[Reference]] = {}
            for row in list_references(file.record, ReferenceRole.CALL):
                known.setdefault((row.symbol, row.name, row.line), []).append(row)
            self._calls[file.path] = known
        found = self._calls[file.path].get((ordinal, name, line), [])
        return [row for row in found if row.qualifier == qualifier]

    def _get_member(self, target: Target) -> DeclaredSymbol | None:
        symbol = self._names.get_symbol(target.declaration)
        return symbol if symbol is not None and symbol.kind in CALLABLE_KINDS else None

    def _find_parameter(
        self, call: Call, target: Target, member: DeclaredSymbol, argument: int, parameter: int, steps: int
    ) -> Value:
        """Return the value of a parameter of the function that is passed to a member as an argument."""
        file, row, segment, receiver = call
        other = self._names.find_file(target.declaration.path)
        takes = read_method(member.parameters)
        if other is None:
            return NOTHING_KNOWN
        shift = self._count_receiver(other, row, member)
        passed = split_call(row.alias)[1]
        name = passed[argument].form.rpartition(":")[0] if argument < len(passed) else ""
        number = takes.find(argument + shift, name)
        if number is None:
            return NOTHING_KNOWN
        at = other, member.ordinal
        place = (file, row.symbol)
        owner = self._find_owner(receiver, member, row, place)
        known = dict(self._types.bind_parameters((target.declaration, member), owner, segment, steps, place))
        for index, value in enumerate(self._overloads.arguments.list_values(file, row)):
            if value is not None and index + shift < len(takes.parameters):
                self._types.infer(
                    at, takes.parameters[index + shift].type, value, takes.type_parameters, known
                )
        wanted = takes.parameters[number]
        written = get_item_type(wanted.type) if wanted.is_params else wanted.type
        value = self._read(at, written, parameter, known, steps)
        if target.confidence is Confidence.PROBABLE:
            return replace(value, type=weaken_type(value.type))
        return value

    def _find_owner(self, receiver: Value, member: DeclaredSymbol, row: Reference, at: Place) -> Value:
        """Return the value on which a member is called; for a constructor, the object that it makes."""
        if member.kind is not SymbolKind.CONSTRUCTOR:
            return receiver
        found = self._names.find_type(*at, row.name, row.qualifier, split_call(row.alias)[0])
        return Value(found)

    def _count_receiver(self, file: CSharpFile, row: Reference, member: DeclaredSymbol) -> int:
        """Return 1 if the receiver of a call is the first argument of an extension method, else 0."""
        if not member.flags & SymbolFlag.EXTENSION_METHOD or not row.qualifier:
            return 0
        holder = file.record.get_name(member.parent)
        return int(split_chain(row.qualifier)[-1].name != holder)

    def _read(self, at: Place, written: str, parameter: int, known: TypeArguments, steps: int) -> Value:
        if parameter == IS_ITSELF:
            return self._types.read_written(*at, written, steps + 1, known)
        delegate = read_delegate(written)
        if delegate is None:
            return self._read_delegate_parameter(
                self._types.read_written(*at, written, steps + 1, known), parameter, steps
            )
        if parameter >= len(delegate.parameters):
            return NOTHING_KNOWN
        return self._types.read_written(*at, delegate.parameters[parameter], steps + 1, known)

    def _read_delegate_parameter(self, delegate: Value, parameter: int, steps: int) -> Value:
        """Return the value of a parameter of a delegate."""
        if parameter == IS_ITSELF or delegate.type is None:
            return delegate
        short, type_arguments = get_short(delegate), delegate.type_arguments
        if short == "Expression" and type_arguments:
            return self._read_delegate_parameter(type_arguments[0], parameter, steps)
        if short in {"Func", "Converter"}:
            type_arguments = type_arguments[:-1]
        if short == "Comparison":
            type_arguments = type_arguments * 2
        if short == "EventHandler" and type_arguments:
            type_arguments = (NOTHING_KNOWN, *type_arguments)
        if not delegate.type.parts:
            return type_arguments[parameter] if parameter < len(type_arguments) else NOTHING_KNOWN
        for part in delegate.type.parts:
            file = self._names.find_file(part.path)
            symbol = self._names.get_symbol(part)
            if file is None or symbol is None or symbol.kind is not SymbolKind.TYPE:
                continue
            takes = read_method(symbol.parameters).parameters
            if parameter < len(takes):
                known = self._types.name_type_arguments(delegate)
                return self._types.read_written(file, part.ordinal, takes[parameter].type, steps + 1, known)
        return NOTHING_KNOWN


def _find_type_argument(receiver: Value) -> Value:
    """Return the only type argument of a library type, if it is a type of the repository: the `T` of
    `Mock<T>`.

    Functions that are passed to members of such a type mostly get an object of T.
    """
    known = receiver.type_arguments
    if not receiver.external or len(known) != 1 or not known[0].is_known or known[0].is_items:
        return NOTHING_KNOWN
    return replace(known[0], type=weaken_type(known[0].type))
