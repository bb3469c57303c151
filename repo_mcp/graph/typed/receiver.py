"""The receiver of a member access, as far as it is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import FoundDeclarations, Rules
from repo_mcp.languages.treesitter.type_names import read_wrapper
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import BY_REFERENCE
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind

TYPE_PARAMETER = re.compile(r"[A-Z][A-Za-z0-9]?")  # as they are named by convention
_PATH_WORD = re.compile(r"[^\W_]+")
MAX_TWINS = 4  # definitions of one C struct


@dataclass(frozen=True, slots=True)
class Receiver:
    """The receiver of a member access."""

    types: tuple[Declaration, ...] = ()
    external: str = ""  # dotted name of a type declared outside the repository
    is_items: bool = False  # the types are those of the receiver's items
    is_certain: bool = True
    group: Declaration | None = None  # the field of an unnamed struct, inside `types`
    guarded: Receiver | None = None  # the value behind a Rust lock, which is itself `external`
    inner: int = 0  # levels of lists inside the list of items
    # Type arguments by the names of their parameters; in Rust the only one, under "".
    given: tuple[tuple[str, Receiver], ...] = ()
    hiding: frozenset[str] = frozenset()  # members of an `Option` or `Rc` around the types


def take_item(receiver: Receiver) -> Receiver:
    """Return the type of an item of a list, which is a list itself if the list is nested."""
    return (
        replace(receiver, inner=receiver.inner - 1) if receiver.inner else replace(receiver, is_items=False)
    )


def join_types(receivers: Sequence[Receiver | None]) -> Receiver | None:
    """Return the first of some types with those of the others, which makes it unsure; None without any."""
    known = [one for one in receivers if one is not None]
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    first = next((one for one in known if one.types), known[0] if known else None)
    return first if first is None or types == first.types else replace(first, types=types, is_certain=False)


def may_mean_of_reference(scope: FileScope, reference: Reference) -> bool:
    """Return whether a Rust method is called on `self` in an `impl` for a reference.

    There, methods that traits give the reference take precedence over those of the type."""
    if reference.role is not ReferenceRole.CALL or reference.qualifier != "self":
        return False
    around = scope.find_type_around(reference.symbol)
    row = scope.find_extended(around) if around is not None else None
    return row is not None and row.arguments == BY_REFERENCE


def list_twins(lookup: NamedLookup, found: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Return the definitions of one C type, one per platform; of `typedef struct s {} s`, the struct."""
    scopes = [(one, lookup.find_scope(one.path)) for one in found]
    real = [one for one, scope in scopes if scope and scope.get_kind(one.ordinal) is not SymbolKind.TYPE]
    return tuple(real or found)[:MAX_TWINS]


def choose_twin(scope: FileScope, found: FoundDeclarations) -> FoundDeclarations:
    """Return the declaration whose path shares a word with that of the use: `uv/win.h` for `src/win/fs.c`.

    Returns all of them if that does not decide.
    """
    if len(found.declarations) < 2:
        return found
    words = {one: set(_PATH_WORD.findall(one.path)) for one in found.declarations}
    shared = set.intersection(*words.values())
    own = set(_PATH_WORD.findall(scope.path)) - shared
    near = tuple(one for one in found.declarations if words[one] & own)
    return FoundDeclarations(near, is_certain=False) if len(near) == 1 else found


def find_pointed(lookup: NamedLookup, receiver: Receiver) -> Receiver | None:
    """Return what a Rust type points to by `impl<T> Deref` with `type Target = T`, or None.

    Its only type argument must be known. An external type is taken to have such an `impl`; this counts for
    its fields alone, because it has methods that are not known.
    """
    for name, given in () if receiver.is_items else receiver.given:
        if not name and (
            receiver.external or any(_points_to_parameter(lookup, one) for one in receiver.types)
        ):
            return replace(given, is_certain=False)
    return None


def _points_to_parameter(lookup: NamedLookup, owner: Declaration) -> bool:
    """Return whether the `Target` of a type is a type parameter."""
    for one in lookup.find_members(owner, "Target", ReferenceRole.TYPE):
        scope = lookup.find_scope(one.path)
        if scope is not None and scope.language == "rust":
            return TYPE_PARAMETER.fullmatch(scope.get_symbol(one.ordinal).return_type) is not None
    return False


def find_own(lookup: NamedLookup, scope: FileScope, ordinal: int, is_base: bool) -> Receiver | None:
    """Return the type around a symbol, which `this` or `self` has; if `is_base`, the bases of that type."""
    around = scope.find_type_around(ordinal)
    if around is None:
        return None
    own = lookup.find_extended(Declaration(scope.path, around))
    if not is_base:
        # Not all members are known of an external type, or of every type that fits a bound.
        return Receiver(tuple(own), is_certain=scope.language != "rust" or not is_extension(lookup, own))
    bases = [base for one in own for base in lookup.list_bases(one)]
    return Receiver(tuple(bases)) if bases else Receiver(external="super")


def is_extension(lookup: NamedLookup, found: list[Declaration]) -> bool:
    """Return whether one of some types is an extension, which stands for an external type."""
    scopes = ((lookup.find_scope(one.path), one.ordinal) for one in found)
    return any(scope and scope.get_kind(ordinal) is SymbolKind.EXTENSION for scope, ordinal in scopes)


def list_hiding(rules: Rules, text: str) -> frozenset[str]:
    """Return the members that a wrapper in a written type of Rust may have itself."""
    if rules.of_pointers and rules.read_result(text) != text.strip():
        return rules.transparent | rules.giving_item | rules.of_results
    return rules.of_pointers if read_wrapper(text).name else frozenset()


def make_receiver(
    lookup: NamedLookup, scope: FileScope, found: FoundDeclarations, *, is_items: bool
) -> Receiver:
    """Return the type that a written name led to; of several declarations the first, which is not sure."""
    types = found.declarations[:1]
    if scope.language == "c":
        types = list_twins(lookup, found.declarations)
    is_one = len(types if scope.language == "c" else found.declarations) == 1
    is_one = is_one and not found.alternatives
    is_one = is_one or (found.alternatives > 1 and scope.language == "c")
    if scope.language == "rust":
        is_one = is_one and not is_extension(lookup, list(types))  # `u64` has members of its own
    return Receiver(types, "", is_items, found.is_certain and is_one)
