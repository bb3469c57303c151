"""Finds the type of a C# value, as far as it is written, and the members of that type."""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.generics import CSharpGenerics
from repo_mcp.graph.csharp.members import Members
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.signatures import has_arity
from repo_mcp.graph.csharp.values import (
    BY_KEY,
    HELD,
    ITEM_NUMBER,
    ITEM_OF,
    NO_TYPE_ARGUMENTS,
    NOTHING_KNOWN,
    OF_SEQUENCES,
    OF_TYPE,
    PAIR,
    RESULTS,
    SAME_ITEMS,
    SAME_TASKS,
    TUPLES,
    TYPE_PARAMETER,
    Place,
    TypeArguments,
    Value,
    find_binding,
    get_item,
    get_short,
    get_type_key,
    spell_row,
    weaken_type,
    wrap,
)
from repo_mcp.languages.csharp.chains import Segment, split_chain, split_types
from repo_mcp.languages.csharp.types import (
    ARITY_SHIFT,
    AWAITED,
    CONTAINERS,
    PASSED,
    TASK,
    TypeName,
    read_type,
)
from repo_mcp.languages.treesitter.scope_walk import CALLED, ITEM, ITEMS, NUMBER, SAME, TYPE
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, SymbolKind

MAX_STEPS = 12
MAX_SEGMENTS = 12
MAX_RESULTS = 12  # overloads whose results are compared


