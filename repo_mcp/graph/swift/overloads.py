"""Chooses among several declarations for a use in Swift, where scopes and labels leave more than one.

Declarations that another module does not export are ruled out, a value that is not called is a property
rather than a function, and a requirement of a protocol is preferred to a member of its extension. What is
left is decided by the arguments: the parser records their chains after the labels of a call, and one
character for each literal. The result is probable, never certain, since an unknown type may fit better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.program import Confidence, Declaration, Resolution, Target
from repo_mcp.graph.swift.rules import SwiftRules, find_parameter, spell_signature
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.receivers import ReceiverTypes
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.languages.swift.types import find_type_chain, list_parameters, strip_type
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import AS_LABEL, AWAITED, BARE_DOT
from repo_mcp.symbols.symbol_record import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
)

_OF_LITERAL = frozenset({"(_:)|nil", '(_:)|"', "(_:)|0", "(_:)|true", "(_:)|["})
_GENERIC = re.compile(r"\b[A-Z]\b")  # a type parameter, by convention
BEHIND = "|"  # separates the labels and the arguments in the alias of a call
MAX_CANDIDATES = 16
_UNFIT = -100
_NUMBERS_TEXT = "Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Double Float CGFloat"
_NUMBERS = frozenset(_NUMBERS_TEXT.split())
_TEXTS = frozenset({"String", "Character", "Substring", "StaticString", "Unicode.Scalar"})
_PLAIN = _NUMBERS | _TEXTS | {"Bool"}
_LITERALS = {'"': _TEXTS, "0": _NUMBERS | {"TimeInterval"}, "true": frozenset({"Bool"})}
_MARKS = _LITERALS.keys() | {"[", "{"}  # what the parser writes for a literal or a closure


def choose_overload(
    lookup: NamedLookup, receivers: ReceiverTypes, scope: FileScope, reference: Reference, found: Resolution
) -> Resolution:
    """Return a resolution in which the best of several possible declarations, if decided, is probable.

    Those that do not take the literals of a call are left out, unless none does.
    """
    possible = [one.declaration for one in found.targets if one.confidence is Confidence.POSSIBLE]
    if not 1 < len(possible) <= MAX_CANDIDATES or any(
        one.confidence is not Confidence.POSSIBLE and lookup.get_kind(one.declaration) not in TYPE_KINDS
        for one in found.targets
    ):
        return found
    labels, bar, passed = reference.alias.removesuffix(AWAITED).partition(BEHIND)
    arguments = passed.split(BEHIND) if bar and reference.role is ReferenceRole.CALL else []
    taking = [one for one in possible if _takes_literals(lookup, one, labels, arguments)] or possible
    kept = _keep_meant(lookup, scope, reference, taking)
    if len(kept) > 1 and arguments:

        def find(chain: str) -> Receiver | None:
            return receivers.find_receiver(scope, reference.symbol, reference.line, chain)

        kept = _choose_fitting(lookup, find, kept, labels, arguments)
    best = kept[0] if len(kept) == 1 else None
    targets = (
        Target(one.declaration, Confidence.PROBABLE) if one.declaration == best else one
        for one in found.targets
        if one.declaration in taking or one.confidence is not Confidence.POSSIBLE
    )
    return replace(found, targets=tuple(targets))


def _keep_meant(
    lookup: NamedLookup, scope: FileScope, reference: Reference, possible: list[Declaration]
) -> list[Declaration]:
    """Return the declarations that a use can name here, without what the rules of the language put last."""
    kept = [one for one in possible if _is_accessible(lookup, scope, one)] or possible
    is_call = reference.role is ReferenceRole.CALL
    fields = [one for one in kept if (lookup.get_kind(one) in CALLABLE_KINDS) is is_call]
    kept = _drop_default_implementations(lookup, fields or kept)
    return drop_asynchronous(lookup, reference, kept)


def drop_asynchronous(lookup: NamedLookup, call: Reference, found: list[Declaration]) -> list[Declaration]:
    """Return the declarations without asynchronous functions, if others can be called without `await`."""
    if call.role is not ReferenceRole.CALL or not call.alias or call.alias.endswith(AWAITED):
        return found
    others = [one for one in found if not _is_asynchronous(lookup, one)]
    return others if any(lookup.get_kind(one) in CALLABLE_KINDS for one in others) else found


def _is_asynchronous(lookup: NamedLookup, one: Declaration) -> bool:
    scope = lookup.find_scope(one.path)
    return scope is not None and bool(int(scope.record.flags[one.ordinal]) & SymbolFlag.ASYNC)


def is_after_bare_dot(reference: Reference) -> bool:
    """Return whether a use is `.some` or `.some(...)`, a member of the type that is expected there."""
    if reference.role is ReferenceRole.USE:
        return reference.arguments == AS_LABEL
    last = reference.qualifier.rpartition(".")[2]
    return reference.qualifier.endswith(BARE_DOT) or last[:1] == "@"


def is_type_member(lookup: NamedLookup, one: Declaration) -> bool:
    """Return whether a declaration is reached through its type: a case, initialiser, static member."""
    scope = lookup.find_scope(one.path)
    if scope is None or not scope.is_member(one.ordinal):
        return True
    kind = scope.get_kind(one.ordinal)
    is_made = kind in {SymbolKind.ENUM_MEMBER, SymbolKind.CONSTRUCTOR} or kind in TYPE_KINDS
    return is_made or scope.is_static(one.ordinal)


# Properties that protocols of the standard library provide, even for a type that has a method of that name.
_OF_PROTOCOLS = frozenset(
    {"count", "description", "debugDescription", "endIndex", "first", "hashValue", "id", "indices", "isEmpty"}
    | {"last", "lazy", "rawValue", "startIndex", "underestimatedCount"}
)


def choose_members(
    lookup: NamedLookup, owner: Declaration, reference: Reference, members: list[Declaration]
) -> tuple[list[Declaration], bool]:
    """Return those of a type's members that a use means, and whether the language decides that."""
    if not members:
        return members, True
    kinds = {lookup.get_kind(one) for one in members}
    if reference.role is ReferenceRole.USE and kinds <= CALLABLE_KINDS:
        fields = _find_fields_above(lookup, owner, reference)
        if fields or reference.name in _OF_PROTOCOLS:
            return fields or members, False
    if reference.role is ReferenceRole.CALL and lookup.get_kind(owner) is not SymbolKind.TRAIT:
        others = _list_overloads(lookup, owner, reference, members)
        if others:
            return [*members, *others], False
    if any(_is_default_implementation(lookup, one) for one in members):
        return _prefer_requirements(lookup, owner, reference, members)
    return members, not _has_other_default(lookup, owner, reference, members)


