"""The types of receivers in C and C++, where a struct of C may have a definition for each platform.

What a container of C++ returns is never certain: another class may have its name. The parts of a `std::pair`
have the types that are written in it; where none are, they may be of any type of the repository.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.receivers import ReceiverTypes
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.languages.treesitter.type_names import TypeName, read_type
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

_ITEM = "[]"  # key of the item type of a container that the repository declares itself
_PAIR, _PARTS = "pair", ("first", "second")
MAX_TWINS = 4  # definitions of one C struct


class CReceivers(ReceiverTypes):
    """Finds the types of receivers in files of C and C++."""

    own_bounds = True

    def _may_name_type(self, scope: FileScope, role: ReferenceRole) -> bool:
        return role is not ReferenceRole.USE or scope.language != "c"

    def _find_container(
        self, scope: FileScope, at: Declaration, text: str, names: tuple[str, ...]
    ) -> Receiver | None:
        found, named = super()._find_container(scope, at, text, names), read_type(text)
        item = self._find_type(scope, at.ordinal, named.names) if named.is_items else None
        return found if found is None or item is None else replace(found, type_arguments=((_ITEM, item),))

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        found = super()._complete(at, text, named, found, receiver)
        if named.name != _PAIR or not found.external:
            return found
        written = split_list(text.partition(f"{_PAIR}<")[2])
        parts = [
            (name, self._read_text(at, one, receiver)) for name, one in zip(_PARTS, written, strict=False)
        ]
        return replace(found, type_arguments=tuple((name, one) for name, one in parts if one is not None))

    def _take_steps(self, receiver: Receiver | None, segments: Sequence[str]) -> Receiver | None:
        at = next((number for number, one in enumerate(segments) if one in _PARTS), None)
        if at is None:
            return super()._take_steps(receiver, segments)
        whole = super()._take_steps(receiver, segments[:at])
        if whole is not None and whole.external:
            part = dict(whole.type_arguments).get(segments[at])
        else:
            part = super()._take_steps(whole, segments[at : at + 1])
        return self._take_steps(part, segments[at + 1 :])

    def _find_index(self, receiver: Receiver) -> Receiver | None:
        given = [one for name, one in receiver.type_arguments if name == _ITEM]
        return replace(given[0], is_certain=False) if given else super()._find_index(receiver)

    def _make_receiver(self, scope: FileScope, found: FoundDeclarations, *, is_items: bool) -> Receiver:
        if scope.language != "c":
            return super()._make_receiver(scope, found, is_items=is_items)
        types = _list_twins(self._lookup, found.declarations)
        is_one = len(types) == 1 if not found.alternatives else found.alternatives > 1
        return Receiver(types, "", is_items, found.is_certain and is_one)

    def _find_member(self, receiver: Receiver, segment: str) -> Receiver | None:
        if receiver.is_items:
            found = super()._find_member(receiver, segment)
            return found if found is None else replace(found, is_certain=False)
        if segment == "this" or not _is_of_c(self._lookup, receiver):
            return super()._find_member(receiver, segment)
        role = ReferenceRole.CALL if segment.endswith("()") else ReferenceRole.USE
        members = list_c_members(self._lookup, receiver, segment.removesuffix("()"), role)
        found = self._read_declared(members[0], receiver) if members else None
        return found if found is None or len(members) == 1 else replace(found, is_certain=False)


def _is_of_c(lookup: NamedLookup, receiver: Receiver) -> bool:
    """Return whether the type is declared in C."""
    scope = lookup.find_scope(receiver.types[0].path) if receiver.types else None
    return scope is not None and scope.language == "c"


def list_c_members(
    lookup: NamedLookup, receiver: Receiver, name: str, role: ReferenceRole
) -> list[Declaration]:
    """Return the fields with a name of a struct of C: those of all its definitions.

    In an unnamed struct, only fields in its own lines count.
    """
    found = [member for one in receiver.types for member in lookup.find_members(one, name, role)]
    group = receiver.group
    if group is not None and len(found) > 1:
        scope = lookup.find_scope(group.path)
        assert scope is not None
        around = scope.get_symbol(group.ordinal)
        lines = range(around.start_line, around.end_line + 1)
        inside = [
            one
            for one in found
            if one.path == group.path and scope.get_symbol(one.ordinal).start_line in lines and one != group
        ]
        found = inside or found
    return list(dict.fromkeys(found))


def _list_twins(lookup: NamedLookup, found: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Return the definitions of one type, one for each platform; of `typedef struct s {} s`, the struct."""
    scopes = [(one, lookup.find_scope(one.path)) for one in found]
    real = [one for one, scope in scopes if scope and scope.get_kind(one.ordinal) is not SymbolKind.TYPE]
    return tuple(real or found)[:MAX_TWINS]
