"""Find the type of a C# value, as far as it is written, and the members of that type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.graph.csharp.names import CSharpFile, CSharpNames, TypeMeaning
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.csharp.chains import Segment, split_chain
from repo_mcp.languages.csharp.types import ARITY_SHIFT, AWAITED, TASK, TypeName, name_arity, read_type
from repo_mcp.languages.treesitter.scope_walk import CALLED, ITEM, ITEMS, SAME, TYPE
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, Symbol, SymbolFlag

MAX_STEPS = 12
MAX_SEGMENTS = 12
MAX_BASES = 64
MAX_FILES = 60  # declaring files searched for extension methods of one name
TYPE_PARAMETER = re.compile(r"T(?:[A-Z]\w*)?|[A-Z]\d?")
# Members of every sequence: those that return one item, and those that return a sequence again.
_ITEM_OF = frozenset(
    re.findall(
        r"\w+",
        "First FirstOrDefault Single SingleOrDefault Last LastOrDefault ElementAt Min Max MinBy"
        " MaxBy Find Peek Dequeue Pop FirstAsync FirstOrDefaultAsync SingleAsync"
        " SingleOrDefaultAsync Aggregate",
    )
)
_SAME_ITEMS = frozenset(
    re.findall(
        r"\w+",
        "Where OrderBy OrderByDescending ThenBy ThenByDescending ToList ToArray AsEnumerable"
        " AsQueryable Skip Take Distinct Reverse Concat Union Except Intersect TakeWhile SkipWhile"
        " ToHashSet FindAll AsReadOnly ToListAsync ToArrayAsync DefaultIfEmpty Append Prepend"
        " ToImmutableArray ToImmutableList",
    )
)
OF_SEQUENCES = _ITEM_OF | _SAME_ITEMS  # the library extends sequences by these, with other parameters, too
# Members of a task: those that return its result, and those that return the same kind of task.
_RESULTS = frozenset({"Result", "GetResult"})
_SAME_TASKS = frozenset({"GetAwaiter", "ConfigureAwait", "AsTask", "WaitAsync", "Preserve"})


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an expression, known by the type that has its members."""

    type: TypeMeaning | None = None
    is_items: bool = False  # the type is that of the value's items
    is_task: bool = False  # the type is that of the task's result

    @property
    def is_known(self) -> bool:
        """Return whether the type is declared in the repository and the value is not a task."""
        return self.type is not None and bool(self.type.parts) and not self.is_task

    @property
    def external(self) -> str:
        """Return the name of an external type; "" for others."""
        return self.type.full_name if self.type is not None and not self.type.parts else ""


NOTHING_KNOWN = Value()