class CSharpTypes(CSharpGenerics):
    """Evaluates chains of members."""

    def __init__(self, names: CSharpNames) -> None:
        super().__init__(names)
        self.find_contextual: Callable[[CSharpFile, Reference, int], Value] = lambda file, row, steps: (
            NOTHING_KNOWN
        )

    # Chains

    def evaluate(self, file: CSharpFile, ordinal: int, chain: str, line: int, steps: int = 0) -> Value:
        """Return the value of a chain "a.B().c" inside a symbol on a line; NOTHING_KNOWN if it is unclear."""
        segments = split_chain(chain)
        if len(segments) > MAX_SEGMENTS or steps > MAX_STEPS:
            return NOTHING_KNOWN
        value, used = self._evaluate_head(file, ordinal, segments, line, steps)
        for segment in segments[used:]:
            if value.type is None and not (segment.name in OF_TYPE and segment.type_arguments):
                return NOTHING_KNOWN
            value = self._step(value, segment, (file, ordinal), steps)
        return value

    def _evaluate_head(
        self, file: CSharpFile, ordinal: int, segments: tuple[Segment, ...], line: int, steps: int
    ) -> tuple[Value, int]:
        """Return the value with which a chain begins, and the number of its segments."""
        name, _, is_call = segments[0]
        own = self.find_type_around(file, ordinal)
        if name == "this":
            return Value(own), 1
        if name == "base":
            line_of = self.list_with_bases(own)[1:] if own is not None else ()
            return (Value(line_of[0]) if line_of else NOTHING_KNOWN), 1
        bound = find_binding(file, ordinal, name, line)
        if bound is not None and not is_call:
            return self.evaluate_variable(file, bound, steps), 1
        for around in file.list_types_around(ordinal):
            meaning = self.find_type_around(file, around)
            members = self.find_members(meaning, name) if meaning is not None else []
            if members:
                value = self._get_value(members, segments[0], steps, Value(meaning), (file, ordinal))
                if value.type is not None or is_call:
                    return value, 1
        return self._evaluate_type(file, ordinal, segments, steps)

    def _evaluate_type(
        self, file: CSharpFile, ordinal: int, segments: tuple[Segment, ...], steps: int
    ) -> tuple[Value, int]:
        """Return the type with which a chain begins, after its namespaces, and the number of segments."""
        before: list[str] = []
        for used, (name, type_arguments, is_call) in enumerate(segments, 1):
            if name == "[]":
                break
            found = self._names.find_type(file, ordinal, name, ".".join(before), len(type_arguments))
            if found.parts:
                return Value(
                    found, type_arguments=self._read_type_arguments((file, ordinal), type_arguments, steps)
                ), used
            if is_call:
                break
            before.append(name)
        head, type_arguments, is_call = segments[0]
        outside = self._names.find_type(file, ordinal, head, "", len(type_arguments))
        return (NOTHING_KNOWN if is_call else Value(outside)), 1

    def _step(self, value: Value, segment: Segment, at: Place, steps: int) -> Value:
        """Return the value of a member; its type arguments are looked up `at` the chain."""
        name, is_call = segment.name, segment.is_call
        if name == AWAITED or (value.is_task and name in RESULTS):
            return replace(value, is_task=False)
        if value.is_task:
            return value if name in SAME_TASKS else self._call_extension(value, segment, at, steps)
        if value.is_items:
            return self._step_items(value, segment, at, steps)
        if value.type is None or not value.type.parts:
            return self._step_outside(value, segment, at, steps)
        members = self.find_members(value.type, "this[]" if name == "[]" else name)
        if members:
            return self._get_value(members, segment, steps + 1, value, at)
        items = self.find_items(value) if name == "[]" or name in OF_SEQUENCES else NOTHING_KNOWN
        if items.type is not None:
            return self._step_items(replace(items, is_items=True), segment, at, steps)
        extended = self._call_extension(value, segment, at, steps) if is_call else NOTHING_KNOWN
        # `T?` and `Lazy<T>` are treated as T
        is_wrapped = name == ("GetValueOrDefault" if is_call else "Value")
        is_wrapped = is_wrapped and not self.find_external_base(value.type)
        return value if is_wrapped and extended.type is None else extended

    def _step_items(self, value: Value, segment: Segment, at: Place, steps: int) -> Value:
        if segment.name == "[]" or segment.name in ITEM_OF:
            return get_item(value)
        if segment.name in SAME_ITEMS:
            return value
        if segment.name in OF_TYPE and segment.type_arguments:
            return self._read_items(segment, at, steps)
        return self._call_extension(value, segment, at, steps) if segment.is_call else NOTHING_KNOWN

    def _step_outside(self, value: Value, segment: Segment, at: Place, steps: int) -> Value:
        """Return the value of a member of an external type, as far as its type arguments show it."""
        name, type_arguments, is_call = segment
        if name in OF_TYPE and type_arguments:
            items = self._read_items(segment, at, steps)
            is_sure = value.type is not None or items.type is None
            return items if is_sure else replace(items, type=weaken_type(items.type))
        short = get_short(value)
        if short in BY_KEY | {PAIR} and len(value.type_arguments) == 2:
            if name in {"[]", "Value", "Key"}:
                return value.type_arguments[name != "Key"]
            if name in {"Values", "Keys"} and not value.type_arguments[name != "Keys"].is_items:
                return replace(value.type_arguments[name != "Keys"], is_items=True)
        if is_call or name == "[]":
            return NOTHING_KNOWN
        number = ITEM_NUMBER.fullmatch(name) if short in TUPLES else None
        if number is not None and int(number[1]) <= len(value.type_arguments):
            return value.type_arguments[int(number[1]) - 1]
        if name in HELD and len(value.type_arguments) == 1 and value.type_arguments[0].type is not None:
            held = value.type_arguments[0]
            return replace(held, type=weaken_type(held.type), is_of_member=True)
        return Value(TypeMeaning(f"{value.external}.{name}"), is_of_member=True)

    def _read_items(self, segment: Segment, at: Place, steps: int) -> Value:
        """Return the sequence that `OfType<T>()` or `Cast<T>()` makes."""
        item = self.read_written(*at, segment.type_arguments[0], steps + 1)
        return NOTHING_KNOWN if item.type is None or item.is_items else replace(item, is_items=True)

    def find_items(self, value: Value) -> Value:
        """Return what a loop binds: an item of the sequence that a value is, or that its type implements."""
        if value.is_items:
            return get_item(value)
        for one in self._iter_with_bases(value):
            short = get_short(one)
            if short in CONTAINERS and len(one.type_arguments) == 1:
                return one.type_arguments[0]
            if short in BY_KEY and len(one.type_arguments) == 2:
                return Value(TypeMeaning(PAIR), type_arguments=one.type_arguments)
        members = self.find_members(value.type, "GetEnumerator") if value.is_known and value.type else []
        made = self._get_value(members, Segment("GetEnumerator", (), True), 1, value, None)
        return get_item(made) if made.is_items else NOTHING_KNOWN

    def _call_extension(self, value: Value, segment: Segment, at: Place, steps: int) -> Value:
        members = [one for one in self.list_extensions(segment.name) if self.extends(one, value)]
        return self._get_value(members, segment, steps + 1, value, at) if members else NOTHING_KNOWN

    def _get_value(
        self,
        members: Members,
        segment: Segment,
        steps: int,
        receiver: Value,
        at: Place | None,
    ) -> Value:
        """Return the value or the result of members of one name: that of the first which has a type.

        It is only probable if overloads have different results.
        """
        found: list[Value] = []
        for declaration, symbol in members:
            file = self._names.find_file(declaration.path)
            if file is None:
                continue
            if symbol.kind in TYPE_KINDS:
                type_arguments = (
                    self._read_type_arguments(at, segment.type_arguments, steps) if at is not None else ()
                )
                return Value(self.find_type_around(file, declaration.ordinal), type_arguments=type_arguments)
            if symbol.kind in CALLABLE_KINDS and not (segment.is_call or segment.name == "[]"):
                continue
            if not has_arity(symbol, len(segment.type_arguments)):
                continue
            known = self.bind_parameters((declaration, symbol), receiver, segment, steps, at)
            value = self.read_written(file, declaration.ordinal, symbol.return_type, steps, known)
            if segment.is_call and symbol.kind not in CALLABLE_KINDS:
                value = self._invoke(value, steps)
            if value.type is not None:
                found.append(value)
                if symbol.kind not in CALLABLE_KINDS or len(found) == MAX_RESULTS:
                    break
        if not found:
            return NOTHING_KNOWN
        first = found[0]
        is_one = len(set(map(get_type_key, found))) == 1
        return first if is_one else replace(first, type=weaken_type(first.type))

    def _invoke(self, value: Value, steps: int) -> Value:
        """Return the result of a delegate."""
        if get_short(value) == "Func" and value.type_arguments:
            return value.type_arguments[-1]
        for part in value.type.parts if value.type is not None and not value.is_items else ():
            file = self._names.find_file(part.path)
            symbol = file.record.get_symbol(part.ordinal) if file is not None else None
            if file is not None and symbol is not None and symbol.kind is SymbolKind.TYPE:
                return self.read_written(
                    file, part.ordinal, symbol.return_type, steps, self.name_type_arguments(value)
                )
        return NOTHING_KNOWN

    # Written types

    def read_written(
        self, file: CSharpFile, ordinal: int, text: str, steps: int, known: TypeArguments = NO_TYPE_ARGUMENTS
    ) -> Value:
        """Return a value of a written type; `known` has the values of type parameters."""
        found = read_type(text)
        if not found.name or steps > MAX_STEPS:
            return NOTHING_KNOWN
        if not found.qualifier and found.name in known:
            return wrap(known[found.name], found)
        if not found.qualifier and TYPE_PARAMETER.fullmatch(found.name):
            bound = find_binding(file, ordinal, found.name, 0)
            return (
                NOTHING_KNOWN
                if bound is None
                else wrap(self.evaluate_variable(file, bound, steps + 1), found)
            )
        meaning = self._names.find_type(file, ordinal, found.name, found.qualifier, found.arity)
        texts = split_types(found.type_arguments) if found.type_arguments else ()
        type_arguments = tuple(self.read_written(file, ordinal, one, steps + 1, known) for one in texts)
        return Value(meaning, found.is_items, found.is_task, type_arguments)

    # Variables

    def evaluate_variable(self, file: CSharpFile, row: Reference, steps: int) -> Value:
        """Return the value of a variable, by a row that shows its type."""
        if steps > MAX_STEPS:
            return NOTHING_KNOWN
        kind, arity = row.arguments & (TASK - 1), row.arguments >> ARITY_SHIFT
        is_task = bool(row.arguments & TASK)
        if kind == PASSED:
            return self.find_contextual(file, row, steps)
        if kind in {TYPE, ITEMS}:
            return self.read_variable_type(file, row, TypeName("", "", kind == ITEMS, arity, is_task), steps)
        dotted = spell_row(row)
        if kind == CALLED:
            value = self.evaluate(file, row.symbol, dotted + "()", row.line, steps + 1)
            return replace(value, is_task=False) if is_task else value
        if kind == SAME and row.name == row.alias and not row.qualifier:
            return NOTHING_KNOWN
        value = self.evaluate(file, row.symbol, dotted, row.line, steps + 1)
        if kind == ITEM:
            return self.find_items(value)
        return replace(value, is_task=False) if is_task else value

    def read_variable_type(self, file: CSharpFile, row: Reference, form: TypeName, steps: int) -> Value:
        """Return the value of a variable of a written type; of a type parameter, by its constraint."""
        qualifier, _, type_arguments = row.qualifier.partition("<")
        if not row.qualifier and TYPE_PARAMETER.fullmatch(row.name.partition(NUMBER)[0]):
            bound = find_binding(file, row.symbol, row.name, 0)
            if bound is not None and bound != row:
                return wrap(self.evaluate_variable(file, bound, steps + 1), form)
        found = self._names.find_type(file, row.symbol, row.name, qualifier, form.arity)
        texts = split_types(type_arguments[:-1]) if type_arguments else ()
        return Value(
            found, form.is_items, form.is_task, self._read_type_arguments((file, row.symbol), texts, steps)
        )
