"""The type of a receiver, the expression before a member: `this`, typed variables, fields, call results.

Each step of `a.b().c` looks up a member in the type so far and takes that member's declared type. A step that
leaves the repository gives an external name; a step that leads nowhere gives None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.embedding import may_be_nearer
from repo_mcp.graph.typed.file_scope import FileScope, is_open_parameter, list_own_bounds, split_name
from repo_mcp.graph.typed.holder import (
    TYPE_PARAMETER,
    Holder,
    find_anonymous,
    find_element,
    find_own,
    find_pointed,
    is_of_c,
    join_types,
    list_c_members,
    list_hiding,
    make_holder,
    take_item,
)
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.overriding import list_results
from repo_mcp.graph.typed.rules import Rules
from repo_mcp.graph.typed.swift_steps import (
    STEPS,
    ReceiverFunctions,
    choose_called,
    find_literal_item,
    find_written_bound,
    follow_steps,
    is_callable,
    is_of_itself,
    is_of_swift,
    read_generic,
)
from repo_mcp.languages.treesitter.type_names import (
    TypeName,
    read_names,
    read_type,
    read_wrapper,
    split_bounds,
)
from repo_mcp.languages.treesitter.written_lists import read_only_argument, split_signature
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import NEW, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Binding,
    Reference,
    ReferenceRole,
    SymbolKind,
)

MAX_STEPS = 12
MAX_DEPTH = 12  # of variables typed by other variables, possibly in a cycle
MAX_BOUNDS = 8  # of one associated type
_ITEM = re.compile(r"Iterator\s*<.*?\bItem\s*=\s*(.*)>")
_LOCK = re.compile(r"\b(Mutex|RwLock|RefCell)\s*<")
_LOCKING = frozenset({"lock()", "try_lock()", "read()", "write()", "borrow()", "borrow_mut()", "get_mut()"})
_VALUE_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


def find_holder(
    lookup: NamedLookup, scope: FileScope, ordinal: int, line: int, qualifier: str
) -> Holder | None:
    """Return the type of a qualifier, or None if it cannot be determined."""
    segments = qualifier.split(".")
    if len(segments) > MAX_STEPS or "?" in segments or lookup.depth >= MAX_DEPTH:
        return None
    lookup.depth += 1
    try:
        if scope.language == "swift" and not STEPS.isdisjoint(one[:1] for one in segments):
            return follow_steps(lookup, scope, ordinal, line, segments, _FUNCTIONS)
        holder, used = _find_first(lookup, scope, ordinal, line, segments)
        for segment in segments[used:]:
            if holder is not None and holder.guarded is not None and segment in _LOCKING:
                holder = holder.guarded
                continue
            if holder is not None and holder.external and not segment.endswith("()"):
                holder = find_pointed(lookup, holder) or holder
            if holder is None or holder.external:
                break
            holder = _take_step(lookup, holder, segment)
        return holder
    finally:
        lookup.depth -= 1


def find_type_holder(lookup: NamedLookup, scope: FileScope, ordinal: int, chain: str) -> Holder | None:
    """Return the type at the end of a chain from a type's name, or None; only arrays have items."""
    first, *steps = chain.split(".")
    if scope.language == "rust":
        return _find_path_type(lookup, scope, ordinal, (first, *steps))
    holder = _find_type(lookup, scope, ordinal, (first,))
    if steps and scope.language == "go":  # a package and its type
        holder, steps = _find_type(lookup, scope, ordinal, (first, steps[0])), steps[1:]
    for step in steps:
        if holder is None or holder.external or (step == "[]" and not holder.is_items):
            return holder if holder and holder.external else None
        holder = _take_step(lookup, holder, step)
    if holder is not None and holder.is_items:  # a pointer, or an array that is initialised as one value
        return None
    return holder


