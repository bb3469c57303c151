"""Written C# types, reduced to the one type whose members a value, or each of its items, has.

The arguments of a call are a text, by which methods of one name are distinguished:

"(total,=string,1)": a chain of names for a value; "=" and a type for an expression that shows its type; "0"
for a zero and "1" for any other whole number; "=>2" for a function of two parameters, followed by what it
returns and their types, each after ";", if they are written (`functions.py`); "{}" for an object without a
type; "?" for anything else. "name:" comes before a named argument, and "&" before one passed by reference.
Unknown arguments at the end are left out; if nothing is known, the text is empty.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.treesitter.written_lists import split_list

_NAME = re.compile(r"(?:global::)?(@?[A-Za-z_]\w*(?:(?:\.|::)@?[A-Za-z_]\w*)*)")
_TASKS = frozenset({"Task", "ValueTask"})
_SEEN_THROUGH = _TASKS | {"Nullable", "Lazy", "Span", "Memory"}
CONTAINERS = frozenset(
    re.findall(
        r"\w+",
        "IEnumerable ICollection IList IReadOnlyList IReadOnlyCollection ISet IAsyncEnumerable"
        " IEnumerator IAsyncEnumerator List HashSet SortedSet LinkedList Queue Stack ConcurrentQueue"
        " ConcurrentBag ConcurrentStack Collection ObservableCollection ReadOnlyCollection ImmutableArray"
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
# Bits of a BIND row's number: one for a task, either a type or an awaited value; above it the number of the
# type's type arguments.
TASK = 8
# kind of a BIND row that names a call, a value or a type, and whose variable is a parameter of what is passed
# there
PASSED = 5
# the bits of its number that say which argument is meant, and which parameter of it
ARGUMENT_SHIFT, PARAMETER_SHIFT = 4, 9
IS_VALUE, IS_TYPE = 30, 31  # in place of an argument: the row names a value or a type
IS_ITSELF = 31  # in place of a parameter: the argument itself is meant, not one of its parameters
ARITY_SHIFT = 4
BEFORE_DOT = 1 << 6  # added to the number of a USE row of a name before a dot: `Color` of `Color.Red`
IN_PATTERN = "is"  # alias of a USE row of a name that is a pattern: a constant or a type
ATTRIBUTE = 1 << 10  # added to the number of a TYPE row that names an attribute
ATTRIBUTE_ENDING = "Attribute"  # may be left out where a type is used as an attribute
AWAITED = "await"  # a step of a chain that awaits the value before it
MAX_ARGUMENTS_CHARS = 250  # for one call; a string of a record has at most MAX_TEXT_CHARS
NO_TYPE = "{}"
FUNCTION = "=>"
OF_CALL = ":"  # before the chain of the call that a function consists of
OF_PARAMETER = ";"  # before the type of each parameter of a function
NULL = "=null"
WHOLE_NUMBERS = frozenset({"0", "1"})
_FORM = re.compile(r"((?:\w+:)?&?)(.*)", re.DOTALL)


class TypeName(NamedTuple):
    """A type that has members: `qualifier.name`."""

    name: str = ""  # empty: the type is not known
    qualifier: str = ""
    is_items: bool = False  # the value is a list, and this is the type of its items
    arity: int = 0  # how many type arguments it has
    is_task: bool = False  # the value is a task, and this is the type of its result
    type_arguments: str = ""  # as written: "A, B<C>"


@lru_cache(maxsize=8_192)
def read_type(text: str) -> TypeName:
    """Return the type that a text names; with an empty name if its members are not known."""
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
            if name in CONTAINERS and not is_items and not is_list(rest[1:-1]):
                text, is_items = rest[1:-1], True
                continue
        elif rest:
            return TypeName()
        return TypeName(name, qualifier, is_items, count_arity(rest), is_task, rest[1:-1])
    return TypeName()


def is_list(text: str) -> bool:
    """Return True when a text has several type arguments."""
    return count_arity(f"<{text}>") > 1


def name_arity(arity: int) -> str:
    """Return the suffix of a generic type's name, as .NET writes it: "`2"; empty if not generic."""
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


class WrittenArgument(NamedTuple):
    """One argument of a call."""

    form: str  # "name:", "&", both or neither
    value: str


NEW = "new"  # begins the alias of a call that makes an instance


def join_arguments(arguments: list[WrittenArgument]) -> str:
    """Return the text of a call's arguments: the first ones, as many as fit."""
    parts: list[str] = []
    known = room = 0
    for one in arguments:
        parts.append(one.form + one.value)
        room += len(parts[-1]) + 1
        if room > MAX_ARGUMENTS_CHARS:
            break
        known = len(parts) if parts[-1] != UNKNOWN else known
    return f"({','.join(parts[:known])})" if known else ""


def split_call(alias: str) -> tuple[int, list[WrittenArgument]]:
    """Return the number of type arguments and the arguments that the alias of a call holds."""
    arity, _, text = alias.removeprefix(NEW).partition("(")
    parts = split_list(text.removesuffix(")"))
    return int(arity.removeprefix("`") or 0), [_read_argument(part) for part in parts]


def _read_argument(part: str) -> WrittenArgument:
    form, value = _FORM.fullmatch(part).groups()  # type: ignore[union-attr]  # matches any text
    return WrittenArgument(form, value)