def _find_fields_above(lookup: NamedLookup, owner: Declaration, use: Reference) -> list[Declaration]:
    """Return the properties with the name of a use in the nearest base that has any.

    A name that is not called means the property of a base rather than a nearer function.
    """
    for base in iter_above(lookup, owner):
        above = lookup.find_members(base, use.name, use.role)
        fields = [one for one in above if lookup.get_kind(one) not in CALLABLE_KINDS]
        if fields:
            return fields
    return []


def _has_other_default(
    lookup: NamedLookup, owner: Declaration, use: Reference, members: list[Declaration]
) -> bool:
    """Return whether an extension of a protocol above has a member with another result."""
    results = set(map(lookup.get_return_type, members))
    return any(
        _is_default_implementation(lookup, one) and lookup.get_return_type(one) not in results
        for base in iter_above(lookup, owner)
        for one in lookup.find_members(base, use.name, use.role)
    )


def _prefer_requirements(
    lookup: NamedLookup, owner: Declaration, use: Reference, members: list[Declaration]
) -> tuple[list[Declaration], bool]:
    """Return default implementations, together with the requirements of the protocol if `owner` is one.

    The requirements are those of the protocol or of one that it refines, with the same parameters. The second
    result is False if there are some: then a conforming type may have its own implementation.
    """
    required: list[Declaration] = []
    for base in (owner, *iter_above(lookup, owner)):
        scope = lookup.find_scope(base.path)
        if scope is not None and scope.get_kind(base.ordinal) is SymbolKind.TRAIT:
            own = (Declaration(base.path, one) for one in scope.find_children(base.ordinal, use.name))
            required += [one for one in own if lookup.get_kind(one) not in TYPE_KINDS]
    labels = set(map(lookup.get_parameters, members))
    same = [one for one in required if lookup.get_parameters(one) in labels and one not in members]
    is_protocol = lookup.get_kind(owner) is SymbolKind.TRAIT
    return ([*members, *same], False) if same and is_protocol else (members, not same)


def _list_overloads(
    lookup: NamedLookup, owner: Declaration, call: Reference, members: list[Declaration]
) -> list[Declaration]:
    """Return the members of bases that also accept a call, with other parameter types than the type's own.

    The requirements of a protocol are taken to be the type's own functions, if it has as many of that name.
    """
    required: dict[str, Declaration] = {}
    inherited: dict[str, Declaration] = {}
    for base in iter_above(lookup, owner):
        is_protocol = lookup.get_kind(base) is SymbolKind.TRAIT
        for one in lookup.find_members(base, call.name, call.role, call):
            if not _accepts_labels(lookup, one, call):
                continue
            is_requirement = is_protocol and not _is_default_implementation(lookup, one)
            signature = spell_signature(lookup.get_parameters(one))
            (required if is_requirement else inherited).setdefault(signature, one)
    if not inherited and not required:
        return []
    own = {
        spell_signature(lookup.get_parameters(one)) for one in members if _accepts_labels(lookup, one, call)
    }
    extra = {text: one for text, one in inherited.items() if text not in own and text not in required}
    if len(required) > len(own):
        extra.update((text, inherited.get(text, one)) for text, one in required.items() if text not in own)
    return list(extra.values())