def _find_path_type(
    lookup: NamedLookup, scope: FileScope, ordinal: int, names: tuple[str, ...]
) -> Holder | None:
    """Return what a path names: a struct or an enum's variant; it may begin with `Self`."""
    if names[0] not in lookup.get_rules(scope).own_words or len(names) == 1:
        return _find_type(lookup, scope, ordinal, names)
    own = find_own(lookup, scope, ordinal, is_base=False)
    for one in own.types if own is not None else ():
        found = lookup.find_members(one, names[-1], ReferenceRole.TYPE)
        if found:
            return Holder(tuple(found))
    return None


def _find_first(
    lookup: NamedLookup, scope: FileScope, ordinal: int, line: int, segments: list[str]
) -> tuple[Holder | None, int]:
    """Return the type of the first segments, and how many segments that consumes."""
    rules = lookup.get_rules(scope)
    first = segments[0]
    if first in rules.own_words or first in rules.base_words:
        return find_own(lookup, scope, ordinal, first in rules.base_words), 1
    if first.startswith(NEW):
        return find_anonymous(scope, first), 1
    if not first.endswith("()"):
        binding = scope.find_binding(ordinal, line, first)
        if binding is not None and scope.language == "swift" and is_of_itself(binding, line):
            binding = scope.find_binding(ordinal, line - 1, first)  # `let x = x.y`: the x of before
        if binding is not None:
            return _find_bound(lookup, scope, binding), 1
        if first in {"self"}:
            return None, 1
    return _find_static(lookup, scope, ordinal, segments)


def _find_bound(lookup: NamedLookup, scope: FileScope, binding: Reference) -> Holder | None:
    """Return the type of a local variable."""
    ordinal, name, qualifier = binding.symbol, binding.name, binding.qualifier
    if binding.arguments == 1:
        if name == "[]":
            before = f"{qualifier}.[]"
            return find_holder(lookup, scope, ordinal, binding.line - 1, before) if qualifier else None
        return _find_made(lookup, scope, ordinal, binding)
    names = (*qualifier.split("."), name) if qualifier else (name,)
    if binding.arguments in {Binding.SAME, Binding.ITEM}:
        return _find_taken(lookup, scope, ordinal, binding, names)
    if binding.arguments >= Binding.UNPACKED:
        return _find_payload(lookup, scope, ordinal, names, binding.arguments - Binding.UNPACKED)
    rows = scope.list_bindings(binding.symbol, binding.alias)
    beside = [one for one in rows if (one.line, one.arguments) == (binding.line, Binding.TYPE)]
    if len(beside) > 1:
        return _find_all_bounds(lookup, scope, beside)
    if scope.language == "rust" and len(names) == 2:
        associated = _find_of_parameter(lookup, scope, binding, names)
        if associated is not None:
            return associated
    if scope.language == "swift" and "<" in name:
        rules, there = lookup.get_rules(scope), Declaration(scope.path, ordinal)
        return _read_text(lookup, rules, scope, there, f"{qualifier}.{name}" if qualifier else name, None)
    found = _find_type(lookup, scope, ordinal, names, is_items=binding.arguments == Binding.ITEMS)
    if found is not None and scope.language == "rust":
        own = _find_own_parameter(lookup, scope, binding, found)
        if own is not None:
            return own
    # The row does not say whether the type was written inside an `Rc`.
    return replace(found, hiding=lookup.get_rules(scope).of_pointers) if found is not None else None


def _find_of_parameter(
    lookup: NamedLookup, scope: FileScope, binding: Reference, names: tuple[str, ...]
) -> Holder | None:
    """Return the type of `G::Edge`, where a bound of the type parameter G declares that associated type."""
    row = scope.find_binding(binding.symbol, binding.line, names[0])
    holder = _find_parameter(lookup, scope, row) if row is not None and row.alias != binding.alias else None
    for one in holder.types if holder is not None else ():
        for member in lookup.find_members(one, names[1], ReferenceRole.TYPE):
            other = lookup.find_scope(member.path)
            text = other.get_symbol(member.ordinal).return_type if other is not None else ""
            if other is not None and text:
                found = _read_text(lookup, lookup.get_rules(other), other, member, text, holder)
                return replace(found, is_certain=False) if found is not None else None
    return None


