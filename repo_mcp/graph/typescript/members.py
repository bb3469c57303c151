"""The members that an object, class or module itself has, and the meaning of a variable or `this`."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames, prefer
from repo_mcp.graph.typescript.owners import Owners, mark_items
from repo_mcp.graph.typescript.script_file import ScriptFile, is_assigned, list_exported_members
from repo_mcp.languages.treesitter.scope_walk import SAME
from repo_mcp.languages.typescript.values import OBJECT
from repo_mcp.symbols.model import CONSTRUCTED
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    DeclaredSymbol,
    Reference,
    SymbolFlag,
    SymbolKind,
    iter_around,
)

OBJECTS = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.PROPERTY})
_UNRUN = SymbolFlag.FORWARD | SymbolFlag.ABSTRACT  # of overloads
_RUN = CALLABLE_KINDS | {SymbolKind.CLASS}
# Members of every list: those that return one item, and those that return a list of the same items.
ITEM_OF = frozenset({"at", "find", "findLast", "pop", "shift", "get"})
SAME_ITEMS = frozenset(
    {"filter", "slice", "sort", "reverse", "concat", "toSorted", "toReversed", "splice", "values", "flat"}
)
# Members of every list that give something else, and pass their items to a function.
PASSING_ITEMS = frozenset(
    {"map", "forEach", "some", "every", "flatMap", "findIndex", "findLastIndex", "reduce", "reduceRight"}
)
OWNERS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.ENUM,
        SymbolKind.MODULE,
        SymbolKind.FILE,
        SymbolKind.COMPONENT,
    }
)
_OBJECT_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})


def find_own_member(names: ScriptNames, owner: Declaration, name: str, steps: int) -> Meaning:
    """Return the members of a name that one owner itself has; UNKNOWN if there are none."""
    if owner.ordinal == 0:
        return names.find_export(owner.path, name, hops=min(steps, 1))
    file = names.find_file(owner.path)
    symbol = names.get_symbol(owner)
    if file is None or symbol is None:
        return UNKNOWN
    found = file.find_children(owner.ordinal, name)
    is_guess = False
    if symbol.kind in CALLABLE_KINDS and symbol.kind is not SymbolKind.COMPONENT:
        if (symbol.ordinal, OBJECT) in file.binds:
            found = _keep_returned(file, symbol, found)
        elif not is_constructed(file, symbol.ordinal, name):
            # In `function make() { define({ run() {} }) }`, `run` may belong to another object than those of
            # the function.
            is_guess = any(one.start_line <= symbol.end_line and one.kind in _OBJECT_MEMBERS for one in found)
    if symbol.kind in OBJECTS or (symbol.kind in CALLABLE_KINDS and not found):
        held = _find_named_value(names, file, symbol, name, found)
        if held is not UNKNOWN:
            return held
    if symbol.kind is SymbolKind.CLASS and len(found) > 1:
        found = _keep_last(file, found)
    if symbol.kind is SymbolKind.MODULE:
        found = prefer([one for one in found if one.flags & SymbolFlag.PUBLIC_API] or found, False)
    if symbol.parent == 0:  # declarations of the same name are merged
        twins = file.find_children(symbol.parent, symbol.name)
        for twin in file.keep_seen(twins, symbol.start_line):
            if twin.ordinal != symbol.ordinal:
                found += file.find_children(twin.ordinal, name)
    each = tuple(Declaration(owner.path, one.ordinal) for one in found)
    is_replaced = len(found) > 1 and any(is_assigned(file, one) for one in found)
    return Meaning(each, "", not is_replaced, is_guess) if found else UNKNOWN


def _keep_last(file: ScriptFile, found: list[DeclaredSymbol]) -> list[DeclaredSymbol]:
    """Return the members of a name that a class has: of several methods with a body, the last one."""
    last: dict[bool, int] = {}  # static -> the members
    run = [one for one in found if one.kind is SymbolKind.METHOD and not one.flags & _UNRUN]
    run = [one for one in run if not is_assigned(file, one)]
    for one in run:
        last[bool(one.flags & SymbolFlag.STATIC)] = one.ordinal
    return [one for one in found if one not in run or one.ordinal in last.values()]


def is_constructed(file: ScriptFile, function: int, name: str) -> bool:
    """Return whether the objects that a function constructs have a member of this name."""
    return (function, f"{CONSTRUCTED}.{name}") in file.binds


def _keep_returned(
    file: ScriptFile, function: DeclaredSymbol, found: list[DeclaredSymbol]
) -> list[DeclaredSymbol]:
    """Return those symbols in a function that belong to the object that it returns, or to itself."""
    lines = [(row.line, row.arguments) for row in file.binds[function.ordinal, OBJECT]]
    return [
        one
        for one in found
        if one.kind in _OBJECT_MEMBERS
        and (one.start_line > function.end_line or any(a <= one.start_line <= b for a, b in lines))
    ]


def _find_named_value(
    names: ScriptNames, file: ScriptFile, owner: DeclaredSymbol, name: str, found: list[DeclaredSymbol]
) -> Meaning:
    """Return the target of a member whose object literal only names it: `{ name }`, `{ name: what }`.

    If the member has a symbol of its own, the target must be callable, and both are returned.
    """
    rows = file.binds.get((owner.ordinal, f"this.{name}"), ())
    row = next((one for one in rows if one.arguments == SAME and not one.qualifier), None)
    if row is None or any(one.kind is not SymbolKind.PROPERTY for one in found):
        return UNKNOWN
    # the object may be one that is returned
    inside = owner.ordinal if owner.kind in CALLABLE_KINDS else owner.parent
    held = names.look_up(file, inside, row.name, row.line)
    if not found or held is UNKNOWN:
        return held
    symbols = [names.get_symbol(one) for one in held.declarations]
    if not any(one is not None and one.kind in _RUN for one in symbols):
        return UNKNOWN
    own = tuple(Declaration(file.path, one.ordinal) for one in found)
    return Meaning(held.declarations + own)


def take_items(owners: Owners, name: str, *, is_call: bool) -> Owners | None:
    """Return the owners of what a member of a list gives, an item or a list; None for any other member."""
    if name.isdigit():
        return mark_items(owners, False)
    return mark_items(owners, name in SAME_ITEMS) if is_call and name in ITEM_OF | SAME_ITEMS else None


def is_in_static(file: ScriptFile, ordinal: int) -> bool:
    """Return whether `this` inside a symbol is a class: in a static member."""
    around = (file.get_symbol(one) for one in iter_around(file.record, ordinal))
    member = next((one for one in around if one.kind in _OBJECT_MEMBERS), None)
    return member is not None and bool(member.flags & SymbolFlag.STATIC)


def find_holder(file: ScriptFile, ordinal: int) -> int | None:
    """Return the class or object that `this` means inside a symbol, or None.

    In an arrow function, it is the `this` around the objects of which the function is a member.
    """
    kinds = file.record.kinds
    previous = 0
    is_arrow = False
    for around in iter_around(file.record, ordinal):
        kind = SymbolKind(int(kinds[around]))
        is_member = bool(previous) and kinds[previous] in _OBJECT_MEMBERS
        if kind is SymbolKind.METHOD and not is_member and (around, "this") in file.binds:
            previous, is_arrow = 0, True
            continue
        if is_arrow and not previous and kind in OBJECTS:
            continue
        if kind is SymbolKind.COMPONENT and (previous or is_arrow):
            return around
        if kind in {SymbolKind.CLASS, SymbolKind.INTERFACE}:
            return around
        if not previous and (around, CONSTRUCTED) in file.binds:
            return around
        if is_member and (kind is not SymbolKind.FILE or _is_exported(file, previous)):
            return around
        previous = around
    return None


def _is_exported(file: ScriptFile, member: int) -> bool:
    """Return whether a top-level member belongs to the object that the file exports as its module."""
    return member in list_exported_members(file, file.get_symbol(member).name)


def is_declared_later(file: ScriptFile, name: str, bound: int, line: int) -> bool:
    """Return whether a function with the name of a variable takes its place on a line.

    That is so if no line from the start of the function to this one shows the type of the variable.
    """
    if not line:
        return False
    found = [file.get_symbol(one) for one in file.record.find_symbols(name)]
    seen = file.keep_seen([one for one in found if one.kind is SymbolKind.FUNCTION], line)
    return any(one.start_line <= line and not one.start_line <= bound <= line for one in seen)


def find_binds(file: ScriptFile, ordinal: int, name: str) -> Sequence[Reference]:
    """Return the rows that show the type of a variable, in the innermost scope that has any.

    They belong to one annotation or value, or to several values, which all count: branches are not followed.
    """
    binds = file.binds
    for around in iter_around(file.record, ordinal):
        rows = binds.get((around, name))
        if rows:
            return rows
    return ()
