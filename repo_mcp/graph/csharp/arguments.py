"""The arguments of a C# call, each with what its text shows of its type.

Left out on purpose: expression types that the language infers from more than names.
"""

from __future__ import annotations

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.delegates import CSharpDelegates, Function
from repo_mcp.graph.csharp.members import Members
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.signatures import PLAIN, normalize_type, read_method, strip_nullable
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.csharp.values import TYPE_PARAMETER, Value, find_binding
from repo_mcp.languages.csharp.chains import split_last, strip_types
from repo_mcp.languages.csharp.types import (
    FUNCTION,
    NO_TYPE,
    NULL,
    TASK,
    WHOLE_NUMBERS,
    WrittenArgument,
    split_call,
)
from repo_mcp.languages.treesitter.scope_walk import ITEMS, TYPE, UNKNOWN
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, SymbolKind

MAX_ARGUMENTS = 64  # of one call; a record has no more of the parameters of a method
# Types of members with these names on any receiver, unless a type in the repository declares one.
_COMMON_MEMBERS = {
    "int": "Length Count GetHashCode() IndexOf() CompareTo() Count()",
    "long": "LongLength LongCount()",
    "bool": "Equals() Any() All() Contains() StartsWith() EndsWith() IsNullOrEmpty() IsNullOrWhiteSpace()",
    "TimeSpan": "TimeSpan.Zero TimeSpan.MaxValue TimeSpan.MinValue TimeSpan.FromDays() TimeSpan.FromHours()"
    " TimeSpan.FromMinutes() TimeSpan.FromSeconds() TimeSpan.FromMilliseconds() TimeSpan.FromTicks()",
    "CancellationToken": "CancellationToken.None",
    "Task": "Task.CompletedTask",
    "DateTime": "DateTime.Now DateTime.UtcNow DateTime.Today",
    "Guid": "Guid.NewGuid() Guid.Empty",
    "char": "char.ToLower() char.ToUpper() char.ToLowerInvariant() char.ToUpperInvariant()",
    "string": "ToString() Substring() Trim() TrimStart() TrimEnd() ToLower() ToUpper() ToLowerInvariant()"
    " ToUpperInvariant() PadLeft() PadRight() string.Format() string.Join() string.Concat() string.Empty",
}
_MEMBER_TYPES = {name: plain for plain, names in _COMMON_MEMBERS.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class Argument:
    """The known facts of one argument: a plain type, a value of a type with members, or another form."""

    value: Value | None = None
    plain: str = ""  # a type in PLAIN, "object", or the text of another type without spaces
    form: str = ""  # FUNCTION, NO_TYPE, NULL, or a whole number
    function: Function | None = None
    is_nullable: bool = False
    name: str = ""  # of the parameter, for a named argument
    is_reference: bool = False

    @property
    def is_known(self) -> bool:
        """Return whether anything is known of its type."""
        return self.value is not None or bool(self.plain or self.form)


class CSharpArguments:
    """Reads the arguments of calls."""

    def __init__(self, names: CSharpNames, types: CSharpTypes, delegates: CSharpDelegates) -> None:
        self._names = names
        self._types = types
        self._delegates = delegates
        self._last: tuple[tuple[str, Reference], tuple[int, list[Argument]]] | None = None

    def read_call(self, file: CSharpFile, row: Reference) -> tuple[int, list[Argument]]:
        """Return the number of type arguments of a call, and its arguments; the last call is cached."""
        key = file.path, row
        if self._last is None or self._last[0] != key:
            arity, passed = split_call(row.alias)
            arguments = [self._read(file, row, one) for one in passed]
            arguments += [Argument()] * (min(row.arguments - 1, MAX_ARGUMENTS) - len(arguments))
            self._last = key, (arity, arguments)
        return self._last[1]

    def list_values(self, file: CSharpFile, row: Reference) -> list[Value | None]:
        """Return the values of the arguments of a call; None for each that is not known by its type."""
        return [one.value for one in self.read_call(file, row)[1]]

    def _read(self, file: CSharpFile, row: Reference, passed: WrittenArgument) -> Argument:
        name, _, sign = passed.form.rpartition(":")
        found = self._read_value(file, row, passed.value)
        return replace(found, name=name, is_reference=sign == "&")

    def _read_value(self, file: CSharpFile, row: Reference, text: str) -> Argument:
        if text == UNKNOWN:
            return Argument()
        if text in WHOLE_NUMBERS or text in {NO_TYPE, NULL}:
            return Argument(form=text)
        if text.startswith(FUNCTION):
            function = self._delegates.read((file, row.symbol), text, row.line)
            return Argument(form=FUNCTION, function=function)
        if text.startswith("="):
            return self._read_written(file, row.symbol, text[1:])
        return self._evaluate(file, row, text)

    def _evaluate(self, file: CSharpFile, row: Reference, chain: str) -> Argument:
        """Return the argument that a chain of names is: a variable, a member, or the result of one."""
        before, last = split_last(chain)
        name, is_call = strip_types(last.removesuffix("()")), last.endswith("()")
        if not before and not last.endswith(("()", "[]")):
            bound = find_binding(file, row.symbol, name, row.line)
            if bound is not None:
                value = self._types.evaluate_variable(file, bound, 0)
                is_written = bound.arguments & (TASK - 1) in {TYPE, ITEMS}
                is_known = value.type is not None and (is_written or bool(value.type.parts))
                return Argument(value) if is_known else Argument()
        for owner in self._list_owners(file, row, before):
            members = self._types.find_members(owner, name)
            if members:
                return self._read_members(members, is_call)
        value = self._types.evaluate(file, row.symbol, chain, row.line)
        if value.type is not None and value.type.parts:
            return Argument(value)
        is_of_plain = before[:1].lower() + before[1:] in PLAIN  # a member of `char` is not one of `string`
        is_any = before and not is_of_plain
        return Argument(plain=_MEMBER_TYPES.get(chain) or (_MEMBER_TYPES.get(last, "") if is_any else ""))

    def _list_owners(self, file: CSharpFile, row: Reference, before: str) -> list[TypeMeaning]:
        """Return the types that may have a member with the last name of a chain."""
        if before:
            value = self._types.evaluate(file, row.symbol, before, row.line)
            return [value.type] if value.is_known and not value.is_items and value.type is not None else []
        around = (self._types.find_type_around(file, one) for one in file.list_types_around(row.symbol))
        return [one for one in around if one is not None]

    def _read_members(self, members: Members, is_call: bool) -> Argument:
        """Return the value or the result of members of one name, if they agree on its type."""
        declaration, symbol = members[0]
        file = self._names.find_file(declaration.path)
        if file is None or symbol.kind in TYPE_KINDS:
            return Argument()
        if symbol.kind is SymbolKind.ENUM_MEMBER:
            return Argument(Value(self._types.find_type_around(file, symbol.ordinal)))
        if symbol.kind in CALLABLE_KINDS and not is_call:
            method = self._delegates.read_method((file, symbol.ordinal), symbol)
            return Argument(form=FUNCTION, function=method if len(members) == 1 else None)
        if is_call != (symbol.kind in CALLABLE_KINDS) or len({one.return_type for _, one in members}) > 1:
            return Argument()
        if strip_nullable(symbol.return_type) in read_method(symbol.parameters).type_parameters:
            return Argument()
        return self._read_written(file, declaration.ordinal, symbol.return_type)

    def _read_written(self, file: CSharpFile, ordinal: int, text: str) -> Argument:
        plain = normalize_type(text)
        is_nullable = plain.endswith("?")
        plain = strip_nullable(plain)
        if not plain or plain in {"var", "dynamic"} or TYPE_PARAMETER.fullmatch(plain):
            return Argument()
        if plain in PLAIN or plain == "object":
            return Argument(plain=plain, is_nullable=is_nullable)
        value = self._types.read_written(file, ordinal, text, 0)
        if value.type is not None:
            return Argument(value, plain, is_nullable=is_nullable)
        return Argument(plain=plain, is_nullable=is_nullable)