def _find_own_parameter(
    lookup: NamedLookup, scope: FileScope, binding: Reference, found: Holder
) -> Holder | None:
    """Return the bounds of the parameter `Ix` at a use of an alias such as `type Id<Ix = u32> = Ix`."""
    for one in found.types[:1]:
        other = lookup.find_scope(one.path)
        if other is None or other.get_kind(one.ordinal) is not SymbolKind.TYPE:
            return None
        symbol = other.get_symbol(one.ordinal)
        row = scope.find_binding(binding.symbol, binding.line, symbol.return_type)
        if row is None or row.alias == binding.alias or not TYPE_PARAMETER.fullmatch(symbol.return_type):
            return None
        bounds = _find_parameter(lookup, scope, row)
        return replace(bounds, is_certain=False) if bounds is not None else None
    return None


def _find_parameter(lookup: NamedLookup, scope: FileScope, row: Reference) -> Holder | None:
    """Return the bounds of a type parameter, which may be bound by others, in a cycle too."""
    if lookup.depth >= MAX_DEPTH:
        return None
    with lookup.deepen():
        return _find_bound(lookup, scope, row)


def _find_all_bounds(
    lookup: NamedLookup, scope: FileScope, rows: list[Reference], *, is_certain: bool = True
) -> Holder | None:
    """Return all types that rows name, such as bounds; uncertain unless they are all traits or interfaces."""
    found = [_find_type(lookup, scope, one.symbol, split_name(one)) for one in rows]
    known = [one for one in found if one is not None and one.types]
    if not known:
        return next(filter(None, found), None)
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    kinds = {other.get_kind(one.ordinal) for one in types if (other := lookup.find_scope(one.path))}
    is_plain = kinds <= {SymbolKind.TRAIT, SymbolKind.INTERFACE}
    is_certain = is_certain and is_plain and all(one.is_certain for one in known)
    return Holder(types, is_certain=is_certain)


def _find_taken(
    lookup: NamedLookup, scope: FileScope, ordinal: int, binding: Reference, names: tuple[str, ...]
) -> Holder | None:
    """Return the type of a variable bound to a value, or, without certainty, to a part of one."""
    if len(names) > 1 and names[-2][:1].isupper():  # a field of a pattern
        made = _find_path_type(lookup, scope, ordinal, names[:-1])
        found = _take_step(lookup, made, names[-1]) if made is not None and not made.external else None
        return found if found is None else replace(found, is_certain=False)
    line = binding.line - (names[0].removesuffix("()") == binding.alias)
    found = find_holder(lookup, scope, ordinal, line, ".".join(names))
    if found is None or binding.arguments == Binding.SAME:
        return found
    return replace(_find_iterated(lookup, found) or take_item(found), is_certain=False)


def _find_iterated(lookup: NamedLookup, holder: Holder) -> Holder | None:
    """Return the `Item` of a type of Rust that is an iterator; None for a list, and inside an `Option`."""
    for one in () if holder.is_items or holder.hiding else holder.types:
        for item in lookup.find_members(one, "Item", ReferenceRole.TYPE):
            scope = lookup.find_scope(item.path)
            if scope is not None and scope.language == "rust":
                return _read_there(lookup, item, scope.get_symbol(item.ordinal).return_type, holder)
    return None


