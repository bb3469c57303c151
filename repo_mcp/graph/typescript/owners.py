"""The owners of the members of a TypeScript value: declarations, function types, and their type arguments.

The parameters of a generic declaration are bound for one use of it: `Bound` maps each to a written text,
which is read at the place where it is written. A parameter that is bound to no text is chosen by the compiler
from the arguments of a call, which are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.languages.typescript.types import Limit
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import ITSELF

# a type parameter: path and ordinal of the symbol that declares it, and its name
Parameter = tuple[str, int, str]
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
# Members of a list that take a function -> which parameters of that function are items of the list.
PASSED_ITEMS = {"sort": (0, 1), "toSorted": (0, 1), "reduce": (1,), "reduceRight": (1,)}
TAKING_ITEMS = frozenset({"push", "unshift", "add", "includes", "indexOf", "set", "fill"})
MAX_STEPS = 12  # from a value to its type, one per declaration followed
MAX_DEPTH = 4  # nested type arguments
MAX_NESTED = 1  # times that an alias is its own type argument: more are slow, and find nothing new
MAX_PARTS = 24  # members of a union or an intersection that are read


@dataclass(frozen=True, slots=True)
class Written:
    """A type as it is written inside a symbol; an empty text means that it is not known."""

    path: str = ""
    ordinal: int = 0
    text: str = ""
    bound: tuple[tuple[Parameter, Written], ...] = ()
    depth: int = 0  # of the types that are bound in it


Bound = tuple[tuple[Parameter, Written], ...]
Limits = tuple[tuple[Declaration, tuple[Limit, ...]], ...]  # for each way in which a declaration is an owner
NOT_WRITTEN = Written()


@dataclass(frozen=True, slots=True)
class Owners:
    """The declarations to search for members, or an external name; if neither, the owner is unknown."""

    declarations: tuple[Declaration, ...] = ()
    external: str = ""
    is_items: bool = False  # the value is a list, and the owners are those of its items
    is_keyed: bool = False  # an object whose members have any name, and are its items
    is_mixed: bool = False  # a union, of which other members are external or not known
    is_guess: bool = False  # an argument of a call: the result of the call need not have its members
    # function types by which the value may be called, and unnamed object types
    functions: tuple[Written, ...] = ()
    bound: Bound = ()  # the parameters of the declarations
    is_choice: bool = False  # a condition chooses one of several
    limits: Limits = ()  # which of the members of the declarations the value has
    mapped: tuple[Written, ...] = ()  # mapped types, whose members depend on those of another object
    is_class: bool = False  # the value is a class itself
    is_open: bool = False  # something external gave the value: its type is not known


NO_OWNERS = Owners()


def limit_members(owners: Owners, limits: tuple[Limit, ...]) -> Owners:
    """Return owners that have only the members that the limits allow."""
    if not limits:
        return owners
    known = owners.limits
    free = [one for one in owners.declarations if all(at != one for at, _ in known)]
    each = [(at, own + limits) for at, own in known] + [(one, limits) for one in free]
    return replace(owners, limits=tuple(each))


def has_member(owners: Owners, owner: Declaration, name: str) -> bool:
    """Return False for a member of one of the owners that the type of the value leaves out."""
    each = [own for at, own in owners.limits if at == owner]
    return not each or any(all((name in one.keys) == one.is_kept for one in own) for own in each)


def write_type(path: str, ordinal: int, text: str, bound: Bound) -> Written:
    """Return a written type, with those of the bound parameters that it names."""
    if not bound or not text:
        return Written(path, ordinal, text)
    names = set(_WORD.findall(text))
    kept = tuple(
        (key, one if one.depth < MAX_DEPTH else NOT_WRITTEN) for key, one in bound if key[2] in names
    )
    depth = 1 + max((one.depth for _, one in kept), default=-1)
    return Written(path, ordinal, text, kept, depth)


def count_nested_texts(path: str, ordinal: int, bound: Bound) -> int:
    """Return how deeply texts that were written in one symbol are nested in what is bound."""
    return max(
        (
            ((one.path, one.ordinal) == (path, ordinal)) + count_nested_texts(path, ordinal, one.bound)
            for _, one in bound
            if one.bound or one.path
        ),
        default=0,
    )


def join_bound(*each: Bound) -> Bound:
    """Return all bound parameters; if several bind the same one, the last counts."""
    found: dict[Parameter, Written] = {}
    for bound in each:
        found.update(bound)
    return tuple(found.items())


def unite_owners(each: Iterable[Owners]) -> Owners:
    """Return the owners of all; an external one only if there is no other.

    If some owners have members of their own, those whose members depend on another object are left out: which
    of them is meant is not known from here on.
    """
    each = [one for one in each if one is not NO_OWNERS]
    if not each:
        return NO_OWNERS
    if len(each) == 1:
        return replace(each[0], is_choice=False) if each[0].is_choice else each[0]
    if any(one.mapped for one in each) and any(one.declarations and not one.is_items for one in each):
        each = [mark_uncertain(one) for one in each if not one.mapped]
    declarations = dict.fromkeys(declaration for one in each for declaration in one.declarations)
    functions = dict.fromkeys(function for one in each for function in one.functions)
    outside = next((one.external for one in each if one.external), "")
    limits = tuple(limit for one in each for limit in one.limits)
    if limits:
        whole = {at for one in each for at in one.declarations if all(at != other for other, _ in one.limits)}
        limits = tuple(one for one in limits if one[0] not in whole)
    bound: Bound = ()
    for one in each:
        if one.bound and one.bound != bound:
            bound = join_bound(bound, one.bound)
    return Owners(
        tuple(declarations),
        "" if declarations or functions else outside,
        any(one.is_items for one in each),
        any(one.is_keyed for one in each),
        any(one.is_mixed for one in each),
        any(one.is_guess for one in each),
        tuple(functions),
        bound,
        limits=limits,
        mapped=tuple(written for one in each for written in one.mapped),
        is_class=any(one.is_class for one in each),
        is_open=any(one.is_open for one in each),
    )


def unite_results(each: Sequence[Owners]) -> Owners:
    """Return the owners of all results of overloads; uncertain if these differ, as a call has only one."""
    results = {(one.declarations, one.external, one.is_items, one.functions) for one in each}
    found = unite_owners(each)
    return mark_uncertain(found) if len(results) > 1 else found


def mark_items(owners: Owners, is_items: bool) -> Owners:
    """Return owners as those of items, or of one item."""
    return owners if owners.is_items == is_items else replace(owners, is_items=is_items)


def may_be_items(owners: Owners) -> bool:
    """Return whether a value is a list, or may be one that something external gave."""
    return owners.is_items or (owners.is_open and bool(owners.declarations))


def get_passed_item(items: Owners, name: str, position: int, index: int) -> Owners:
    """Return the owners of what a member of a list takes, or passes to a function that it takes."""
    if index == ITSELF:
        return mark_items(items, False) if name in TAKING_ITEMS else NO_OWNERS
    return mark_items(items, False) if position == 1 and index in PASSED_ITEMS.get(name, (0,)) else NO_OWNERS


def get_keyed_member(owners: Owners) -> Owners:
    """Return the owners of any member of an object whose members are its items, else NO_OWNERS."""
    if not owners.is_keyed:
        return NO_OWNERS
    is_choice = owners.is_mixed and len(owners.declarations) > 1
    return replace(owners, is_items=False, is_keyed=False, is_choice=is_choice)


def mark_uncertain(owners: Owners) -> Owners:
    """Return owners marked as incomplete."""
    return replace(owners, is_mixed=bool(owners.declarations or owners.functions))


def count_calls(segment: str) -> tuple[str, int]:
    """Return the name in a segment of a chain, and how many times it is called."""
    name = segment.rstrip("()") if segment.endswith("()") else segment
    return name, (len(segment) - len(name)) // 2
