"""The receiver of a member access, as far as it is known."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import ReferenceRole


@dataclass(frozen=True, slots=True)
class Holder:
    """The receiver of a member access."""

    types: tuple[Declaration, ...] = ()
    external: str = ""  # dotted name of a type declared outside the repository
    is_items: bool = False  # the types are those of the receiver's items
    is_sure: bool = True
    group: Declaration | None = None  # the field of an unnamed struct, inside `types`
    guarded: Holder | None = None  # the value behind a Rust lock, which is itself `external`
    inner: int = 0  # levels of lists inside the list of items
    hiding: frozenset[str] = frozenset()  # members of an `Option` or `Rc` around the types


def take_item(holder: Holder) -> Holder:
    """Return the type of an item of a list, which is a list itself if the list is nested."""
    return replace(holder, inner=holder.inner - 1) if holder.inner else replace(holder, is_items=False)


def is_of_c(lookup: NamedLookup, holder: Holder) -> bool:
    """Return whether the type is declared in C."""
    scopes = map(lookup.find_scope, (one.path for one in holder.types[:1]))
    return any(scope is not None and scope.language == "c" for scope in scopes)


def list_c_members(lookup: NamedLookup, holder: Holder, name: str, role: ReferenceRole) -> list[Declaration]:
    """Return the fields with a name of a C struct.

    Of several definitions, each counts; of an unnamed struct, only the fields in its own lines."""
    found = [member for one in holder.types for member in lookup.find_members(one, name, role)]
    group = holder.group
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