class CSharpTypes:
    """Evaluates chains of members."""

    def __init__(self, names: CSharpNames) -> None:
        self._names = names
        self._lines: dict[tuple[str, tuple[Declaration, ...]], tuple[TypeMeaning, ...]] = {}
        self._extensions: dict[str, list[tuple[Declaration, Symbol]]] = {}

    # -- types and their members -----------------------------------------------------------------------------

    def get_own(self, file: CSharpFile, ordinal: int) -> TypeMeaning | None:
        """Return the type around a symbol with all its parts, or None."""
        around = file.list_types_around(ordinal)
        if not around:
            return None
        name = file.record.strings[file.record.names[around[0]]]
        full = file.get_full_name(around[0])
        own = Declaration(file.path, around[0])
        arity = file.get_arity(around[0])
        found = self._names.choose(file.path, full, self._names.list_types(name).get(full, ()), arity)
        others = (one for one in found.parts if one != own) if found is not None else ()
        return TypeMeaning(full + name_arity(arity), (own, *others))

    def list_line(self, meaning: TypeMeaning) -> tuple[TypeMeaning, ...]:
        """Return a type and its bases, nearest first; external ones have no parts."""
        key = (meaning.full_name, meaning.parts)
        if key not in self._lines:
            found = [meaning]
            seen = {meaning.full_name}
            for one in found:
                for base in self._iter_bases(one):
                    if base.full_name not in seen and len(found) < MAX_BASES:
                        seen.add(base.full_name)
                        found.append(base)
            self._lines[key] = tuple(found)
        return self._lines[key]

    def _iter_bases(self, meaning: TypeMeaning) -> Iterator[TypeMeaning]:
        for part in meaning.parts:
            file = self._names.find_file(part.path)
            for row in file.bases.get(part.ordinal, ()) if file is not None else ():
                if file is not None:
                    around = int(file.record.parents[part.ordinal])
                    yield self._names.find_type(file, around, row.name, row.qualifier, row.arguments)

    def find_members(self, meaning: TypeMeaning, name: str) -> list[tuple[Declaration, Symbol]]:
        """Return the members with a name in the nearest type of the line that has any."""
        return next(self.iter_members(meaning, name), [])

    def iter_members(self, meaning: TypeMeaning, name: str) -> Iterator[list[tuple[Declaration, Symbol]]]:
        """Yield the members with a name, for each type in the line that has any."""
        for one in self.list_line(meaning):
            found = self.list_own_members(one, name)
            if found:
                yield found

    def list_own_members(self, meaning: TypeMeaning, name: str) -> list[tuple[Declaration, Symbol]]:
        """Return the members with a name in all parts of a type."""
        found = []
        for part in meaning.parts:
            file = self._names.find_file(part.path)
            for symbol in file.find_children(part.ordinal, name) if file is not None else ():
                found.append((Declaration(part.path, symbol.ordinal), symbol))
        return found

    def has_outside(self, meaning: TypeMeaning) -> str:
        """Return the name of an external type among a type and its bases; "" when there is none."""
        return next((one.full_name for one in self.list_line(meaning) if not one.parts), "")

    def list_extensions(self, name: str) -> list[tuple[Declaration, Symbol]]:
        """Return the extension methods with a name, from at most MAX_FILES files."""
        if name not in self._extensions:
            found = []
            for path in self._names.program.list_declaring(name)[:MAX_FILES]:
                file = self._names.find_file(path)
                for ordinal in file.record.find_symbols(name) if file is not None else ():
                    if file is not None and int(file.record.flags[ordinal]) & SymbolFlag.EXTENSION_METHOD:
                        found.append((Declaration(path, ordinal), file.record.get_symbol(ordinal)))
            self._extensions[name] = found
        return self._extensions[name]

    def extends(self, method: tuple[Declaration, Symbol], value: Value) -> bool:
        """Return whether a value has the type that an extension method extends, also as a base."""
        found = _read_extended(method[1])
        if value.is_task and found.name == "Task" and not found.is_items:
            return True  # whatever its result type
        if value.type is None or not _has_form(found, value):
            return False
        if (found.is_task or found.is_items) and TYPE_PARAMETER.fullmatch(found.name):
            return True
        extended = self._find_extended(method, found)
        if extended is None:
            return False
        full = extended.full_name
        return any(
            one.full_name == full or (not one.parts and one.full_name.endswith(full))
            for one in self.list_line(value.type)
        )

    def may_extend(self, method: tuple[Declaration, Symbol], value: Value) -> bool:
        """Return whether an extension method may extend a value: nothing is known of the value; or both the
        method's type and one of the value's types or bases are external; or the method extends any type.
        """
        if value.type is None:
            return True
        found = _read_extended(method[1])
        if not _has_form(found, value):
            return False
        if TYPE_PARAMETER.fullmatch(found.name):
            return True
        extended = self._find_extended(method, found)
        is_outside = extended is not None and not extended.parts
        return is_outside and any(not one.parts for one in self.list_line(value.type))

    def _find_extended(self, method: tuple[Declaration, Symbol], written: TypeName) -> TypeMeaning | None:
        declaration, symbol = method
        file = self._names.find_file(declaration.path)
        if file is None:
            return None
        return self._names.find_type(file, symbol.ordinal, written.name, written.qualifier, written.arity)

    # -- chains ----------------------------------------------------------------------------------------------

    def evaluate(self, file: CSharpFile, ordinal: int, chain: str, line: int, steps: int = 0) -> Value:
        """Return the value of a chain "a.B().c" inside a symbol, on a line; NOTHING_KNOWN if unclear."""
        segments = split_chain(chain)
        if len(segments) > MAX_SEGMENTS or steps > MAX_STEPS:
            return NOTHING_KNOWN
        value, used = self._evaluate_head(file, ordinal, segments, line, steps)
        for segment in segments[used:]:
            if value.type is None:
                return NOTHING_KNOWN
            value = self._step(value, segment, steps)
        return value

    def _evaluate_head(
        self, file: CSharpFile, ordinal: int, segments: tuple[Segment, ...], line: int, steps: int
    ) -> tuple[Value, int]:
        """Return the value that a chain begins with, and how many segments it takes."""
        name, _, is_call = segments[0]
        own = self.get_own(file, ordinal)
        if name == "this":
            return Value(own), 1
        if name == "base":
            line_of = self.list_line(own)[1:] if own is not None else ()
            return (Value(line_of[0]) if line_of else NOTHING_KNOWN), 1
        bound = find_bind(file, ordinal, name, line)
        if bound is not None and not is_call:
            return self.follow_bind(file, bound, steps), 1
        for around in file.list_types_around(ordinal):
            meaning = self.get_own(file, around)
            members = self.find_members(meaning, name) if meaning is not None else []
            if members:
                value = self._get_value(members, is_call, steps)
                if value.type is not None or is_call:
                    return value, 1
        return self._evaluate_type(file, ordinal, segments)

    def _evaluate_type(
        self, file: CSharpFile, ordinal: int, segments: tuple[Segment, ...]
    ) -> tuple[Value, int]:
        """Return the type that a chain begins with, after its namespaces if there are any."""
        before: list[str] = []
        for used, (name, given, is_call) in enumerate(segments, 1):
            if name == "[]":
                break
            found = self._names.find_type(file, ordinal, name, ".".join(before), len(given))
            if found.parts:
                return Value(found), used
            if is_call:
                break
            before.append(name)
        head, given, is_call = segments[0]
        outside = self._names.find_type(file, ordinal, head, "", len(given))
        return (NOTHING_KNOWN if is_call else Value(outside)), 1

    def _step(self, value: Value, segment: Segment, steps: int) -> Value:
        name, _, is_call = segment
        if name == AWAITED or (value.is_task and name in _RESULTS):
            return replace(value, is_task=False)
        if value.is_task:
            return value if name in _SAME_TASKS else self._call_extension(value, name, steps)
        if value.is_items:
            if name == "[]" or name in _ITEM_OF:
                return Value(value.type)
            return value if name in _SAME_ITEMS else NOTHING_KNOWN
        if value.type is None:
            return NOTHING_KNOWN
        if not value.type.parts:
            outside = TypeMeaning(f"{value.type.full_name}.{name}")
            return NOTHING_KNOWN if is_call or name == "[]" else Value(outside)
        members = self.find_members(value.type, "this[]" if name == "[]" else name)
        if not members:
            return self._call_extension(value, name, steps) if is_call else NOTHING_KNOWN
        return self._get_value(members, is_call or name == "[]", steps + 1)

    def _call_extension(self, value: Value, name: str, steps: int) -> Value:
        members = [one for one in self.list_extensions(name) if self.extends(one, value)]
        return self._get_value(members, True, steps + 1) if members else NOTHING_KNOWN

    def _get_value(self, members: list[tuple[Declaration, Symbol]], is_call: bool, steps: int) -> Value:
        """Return the value or result of members with one name: the first that shows a type."""
        for declaration, symbol in members:
            file = self._names.find_file(declaration.path)
            if file is None:
                continue
            if symbol.kind in TYPE_KINDS:
                return Value(self.get_own(file, declaration.ordinal))
            if symbol.kind in CALLABLE_KINDS and not is_call:
                continue
            value = self.read_written(file, declaration.ordinal, symbol.return_type, steps)
            if value.type is not None:
                return value
        return NOTHING_KNOWN

    def read_written(self, file: CSharpFile, ordinal: int, text: str, steps: int) -> Value:
        """Return the value that a written type means; NOTHING_KNOWN for a type parameter."""
        found = read_type(text)
        if not found.name or steps > MAX_STEPS:
            return NOTHING_KNOWN
        if not found.qualifier and TYPE_PARAMETER.fullmatch(found.name):
            return NOTHING_KNOWN
        meaning = self._names.find_type(file, ordinal, found.name, found.qualifier, found.arity)
        return Value(meaning, found.is_items, found.is_task)

    def follow_bind(self, file: CSharpFile, row: Reference, steps: int) -> Value:
        """Return the value of a variable, by a row that shows its type."""
        if steps > MAX_STEPS:
            return NOTHING_KNOWN
        kind, arity = row.arguments & (TASK - 1), row.arguments >> ARITY_SHIFT
        is_task = bool(row.arguments & TASK)
        if kind in {TYPE, ITEMS}:
            found = self._names.find_type(file, row.symbol, row.name, row.qualifier, arity)
            return Value(found, kind == ITEMS, is_task)
        dotted = f"{row.qualifier}.{row.name}" if row.qualifier and row.name else row.qualifier or row.name
        if kind == CALLED:
            value = self.evaluate(file, row.symbol, dotted + "()", row.line, steps + 1)
            return replace(value, is_task=False) if is_task else value
        if kind == SAME and row.name == row.alias and not row.qualifier:
            return NOTHING_KNOWN
        value = self.evaluate(file, row.symbol, dotted, row.line, steps + 1)
        if kind == ITEM:
            return Value(value.type) if value.is_items else NOTHING_KNOWN
        return replace(value, is_task=False) if is_task else value


def _read_extended(method: Symbol) -> TypeName:
    """Return the type of an extension method's first parameter."""
    first = next(iter(split_signature(method.parameters).parameters), "")
    return read_type(first.partition("this ")[2].rpartition(" ")[0])


def _has_form(written: TypeName, value: Value) -> bool:
    """Return whether a written type and a value agree on being a task, and on being a sequence."""
    return bool(written.name) and (written.is_task, written.is_items) == (value.is_task, value.is_items)


def find_bind(file: CSharpFile, ordinal: int, name: str, line: int) -> Reference | None:
    """Return the row that shows a variable's type on a line, in the innermost scope that has one."""
    for around in file.list_around(ordinal):
        rows = file.binds.get((around, name))
        if rows:
            before = [row for row in rows if not line or row.line <= line]
            return before[-1] if before else rows[0]
    return None