def _find_payload(
    lookup: NamedLookup, scope: FileScope, ordinal: int, names: tuple[str, ...], position: int
) -> Holder | None:
    """Return the type of the field that a pattern takes from an enum variant or a struct, by position."""
    made = _find_path_type(lookup, scope, ordinal, names)
    for one in made.types if made is not None else ():
        other = lookup.find_scope(one.path)
        assert other is not None
        found = None
        if other.get_kind(one.ordinal) is SymbolKind.ENUM_MEMBER:
            texts = split_signature(other.get_symbol(one.ordinal).parameters).parameters
            if position < len(texts):
                found = _read_text(lookup, lookup.get_rules(other), other, one, texts[position], None)
        else:
            found = _find_member_type(lookup, Holder((one,)), str(position))
        return found if found is None else replace(found, is_certain=False)
    return None


def _find_made(lookup: NamedLookup, scope: FileScope, ordinal: int, binding: Reference) -> Holder | None:
    """Return the type of a variable bound to a call or to a member."""
    name, qualifier = binding.name, binding.qualifier
    if not qualifier:
        return (
            _find_static(lookup, scope, ordinal, [name + "()"])[0]
            or _find_static(lookup, scope, ordinal, [name])[0]
        )
    if qualifier.partition(".")[0].removesuffix("()") == binding.alias:
        return find_holder(lookup, scope, ordinal, binding.line - 1, f"{qualifier}.{name}()")
    return find_holder(lookup, scope, ordinal, binding.line, f"{qualifier}.{name}()")


def _find_type(
    lookup: NamedLookup, scope: FileScope, ordinal: int, names: tuple[str, ...], *, is_items: bool = False
) -> Holder | None:
    """Return the type of a written name."""
    if len(names) == 1 and names[0] in lookup.get_rules(scope).own_words:
        return find_own(lookup, scope, ordinal, is_base=False)
    found = lookup.find_type(scope, ordinal, names)
    if found.declarations:
        return make_holder(lookup, scope, found, is_items=is_items)
    is_parameter = names[-1] == UNKNOWN_TYPE or (len(names[-1]) == 1 and names[-1].isupper())  # most likely
    return Holder(external=found.external or ".".join(names)) if found.external or not is_parameter else None


def _find_static(
    lookup: NamedLookup, scope: FileScope, ordinal: int, segments: list[str]
) -> tuple[Holder | None, int]:
    """Return the type of names that do not begin with a variable: the longest declared path."""
    plain = 0
    while plain < len(segments) and segments[plain].isidentifier():
        plain += 1
    is_call = plain < len(segments) and segments[plain].endswith("()")
    if is_call:
        names = (*segments[:plain], segments[plain][:-2])
        holder = _find_value(lookup, scope, ordinal, names, ReferenceRole.CALL)
        if holder is not None:
            return holder, plain + 1
    for used in range(plain, 0, -1):
        holder = _find_value(lookup, scope, ordinal, tuple(segments[:used]), ReferenceRole.USE)
        if holder is not None:
            return holder, used
    return None, 1


def _find_value(
    lookup: NamedLookup, scope: FileScope, ordinal: int, names: tuple[str, ...], role: ReferenceRole
) -> Holder | None:
    found = lookup.find_static(scope, ordinal, names, role)
    if found.external:
        return Holder(external=found.external)
    if not found.declarations:
        if role is ReferenceRole.USE and scope.language == "c":
            return None
        found = lookup.find_type(scope, ordinal, names)
        if found.external:
            return Holder(external=found.external)
    chosen, is_one = choose_called(lookup, scope, found.declarations, role)
    for one in chosen[:1]:
        if role is ReferenceRole.USE and scope.language == "java" and is_callable(lookup, one):
            return None  # a method is not a value, so the name is a variable's of unknown type
        holder = _read_called(lookup, chosen)
        return holder if holder is None or is_one else replace(holder, is_certain=False)
    return None


def _take_step(lookup: NamedLookup, holder: Holder, segment: str) -> Holder | None:
    """Return the type of a member; it is no surer than the type of its owner."""
    found = _find_member_type(lookup, holder, segment)
    return found if found is None or holder.is_certain else replace(found, is_certain=False)


