"""Written C# types, reduced to the one type whose members a value, or each of its items, has."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"(?:global::)?(@?[A-Za-z_]\w*(?:(?:\.|::)@?[A-Za-z_]\w*)*)")
_TASKS = frozenset({"Task", "ValueTask"})
_SEEN_THROUGH = _TASKS | {"Nullable", "Lazy", "Span", "Memory"}
_CONTAINERS = frozenset(
    re.findall(
        r"\w+",
        "IEnumerable ICollection IList IReadOnlyList IReadOnlyCollection ISet IAsyncEnumerable"
        " IEnumerator List HashSet SortedSet LinkedList Queue Stack ConcurrentQueue ConcurrentBag"
        " ConcurrentStack Collection ObservableCollection ReadOnlyCollection ImmutableArray"
        " ImmutableList IQueryable ArraySegment ReadOnlySpan ReadOnlyMemory",
    )
)
_NOTHING = frozenset(
    re.findall(
        r"\w+",
        "var dynamic object void bool byte sbyte char decimal double float int uint nint nuint long"
        " ulong short ushort string",
    )
)
MAX_STEPS = 6
# Bits of a BIND row's number: one for a task, either a type or an awaited value; above it how
# many type arguments the type has.
TASK = 8
ARITY_SHIFT = 4
ATTRIBUTE = 1 << 10  # added to the number of a TYPE row that names an attribute
ATTRIBUTE_ENDING = "Attribute"  # may be left out where the type is used as one
AWAITED = "await"  # a chain has it as a member of an awaited value


class TypeName(NamedTuple):
    """A type that has members: `qualifier.name`."""

    name: str = ""  # empty: the type is not known
    qualifier: str = ""
    is_items: bool = False  # it is the type of the items
    arity: int = 0  # how many type arguments it has
    is_task: bool = False  # it is the result type of a task


def read_type(text: str) -> TypeName:
    """Return the type that a text names; with an empty name when its members are not known."""
    text = text.strip()
    is_items = is_task = False
    for _ in range(MAX_STEPS):
        text = re.sub(r"^(?:ref|readonly|scoped|out|in|params)\s+", "", text).rstrip("?* ")
        if text.endswith("[]"):
            if is_items:
                return TypeName()
            text, is_items = text[:-2], True
            continue
        found = _NAME.match(text)
        if found is None or found[1] in _NOTHING:
            return TypeName()
        dotted, rest = found[1].replace("::", ".").replace("@", ""), text[found.end() :].strip()
        qualifier, _, name = dotted.rpartition(".")
        if rest.startswith("<") and rest.endswith(">"):
            if name in _SEEN_THROUGH:
                is_task = is_task or (name in _TASKS and not is_items)
                text = rest[1:-1]
                continue
            if name in _CONTAINERS and not is_items and not is_list(rest[1:-1]):
                text, is_items = rest[1:-1], True
                continue
        elif rest:
            return TypeName()
        return TypeName(name, qualifier, is_items, count_arity(rest), is_task)
    return TypeName()


def is_list(text: str) -> bool:
    """Return True when a text has several type arguments."""
    return count_arity(f"<{text}>") > 1


def name_arity(arity: int) -> str:
    """Return what tells types of one name apart, as .NET writes it: "`2"; empty when not generic."""
    return f"`{arity}" if arity else ""


def count_arity(text: str) -> int:
    """Return how many type arguments or parameters a text begins with: 2 for "<A, B>" and "<,>"."""
    if not text.startswith("<"):
        return 0
    depth, count = 0, 1
    for char in text:
        depth += char in "<(["
        depth -= char in ">)]"
        count += char == "," and depth == 1
        if depth <= 0:
            break
    return count
