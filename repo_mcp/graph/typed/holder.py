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
_LIST = re.compile(r"(?:map)?\[[^\]]*\]|(?:<-)?chan(?:<-)? ")  # in Go, what precedes the type of the elements
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
    # Type arguments by the names of their parameters; in Rust the only one, under "".
    given: tuple[tuple[str, Holder], ...] = ()
    hiding: frozenset[str] = frozenset()  # members of an `Option` or `Rc` around the types


def take_item(holder: Holder) -> Holder:
    """Return the type of an item of a list, which is a list itself if the list is nested."""
    return replace(holder, inner=holder.inner - 1) if holder.inner else replace(holder, is_items=False)


def join_types(holders: Sequence[Holder | None]) -> Holder | None:
    """Return the first of some types with those of the others, which makes it unsure; None without any."""
    known = [one for one in holders if one is not None]
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    first = next((one for one in known if one.types), known[0] if known else None)
    return first if first is None or types == first.types else replace(first, types=types, is_certain=False)


def find_element(lookup: NamedLookup, holder: Holder) -> tuple[Declaration, str] | None:
    """Return a type of Go with the text of its elements: `type Hooks map[Level][]Hook`."""
    for one in holder.types:
        scope = lookup.find_scope(one.path)
        if scope is not None and scope.language == "go":
            text = scope.get_symbol(one.ordinal).return_type
            list_of = _LIST.match(text)
            return (one, text[list_of.end() :]) if list_of is not None else None
    return None


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


def find_pointed(lookup: NamedLookup, holder: Holder) -> Holder | None:
    """Return what a Rust type points to by `impl<T> Deref` with `type Target = T`, or None.

    Its only type argument must be known. An external type is taken to have such an `impl`; this counts for
    its fields alone, because it has methods that are not known.
    """
    for name, given in () if holder.is_items else holder.given:
        if not name and (holder.external or any(_points_to_parameter(lookup, one) for one in holder.types)):
            return replace(given, is_certain=False)
    return None


def _points_to_parameter(lookup: NamedLookup, owner: Declaration) -> bool:
    """Return whether the `Target` of a type is a type parameter."""
    for one in lookup.find_members(owner, "Target", ReferenceRole.TYPE):
        scope = lookup.find_scope(one.path)
        if scope is not None and scope.language == "rust":
            return TYPE_PARAMETER.fullmatch(scope.get_symbol(one.ordinal).return_type) is not None
    return False


def find_own(lookup: NamedLookup, scope: FileScope, ordinal: int, is_base: bool) -> Holder | None:
    """Return the type around a symbol, which `this` or `self` has; if `is_base`, the bases of that type."""
    around = scope.find_type_around(ordinal)
    if around is None:
        return None
    own = lookup.find_extended(Declaration(scope.path, around))
    if not is_base:
        # Not all members are known of an external type, or of every type that fits a bound.
        return Holder(tuple(own), is_certain=scope.language != "rust" or not is_extension(lookup, own))
    bases = [base for one in own for base in lookup.list_bases(one)]
    return Holder(tuple(bases)) if bases else Holder(external="super")


def find_anonymous(scope: FileScope, name: str) -> Holder | None:
    """Return the class of Java in `new Base() { ... }`, by its name and the line on which its body begins."""
    name, _, line = name.rpartition(":")
    found = [one for one in scope.find_named(name) if str(scope.get_symbol(one).start_line) == line]
    made = tuple(Declaration(scope.path, one) for one in found)
    return Holder(made, is_certain=len(made) == 1) if made else None


def is_extension(lookup: NamedLookup, found: list[Declaration]) -> bool:
    """Return whether one of some types is an extension, which stands for an external type."""
    scopes = ((lookup.find_scope(one.path), one.ordinal) for one in found)
    return any(scope and scope.get_kind(ordinal) is SymbolKind.EXTENSION for scope, ordinal in scopes)


def list_hiding(rules: Rules, text: str) -> frozenset[str]:
    """Return the members that a wrapper in a written type of Rust may have itself."""
    if rules.of_pointers and rules.read_result(text) != text.strip():
        return rules.transparent | rules.giving_item | rules.of_results
    return rules.of_pointers if read_wrapper(text).name else frozenset()


def make_holder(lookup: NamedLookup, scope: FileScope, found: FoundDeclarations, *, is_items: bool) -> Holder:
    """Return the type that a written name led to; of several declarations the first, which is not sure."""
    types = found.declarations[:1]
    if scope.language == "c":
        types = list_twins(lookup, found.declarations)
    is_one = len(types if scope.language == "c" else found.declarations) == 1
    is_one = is_one and not found.alternatives
    is_one = is_one or (found.alternatives > 1 and scope.language == "c")
    if scope.language == "rust":
        is_one = is_one and not is_extension(lookup, list(types))  # `u64` has members of its own
    return Holder(types, "", is_items, found.is_certain and is_one)