def _find_member_type(lookup: NamedLookup, holder: Holder, segment: str) -> Holder | None:
    if segment == "[]":
        if holder.is_items:
            return take_item(holder)
        if (made := find_literal_item(lookup, holder)) is not None:
            item = _read_there(lookup, *made, None)
            return replace(item, is_items=False, is_certain=False) if item is not None else None
        return _find_index(lookup, holder) or Holder(
            holder.types, is_certain=holder.is_certain and not is_of_swift(lookup, holder)
        )
    if segment == "this":  # in Java, of the class before it
        return holder
    name = segment.removesuffix("()")
    role = ReferenceRole.CALL if segment.endswith("()") else ReferenceRole.USE
    if not holder.is_items and is_of_c(lookup, holder):
        members = list_c_members(lookup, holder, name, role)
        found = _read_declared(lookup, members[0], holder) if members else None
        return found if found is None or len(members) == 1 else replace(found, is_certain=False)
    for one in holder.types:
        scope = lookup.find_scope(one.path)
        if scope is None:
            continue
        if not holder.is_items:
            members = lookup.find_members(one, name, role, of_value=True)
            members = members or lookup.find_members(one, name, role)
            if members:
                chosen, is_one = choose_called(lookup, scope, members, role)
                is_one = is_one and not may_be_nearer(lookup, one, members[0])
                found = _read_called(lookup, chosen, holder, one)
                return found if found is None or is_one else replace(found, is_certain=False)
        rules = lookup.get_rules(scope)
        if role is ReferenceRole.USE and rules.parts_fields and name != "await":
            continue  # a field, which only the type itself can have
        if holder.is_items and name in rules.giving_item:
            return take_item(holder)
        if name in rules.transparent:
            return holder
        if name in rules.imitating or (holder.is_items and name in rules.keeping_items):
            return replace(holder, is_certain=False)
    pointed = find_pointed(lookup, holder)
    return _find_member_type(lookup, pointed, segment) if pointed is not None else None


def _find_index(lookup: NamedLookup, holder: Holder) -> Holder | None:
    """Return the type of a value's items by its own type: `impl Index`, a subscript, a Go text."""
    if is_of_swift(lookup, holder):
        found = [
            each for one in holder.types for each in lookup.find_members(one, "subscript", ReferenceRole.CALL)
        ]
        return _read_called(lookup, found, holder) if found else None
    element = find_element(lookup, holder)
    if element is not None:
        return _read_there(lookup, *element, None)
    for one in holder.types:
        for method in lookup.find_members(one, "index", ReferenceRole.CALL):
            scope = lookup.find_scope(method.path)
            if scope is not None and scope.language == "rust":
                block = scope.get_parent(method.ordinal)
                for output in scope.find_children(block, "Output"):
                    there = Declaration(scope.path, output)
                    return _read_there(lookup, there, scope.get_symbol(output).return_type, holder)
    return None


def _read_called(
    lookup: NamedLookup,
    members: Sequence[Declaration],
    holder: Holder | None = None,
    owner: Declaration | None = None,
) -> Holder | None:
    """Return the first declaration's type; it is not sure if they are overloads with different results.

    Of variables among which a build chooses, it has the types of all."""
    found = _read_declared(lookup, members[0], holder)
    if found is None or not is_callable(lookup, members[0]):
        others = (_read_declared(lookup, one, holder) for one in members[1:])
        return join_types([found, *others]) if len(members) > 1 else found
    return found if len(list_results(lookup, members, owner)) == 1 else replace(found, is_certain=False)