def _accepts_labels(lookup: NamedLookup, one: Declaration, call: Reference) -> bool:
    scope = lookup.find_scope(one.path)
    return scope is not None and SwiftRules.accepts(scope.get_symbol(one.ordinal), call)


def weaken_bare(
    lookup: NamedLookup, scope: FileScope, reference: Reference, found: FoundDeclarations
) -> FoundDeclarations:
    """Return the declarations of a name without a receiver, uncertain if others may be meant.

    A function that calls its own name may wrap one of another repository. `Name("text")` may be a literal of
    the type. A generic function in a file that imports a library may be an overload of one there.
    """
    around = scope.find_type_around(reference.symbol)
    one = found.declarations[0] if found.declarations else None
    if one is None:
        return found
    if one == Declaration(scope.path, reference.symbol) and reference.role is ReferenceRole.CALL:
        return replace(found, is_certain=False)
    if reference.alias.removesuffix(AWAITED) in _OF_LITERAL and any(
        "Literal" in lookup.get_parameters(constructor).partition(":")[0]
        for constructor in lookup.find_members(one, "init", ReferenceRole.CALL)
        if lookup.get_kind(one) in TYPE_KINDS
    ):
        return replace(found, is_certain=False)
    other = lookup.find_scope(one.path)
    if other is None:
        return found
    if reference.role is ReferenceRole.CALL and _may_overload_library(lookup, other, one.ordinal):
        return replace(found, is_certain=False)
    if around is None or not other.is_member(one.ordinal):
        return found
    owner = Declaration(other.path, other.get_parent(one.ordinal))
    members, is_plain = choose_members(lookup, owner, reference, list(found.declarations))
    return replace(found, declarations=tuple(members), is_certain=found.is_certain and is_plain)


def _may_overload_library(lookup: NamedLookup, scope: FileScope, ordinal: int) -> bool:
    """Return whether a symbol is a generic function outside of types, in a file that imports a library."""
    symbol, rules = scope.get_symbol(ordinal), lookup.rules
    if symbol.kind is not SymbolKind.FUNCTION or symbol.parent or not _GENERIC.search(symbol.parameters):
        return False
    return isinstance(rules, SwiftRules) and rules.imports_library(scope)


def _is_default_implementation(lookup: NamedLookup, one: Declaration) -> bool:
    """Return whether a member is declared in an extension of a protocol."""
    parent = lookup.get_parent(one)
    if lookup.get_kind(parent) is not SymbolKind.EXTENSION:
        return False
    return any(lookup.get_kind(each) is SymbolKind.TRAIT for each in lookup.find_extended(parent))


def _is_accessible(lookup: NamedLookup, scope: FileScope, one: Declaration) -> bool:
    """Return whether a file may name a declaration; in another module it must be public, or `@testable`."""
    other = lookup.find_scope(one.path)
    rules = lookup.rules
    if other is None or not isinstance(rules, SwiftRules):
        return False
    access = int(other.record.flags[one.ordinal]) >> ACCESS_SHIFT
    if access == Access.PRIVATE and other is not scope:
        return False
    home = rules.find_home(other)
    if access == Access.PUBLIC or home == rules.find_home(scope):
        return True
    return any(row.arguments and (row.qualifier,) == home for row in scope.imports)


def _drop_default_implementations(lookup: NamedLookup, kept: list[Declaration]) -> list[Declaration]:
    """Return the declarations without default implementations of requirements that are among them."""
    holders = {one: lookup.get_kind(lookup.get_parent(one)) for one in kept}
    required = {lookup.get_parameters(one) for one in kept if holders[one] is SymbolKind.TRAIT}
    return [
        one
        for one in kept
        if holders[one] is not SymbolKind.EXTENSION or lookup.get_parameters(one) not in required
    ]


# By the types of arguments


def _takes_literals(lookup: NamedLookup, one: Declaration, labels: str, arguments: Sequence[str]) -> bool:
    """Return False if the type of a parameter can not be written as the literal that is passed for it."""
    parameters = lookup.get_parameters(one)
    return all(
        _rate_argument(lookup, one, find_parameter(parameters, labels, at), chain, None) > _UNFIT
        for at, chain in enumerate(arguments)
        if chain in _MARKS
    )


