"""The shape of a class or an interface: its members, including those of its bases.

Languages differ in what an interface is, what is inherited, and when a member can replace another one. What
they share is here; each has a subclass of ShapeReader for the rest.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import DeclaredSymbol, ReferenceRole, SymbolFlag, SymbolKind, SymbolRecord

MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_ABOVE = (ReferenceRole.INHERIT, ReferenceRole.EXTEND)

Member = tuple[str, DeclaredSymbol]  # with the path of its file


@dataclass(slots=True)
class Shape:
    """The members of a type, including those of its bases."""

    members: dict[str, list[Member]] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)  # bases that are external
    # Itself, its bases and the interfaces that it declares to implement.
    above: set[Declaration] = field(default_factory=set)
    # it requires a member without a name, such as an index signature, which no class can have
    is_keyless: bool = False

    def list_required(self) -> list[str]:
        """Return the names of the members that may not be missing."""
        return [name for name, found in self.members.items() if not is_optional(found)]


def is_optional(members: list[Member]) -> bool:
    """Return whether an object of the type need not have a member."""
    return any(symbol.flags & SymbolFlag.OPTIONAL for _, symbol in members)


class ShapeReader:
    """Reads the shapes of one program, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._shapes: dict[Declaration, Shape] = {}
        self._derived: dict[str, frozenset[int]] = {}  # the symbols of a file that have bases

    def count_held(self) -> int:
        """Return the number of files that are held in memory."""
        return 0

    # What a language decides

    def is_interface(self, one: Declaration) -> bool:
        """Return whether a symbol is a type that others may satisfy without naming it."""
        raise NotImplementedError

    def keep_with_interfaces(self, paths: list[str]) -> list[str]:
        """Return those of the files that may declare interfaces."""
        return paths

    def is_callable(self, symbol: DeclaredSymbol) -> bool:
        """Return whether a member may be called."""
        raise NotImplementedError

    def _build(self, owner: Declaration) -> Shape:
        """Return the shape of a class or an interface."""
        raise NotImplementedError

    def _can_replace(self, own: list[Member], wanted: list[Member]) -> bool:
        """Return whether one or more members of a class can replace those of an interface with that name."""
        raise NotImplementedError

    # Types of a file

    def is_class(self, one: Declaration) -> bool:
        """Return whether a symbol is a class, and no interface."""
        record = self._program.find_record(one.path)
        return (
            record is not None
            and record.get_kind(one.ordinal) is SymbolKind.CLASS
            and not self.is_interface(one)
        )

    def list_classes(self, path: str, name: str, required: Set[str]) -> list[Declaration]:
        """Return the classes of a file that declare a member `name` and may have all required members."""
        record = self._program.find_record(path)
        if record is None:
            return []
        derived = self._list_derived(path, record)
        owners = [Declaration(path, one) for one in _list_owners(record, name)]
        return [
            one
            for one in owners
            if (one.ordinal in derived or required <= _list_named(record, one.ordinal).keys())
            and self.is_class(one)
        ]

    def list_interfaces(self, path: str, name: str, known: Set[str]) -> list[Declaration]:
        """Return the interfaces of a file that declare `name` and themselves require only known members."""
        record = self._program.find_record(path)
        if record is None:
            return []
        owners = [Declaration(path, one) for one in _list_owners(record, name)]
        return [
            one
            for one in owners
            if self.is_interface(one)
            and all(
                each in known or may_be_missing
                for each, may_be_missing in _list_named(record, one.ordinal).items()
            )
        ]

    def _list_derived(self, path: str, record: SymbolRecord) -> frozenset[int]:
        if path not in self._derived:
            self._derived[path] = frozenset(int(record.ref_symbols[row]) for row in record.list_role(*_ABOVE))
        return self._derived[path]

    # Satisfaction

    def read(self, owner: Declaration) -> Shape:
        """Return the shape of a class or an interface."""
        found = self._shapes.get(owner)
        if found is None:
            found = self._shapes[owner] = self._build(owner)
        return found

    def satisfies(self, owner: Declaration, interface: Declaration) -> bool:
        """Return whether a class satisfies an interface that neither the class nor any of its bases names."""
        own, wanted = self.read(owner), self.read(interface)
        if interface in own.above or wanted.is_keyless or not wanted.outside <= own.outside:
            return False
        if not own.members.keys() >= set(wanted.list_required()):
            return False
        pairs = ((own.members.get(name), there) for name, there in wanted.members.items())
        return all(here is None or self._can_replace(here, there) for here, there in pairs)

    def satisfies_first(self, owner: Declaration, interface: Declaration) -> bool:
        """Return whether a class satisfies an interface, while none of its bases does."""
        above = self.read(owner).above - {owner}
        return self.satisfies(owner, interface) and not any(
            self.is_class(one) and self.satisfies(one, interface) for one in above
        )


def _list_owners(record: SymbolRecord, name: str) -> list[int]:
    """Return the symbols that declare a member of a name."""
    kinds, parents = record.kinds, record.parents
    found = [int(parents[one]) for one in record.find_symbols(name) if int(kinds[one]) in MEMBERS]
    return [one for one in dict.fromkeys(found) if one]


def _list_named(record: SymbolRecord, ordinal: int) -> dict[str, bool]:
    """Return the names of a type's own members, each with whether it is optional."""
    return {
        record.get_name(child): bool(int(record.flags[child]) & SymbolFlag.OPTIONAL)
        for child in record.list_children(ordinal)
        if int(record.kinds[child]) in MEMBERS
    }