def _read_declared(
    lookup: NamedLookup, declaration: Declaration, holder: Holder | None = None
) -> Holder | None:
    """Return the type that a declaration shows; a type declaration is its own type."""
    scope = lookup.find_scope(declaration.path)
    if scope is None:
        return None
    kind = scope.get_kind(declaration.ordinal)
    if kind in TYPE_KINDS:
        return Holder((declaration,))
    owner = scope.get_parent(declaration.ordinal)
    if kind is SymbolKind.CONSTRUCTOR or kind is SymbolKind.ENUM_MEMBER:
        return Holder(tuple(lookup.find_extended(Declaration(scope.path, owner))))
    if kind not in CALLABLE_KINDS and kind not in _VALUE_KINDS:
        return None
    return _read_there(lookup, declaration, scope.get_symbol(declaration.ordinal).return_type, holder)


def _read_text(
    lookup: NamedLookup,
    rules: Rules,
    scope: FileScope,
    declaration: Declaration,
    text: str,
    holder: Holder | None,
) -> Holder | None:
    """Return the type written in the text of a result, looked up in the scope of its declaration."""
    if scope.language == "rust" and text.startswith(":"):
        return _read_bounds(lookup, scope, declaration, text[1:], holder)
    hiding = list_hiding(rules, text)
    text = rules.read_result(text)
    locked = _LOCK.search(text) if scope.language == "rust" else None
    if locked is not None:
        guarded = _read_text(lookup, rules, scope, declaration, text[locked.end() :], holder)
        return Holder(external=locked.group(1), guarded=guarded)
    if text.rstrip("*[] ") in {"struct", "union"}:  # unnamed: its members belong to the outer one
        owner = Declaration(scope.path, scope.get_parent(declaration.ordinal))
        return Holder((owner,), group=declaration)
    if text.endswith("()"):  # a variable initialised by a call has the call's type
        found = find_holder(lookup, scope, declaration.ordinal, 1 << 30, text)
        return found if found is None or found.types != (declaration,) else None
    wrapper = read_wrapper(text)
    if wrapper.name:  # the standard library's, or the repository's own
        names = (*filter(None, wrapper.qualifier.split(".")), wrapper.name)
        if lookup.find_type(scope, declaration.ordinal, names).declarations:
            return _find_type(lookup, scope, declaration.ordinal, names)
    found_type = read_type(text)
    if not found_type.name:
        return None
    if found_type.name == "Self" and holder is not None:
        return holder
    if found_type.qualifier == "Self" and scope.language == "rust":
        return _find_associated(lookup, scope, declaration, found_type, holder)
    if holder is not None and not found_type.qualifier:
        for name, given in holder.given:
            if name == found_type.name:
                is_items = found_type.is_items or given.is_items
                return replace(given, is_items=is_items, is_certain=False)
    if scope.language == "swift" and not found_type.qualifier:
        bound = find_written_bound(scope, declaration.ordinal, found_type.name)
        if bound is not None:  # it is a type parameter, whatever else has its name
            one = _read_text(lookup, rules, scope, declaration, bound, None) if bound else None
            return replace(one, is_items=found_type.is_items, is_certain=False) if one is not None else None
    rows = list_own_bounds(scope, declaration.ordinal, found_type)
    if rows:  # it is a type parameter, whatever else has its name
        return None if found_type.is_items else _find_all_bounds(lookup, scope, rows, is_certain=False)
    if scope.language in {"rust", "go"} and not found_type.qualifier:
        bounded = _find_bounded(lookup, scope, declaration, found_type.name)
        if bounded is not None or is_open_parameter(scope, declaration.ordinal, found_type.name):
            return bounded
    names = (*filter(None, found_type.qualifier.split(".")), found_type.name)
    found = _find_type(lookup, scope, declaration.ordinal, names, is_items=found_type.is_items)
    if found is not None and scope.language == "swift":
        return read_generic(lookup, scope, declaration, text, found, holder, _FUNCTIONS)
    if found is None:
        return None
    argument = _read_argument(lookup, scope, declaration, text, found_type.name)
    return replace(found, inner=found_type.inner, hiding=hiding, given=argument)


