"""Describes what is known of a C# value: the type that has its members, and the arguments of that type.

A sequence is described by the type of its items, a task by that of its result. The lists here tell what
members of the standard library return.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.names import TypeMeaning
from repo_mcp.graph.program import Confidence
from repo_mcp.languages.csharp.types import CONTAINERS, TypeName
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import DeclaredSymbol, Reference, iter_around

TYPE_PARAMETER = re.compile(r"T(?:[A-Z]\w*)?|[A-Z]\d?")
# Members of every sequence: those that return one item, and those that return a sequence again.
ITEM_OF = frozenset(
    re.findall(
        r"\w+",
        "First FirstOrDefault Single SingleOrDefault Last LastOrDefault ElementAt Min Max MinBy"
        " MaxBy Find Peek Dequeue Pop Current FirstAsync FirstOrDefaultAsync SingleAsync"
        " SingleOrDefaultAsync Aggregate",
    )
)
SAME_ITEMS = frozenset(
    re.findall(
        r"\w+",
        "Where OrderBy OrderByDescending ThenBy ThenByDescending ToList ToArray AsEnumerable"
        " AsQueryable Skip Take Distinct Reverse Concat Union Except Intersect TakeWhile SkipWhile"
        " ToHashSet FindAll AsReadOnly ToListAsync ToArrayAsync DefaultIfEmpty Append Prepend"
        " ToImmutableArray ToImmutableList GetEnumerator GetAsyncEnumerator AsSpan",
    )
)
OF_SEQUENCES = ITEM_OF | SAME_ITEMS  # the library also has extension methods with these names
GIVING_ITEMS = frozenset(
    re.findall(
        r"\w+",
        "Where Select SelectMany Any All First FirstOrDefault Single SingleOrDefault Last LastOrDefault"
        " Count OrderBy OrderByDescending ThenBy ThenByDescending GroupBy ForEach Find FindAll Exists"
        " FindIndex RemoveAll Sum Min Max MinBy MaxBy Average ToDictionary ToLookup TakeWhile SkipWhile"
        " DistinctBy TrueForAll FirstAsync FirstOrDefaultAsync AnyAsync SingleOrDefaultAsync",
    )
)  # members that call their first argument with items
# Members that give an item to an `out` variable.
GIVING_OUT = frozenset({"TryDequeue", "TryGetValue", "TryPeek", "TryPop", "TryRemove", "TryTake"})
OF_TYPE = frozenset({"OfType", "Cast"})  # members that return a sequence of their type argument
BY_KEY = frozenset(
    re.findall(
        r"\w+",
        "Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary SortedDictionary SortedList"
        " ImmutableDictionary ReadOnlyDictionary",
    )
)
PAIR = "KeyValuePair"
TUPLES = frozenset({"Tuple", "ValueTuple"})
ITEM_NUMBER = re.compile(r"Item([1-7])")
# Properties of external types with one type argument that mostly are of this: those of what holds one value.
HELD = frozenset({"Current", "CurrentValue", "Entity", "Instance", "Object", "Value"})
# Members of a task: those that return its result, and those that return the same kind of task.
RESULTS = frozenset({"Result", "GetResult"})
SAME_TASKS = frozenset({"GetAwaiter", "ConfigureAwait", "AsTask", "WaitAsync", "Preserve"})


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an expression, known by the type that has its members."""

    type: TypeMeaning | None = None
    is_items: bool = False  # the value is a sequence, and the type is that of its items
    is_task: bool = False  # the value is a task, and the type is that of its result
    type_arguments: tuple[Value, ...] = ()  # NOTHING_KNOWN for an unknown one
    is_of_member: bool = False  # a member of an external type, whose own type is not known for sure

    @property
    def is_known(self) -> bool:
        """Return whether the type is declared in the repository and the value is not a task."""
        return self.type is not None and bool(self.type.parts) and not self.is_task

    @property
    def external(self) -> str:
        """Return the name of an external type; "" for others."""
        return self.type.full_name if self.type is not None and not self.type.parts else ""


NOTHING_KNOWN = Value()
TypeArguments = Mapping[str, Value]  # the values of type parameters
NO_TYPE_ARGUMENTS: TypeArguments = {}
Place = tuple[CSharpFile, int]  # where names are looked up: a symbol


def wrap(value: Value, found: TypeName) -> Value:
    """Return a value, or a sequence or a task of it, as a written type says; unknown if it is nested."""
    if value.type is None or (found.is_items and (value.is_items or value.is_task)):
        return NOTHING_KNOWN
    return replace(value, is_items=value.is_items or found.is_items, is_task=value.is_task or found.is_task)


def weaken_type(meaning: TypeMeaning | None) -> TypeMeaning | None:
    """Return a type that is at most probable."""
    if meaning is None or meaning.confidence is not Confidence.EXACT:
        return meaning
    return replace(meaning, confidence=Confidence.PROBABLE)


def get_short(value: Value) -> str:
    """Return the last name of an external type; "" for others."""
    return value.external.rpartition(".")[2].partition("`")[0]


def get_item(value: Value) -> Value:
    """Return an item of a sequence; an item of a sequence of sequences is a sequence."""
    short = get_short(value)
    if short in CONTAINERS and len(value.type_arguments) == 1 and not value.type_arguments[0].is_items:
        return replace(value.type_arguments[0], is_items=True)
    return Value(value.type, type_arguments=value.type_arguments)


def get_type_key(value: Value) -> tuple[str, bool, bool]:
    """Return a key that is equal for values of one type, whatever its type arguments."""
    name = value.type.full_name if value.type is not None else ""
    return name, value.is_items, value.is_task


def spell_row(row: Reference) -> str:
    """Return the dotted name that a row has as its qualifier and its name."""
    return ".".join(filter(None, (row.qualifier, row.name)))


def is_same(one: TypeMeaning, other: TypeMeaning) -> bool:
    """Return whether two types are the same; external ones are compared by last name alone."""
    if one.parts or other.parts:
        return one.full_name == other.full_name and bool(one.parts) == bool(other.parts)
    return one.full_name.rpartition(".")[2] == other.full_name.rpartition(".")[2]


def get_extended(method: DeclaredSymbol) -> str:
    """Return the type of an extension method's first parameter, as written."""
    first = next(iter(split_signature(method.parameters).parameters), "")
    return first.partition("this ")[2].rpartition(" ")[0]


def has_form(written: TypeName, value: Value) -> bool:
    """Return whether a written type and a value agree on whether they are a task, and a sequence."""
    return bool(written.name) and (written.is_task, written.is_items) == (value.is_task, value.is_items)


def find_binding(file: CSharpFile, ordinal: int, name: str, line: int) -> Reference | None:
    """Return the row that shows the type of a variable on a line, in the innermost scope that has one."""
    for around in iter_around(file.record, ordinal):
        rows = file.binds.get((around, name))
        if rows:
            before = [row for row in rows if not line or row.line <= line]
            return before[-1] if before else rows[0]
    return None
