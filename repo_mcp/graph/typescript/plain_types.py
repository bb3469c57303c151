"""Compares the written types of two members, as far as they are plain: can one replace the other?

Primitive types, literals, functions, lists, and some types of the language itself are plain. The caller says
what other names mean; an unknown name may mean anything.

Left out on purpose: strict `null`. A `string | undefined` may be a `string`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from repo_mcp.graph.program import Declaration
from repo_mcp.languages.typescript.types import CUT, split_function, split_type, strip_outer

MAX_DEPTH = 3  # nested type arguments and aliases that are followed
_PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol"})
_EMPTY = frozenset({"undefined", "null", "void"})
_SAME = {"true": "boolean", "false": "boolean", "ReadonlyArray": "Array", "PromiseLike": "Promise"}
# Types of the language that cannot replace each other -> a member of each. A type of the repository and one
# of these can replace each other only if the former has that member.
_MARKS = {
    "Array": "length",
    "Promise": "then",
    "Map": "get",
    "WeakMap": "get",
    "Set": "has",
    "WeakSet": "has",
    "Date": "getTime",
    "RegExp": "exec",
}
OPEN = "<>"  # a type parameter of the member itself, for which callers may choose any type
_NUMBER = re.compile(r"-?\d[\w.]*")
_NAME = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:<(.*)>)?", re.DOTALL)
_NESTED = re.compile(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_DEFAULT = re.compile(r"=(?!>)")


class Head(NamedTuple):
    """One member of a union."""

    name: str = ""  # a primitive type, "function", or a key of _MARKS; "" for a declaration or anything else
    literal: str = ""  # a string or a number as it is written
    type_arguments: tuple[str, ...] = ()  # of a built-in type
    declaration: Declaration | None = None


ANYTHING = Head()


class Place(NamedTuple):
    """A symbol in which a text is written: names mean what they mean there."""

    path: str
    ordinal: int


class Arity(NamedTuple):
    """The number of arguments that a function requires, and the most that it takes."""

    least: int
    most: int


# the meaning of a name: a head, or the text of an alias and its place
FindName = Callable[[Place, str], tuple[Head, str, Place]]
MayReplace = Callable[[Declaration, Declaration], bool]
HasMember = Callable[[Declaration, str], bool]  # or may have it from a base that is not seen


def count_parameters(text: str) -> Arity:
    """Return the arity of parameters "(a: A, b?: B, ...c)"; of a cut text, the widest one."""
    if text.endswith(CUT):
        return Arity(0, 1 << 16)
    least = most = 0
    for part in (one.strip() for one in split_type(text.strip()[1:-1], ",")):
        if not part or re.match(r"this\b", part):
            continue
        if part.startswith("..."):
            return Arity(least, 1 << 16)
        most += 1
        if not _is_optional(part):
            least = most
    return Arity(least, most)


def _is_optional(parameter: str) -> bool:
    """Return whether a parameter "a?: A" or "a = b" may be left out."""
    if split_type(parameter, ":")[0].rstrip().endswith("?"):
        return True
    if "=" not in parameter:
        return False
    plain = parameter
    for _ in range(MAX_DEPTH * 2):
        plain = _NESTED.sub("_", plain.replace("=>", "  "))
    return _DEFAULT.search(plain) is not None


class PlainTypes:
    """Compares written types.

    `find_name` says what a name means, `may_replace` whether an object of one declaration can replace one of
    another, and `has_member` whether objects of a declaration may have a member.
    """

    def __init__(self, find_name: FindName, may_replace: MayReplace, has_member: HasMember) -> None:
        self._find_name = find_name
        self._may_replace = may_replace
        self._has_member = has_member

    def fits(self, own: str, at: Place, wanted: str, there: Place, depth: int = 0) -> bool:
        """Return False if no value of the first type can replace one of the second."""
        own_heads, wanted_heads = self.read(own, at), self.read(wanted, there)
        if ANYTHING in own_heads or ANYTHING in wanted_heads or any(one.name == OPEN for one in own_heads):
            return True
        real = [one for one in own_heads if one.name not in _EMPTY]
        if not real:
            return any(one.name in _EMPTY for one in wanted_heads)
        return all(any(self._fits(one, at, other, there, depth) for other in wanted_heads) for one in real)

    def _fits(self, own: Head, at: Place, wanted: Head, there: Place, depth: int) -> bool:
        if own.declaration is not None and wanted.declaration is not None:
            return self._may_replace(own.declaration, wanted.declaration)
        if own.declaration is not None:
            return wanted.name in _MARKS and self._has_member(own.declaration, _MARKS[wanted.name])
        if wanted.declaration is not None:
            return own.name in _MARKS and self._has_member(wanted.declaration, _MARKS[own.name])
        if own.name != wanted.name or (wanted.literal and own.literal != wanted.literal):
            return False
        if len(own.type_arguments) != 1 or len(wanted.type_arguments) != 1 or depth > MAX_DEPTH:
            return True
        return self.fits(own.type_arguments[0], at, wanted.type_arguments[0], there, depth + 1)

    def read(self, text: str, at: Place, depth: int = 0) -> Sequence[Head]:
        """Return the members of a union, each as far as it is plain."""
        text = strip_outer(text)
        if not text or text.endswith(CUT) or depth > MAX_DEPTH:
            return [ANYTHING]
        if "=>" in text and split_function(text) is not None:
            return [Head("function")]
        parts = split_type(text, "|")
        if len(parts) > 1:
            return [head for part in parts for head in self.read(part, at, depth + 1)]
        if text.endswith("[]"):
            return [Head("Array", type_arguments=(text[:-2],))]
        if text in _PRIMITIVES or text in _EMPTY:
            return [Head(text)]
        if text[0] in "\"'" and text[-1] == text[0]:
            return [Head("string", text[1:-1])]
        if _NUMBER.fullmatch(text):
            return [Head("number", text)]
        named = _NAME.fullmatch(text)
        return [ANYTHING] if named is None else self._read_name(named, at, depth)

    def _read_name(self, named: re.Match[str], at: Place, depth: int) -> Sequence[Head]:
        name = named[1]
        if name in {"true", "false"}:
            return [Head("boolean", name)]
        head, alias, there = self._find_name(at, name)
        if head.name == OPEN:
            return [head]
        if alias:
            return [ANYTHING] if named[2] else self.read(alias, there, depth + 1)
        if head.declaration is not None:
            return [head]
        name = _SAME.get(name, name)
        if head.name != name or name not in _MARKS:
            return [ANYTHING]
        arguments = split_type(named[2], ",") if named[2] else ()
        return [Head(name, type_arguments=tuple(arguments))]