def _read_argument(
    lookup: NamedLookup, scope: FileScope, declaration: Declaration, text: str, name: str
) -> tuple[tuple[str, Holder], ...]:
    """Return the only type argument in the text of a Rust type, under the name ""; () if it is not known."""
    argument = read_only_argument(text, name) if scope.language == "rust" else ""
    if not argument or lookup.depth >= MAX_DEPTH:
        return ()
    with lookup.deepen():
        given = _read_text(lookup, lookup.get_rules(scope), scope, declaration, argument, None)
    return (("", given),) if given is not None and given.types else ()


def _read_bounds(
    lookup: NamedLookup, scope: FileScope, declaration: Declaration, text: str, holder: Holder | None
) -> Holder | None:
    """Return the traits that bound an associated type; for an iterator, a list of the type of its items."""
    bounds = split_bounds(text)[:MAX_BOUNDS]
    item = next(filter(None, map(_ITEM.search, bounds)), None)
    if item is not None and lookup.depth < MAX_DEPTH:  # items of one may be those of another, in a cycle
        with lookup.deepen():
            one = _read_there(lookup, declaration, item[1], holder)
        return replace(one, is_items=True, is_certain=False) if one is not None else None
    traits = (one.strip() for one in bounds if "Self" not in one.partition("<")[0])
    found = [_find_type(lookup, scope, declaration.ordinal, read_names(one)) for one in traits]
    types = tuple(dict.fromkeys(each for one in found if one is not None for each in one.types))
    return Holder(types, is_certain=False) if types else None


def _find_associated(
    lookup: NamedLookup, scope: FileScope, declaration: Declaration, named: TypeName, holder: Holder | None
) -> Holder | None:
    """Return the type of `Self::Entry`, by the `impl` around a declaration or that of the receiver."""
    blocks = [Declaration(scope.path, scope.get_parent(declaration.ordinal))]
    for owner in [*blocks, *(holder.types if holder is not None else ())]:
        for one in lookup.find_members(owner, named.name, ReferenceRole.TYPE):
            other = lookup.find_scope(one.path)
            text = other.get_symbol(one.ordinal).return_type if other is not None else ""
            if other is not None and text and not text.startswith("Self"):
                found = _read_text(lookup, lookup.get_rules(other), other, one, text, holder)
                is_plain = found is None or found.is_items or not named.is_items
                return found if is_plain or found is None else replace(found, is_items=True)
    return None


def _find_bounded(
    lookup: NamedLookup, scope: FileScope, declaration: Declaration, name: str
) -> Holder | None:
    """Return the trait bounds of a type parameter that is the type of a field or a result; else None.

    The bounds are those of the type around it and of its `impl` blocks. They are never sure: the block of a
    use may have other bounds.
    """
    owner = scope.get_parent(declaration.ordinal)
    owner_name = scope.get_name(owner)
    found: list[Holder] = []
    for other in lookup.iter_declaring(scope, owner_name):
        for part in other.find_named(owner_name):
            rows = other.list_bindings(part, name)
            bounds = [one for one in rows if one.arguments == Binding.BOUND]
            if not bounds:
                continue
            is_own = other is scope and part == owner
            is_block = other.get_kind(part) is SymbolKind.EXTENSION
            if is_own or (is_block and lookup.get_rules(scope).is_same_type(scope, owner, other, part)):
                one = _find_all_bounds(lookup, other, bounds)
                found += [one] if one is not None else []
    types = tuple(dict.fromkeys(each for one in found for each in one.types))
    if types:
        return Holder(types, is_certain=False)
    return replace(found[0], is_certain=False) if found else None


def _read_there(lookup: NamedLookup, at: Declaration, text: str, holder: Holder | None) -> Holder | None:
    """Return the type of a text at a declaration."""
    scope = lookup.find_scope(at.path)
    return _read_text(lookup, lookup.get_rules(scope), scope, at, text, holder) if scope is not None else None


_FUNCTIONS = ReceiverFunctions(find_holder, _take_step, _read_declared, _read_there)
