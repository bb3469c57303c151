"""The receiver of a member access, as far as it is known."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import BY_REFERENCE
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind

MAX_TWINS = 4  # definitions of one C struct


@dataclass(frozen=True, slots=True)
class Holder:
    """The receiver of a member access."""

    types: tuple[Declaration, ...] = ()
    external: str = ""  # dotted name of a type declared outside the repository
    is_items: bool = False  # the types are those of the receiver's items
    is_certain: bool = True
    group: Declaration | None = None  # the field of an unnamed struct, inside `types`
    guarded: Holder | None = None  # the value behind a Rust lock, which is itself `external`
    inner: int = 0  # levels of lists inside the list of items
    given: tuple[tuple[str, Holder], ...] = ()  # type parameters of a type of Swift, and what they stand for
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


def may_mean_of_reference(scope: FileScope, reference: Reference) -> bool:
    """Return whether a Rust method is called on `self` in an `impl` for a reference.

    There, methods that traits give the reference take precedence over those of the type."""
    if reference.role is not ReferenceRole.CALL or reference.qualifier != "self" or scope.language != "rust":
        return False
    around = scope.find_type_around(reference.symbol)
    row = scope.find_extended(around) if around is not None else None
    return row is not None and row.arguments == BY_REFERENCE


def list_twins(lookup: NamedLookup, found: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Return the definitions of one C type, one per platform; of `typedef struct s {} s`, the struct."""
    scopes = [(one, lookup.find_scope(one.path)) for one in found]
    real = [one for one, scope in scopes if scope and scope.get_kind(one.ordinal) is not SymbolKind.TYPE]
    return tuple(real or found)[:MAX_TWINS]