def _choose_fitting(
    lookup: NamedLookup,
    find_receiver: Callable[[str], Receiver | None],
    kept: list[Declaration],
    labels: str,
    arguments: Sequence[str],
) -> list[Declaration]:
    scores: dict[Declaration, int] = {}
    by_chain: dict[str, Receiver | None] = {}
    for one in kept:
        score = 0
        for at, chain in enumerate(arguments):
            if chain and score > _UNFIT:
                if chain not in by_chain and chain[0].isidentifier():
                    by_chain[chain] = find_receiver(chain)
                text = find_parameter(lookup.get_parameters(one), labels, at)
                fit = _rate_argument(lookup, one, text, chain, by_chain.get(chain))
                score = score + fit if fit > _UNFIT else _UNFIT
        scores[one] = score
    fitting = [one for one in kept if scores[one] > _UNFIT]
    best = max((scores[one] for one in fitting), default=0)
    return [one for one in fitting if scores[one] == best]


def _rate_argument(
    lookup: NamedLookup, one: Declaration, text: str, chain: str, receiver: Receiver | None
) -> int:
    """Return how well an argument fits a written parameter type.

    2: it has that type, 1: a subtype, 0: not known, _UNFIT: it does not fit.
    """
    scope = lookup.find_scope(one.path)
    wanted = strip_type(text)
    if scope is None or not wanted:
        return 0
    if chain == "nil":
        return 0
    name, is_list = find_type_chain(wanted), wanted.startswith("[")
    is_function = "->" in wanted and not is_list
    if chain in _MARKS and (
        (is_function and chain != "{")
        or (is_list and chain != "[")
        or (name in _PLAIN and chain not in _LITERALS)
    ):
        return _UNFIT
    if chain == "{":
        return 1 if is_function else 0
    found = lookup.find_type(scope, one.ordinal, tuple(name.split("."))).declarations if name else ()
    types = [each for each in found if lookup.get_kind(each) in TYPE_KINDS]
    if chain == "[":
        return 1 if is_list else 0
    if chain in _LITERALS:
        if not name or name in list_generic(lookup, one):
            return 0
        if name in _LITERALS[chain]:
            return 2
        return _UNFIT if name in _PLAIN else 0
    if chain.startswith("."):
        if not types or name in list_generic(lookup, one):
            return 0
        return 2 if any(lookup.find_members(each, chain[1:], ReferenceRole.USE) for each in types) else _UNFIT
    if receiver is None or name in list_generic(lookup, one):
        return 0
    return _rate_receiver(lookup, wanted, name, types, receiver)


def _rate_receiver(
    lookup: NamedLookup, wanted: str, name: str, types: Sequence[Declaration], receiver: Receiver
) -> int:
    is_list = wanted.startswith("[")
    if receiver.is_items:
        return 1 if is_list else _UNFIT if types or name in _TEXTS | _NUMBERS else 0
    if is_list:
        return _UNFIT
    if receiver.external:
        if receiver.external == name:
            return 2
        extends = any(_extends(lookup, each, receiver.external) for each in types)
        return 1 if extends else _UNFIT if types else 0
    if any(each in types for each in receiver.types):
        return 2
    above: set[Declaration] = set()
    for each in receiver.types:
        above.update(iter_above(lookup, each))
    if any(each in above for each in types):
        return 1
    kinds = {lookup.get_kind(each) for each in receiver.types}
    is_open = not kinds or kinds & {SymbolKind.TYPE, SymbolKind.EXTENSION, SymbolKind.TRAIT}
    if types and not is_open:
        return _UNFIT
    return _UNFIT if name in _TEXTS | _NUMBERS and not is_open else 0


def _extends(lookup: NamedLookup, protocol: Declaration, external: str) -> bool:
    """Return whether an extension makes an external type conform to a protocol."""
    scope = lookup.find_scope(protocol.path)
    name = external.rpartition(".")[2]
    for other, part in lookup.iter_named(scope, name) if scope is not None else ():
        at = Declaration(other.path, part)
        if other.get_kind(part) is SymbolKind.EXTENSION and protocol in lookup.list_bases(at):
            return True
    return False


def list_generic(lookup: NamedLookup, one: Declaration) -> list[str]:
    """Return the type parameters of the types around a declaration."""
    scope = lookup.find_scope(one.path)
    names: list[str] = []
    for around in scope.iter_around(one.ordinal) if scope is not None else ():
        assert scope is not None
        if scope.get_kind(around) in TYPE_KINDS:
            names += list_parameters(scope.get_symbol(around).parameters)
    return names
