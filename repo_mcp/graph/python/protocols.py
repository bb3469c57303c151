"""The shapes of Python classes and protocols (`typing.Protocol`).

A member of a class can stand for a member of a protocol if it is a method, or may hold a function, where the
other is a method; if it can be called with the same arguments; if it is asynchronous where the other is; and
if no types plainly differ. Like mypy, this compares the names of positional parameters for `__call__` alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.python.classes import PythonClasses
from repo_mcp.graph.python.scoping import Form, PythonScoping
from repo_mcp.graph.shape import MEMBERS, Member, Shape, ShapeReader
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import DeclaredSymbol, ReferenceRole, SymbolFlag, SymbolKind

LANGUAGES = frozenset({"python"})
MANY = 1 << 16
CALL = "__call__"
_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
_PLAIN = frozenset({"int", "float", "str", "bytes", "bool", "None", "list", "dict", "set", "tuple"})
_WIDER = {"int": "float", "bool": "int"}
_AWAITED = re.compile(r"\b(Awaitable|Coroutine|Future|Any)\b")
_HEAD = re.compile(r"(\w+)(\[.*\])?")


class Accepted(NamedTuple):
    """The arguments that a function accepts, without the object that it belongs to."""

    places: tuple[str, ...]  # names of the parameters given by position; "" if callers cannot use the name
    types: tuple[str, ...]  # of these, as written
    least: int  # number of these that must be given
    most: int
    names: frozenset[str]  # given by name alone
    required: frozenset[str]  # of these, the ones that must be given
    takes_names: bool  # it takes any other name


class ProtocolShapes(ShapeReader):
    """Reads the shapes of one program's Python classes, each once."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._classes = PythonClasses(PythonScoping(program))

    def is_interface(self, one: Declaration) -> bool:
        """Return whether a symbol is a protocol: a class that names `Protocol` as a base."""
        record = self._program.find_record(one.path)
        if record is None or record.kinds[one.ordinal] != SymbolKind.CLASS:
            return False
        for row in record.list_own_role(one.ordinal, ReferenceRole.INHERIT):
            dotted = record.get_reference(row).dotted
            for value in self._classes.find_dotted(one.path, one.ordinal, dotted):
                if value.form is Form.OUTSIDE and value.path in _PROTOCOLS:
                    return True
        return False

    def keep_with_interfaces(self, paths: list[str]) -> list[str]:
        """Return those of the files that name `Protocol`."""
        using = set(self._program.list_using("Protocol"))
        return [path for path in paths if path in using]

    def is_callable(self, symbol: DeclaredSymbol) -> bool:
        """Return whether a member is a method."""
        return symbol.kind is SymbolKind.METHOD

    def _build(self, owner: Declaration) -> Shape:
        found = Shape()
        for path, ordinal in self._classes.list_order((owner.path, owner.ordinal))[0]:
            record = self._program.find_record(path)
            if record is None:  # for an external base, the path is its name
                found.outside.add(path)
                continue
            found.above.add(Declaration(path, ordinal))
            own: dict[str, list[Member]] = {}
            for child in record.list_children(ordinal):
                if int(record.kinds[child]) in MEMBERS:
                    symbol = record.get_symbol(child)
                    own.setdefault(symbol.name, []).append((path, symbol))
            for name, members in own.items():
                found.members.setdefault(name, members)
        return found

    def _can_replace(self, own: list[Member], wanted: list[Member]) -> bool:
        return any(_fits(one, other) for _, one in own for _, other in wanted)


def _fits(own: DeclaredSymbol, wanted: DeclaredSymbol) -> bool:
    if own.kind is not wanted.kind:
        plain = own if own.kind is SymbolKind.PROPERTY else wanted
        return "Callable" in plain.return_type or (plain is own and not plain.return_type)
    if own.kind is SymbolKind.METHOD:
        is_async, awaited = (one.flags & SymbolFlag.ASYNC for one in (own, wanted))
        other = own if awaited else wanted
        if is_async != awaited and not _AWAITED.search(other.return_type):
            return False
        mine, theirs = read_accepted(own), read_accepted(wanted)
        if not _accepts(mine, theirs) or (own.name == CALL and not _is_named_so(mine, theirs)):
            return False
        pairs = zip(mine.types, theirs.types, strict=False)
        if not all(_may_be(one, other) or _may_be(other, one) for one, other in pairs):
            return False
    return _may_be(own.return_type, wanted.return_type)


def _accepts(own: Accepted, wanted: Accepted) -> bool:
    """Return whether a function accepts the arguments with which another one is called."""
    if own.least > wanted.most or own.most < (wanted.least if wanted.most == MANY else wanted.most):
        return False
    missing = wanted.required - own.names
    by_position = own.most - wanted.most  # these may be given by name, too
    return own.required <= wanted.names and (own.takes_names or len(missing) <= max(0, by_position))


def _is_named_so(own: Accepted, wanted: Accepted) -> bool:
    """Return whether the parameters that may be given by name have the same names."""
    pairs = zip(own.places, wanted.places, strict=False)
    return all(name == other for name, other in pairs if other)


def read_accepted(symbol: DeclaredSymbol) -> Accepted:
    """Return the arguments that a method accepts: "(self, a: int, b=1, *rest, c, **others)"."""
    parts = [one.strip() for one in split_list(symbol.parameters.strip()[1:-1])]
    if parts and not symbol.flags & SymbolFlag.STATIC:
        parts = parts[1:]
    least = most = 0
    places, types = list[str](), list[str]()
    names, required = set[str](), set[str]()
    takes_names = is_named = False
    for part in parts:
        name = re.split(r"[:=]", part)[0].strip()
        if part.startswith("**") or part.endswith("…"):
            takes_names = True
            most = MANY if part.endswith("…") else most
        elif part.startswith("*"):
            is_named = True
            most = MANY if name != "*" else most
        elif is_named:
            names.add(name)
            required.update({name} if "=" not in part else ())
        elif part == "/":
            places = [""] * len(places)
        else:
            places.append("" if name.startswith("__") else name)
            types.append(part.partition("=")[0].partition(":")[2].strip())
            most += 1
            least += "=" not in part
    return Accepted(
        tuple(places), tuple(types), least, most, frozenset(names), frozenset(required), takes_names
    )


def _may_be(own: str, wanted: str) -> bool:
    """Return False if two written types plainly differ."""
    mine, theirs = _read_plain(own), _read_plain(wanted)
    return not mine or not theirs or all({one, _WIDER.get(one, one)} & theirs for one in mine)


def _read_plain(text: str) -> set[str]:
    """Return the members of a union of plain types; empty if any is not plain."""
    heads = [_HEAD.fullmatch(one.strip()) for one in text.split("|")]
    names = {one[1] for one in heads if one is not None}
    return names if len(names) == len(heads) and names <= _PLAIN else set()
